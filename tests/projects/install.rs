//! `make install`: the installed files, how a C program finds the runtime, and the files that `make uninstall` leaves.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use harness::{run, run_within};

/// The path of an installed package.
const PREFIX: &str = "/opt/off load";

fn make(goal: &str, folder: &Path) {
    let mut command = Command::new("make");
    harness::cargo::prepare(command.args(["-s", goal, "PROFILE=dev"]).current_dir(harness::root()));
    command.arg(format!("PREFIX={PREFIX}")).arg(format!("DESTDIR={}", folder.display()));
    let _ = run_within(&mut command, Duration::from_secs(900)).success();
}

/// The folder of an installation, which all tests share and none changes. It is not at the path that its files contain.
/// `scripts/run_tests` starts each part as a separate process, and the first of them makes it for all.
pub(crate) fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = harness::temporary().join("installed");
        let own = || format!("{} {:?}", std::process::id(), SystemTime::now());
        let run = std::env::var("OFFLOADC_TEST_RUN").unwrap_or_else(|_| own());
        let lock = File::create(folder.with_extension("lock")).expect("cargo makes the folder for temporary files");
        lock.lock().expect("the system has locks of files");
        let made_by = folder.with_extension("run");
        if std::fs::read_to_string(&made_by).ok().as_ref() != Some(&run) {
            // Twice, as for an update.
            let _ = std::fs::remove_dir_all(&folder);
            make("install-files", &folder);
            make("install-files", &folder);
            std::fs::write(made_by, run).expect("the folder can be written");
        }
        folder.join(PREFIX.trim_start_matches('/'))
    })
}

/// The words that pkg-config has for the runtime.
fn words(of: &[&str]) -> String {
    let mut asked = Command::new("pkg-config");
    let _ = asked.arg(format!("--define-variable=prefix={}", installed().display())).args(of).arg("offloadrt");
    let asked = run(asked.env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig")));
    asked.success().stdout().trim().to_owned()
}

#[test]
fn c_programs_find_the_runtime() {
    let folder = harness::scratch();
    let plugin = "lib/offloadc/liboffloadc_plugin.so";
    let script = "lib/offloadc/gdb/offload.py";
    let crate_file = "lib/offloadc/crates/offload/Cargo.toml";
    for file in ["bin/cargo-offloadc", "include/offloadrt.h", crate_file, plugin, script] {
        assert!(installed().join(file).is_file(), "{file} is missing");
    }
    let source = folder.path().join("app.c");
    let text = "#include <offloadrt.h>\n#include <stdio.h>\nint main(void) {\n  offloadrt_device *device;\n  \
                if (offloadrt_device_open(\"cpu\", &device))\n    return puts(offloadrt_error_text()), 1;\n  \
                puts(offloadrt_device_name(device));\n  return offloadrt_device_close(device);\n}\n";
    std::fs::write(&source, text).expect("the folder is ours");
    for (options, shared) in [("", true), ("-static", false), ("-Wl,-Bstatic -loffloadrt -Wl,-Bdynamic", false)] {
        let words = words(if shared { &["--cflags", "--libs"] } else { &["--cflags", "--libs", "--static"] });
        let before =
            if options.starts_with("-W") { words.replace("-loffloadrt", options) } else { words + " " + options };
        let _ = run(Command::new("sh").args(["-ec", &format!("cc -o app app.c {before}")]).current_dir(folder.path()))
            .success();
        let mut app = Command::new(folder.path().join("app"));
        assert_eq!(run(&mut app).status.success(), !shared, "the shared library is in no folder of the loader's");
        let app = app.env("LD_LIBRARY_PATH", installed().join("lib"));
        assert_eq!(run(app).success().stdout(), "cpu\n");
    }
}

#[test]
fn nothing_remains() {
    // One installation after another, because both build.
    let _ = installed();
    let folder = harness::scratch();
    make("install-files", folder.path());
    make("uninstall", folder.path());
    let left = run(Command::new("find").arg(folder.path()).args(["-not", "-type", "d"])).success().stdout();
    assert_eq!(left, "");
    let own = run(Command::new("find").arg(folder.path()).args(["-name", "*offload*"])).success().stdout();
    assert_eq!(own, "", "folders of ours");
}

/// `scripts/deps` on a system without dpkg, whose program for packages has `installed`: the status, and standard error.
fn on_another_system(release: &str, ask: &str, installed: &[&str]) -> (i32, String) {
    let folder = harness::scratch();
    for tool in ["bash", "dirname", "cat", "cargo"] {
        let path = harness::find_program(tool).unwrap_or_else(|| panic!("{tool} is in PATH"));
        std::os::unix::fs::symlink(path, folder.path().join(tool)).expect("the folder is ours");
    }
    let words = installed.iter().map(|name| format!("{name}) exit 0 ;; ")).collect::<String>();
    let script = format!("#!/bin/bash\ncase \"${{@: -1}}\" in {words} esac\nexit 1\n");
    let program = folder.path().join(ask);
    std::fs::write(&program, script).expect("the folder is ours");
    let _ = run(Command::new("chmod").arg("+x").arg(&program)).success();
    std::fs::write(folder.path().join("os-release"), release).expect("the folder is ours");
    let mut deps = Command::new(harness::root().join("scripts/deps"));
    let deps = deps.env("PATH", folder.path()).env("OFFLOADC_OS_RELEASE", folder.path().join("os-release"));
    let outcome = run(deps);
    (outcome.code(), outcome.stderr())
}

#[test]
fn other_systems_get_a_command_to_type() {
    let (status, said) = on_another_system("ID=nobara\nID_LIKE=\"rhel fedora\"\n", "rpm", &["make", "mold"]);
    assert!(
        status == 1 && said.contains(": dnf install gcc-c++ llvm-devel lld libomp-devel spirv-tools-devel\n"),
        "{said}"
    );
    let (status, said) = on_another_system("ID=arch\n", "pacman", &["gcc", "make", "lld"]);
    assert!(status == 1 && said.contains(": pacman -S --needed llvm mold spirv-tools\n"), "{said}");
    assert!(said.contains("too: liboffload-22-dev\n") && said.contains("LLVM 22; where its folder"), "{said}");
    let all = ["gcc", "make", "llvm", "lld", "mold", "spirv-tools"];
    assert_eq!(on_another_system("ID=manjaro\nID_LIKE=arch\n", "pacman", &all), (0, String::new()));
    let (status, said) = on_another_system("ID=nixos\n", "nix", &[]);
    assert!(status == 1 && said.contains("Debian packages hold: g++ make llvm-22-dev"), "{said}");
}

/// The first command of README.md works in an archive of the sources.
#[test]
fn no_step_of_the_installation_needs_git() {
    let mut files = vec!["Makefile".into(), "packaging/install.mk".into(), "runtime-c/Makefile".into()];
    files.extend(["scripts/deps", "build.rs", "rust/offload/build.rs"].map(String::from));
    for file in files {
        let text = std::fs::read_to_string(harness::root().join(&file)).expect("it is a file of this repository");
        let words = text.split(|c: char| !c.is_alphanumeric());
        assert!(!words.into_iter().any(|word| word == "git" || word == "GIT"), "{file} mentions git");
    }
}
