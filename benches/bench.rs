//! `make bench`: offloadc against the same work done by hand with LLVM's tools, as a table.
//!
//! Ratios come from pairs: one run by hand, one of offloadc, and so on, all in one sitting on one machine.
//! docs/measurements.md lists the steps that are timed, and those that are not.

mod accesses;
mod bodies;
mod cargo_builds;
mod checks;
mod compressed;
mod corpus;
mod executed;
mod generate;
mod generic;
mod gpu_code;
mod host_programs;
mod launches;
mod measure;
mod quality;
mod rebuilds;
mod specialized;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use accesses::Accesses;
use measure::{Usage, median, run};
use quality::{Quality, output};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const AMDGPU: [&str; 2] = ["gfx90a", "gfx1100"];
const NVPTX: [&str; 2] = ["sm_80", "sm_90"];
const KERNELS: usize = 256;
const SIZES: [usize; 4] = [16, 64, KERNELS, 1024];
const PAIRS: usize = 5;
const STARTS: usize = 40;

fn main() -> Result<()> {
    if std::env::args().any(|word| word == "cargo") {
        return cargo_builds::table();
    }
    let bench = Bench::new()?;
    if std::env::args().any(|word| word == "accesses") {
        return bench.accesses(&bench.input(KERNELS)?);
    }
    if std::env::args().any(|word| word == "checks") {
        return checks::table(&bench);
    }
    if std::env::args().any(|word| word == "gpu-code") {
        return gpu_code::table(&bench);
    }
    if std::env::args().any(|word| word == "generic") {
        return generic::table(&bench);
    }
    if std::env::args().any(|word| word == "specialized") {
        return specialized::table(&bench);
    }
    if std::env::args().any(|word| word == "compressed") {
        return compressed::table(&bench);
    }
    if std::env::args().any(|word| word == "bodies") {
        return bodies::table(&bench);
    }
    if std::env::args().any(|word| word == "rebuilds") {
        return rebuilds::table(&bench);
    }
    if std::env::args().any(|word| word == "launches") {
        return launches::table(&bench);
    }
    // Cargo adds its own options.
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let pairs = numbers.next().unwrap_or(PAIRS);
    if let Some(count) = numbers.next() {
        let folder = bench.input(count)?;
        println!("{}", folder.display());
        return bench.prepare_by_hand(&folder);
    }
    let input = bench.input(KERNELS)?;
    bench.prepare_by_hand(&input)?;
    let measured: Vec<(Usage, Usage)> =
        (0..pairs).map(|_| Ok((bench.by_hand(&input)?, bench.offloadc(&input)?))).collect::<Result<_>>()?;

    println!("| {KERNELS} kernels, 4 archs | by hand | offloadc | ratio | to reach |\n|---|---:|---:|---:|---:|");
    compare("wall time, s", &measured, |usage| usage.wall.as_secs_f64(), "≤ 0.75");
    compare("processor time, s", &measured, |usage| usage.cpu.as_secs_f64(), "≤ 0.88");
    let peak = median(measured.iter().map(|(_, offloadc)| mebibytes(offloadc)).collect());
    println!("| peak memory, MiB | | {peak:.0} | | ≤ 400 |");
    bench.start_up()?;
    bench.quality(&input)?;
    println!();
    bench.accesses(&input)?;
    println!();
    checks::table(&bench)?;
    println!();
    launches::table(&bench)?;
    println!();
    rebuilds::table(&bench)?;
    println!();
    bench.scaling()
}

/// A row of medians, and the median of the pairs' ratios.
fn compare(what: &str, pairs: &[(Usage, Usage)], value: impl Fn(&Usage) -> f64, goal: &str) {
    let hand = median(pairs.iter().map(|(hand, _)| value(hand)).collect());
    let offloadc = median(pairs.iter().map(|(_, offloadc)| value(offloadc)).collect());
    let ratio = median(pairs.iter().map(|(hand, offloadc)| value(offloadc) / value(hand)).collect());
    println!("| {what} | {hand:.2} | {offloadc:.2} | {ratio:.2} | {goal} |");
}

fn mebibytes(usage: &Usage) -> f64 {
    usage.peak as f64 / f64::from(1 << 20)
}

