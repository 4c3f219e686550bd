//! NVIDIA's assembler: machine code from PTX, and the resources of each kernel.

use std::path::Path;

use super::ptx::{self, driver_of_toolkit};
use crate::bundle::Resources;
use crate::error::{Context, Result};
use crate::system::scratch::{self, Scratch};
use crate::system::tool::Tools;

/// Machine code, and the strings that describe it.
pub(super) struct Cubin {
    pub(super) bytes: Vec<u8>,
    pub(super) strings: Vec<(String, String)>,
}

/// How the assembler works.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    /// The level of optimisation, 0 to 3.
    pub(super) level: u32,
    /// Whether it may contract a product and a sum that are separate in the PTX.
    pub(super) fuses: bool,
    /// `--ptxas-arg`.
    pub(super) arguments: &'a [String],
}

/// Assembles PTX text for one processor; none if tools are only shown.
pub(super) fn assemble(
    ptx: &[u8],
    cpu: &str,
    options: Options<'_>,
    ptxas: &Path,
    tools: &Tools,
) -> Result<Option<Cubin>> {
    let scratch = Scratch::new()?;
    let to = scratch.file("device.cubin");
    let Some(said) = run(ptx, cpu, options, ptxas, tools, &scratch, &to)? else { return Ok(None) };
    let version = tools.ask(ptxas, ["--version"])?.unwrap_or_default();
    let driver = toolkit(&version).and_then(driver_of_toolkit).max(ptx::minimum(cpu).and_then(ptx::driver));
    let mut strings: Vec<_> = driver.map(|d| ("driver".to_owned(), d.to_string())).into_iter().collect();
    strings.extend(resources(&said).iter().map(Resources::to_string_pair));
    Ok(Some(Cubin { bytes: scratch::read(&to)?, strings }))
}

/// The resources of the kernels in PTX text, as the assembler prints them. Its output is discarded.
pub(super) fn measure(ptx: &[u8], cpu: &str, ptxas: &Path, tools: &Tools) -> Result<Vec<Resources>> {
    let scratch = Scratch::new()?;
    let options = Options { level: 3, fuses: true, arguments: &[] };
    let said = run(ptx, cpu, options, ptxas, tools, &scratch, &scratch.file("device.cubin"))?;
    Ok(resources(&said.unwrap_or_default()))
}

fn run(
    ptx: &[u8],
    cpu: &str,
    Options { level, fuses, arguments: own }: Options<'_>,
    ptxas: &Path,
    tools: &Tools,
    scratch: &Scratch,
    to: &Path,
) -> Result<Option<String>> {
    let from = scratch.file_with("device.ptx", ptx)?;
    // Source locations become the line table of the machine code, and variables exist in unoptimised code only.
    let (level, lines) = match (has_variables(ptx), has_lines(ptx)) {
        (true, _) => ("-O0".to_owned(), Some("-g".as_ref())),
        (false, has_lines) => (format!("-O{level}"), has_lines.then_some("-lineinfo".as_ref())),
    };
    let fuse = if fuses { "-fmad=true" } else { "-fmad=false" };
    let options = ["-v", "-arch", cpu, &level, fuse, "-o"].map(AsRef::as_ref);
    let own = own.iter().map(AsRef::as_ref);
    let arguments = lines.into_iter().chain(own).chain(options).chain([to.as_os_str(), from.as_os_str()]);
    tools.ask(ptxas, arguments).with_context(|| format!("cannot assemble PTX for `{cpu}`"))
}

/// Whether PTX text contains source locations.
fn has_lines(ptx: &[u8]) -> bool {
    ptx.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b".loc"))
}

/// Whether the target of PTX text says that it has debug sections: `.target sm_80, debug`.
fn has_variables(ptx: &[u8]) -> bool {
    let mut lines = ptx.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| line.starts_with(b".target")).is_some_and(|line| line.ends_with(b"debug"))
}

/// The major and minor version in `Cuda compilation tools, release 12.9, V12.9.86`.
fn toolkit(said: &str) -> Option<(u32, u32)> {
    let (major, rest) = said.split_once("release ")?.1.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Parses the output of `-v`. The lines after a function's name belong to the function.
fn resources(said: &str) -> Vec<Resources> {
    let mut kernels: Vec<Resources> = Vec::new();
    let mut of_kernel = false;
    for line in said.lines() {
        if let Some(name) = between(line, "Compiling entry function '", "'") {
            kernels.push(Resources { kernel: name.to_owned(), ..Resources::default() });
        }
        if let Some(name) = line.split("Function properties for ").nth(1) {
            of_kernel = kernels.last().is_some_and(|k| k.kernel == name.trim());
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        let number = |what: &str| before(line, what).unwrap_or(0);
        if line.contains(" bytes stack frame") && of_kernel {
            kernel.stack_bytes = number(" bytes stack frame");
            kernel.spill_bytes = number(" bytes spill stores") + number(" bytes spill loads");
        }
        if line.contains(" registers") && line.contains("Used ") {
            kernel.registers = number(" registers");
            kernel.shared_bytes = number(" bytes smem");
        }
    }
    kernels.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    kernels
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    line.split_once(start)?.1.split_once(end).map(|(inner, _)| inner)
}

/// The number before `what`.
fn before(line: &str, what: &str) -> Option<u32> {
    let text = line.split_once(what)?.0;
    text.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'matmul' for 'sm_80'
ptxas info    : Function properties for matmul
    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Function properties for helper$1
    99 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 384 bytes cmem[0]
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Used 4 registers, used 0 barriers, 352 bytes cmem[0]
";

    #[test]
    fn what_the_assembler_says_is_read() {
        let [a, matmul] = resources(SAID).try_into().unwrap();
        assert_eq!(a, Resources { kernel: "a".into(), registers: 4, ..Resources::default() });
        let numbers = matmul.fields().map(|(_, number)| number);
        assert_eq!((matmul.kernel.as_str(), numbers), ("matmul", [32, 0, 32, 2048, 8]));
        assert_eq!(toolkit("Cuda compilation tools, release 12.9, V12.9.86\n"), Some((12, 9)));
    }
}
