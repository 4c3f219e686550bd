//! `find_package(offloadc)`: the project in `tests/cmake/` with the installed package, which is not where it was made
//! for. Debian's CMake and a current one, with Ninja and with make.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use harness::{Outcome, root, run, run_within};
use offloadc::contract::abi::INTERFACE_VERSION;

use crate::install::installed;

/// A copy of the project, which a test may change, and its build folder.
struct Project {
    folder: tempfile::TempDir,
    cmake: PathBuf,
}

impl Project {
    fn new(cmake: &Path) -> Self {
        let folder = harness::scratch();
        let copy = run(Command::new("cp").arg("-r").arg(root().join("tests/cmake")).arg(folder.path().join("project")));
        let _ = copy.success();
        std::fs::create_dir(folder.path().join("build of it")).expect("the folder is ours");
        let project = Self { folder, cmake: cmake.to_owned() };
        let mut rustc = Command::new("rustc");
        let flags =
            "--edition=2021 --crate-type=lib --emit=llvm-bc -Copt-level=3 -Cno-prepopulate-passes -Ccodegen-units=1";
        let _ = rustc.args(flags.split(' ')).arg(project.source("kernels/saxpy.rs")).current_dir(project.build());
        let _ = run(&mut rustc).success();
        project
    }

    fn source(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn build(&self) -> PathBuf {
        self.folder.path().join("build of it")
    }

    fn cmake(&self) -> Command {
        let mut command = Command::new(&self.cmake);
        harness::cargo::prepare(&mut command);
        // The tests' own make, and where its job server was.
        for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CARGO_MAKEFLAGS"] {
            let _ = command.env_remove(variable);
        }
        command
    }

    fn configure(&self, generator: &str, more: &[&str]) -> Outcome {
        let mut command = self.cmake();
        let _ = command.args(["-G", generator, "-S"]).arg(self.source("")).arg("-B").arg(self.build()).args(more);
        run(command.arg(format!("-DCMAKE_PREFIX_PATH={}", installed().display())))
    }

    fn compile(&self) -> String {
        let mut command = self.cmake();
        let _ = command.args(["--build", ".", "-j2"]).current_dir(self.build());
        let outcome = run_within(&mut command, Duration::from_secs(300)).success();
        assert!(!harness::without_folders(&outcome.stderr()).contains("warning"), "{}", outcome.report());
        outcome.stdout()
    }

    /// The output of a program, without the shared libraries' folder in the environment.
    fn prints(&self, program: &str) -> String {
        run(Command::new(self.build().join(program)).env_remove("OFFLOADRT_DEVICE")).success().stdout()
    }

    fn touch(&self, name: &str) {
        let file = std::fs::File::options().append(true).open(self.source(name)).expect("the file is ours");
        file.set_modified(SystemTime::now()).expect("the file is ours");
    }
}

fn debians_cmake() -> PathBuf {
    harness::find_program("cmake").expect("`scripts/deps tests` installs it")
}

fn current_cmake() -> PathBuf {
    root().join("target/tools/cmake/cmake/data/bin/cmake")
}

/// The steps of a build that make bitcode or objects of kernels.
fn kernels_of(said: &str) -> Vec<&str> {
    let steps = said.lines().filter_map(|line| line.split_once("Building "));
    let mut steps: Vec<_> = steps.map(|(_, step)| step).filter(|step| !step.starts_with("CXX")).collect();
    steps.sort_unstable();
    steps
}

fn builds_and_builds_again(cmake: &Path, generator: &str, nothing: &str) {
    let project = Project::new(cmake);
    let _ = project.configure(generator, &[]).success();
    let all = project.compile();
    let mut expected = ["app/kernels/last.rs", "app/kernels/saxpy.rs", "saxpy/kernels/saxpy.rs"]
        .iter()
        .flat_map(|source| [format!("Rust bitcode {source}"), format!("kernels {source}")])
        .chain(["Rust's library".into(), "kernels alone/__/build of it/saxpy.bc".into()])
        .collect::<Vec<_>>();
    expected.sort_unstable();
    assert_eq!(kernels_of(&all), expected);
    let panic = project.prints("app");
    let panic =
        panic.strip_prefix("saxpy: 7 7\nlast: 30 40\nkernel `last` panicked at ").unwrap_or_else(|| panic!("{panic}"));
    let place = "last.rs:18:32: index out of bounds: the len is 4 but the index is 4 (block 0, thread 1)\n";
    assert!(panic.ends_with(place), "{panic}");
    assert_eq!(project.prints("with_library"), "library: 10\n");
    assert_eq!(project.prints("alone"), "alone: saxpy\n");

    let second = harness::without_folders(&project.compile());
    assert!(second.contains(nothing) && !second.contains("Building") && !second.contains("Linking"), "{second}");
    project.touch("kernels/last.rs");
    let one = ["Rust bitcode app/kernels/last.rs", "kernels app/kernels/last.rs"];
    assert_eq!(kernels_of(&project.compile()), one);
    // A module of two kernels, which only rustc's dependency file names.
    project.touch("kernels/position.rs");
    assert_eq!(kernels_of(&project.compile()).len(), 6);
}

