//! Assembly without an instruction, which hides a value or the contents of memory from a host's optimiser. Examples are
//! `core::hint::black_box`, and `asm!("/*{0}*/", inlateout(reg) x)` in crates.

use crate::llvm::{Builder, Value};

/// Whether a call is of assembly that contains at most comments.
pub fn is_empty_assembly(call: Value<'_>) -> bool {
    call.calls_inline_asm() && without_comments(&call.inline_asm_text()).trim().is_empty()
}

/// The value of a call of empty assembly: each result is the operand in the same register, or 0 if there is none. None
/// if the constraints are not understood.
pub fn value_of_empty<'c>(call: Value<'c>) -> Option<Value<'c>> {
    let constraints = call.inline_asm_constraints();
    let mut arguments = call.arguments().into_iter();
    let (mut results, mut fields) = (0, Vec::new());
    for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')) {
        match (constraint.strip_prefix('='), constraint.parse::<usize>()) {
            (Some(output), _) if output.contains('*') => drop(arguments.next()?),
            (Some(_), _) => results += 1,
            (None, Ok(output)) => fields.push((output, arguments.next()?)),
            (None, Err(_)) if constraint.contains('+') => return None,
            (None, Err(_)) => drop(arguments.next()?),
        }
    }
    let held = |at: usize| fields.iter().find(|(output, _)| *output == at).map(|(_, value)| *value);
    let parts = call.ty().parts();
    let types = if results == 1 { vec![call.ty()] } else { parts };
    let values = types.into_iter().enumerate().map(|(at, ty)| match held(at) {
        Some(value) => (value.ty() == ty).then_some(value),
        None => Some(ty.zero()),
    });
    let values: Vec<_> = values.collect::<Option<_>>()?;
    match values[..] {
        _ if values.len() != results => None,
        [one] => Some(one),
        _ => {
            let builder = Builder::before(call);
            let whole = |whole, (at, value)| builder.insert_value(whole, value, at, "");
            Some((0..).zip(values).fold(call.ty().poison(), whole))
        }
    }
}

/// The text without comments of an x86-64 assembler.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(['/', '#']) {
        let (before, from) = rest.split_at(at);
        kept += before;
        let end = match from {
            block if block.starts_with("/*") => block[2..].find("*/").map(|end| end + 4),
            line if line.starts_with('#') || line.starts_with("//") => Some(line.find('\n').unwrap_or(line.len())),
            _ => None,
        };
        let Some(end) = end else { return kept + from };
        kept.push(' ');
        rest = &from[end..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_instructions_stay() {
        for text in ["", " \n", "/*$0*/", "/* a */ /* b\n c */", "# $0 nop\n", "// nop", "#", "/**/"] {
            assert_eq!(without_comments(text).trim(), "", "{text:?}");
        }
        for (text, left) in [("nop", "nop"), ("/* a */ nop # b", "nop"), ("# a\nnop", "nop"), ("/* nop", "/* nop")] {
            assert_eq!(without_comments(text).trim(), left, "{text:?}");
        }
        assert_eq!(without_comments("a / b"), "a / b");
        assert_eq!(without_comments("/*/ nop"), "/*/ nop");
    }
}
