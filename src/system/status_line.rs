//! Lines like cargo's own ("   Compiling grid v1.2.0"), in which a link names the work that takes its time.
//!
//! rustc keeps the output of a linker, and shows it as a warning or below an error. Cargo shows the output of
//! `offloadc-rustc`, but keeps it, and shows it again with each later build. Standard output belongs to programs that
//! read cargo's messages. So a link opens standard error of the process that was `cargo offloadc`, which names itself
//! in a variable, and is cargo now. It does so only if this process is above its own: elsewhere, such as in a
//! container, the number may be that of another process. If it cannot be opened, like a socket, nothing is written.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use crate::llvm::users::append_to_stderr;

/// The variable with the word for lines with or without colours, a colon, and the number of the process. Without it,
/// nothing is written.
pub const VARIABLE: &str = "OFFLOADC_STATUS";

/// The word for lines with colours.
const COLOR: &str = "color";

/// How often a full pipe is tried again, and the time in between.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// No line of processes is longer.
const MOST_PARENTS: usize = 1000;

/// The value of the variable for processes that this one starts or becomes.
///
/// A link opens a file again, so the file has two positions. All writes therefore go to its end; make does the same.
pub fn value(has_color: bool) -> String {
    append_to_stderr();
    format!("{}:{}", if has_color { COLOR } else { "plain" }, std::process::id())
}

/// Prints a line.
pub fn print(verb: &str, text: &str) {
    let Some((has_color, mut out)) = std::env::var(VARIABLE).ok().and_then(|value| open(&value)) else { return };
    let line = line(verb, text, has_color, out.is_terminal());
    for _ in 0..TRIES {
        match out.write(line.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            // A line is short enough to be written as a whole. If the reader has gone, the error cannot be shown.
            _ => return,
        }
    }
}

/// Opens standard error of the process that a value of the variable names.
fn open(value: &str) -> Option<(bool, File)> {
    let (word, process) = value.split_once(':')?;
    let process = process.parse().ok().filter(|process| is_above(*process))?;
    // A pipe that nobody reads would block.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let out = OpenOptions::new().append(true).custom_flags(flags).open(format!("/proc/{process}/fd/2"));
    Some((word == COLOR, out.ok()?))
}

/// Whether a process has started this one, directly or through others.
fn is_above(process: u32) -> bool {
    let mut parents = std::iter::successors(Some(std::process::id()), |process| parent(*process)).take(MOST_PARENTS);
    parents.any(|parent| parent == process)
}

/// The process that has started another one.
fn parent(process: u32) -> Option<u32> {
    let facts = read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    facts.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A line in cargo's form. On a terminal it takes the place of cargo's progress bar, which cargo writes again.
fn line(verb: &str, text: &str, has_color: bool, is_terminal: bool) -> String {
    let erase = if is_terminal { "\r\x1b[K" } else { "" };
    let (begin, end) = if has_color { ("\x1b[1m\x1b[92m", "\x1b[0m") } else { ("", "") };
    format!("{erase}{begin}{verb:>12}{end} {text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_of_cargos() {
        assert_eq!(line("Compiling", "a v1", false, false), "   Compiling a v1\n");
        assert_eq!(line("Compiling", "a", true, true), "\r\x1b[K\x1b[1m\x1b[92m   Compiling\x1b[0m a\n");
    }

    #[test]
    fn only_processes_above_this_one_are_written_to() {
        let own = std::process::id();
        let other = std::process::Command::new("sleep").arg("10").spawn();
        let mut other = other.expect("the program is there");
        assert!(is_above(own) && is_above(std::os::unix::process::parent_id()) && !is_above(other.id()));
        assert!(open(&format!("plain:{}", other.id())).is_none() && open("").is_none() && open("plain:x").is_none());
        assert!([true, false].into_iter().all(|has| open(&value(has)).is_none_or(|(color, _)| color == has)));
        let _ = other.kill().and_then(|()| other.wait());
    }
}
