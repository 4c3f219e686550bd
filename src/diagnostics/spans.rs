//! Spans of rustc's JSON, from the line and column of a location and the file's text.

use std::path::Path;

use serde_json::{Value, json};

use super::Location;

/// A location. `label` is a text beside it: the function that is called there, for a place on the call path.
pub(super) fn span(location: &Location, label: Option<&str>, is_primary: bool) -> Value {
    let path = location.path();
    let found = text_at(&path, location);
    let Found { start, end, columns: (from, to), line } = found.unwrap_or(Found {
        start: 0,
        end: 0,
        columns: (location.column.max(1), location.column.max(1)),
        line: None,
    });
    let text: Vec<_> =
        line.iter().map(|line| json!({"text": line, "highlight_start": from, "highlight_end": to})).collect();
    json!({
        "file_name": path.display().to_string(),
        "byte_start": start,
        "byte_end": end,
        "line_start": location.line.max(1),
        "line_end": location.line.max(1),
        "column_start": from,
        "column_end": to,
        "is_primary": is_primary,
        "text": text,
        "label": label,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}

/// Where a location is in a text.
struct Found {
    /// The bytes of the file.
    start: usize,
    end: usize,
    /// The columns in characters, from 1; the second one is just past the text.
    columns: (u32, u32),
    line: Option<String>,
}

/// The path, or else the character, at a location. Columns of debug information are bytes, and those of rustc
/// characters. None if the file has no such place: it may have changed.
fn text_at(path: &Path, location: &Location) -> Option<Found> {
    let source = std::fs::read_to_string(path).ok()?;
    let number = usize::try_from(location.line).ok()?.checked_sub(1)?;
    let start_of_line: usize = source.split_inclusive('\n').take(number).map(str::len).sum();
    let line = source.get(start_of_line..)?.split('\n').next()?.trim_end_matches('\r');
    let at = usize::try_from(location.column).ok()?.saturating_sub(1);
    let (before, rest) = line.split_at_checked(at)?;
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // A line without a column stands for itself.
    let end = rest.find(|c: char| !is_path(c)).unwrap_or(rest.len());
    let length = match rest[..end].trim_end_matches(':').len() {
        _ if location.column == 0 => rest.len(),
        0 => rest.chars().next().map_or(0, char::len_utf8),
        length => length,
    };
    let characters = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX - 1);
    let from = characters(before) + 1;
    let to = from + characters(&rest[..length]);
    let start = start_of_line + at;
    Some(Found { start, end: start + length, columns: (from, to), line: Some(line.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_the_path_at_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        std::fs::write(&path, "fn a() {}\n  let ü = a::lock(x);\n  a: b").unwrap();
        let file = path.display().to_string();
        let at = |line, column| {
            let location = Location { file: file.clone(), line, column, ..Location::default() };
            let span = span(&location, None, true);
            let number = |key: &str| span[key].as_u64().unwrap();
            (["byte_start", "byte_end", "column_start", "column_end"].map(number), span["text"].clone())
        };
        // The column is that of a byte, and `ü` has two.
        let (numbers, text) = at(2, 12);
        assert_eq!(numbers, [21, 28, 11, 18]);
        assert_eq!(text[0]["text"], "  let ü = a::lock(x);");
        assert_eq!((text[0]["highlight_start"].as_u64(), text[0]["highlight_end"].as_u64()), (Some(11), Some(18)));
        assert_eq!(at(3, 3).0[2..], [3, 4]);
        assert_eq!(at(1, 5).0, [4, 5, 5, 6]);
        assert_eq!(at(1, 0).0, [0, 9, 1, 10]);
        // The file has changed.
        assert_eq!(at(9, 4).0, [0, 0, 4, 4]);
        assert_eq!(at(1, 40).0, [0, 0, 40, 40]);
    }
}
