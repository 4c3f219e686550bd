//! `cargo offloadc debug`: a program or test in a debugger, with kernels that are not optimised and have variables.
//!
//! The code of the device `cpu` is in the program itself, so any debugger sees it. The debuggers of vendors are copies
//! of gdb, which take the same command line and the same script.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::described::Described;
use super::program_commands::without_own;
use super::{Request, cargo, output, rustc};
use crate::diagnostics::nearest::{in_a_sentence, nearest};
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;
use crate::system::tool::in_path;
use crate::targets::lookup;

pub(super) const DESCRIBED: Described = Described {
    name: "debug",
    does: "Starts a program or a test in a debugger that stops in kernels",
    usage: "[BIN|TEST] [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]",
    options: "  \
  --debugger PROGRAM       the debugger: gdb, lldb, or another of the same command line [default: that of the archs]
  --debugger-arg ARGUMENT  an argument for the debugger, before those that name the program
",
    notes: "\
BIN or TEST is the name of a program, example or test [default: the only program]. Its kernels are not optimised.
In gdb, `help offload` lists the commands for kernels. `break FILE:LINE` and `break CRATE::KERNEL` stop in them.
Kernels run on the device `cpu`; the debuggers cuda-gdb and rocgdb are for `--offload-arch` with GPUs.
",
    example: "debug app -- 1000",
};

/// The debuggers of programs of this machine, the first of which is in `PATH` is started.
const DEBUGGERS: [&str; 2] = ["gdb", "lldb"];
/// The commands for kernels.
const SCRIPT: &str = include_str!("../../packaging/gdb/offload.py");
/// The runtime's variable with the number of threads. With one, kernels run in the same order each time.
const THREADS: &str = "OFFLOADRT_CPU_THREADS";

/// The option for device code with the lines and variables of the source.
pub(super) const LINES: &str = "--offloadc=-g";
/// Cargo's commands that build with the profile `dev` or `test`, if no other is named.
const BUILDS: [&str; 7] = ["build", "b", "run", "r", "test", "t", "rustc"];

/// A command line after `debug`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// The program or test.
    name: Option<String>,
    debugger: Option<String>,
    debugger_words: Vec<OsString>,
    /// The arguments of `cargo offloadc`, without the command.
    rest: Vec<OsString>,
}

