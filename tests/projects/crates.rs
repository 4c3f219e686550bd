//! Builds the programs in `tests/crates/`, which call published crates in kernels, a quarter of them in turn, and runs
//! them on the CPU and in turn on two of OpenCL and the emulated GPUs. In turn, every eighth program also has a debug
//! build, on one emulated GPU. With `OFFLOADC_ALL_EMULATED=1` all programs have both builds, on all. NVIDIA's assembler
//! checks the code for its GPUs.
//!
//! Each program compares every kernel with the same call on the host.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::emulators::Emulated;
use harness::{cargo, emulators, opencl, run, run_within, turns};

/// Defines a test for each program in `tests/crates/src/bin/`, with the name of the program.
macro_rules! programs {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            right_everywhere(stringify!($name));
        })*

        /// The names of the programs.
        pub(crate) const PROGRAMS: &[&str] = &[$(stringify!($name)),*];

        #[test]
        fn every_program_is_a_test() {
            let folder = harness::root().join("tests/crates/src/bin");
            let files = std::fs::read_dir(folder).expect("the programs are there").flatten().map(|entry| entry.path());
            let mut names: Vec<_> = files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
            names.sort();
            assert_eq!(names, PROGRAMS, "the list in tests/projects/crates.rs differs from the files");
        }
    };
}

programs! {
    aes arrayvec chacha20 crc digests fastrand fixed formatted glam half hashbrown heapless itoa libm
    libm_chosen lz4_flex memchr micromath nalgebra num_complex rand ryu sha2 siphasher sorts
}

/// How the crates are built, and the devices that the program has code for.
struct Build {
    /// cargo's words for the profile, and the profile's folder.
    profile: (&'static [&'static str], &'static str),
    /// Flags for rustc, for the program alone.
    flags: &'static [&'static str],
    archs: &'static [&'static str],
    /// The arch for which NVIDIA's assembler checks the code. The emulated GPU refuses the result, so that the runtime
    /// takes the PTX.
    assembled: Option<&'static str>,
    /// More options for offloadc.
    options: &'static [&'static str],
}

/// The recommended flags, and all archs.
const RELEASE: Build = Build {
    options: &[],
    profile: (&["--release"], "release"),
    flags: &["-Cno-prepopulate-passes"],
    archs: &["cpu", NVIDIA, "gfx1100", "gfx90a", "spirv64"],
    assembled: Some("sm_80-real"),
};

const NVIDIA: &str = "sm_80-virtual";

/// The archs of a release build, in turn.
const ARCHS_IN_TURN: [&[&str]; 3] =
    [&["cpu", NVIDIA, "gfx90a"], &["cpu", "gfx90a", "spirv64"], &["cpu", "spirv64", NVIDIA]];

/// A build like `cargo offloadc test`: no optimisation by rustc, checks for overflow, and the assertions of Rust's
/// library. The program's own part for the host is not optimised, as in such a build.
const DEBUG: Build = Build {
    options: &["--host-opt-level=0"],
    profile: (&[], "debug"),
    flags: &[],
    archs: &["sm_80", "gfx1100"],
    assembled: None,
};

/// A subtraction of this crate overflows, so that its program panics in debug builds, on the host too.
pub(crate) const OVERFLOWS: &str = "micromath";

/// Of so many programs, one is built and runs.
const PROGRAMS_IN_TURN: usize = 4;

/// Of so many programs, one has a debug build; it is one of those that run.
const IN_TURN: usize = 2 * PROGRAMS_IN_TURN;

fn right_everywhere(program: &str) {
    let all = std::env::var_os("OFFLOADC_ALL_EMULATED").is_some();
    let folder = harness::scratch();
    let number = PROGRAMS.iter().position(|other| *other == program).expect("the macro lists it");
    if !all && !turns::is_next(number, PROGRAMS_IN_TURN) {
        println!("this is the turn of others");
        return;
    }
    let archs = ARCHS_IN_TURN[(number + turns::next(ARCHS_IN_TURN.len())) % ARCHS_IN_TURN.len()];
    let assembled = RELEASE.assembled.filter(|_| archs.contains(&NVIDIA));
    let release = if all { RELEASE } else { Build { archs, assembled, ..RELEASE } };
    let executable = build(program, &release, folder.path());
    let _said = run(&mut Command::new(&executable)).success();
    if opencl::folder().is_some() && release.archs.contains(&"spirv64") {
        let _said = run(opencl::choose(&mut Command::new(&executable))).success();
    }
    run_emulated(&executable, &release);
    let has_debug = program != OVERFLOWS && (all || turns::is_next(number, IN_TURN));
    if has_debug && emulators::all().next().is_some() {
        let folder = harness::scratch();
        // The next time that it is the turn of this program, it has the other arch.
        let arch = (number + turns::next(2 * IN_TURN)) / IN_TURN % DEBUG.archs.len();
        let debug = if all { DEBUG } else { Build { archs: &DEBUG.archs[arch..=arch], ..DEBUG } };
        run_emulated(&build(program, &debug, folder.path()), &debug);
    }
}

fn run_emulated(executable: &Path, build: &Build) {
    let has_code = |emulated: &Emulated| build.archs.iter().any(|arch| arch.starts_with(emulated.arch));
    for emulated in emulators::all().filter(has_code) {
        let mut command = Command::new(executable);
        let _said = run_within(emulators::choose(&mut command, emulated), Duration::from_secs(300)).success();
    }
}

fn build(program: &str, build: &Build, folder: &Path) -> PathBuf {
    let bitcode = cargo_rustc(program, build, folder);
    let executable = folder.join(program);
    compile(&bitcode, build, &executable);
    executable
}

/// The folder in which cargo builds the crates, once for all tests.
fn crates_target() -> PathBuf {
    harness::target_dir().join("crates")
}

/// Builds the bitcode of one program. cargo builds its crates first, or waits for another cargo that builds them.
fn cargo_rustc(program: &str, build: &Build, folder: &Path) -> PathBuf {
    let output = folder.join(format!("{program}.bc"));
    let mut command = cargo::cargo(&harness::root().join("tests/crates"));
    command.env("CARGO_TARGET_DIR", crates_target());
    command.args(["rustc", "--locked", "--quiet"]).args(build.profile.0).args(["--bin", program, "--"]);
    command.arg(format!("--emit=llvm-bc={}", output.display()));
    command.args(build.flags).arg("-Clinker=true");
    let _said = run_within(&mut command, Duration::from_secs(600)).success();
    output
}

fn compile(bitcode: &Path, build: &Build, executable: &Path) {
    let assembler = build.assembled.and_then(|arch| Some((arch, harness::ptxas()?)));
    let archs: Vec<&str> = build.archs.iter().copied().chain(assembler.as_ref().map(|(arch, _)| *arch)).collect();
    let mut command = Command::new(harness::offloadc());
    command.arg(bitcode).arg("-L").arg(crates_target().join(build.profile.1));
    command.arg(format!("--offload-arch={}", archs.join(","))).args(["--emit=exe", "-o"]).arg(executable);
    command.args(build.options);
    command.args(assembler.iter().flat_map(|(_, path)| ["--ptxas".as_ref(), path.as_os_str()]));
    let _said = run(&mut command).success();
}
