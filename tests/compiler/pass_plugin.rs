//! `--load-pass-plugin`: kernels call functions that only the passes of a plugin replace.

use std::path::PathBuf;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::{Outcome, emulators, llvm_tool, run, scratch};

/// Builds the plugin with a number that it turns a constant into.
fn plugin(output: PathBuf, lucky: &str) -> PathBuf {
    let flags = run(Command::new(llvm_tool("llvm-config")).arg("--cxxflags")).success().stdout();
    let mut compiler = Command::new("c++");
    compiler.args(["-shared", "-fPIC", "-fno-rtti"]).args(flags.split_whitespace()).arg(format!("-DLUCKY={lucky}"));
    run(compiler.arg(harness::root().join("tests/pass_plugin/plugin.cpp")).arg("-o").arg(&output)).success();
    output
}

struct Place {
    folder: tempfile::TempDir,
    program: PathBuf,
    plugin: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = scratch();
        let program = program::bitcode("tests/pass_plugin/app.rs", RECOMMENDED, folder.path());
        let plugin = plugin(folder.path().join("plugin.so"), "7.0");
        Self { folder, program, plugin }
    }

    /// `--load-pass-plugin` with the plugin and the words that follow it.
    fn option(&self, stage: &str) -> String {
        format!("--load-pass-plugin={}@{stage}", self.plugin.display())
    }

    /// Makes a program: `--emit=exe` leaves out the kernel's host code, which nothing calls.
    fn compile(&self, options: &[&str]) -> Outcome {
        program::compile(&self.program, &self.folder.path().join("app"), &[options, &["--emit=exe"]].concat())
    }

    /// The output of the program on the `cpu` device, which must be the same on emulated GPUs of these archs.
    fn prints(&self, archs: &[&str]) -> String {
        let linked = self.folder.path().join("app");
        let text = run(&mut Command::new(&linked)).success().stdout();
        for emulated in emulators::all().filter(|emulated| archs.contains(&emulated.arch)) {
            let outcome = run(emulators::choose(&mut Command::new(&linked), emulated)).success();
            assert_eq!(outcome.stdout(), text, "{emulated:?}");
        }
        text
    }
}

#[test]
fn passes_run_in_both_stages_on_each_device() {
    let place = Place::new();
    let archs = "--offload-arch=cpu,sm_80,gfx90a,spirv64";
    let both = place.option("simplify:halve");
    place.compile(&[archs, &both]).success();
    assert_eq!(place.prints(&["sm_80", "gfx90a"]), "41 of 41 elements, 7\n");
    // The pass at the end of pipelines is not one of `-O0`; the one at their start is.
    let outcome = place.compile(&["--offload-arch=cpu,sm_80", &both, "-O0"]).success();
    assert!(!outcome.stderr().contains("adds no pass"), "{}", outcome.report());
    assert_eq!(place.prints(&["sm_80"]), "41 of 41 elements, 1313\n");
    // Each stage has only the passes of its own plugins: here, none of the three in `simplify` changes the constant.
    let simplified = place.folder.path().join("app.ll");
    let emit = format!("--emit=validate={}", simplified.display());
    place.compile(&["--offload-arch=cpu", &both, "-O0", &emit]).success();
    let text = std::fs::read_to_string(&simplified).expect("the stage was written");
    assert!(!text.contains("plugin_") && text.contains("1.313000e+03"), "{text}");
    let late = place.option("optimize");
    let own = ["--offload-arch=cpu,sm_80", &late, &place.option("simplify:halve"), "-O1"];
    place.compile(&own).success();
    assert_eq!(place.prints(&["sm_80"]), "41 of 41 elements, 7\n");
}

/// The command that makes an image of the generic one runs the passes of `optimize`.
#[test]
fn passes_run_in_images_made_of_the_generic_one() {
    let place = Place::new();
    place.compile(&["--offload-arch=generic", &place.option("simplify:halve"), "-O0"]).success();
    let finish = |options: &[&str]| {
        let mut command = Command::new(harness::offloadc());
        command.arg("finish").arg(place.folder.path().join("app")).args(["--offload-arch=sm_80", "-O2", "-o", "-"]);
        run(command.args(options)).success().stdout()
    };
    // The plugin turns 1313 into 7.
    let (own, passes) = (finish(&[]), finish(&[&place.option("optimize")]));
    assert!(own.contains("0f44A42000") && !own.contains("0f40E00000"), "{own}");
    assert!(passes.contains("0f40E00000") && !passes.contains("0f44A42000"), "{passes}");
}

