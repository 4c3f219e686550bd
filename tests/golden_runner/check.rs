//! Compares the output of a command with the expectation in the golden file.

use super::file::Check;

/// The differences as a unified diff headed `expected` and `actual`, or nothing.
pub(crate) fn difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let diff = similar::TextDiff::from_lines(expected, actual);
    Some(diff.unified_diff().header("expected", "actual").to_string())
}

/// Matches `checks` against the lines of `output`. The error contains the check that failed.
pub(crate) fn match_checks(checks: &[&Check], output: &str) -> Result<(), String> {
    let lines: Vec<String> = output.lines().map(squeeze).collect();
    let mut next = 0;
    let mut forbidden: Vec<&str> = Vec::new();
    for check in checks {
        if check.negative {
            forbidden.push(&check.pattern);
            continue;
        }
        let found = lines[next..].iter().position(|line| holds(line, &check.pattern));
        let found = found.ok_or_else(|| format!("no line from {} on holds `{}`", next + 1, check.pattern))?;
        refuse(&lines[next..next + found], &forbidden)?;
        forbidden.clear();
        next += found + 1;
    }
    refuse(&lines[next..], &forbidden)
}

fn refuse(lines: &[String], forbidden: &[&str]) -> Result<(), String> {
    for line in lines {
        if let Some(pattern) = forbidden.iter().find(|pattern| holds(line, pattern)) {
            return Err(format!("`{line}` holds `{pattern}`, which a CHECK-NOT forbids"));
        }
    }
    Ok(())
}

/// Whether `line` contains the parts of `pattern` between `{{.*}}`, in order.
fn holds(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    squeeze(pattern).split("{{.*}}").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// `line` with each run of blanks replaced by one blank.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
