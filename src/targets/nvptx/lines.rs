//! Line directives of PTX, and the calls that inlined code comes from.
//!
//! LLVM writes the innermost line of an instruction only: `.loc 1 20 5`. For inlined code this is often a line of a
//! library. PTX can also say where that function was called:
//!
//! ```text
//! .loc 2 7 9
//! .loc 1 20 5, function_name $L__inlined0, inlined_at 2 7 9
//! ```
//!
//! The name is in the section `.debug_str`. `inlined_at` refers to the last directive before it with that place, which
//! may have an `inlined_at` itself. During code generation the columns are numbers of places
//! ([`Module::number_places`]).

use std::collections::HashMap;
use std::fmt::Write;

use super::branches::join_branches;
use super::needs::INLINED_LINES;
use super::ptx::version_of;
use crate::error::Result;
use crate::llvm::{FileKind, Frame, Machine, Module};

/// The labels of the functions' names.
const LABEL: &str = "$L__inlined";

/// Keeps only line directives of the debug information, which profilers and debuggers use. The assembler refuses debug
/// sections with optimised code.
pub(super) fn keep_line_directives(module: &Module<'_>) {
    module.keep_line_directives();
}

/// The assembly of a module, with joined branches.
pub(super) fn emit(module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
    let places = module.number_places();
    Ok(show_calls(join_branches(machine.emit(module, FileKind::Assembly)?), &places))
}

/// The text with the columns of the source, and with the calls of inlined code if the version of PTX has them.
fn show_calls(text: Vec<u8>, places: &[Vec<Frame>]) -> Vec<u8> {
    if places.is_empty() {
        return text;
    }
    // Debug sections contain the same, and debuggers read them.
    let has_calls = version_of(&text) >= Some(INLINED_LINES) && !contains(&text, b".debug_info");
    let Ok(text) = std::str::from_utf8(&text) else { return text };
    let mut writer = Writer { has_calls, ..Writer::new(text) };
    for line in text.split_inclusive('\n') {
        match Numbered::parse(line).and_then(|numbered| Some((numbered, numbered.frames(places)?))) {
            Some((numbered, frames)) => writer.place(numbered, frames),
            None => writer.copy(line),
        }
    }
    writer.finish().into_bytes()
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// A `.loc` directive whose column is the number of a place.
#[derive(Clone, Copy)]
struct Numbered {
    file: usize,
    line: u32,
    number: usize,
}

impl Numbered {
    fn parse(line: &str) -> Option<Numbered> {
        let mut words = line.trim().strip_prefix(".loc")?.split_whitespace();
        let file = words.next()?.parse().ok()?;
        let line = words.next()?.parse().ok()?;
        let number = words.next()?.parse().ok()?;
        words.next().is_none().then_some(Numbered { file, line, number })
    }

    fn frames(self, places: &[Vec<Frame>]) -> Option<&[Frame]> {
        places.get(self.number.checked_sub(1)?).map(Vec::as_slice)
    }
}

/// A file, a line and a column.
type Position = (usize, u32, u32);

struct Writer<'t> {
    text: String,
    has_calls: bool,
    /// The numbers of `.file` directives by path, and those that LLVM has not written.
    files: HashMap<String, usize>,
    new_files: Vec<String>,
    /// The functions' names, and their numbers.
    names: Vec<&'t str>,
    numbers: HashMap<&'t str, usize>,
    /// The last directive with each position in the function that is written: its text, and the texts of the calls
    /// around it.
    last: HashMap<Position, String>,
    next_file: usize,
}

impl<'t> Writer<'t> {
    fn new(text: &str) -> Self {
        let files: HashMap<_, _> = text.lines().filter_map(file).collect();
        let next_file = text.lines().filter_map(file).map(|(_, number)| number + 1).max().unwrap_or(1);
        Writer {
            text: String::with_capacity(2 * text.len()),
            has_calls: true,
            files,
            new_files: Vec::new(),
            names: Vec::new(),
            numbers: HashMap::new(),
            last: HashMap::new(),
            next_file,
        }
    }

    fn copy(&mut self, line: &str) {
        if line.trim_end() == "{" && line.starts_with('{') {
            self.last.clear();
        }
        self.text.push_str(line);
    }

    /// Writes the directive of a place. Code without a line comes from no call.
    fn place(&mut self, Numbered { file, line, number: _ }: Numbered, frames: &'t [Frame]) {
        let Some((own, calls)) = frames.split_first() else { return };
        let own_position = (file, line, own.column);
        if line == 0 || !self.has_calls {
            self.write(own_position, "");
            return;
        }
        // The outermost call is in no inlined function, so it has no name.
        let mut around = String::new();
        let mut outer: Option<Position> = None;
        let inner: Vec<_> = std::iter::once((own_position, own))
            .chain(calls.iter().map(|frame| ((self.file(frame), frame.line, frame.column), frame)))
            .collect();
        for (depth, (position, frame)) in inner.iter().enumerate().rev() {
            let from = match outer {
                None => String::new(),
                Some((file, line, column)) => {
                    format!(", function_name {LABEL}{}, inlined_at {file} {line} {column}", self.name(&frame.function))
                }
            };
            let (file, line, column) = position;
            let _ = write!(around, "{file} {line} {column}{from};");
            // The directive of the instruction itself is always written.
            if depth == 0 || self.last.get(position) != Some(&around) {
                self.write(*position, &from);
                let _ = self.last.insert(*position, around.clone());
            }
            outer = Some(*position);
        }
    }

