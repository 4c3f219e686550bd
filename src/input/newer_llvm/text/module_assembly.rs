//! `module asm`: assembly beside functions, with the processor and the features for which it is assembled.
//!
//! LLVM 23 writes the properties once, and the lines of assembly as strings below them. In LLVM 22, each string has its
//! own `module asm`, and no properties: it is assembled for the processor of its module. Without them the assembler may
//! refuse an instruction, and never makes another one of it.

/// The word before `asm`.
pub(super) const BEFORE: &str = "module ";

/// The properties that LLVM 23 writes.
const KNOWN: [&str; 2] = ["target_cpu", "target_features"];

/// Rewrites the properties and strings at the beginning of `text`, which follow the words `module asm`. Returns the
/// length of the text that it rewrites, and the new text, in which each string has these words.
pub(super) fn each_line_by_itself(text: &str) -> Result<(usize, String), String> {
    let mut position = if text.starts_with('(') { properties(text)?.len() } else { 0 };
    let mut new = String::new();
    loop {
        let rest = &text[position..];
        let string = rest.trim_start();
        let Some((line, _)) = string.strip_prefix('"').and_then(|string| string.split_once('"')) else {
            return Ok((position, new));
        };
        let (space, length) = (rest.len() - string.len(), line.len() + 2);
        // The space between the words and a string on a separate line.
        new.push_str(if rest[..space].contains('\n') { &rest[..space] } else { "" });
        new.push_str("module asm ");
        new.push_str(&string[..length]);
        position += space + length;
    }
}

/// The list at the beginning of `text`, with its parentheses. The values are strings, which may contain parentheses.
fn properties(text: &str) -> Result<&str, String> {
    let mut rest = text.strip_prefix('(').unwrap_or(text);
    loop {
        let (name, value) = rest.split_once(':').ok_or("`module asm` with a list that does not end")?;
        let name = name.trim_matches([',', ' ']);
        if !KNOWN.contains(&name) {
            return Err(format!("`module asm` with `{name}`"));
        }
        let value = value.trim_start().strip_prefix('"').and_then(|value| value.split_once('"'));
        let (_, behind) = value.ok_or_else(|| format!("`module asm` with `{name}` that is no string"))?;
        if let Some(end) = behind.strip_prefix(')') {
            return Ok(&text[..text.len() - end.len()]);
        }
        rest = behind;
    }
}
