//! Tests with other versions of rustc, which `scripts/toolchains` installs: the demo, the crate's own tests, and
//! programs and a Cargo project that use the contract. The oldest, the newest and a nightly one run them; of the
//! versions between, one runs one of them, in turn, and the crate's own tests run with one version. The newest also
//! runs the tests of the API on the CPU, every fourth time, and a nightly compiler with Enzyme makes derivatives for
//! kernels. With `OFFLOADC_ALL_TOOLCHAINS=1`, all of them run all tests, offloadc is built, and the programs' code for
//! the host is optimised.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, run_within};
use libtest_mimic::{Arguments, Trial};

/// The oldest version that is supported.
const OLDEST: &str = "1.90.0";

/// Programs that use large parts of `core` and `alloc`, in particular panics, which differ between versions.
const PROGRAMS: [&str; 3] = ["tests/run/panics.rs", "tests/run/alloc.rs", "examples/contract/reduction.rs"];

/// Another version of rustc with its cargo.
#[derive(Clone)]
struct Toolchain {
    version: String,
    programs: PathBuf,
}

fn main() -> std::process::ExitCode {
    let mut trials = vec![Trial::test("order", || checked(versions_are_numbers))];
    let toolchains = toolchains();
    let newest = toolchains.iter().rfind(|toolchain| toolchain.is_release()).map(|toolchain| toolchain.version.clone());
    let is_newest = |toolchain: &Toolchain| Some(&toolchain.version) == newest.as_ref();
    let runs_always = |toolchain: &Toolchain| all() || is_newest(toolchain) || toolchain.runs_always();
    let (always, between): (Vec<_>, Vec<_>) = toolchains.into_iter().partition(runs_always);
    let versions = always.len();
    for (number, toolchain) in always.into_iter().enumerate() {
        let mut add = |name: &str, test: Test| {
            let (toolchain, name) = (toolchain.clone(), format!("{}/{name}", toolchain.version));
            trials.push(Trial::test(name, move || checked(|| test(&toolchain))));
        };
        let is_next = all() || harness::turns::is_next(number, versions);
        let tests = TESTS.iter().filter(|(name, _)| is_next || *name != "crate");
        tests.for_each(|(name, test)| add(name, *test));
        if all() || is_newest(&toolchain) {
            add("generic", generic);
        }
        if all() || (is_newest(&toolchain) && harness::turns::is_next(0, API_IN_TURN)) {
            add("api", api);
        }
        if all() {
            add("build", build);
        } else if toolchain.version == OLDEST && harness::turns::is_next(1, API_IN_TURN) {
            add("check", check);
        }
        if toolchain.version.starts_with("nightly") {
            let is_missing = toolchain.enzyme().is_none();
            let (toolchain, name) = (toolchain.clone(), format!("{}/autodiff", toolchain.version));
            let trial = Trial::test(name, move || checked(|| autodiff(&toolchain)));
            trials.push(trial.with_ignored_flag(is_missing));
        }
    }
    let of_all = between.iter().flat_map(|toolchain| TESTS.iter().map(move |test| (toolchain, test)));
    let of_all: Vec<_> = of_all.collect();
    if !of_all.is_empty() {
        let (toolchain, (name, test)) = of_all[harness::turns::next(of_all.len())];
        let (toolchain, name) = (toolchain.clone(), format!("{}/{name}", toolchain.version));
        trials.push(Trial::test(name, move || checked(|| test(&toolchain))));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The newest version has the tests of the API, and the oldest checks offloadc itself, in one of so many runs.
const API_IN_TURN: usize = 4;

/// A test of a version.
type Test = fn(&Toolchain);

/// The tests of each version.
const TESTS: [(&str, Test); 4] =
    [("demo", demo), ("crate", own_tests), ("programs", programs), ("project", project_of_contract)];

/// Whether all versions run all tests.
fn all() -> bool {
    std::env::var_os("OFFLOADC_ALL_TOOLCHAINS").is_some()
}

/// The toolchains that `scripts/toolchains` has installed, by version.
fn toolchains() -> Vec<Toolchain> {
    let folder = harness::root().join("target/toolchains/toolchains");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let version = name.trim_end_matches("-x86_64-unknown-linux-gnu").to_owned();
            Toolchain { version, programs: entry.path().join("bin") }
        })
        .collect();
    found.sort_by_key(|toolchain| (order(&toolchain.version), toolchain.version.clone()));
    found
}

/// The numbers of a release, by which it is older or newer than others; a nightly is newer than all of them.
fn order(version: &str) -> Vec<u32> {
    let numbers: Option<Vec<_>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers.unwrap_or_else(|| vec![u32::MAX])
}