    fn write(&mut self, (file, line, column): Position, from: &str) {
        let _ = writeln!(self.text, "\t.loc\t{file} {line} {column}{from}");
    }

    /// The number of the file of a call.
    fn file(&mut self, frame: &Frame) -> usize {
        let path = match frame.file.starts_with('/') || frame.folder.is_empty() {
            true => frame.file.clone(),
            false => format!("{}/{}", frame.folder, frame.file),
        };
        if let Some(number) = self.files.get(&path) {
            return *number;
        }
        let number = self.next_file;
        self.next_file += 1;
        self.new_files.push(path.clone());
        let _ = self.files.insert(path, number);
        number
    }

    /// The number of a function's name.
    fn name(&mut self, name: &'t str) -> usize {
        let (names, next) = (&mut self.names, self.numbers.len());
        *self.numbers.entry(name).or_insert_with(|| {
            names.push(name);
            next
        })
    }

    /// The text, with the files and the names that it refers to.
    fn finish(mut self) -> String {
        let first = self.next_file - self.new_files.len();
        for (number, path) in self.new_files.iter().enumerate() {
            let _ = writeln!(self.text, "\t.file\t{} \"{path}\"", first + number);
        }
        if !self.names.is_empty() {
            self.text.push_str("\t.section\t.debug_str\n\t{\n");
            for (number, name) in self.names.iter().enumerate() {
                let bytes: Vec<_> = name.bytes().chain([0]).map(|byte| byte.to_string()).collect();
                let _ = writeln!(self.text, "{LABEL}{number}:");
                // A line of PTX is not too long for any assembler.
                for part in bytes.chunks(32) {
                    let _ = writeln!(self.text, ".b8 {}", part.join(","));
                }
            }
            self.text.push_str("\t}\n");
        }
        self.text
    }
}

/// The path and the number of a `.file` directive.
fn file(line: &str) -> Option<(String, usize)> {
    let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
    let path = path.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((path.to_owned(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str, line: u32) -> Frame {
        let [file, folder, function] = [file, "/app", function].map(str::to_owned);
        Frame { file, folder, line, column: 7, function }
    }

    fn show(version: &str, body: &str, places: &[Vec<Frame>]) -> String {
        let text = format!(".version {version}\n{body}\t.file\t4 \"/app/src/main.rs\"\n");
        let shown = String::from_utf8(show_calls(text.into_bytes(), places)).unwrap();
        shown.strip_prefix(&format!(".version {version}\n")).unwrap().to_owned()
    }

    #[test]
    fn calls_are_written_once_in_a_function() {
        let places = [
            vec![frame("f", "src/main.rs", 5), frame("k", "src/main.rs", 10)],
            vec![frame("f", "src/main.rs", 6), frame("k", "src/main.rs", 10)],
        ];
        let body = "{\n\t.loc\t4 5 1\n\t.loc\t4 6 2\n}\n{\n\t.loc\t4 6 2\n}\n";
        let call = "\t.loc\t4 10 7\n";
        let inlined = |line: u32| format!("\t.loc\t4 {line} 7, function_name $L__inlined0, inlined_at 4 10 7\n");
        let expected = format!("{{\n{call}{}{}}}\n{{\n{call}{}}}\n", inlined(5), inlined(6), inlined(6));
        let names = "\t.section\t.debug_str\n\t{\n$L__inlined0:\n.b8 102,0\n\t}\n";
        let file = "\t.file\t4 \"/app/src/main.rs\"\n";
        assert_eq!(show("7.2", body, &places), format!("{expected}{file}{names}"));
    }

    #[test]
    fn what_has_no_calls_has_the_columns_of_the_source() {
        let places = [vec![frame("f", "/other.rs", 5), frame("k", "src/main.rs", 10)]];
        let file = "\t.file\t4 \"/app/src/main.rs\"\n";
        let plain = |body: &str| format!("{body}{file}");
        // An old version, debug sections, code without a line.
        assert_eq!(show("7.1", "\t.loc\t9 5 1\n", &places), plain("\t.loc\t9 5 7\n"));
        let debug = "\t.section\t.debug_info\n";
        assert_eq!(show("7.2", &format!("\t.loc\t9 5 1\n{debug}"), &places), plain(&format!("\t.loc\t9 5 7\n{debug}")));
        assert_eq!(show("7.2", "\t.loc\t9 0 1\n", &places), plain("\t.loc\t9 0 7\n"));
        // Columns that are no numbers of places, and other text.
        for other in ["\t.loc\t9 5 0\n", "\t.loc\t9 5 2\n", "\t.loc\t9\n", "\tret;\n"] {
            assert_eq!(show("7.2", other, &places), plain(other));
        }
        assert_eq!(show("7.2", "\t.loc\t9 5 1\n", &[]), plain("\t.loc\t9 5 1\n"));
    }
}
