//! Programs that plain cargo builds: their kernels run on the processor, with the same results as on the device `cpu`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, run, run_within, turns};

/// How a program begins that has no device code, on standard error.
const NOTE: &str = "note: this program has no device code, and its kernels run on the processor; ";

/// The folder of the program, in which tests replace each other's.
static PROGRAMS: Mutex<()> = Mutex::new(());

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(600))
}

/// Builds `tests/plain/`, and returns the program.
fn build(words: &[&str], below: &str) -> PathBuf {
    let target = cargo::target();
    let mut command = cargo::cargo(&harness::root().join("tests/plain"));
    command.args(words).arg("--locked").env("CARGO_TARGET_DIR", &target);
    if words[0] != "offloadc" {
        command.env("PATH", harness::path_without_offloadc());
    }
    let built = finish(&mut command).success();
    assert!(!built.mentions("warning"), "{}", built.report());
    target.join(below).join("plain")
}

/// rustc and the linker may be in the folder into which `make demo` installs.
#[test]
fn other_programs_are_found_where_offloadc_is_installed() {
    let folder = harness::scratch();
    for name in ["rustc", "offloadc", "offloadc-ld", "cargo-offloadc"] {
        std::os::unix::fs::symlink(harness::offloadc(), folder.path().join(name)).expect("the folder is ours");
    }
    let links = harness::without_offloadc(folder.path());
    let names: Vec<_> = links.read_dir().expect("it was made").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["rustc"]);
    std::fs::remove_dir_all(links).expect("it is of this folder alone");
    for name in ["offloadc", "offloadc-ld", "cargo-offloadc"] {
        std::fs::remove_file(folder.path().join(name)).expect("the folder is ours");
    }
    assert_eq!(harness::without_offloadc(folder.path()), folder.path());
    let found =
        |name: &str| std::env::split_paths(&harness::path_without_offloadc()).any(|folder| folder.join(name).exists());
    assert!(found("rustc") && found("cc"));
    assert!(!found("offloadc") && !found("cargo-offloadc") && !found("offloadc-ld"));
}

#[test]
fn kernels_do_what_they_do_on_the_cpu_device() {
    let _folder = cargo::hold(&PROGRAMS);
    let offloadc =
        build(&["offloadc", "build"], &format!("offloadc/{}-unknown-linux-gnu/debug", std::env::consts::ARCH));
    let wanted = run(&mut Command::new(offloadc)).success();
    assert!(wanted.stderr().is_empty(), "{}", wanted.report());
    // Kernels that are not optimised; rustc optimises the input of offloadc in one of the profiles. The profiles take
    // turns.
    let profiles = [(&[][..], "debug"), (&["--release"], "release")];
    let in_turn = |number: &usize| turns::all() || turns::is_next(*number, profiles.len());
    for (words, profile) in (0..profiles.len()).filter(in_turn).map(|number| profiles[number]) {
        let words = [&["offloadc", "build", "--offloadc=-O0"][..], words].concat();
        let program = build(&words, &format!("offloadc/{}-unknown-linux-gnu/{profile}", std::env::consts::ARCH));
        let ran = run(&mut Command::new(program)).success();
        // Without any optimisation and line tables, a panic about a mask of lanes has no place.
        let place = " at plain/src/faults.rs:40:13";
        assert_eq!(ran.stdout().replace(place, ""), wanted.stdout().replace(place, ""), "{profile}");
    }
    for (words, profile) in [(&["build"][..], "debug"), (&["build", "--release"], "release")] {
        let program = build(words, profile);
        for threads in ["", "1", "3"] {
            let ran = run(Command::new(&program).env("OFFLOADRT_CPU_THREADS", threads)).success();
            assert!(ran.stdout() == wanted.stdout(), "{}\n{}", wanted.report(), ran.report());
            assert!(ran.stderr().starts_with(NOTE) && ran.stderr().lines().count() == 1, "{}", ran.report());
        }
    }
}

#[test]
fn what_only_offloadc_knows_is_an_error() {
    let _folder = cargo::hold(&PROGRAMS);
    let program = build(&["build"], "debug");
    let ran = run(Command::new(&program).arg("undecided")).success();
    let text = ran.stdout();
    let unknown = |kernel: &str, place: &str, why: &str| {
        let start =
            format!("another error: kernel `faults::{kernel}` needs offloadc: which lanes take part in the operation");
        let end = format!("of a warp at plain/src/faults.rs:{place} cannot be told in host code, because {why}");
        text.lines()
            .any(|line| line.starts_with(&start) && line.contains(&end) && line.contains("help: `cargo offloadc"))
    };
    let in_function = "it is not in the text of a function with `#[kernel]`";
    let in_closure = "it is not in the kernel's own text, but in another function, a closure or a macro";
    assert!(unknown("in_a_function", "75:5", in_function), "{}", ran.report());
    assert!(unknown("in_a_closure", "87:19", in_closure), "{}", ran.report());
    assert!(unknown("by_its_caller", "103:16", in_closure), "{}", ran.report());
    assert!(text.ends_with("it ran\n[1, 0]\n"), "{}", ran.report());

    let with = |name: &str, value: &str| {
        let failed = run(Command::new(&program).env(name, value));
        assert_eq!(failed.code(), 1, "{}", failed.report());
        failed.stderr()
    };
    let text = with("OFFLOADRT_DEVICE", "cuda:0");
    assert!(text.contains("there is no device `cuda:0` (from `OFFLOADRT_DEVICE`) here; there is `cpu`: "), "{text}");
    assert!(text.contains("help: `cargo offloadc build` compiles kernels for GPUs"), "{text}");
    assert!(with("OFFLOADRT_CPU_THREADS", "many").contains("`many`, and must be a number above 0"));
}

