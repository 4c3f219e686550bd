//! Joins the PTX of the parts of a module into one text.
//!
//! A text begins with its version, its arch and the size of addresses. The joined text has these lines once, with the
//! highest version. A declaration with `.extern` that several parts have, such as that of launch-sized shared memory,
//! occurs once. The names of everything else differ, because [`name_locals_apart`] has run.

use std::collections::HashSet;

use super::ptx::version_of;
use crate::error::{Error, Result};
use crate::llvm::{Module, Value};

/// The directives at the start of a text.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];
/// The directive of a declaration.
const EXTERN: &str = ".extern";

/// Appends the name of the part's first kernel to the names of its functions and variables: copies in other parts have
/// other names.
pub(super) fn name_locals_apart(module: &Module<'_>, kernel: &str) {
    let locals = module.globals().into_iter().filter(|global| !global.is_declaration() && global.has_local_linkage());
    locals.for_each(|local: Value<'_>| local.set_name(&format!("{}${kernel}", local.name())));
}

/// One text with all of `parts`.
pub(super) fn texts(parts: &[Vec<u8>]) -> Result<Vec<u8>> {
    let newest = parts.iter().max_by_key(|part| version_of(part)).ok_or_else(|| Error::internal("no part"))?;
    let mut joined = Vec::new();
    let mut declared = HashSet::new();
    for line in lines(newest).take_while(|line| !begins(line, HEADER[2])) {
        joined.extend_from_slice(line);
    }
    let address_size = lines(newest).find(|line| begins(line, HEADER[2]));
    joined.extend_from_slice(address_size.ok_or_else(|| Error::internal("PTX without the size of addresses"))?);
    for part in parts {
        append_body(part, &mut declared, &mut joined);
    }
    Ok(joined)
}

/// Appends all statements after the header but repeated declarations.
fn append_body(part: &[u8], declared: &mut HashSet<Vec<u8>>, joined: &mut Vec<u8>) {
    let mut lines = lines(part).skip_while(|line| !begins(line, HEADER[2])).skip(1);
    while let Some(line) = lines.next() {
        if !begins(line, EXTERN) {
            joined.extend_from_slice(line);
            continue;
        }
        let mut statement = line.to_vec();
        while !statement.trim_ascii_end().ends_with(b";") {
            let Some(more) = lines.next() else { break };
            statement.extend_from_slice(more);
        }
        if declared.insert(statement.clone()) {
            joined.append(&mut statement);
        }
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn begins(line: &[u8], directive: &str) -> bool {
    line.strip_prefix(directive.as_bytes()).is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_is_kept_and_declarations_are_not_repeated() {
        let part = |version: &str, body: &str| {
            format!("//\n// By LLVM\n//\n\n.version {version}\n.target sm_80\n.address_size 64\n{body}").into_bytes()
        };
        let shared = ".extern .shared .b8 s[];\n";
        let print = ".extern .func (.param .b32 r) vprintf\n(\n\t.param .b64 p\n)\n;\n";
        let parts = [
            part("7.0", &format!("{shared}{print}.visible .entry a() {{ ret; }}\n")),
            part("7.8", &format!("{print}{shared}.visible .entry b() {{ ret; }}\n")),
        ];
        let body = format!("{shared}{print}.visible .entry a() {{ ret; }}\n.visible .entry b() {{ ret; }}\n");
        assert_eq!(String::from_utf8(texts(&parts).unwrap()), String::from_utf8(part("7.8", &body)));
        assert!(texts(&[b"no PTX".to_vec()]).is_err());
    }
}
