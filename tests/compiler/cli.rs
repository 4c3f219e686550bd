//! The command line: the contents of the output streams, exit statuses, and files next to the object.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const MODULE: &str = "
target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-unknown-linux-gnu\"
@k = constant ptr @fill, section \".offload.kernels\"
define void @fill(ptr %out) { store i32 7, ptr %out ret void }
";

/// A folder that contains `a.ll`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ll"), MODULE).unwrap();
    folder
}

fn offloadc(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
        command.env_remove(name);
    }
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Exit status, standard output and standard error.
fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let Output { status, stdout, stderr } = offloadc(folder).args(line.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn what_is_asked_for_goes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let (status, version, stderr) = run(folder.path(), "--version");
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(version, format!("offloadc {}\n", env!("CARGO_PKG_VERSION")));
    let (_, verbose, _) = run(folder.path(), "--version --verbose");
    let llvm = concat!("\nLLVM: ", env!("OFFLOADC_LLVM_VERSION"));
    assert!(verbose.starts_with(&version) && verbose.contains(llvm) && verbose.contains("\ntargets: cpu, "));
    let (status, targets, _) = run(folder.path(), "--print-targets");
    assert_eq!(status, 0);
    for arch in ["cpu ", "sm_80 ", "gfx90a "] {
        assert!(targets.lines().any(|line| line.starts_with(arch)), "{arch} in {targets}");
    }
    let (status, help, stderr) = run(folder.path(), "--help");
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(help.contains("Exit status:"));
}

#[test]
fn a_wrong_command_line_exits_2() {
    let folder = folder();
    let wrong = ["", "--emti=read a.ll", "-j0 a.ll", "a.ll -o", "@no.rsp", "a.ll -o a.ll", "a.ll -Wno-such"];
    for line in wrong {
        let (status, stdout, stderr) = run(folder.path(), line);
        assert_eq!((status, stdout.as_str()), (2, ""), "{line}: {stderr}");
        assert!(stderr.starts_with("error: "), "{line}: {stderr}");
    }
    assert_eq!(files(folder.path()), ["a.ll"]);
}

#[test]
fn a_closed_pipe_is_quiet() {
    let folder = folder();
    for arguments in [["--help", "-v"], ["a.ll", "--emit=read=-"]] {
        let mut child = offloadc(folder.path());
        let mut child = child.args(arguments).arg("-w").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments:?}: {output:?}");
    }
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = folder();
    for line in ["a.ll --offload-arch=cpu -o -", "--version", "--help"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec \"$0\" {line} >&-")]).arg(env!("CARGO_BIN_EXE_offloadc"));
        let Output { status, stderr, .. } = shell.current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(stderr).unwrap();
        assert!(text.ends_with("cannot write to standard output: it is closed\n"), "{line}: {text}");
        assert_eq!((status.code(), text.lines().count()), (Some(1), 1), "{line}: {text}");
    }
    // An output that is not on standard output does not need it.
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" a.ll --offload-arch=cpu >&-"]).arg(env!("CARGO_BIN_EXE_offloadc"));
    assert!(shell.current_dir(folder.path()).status().unwrap().success());
}

#[test]
fn any_number_of_jobs_will_do() {
    let folder = folder();
    let (status, _, stderr) = run(folder.path(), "a.ll --offload-arch=cpu -j 4000000000");
    assert_eq!((status, stderr.as_str()), (0, ""));
}

#[test]
fn a_linker_in_its_own_place_is_an_error() {
    let folder = folder();
    let linker = env!("CARGO_BIN_EXE_offloadc-ld");
    std::fs::write(folder.path().join("wrapper"), format!("#!/bin/sh\nexec '{linker}' \"$@\"\n")).unwrap();
    let made = Command::new("chmod").arg("+x").arg(folder.path().join("wrapper")).status().unwrap();
    assert!(made.success());
    for real in [linker, "./wrapper"] {
        let mut command = Command::new(linker);
        command.args(["-o", "program"]).env("OFFLOADC_LINKER", real).current_dir(folder.path());
        let Output { status, stderr, .. } = command.output().unwrap();
        let text = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(2), "{text}");
        assert!(text.starts_with("error: the linker that `offloadc-ld` runs is `offloadc-ld`\n"), "{text}");
    }
}