fn versions_are_numbers() {
    let sorted = ["1.90.0", "1.99.1", "1.100.0", "1.100.1", "nightly-2026-10-30"];
    assert!(sorted.is_sorted_by_key(|version| order(version)), "{:?}", sorted.map(order));
}

/// Turns a panic into a failure with its text.
fn checked(test: impl FnOnce() + std::panic::UnwindSafe) -> Result<(), libtest_mimic::Failed> {
    std::panic::catch_unwind(test).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default().into()
    })
}

impl Toolchain {
    /// Whether `make test` runs all tests of this version, which need not be the newest.
    fn runs_always(&self) -> bool {
        self.version == OLDEST || self.version.starts_with("nightly")
    }

    /// A program of the toolchain, or a program that finds the toolchain's programs first.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        cargo::prepare(&mut command).env("PATH", harness::search_path(&[&self.programs, &harness::program_folder()]));
        for variable in ["RUSTC", "CARGO", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        command
    }

    fn is_release(&self) -> bool {
        order(&self.version)[0] != u32::MAX
    }

    /// The library that makes derivatives; none if the component is not installed.
    fn enzyme(&self) -> Option<PathBuf> {
        let folder = self.programs.parent()?.join("lib/rustlib/x86_64-unknown-linux-gnu/lib");
        let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let is_enzyme = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libEnzyme"));
        entries.into_iter().find(is_enzyme)
    }

    /// A program as bitcode.
    fn bitcode(&self, source: &str, folder: &Path) -> PathBuf {
        let name = Path::new(source).file_stem().expect("a program has a name");
        let bitcode = folder.join(name).with_extension("bc");
        let mut rustc = self.command(&self.programs.join("rustc"));
        rustc.current_dir(harness::root()).arg(source).arg("-o").arg(&bitcode);
        finish(rustc.args(["--edition=2021", "--emit=llvm-bc", "-Copt-level=3", "-Cno-prepopulate-passes"]));
        bitcode
    }

    /// cargo in a folder of the repository, with a target folder that later runs use again.
    fn cargo(&self, folder: &str, words: &[&str]) -> Outcome {
        let target = harness::temporary().join("toolchains").join(&self.version);
        let mut command = self.command(&self.programs.join("cargo"));
        command.current_dir(harness::root().join(folder)).args(words);
        command.env("CARGO_TARGET_DIR", target);
        finish(&mut command)
    }
}

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(900)).success()
}

fn demo(toolchain: &Toolchain) {
    let ran = toolchain.cargo("examples", &["offloadc", "run", "--locked", "--offload-arch=cpu,sm_80,gfx90a"]);
    assert!(ran.stdout().starts_with("saxpy"), "{}", ran.report());
}

fn api(toolchain: &Toolchain) {
    let ran = toolchain.cargo("tests/api", &["offloadc", "run", "--device-print"]);
    assert!(ran.stdout().contains("every launch did what it should on cpu"), "{}", ran.report());
}

/// Without offloadc: the crate's unit tests. No version may print a warning.
fn own_tests(toolchain: &Toolchain) {
    let ran = toolchain.cargo("rust", &["test", "--lib", "--workspace"]);
    assert!(!ran.mentions("warning"), "{}", ran.report());
}