#[test]
fn another_plugin_is_another_image() {
    let place = Place::new();
    let cache = format!("--cache-dir={}", place.folder.path().join("cache").display());
    let idle = plugin(place.folder.path().join("idle.so"), "1313.0");
    let idle = format!("--load-pass-plugin={}@simplify:halve", idle.display());
    let compile = |options: &[&str], lucky: &str| {
        let _same_path = plugin(place.plugin.clone(), lucky);
        place.compile(&[options, &["--offload-arch=cpu", &cache]].concat()).success();
        assert_eq!(place.prints(&[]), format!("41 of 41 elements, {}\n", lucky.trim_end_matches(".0")), "{options:?}");
    };
    for lucky in ["7.0", "8.0"] {
        compile(&[&place.option("simplify:halve")], lucky);
    }
    for lucky in ["9.0", "10.0"] {
        compile(&[&idle, &place.option("optimize")], lucky);
    }
}

#[test]
fn what_passes_do_wrong_is_an_error() {
    let place = Place::new();
    let refused = |stage: &str, wanted: &str| {
        let outcome = place.compile(&["--offload-arch=cpu", stage]);
        assert!(outcome.code() != 0 && outcome.stderr().contains(wanted), "{stage}: {}", outcome.report());
    };
    refused(&place.option("simplify"), "kernel `app::scale` reaches `plugin_halve`");
    refused(&place.option("simplify:broken,halve"), "the module is wrong after the passes of `");
}

/// A crash leaves a folder, if there may be one, with a script that reproduces the crash.
#[test]
fn a_crash_leaves_what_reproduces_it() {
    let place = Place::new();
    let option = place.option("simplify:crash");
    let crashes = |form: &str, folder: &str| {
        let arguments = ["--emit=exe", "--offload-arch=cpu", &option, form];
        let mut command = program::compile_command(&place.program, &place.folder.path().join("app"), &arguments);
        let crash = run(command.env("OFFLOADC_CRASH_DIR", folder));
        assert_eq!(crash.code(), 70);
        assert!(crash.stderr().contains("running passes of `"), "{}", crash.report());
        assert!(!place.folder.path().join("app").exists());
        crash
    };
    let folders = || {
        let entries = std::fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.display().to_string().contains("offloadc-crash-")).collect::<Vec<_>>()
    };
    let parent = place.folder.path().to_str().unwrap();
    let crash = crashes("--message-format=human", "");
    assert!(folders().is_empty() && !crash.stderr().contains("note: "), "{}", crash.report());

    let crash = crashes("--message-format=human", parent);
    let [folder] = &folders()[..] else { panic!("{}", crash.report()) };
    assert!(crash.stderr().contains(&format!("are in `{}`", folder.display())), "{}", crash.report());
    let copy = folder.join(format!("1-{}", place.program.file_name().unwrap().display()));
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&place.program).unwrap());
    let versions = std::fs::read_to_string(folder.join("versions")).unwrap();
    assert!(versions.starts_with("offloadc ") && versions.contains("LLVM: "), "{versions}");

    std::fs::remove_file(&place.program).unwrap();
    let mut script = Command::new("sh");
    let bin = harness::offloadc().parent().unwrap().to_owned();
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())));
    let again = run(script.arg("-e").arg(folder.join("command.sh")).env("PATH", path.unwrap()));
    assert_eq!(again.code(), 70, "{}", again.report());
    assert!(again.stderr().contains("running passes of `"), "{}", again.report());
}

#[test]
fn a_crash_says_in_json_where_its_folder_is() {
    let place = Place::new();
    let arguments = ["--emit=exe", "--offload-arch=cpu", &place.option("simplify:crash"), "--message-format=json"];
    let mut command = program::compile_command(&place.program, &place.folder.path().join("app"), &arguments);
    let crash = run(command.env("OFFLOADC_CRASH_DIR", place.folder.path()));
    let text = crash.stderr();
    let message: serde_json::Value = serde_json::from_str(text.lines().last().unwrap_or_default()).expect(&text);
    let note = message["children"][0]["message"].as_str().unwrap_or_default();
    assert!(note.contains("offloadc-crash-") && message["children"][0]["level"] == "note", "{text}");
    assert!(message["rendered"].as_str().unwrap_or_default().contains(note), "{text}");
}
