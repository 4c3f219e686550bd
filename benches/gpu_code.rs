//! `make bench-gpu-code`: the code of twelve kernels in Rust against that of their twins in CUDA (`benches/gpu_code/`),
//! as tables. On NVIDIA, one assembler assembles the PTX of all compilers; on AMD, all code is LLVM's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::executed::Programs;
use crate::quality::output;
use crate::{Bench, Result};

pub(crate) const KERNELS: [&str; 12] = [
    "aobench",
    "mandelbrot",
    "murmurhash3",
    "chacha20",
    "nbody",
    "nqueen",
    "heat2d",
    "jacobi",
    "softmax",
    "layernorm",
    "attention",
    "lud",
];

/// The code of one kernel.
#[derive(Clone, Default)]
struct Code {
    /// Instructions, without padding and without functions that are called.
    instructions: usize,
    /// The instructions of the innermost loops together.
    in_loops: usize,
    /// Registers of a thread; vector registers on AMD.
    registers: usize,
    /// Accesses of 16 bytes.
    wide: usize,
    /// Loads through the read-only cache, or by scalar instructions.
    read_only: usize,
    /// Accesses to the thread's own memory: local arrays and spills.
    own: usize,
}

/// The code of each kernel, by the kernel's name.
type Codes = BTreeMap<&'static str, Code>;

/// Prints both tables.
pub(crate) fn table(bench: &Bench) -> Result<()> {
    let folder = bench.folder.join("gpu_code");
    std::fs::create_dir_all(&folder)?;
    let sides = Sides { bench, folder, tools: tools() };
    let ours = ["unreachable", "report"].map(|panic| sides.offloadc(panic));
    let [unchecked, checked] = ours;
    let (unchecked, checked) = (unchecked?, checked?);
    let nvcc = sides.tools.join("nvcc").exists().then(|| sides.cuda("nvcc", &|s| s.nvcc())).transpose()?;
    if nvcc.is_none() {
        println!("nvcc is not in `{}`, so the table has none of its numbers.\n", sides.tools.display());
    }
    let clang = sides.cuda("clang", &|s| s.clang())?;
    let nvidia = [unchecked.image("sm_80"), checked.image("sm_80")];
    let [own, own_checked] = nvidia.map(|ptx| sides.assembled(&ptx));
    let (own, own_checked) = (own?, own_checked?);
    println!("sm_80:\n");
    print(&[("nvcc", nvcc.as_ref()), ("clang", Some(&clang))], &own, &own_checked);
    let hip = sides.hip()?;
    let amd = [unchecked.image("gfx90a"), checked.image("gfx90a")];
    let [own, own_checked] = amd.map(|image| sides.disassembled(&image));
    println!("\ngfx90a:\n");
    print(&[("clang", Some(&hip))], &own?, &own_checked?);
    sides.executed(nvcc.is_some())?;
    sides.times()
}

/// nvcc and its parts, if `make bench-gpu-code` has installed them; the assembler of the tests otherwise.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/nvcc/nvidia/cu13/bin")
}

/// Prints the code of both sides, kernel by kernel, and the geometric means of the ratios.
fn print(others: &[(&str, Option<&Codes>)], own: &Codes, checked: &Codes) {
    let others: Vec<_> = others.iter().filter_map(|(name, codes)| Some((*name, (*codes)?))).collect();
    let names: Vec<_> = others.iter().map(|(name, _)| *name).collect();
    let ratios: Vec<_> = names.iter().map(|name| format!("/ {name}")).collect();
    let (all, slashed) = (names.join(" | "), [&names[..], &["offloadc"]].concat().join(" / "));
    println!(
        "| instructions | {all} | offloadc | {} | checked | {} | in loops, {slashed} | registers | own memory | 16 bytes | read-only |",
        ratios.join(" | "),
        ratios.join(" | ")
    );
    println!("|---|{}", "---:|".repeat(3 * names.len() + 2 + 5));
    let mut means = vec![(0.0, 0.0); others.len()];
    for kernel in KERNELS {
        let (mine, safe) = (&own[kernel], &checked[kernel]);
        let theirs: Vec<_> = others.iter().map(|(_, codes)| &codes[kernel]).collect();
        let ratio = |code: &Code, other: &Code| code.instructions as f64 / other.instructions as f64;
        let cells = |of: &dyn Fn(&Code) -> String| theirs.iter().map(|code| of(code)).collect::<Vec<_>>();
        for (mean, other) in means.iter_mut().zip(&theirs) {
            *mean = (mean.0 + ratio(mine, other).ln(), mean.1 + ratio(safe, other).ln());
        }
        let facts: [fn(&Code) -> usize; 5] = [|c| c.in_loops, |c| c.registers, |c| c.own, |c| c.wide, |c| c.read_only];
        let facts = facts.map(|of| {
            let all = theirs.iter().copied().chain([mine]).map(|code| of(code).to_string());
            all.collect::<Vec<_>>().join(" / ")
        });
        println!(
            "| {kernel} | {} | {} | {} | {} | {} | {} |",
            cells(&|code| code.instructions.to_string()).join(" | "),
            mine.instructions,
            cells(&|other| format!("{:.2}", ratio(mine, other))).join(" | "),
            safe.instructions,
            cells(&|other| format!("{:.2}", ratio(safe, other))).join(" | "),
            facts.join(" | ")
        );
    }
    let mean = |sum: f64| format!("**{:.2}**", (sum / KERNELS.len() as f64).exp());
    let of = |which: &dyn Fn(&(f64, f64)) -> f64| means.iter().map(|m| mean(which(m))).collect::<Vec<_>>().join(" | ");
    let empty = " |".repeat(names.len());
    println!("| geometric mean |{empty} | {} | | {} | | | | | |", of(&|m| m.0), of(&|m| m.1));
}