fn programs(toolchain: &Toolchain) {
    let folder = harness::scratch();
    for source in PROGRAMS {
        let bitcode = toolchain.bitcode(source, folder.path());
        let program = bitcode.with_extension("");
        let mut offloadc = toolchain.command(&harness::offloadc());
        offloadc.arg(&bitcode).arg("-o").arg(&program);
        offloadc.args(if all() { &[][..] } else { &["--host-opt-level=0"] });
        finish(offloadc.args(["--emit=exe", "--offload-arch=cpu,sm_80,gfx90a,spirv64"]));
        finish(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu"));
    }
}

/// The generic image of a program that uses much of the library: the runtime finishes it, with the same results.
fn generic(toolchain: &Toolchain) {
    let folder = harness::scratch();
    let program = folder.path().join("panics");
    let bitcode = toolchain.bitcode(PROGRAMS[0], folder.path());
    let mut offloadc = toolchain.command(&harness::offloadc());
    offloadc.arg(&bitcode).arg("-o").arg(&program).args(["--emit=exe", "--offload-arch=generic"]);
    finish(offloadc.args(["--host-opt-level=0"]));
    let gpus = emulators::all().filter(|emulated| emulated.arch == "sm_80" || emulated.arch == "gfx90a").map(Some);
    for device in std::iter::once(None).chain(gpus) {
        let mut command = Command::new(&program);
        command.env("OFFLOADRT_COMPILER", harness::offloadc()).env("OFFLOADC_NO_CACHE", "1").env("OFFLOADRT_LOG", "1");
        match device {
            Some(emulated) => emulators::choose(&mut command, emulated),
            None => command.env("OFFLOADRT_DEVICE", "cpu"),
        };
        let ran = finish(&mut command);
        assert_eq!(ran.stderr().matches("finish: compiled").count(), 1, "{}", ran.report());
    }
}

/// A Cargo project whose kernel calls a crate, built as in docs/contract.md: the code of the crate for devices and
/// for the host comes from the rlibs in cargo's folder, whose place and contents depend on cargo.
fn project_of_contract(toolchain: &Toolchain) {
    let folder = harness::scratch();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is ours");
        std::fs::write(path, text).expect("the folder is ours");
    };
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    write("Cargo.toml", &(package("app") + "[dependencies]\ndep = { path = \"dep\" }\n"));
    write(".cargo/config.toml", "[build]\nrustflags = [\"-C\", \"embed-bitcode=yes\"]\n");
    write("dep/Cargo.toml", &package("dep"));
    write("dep/build.rs", "fn main() {}");
    write(
        "dep/src/lib.rs",
        "#[inline(never)] pub fn weighted(a: f32, x: f32, y: f32) -> f32 { a * x + y }
        #[inline(never)] pub fn on_the_host(count: usize) -> Vec<u32> { (0..count as u32).collect() }",
    );
    let example = harness::root().join("examples/contract");
    let text = std::fs::read_to_string(example.join("saxpy.rs")).expect("the example is there");
    let text = text.replace("a * *x.add(index) + *y.add(index)", "dep::weighted(a, *x.add(index), *y.add(index))");
    let text = text.replace("let device =", "assert_eq!(dep::on_the_host(2), [0, 1]);\n    let device =");
    write("src/main.rs", &text.replace("common/offload.rs", &example.join("common/offload.rs").display().to_string()));
    let mut cargo = toolchain.command(&toolchain.programs.join("cargo"));
    cargo.current_dir(folder.path()).env("CARGO_TARGET_DIR", "target");
    cargo.args(["rustc", "--release", "--bin", "app", "--", "--emit=llvm-bc=target/app.bc"]);
    finish(cargo.args(["-Cno-prepopulate-passes", "-Clinker=true"]));
    let mut offloadc = toolchain.command(&harness::offloadc());
    offloadc.current_dir(folder.path()).args(["target/app.bc", "-L", "target/release", "--emit=exe", "-o", "app"]);
    finish(offloadc.arg("--offload-arch=cpu,sm_80"));
    let ran = finish(Command::new(folder.path().join("app")).env("OFFLOADRT_DEVICE", "cpu"));
    assert!(ran.stdout().starts_with("saxpy"), "{}", ran.report());
}

/// Derivatives that rustc makes: compiled for every kind of device, with the right numbers on those that are here.
fn autodiff(toolchain: &Toolchain) {
    let folder = harness::scratch();
    let (bitcode, program) = (folder.path().join("autodiff.bc"), folder.path().join("autodiff"));
    let mut rustc = toolchain.command(&toolchain.programs.join("rustc"));
    rustc.current_dir(harness::root()).arg("tests/autodiff/gradient.rs").arg("-o").arg(&bitcode);
    finish(rustc.args(["--edition=2021", "--emit=llvm-bc", "-Copt-level=3", "-Clto=fat", "-Zautodiff=Enable"]));
    let mut offloadc = toolchain.command(&harness::offloadc());
    offloadc.arg(&bitcode).arg("-o").arg(&program);
    finish(offloadc.args(["--emit=exe", "--offload-arch=cpu,sm_80,gfx90a,gfx1100,spirv64"]));
    let expected = "autodiff: 100 points, ok\n";
    assert_eq!(finish(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu")).stdout(), expected);
    for emulated in emulators::all() {
        let ran = finish(emulators::choose(&mut Command::new(&program), emulated));
        assert_eq!(ran.stdout(), expected, "{emulated:?}");
    }
}

/// offloadc uses no function of a newer standard library. Clippy's `incompatible_msrv` sees no implementations of
/// traits.
fn check(toolchain: &Toolchain) {
    let _ = toolchain.cargo(".", &["check", "--locked"]);
}

/// offloadc itself is built.
fn build(toolchain: &Toolchain) {
    let _ = toolchain.cargo(".", &["build", "--locked"]);
}
