//! The message of the crash guard, as text or as JSON. All functions are async-signal-safe.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::llvm::reproducer;

/// Whether messages are lines of JSON.
static JSON: AtomicBool = AtomicBool::new(false);

/// Reports crashes like other diagnostics under `--message-format=json`.
pub fn speak_json() {
    JSON.store(true, Ordering::SeqCst);
}

/// Prints the message that consists of these words, and the path of the folder with the inputs.
pub(super) fn print(words: &[&str], folder: Option<&str>) {
    if JSON.load(Ordering::SeqCst) {
        let message = words[0].strip_prefix("error: ").unwrap_or(words[0]);
        write(&["{\"$message_type\":\"diagnostic\",\"message\":\"", message]);
        words[1..].iter().for_each(|word| write_escaped(word));
        write(&["\",\"code\":null,\"level\":\"error\",\"spans\":[],\"children\":["]);
        if let Some(folder) = folder {
            write(&["{\"message\":\"", reproducer::NOTE, "`"]);
            write_escaped(folder);
            write(&["`\",\"code\":null,\"level\":\"note\",\"spans\":[],\"children\":[],\"rendered\":null}"]);
        }
        write(&["],\"rendered\":\""]);
        words.iter().for_each(|word| write_escaped(word));
        if let Some(folder) = folder {
            write(&["\\nnote: ", reproducer::NOTE, "`"]);
            write_escaped(folder);
            write(&["`"]);
        }
        write(&["\\n\"}\n"]);
    } else {
        write(words);
        write(&["\n"]);
        if let Some(folder) = folder {
            write(&["note: ", reproducer::NOTE, "`", folder, "`\n"]);
        }
    }
}

/// Writes a part of a JSON string; async-signal-safe.
fn write_escaped(text: &str) {
    let special = |c: char| c == '"' || c == '\\' || c.is_control();
    for part in text.split_inclusive(special) {
        let last = part.chars().next_back().filter(|c| special(*c));
        let plain = &part[..part.len() - last.map_or(0, char::len_utf8)];
        let escaped = match last {
            None => "",
            Some('"') => "\\\"",
            Some('\\') => "\\\\",
            // A control character; which one does not matter.
            Some(_) => " ",
        };
        write(&[plain, escaped]);
    }
}

pub(super) fn write(texts: &[&str]) {
    for text in texts {
        // SAFETY: the pointer and length are those of a live string. If standard error is closed, the error cannot be
        // reported.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}
