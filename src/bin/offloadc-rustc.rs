//! `offloadc-rustc RUSTC ARGUMENTS…`, which cargo runs instead of rustc (`RUSTC_WRAPPER`) for `cargo offloadc`.
//!
//! A crate that may contain a kernel or a launch is left as bitcode for `offloadc-ld`. These are the packages that say
//! `kernels = true` in `[package.metadata.offload]`, as the crate `offload` does, and all crates that depend on one of
//! them. rustc compiles every other crate as it would without offloadc. A build script or a procedural macro is not
//! changed. A question to rustc is answered if the answer is known.
//!
//! In `cargo offloadc check` and `clippy`, rustc only checks crates, and kernels need code. So libraries are bitcode,
//! too, which no optimiser sees. Programs and the libraries of the user's packages are linked by an `offloadc-ld` that
//! stops when it has checked their kernels.

#[path = "../cargo/answers.rs"]
mod answers;
#[path = "../cargo/kernel_crates.rs"]
mod kernel_crates;
#[path = "../cargo/kernel_errors.rs"]
mod kernel_errors;
#[path = "../cargo/promises.rs"]
mod promises;
#[path = "../cargo/questions.rs"]
mod questions;
#[path = "../input/recorded_command.rs"]
mod recorded_command;
#[path = "../cargo/rustc_command.rs"]
mod rustc_command;
#[path = "../cargo/rustc_output.rs"]
mod rustc_output;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use kernel_crates::{BITCODE_ONLY, CHECK, INNER_WRAPPER, LINK_OPTIONS};
use questions::Question;
use recorded_command::{RecordedCommand, is_of_rustc};
use rustc_command::RustcCommand;
use rustc_output::LinkReport;

