//! Libraries that are compiled again, because kernels need bodies, and rustc has written machine code only.
//!
//! Bitcode for all dependencies takes a quarter of a debug build from nothing, and few kernels call a function that is
//! compiled in another crate. `cargo offloadc` therefore compiles dependencies as plain cargo does, and keeps the
//! command.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::recorded_command::{RecordedCommand, VERSION, is_of_rustc};
use crate::error::{Context as _, Error, Result};
use crate::system::own_files;
use crate::system::scratch::Scratch;
use crate::system::status_line;
use crate::system::tokens::Tokens;

/// rustc's flags for bitcode in place of machine code, which the program has from the first compilation.
const ONLY_BITCODE: [&str; 4] = ["-Clinker-plugin-lto=on", "-Cembed-bitcode=yes", "--cap-lints=allow", "--emit=link"];

/// The libraries with bitcode, which stay beside the other ones; none if the command of a library is not known. They
/// are compiled side by side, as far as the job server of cargo allows. With `echo`, the commands are printed.
///
/// Other links may need the same libraries at the same time. The first one that locks the command of a library compiles
/// it, and the others wait. All take their locks in the same order, so that no two of them wait for each other.
pub fn with_bitcode(libraries: &[PathBuf], tokens: &Tokens, echo: bool) -> Result<Vec<Option<PathBuf>>> {
    let found = libraries.iter().map(|library| Library::find(library)).collect::<Result<Vec<_>>>()?;
    let mut stale: Vec<&Library> = found.iter().flatten().filter(|library| !library.is_kept()).collect();
    stale.sort_by_key(|library| library.file);
    stale.dedup_by_key(|library| library.file);
    for library in &stale {
        // Without locks, on some file systems, several links may compile a library. The last one is kept.
        let _either = tokens.wait(|| library.lock.lock());
    }
    stale.retain(|library| !library.is_kept());
    stale.sort_by_key(|library| &library.path);
    let commands: Vec<_> = stale.into_iter().map(|library| library.prepare(echo)).collect::<Result<_>>()?;
    tokens.side_by_side(commands, &Compilation::run).into_iter().collect::<Result<()>>()?;
    Ok(found.into_iter().map(|library| library.map(|library| library.kept)).collect())
}

/// A library that can be compiled again.
struct Library {
    path: PathBuf,
    /// The library with bitcode.
    kept: PathBuf,
    /// The file with the command for the library, which is locked while it runs again.
    lock: File,
    /// The device and the number of that file.
    file: (u64, u64),
    bytes: Vec<u8>,
    command: RecordedCommand,
}

impl Library {
    /// Reads the command of a library; none if there is none, or if it is damaged or of another version.
    fn find(path: &Path) -> Result<Option<Self>> {
        let record = own_files::read(&RecordedCommand::path(path)).map_err(Error::new);
        let Some((lock, bytes)) = record.with_context(|| doing(path))? else { return Ok(None) };
        let facts = lock.metadata().map_err(Error::from).with_context(|| doing(path))?;
        let (Some(command), Some(name)) = (RecordedCommand::from_bytes(&bytes), path.file_name()) else {
            return Ok(None);
        };
        let kept = path.with_extension("bodies").join(name);
        Ok(Some(Self { path: path.to_owned(), kept, lock, file: (facts.dev(), facts.ino()), bytes, command }))
    }

    /// The file with the command that has made the library with bitcode.
    fn of_kept(&self) -> PathBuf {
        self.kept.with_file_name("command")
    }

    /// Whether there is the library with bitcode. Cargo writes the library of other flags to the same file.
    fn is_kept(&self) -> bool {
        is_newer(&self.kept, &self.path) && std::fs::read(self.of_kept()).is_ok_and(|bytes| bytes == self.bytes)
    }

    /// Says that the library is compiled again.
    fn prepare(&self, echo: bool) -> Result<Compilation<'_>> {
        let scratch = Scratch::beside(&self.path)?;
        let recorded = self.command.clone().moved_to(&self.path);
        let package = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION"].map(|name| recorded.variable(name));
        let command = command(recorded, scratch.folder());
        if echo {
            eprintln!("{command:?}");
        }
        if let [Some(name), Some(version)] = package {
            status_line::print("Compiling", &format!("{name} v{version} (again, for the functions that kernels call)"));
        }
        Ok(Compilation { library: self, command, scratch })
    }
}

