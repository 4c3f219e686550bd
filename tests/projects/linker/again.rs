//! Libraries that are compiled again for the bodies that kernels call: how often, at the same time, and the messages.

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use harness::{Outcome, run_within};

use super::{RESULT, Workspace, finish};

/// The time of a build that stands still.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(300);

/// A workspace with two libraries without kernels, of which a kernel calls one function each.
struct Called(Workspace);

impl Called {
    fn new() -> Self {
        let workspace = Workspace::new();
        let mut dependencies = String::from("[dependencies]\n");
        for name in ["left", "right"] {
            workspace.add_library(name, "#[inline(never)]\npub fn zero() -> u64 {\n    0\n}\n", "");
            dependencies += &format!("{name} = {{ path = \"../{name}\" }}\n");
        }
        workspace.replace("sum/Cargo.toml", "[dependencies]\n", &dependencies);
        workspace.replace("sum/src/lib.rs", ".fold(0, |sum", ".fold(left::zero() + right::zero(), |sum");
        let programs = workspace.folder.path().join("app/src/bin");
        std::fs::create_dir(&programs).expect("the folder is ours");
        let main = std::fs::read_to_string(programs.with_file_name("main.rs")).expect("a file of the workspace");
        std::fs::write(programs.join("other.rs"), main).expect("the folder is ours");
        Self(workspace)
    }

    /// A rustc that runs `lines` before it compiles a library again, in the folder of the workspace.
    fn rustc(&self, lines: &str) -> PathBuf {
        let folder = self.0.folder.path();
        let script = folder.join("rustc");
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *-Cembed-bitcode=yes*) (cd '{}'; {lines}) ;; esac\nexec rustc \"$@\"\n",
            folder.display()
        );
        std::fs::write(&script, text).expect("the folder is ours");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
        script
    }

    fn build(&self, words: &[&str]) -> Command {
        let mut cargo = self.0.cargo(&["offloadc", "build", "-p", "app"]);
        cargo.args(words);
        cargo
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.0.folder.path().join("log")).unwrap_or_default()
    }

    fn runs(&self, program: &str) {
        let mut command = Command::new(self.0.program("debug", program));
        assert_eq!(finish(command.env("OFFLOADRT_DEVICE", "cpu")).success().stdout(), RESULT);
    }
}

/// The lines about both libraries.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(" (again, ")).collect()
}

const LINES: [&str; 2] = [
    "   Compiling left v0.1.0 (again, for the functions that kernels call)",
    "   Compiling right v0.1.0 (again, for the functions that kernels call)",
];

/// rustc hides the output of linkers, and cargo would repeat the output of a wrapper of rustc with each later build.
#[test]
fn cargo_offloadc_says_that_libraries_are_compiled_again() {
    let called = Called::new();
    let build = |words: &[&str]| -> Outcome { finish(&mut called.build(words)).success() };
    assert_eq!(lines(&build(&["--bin", "app"]).stderr()), LINES);
    assert_eq!(lines(&build(&["--bin", "app"]).stderr()), [""; 0], "cargo has nothing to do");
    assert_eq!(lines(&build(&["--bin", "other"]).stderr()), [""; 0], "the libraries are kept");
    called.runs("app");
    let touch = || called.0.replace("left/src/lib.rs", "0\n}", "0 + 0\n}");
    touch();
    assert_eq!(build(&["-q"]).stderr(), "");
    touch();
    let quiet = finish(called.build(&[]).env("CARGO_TERM_QUIET", "true")).success();
    assert_eq!(lines(&quiet.stderr()), [""; 0]);
    touch();
    let colored = build(&["--color=always"]).stderr();
    let green = "\u{1b}[1m\u{1b}[92m   Compiling\u{1b}[0m left v0.1.0 (again, for the functions that kernels call)";
    assert!(lines(&colored).contains(&green), "{colored}");
    // Cargo writes to the file, too, before and after the link.
    touch();
    let path = called.0.folder.path().join("messages");
    let mut into_file = called.build(&[]);
    let _ = into_file.stderr(File::create(&path).expect("the folder is ours"));
    assert!(into_file.status().expect("cargo is there").success());
    let text = std::fs::read_to_string(path).expect("it was made");
    assert_eq!(lines(&text), LINES[..1], "{text}");
    let cargos = ["   Compiling left v0.1.0 (/", "   Compiling app v0.1.0 (/", "    Finished "];
    assert!(cargos.iter().all(|line| text.lines().any(|own| own.starts_with(line))), "{text}");
}

/// Two links at the same time, of a build of two programs, need the same two libraries.
#[test]
fn libraries_are_compiled_once_and_side_by_side() {
    let called = Called::new();
    // Each compilation waits until another one has begun, or for ten seconds.
    let meet = "echo begin >>log; n=0; while [ $n -lt 100 ] && [ \"$(grep -c begin log)\" -lt 2 ]; do sleep 0.1; \
                n=$((n + 1)); done; [ $n -lt 100 ] && echo met >>log; sleep 1";
    let rustc = called.rustc(meet);
    // A link that waits has a token of cargo's job server.
    let built = run_within(called.build(&["-j3"]).env("RUSTC", &rustc), LIMIT).success();
    assert_eq!(lines(&built.stderr()), LINES);
    let log = called.log();
    assert_eq!(log.matches("begin").count(), 2, "{log}");
    let has_threads = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    assert_eq!(log.matches("met").count(), if has_threads { 2 } else { 1 }, "{log}");
    called.runs("app");
    called.runs("other");
}

/// `-j1` leaves one token of cargo's job server, that of the link.
#[test]
fn the_job_server_limits_compilations() {
    let called = Called::new();
    let rustc = called.rustc("echo begin >>log; sleep 1; echo end >>log");
    let built = run_within(called.build(&["-j1"]).env("RUSTC", &rustc), LIMIT).success();
    assert_eq!(lines(&built.stderr()), LINES);
    assert_eq!(called.log(), "begin\nend\nbegin\nend\n");
}