/// Where everything is.
struct Bench {
    folder: PathBuf,
    llvm: PathBuf,
    ptxas: PathBuf,
    by_hand: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let llvm = std::env::var_os("LLVM_SYS_221_PREFIX").ok_or("run this through `make bench`")?;
        Ok(Bench {
            folder: root.join("target/bench"),
            llvm: Path::new(&llvm).join("bin"),
            ptxas: root.join("target/tools/nvidia/cuda_nvcc/bin/ptxas"),
            by_hand: root.join("benches/by_hand.sh"),
        })
    }

    /// A folder with the program of so many kernels as rustc's bitcode.
    fn input(&self, count: usize) -> Result<PathBuf> {
        self.input_of(&count.to_string(), &generate::kernels(count))
    }

    /// The folder of this name, with this program alone.
    fn source(&self, name: &str, source: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("app.rs"), source)?;
        Ok(folder)
    }

    /// The folder of this name, with the program of these kernels.
    fn input_of(&self, name: &str, kernels: &[generate::Kernel]) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let list = |prefix: &str| kernels.iter().map(|k| format!("{prefix}{}\n", k.name)).collect::<String>();
        std::fs::write(folder.join("app.rs"), generate::source(kernels))?;
        std::fs::write(folder.join("kernels.txt"), list(""))?;
        std::fs::write(folder.join("entries.txt"), list("entry_"))?;
        std::fs::write(folder.join("amdgpu.ll"), generate::prelude(kernels, &generate::AMDGPU))?;
        std::fs::write(folder.join("nvptx.ll"), generate::prelude(kernels, &generate::NVPTX))?;
        rustc(&folder.join("app.rs"), &folder.join("app.bc"))?;
        Ok(folder)
    }

    fn script(&self, verb: &str, folder: &Path) -> Result<Usage> {
        Ok(run(Command::new(&self.by_hand).arg(verb).arg(folder).env("LLVM", &self.llvm))?)
    }

    fn prepare_by_hand(&self, folder: &Path) -> Result<()> {
        self.script("prepare", folder).map(|_| ())
    }

    fn by_hand(&self, folder: &Path) -> Result<Usage> {
        self.script("compile", folder)
    }

    /// The same for host code and these archs alone.
    fn by_hand_for(&self, folder: &Path, archs: &str) -> Result<Usage> {
        let mut command = Command::new(&self.by_hand);
        Ok(run(command.arg("compile").arg(folder).env("LLVM", &self.llvm).env("ARCHS", archs))?)
    }

    fn command(&self, folder: &Path, input: &Path) -> Command {
        self.command_for(folder, input, &[AMDGPU, NVPTX].concat())
    }

    fn command_for(&self, folder: &Path, input: &Path, archs: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc"));
        let archs = archs.join(",");
        // By hand a panic is a trap too.
        command.current_dir(folder).arg(input).args(["-O3", "--device-panic=trap"]);
        command.arg(format!("--offload-arch={archs}"));
        command
    }

    /// The generated program, and all its kernels.
    fn compile(&self, folder: &Path) -> Command {
        self.compile_for(folder, &[AMDGPU, NVPTX].concat())
    }

    fn compile_for(&self, folder: &Path, archs: &[&str]) -> Command {
        let mut command = self.command_for(folder, Path::new("app.bc"), archs);
        command.arg("--kernel=bench_*");
        command
    }

    fn offloadc(&self, folder: &Path) -> Result<Usage> {
        Ok(run(self.compile(folder).args(["-o", "app.o"]))?)
    }

    /// The start-up time of both: how long `--version` takes.
    fn start_up(&self) -> Result<()> {
        let llc = self.llvm.join("llc");
        let version = |program: &Path| run(Command::new(program).arg("--version").stdout(Stdio::null()));
        let pairs: Vec<_> = (0..STARTS)
            .map(|_| Ok((version(&llc)?, version(Path::new(env!("CARGO_BIN_EXE_offloadc")))?)))
            .collect::<Result<_>>()?;
        compare("`--version`, ms (`llc --version`)", &pairs, |usage| usage.wall.as_secs_f64() * 1e3, "≤ 1.50");
        Ok(())
    }

    /// Both sides' code, arch by arch.
    fn quality(&self, folder: &Path) -> Result<()> {
        let _said = output(self.compile(folder).arg("--emit=image"))?;
        for arch in AMDGPU.iter().chain(&NVPTX) {
            let (hand, offloadc) = if AMDGPU.contains(arch) {
                let of = |file: String| quality::amdgpu(&self.llvm, &folder.join(file));
                (of(format!("{arch}.out"))?, of(format!("app.image.{arch}.img"))?)
            } else {
                let of = |file: String| quality::nvptx(&self.llvm, &self.ptxas, arch, &folder.join(file));
                (of(format!("{arch}.ptx"))?, of(format!("app.image.{arch}.img"))?)
            };
            print_quality(arch, hand, offloadc);
        }
        Ok(())
    }

    /// How many accesses to memory are flat, arch by arch.
    fn accesses(&self, folder: &Path) -> Result<()> {
        let examples = self.folder.join("examples");
        let stems = self.examples(&examples)?;
        let _said = output(self.compile(folder).arg("--emit=codegen"))?;
        let (crates, programs) = corpus::compile(self)?;
        let counts = [stems.len(), programs.len()].map(|count| count.to_string());
        let [examples_count, programs_count] = &counts;
        print!("| flat accesses / all accesses | {examples_count} examples | {KERNELS} kernels ");
        println!("| {programs_count} programs with crates | to reach |\n|---|---:|---:|---:|---:|");
        for arch in AMDGPU.iter().chain(&NVPTX) {
            let of = |folder: &Path, stems: &[String]| -> Result<Accesses> {
                let mut sum = Accesses::default();
                for stem in stems {
                    let code = std::fs::read_to_string(folder.join(format!("{stem}.codegen.{arch}.s")))?;
                    sum += accesses::count(&code);
                }
                Ok(sum)
            };
            let (few, many) = (of(&examples, &stems)?, of(folder, &["app".to_owned()])?);
            println!("| {arch} | {few} | {many} | {} | ≤ 1 % |", of(&crates, &programs)?);
        }
        Ok(())
    }

    /// Compiles the examples into a folder; returns their names.
    fn examples(&self, folder: &Path) -> Result<Vec<String>> {
        std::fs::create_dir_all(folder)?;
        let mut stems = Vec::new();
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/contract"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let input = folder.join(format!("{stem}.bc"));
                rustc(&path, &input)?;
                let _said = output(self.command(folder, &input).arg("--emit=codegen"))?;
                stems.push(stem);
            }
        }
        Ok(stems)
    }

    /// offloadc alone, with more and more kernels.
    fn scaling(&self) -> Result<()> {
        println!("| kernels | wall, s | processor, s | ms of processor time a kernel | peak, MiB |");
        println!("|---:|---:|---:|---:|---:|");
        for count in SIZES {
            let folder = self.input(count)?;
            let runs = if count > KERNELS { 1 } else { 3 };
            let runs: Vec<Usage> = (0..runs).map(|_| self.offloadc(&folder)).collect::<Result<_>>()?;
            let of = |value: &dyn Fn(&Usage) -> f64| median(runs.iter().map(value).collect());
            let (wall, cpu) = (of(&|usage| usage.wall.as_secs_f64()), of(&|usage| usage.cpu.as_secs_f64()));
            let (each, peak) = (cpu / count as f64 * 1e3, of(&mebibytes));
            println!("| {count} | {wall:.2} | {cpu:.2} | {each:.1} | {peak:.0} |");
        }
        Ok(())
    }
}

