//! Limits on the sizes of files, functions and lines.

use crate::source::{Source, none, sources};

/// A larger file probably has more than one purpose. A lower limit makes files out of parts that nothing else uses.
const LONGEST_FILE: usize = 700;

/// A larger function does not fit on a page.
const LONGEST_FUNCTION: usize = 80;

/// rustfmt's limit for code. It does not wrap comments and Markdown.
const WIDEST_LINE: usize = 120;

#[test]
fn files_are_short() {
    let long = |source: &Source| {
        let lines = source.text.lines().count();
        (lines > LONGEST_FILE).then(|| format!("{}: {lines} lines", source.name))
    };
    let code = sources().into_iter().filter(|source| source.has_extension(&["rs", "c", "h", "cpp"]));
    none(code.filter_map(|s| long(&s)).collect(), "split these files by what they do; 350 lines are a good size:");
}

/// The name of the Rust function whose definition starts in a line.
fn rust_function(line: &str) -> Option<&str> {
    let (before, rest) = line.trim_start().split_once("fn ")?;
    let qualifier = |word: &str| {
        ["pub", "const", "async", "unsafe", "extern"].contains(&word)
            || word.starts_with("pub(")
            || word.starts_with('"')
    };
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (before.split_whitespace().all(qualifier) && !name.is_empty()).then_some(name)
}

/// The name of the C function whose definition starts in a line.
fn c_function(line: &str) -> Option<&str> {
    let starts = line.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let (before, _) = line.split_once('(').filter(|_| starts && !line.ends_with(';'))?;
    let name = before.rsplit([' ', '*']).next()?;
    (!name.is_empty()).then_some(name)
}

/// Each function of a file with its first line and its number of lines. Formatters put a function's last brace below
/// its first word, so only the indentation is compared.
fn functions(source: &Source) -> Vec<(usize, String, usize)> {
    let rust = source.has_extension(&["rs"]);
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = (if rust { rust_function(line) } else { c_function(line) }) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |(_, own): &(usize, &&str)| {
            own.strip_prefix(indent).is_some_and(|rest| rest == "}" || (rest.ends_with(';') && !rest.starts_with(' ')))
        };
        let one_line = line.ends_with('}') || line.ends_with(';');
        let last =
            if one_line { Some(index) } else { (index..).zip(&lines[index..]).skip(1).find(ends).map(|(at, _)| at) };
        found.extend(last.map(|last| (index + 1, name.to_owned(), last - index + 1)));
    }
    found
}

#[test]
fn functions_are_short() {
    let mut faults = Vec::new();
    let mut count = 0;
    let code = sources().into_iter().filter(|source| source.has_extension(&["rs", "c", "h", "cpp"]));
    for source in code.filter(|source| !source.name.starts_with("tests/golden/")) {
        for (line, name, length) in functions(&source) {
            count += 1;
            if length > LONGEST_FUNCTION {
                faults.push(format!("{}:{line}: `{name}` has {length} lines", source.name));
            }
        }
    }
    none(faults, "split these functions; the parts have names then:");
    // Otherwise the functions are not found.
    assert!(count > 5000, "{count} functions");
}

/// The lines of a file that no formatter breaks: comments of Rust, and Markdown without its tables. Code in either
/// keeps its lines, and lines of one word, such as links, cannot be broken.
fn prose(source: &Source) -> Vec<(usize, &str)> {
    let markdown = source.has_extension(&["md"]);
    let mut code = false;
    let mut found = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        let start = line.trim_start();
        let comment = start.starts_with("//");
        let text = if markdown { start } else { start.trim_start_matches(['/', '!', ' ']) };
        code = (code ^ text.starts_with("```")) && (markdown || comment);
        let written = !code && (comment || markdown && !start.starts_with('|'));
        if written && start.split_whitespace().count() > 2 {
            found.push((index + 1, line));
        }
    }
    found
}

#[test]
fn comments_and_documents_are_narrow() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.has_extension(&["rs", "md"])) {
        if source.name.starts_with("tests/golden/") || source.is_written_page() {
            continue;
        }
        let wide = |(_, line): &(usize, &str)| line.chars().count() > WIDEST_LINE;
        let lines = prose(source).into_iter().filter(wide);
        faults
            .extend(lines.map(|(number, line)| format!("{}:{number}: {} columns", source.name, line.chars().count())));
    }
    none(faults, "break these lines at 120 columns:");
}

/// Prose before and after `make fmt`. `wide` stands for a text that is too wide for one line, and `rest` for its end.
const WRAPPED: [(&str, &str, &str); 2] = [
    (
        "a.rs",
        "    /// wide rest\n    /// goes on\n    ///\n    /// ```\n    /// let wide = rest;\n    /// ```\n    let a = 1; // wide rest\n",
        "    /// wide\n    /// rest goes on\n    ///\n    /// ```\n    /// let wide = rest;\n    /// ```\n    let a = 1; // wide rest\n",
    ),
    (
        "a.md",
        "# wide rest\n\n- wide rest\n  goes on\n- short\n\n| wide rest |\n\n```text\nwide rest\n```\nshort\nlines\n",
        "# wide rest\n\n- wide\n  rest goes on\n- short\n\n| wide rest |\n\n```text\nwide rest\n```\nshort\nlines\n",
    ),
];

#[test]
fn prose_is_wrapped() {
    let folder = harness::scratch();
    let filled = |text: &str| text.replace("wide", &["word"; 22].join(" ")).replace("rest", "the-whole-rest");
    for (name, before, after) in WRAPPED {
        let file = folder.path().join(name);
        std::fs::write(&file, filled(before)).expect("the folder is ours");
        let mut wrap = std::process::Command::new(harness::root().join("scripts/wrap_prose"));
        let _ = harness::run(wrap.arg(&file)).success();
        assert_eq!(std::fs::read_to_string(&file).expect("the file is ours"), filled(after), "{name}");
    }
}