/// A kernel's panic ends a program without unwinding, as any panic does there.
#[test]
fn without_unwinding_a_panic_ends_the_program() {
    let _folder = cargo::hold(&PROGRAMS);
    let mut command = cargo::cargo(&harness::root().join("tests/plain"));
    let words = ["run", "--locked", "--config", "profile.dev.panic=\"abort\""];
    let ran = finish(command.args(words).env("CARGO_TARGET_DIR", cargo::target()));
    assert_ne!(ran.code(), 0, "{}", ran.report());
    assert!(ran.stdout().contains("masks 31: ") && !ran.stdout().contains("panicked"), "{}", ran.report());
    assert!(ran.stderr().contains("panicked at plain/src/faults.rs"), "{}", ran.report());
}

/// `cargo install` needs nothing but cargo, and the installed program nothing but itself.
#[test]
fn an_example_can_be_installed() {
    let (root, examples) = (harness::scratch(), harness::root().join("examples"));
    let mut command = cargo::cargo(root.path());
    command.args(["install", "--debug", "--locked", "--bin", "saxpy", "--root"]).arg(root.path().join("installed"));
    command.arg("--path").arg(examples).env("PATH", harness::path_without_offloadc());
    let _ = finish(command.env("CARGO_TARGET_DIR", cargo::target())).success();
    let ran =
        run(Command::new(root.path().join("installed/bin/saxpy")).env_clear().current_dir(Path::new("/"))).success();
    assert_eq!(ran.stdout(), "saxpy: 1000000 elements on cpu\n");
}

/// A new package runs with cargo alone and with offloadc.
#[test]
fn a_new_package_has_a_kernel() {
    let folder = harness::scratch();
    let run_in = |place: &str, words: &[&str]| {
        let mut command = cargo::cargo(&folder.path().join(place));
        command.env("CARGO_BUILD_TARGET_DIR", cargo::target());
        finish(command.args(words)).success()
    };
    let _ = run_in("", &["offloadc", "new", "--vcs", "none", "fresh"]);
    for words in [&["run"][..], &["offloadc", "run"]] {
        let ran = run_in("fresh", words);
        assert_eq!(ran.stdout(), "1000 elements on cpu\n", "{}", ran.report());
        assert!(!ran.mentions("warning"), "{}", ran.report());
    }
    let _ = run_in("", &["offloadc", "new", "--lib", "--vcs", "none", "fresh_library"]);
    let tested = run_in("fresh_library", &["test"]);
    assert!(tested.stdout().contains("test tests::each_element_is_added ... ok"), "{}", tested.report());
    let mut again = cargo::cargo(folder.path());
    let refused = finish(again.args(["offloadc", "new", "fresh"]));
    assert!(refused.code() != 0 && refused.stderr().contains("already exists"), "{}", refused.report());
}