/// Compiles a source to bitcode with the flags that the documentation recommends.
fn rustc(source: &Path, output: &Path) -> Result<()> {
    rustc_with(&[], source, output)
}

fn rustc_with(more: &[&str], source: &Path, output: &Path) -> Result<()> {
    rustc_timed(more, source, output).map(|_| ())
}

/// Writes bitcode with the recommended flags.
fn rustc_timed(more: &[&str], source: &Path, output: &Path) -> Result<Usage> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let flags = ["--edition=2021", "--emit=llvm-bc", "-Copt-level=3", "-Cno-prepopulate-passes", "-Awarnings"];
    Ok(run(Command::new(rustc).args(flags).args(more).arg(source).arg("-o").arg(output))?)
}

fn print_quality(arch: &str, hand: Quality, offloadc: Quality) {
    let row = |what: &str, hand: u64, offloadc: u64| {
        // 0 against 0 is the ratio 1.
        let ratio = if hand == offloadc { 1.0 } else { offloadc as f64 / hand as f64 };
        println!("| {arch}: {what} | {hand} | {offloadc} | {ratio:.3} | ≤ 1.02 |");
    };
    row("machine instructions", hand.instructions, offloadc.instructions);
    row("registers", hand.registers, offloadc.registers);
    row("spills", hand.spills, offloadc.spills);
}