/// The tools that compile both sides.
struct Sides<'a> {
    bench: &'a Bench,
    folder: PathBuf,
    tools: PathBuf,
}

/// The images that a build has left.
struct Images(PathBuf);

impl Images {
    fn image(&self, arch: &str) -> PathBuf {
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.ok().map(|entry| entry.path());
        let mut files = std::fs::read_dir(&self.0).into_iter().flatten().filter_map(name);
        let end = format!(".image.{arch}.img");
        files.find(|path| path.to_string_lossy().ends_with(&end)).unwrap_or_default()
    }
}

impl Sides<'_> {
    fn sources(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/gpu_code")
    }

    /// Ours, with a kind of panic.
    fn offloadc(&self, panic: &str) -> Result<Images> {
        let images = self.folder.join(panic);
        let _old = std::fs::remove_dir_all(&images);
        let target = self.folder.join(format!("target-{panic}"));
        let _old = std::fs::remove_dir_all(&target);
        let bin = Path::new(env!("CARGO_BIN_EXE_offloadc")).parent().ok_or("a program is in a folder")?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin.to_owned()].into_iter().chain(std::env::split_paths(&path)))?;
        let mut command = Command::new("cargo");
        command.current_dir(self.sources()).env("PATH", path).env("OFFLOADC_CACHE_DIR", self.folder.join("cache"));
        command.args(["offloadc", "build", "--locked", "--release", "--offload-arch=sm_80,gfx90a"]);
        command.arg(format!("--device-panic={panic}")).arg(format!("--offloadc=--save-temps={}", images.display()));
        let _said = output(command.arg("--target-dir").arg(target))?;
        Ok(Images(images))
    }

    /// Prints the executed instructions of all sides, on the emulated GPUs.
    fn executed(&self, has_nvcc: bool) -> Result<()> {
        let programs = Programs { programs: self.programs(), folder: &self.folder };
        let names = if has_nvcc { &["nvcc", "clang"][..] } else { &["clang"] };
        let twins: Vec<_> = names.iter().map(|name| (*name, self.folder.join(name))).collect();
        println!("\nsm_80, PTX:\n");
        programs.table("sm_80", &twins)?;
        println!("\ngfx90a:\n");
        programs.table("gfx90a", &[("clang", self.folder.join("hip"))])
    }

    /// The program without checks, and with them.
    fn programs(&self) -> [PathBuf; 2] {
        let host = std::env::consts::ARCH;
        let program =
            |panic: &str| self.folder.join(format!("target-{panic}/{host}-unknown-linux-gnu/release/gpu_code"));
        ["unreachable", "report"].map(program)
    }

    /// Prints the times of all sides, if there is an NVIDIA GPU.
    fn times(&self) -> Result<()> {
        if !Path::new("/dev/nvidiactl").exists() {
            return Ok(());
        }
        let folder = self.folder.join("times");
        let _old = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let [unchecked, checked] = self.programs();
        let twins = ["nvcc", "clang"].map(|name| (name, self.folder.join(name)));
        for (name, path) in [("unchecked", unchecked), ("checked", checked)].into_iter().chain(twins) {
            if path.exists() {
                std::os::unix::fs::symlink(path, folder.join(name))?;
            }
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/time_gpu_code");
        println!("\n{}", output(Command::new(script).arg(folder))?);
        Ok(())
    }

    /// The twins as PTX by one compiler.
    fn cuda(&self, name: &str, compiler: &dyn Fn(&Self) -> Command) -> Result<Codes> {
        let mut codes = Codes::new();
        std::fs::create_dir_all(self.folder.join(name))?;
        for kernel in KERNELS {
            let ptx = self.folder.join(format!("{name}/{kernel}.ptx"));
            let _said = output(compiler(self).arg(self.twin(kernel)).arg("-o").arg(&ptx))?;
            codes.extend(self.assembled(&ptx)?);
        }
        Ok(codes)
    }

    fn twin(&self, kernel: &str) -> PathBuf {
        self.sources().join(format!("cuda/{kernel}.cu"))
    }

    fn nvcc(&self) -> Command {
        let mut command = Command::new(self.tools.join("nvcc"));
        command.args(["-arch=sm_80", "-O3", "-fmad=false", "--ptx"]);
        command
    }

    fn clang(&self) -> Command {
        let mut command = Command::new("clang-22");
        command.args(["-x", "cuda", "--cuda-gpu-arch=sm_80", "--cuda-device-only", "-nocudainc", "-nocudalib", "-S"]);
        command.args(["-O3", "-ffp-contract=off", "-fdeclspec", "-Xclang", "-target-feature", "-Xclang", "+ptx80"]);
        command
    }

    fn hip(&self) -> Result<Codes> {
        let mut codes = Codes::new();
        std::fs::create_dir_all(self.folder.join("hip"))?;
        for kernel in KERNELS {
            let object = self.folder.join(format!("hip/{kernel}.o"));
            let mut command = Command::new("clang-22");
            command.args(["-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "--no-gpu-bundle-output"]);
            command.args(["-nogpuinc", "-nogpulib", "-O3", "-ffp-contract=off", "-fdeclspec"]);
            let _said = output(command.arg(self.twin(kernel)).arg("-o").arg(&object))?;
            codes.extend(self.disassembled(&object)?);
        }
        Ok(codes)
    }

    /// The code that NVIDIA's assembler makes of PTX.
    fn assembled(&self, ptx: &Path) -> Result<Codes> {
        let has_all = self.tools.join("nvdisasm").exists();
        let ptxas = if has_all { self.tools.join("ptxas") } else { self.bench.ptxas.clone() };
        let cubin = ptx.with_extension("cubin");
        let said = output(Command::new(ptxas).args(["-v", "-O3", "-arch=sm_80", "-o"]).arg(&cubin).arg(ptx))?;
        if !has_all {
            return Err("`make bench-gpu-code` installs the disassembler of NVIDIA's code".into());
        }
        let text = output(Command::new(self.tools.join("nvdisasm")).arg("-c").arg(&cubin))?;
        let mut codes = Codes::new();
        for section in text.split("\n.text.").skip(1) {
            let Some(name) = section.split(':').next().and_then(kernel_named) else { continue };
            codes.insert(name, nvidia_code(section));
        }
        let mut current = None;
        for line in said.lines() {
            if let Some((_, rest)) = line.split_once("Compiling entry function '") {
                current = rest.split('\'').next().and_then(kernel_named);
            }
            let words: Vec<_> = line.split_whitespace().collect();
            let count = words.windows(2).find(|pair| pair[1] == "registers," || pair[1] == "registers");
            if let Some(code) = current.and_then(|name| codes.get_mut(name))
                && let Some(count) = count.and_then(|pair| pair[0].parse().ok())
            {
                code.registers = count;
            }
        }
        Ok(codes)
    }

    /// The code in a code object.
    fn disassembled(&self, object: &Path) -> Result<Codes> {
        let llvm = &self.bench.llvm;
        let text = output(Command::new(llvm.join("llvm-objdump")).args(["-d", "--no-show-raw-insn"]).arg(object))?;
        let notes = output(Command::new(llvm.join("llvm-readobj")).arg("--notes").arg(object))?;
        let mut codes = Codes::new();
        for function in text.split("\n\n").filter(|part| part.contains(">:")) {
            let name = function.split('<').nth(1).and_then(|rest| rest.split('>').next());
            if let Some(name) = name.and_then(kernel_named) {
                codes.insert(name, amd_code(function));
            }
        }
        let mut current = None;
        for line in notes.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix(".name:") {
                current = kernel_named(name.trim()).or(current);
            }
            if let Some(count) = line.strip_prefix(".vgpr_count:").and_then(|count| count.trim().parse().ok())
                && let Some(code) = current.and_then(|name| codes.get_mut(name))
            {
                code.registers = count;
            }
        }
        Ok(codes)
    }
}

/// The kernel of a symbol: its name, or Rust's symbol of the function `NAME::NAME`.
fn kernel_named(symbol: &str) -> Option<&'static str> {
    let word = |name: &str| format!("{}{name}", name.len());
    let fits = |name: &&str| symbol == *name || symbol.contains(&(word(name) + &word(name)));
    KERNELS.iter().copied().find(fits)
}