#[test]
fn debians_cmake_with_ninja() {
    builds_and_builds_again(&debians_cmake(), "Ninja", "ninja: no work to do");
}

#[test]
fn debians_cmake_with_make() {
    builds_and_builds_again(&debians_cmake(), "Unix Makefiles", "Built target app");
}

#[test]
fn current_cmake_with_ninja() {
    builds_and_builds_again(&current_cmake(), "Ninja", "ninja: no work to do");
}

#[test]
fn current_cmake_with_make() {
    builds_and_builds_again(&current_cmake(), "Unix Makefiles", "Built target app");
}

/// Replaces a text of the project's file.
fn replace(project: &Project, old: &str, new: &str) {
    let path = project.source("CMakeLists.txt");
    let text = std::fs::read_to_string(&path).expect("it was copied");
    assert!(text.contains(old), "{old}");
    std::fs::write(&path, text.replace(old, new)).expect("the folder is ours");
}

#[test]
fn launchers_pools_and_configurations_reach_the_rules() {
    let project = Project::new(&debians_cmake());
    let launchers = ["-DOFFLOADC_LAUNCHER=first;--flag", "-DOFFLOADC_RUSTC_LAUNCHER=second", "-DOFFLOADC_ARCHS=sm_90"];
    let _ = project.configure("Ninja Multi-Config", &launchers).success();
    let read =
        |name: &str| std::fs::read_to_string(project.build().join("CMakeFiles").join(name)).expect("it is written");
    let rules = read("impl-Debug.ninja") + &read("impl-Release.ninja");
    let (mut compiled, mut pooled) = (0, 0);
    for block in rules.split("\n\n").filter(|block| block.contains("bin/offloadc ")) {
        assert!(block.contains(" first --flag "), "{block}");
        assert_eq!(block.contains("/Debug/"), block.contains(" -g "), "{block}");
        assert!(block.contains("--offload-arch=sm_90") || block.contains("--offload-arch=cpu,sm_80"), "{block}");
        pooled += usize::from(block.contains("pool = offloadc"));
        compiled += 1;
    }
    assert!(compiled == 8 && pooled == 8, "{compiled} {pooled}: {rules}");
    assert!(rules.matches(" second ").count() >= 6 && read("rules.ninja").contains("pool offloadc\n  depth = "));
}

#[test]
fn libomptarget_is_a_component() {
    let project = Project::new(&debians_cmake());
    replace(&project, "COMPONENTS offloadrt", "COMPONENTS omptarget");
    let text = std::fs::read_to_string(project.source("CMakeLists.txt")).expect("it was copied");
    let end = text.find("# The same kernel in a shared").expect("the project has it");
    let text = text[..end].replace("ARCHS cpu sm_80", "RUNTIME omptarget");
    std::fs::write(project.source("CMakeLists.txt"), text).expect("the folder is ours");
    let _ = project.configure("Ninja", &[]).success();
    let _ = project.compile();
    assert!(project.prints("app").starts_with("saxpy: 7 7\nlast: 30 40\nkernel `last` panicked"));
    let needed = run(Command::new(harness::llvm_tool("llvm-readelf")).arg("-d").arg(project.build().join("app")));
    assert!(needed.success().stdout().contains(&format!("[liboffloadrt-omptarget.so.{INTERFACE_VERSION}]")));
}

#[test]
fn mistakes_are_named() {
    let cases = [
        ("COMPONENTS offloadrt", "COMPONENTS vulkan", "liboffload;offloadrt;omptarget"),
        ("offloadc 0.1", "offloadc 7.1", "compatible with requested version \"7.1\""),
        ("offloadc_add_kernels(alone", "offloadc_add_kernels(alonee", "`alonee` is no target"),
        ("kernels/last.rs", "kernels/last.cu", "`kernels/last.cu` is no `.rs`, `.bc` or `.ll`"),
        ("ARCHS cpu sm_80 SOURCES", "ARCH cpu sm_80 SOURCES", "not understood: `ARCH;cpu;sm_80`"),
        ("STATIC_RUNTIME", "RUNTIME omptarget", "COMPONENTS omptarget)"),
        ("add_library(saxpy SHARED", "add_library(saxpy OBJECT", "`saxpy` is of type OBJECT_LIBRARY"),
    ];
    let project = Project::new(&debians_cmake());
    for (old, new, expected) in cases {
        replace(&project, old, new);
        let outcome = project.configure("Ninja", &[]);
        let said = outcome.stderr().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!outcome.status.success() && said.contains(expected), "{expected}: {}", outcome.report());
        replace(&project, new, old);
        let _ = std::fs::remove_file(project.build().join("CMakeCache.txt"));
    }
}
