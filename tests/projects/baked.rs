//! `cargo offloadc bake`: the kernels of a library run on GPUs in a program that plain cargo builds, and are refused
//! where anything differs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, run_within};

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(600))
}

/// A copy of `tests/baked/`, in which the file is written.
pub(crate) struct Project {
    pub(crate) folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = harness::scratch();
        copy(&harness::root().join("tests/baked"), folder.path());
        let crates = harness::root().join("rust");
        for package in ["app", "kernels"] {
            let manifest = folder.path().join(package).join("Cargo.toml");
            let text = std::fs::read_to_string(&manifest).expect("it was copied");
            let text = text.replace("../../../rust", &crates.display().to_string());
            std::fs::write(manifest, text).expect("the folder is ours");
        }
        Self { folder }
    }

    /// `cargo offloadc bake`. The dependencies are compiled once for all runs of the test.
    fn bake(&self, words: &[&str]) -> Outcome {
        let mut command = cargo::cargo(self.folder.path());
        let lock = if words.contains(&"--offline") { None } else { Some("--locked") };
        command.args(["offloadc", "bake", "--package=kernels"]).args(lock).args(words);
        finish(command.env("CARGO_TARGET_DIR", harness::temporary().join("baked")))
    }

    /// Builds the program with plain cargo, in a separate target folder. `toolchain` is the folder of another rustc.
    fn build(&self, name: &str, toolchain: Option<&Path>, words: &[&str], flags: &str) -> PathBuf {
        self.build_with(name, toolchain, words, flags, None)
    }

    /// The same with a variable in the environment.
    fn build_with(
        &self,
        name: &str,
        toolchain: Option<&Path>,
        words: &[&str],
        flags: &str,
        variable: Option<(&str, &str)>,
    ) -> PathBuf {
        let mut command = match toolchain {
            None => cargo::cargo(self.folder.path()),
            Some(folder) => Command::new(folder.join("cargo")),
        };
        cargo::prepare(&mut command).current_dir(self.folder.path()).env("PATH", harness::path_without_offloadc());
        if let Some(folder) = toolchain {
            for variable in ["RUSTC", "CARGO", "RUSTUP_TOOLCHAIN"] {
                command.env_remove(variable);
            }
            command.env("PATH", harness::search_path(&[folder]));
        }
        let target = harness::temporary().join("baked").join(name);
        command.args(["build", "--locked", "--package=app"]).args(words);
        // Flags for a platform are not those of macros, which then are not compiled again.
        let platform = if flags.is_empty() { "" } else { "x86_64-unknown-linux-gnu" };
        if !platform.is_empty() {
            command.env("RUSTFLAGS", flags).args(["--target", platform]);
        }
        let built = finish(command.envs(variable).env("CARGO_TARGET_DIR", &target)).success();
        assert!(!built.mentions("warning"), "{}", built.report());
        target.join(platform).join("debug/app")
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("kernels/baked.bin")
    }
}

/// Copies a folder of a project.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the test's own folder") {
        let path = entry.expect("it can be listed").path();
        let place = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            std::fs::create_dir(&place).expect("the folder is ours");
            copy(&path, &place);
        } else {
            let _ = std::fs::copy(&path, &place).expect("the folder is ours");
        }
    }
}

/// The program on the emulated NVIDIA device.
fn on_cuda(program: &Path) -> Outcome {
    let device = emulators::all().find(|emulated| emulated.device == "cuda:0").expect("`make emulators` builds it");
    finish(emulators::choose(&mut Command::new(program), device)).success()
}