/// A section of NVIDIA's disassembly: instructions, and labels that begin with a point. The functions that a kernel
/// calls follow it, after a label with a dollar.
fn nvidia_code(section: &str) -> Code {
    let (mut code, mut loops, mut labels) = (Code::default(), Vec::new(), BTreeMap::new());
    for line in section.lines().skip(1).map(str::trim) {
        if line.starts_with('$') && line.ends_with(':') {
            break;
        }
        if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L_")) {
            labels.insert(label.to_owned(), code.instructions);
            continue;
        }
        let Some((_, text)) = line.split_once("*/").filter(|_| line.starts_with("/*")) else { continue };
        let text = text.trim();
        if text.starts_with("NOP") || !text.contains(';') {
            continue;
        }
        code.instructions += 1;
        let target = text.split('(').nth(1).and_then(|rest| rest.split(')').next());
        let back = target.filter(|_| text.contains("BRA")).and_then(|label| labels.get(label));
        // After the last instruction there is a branch to itself.
        match back {
            Some(start) if *start + 1 == code.instructions => code.instructions -= 1,
            Some(start) => loops.push((*start, code.instructions)),
            None => {}
        }
        let word =
            |name: &str| text.split_whitespace().any(|word| word == name || word.starts_with(&format!("{name}.")));
        let accesses = ["LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST"].iter().any(|name| word(name));
        code.wide += usize::from(accesses && text.contains(".128"));
        code.read_only += usize::from(word("LDG") && text.contains(".CONSTANT"));
        code.own += usize::from(word("LDL") || word("STL"));
    }
    code.in_loops = innermost(&loops);
    code
}

