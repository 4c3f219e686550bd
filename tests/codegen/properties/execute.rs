//! Executes the kernels of a module on the host, with LLVM's interpreter `lli`, which compiles them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use super::generate::Ty;

/// The results of the kernels: a line for each launch.
pub(super) fn execute(text: &str, parameters: &[Vec<Ty>], folder: &Path) -> Result<Vec<String>, String> {
    let file = folder.join("host.ll");
    std::fs::write(&file, for_host(text, parameters)).expect("the folder can be written");
    let mut command = Command::new(harness::llvm_tool("lli"));
    command.args(["-O0", "--extra-object"]).arg(device()).arg(&file);
    let outcome = harness::run_within(&mut command, Duration::from_secs(60));
    if outcome.code() != 0 {
        return Err(outcome.report());
    }
    Ok(outcome.stdout().lines().map(str::to_owned).collect())
}

/// `device.c`, compiled.
fn device() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let object = harness::temporary().join(format!("properties-{}.o", std::process::id()));
        let source = harness::root().join("tests/codegen/properties/device.c");
        let mut command = Command::new(harness::llvm_tool("clang"));
        harness::run(command.args(["-O1", "-fPIC", "-c"]).arg(source).arg("-o").arg(&object)).success();
        object
    })
}

/// The module as the host compiles it: with one address space, without calling conventions and scopes of devices, and
/// with a list of its kernels.
fn for_host(text: &str, parameters: &[Vec<Ty>]) -> String {
    let mut all: String = text.lines().filter(|line| !is_of_device(line)).map(host_line).collect();
    let mut list = Vec::new();
    for (kernel, extra) in parameters.iter().enumerate() {
        if let Some(entry) = entry(text, kernel) {
            all += &block_launcher(&entry, kernel);
            list.push(format!("ptr @launch{kernel}"));
        } else if extra.is_empty() {
            list.push(format!("ptr @k{kernel}"));
        } else {
            all += &launcher(text, kernel, extra);
            list.push(format!("ptr @launch{kernel}"));
        }
    }
    let (count, list) = (list.len(), list.join(", "));
    all +=
        &format!("@properties_kernels = constant [{count} x ptr] [{list}]\n@properties_count = constant i32 {count}\n");
    all
}

/// The name of the function that runs a kernel for a block of threads, if there is one.
fn entry(text: &str, kernel: usize) -> Option<String> {
    let end = format!(".k{kernel}(");
    let definition =
        text.lines().find(|l| l.starts_with("define ") && l.contains("@__offload_cpu") && l.contains(&end))?;
    let (_, name) = definition.split_once('@')?;
    Some(name.split('(').next()?.to_owned())
}

/// A function with a kernel's usual parameters that lets `device.c` run blocks.
fn block_launcher(entry: &str, kernel: usize) -> String {
    format!(
        "define void @launch{kernel}(ptr %in, ptr %out, i64 %n) {{
  call void @properties_run_blocks(ptr @{entry}, ptr %in, ptr %out, i64 %n)\n  ret void\n}}\n{}",
        if kernel == 0 { "declare void @properties_run_blocks(ptr, ptr, ptr, i64)\n" } else { "" }
    )
}

/// The prefixes of intrinsics of devices, which `device.c` defines without the `llvm.`.
const OF_DEVICES: [&str; 2] = ["@llvm.amdgcn.", "@llvm.nvvm."];

/// Whether a line is the device's layout, or declares an intrinsic: LLVM does that itself, from the calls.
fn is_of_device(line: &str) -> bool {
    let declares = line.starts_with("declare ") && !OF_DEVICES.iter().any(|prefix| line.contains(prefix));
    line.starts_with("target ") || declares && line.contains("@llvm.")
}

fn host_line(line: &str) -> String {
    let mut line = without_spaces(line).replace("addrspacecast (", "bitcast (").replace(" addrspacecast ", " bitcast ");
    for convention in ["ptx_kernel ", "amdgpu_kernel ", "spir_kernel ", "spir_func ", "protected ", "fastcc "] {
        line = line.replace(convention, "");
    }
    for section in [".offload.shared", ".offload.constant"] {
        line = line.replace(&format!(", section \"{section}\""), "");
    }
    for prefix in OF_DEVICES {
        line = line.replace(prefix, &prefix.replace("llvm.", ""));
    }
    line + "\n"
}

/// A line with pointers into address space 0 only; intrinsics' names have the spaces, too.
fn without_spaces(line: &str) -> String {
    let mut plain = without_digits(line, ", addrspace(", ")", "");
    plain = without_digits(&plain, " addrspace(", ")", "");
    if line.contains("@llvm.") { without_digits(&plain, ".p", "", ".p0") } else { plain }
}

/// `line` with `instead` in the place of numbers between `start` and `end`.
fn without_digits(line: &str, start: &str, end: &str, instead: &str) -> String {
    let mut parts = line.split(start);
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |all, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix(end) {
            Some(rest) if rest.len() + end.len() < part.len() => all + instead + rest,
            _ => all + start + part,
        }
    })
}

/// A function with a kernel's usual parameters that passes it the others, from the input. The kernel's current
/// parameters are read from its definition.
fn launcher(text: &str, kernel: usize, extra: &[Ty]) -> String {
    let start = format!("@k{kernel}(");
    let definition = text.lines().find(|line| line.starts_with("define ") && line.contains(&start));
    let definition = without_spaces(definition.expect("a pass keeps the kernels"));
    let (_, rest) = definition.split_once(&start).expect("it was just found");
    let now = split_parameters(rest);
    let mut body = String::new();
    let mut arguments = "ptr %in, ptr %out, i64 %n".to_owned();
    for (index, ty) in extra.iter().enumerate() {
        let now = &now[3 + index];
        let at = format!("%at{index}");
        body += &format!("  {at} = getelementptr i8, ptr %in, i64 {}\n", 40 * index);
        if now.starts_with("ptr") {
            let (words, _) = now.rsplit_once(' ').expect("a parameter has a name");
            arguments += &format!(", {words} {at}");
            continue;
        }
        let ty = if ty.is_struct() { now.split(' ').next().unwrap_or("").to_owned() } else { ty.to_string() };
        let taken = now.split(' ').next().unwrap_or("");
        // A load of a single bit reads a byte, of which only one bit may be set.
        if ty == "i1" {
            body += &format!("  %b{index} = load i8, ptr {at}\n  %v{index} = trunc i8 %b{index} to i1\n");
        } else {
            body += &format!("  %v{index} = load {ty}, ptr {at}, align 1\n");
        }
        if taken == ty {
            arguments += &format!(", {} %v{index}", now.rsplit_once(' ').expect("a parameter has a name").0);
        } else {
            body += &format!("  %w{index} = zext {ty} %v{index} to {taken}\n");
            arguments += &format!(", {taken} %w{index}");
        }
    }
    format!(
        "define void @launch{kernel}(ptr %in, ptr %out, i64 %n) {{\n{body}  call void @k{kernel}({arguments})\n  ret void\n}}\n"
    )
}

/// The parameters of a definition, up to its closing parenthesis.
fn split_parameters(rest: &str) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for letter in rest.chars() {
        match letter {
            '(' | '{' | '[' | '<' => depth += 1,
            ')' if depth == 0 => break,
            ')' | '}' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    parts.push(part);
    parts.iter().map(|part| part.trim().to_owned()).collect()
}