/// rustc's flag for a library without kernels: machine code, as plain cargo has it. If kernels take bodies from it, it
/// is compiled again (`src/input/recompile.rs`).
const NATIVE: [&str; 1] = ["-Clinker-plugin-lto=off"];
/// rustc's flags for a shared library without kernels: machine code, and bitcode beside it.
const BITCODE_BESIDE: [&str; 2] = ["-Clinker-plugin-lto=off", "-Cembed-bitcode=yes"];
/// rustc's flag for a check of a library that makes bitcode, too.
const WITH_LIBRARY: &str = "--emit=link";
/// The condition with which the macro of the crate names kernels that nothing launches.
const CONDITION: &str = "--cfg=offload_check";
/// Diagnostics name lines, with every profile. Reading more debug information takes most of a check.
const WITH_LINES: &str = "-Cdebuginfo=line-tables-only";
/// The same for a crate that promises something of types.
const WITH_TYPES: &str = "-Cdebuginfo=full";

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
    let options = link_options();
    let of_links: Vec<_> = options.split('\x1f').filter(|option| *option != CHECK).collect();
    let checks = rustc.only_checks() && of_links.join("\x1f") != options;
    if !rustc.makes_code() && !checks {
        // Cargo names our linker for build scripts, too, which are programs.
        let _ = command.env(LINK_OPTIONS, of_links.join("\x1f"));
        // The answer to a wrapper of the user may be another one.
        let question = if inner_wrapper().is_none() { Question::of(program, arguments) } else { None };
        if let Some(question) = question {
            return answer(command, &question);
        }
        // rustc replaces this process.
        let error = command.exec();
        return Err(cannot_run(&command, &error));
    }
    let krate = Crate::new(rustc, checks)?;
    krate.mark()?;
    krate.warn();
    let _ = command.args(krate.flags()?);
    let mut report = LinkReport::new(&krate.rustc)?;
    let is_read = krate.is_linked() || krate.has_kernels || is_users();
    let ran = if is_read { report.run(&mut command) } else { command.status() };
    let status = ran.map_err(|error| cannot_run(&command, &error))?;
    if status.success() && krate.is_checked_library() && !krate.check_kernels(&words, &mut report)? {
        return Ok(ExitCode::FAILURE);
    }
    if status.success() {
        if krate.is_compiled_again() {
            krate.record(program)?;
        }
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

/// Whether the crate is of one of the user's packages.
fn is_users() -> bool {
    std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some()
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
    /// Whether it is only checked.
    checks: bool,
}

impl Crate {
    fn new(rustc: RustcCommand, checks: bool) -> Result<Self, String> {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest = folder.map(|folder| folder.join("Cargo.toml")).filter(|path| path.is_file());
        let says = manifest.as_deref().map_or(Ok(false), says_kernels)?;
        let has_kernels = says || rustc.externs.iter().any(|path| marker(path).is_file());
        Ok(Self { rustc, manifest, has_kernels, checks })
    }

    /// Whether rustc runs our linker. A shared library without kernels is bitcode in a check, too.
    fn is_linked(&self) -> bool {
        self.rustc.links() && (self.has_kernels || self.rustc.is_library() || !self.checks)
    }

    /// Whether this is a library of the user's packages whose kernels are checked after rustc. For one that is linked,
    /// the linker has done it.
    fn is_checked_library(&self) -> bool {
        self.checks && self.has_kernels && self.rustc.is_library() && !self.rustc.links() && is_users()
    }

    /// Whether this is a library without bitcode, which is compiled again if a kernel needs a body of it.
    fn is_compiled_again(&self) -> bool {
        !self.has_kernels && !self.checks && self.rustc.is_library() && self.rustc.is_only_rlib()
    }

    /// Writes the command that compiles the library again.
    fn record(&self, program: &OsStr) -> Result<(), String> {
        let path = RecordedCommand::path(&self.rustc.library());
        let failed = |error: std::io::Error| format!("cannot write `{}`: {error}", path.display());
        let read = self.rustc.dep_info().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let variables = std::env::vars_os().filter(|(name, _)| decides(name, &read)).collect();
        let words = inner_wrapper().into_iter().chain([program.to_owned()]).chain(self.rustc.words.iter().cloned());
        let folder = std::env::current_dir().map_err(failed)?;
        let recorded = RecordedCommand { folder, variables, words: words.collect() };
        std::fs::write(&path, recorded.to_bytes()).map_err(failed)
    }

    /// The libraries with kernels that this crate is made of, without itself.
    fn libraries_with_kernels(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for path in &self.rustc.externs {
            let Ok(theirs) = std::fs::read_to_string(marker(path)) else { continue };
            all.push(path.with_extension("rlib"));
            all.extend(theirs.lines().map(PathBuf::from));
        }
        all.sort();
        all.dedup();
        all
    }

    /// Checks the kernels of a library that rustc has written, and returns whether they are right.
    fn check_kernels(&self, words: &[OsString], report: &mut LinkReport) -> Result<bool, String> {
        let libraries = self.libraries_with_kernels().into_iter().filter(|library| library.is_file());
        let mut command = Command::new(own_folder()?.join("offloadc-ld"));
        let _ = command.arg(self.rustc.library()).args(libraries).arg("-o").arg(self.rustc.library());
        let _ = command.args(self.rustc.folders.iter().map(|folder| format!("--offloadc=-L{folder}")));
        // The program before rustc may be that of clippy.
        let rustc = words.iter().take(2).rfind(|word| !word.as_encoded_bytes().starts_with(b"-"));
        let _ = command.envs(rustc.map(|rustc| ("RUSTC", rustc)));
        report.receive_from(&mut command);
        let status = command.status().map_err(|error| cannot_run(&command, &error))?;
        report.finish();
        Ok(status.success())
    }

    /// Tells the users of a library, before rustc's first output lets cargo start them, whether they may have kernels,
    /// too.
    fn mark(&self) -> Result<(), String> {
        let marker = marker(&self.rustc.library());
        if !self.rustc.is_library() {
            return Ok(());
        }
        if self.has_kernels {
            let lines: Vec<_> = self.libraries_with_kernels().iter().map(|path| path.display().to_string()).collect();
            return std::fs::write(&marker, lines.join("\n"))
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
        if self.has_kernels && self.rustc.is_static_library() && !self.checks {
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
        if self.has_kernels || (self.checks && self.rustc.is_library()) {
            add(&BITCODE_ONLY);
        } else if self.is_compiled_again() {
            add(&NATIVE);
        } else if self.rustc.is_library() {
            add(&BITCODE_BESIDE);
        }
        if self.checks && (self.has_kernels || self.rustc.is_library()) {
            let has_promises = self.has_kernels && promises::has_promises(&self.rustc.root);
            add(&[WITH_LIBRARY, if has_promises { WITH_TYPES } else { WITH_LINES }]);
            if self.has_kernels {
                add(&[CONDITION]);
            }
            if self.rustc.is_only_shared() {
                // There will be no shared object, and users of the crate need a library.
                add(&["--crate-type=rlib"]);
            }
            for library in self.rustc.libraries_beside_metadata() {
                flags.extend(["--extern".to_owned(), library]);
            }
        }
        if self.is_linked() {
            flags.extend(kernel_crates::linker_flags(&own_folder()?.join("offloadc-ld")));
        }
        Ok(flags)
    }

    /// Adds the inputs that rustc does not know to its list of inputs, which cargo compares: the manifest, and the
    /// options of a link with kernels.
    fn note_what_was_read(&self) -> Result<(), String> {
        let Some(path) = self.rustc.dep_info() else { return Ok(()) };
        let failed = |error: std::io::Error| format!("cannot change `{}`: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let checks = self.is_linked() || self.is_checked_library();
        let options = (self.has_kernels && checks).then(link_options);
        std::fs::write(&path, with_more(&text, self.manifest.as_deref(), options.as_deref())).map_err(failed)
    }
}

impl RecordedCommand {
    /// The contents of the file.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut add = |field: &[u8]| {
            bytes.extend_from_slice(field);
            bytes.push(0);
        };
        add(recorded_command::VERSION);
        add(self.folder.as_os_str().as_bytes());
        add(self.variables.len().to_string().as_bytes());
        for (name, value) in &self.variables {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        self.words.iter().for_each(|word| add(word.as_bytes()));
        bytes
    }
}

/// Whether a variable of the environment may decide the code of a crate: rustc's own variables do, and those that rustc
/// lists as read. No other variable is kept in a file.
fn decides(name: &OsStr, dep_info: &str) -> bool {
    let is_read = || {
        dep_info
            .lines()
            .filter_map(|line| line.strip_prefix("# env-dep:"))
            .any(|rest| rest.split_once('=').map_or(rest, |(read, _)| read) == name)
    };
    is_of_rustc(name) || is_read()
}

fn link_options() -> String {
    std::env::var(LINK_OPTIONS).unwrap_or_default()
}

/// The folder of this program.
fn own_folder() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(own.with_file_name(""))
}

/// The file that says that a library may have kernels, next to the library or its metadata. It names the libraries with
/// kernels that this one is made of, one a line.
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

/// rustc's list of inputs, with another file and another variable. Cargo reads the files of the first rule.
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

    /// `recompile.rs` reads the same bytes.
    #[test]
    fn commands_are_written_as_they_are_read() {
        let recorded = RecordedCommand {
            folder: "/a folder".into(),
            variables: vec![("CARGO_PKG_NAME".into(), "dep".into()), ("EMPTY".into(), "".into())],
            words: vec!["rustc".into(), "".into(), "--cfg=feature=\"a\"\n".into()],
        };
        let bytes = b"offloadc-rustc 1\0/a folder\x002\0CARGO_PKG_NAME\0dep\0EMPTY\0\0rustc\0\0--cfg=feature=\"a\"\n\0";
        assert_eq!(recorded.to_bytes(), bytes);
        assert!(decides(OsStr::new("OUT_DIR"), "") && decides(OsStr::new("X"), "a:\n# env-dep:X=1\n"));
        assert!(!decides(OsStr::new("X"), "# env-dep:XY=1\nX") && !decides(OsStr::new("CARGO_REGISTRY_TOKEN"), ""));
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