/// The instructions of the loops without a loop inside.
fn innermost(loops: &[(usize, usize)]) -> usize {
    let inside = |a: &(usize, usize), b: &(usize, usize)| a != b && a.0 >= b.0 && a.1 <= b.1;
    let inner = loops.iter().filter(|outer| !loops.iter().any(|other| inside(other, outer)));
    inner.map(|(start, end)| end - start).sum()
}

/// A function of LLVM's disassembly for AMD. Branches name their targets as distances in words of 4 bytes.
fn amd_code(function: &str) -> Code {
    let (mut code, mut loops, mut places, mut padding) = (Code::default(), Vec::new(), BTreeMap::new(), 0);
    for line in function.lines() {
        let Some((text, address)) = line.split_once("//") else { continue };
        let text = text.trim();
        let address = address.trim().split(':').next().and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let Some(address) = address else { continue };
        padding += 1;
        if text.starts_with("s_nop") || text.starts_with("s_code_end") {
            continue;
        }
        code.instructions += padding;
        padding = 0;
        places.insert(address, code.instructions - 1);
        let (name, operand) = text.split_once(' ').unwrap_or((text, ""));
        let distance = operand.trim().parse::<u16>().ok().map(|words| i64::from(words as i16));
        if (name.starts_with("s_cbranch") || name == "s_branch")
            && let Some(start) =
                distance.and_then(|words| places.get(&(address as i64 + 4 + 4 * words).cast_unsigned()))
        {
            loops.push((*start, code.instructions));
        }
        let accesses = ["global_", "flat_", "ds_", "scratch_", "buffer_"].iter().any(|kind| name.starts_with(kind));
        code.wide += usize::from(accesses && (name.contains("x4") || name.contains("b128")));
        code.read_only += usize::from(name.starts_with("s_load") || name.starts_with("s_buffer_load"));
        code.own += usize::from(name.starts_with("scratch_") || name.starts_with("buffer_"));
    }
    code.in_loops = innermost(&loops);
    code
}