/// The program's output line about a kernel.
fn line(ran: &Outcome, kernel: &str) -> String {
    let text = ran.stdout();
    let line = text.lines().find_map(|line| line.split_once(' ')?.1.strip_prefix(kernel)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no line about `{kernel}`\n{}", ran.report())).to_owned()
}

/// The kernels that the library lists.
const BAKED: [&str; 5] = ["add", "scale", "scale::<f32>", "step", "step again"];

/// The folder of the programs of another rustc, whose name begins like this.
fn toolchain(name: &str) -> Option<PathBuf> {
    let folder = harness::root().join("target/toolchains/toolchains");
    let found = folder.read_dir().ok()?.flatten().find(|entry| entry.file_name().to_string_lossy().starts_with(name));
    if found.is_none() {
        println!("skipped: rustc {name} is not installed; `scripts/toolchains` does it");
    }
    Some(found?.path().join("bin"))
}

#[test]
fn kernels_of_a_library_run_on_gpus_without_a_compiler() {
    let project = Project::new();
    let archs = "--offload-arch=sm_80,spirv64";
    let baked = project.bake(&[archs]).success();
    assert!(baked.stdout().starts_with("wrote ") && !baked.mentions("warning"), "{}", baked.report());
    let first = std::fs::read(project.file()).expect("it was written");

    let plain = project.build("plain", None, &[], "");
    let on_cpu = finish(&mut Command::new(&plain)).success();
    assert_eq!(on_cpu.stderr(), "");
    let mut on_opencl = Command::new(&plain);
    let on_opencl = opencl::folder().map(|_| finish(opencl::choose(&mut on_opencl)).success());
    for ran in [Some(on_cuda(&plain)), on_opencl].into_iter().flatten() {
        for kernel in BAKED {
            assert_eq!(line(&ran, kernel), line(&on_cpu, kernel), "{}", ran.report());
        }
        let panic = line(&ran, "reject");
        assert!(panic.starts_with("error: kernel `reject` panicked at kernels/src/lib.rs:51:5: no "), "{panic}");
        for (kernel, name) in [("scale::<u64>", "kernels::scale<u64>"), ("own", "app::own")] {
            let wanted =
                format!("error: kernel `{name}` has no device code in this program, and runs on the processor");
            assert!(line(&ran, kernel).starts_with(&wanted), "{}", ran.report());
        }
        assert!(ran.stdout().lines().all(|line| !line.starts_with("cpu ")), "{}", ran.report());
    }

    other_features(&project);
    other_conditions(&project);
    other_files(&project);
    if let Some(folder) = toolchain("1.90") {
        other_rustc(&project, &folder, &on_cpu);
    }
    if let Some(folder) = toolchain("nightly") {
        other_layout(&project, &folder, &on_cpu);
    }
    other_source(&project);
    damaged(&project, &first);

    // The file depends on the source alone.
    let again = project.bake(&[archs]).success();
    assert!(again.stdout().starts_with("wrote "), "{}", again.report());
    assert!(std::fs::read(project.file()).expect("it was written") == first);
    assert!(project.bake(&[archs, "--check"]).success().stdout().contains("is up to date"));
}

/// A kernel of another feature is another kernel.
fn other_features(project: &Project) {
    let program = project.build("plain", None, &["--features=double"], "");
    let ran = finish(&mut Command::new(&program)).success();
    let wanted = "note: the baked kernels of `kernels` are not used, and run on the processor: feature `double` was off when \
                  they were baked, and is on";
    assert!(ran.stderr().lines().any(|line| line == wanted), "{}", ran.report());
    assert_eq!(line(&ran, "add"), "[8668, 8680, 8692]");
    let device = emulators::all().find(|emulated| emulated.device == "cuda:0").expect("`make emulators` builds it");
    let refused = finish(emulators::choose(&mut Command::new(&program), device));
    assert!(
        refused.code() == 1 && refused.stderr().contains("this program has no device code"),
        "{}",
        refused.report()
    );
}

/// The line on standard error with the reason why the kernels are not used.
fn not_used(program: &Path, reason: &str) {
    let ran = finish(&mut Command::new(program)).success();
    let wanted = format!("note: the baked kernels of `kernels` are not used, and run on the processor: {reason}");
    let said = ran.stderr();
    let notes: Vec<_> = said.lines().filter(|line| line.contains("baked")).collect();
    assert_eq!(notes, [wanted], "{}", ran.report());
}

/// Settings that decide the code of the library, and are not in its source.
fn other_conditions(project: &Project) {
    let build = |words: &[&str]| project.build("plain", None, words, "");
    for name in ["debug-assertions", "overflow-checks"] {
        let setting = format!("--config=profile.dev.package.kernels.{name}=true");
        not_used(&build(&[&setting]), &format!("`{name}` was off when they were baked, and is on"));
    }
    let again = "has changed since they were baked; `cargo offloadc bake` writes them again";
    let program = project.build_with("plain", None, &[], "", Some(("BAKED_EXTRA", "text")));
    not_used(&program, &format!("the variable `BAKED_EXTRA` of the environment {again}"));
    let program = project.build("plain", None, &[], "--cfg fancy");
    not_used(&program, "the condition `--cfg fancy` was off when they were baked, and is on");
}

/// The source of a dependency whose version stays the same, and a file that the library includes.
fn other_files(project: &Project) {
    let again = "has changed since they were baked; `cargo offloadc bake` writes them again";
    for (file, from, to, what) in [
        ("addend/src/lib.rs", "    0", "    5", "the source of its dependency `addend 0.3.0`"),
        ("kernels/extra.in", "0", "7", "the file `extra.in`"),
    ] {
        let path = project.folder.path().join(file);
        let text = std::fs::read_to_string(&path).expect("it was copied");
        std::fs::write(&path, text.replace(from, to)).expect("the folder is ours");
        not_used(&project.build("plain", None, &[], ""), &format!("{what} {again}"));
        std::fs::write(&path, text).expect("the folder is ours");
    }
}

/// Structs have the same layout for each rustc, or the file has their layout; only rustc decides that of an enum.
fn other_rustc(project: &Project, folder: &Path, on_cpu: &Outcome) {
    let ran = on_cuda(&project.build("oldest", Some(folder), &[], ""));
    for kernel in ["add", "scale", "scale::<f32>"] {
        assert_eq!(line(&ran, kernel), line(on_cpu, kernel), "{}", ran.report());
    }
    let wanted = "kernel `kernels::step` has no device code in this program, and runs on the processor only: rustc chooses \
                  the layout of its parameters, and it was baked by rustc ";
    assert!(line(&ran, "step").contains(wanted), "{}", ran.report());
    assert_eq!(ran.stderr().matches(wanted).count(), 1, "{}", ran.report());
}

fn other_layout(project: &Project, folder: &Path, on_cpu: &Outcome) {
    let program = project.build("random", Some(folder), &[], "-Zrandomize-layout");
    let ran = on_cuda(&program);
    let changed = "the layout of its parameters has changed since it was baked: ";
    assert!(line(&ran, "add").contains(changed) && ran.stderr().contains(changed), "{}", ran.report());
    assert!(line(&ran, "step").contains("error: kernel `kernels::step` has no device code"), "{}", ran.report());
    let there = finish(&mut Command::new(&program)).success();
    for kernel in BAKED {
        assert_eq!(line(&there, kernel), line(on_cpu, kernel), "{}", there.report());
    }
}

/// An edit of the library that changes no name and no layout: its old kernels would compute something else.
fn other_source(project: &Project) {
    let library = project.folder.path().join("kernels/src/lib.rs");
    let text = std::fs::read_to_string(&library).expect("it was copied");
    std::fs::write(&library, format!("{text}\n// An edit.\n")).expect("the folder is ours");
    let ran = finish(&mut Command::new(project.build("plain", None, &[], ""))).success();
    let wanted = "note: the baked kernels of `kernels` are not used, and run on the processor: its source has changed since \
                  they were baked; `cargo offloadc bake` writes them again";
    assert!(ran.stderr().lines().any(|line| line == wanted), "{}", ran.report());
    std::fs::write(&library, text).expect("the folder is ours");
}

/// The end of a file is missing, or one bit of it is wrong: in the machine code of a kernel, it may be a wrong result.
fn damaged(project: &Project, whole: &[u8]) {
    let mut changed = whole.to_vec();
    changed[whole.len() * 2 / 3] ^= 4;
    for bytes in [&whole[..whole.len() - 1], &changed] {
        std::fs::write(project.file(), bytes).expect("the folder is ours");
        not_used(&project.build("plain", None, &[], ""), "the file is damaged");
    }
}

#[test]
fn what_cannot_be_baked_is_refused() {
    let project = Project::new();
    let refused = |words: &[&str], wanted: &str| {
        let refused = project.bake(words);
        assert!(refused.code() != 0 && refused.stderr().contains(wanted), "{}", refused.report());
        assert!(!project.file().exists());
    };
    refused(&[], "`bake` needs the archs of GPUs");
    refused(&["--offload-arch=cpu"], "there is no code for `cpu` to bake");
    let library = project.folder.path().join("kernels/src/lib.rs");
    let text = std::fs::read_to_string(&library).expect("it was copied");
    let edit = |from: &str, to: &str, wanted: &str| {
        assert!(text.contains(from));
        std::fs::write(&library, text.replace(from, to)).expect("the folder is ours");
        refused(&["--offload-arch=sm_80"], wanted);
    };
    edit("features: [\"double\"]", "features: []", "`baked!` does not list the feature `double` of package `kernels`");
    let pointer = "pub fn reject(limit: u32, _: *const Parts, y: &[u32])";
    edit(
        "pub fn reject(limit: u32, y: &[u32])",
        pointer,
        "kernel `kernels::reject` cannot be baked: it takes a raw pointer",
    );
    edit("offload::baked!", "#[cfg(any())]\noffload::baked!", "the library has no `offload::baked!`");
    let manifest = project.folder.path().join("kernels/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("it was copied");
    std::fs::write(&manifest, format!("{text}libc = \"0.2\"\n")).expect("the folder is ours");
    let unlocked = project.bake(&["--offload-arch=sm_80", "--offline"]);
    assert!(unlocked.stderr().contains("libc = \"="), "{}", unlocked.report());
}