/// Cargo finds the crate of the installation after a package was moved, renamed or cloned, and in a member of a
/// workspace. Beside another installation, `cargo offloadc setup` sets its path.
#[test]
fn a_new_package_can_be_moved() {
    let folder = harness::scratch();
    let place = |name: &str| folder.path().join(name);
    let cargo_in = |name: &str, words: &[&str]| {
        let mut command = cargo::cargo(&place(name));
        finish(command.args(words))
    };
    let finds_crate = |name: &str| cargo_in(name, &["metadata", "--format-version=1", "--offline"]).code() == 0;
    let _ = cargo_in("", &["offloadc", "new", "first"]).success();
    assert!(finds_crate("first"));
    let mut git = Command::new("git");
    let script = "git -c user.name=a -c user.email=a@b commit -qam 1 && git clone -q . ../clone";
    let _ = finish(git.args(["add", "-A"]).current_dir(place("first"))).success();
    let _ = finish(Command::new("sh").args(["-c", script]).current_dir(place("first"))).success();
    assert!(finds_crate("clone"));
    std::fs::create_dir(place("deep")).expect("the folder is ours");
    std::fs::rename(place("first"), place("deep/with a space")).expect("the folder is ours");
    assert!(finds_crate("deep/with a space"));

    // The file of another installation, with more in it.
    let file = place("clone/.cargo/config.toml");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let root = harness::root().display().to_string();
    assert!(text.contains(&root), "{text}");
    let other = format!("[net]\nretry = 1\n\n{}", text.replace(&root, "/another/installation"));
    std::fs::write(&file, &other).expect("the folder is ours");
    assert!(!finds_crate("clone"));
    let said = cargo_in("clone", &["offloadc", "setup"]).success();
    assert!(said.stdout().contains(".cargo/config.toml`: `offload-kernels` is in `"), "{}", said.report());
    assert_eq!(std::fs::read_to_string(&file).ok(), Some(format!("[net]\nretry = 1\n\n{text}")));
    assert!(finds_crate("clone"));

    // All packages of a workspace have the configuration in its folder.
    std::fs::create_dir(place("many")).expect("the folder is ours");
    std::fs::write(place("many/Cargo.toml"), "[workspace]\nresolver = \"3\"\n").expect("the folder is ours");
    let _ = cargo_in("many", &["offloadc", "new", "member"]).success();
    assert!(place("many/.cargo/config.toml").is_file() && finds_crate("many") && finds_crate("many/member"));
    // The folder of tests is in the repository, whose configuration stays as it is.
    let elsewhere = tempfile::tempdir().expect("the system has a folder for temporary files");
    let refused = finish(cargo::cargo(elsewhere.path()).args(["offloadc", "setup"]));
    assert!(refused.code() == 1 && refused.stderr().contains("could not find `Cargo.toml`"), "{}", refused.report());
    let refused = cargo_in("clone", &["offloadc", "setup", "--all"]);
    assert!(refused.code() == 2 && refused.stderr().contains("`--all`"), "{}", refused.report());
}

/// `doctor` prints the version of the crate, NVIDIA's assembler and the devices.
#[test]
fn the_doctor_looks_at_the_package_and_the_machine() {
    let doctor = |folder: &Path, words: &[&str]| {
        let mut command = cargo::cargo(folder);
        command.args([&["offloadc", "doctor"], words].concat());
        finish(command.env("OFFLOADC_RUNTIME_DIR", harness::runtime_dir()))
    };
    let ptxas = harness::ptxas().map(|path| format!("--offloadc=--ptxas={}", path.display()));
    let words: Vec<&str> = ptxas.iter().map(String::as_str).collect();
    let well = doctor(&harness::root().join("tests/plain"), &words).success();
    let version = env!("CARGO_PKG_VERSION");
    let text = well.stdout();
    assert!(text.contains(&format!("\ncrate        offload-kernels {version}\n")), "{}", well.report());
    assert_eq!(text.contains("ptxas`: Cuda compilation tools"), ptxas.is_some(), "{}", well.report());
    assert!(text.contains("\ndevices\n  cpu "), "{}", well.report());

    let folder = harness::scratch();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is below")).expect("the folder is ours");
        std::fs::write(path, text).expect("the folder is ours");
    };
    let package =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"9.0.0\"\nedition = \"2024\"\n[workspace]\n");
    write("app/Cargo.toml", &format!("{}[dependencies]\noffload-kernels.path = \"../other\"\n", package("app")));
    write("other/Cargo.toml", &package("offload-kernels"));
    write("app/src/lib.rs", "");
    write("other/src/lib.rs", "");
    let ill = doctor(&folder.path().join("app"), &[]);
    let help = format!("the package has 9.0.0: `cargo update offload-kernels --precise {version}`");
    assert!(ill.code() == 1 && ill.stdout().contains(&help), "{}", ill.report());
}

/// The packed crates have their licences and compile from the packed files.
#[test]
fn the_crates_can_be_published() {
    let mut command = cargo::cargo(&harness::root().join("rust"));
    command.args(["publish", "--workspace", "--dry-run", "--allow-dirty", "--locked"]);
    command.args(["--features=offload-kernels/devices", "--target-dir"]);
    let published = finish(command.arg(cargo::target())).success();
    let said = published.stderr();
    for package in ["offload-macros", "offload-kernels"] {
        assert!(said.contains(&format!("Verifying {package} v")), "{}", published.report());
        let mut list = cargo::cargo(&harness::root().join("rust"));
        let files = finish(list.args(["package", "--list", "--allow-dirty", "--package", package])).success().stdout();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(files.lines().any(|line| line == file), "{package} lacks {file}:\n{files}");
        }
        // The verified build has compiled the runtime, so its files are there, and no others.
        let runtime: Vec<&str> = files.lines().filter(|line| line.starts_with("runtime-c/")).collect();
        assert_eq!(runtime.contains(&"runtime-c/copies.c"), package == "offload-kernels", "{files}");
        assert!(!files.contains("omptarget") && !files.contains("Makefile"), "{files}");
    }
}