impl Options {
    fn parse(arguments: &[OsString]) -> Result<Self, UsageError> {
        let mut options = Self::default();
        options.rest = without_own(arguments, |word| {
            match word.name {
                "--debugger" => options.debugger = Some(word.value()?),
                "--debugger-arg" => options.debugger_words.push(word.value()?.into()),
                "--message-format" => return Err(UsageError::new("`debug` reads cargo's messages itself")),
                _ if options.name.is_none() && word.is_first && !word.text.starts_with('-') => {
                    options.name = Some(word.text.to_owned());
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }
}

/// The debugger's command for the arguments after `debug`. Cargo builds the program first.
pub fn debug(arguments: &[OsString]) -> Result<Command, Failure<UsageError>> {
    let Options { name, debugger, debugger_words, rest } = Options::parse(arguments).map_err(Failure::Reason)?;
    let mut request = Request::parse(rest).map_err(Failure::Reason)?;
    check(&request).map_err(Failure::Reason)?;
    let debugger = find_debugger(debugger, &request)?;
    if request.archs().next().is_none() {
        request.options.push("--offload-arch=cpu".to_owned());
    }
    // The user's come last, and the last one counts.
    request.options.splice(0..0, [LINES, "--offloadc=-O0"].map(str::to_owned));
    let target = match name {
        Some(name) => Some(find_target(&name, &request)?),
        None => None,
    };
    let profile = profile(&request.words);
    request.words.splice(0..0, subcommand(target.as_ref(), &request.words));
    request.words.push("--message-format=json-render-diagnostics".into());
    let words = std::mem::take(&mut request.program_words);
    let folder = request.target_folder()?;
    let mut cargo = request.into_whole_command()?;
    let _ = cargo.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "full");
    let program = build(cargo, target.as_ref())?;
    let script = folder.join("offload.py");
    std::fs::write(&script, SCRIPT).with_context(|| format!("cannot write `{}`", script.display()))?;
    Ok(command(&debugger, &debugger_words, &script, &program, words.get(1..).unwrap_or_default()))
}

/// Refuses emulated devices, whose code no debugger can show.
fn check(request: &Request) -> Result<(), UsageError> {
    if !request.emulated.is_empty() {
        let error = UsageError::new("`debug` cannot be combined with `--emulate`: no debugger knows emulated GPUs");
        return Err(error.help("leave out `--emulate`, and the kernels run on the `cpu`"));
    }
    Ok(())
}

/// The debugger that the command line names, or that of the archs.
fn find_debugger(named: Option<String>, request: &Request) -> Result<PathBuf, Failure<UsageError>> {
    if let Some(name) = named {
        let found = if name.contains('/') { Some(PathBuf::from(&name)) } else { in_path(&name) };
        return found.ok_or_else(|| Error::new(format!("`{name}` is in no folder of `PATH`")).into());
    }
    let mut of_archs = request.archs().filter_map(|arch| lookup(arch).ok()?.target.facts().debugger);
    if let Some(name) = of_archs.next() {
        let missing = || {
            let error =
                UsageError::new(format!("kernels on these devices need `{name}`, which is in no folder of `PATH`"));
            Failure::Reason(error.help("leave out `--offload-arch`, and the kernels run on the `cpu`"))
        };
        return in_path(name).ok_or_else(missing);
    }
    let missing = || {
        let error = UsageError::new("there is no debugger in the folders of `PATH`");
        Failure::Reason(error.help("install gdb, for example with `apt-get install gdb`"))
    };
    DEBUGGERS.into_iter().find_map(in_path).ok_or_else(missing)
}

/// A program or test of the packages.
struct Target {
    name: String,
    /// Cargo's word for its kind.
    kind: String,
}

/// The program, example or test with this name in the packages of the workspace.
fn find_target(name: &str, request: &Request) -> Result<Target, Failure<UsageError>> {
    let mut command = Command::new(cargo());
    let _ = command.args(["metadata", "--no-deps", "--format-version=1"]);
    let manifest = request.words.iter().position(|word| word == "--manifest-path");
    let _ = command.args(manifest.map_or(&[][..], |at| &request.words[at..request.words.len().min(at + 2)]));
    let metadata: Value =
        serde_json::from_str(&output(&mut command)?).map_err(|e| Error::new(format!("`cargo metadata`: {e}")))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for target in list(&metadata["packages"]).iter().flat_map(|package| list(&package["targets"])) {
        let kinds = ["bin", "example", "test", "bench"];
        let kind = kinds.into_iter().find(|kind| target["kind"][0] == **kind);
        all.extend(kind.and_then(|kind| Some((target["name"].as_str()?.to_owned(), kind))));
    }
    if let Some((name, kind)) = all.iter().find(|(own, _)| own == name) {
        return Ok(Target { name: name.clone(), kind: (*kind).to_owned() });
    }
    let names: Vec<&str> = all.iter().map(|(own, _)| own.as_str()).collect();
    let error = UsageError::new(format!("no program, example or test has the name `{name}`"));
    let near = in_a_sentence(&nearest(name, &names));
    let error = near.into_iter().fold(error, UsageError::help);
    Err(Failure::Reason(error.help("`--lib` is for the tests of a library")))
}

/// Cargo's command that builds the program, in front of the user's words.
fn subcommand(target: Option<&Target>, words: &[OsString]) -> Vec<OsString> {
    let tests = ["--lib", "--test", "--tests", "--bench", "--benches", "--doc"];
    let is_test = |word: &OsString| tests.iter().any(|own| word.to_string_lossy().split('=').next() == Some(own));
    let of = match target {
        Some(Target { kind, name }) if ["bin", "example"].contains(&kind.as_str()) => {
            vec!["build".to_owned(), format!("--{kind}={name}")]
        }
        Some(Target { kind, name }) => vec!["test".to_owned(), "--no-run".to_owned(), format!("--{kind}={name}")],
        None if words.iter().any(is_test) => vec!["test".to_owned(), "--no-run".to_owned()],
        None => vec!["build".to_owned()],
    };
    of.into_iter().map(OsString::from).collect()
}

/// Whether cargo builds a program with debug information, whose kernels are code of the processor alone. GPUs would
/// load the debug information with each image. `debug` is the user's variable for the debug information of a profile.
pub(super) fn is_for_a_debugger(request: &Request, debug: impl FnOnce(&str) -> Option<String>) -> bool {
    let profile = profile(&request.words);
    let is_off = |said: String| ["0", "false", "none"].contains(&said.as_str());
    let has_lines = ["DEV", "TEST"].contains(&profile.as_str())
        && !debug(&format!("CARGO_PROFILE_{profile}_DEBUG")).is_some_and(is_off);
    let builds = request.words.first().is_some_and(|word| BUILDS.iter().any(|own| word == own));
    let is_said = request.options.iter().any(|option| option == LINES);
    builds && has_lines && !is_said && request.archs().all(|arch| arch.split(':').next() == Some("cpu"))
}

/// The profile of cargo's words in the name of a variable.
fn profile(words: &[OsString]) -> String {
    let mut words = words.iter().map(|word| word.to_string_lossy());
    let mut name = "dev".to_owned();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some(("--profile", value)) => name = value.to_owned(),
            _ if word == "--profile" => name = words.next().unwrap_or_default().into_owned(),
            _ if word == "--release" || word == "-r" => name = "release".to_owned(),
            _ => {}
        }
    }
    name.to_uppercase().replace('-', "_")
}

/// Runs cargo, and returns the path of the program that it has built.
fn build(mut cargo: Command, target: Option<&Target>) -> Result<PathBuf, Failure<UsageError>> {
    let built = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    if !built.status.success() {
        return Err(Error::new("the program was not built").into());
    }
    let text = String::from_utf8_lossy(&built.stdout);
    let programs = programs(&text, target);
    match &programs[..] {
        [(_, only)] => Ok(only.into()),
        [] => Err(Error::new("cargo has built no program: name a program or test after `debug`").into()),
        several => {
            let names = several.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let error = UsageError::new(format!("there are several programs: {names}"));
            Err(Failure::Reason(error.help(format!("name one: `cargo offloadc debug {}`", several[0].0))))
        }
    }
}

/// The names and paths of the programs in cargo's messages.
fn programs(messages: &str, target: Option<&Target>) -> Vec<(String, String)> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = |message: Value| {
        let path = message["executable"].as_str()?.to_owned();
        let name = message["target"]["name"].as_str()?.to_owned();
        (message["reason"] == "compiler-artifact").then_some((name, path))
    };
    let wanted = |(name, _): &(String, String)| target.is_none_or(|target| target.name == *name);
    messages.filter_map(program).filter(wanted).collect()
}

