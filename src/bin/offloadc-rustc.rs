//! `offloadc-rustc RUSTC ARGUMENTS…`, which cargo runs instead of rustc (`RUSTC_WRAPPER`) for `cargo offloadc`.
//!
//! A crate that may contain a kernel or a launch is left as bitcode for `offloadc-ld`. These are the packages that say
//! `kernels = true` in `[package.metadata.offload]`, as the crate `offload` does, and all crates that depend on one of
//! them. rustc compiles every other crate as it would without offloadc. A build script, a procedural macro and a check
//! are none of our business. A question to rustc is answered if the answer is known.

#[path = "../cargo/answers.rs"]
mod answers;
#[path = "../cargo/kernel_crates.rs"]
mod kernel_crates;
#[path = "../cargo/questions.rs"]
mod questions;
#[path = "../cargo/rustc_command.rs"]
mod rustc_command;

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use kernel_crates::{BITCODE_ONLY, INNER_WRAPPER, LINK_OPTIONS, OPTIONAL_ARCHS, SKIP_REFUSED};
use questions::Question;
use rustc_command::RustcCommand;

/// rustc's flags for a library without kernels: machine code, and beside it the bitcode from which kernels take bodies.
const BITCODE_BESIDE: [&str; 2] = ["-Clinker-plugin-lto=off", "-Cembed-bitcode=yes"];
/// rustc does not show the warnings of a link that succeeds without this flag.
const SHOW_WARNINGS: &str = "-Wlinker-messages";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect()) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: Vec<OsString>) -> Result<ExitCode, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("usage: offloadc-rustc RUSTC ARGUMENTS...".to_owned());
    };
    let rustc = RustcCommand::parse(arguments).map_err(|error| format!("cannot read rustc's arguments: {error}"))?;
    let mut command = command(&words);
    if !rustc.makes_code() {
        // The answer to a wrapper of the user may be another one.
        let question = if inner_wrapper().is_none() { Question::of(program, arguments) } else { None };
        if let Some(question) = question {
            return answer(command, &question);
        }
        // rustc replaces this process.
        let error = command.exec();
        return Err(cannot_run(&command, &error));
    }
    let krate = Crate::new(rustc)?;
    krate.mark()?;
    krate.warn();
    let _ = command.args(krate.flags()?);
    let status = command.status().map_err(|error| cannot_run(&command, &error))?;
    if status.success() {
        krate.note_what_was_read()?;
    }
    Ok(code_of(status))
}

/// Writes the answer that is known, or that of rustc.
fn answer(mut command: Command, question: &Question) -> Result<ExitCode, String> {
    if let Some(answer) = question.answer() {
        // If standard output is closed, nobody reads the answer.
        let _ = std::io::stdout().write_all(answer.as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let output = command.stdin(Stdio::inherit()).output().map_err(|error| cannot_run(&command, &error))?;
    let _ = std::io::stderr().write_all(&output.stderr);
    let _ = std::io::stdout().write_all(&output.stdout);
    if output.status.success() && output.stderr.is_empty() {
        std::str::from_utf8(&output.stdout).into_iter().for_each(|answer| question.keep(answer));
    }
    Ok(code_of(output.status))
}

fn code_of(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    u8::try_from(code).unwrap_or(1).into()
}

/// The user's own wrapper of rustc.
fn inner_wrapper() -> Option<OsString> {
    std::env::var_os(INNER_WRAPPER).filter(|wrapper| !wrapper.is_empty())
}

/// rustc's command, run by the user's own wrapper if there is one.
fn command(words: &[OsString]) -> Command {
    let inner = inner_wrapper();
    let mut all = inner.iter().chain(words);
    let mut command = Command::new(all.next().cloned().unwrap_or_default());
    let _ = command.args(all);
    command
}

fn cannot_run(command: &Command, error: &std::io::Error) -> String {
    format!("cannot run `{}`: {error}", Path::new(command.get_program()).display())
}

/// A crate of the program.
struct Crate {
    rustc: RustcCommand,
    /// The manifest of its package, which exists.
    manifest: Option<PathBuf>,
    /// Whether it may contain a kernel or a launch.
    has_kernels: bool,
}

impl Crate {
    fn new(rustc: RustcCommand) -> Result<Self, String> {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest = folder.map(|folder| folder.join("Cargo.toml")).filter(|path| path.is_file());
        let says = manifest.as_deref().map_or(Ok(false), says_kernels)?;
        let has_kernels = says || rustc.externs.iter().any(|path| marker(path).is_file());
        Ok(Self { rustc, manifest, has_kernels })
    }

    /// Tells the users of a library, before rustc's first output lets cargo start them, whether they may have kernels,
    /// too.
    fn mark(&self) -> Result<(), String> {
        let marker = marker(&self.rustc.library());
        if !self.rustc.is_library() {
            return Ok(());
        }
        if self.has_kernels {
            return std::fs::write(&marker, "")
                .map_err(|error| format!("cannot write `{}`: {error}", marker.display()));
        }
        match std::fs::remove_file(&marker) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("cannot remove `{}`: {error}", marker.display()))
            }
            _ => Ok(()),
        }
    }

    /// Cargo keeps the warning and repeats it, like those of rustc.
    fn warn(&self) {
        if let Some(kind) = self.rustc.lto().filter(|_| self.has_kernels && self.rustc.links()) {
            let name = &self.rustc.crate_name;
            eprintln!("warning: `lto = \"{kind}\"` has no effect on `{name}`, which may contain kernels");
        }
        if self.has_kernels && self.rustc.is_static_library() {
            let name = &self.rustc.crate_name;
            eprintln!(
                "warning: `lib{name}.a` has bitcode in place of machine code, which other linkers cannot read; link it \
                 with `offloadc-ld`, which takes the arguments of `cc` and compiles the kernels"
            );
        }
    }

    /// The flags, which come last, because rustc hears the last one.
    fn flags(&self) -> Result<Vec<String>, String> {
        let mut flags = Vec::new();
        let mut add = |more: &[&str]| flags.extend(more.iter().map(|flag| (*flag).to_owned()));
        if self.has_kernels {
            add(&BITCODE_ONLY);
        } else if self.rustc.is_library() {
            add(&BITCODE_BESIDE);
        }
        if self.rustc.links() {
            let options = link_options();
            if [SKIP_REFUSED, OPTIONAL_ARCHS].iter().any(|option| options.contains(option)) {
                add(&[SHOW_WARNINGS]);
            }
            let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
            flags.extend(kernel_crates::linker_flags(&own.with_file_name("offloadc-ld")));
        }
        Ok(flags)
    }

    /// Adds what rustc does not know to the list of what it has read, which cargo compares: the manifest, and the
    /// options of a link with kernels.
    fn note_what_was_read(&self) -> Result<(), String> {
        let Some(path) = self.rustc.dep_info() else { return Ok(()) };
        let failed = |error: std::io::Error| format!("cannot change `{}`: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let options = (self.has_kernels && self.rustc.links()).then(link_options);
        std::fs::write(&path, with_more(&text, self.manifest.as_deref(), options.as_deref())).map_err(failed)
    }
}

