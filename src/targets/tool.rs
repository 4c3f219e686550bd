//! Runs the external tools that some targets need.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Context, Error, Result};

/// Runs `program` to its end; when it fails, what it wrote to standard error is the error.
pub(super) fn run<A: AsRef<OsStr>>(program: &Path, arguments: impl IntoIterator<Item = A>) -> Result<()> {
    let shown = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let text = if text.trim().is_empty() { output.status.to_string() } else { text.trim().to_owned() };
    Err(Error::new(text).context(format!("`{shown}` failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_what_the_tool_said() {
        let error = run(Path::new("/bin/sh"), ["-c", "echo no good >&2; exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "`sh` failed: no good");
        let error = run(Path::new("/bin/sh"), ["-c", "exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "`sh` failed: exit status: 3");
        let error = run(Path::new("/no/such/tool"), [""]).unwrap_err();
        assert!(error.to_string().starts_with("cannot run `/no/such/tool`"), "{error}");
    }
}