#[test]
fn success_is_silent_and_leaves_what_was_asked_for() {
    let folder = folder();
    std::fs::write(folder.path().join("all.rsp"), "-MD -MP\n--offload-arch='cpu'  --time-trace=t.json").unwrap();
    assert_eq!(run(folder.path(), "@all.rsp a.ll"), (0, String::new(), String::new()));
    assert_eq!(files(folder.path()), ["a.d", "a.ll", "a.o", "all.rsp", "t.json"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.d")).unwrap(), "a.o: \\\n  a.ll\n\na.ll:\n");
    let trace = std::fs::read(folder.path().join("t.json")).unwrap();
    let trace: Value = serde_json::from_slice(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let has = |phase: &str, field: &Value, name: &str| *field == name && phase == "M";
    for lane in ["host", "cpu"] {
        assert!(events.iter().any(|e| has(e["ph"].as_str().unwrap(), &e["args"]["name"], lane)), "{lane}: {trace}");
    }
    for name in ["read", "split", "host", "codegen", "object"] {
        assert!(events.iter().any(|e| e["name"] == name), "{name}: {trace}");
    }
}

#[test]
fn tools_are_shown_and_not_run() {
    let folder = folder();
    let (status, _, said) = run(folder.path(), "a.ll --offload-arch=gfx90a -###");
    assert_eq!(status, 0, "{said}");
    assert!(said.lines().any(|line| line.contains("ld.lld")), "{said}");
    assert_eq!(files(folder.path()), ["a.ll"]);
    let (status, _, said) = run(folder.path(), "a.ll --offload-arch=gfx90a -v");
    assert_eq!(status, 0, "{said}");
    assert!(said.lines().any(|line| line.contains("ld.lld")), "{said}");
    assert_eq!(files(folder.path()), ["a.ll", "a.o"]);
}

#[test]
fn diagnostics_are_json_lines_or_text_in_color() {
    let folder = folder();
    let (status, _, lines) = run(folder.path(), "no.bc also-no.bc --message-format=json");
    assert_eq!(status, 1);
    let levels: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["level"].as_str().unwrap().to_string())
        .collect();
    assert_eq!(levels, ["note", "error", "error"]);
    let colored = |variable: &str, option: &str| {
        let output = offloadc(folder.path()).env(variable, "1").args(["no.bc", option]).output().unwrap();
        String::from_utf8(output.stderr).unwrap().contains("\x1b[")
    };
    assert!(!colored("X", "--color=auto") && colored("CLICOLOR_FORCE", "--color=auto"));
    assert!(colored("NO_COLOR", "--color=always") && !colored("CLICOLOR_FORCE", "--color=never"));
}

#[test]
fn every_stage_can_be_written() {
    let folder = folder();
    let stages = "kernels split legalize simplify validate flavor optimize codegen image host bundle object read";
    for stage in stages.split(' ') {
        let (status, _, said) = run(folder.path(), &format!("a.ll --offload-arch=sm_80 --emit={stage}"));
        assert_eq!((status, said.as_str()), (0, ""), "{stage}");
    }
    let names = files(folder.path());
    assert_eq!(names.len(), 14, "{names:?}");
    assert!(names.contains(&"a.codegen.sm_80.ptx".to_string()) || names.contains(&"a.codegen.sm_80.s".to_string()));
}

/// Cargo would refuse the target that `cargo offloadc` adds.
#[test]
fn cargo_offloadc_has_a_version() {
    let version = |program: &str, words: &[&str]| Command::new(program).args(words).output().unwrap();
    let own = version(env!("CARGO_BIN_EXE_offloadc"), &["--version", "--verbose"]);
    let cargos = version(env!("CARGO_BIN_EXE_cargo-offloadc"), &["offloadc", "--version", "--verbose"]);
    assert_eq!((cargos.status.code(), &cargos.stdout), (Some(0), &own.stdout));
    let short = version(env!("CARGO_BIN_EXE_cargo-offloadc"), &["offloadc", "-V"]);
    assert!(short.stdout.starts_with(b"offloadc ") && short.stderr.is_empty());
}

/// `cargo offloadc` suggests one of its options, with its own usage; cargo and clap would show theirs.
#[test]
fn misspelt_options_of_cargo_offloadc_have_the_nearest() {
    let folder = folder();
    let cargo = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-offloadc"));
        command.env("NO_COLOR", "1").current_dir(folder.path()).stdin(Stdio::null());
        let Output { status, stderr, .. } = command.arg("offloadc").args(line.split_whitespace()).output().unwrap();
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    };
    for (line, name, near) in [
        (
            "build --offload-arc=sm_80",
            "`cargo offloadc` has no option `--offload-arc`",
            "the nearest is `--offload-arch`",
        ),
        ("run --arch=sm_80", "`cargo offloadc` has no option `--arch`", "the nearest is `--offload-arch`"),
        ("nextest run --offload-archs x", "`cargo offloadc` has no option `--offload-archs`", "`--offload-arch`"),
        (
            "doctor --offloadc=--devce-print",
            "offloadc has no option `--devce-print`",
            "the nearest is `--device-print`",
        ),
    ] {
        let (code, text) = cargo(line);
        assert_eq!(code, 2, "{line}: {text}");
        assert!(text.starts_with(&format!("error: {name}\n")) && text.contains(near), "{line}: {text}");
        assert!(text.lines().count() <= 3 && text.contains("cargo offloadc <build|") != line.contains("--offloadc="));
    }
    let (code, text) = cargo("run --device=cuda:0");
    assert!(code == 2 && text.contains("`OFFLOADRT_DEVICE=cuda:0 cargo offloadc run`"), "{text}");
    let (code, text) = cargo("docter");
    assert!(code == 2 && text.contains("no command `docter`") && text.contains("`doctor`"), "{text}");
    // No option of `offloadc` is near, and the user has typed no `--`.
    let (code, text) = cargo("doctor --offloadc=--maxreg=3");
    let expected = "error: offloadc has no option `--maxreg`\n  \
        = help: `offloadc --help` lists the options of `--offloadc=OPTION`\n";
    assert_eq!((code, &text[..]), (2, expected));
    let (code, _, text) = run(folder.path(), "--maxreg=3 a.ll -o a.o");
    assert!(code == 2 && !text.contains("as a value"), "{text}");
}
