//! Panics in libraries that kernels call, `tests/panics/`: the user's line is named first, on every device.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::baked::copy;
use harness::{Outcome, cargo, emulators, run_within};

const ARCHS: &str = "--offload-arch=cpu,sm_80,gfx90a";

/// A kernel, the file of the library, or none where the user's line is the place, and the message.
const PANICS: [(&str, Option<&str>, &str); 11] = [
    ("unwraps", Some("/lookup/src/lib.rs"), "called `Option::unwrap()` on a `None` value"),
    ("indexes", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 5"),
    ("twice", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 6"),
    ("sums", Some("/core/src/iter/traits/accum.rs"), "attempt to add with overflow"),
    ("steps", Some("/core/src/iter/adapters/step_by.rs"), "assertion failed: step != 0"),
    ("called", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 7"),
    ("tracked", None, "index out of bounds: the len is 3 but the index is 8"),
    ("own", None, "index out of bounds: the len is 3 but the index is 9"),
    ("branches", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 10"),
    ("passed", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 11"),
    ("chosen", Some("/lookup/src/lib.rs"), "index out of bounds: the len is 3 but the index is 12"),
];

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(600))
}

/// A copy of the project, so that the library is outside of the workspace and its files can be changed.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let folder = harness::scratch();
        copy(&harness::root().join("tests/panics"), folder.path());
        let manifest = folder.path().join("app/Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("it was copied");
        let text = text.replace("../../../rust", &harness::root().join("rust").display().to_string());
        std::fs::write(manifest, text).expect("the folder is ours");
        Self(folder)
    }

    fn source(&self) -> PathBuf {
        self.0.path().join("app/src/main.rs")
    }

    /// Builds the program with these words, and runs it on the processor and the emulated GPUs.
    fn run(&self, words: &[&str], profile: &str) -> String {
        let mut command = cargo::cargo(&self.0.path().join("app"));
        command.args(["offloadc", "build", "--locked", ARCHS]).args(words);
        let target = cargo::target();
        command.env("OFFLOADC_NO_CACHE", "0").env("OFFLOADC_CACHE_DIR", self.0.path().join("cache"));
        let _built = finish(command.env("CARGO_TARGET_DIR", &target)).success();
        let program = target.join("offloadc/x86_64-unknown-linux-gnu").join(profile).join("app");
        let mut said = finish(Command::new(&program).arg("cpu")).success().stdout();
        for emulated in emulators::all().filter(|emulated| ARCHS.contains(emulated.arch)) {
            let mut command = Command::new(&program);
            said += &finish(emulators::choose(&mut command, emulated).arg(emulated.device)).success().stdout();
        }
        said
    }
}

/// The lines of a source that end with a comment of this name.
fn marked(source: &Path, name: &str) -> Vec<usize> {
    let text = std::fs::read_to_string(source).expect("it was copied");
    let ends = |line: &str| line.split_once(" // ").is_some_and(|(_, names)| names.split(' ').any(|one| one == name));
    (1..).zip(text.lines()).filter(|(_, line)| ends(line)).map(|(at, _)| at).collect()
}

/// Compares a program's output about each kernel. `has_lines` if it was built with debug information.
fn check(project: &Project, said: &str, has_lines: bool) {
    let devices: Vec<_> = said.lines().filter_map(|line| line.strip_suffix(" has ended")).collect();
    assert!(devices.len() > 1, "{said}");
    for (device, (kernel, library, message)) in devices.iter().flat_map(|device| PANICS.map(|panic| (device, panic))) {
        let begin = format!("{device} {kernel}: kernel `{kernel}` panicked at ");
        let text = said.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or_else(|| panic!("{begin}\n{said}"));
        let (places, text) = text.split_once(": ").expect("a message follows");
        assert_eq!(text, format!("{message} (block 0, thread 0)"), "{said}");
        let (users, place) = match places.split_once(", in ") {
            Some((users, place)) => (users, Some(place)),
            None if library.is_some() && !has_lines => ("", Some(places)),
            None => (places, None),
        };
        let lines: Vec<_> = users.split(" or ").filter(|line| !line.is_empty()).collect();
        let wanted = if has_lines || library.is_none() { marked(&project.source(), kernel) } else { Vec::new() };
        assert_eq!(lines.len(), wanted.len(), "{places}\n{said}");
        let is_line = |(line, at): (&&str, &usize)| line.starts_with(&format!("src/main.rs:{at}:"));
        assert!(lines.iter().zip(&wanted).all(is_line), "{places}, wanted {wanted:?}\n{said}");
        assert_eq!(library.is_some(), place.is_some(), "{places}");
        let file = place.map(|place| place.split(':').next().unwrap_or_default());
        assert!(library.is_none_or(|library| file.is_some_and(|file| file.ends_with(library))), "{places}");
        if let Some(place) = place.filter(|_| library.is_some_and(|library| library.starts_with("/lookup"))) {
            let line = marked(&project.0.path().join("lookup/src/lib.rs"), kernel)[0];
            assert!(place.contains(&format!("lib.rs:{line}:")), "{place}");
        }
    }
}

#[test]
fn the_users_line_is_named_before_that_of_a_library() {
    let project = Project::new();
    check(&project, &project.run(&[], "debug"), true);
    check(&project, &project.run(&["--release"], "release"), true);
    // The cache has the module of other lines.
    let text = std::fs::read_to_string(project.source()).expect("it was copied");
    std::fs::write(project.source(), format!("//! A line.\n{text}")).expect("the folder is ours");
    check(&project, &project.run(&["--release"], "release"), true);
    std::fs::write(project.source(), &text).expect("the folder is ours");
    // Several modules, and code without lines.
    check(&project, &project.run(&["--release", "--offloadc=--parts=4"], "release"), true);
    check(&project, &project.run(&["--release", "--config=profile.release.debug=false"], "release"), false);
}
