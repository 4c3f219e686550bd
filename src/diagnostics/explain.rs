//! The explanations of codes: one as text for `--explain`, and all as `docs/errors.md`. The source of both is the table
//! in `code.rs`.

use super::{Code, Severity};

/// The width of the text in columns.
const WIDTH: usize = 100;

const INTRODUCTION: &str = "\
# Errors and warnings

`make bless` writes this file from the table in `src/diagnostics/code.rs`. `offloadc --explain OFC0007` prints the same text. The
meaning of a code never changes. Every error names the kernels, the call chain and the archs; `-g` or
`-C debuginfo=line-tables-only` adds source lines. With `--message-format=json`, each error is one line of JSON in the form of
rustc's.
";

impl Code {
    /// The output of `--explain`.
    pub fn explanation(self) -> String {
        let kind = match self.severity() {
            Severity::Error => String::new(),
            other => format!(" ({}; -W{}, -Wno-{})", other.name(), self.name(), self.name()),
        };
        let mut text = format!("{self}: {}{kind}\n", self.title());
        for paragraph in self.text().split("\n\n") {
            text += "\n";
            text += &if paragraph.starts_with(' ') { paragraph.to_owned() } else { wrap(paragraph) };
            text += "\n";
        }
        text
    }
}

/// The text of `docs/errors.md`.
pub fn document() -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n| code | name | meaning |\n|---|---|---|\n";
    for code in Code::ALL {
        text += &format!("| [{code}](#{}) | `{}` | {} |\n", anchor(*code), code.name(), code.title());
    }
    for code in Code::ALL {
        text += &format!("\n## {code}\n\n{}: {}.\n\n{}\n", kind(*code), code.title(), code.text());
    }
    text
}

fn anchor(code: Code) -> String {
    code.to_string().to_lowercase()
}

fn kind(code: Code) -> String {
    match code.severity() {
        Severity::Error => "Error".to_owned(),
        Severity::Warning => format!("Warning (`-Wno-{}` hides it)", code.name()),
        Severity::Note | Severity::Remark => format!("Note (`-Wno-{}` hides it)", code.name()),
    }
}

/// Wraps `paragraph` into lines of at most [`WIDTH`] columns.
fn wrap(paragraph: &str) -> String {
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let last = lines.last_mut().expect("it starts with one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        *last += word;
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_in_sentences() {
        for code in Code::ALL {
            let text = code.text();
            assert!(text.len() > 60 && !text.contains("  -") && !text.contains(" \n"), "{code}: {text}");
            assert!(text.ends_with('.') || text.contains("\n    "), "{code}: {text}");
        }
    }

    #[test]
    fn lines_are_short_and_examples_stay_whole() {
        let text = Code::NotFunction.explanation();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("\n    #[used]\n    #[link_section"), "{text}");
    }
}