/// The command that starts the debugger with the program.
fn command(
    debugger: &Path,
    debugger_words: &[OsString],
    script: &Path,
    program: &Path,
    program_words: &[OsString],
) -> Command {
    let mut command = Command::new(debugger);
    let printers = printers();
    if debugger.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lldb")) {
        if let Some(folder) = printers {
            let import = format!("command script import \"{}\"", folder.join("lldb_lookup.py").display());
            let _ = command.args(["--one-line-before-file", &import]);
            let _ = command.arg("--source-before-file").arg(folder.join("lldb_commands"));
        }
        let _ = command.args(debugger_words).arg("--").arg(program).args(program_words);
    } else {
        if let Some(folder) = printers {
            let _ = command.arg("-iex").arg(format!("add-auto-load-safe-path {}", folder.display()));
            let _ = command.arg("-iex").arg(format!("directory {}", folder.display()));
            let theirs = std::env::var_os("PYTHONPATH").filter(|paths| !paths.is_empty());
            let paths: Vec<_> = theirs.into_iter().chain([folder.into_os_string()]).collect();
            let _ = command.env("PYTHONPATH", paths.join(OsStr::new(":")));
        }
        let _ = command.arg("-x").arg(script).args(debugger_words).arg("--args").arg(program).args(program_words);
    }
    if std::env::var_os(THREADS).is_none() {
        let _ = command.env(THREADS, "1");
    }
    command
}

/// rustc's folder of scripts that show types of its library, as `rust-gdb` uses it.
fn printers() -> Option<PathBuf> {
    let root = rustc(&["--print=sysroot"]).ok()?;
    let folder = Path::new(root.trim()).join("lib/rustlib/etc");
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::command_lines::words;
    use crate::targets::TARGETS;

    #[test]
    fn the_first_word_is_the_program() {
        let options =
            Options::parse(&words("app --debugger=lldb -p x --debugger-arg -batch -- app --debugger y")).unwrap();
        assert_eq!((options.name.as_deref(), options.debugger.as_deref()), (Some("app"), Some("lldb")));
        assert_eq!(options.rest, words("-p x -- app --debugger y"));
        assert_eq!(options.debugger_words, words("-batch"));
        assert_eq!(Options::parse(&words("-p app")).unwrap().name, None);
        assert!(Options::parse(&words("app --debugger")).is_err());
    }

    #[test]
    fn cargo_builds_the_program_or_the_test() {
        let of = |kind: &str| subcommand(Some(&Target { name: "x".to_owned(), kind: kind.to_owned() }), &[]);
        assert_eq!(of("bin"), words("build --bin=x"));
        assert_eq!(of("test"), words("test --no-run --test=x"));
        assert_eq!(subcommand(None, &words("--test=a")), words("test --no-run"));
        assert_eq!(subcommand(None, &words("-p a")), words("build"));
        assert_eq!(profile(&words("-p a --profile=my-own")), "MY_OWN");
        assert_eq!(profile(&words("--release")), "RELEASE");
    }

    #[test]
    fn dev_builds_for_the_processor_have_lines() {
        let debug = |line: &str, said: Option<&str>| {
            let request = Request::parse(words(line)).unwrap_or_default();
            is_for_a_debugger(&request, |_| said.map(str::to_owned))
        };
        for line in ["build", "test -p a", "r --offload-arch=cpu:x86-64-v3 --offloadc=-O0", "t --profile=test"] {
            assert!(debug(line, None) && debug(line, Some("line-tables-only")) && !debug(line, Some("0")), "{line}");
        }
        let others = ["build --release", "build -r", "run --profile bench", "check", "bench", "build --offloadc=-g"];
        let gpus = ["build --offload-arch=cpu,sm_80", "build --offload-arch-optional=gfx90a"];
        for line in others.into_iter().chain(gpus) {
            assert!(!debug(line, None), "{line}");
        }
    }

    #[test]
    fn debuggers_of_vendors_belong_to_archs() {
        let of = |arch: &str| lookup(arch).ok().and_then(|arch| arch.target.facts().debugger);
        let all: Vec<_> = TARGETS.iter().filter_map(|target| target.facts().debugger).collect();
        assert_eq!((all.len(), of("cpu")), (2, None));
    }
}