fn link_options() -> String {
    std::env::var(LINK_OPTIONS).unwrap_or_default()
}

/// The file that says that a library may have kernels, next to the library or its metadata.
fn marker(library: &Path) -> PathBuf {
    library.with_extension("offload")
}

/// Whether a package says that its crates may contain kernels. Cargo reports errors of the manifest.
fn says_kernels(manifest: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let said = (|| table.get("package")?.get("metadata")?.get("offload")?.get("kernels"))();
    let wrong = || format!("`package.metadata.offload.kernels` in `{}` is neither true nor false", manifest.display());
    said.map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong))
}

/// A list of what rustc has read, with another file and another variable. Cargo reads the files of the first rule.
fn with_more(text: &str, file: Option<&Path>, options: Option<&str>) -> String {
    let file = file.map(|path| path.display().to_string().replace(' ', "\\ "));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(file) = file {
        let is_rule = |line: &&mut String| line.contains(": ") && !line.starts_with('#');
        lines.iter_mut().filter(is_rule).for_each(|line| line.extend([" ", &file]));
        lines.push(format!("{file}:"));
    }
    if let Some(options) = options {
        let value = options.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
        lines.push(format!("# env-dep:{LINK_OPTIONS}={value}"));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_added_to_the_rules() {
        let text = "app.d: a.rs b.rs\n\napp: a.rs b.rs\n\na.rs:\nb.rs:\n\n# env-dep:X=1\n";
        let wanted = "app.d: a.rs b.rs /a\\ b/Cargo.toml\n\napp: a.rs b.rs /a\\ b/Cargo.toml\n\na.rs:\nb.rs:\n\n\
                      # env-dep:X=1\n/a\\ b/Cargo.toml:\n# env-dep:OFFLOADC_LINK_OPTIONS=a\\\\b\n";
        assert_eq!(with_more(text, Some(Path::new("/a b/Cargo.toml")), Some("a\\b")), wanted);
        assert_eq!(with_more(text, None, None), text);
    }

    #[test]
    fn a_package_says_that_it_has_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.toml");
        let says = |text: &str| {
            std::fs::write(&path, text).unwrap();
            says_kernels(&path)
        };
        assert_eq!(says("[package.metadata.offload]\nkernels = true\n"), Ok(true));
        assert_eq!(says("[package.metadata.offload]\nkernels = false\n"), Ok(false));
        assert_eq!(says("[package]\nname = 'a'\n"), Ok(false));
        assert!(says("[package.metadata.offload]\nkernels = 'yes'\n").unwrap_err().contains("neither true nor false"));
        assert_eq!(marker(Path::new("/d/liba-1.rmeta")), Path::new("/d/liba-1.offload"));
    }
}