/// A command that compiles a library again.
struct Compilation<'a> {
    library: &'a Library,
    command: Command,
    scratch: Scratch,
}

impl Compilation<'_> {
    fn run(mut self) -> Result<()> {
        let Library { path, kept, bytes, .. } = self.library;
        let doing = || doing(path);
        let output = self.command.stdin(Stdio::null()).output().map_err(Error::from).with_context(doing)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Error::new(format!("rustc failed: {}", said.trim_end()))).with_context(doing);
        }
        let made = self.scratch.folder().join(kept.file_name().unwrap_or_default());
        std::fs::create_dir_all(kept.with_file_name(""))
            .and_then(|()| std::fs::rename(made, kept))
            .and_then(|()| std::fs::write(self.library.of_kept(), bytes))
            .map_err(Error::from)
            .with_context(doing)
    }
}

fn doing(library: &Path) -> String {
    format!(
        "cannot compile `{}` again, for bodies that kernels call; `RUSTFLAGS='-C embed-bitcode=yes'` makes rustc write them \
         at once",
        library.display()
    )
}

/// Whether a file was written after another one.
fn is_newer(path: &Path, than: &Path) -> bool {
    let time = |path: &Path| std::fs::metadata(path).and_then(|facts| facts.modified()).ok();
    time(path).zip(time(than)).is_some_and(|(one, other)| one >= other)
}

/// The command with other outputs, in the environment that it had.
fn command(recorded: RecordedCommand, folder: &Path) -> Command {
    let mut words = without_outputs(&recorded.words).into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    let _ = command.args(words).args(ONLY_BITCODE).arg("--out-dir").arg(folder).current_dir(&recorded.folder);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_rustc(name)) {
        let _ = command.env_remove(name);
    }
    let _ = command.envs(recorded.variables);
    command
}

impl RecordedCommand {
    /// Reads such a file; none if it is damaged or of another version.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let text = |field: &[u8]| OsString::from_vec(field.to_vec());
        if fields.next()? != VERSION {
            return None;
        }
        let folder = text(fields.next()?).into();
        let count: usize = OsStr::from_bytes(fields.next()?).to_str()?.parse().ok()?;
        let mut variables = Vec::new();
        for _ in 0..count {
            variables.push((text(fields.next()?), text(fields.next()?)));
        }
        let words: Vec<_> = fields.map(text).collect();
        (!words.is_empty()).then_some(Self { folder, variables, words })
    }
}

impl RecordedCommand {
    /// The value of a variable.
    fn variable(&self, name: &str) -> Option<String> {
        let (_, value) = self.variables.iter().find(|(own, _)| own == name)?;
        Some(value.to_string_lossy().into_owned())
    }

    /// The command for a library whose project was moved since, with the paths that it has now. Cargo does not compile
    /// dependencies again then.
    fn moved_to(self, library: &Path) -> Self {
        let mut words = self.words.iter();
        let before = words.find(|word| *word == "--out-dir").and_then(|_| words.next()).map(PathBuf::from);
        let now = library.parent().and_then(|folder| folder.canonicalize().ok());
        let Some((before, now)) = before.zip(now).and_then(|(before, now)| roots(&before, &now)) else { return self };
        let moved = |text: OsString| replace(&text, &before, &now);
        Self {
            folder: moved(self.folder.into()).into(),
            variables: self.variables.into_iter().map(|(name, value)| (name, moved(value))).collect(),
            words: self.words.into_iter().map(moved).collect(),
        }
    }
}

/// The folders in which two different paths go on in the same way.
fn roots(before: &Path, now: &Path) -> Option<(PathBuf, PathBuf)> {
    let (mut before, mut now) = (before.to_owned(), now.to_owned());
    if before == now || before.canonicalize().is_ok_and(|before| before == now) {
        return None;
    }
    while before.file_name().is_some() && before.file_name() == now.file_name() {
        let _ = (before.pop(), now.pop());
    }
    // The root folder begins each path, so it cannot be replaced.
    (before.file_name().is_some() && now.file_name().is_some()).then_some((before, now))
}

