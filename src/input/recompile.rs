//! Libraries that are compiled again, because kernels need bodies, and rustc has written machine code only.
//!
//! Bitcode for all dependencies takes a quarter of a debug build from nothing, and few kernels call a function that is
//! compiled in another crate. `cargo offloadc` therefore compiles dependencies as plain cargo does, and keeps the
//! command.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::recorded_command::{RecordedCommand, VERSION, is_of_rustc};
use crate::error::{Context as _, Error, Result};
use crate::system::own_files;
use crate::system::scratch::Scratch;

/// rustc's flags for bitcode in place of machine code, which the program has from the first compilation.
const ONLY_BITCODE: [&str; 4] = ["-Clinker-plugin-lto=on", "-Cembed-bitcode=yes", "--cap-lints=allow", "--emit=link"];

/// The library with bitcode, which stays beside the other one; none if the command is not known. With `echo`, the
/// command is printed.
pub fn with_bitcode(library: &Path, echo: bool) -> Result<Option<PathBuf>> {
    let doing = || {
        format!(
            "cannot compile `{}` again, for bodies that kernels call; `RUSTFLAGS='-C embed-bitcode=yes'` makes rustc write \
             them at once",
            library.display()
        )
    };
    let record = own_files::read(&RecordedCommand::path(library)).map_err(Error::new).with_context(doing)?;
    let Some((_, bytes)) = record else { return Ok(None) };
    let Some(recorded) = RecordedCommand::from_bytes(&bytes) else { return Ok(None) };
    let Some(name) = library.file_name() else { return Ok(None) };
    let folder = library.with_extension("bodies");
    let (kept, of_kept) = (folder.join(name), folder.join("command"));
    // Cargo writes the library of other flags to the same file.
    if is_newer(&kept, library) && std::fs::read(&of_kept).is_ok_and(|of_kept| of_kept == bytes) {
        return Ok(Some(kept));
    }
    let scratch = Scratch::beside(library)?;
    let mut command = command(recorded.moved_to(library), scratch.folder());
    if echo {
        eprintln!("{command:?}");
    }
    let output = command.stdin(Stdio::null()).output().map_err(Error::from).with_context(doing)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("rustc failed: {}", said.trim_end()))).with_context(doing);
    }
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::rename(scratch.file(&name.to_string_lossy()), &kept))
        .and_then(|()| std::fs::write(&of_kept, &bytes))
        .map_err(Error::from)
        .with_context(doing)?;
    Ok(Some(kept))
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

/// The words of a command without those that say what is written where, and without rustc's store of earlier
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
