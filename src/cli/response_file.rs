//! Response files: `@file` on the command line is replaced by the arguments in that file.
//!
//! Quoting is as in GNU's tools: white space separates arguments, `'…'` and `"…"` quote it, and a backslash quotes the
//! next character. A file may name other ones, relative to the working directory. In contrast to GNU's tools, a missing
//! file is an error, because its name as an input would cause a more confusing one.

use crate::error::{Error, Result, in_words};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Sufficient for any build system; a file that names itself ends here.
const DEPTH: usize = 32;

/// The command line with every `@file` replaced by its contents. A single `@` is not replaced.
pub fn expand(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>> {
    let mut expanded = Vec::new();
    for argument in arguments {
        expand_one(argument, DEPTH, &mut expanded)?;
    }
    Ok(expanded)
}

/// The text of a response file with these arguments.
pub fn text(arguments: &[OsString]) -> Vec<u8> {
    let special = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'\'' | b'"');
    let quoted = |word: &OsString| {
        let bytes = word.as_bytes().iter().flat_map(|b| if special(*b) { vec![b'\\', *b] } else { vec![*b] });
        bytes.chain([b'\n']).collect::<Vec<_>>()
    };
    arguments.iter().flat_map(quoted).collect()
}

fn expand_one(argument: OsString, depth: usize, expanded: &mut Vec<OsString>) -> Result<()> {
    let path = match argument.as_bytes() {
        [b'@', path @ ..] if !path.is_empty() => Path::new(std::ffi::OsStr::from_bytes(path)),
        _ => {
            expanded.push(argument);
            return Ok(());
        }
    };
    let shown = path.display();
    if depth == 0 {
        return Err(Error::new(format!("response file `{shown}`: nested more than {DEPTH} deep")));
    }
    let text = std::fs::read(path)
        .map_err(|error| Error::new(format!("cannot read response file `{shown}`: {}", in_words(&error))))?;
    for argument in split(&text) {
        expand_one(argument, depth - 1, expanded)?;
    }
    Ok(())
}

/// Splits text into arguments by GNU's rules.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut arguments = Vec::new();
    // `None` between arguments, so that `''` is an argument and white space is not.
    let mut argument: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => argument.get_or_insert_default().extend(bytes.next()),
            (_, Some(open)) if byte == open => quote = None,
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                argument.get_or_insert_default();
            }
            (_, None) if byte.is_ascii_whitespace() => arguments.extend(argument.take()),
            _ => argument.get_or_insert_default().push(byte),
        }
    }
    arguments.extend(argument);
    arguments.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_gnu() {
        let text = b"a  'b c'\n\"d \\\" e\" f\\ g '' h'i'j\n";
        assert_eq!(split(text), ["a", "b c", "d \" e", "f g", "", "hij"].map(OsString::from));
        assert_eq!(split(b" \n\t"), Vec::<OsString>::new());
    }

    #[test]
    fn files_nest_and_never_loop() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let at = |name: &str| OsString::from(format!("@{}", path(name).display()));
        std::fs::write(path("inner"), "-O2 x.bc").unwrap();
        std::fs::write(path("outer"), format!("-g @{} -v", path("inner").display())).unwrap();
        std::fs::write(path("loop"), format!("@{}", path("loop").display())).unwrap();

        let expanded = expand([OsString::from("@"), at("outer")]).unwrap();
        assert_eq!(expanded, ["@", "-g", "-O2", "x.bc", "-v"].map(OsString::from));
        assert!(expand([at("loop")]).unwrap_err().to_string().contains("nested more than 32 deep"));
        let missing = expand([at("missing")]).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read response file `"), "{missing}");
        assert!(missing.ends_with("missing`: no such file or directory"), "{missing}");
    }
}