/// A text in which each path that begins with `before` begins with `now`.
fn replace(text: &OsStr, before: &Path, now: &Path) -> OsString {
    let (mut rest, before, now) = (text.as_bytes(), before.as_os_str().as_bytes(), now.as_os_str().as_bytes());
    let mut replaced = Vec::new();
    while let Some(byte) = rest.first() {
        let after = rest.strip_prefix(before).filter(|after| after.is_empty() || after[0] == b'/');
        match after {
            Some(after) => {
                replaced.extend_from_slice(now);
                rest = after;
            }
            None => {
                replaced.push(*byte);
                rest = &rest[1..];
            }
        }
    }
    OsString::from_vec(replaced)
}

/// The words of a command without those that name outputs and their places, and without rustc's store of earlier
/// compilations, which another rustc may use.
fn without_outputs(words: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let option = text.split_once('=').map_or(&*text, |(name, _)| name);
        match option {
            "--emit" | "--out-dir" | "-o" | "--error-format" | "--json" => {
                if !text.contains('=') {
                    let _ = rest.next();
                }
            }
            "-C" | "--codegen" if rest.peek().is_some_and(|next| next.as_bytes().starts_with(b"incremental")) => {
                let _ = rest.next();
            }
            "-Cincremental" => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_may_be_moved() {
        let moved = |before: &str, now: &str| roots(Path::new(before), Path::new(now));
        let pair = |before: &str, now: &str| Some((PathBuf::from(before), PathBuf::from(now)));
        assert_eq!(moved("/no/one/target/deps", "/no/two/target/deps"), pair("/no/one", "/no/two"));
        assert_eq!(moved("/no/one/deps", "/no/two/x/deps"), pair("/no/one", "/no/two/x"));
        for (before, now) in [("/no/deps", "/no/deps"), ("/deps", "/no/deps"), ("/no/deps", "/deps")] {
            assert_eq!(moved(before, now), None, "{before}");
        }
        let replaced = |text: &str| replace(OsStr::new(text), Path::new("/a/b"), Path::new("/c"));
        assert_eq!(replaced("x=/a/b/d:/a/b"), "x=/c/d:/c");
        assert_eq!(replaced("/a/bc /a"), "/a/bc /a");
    }

    #[test]
    fn outputs_are_replaced() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let line = "rustc --crate-name a src/lib.rs --error-format=json --json=artifacts --emit=dep-info,link -C \
                    embed-bitcode=no -C incremental=/i --out-dir /d -C extra-filename=-1 --emit link -Cincremental=/i";
        let kept = "rustc --crate-name a src/lib.rs -C embed-bitcode=no -C extra-filename=-1";
        assert_eq!(without_outputs(&words(line)), words(kept));
    }
    /// `offloadc-rustc` writes the same bytes.
    #[test]
    fn a_command_is_read_as_it_was_written() {
        let bytes = b"offloadc-rustc 1\0/a folder\x002\0CARGO_PKG_NAME\0dep\0EMPTY\0\0rustc\0\0--cfg=feature=\"a\"\n\0";
        let command = RecordedCommand::from_bytes(bytes).unwrap();
        assert_eq!(command.folder, Path::new("/a folder"));
        assert_eq!(command.variables, [("CARGO_PKG_NAME".into(), "dep".into()), ("EMPTY".into(), "".into())]);
        assert_eq!(command.words, ["rustc", "", "--cfg=feature=\"a\"\n"]);
        for end in 0..bytes.len() {
            let _either = RecordedCommand::from_bytes(&bytes[..end]);
        }
        for bytes in [&b""[..], b"offloadc-rustc 2\0/\x000\0rustc\0", b"offloadc-rustc 1\0/\x009\0rustc\0"] {
            assert_eq!(RecordedCommand::from_bytes(bytes), None);
        }
        assert_eq!(RecordedCommand::path(Path::new("/d/libdep-1.rlib")), Path::new("/d/libdep-1.rustc"));
    }
}
