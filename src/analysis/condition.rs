//! How conditions are made of comparisons.

use crate::llvm::{Opcode, Value};

/// How an `i1` gets a wanted result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition<'c> {
    /// It is a comparison of integers or pointers.
    Comparison,
    /// This part has the other result.
    Not(Value<'c>),
    /// Both parts have the wanted result.
    All(Parts<'c>),
    /// One of the parts has the wanted result.
    Any(Parts<'c>),
}

/// The two parts of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'c> {
    /// The first and the second part.
    pub both: [Value<'c>; 2],
    /// Whether the second part may be poison if the first one decides alone, as in `a && b` of Rust.
    pub in_turn: bool,
}

impl<'c> Condition<'c> {
    /// How `value` becomes `wanted`; none if it is no `i1`, or made in another way.
    pub fn of(value: Value<'c>, wanted: bool) -> Option<Self> {
        if !value.is_instruction() || value.ty().int_width() != Some(1) {
            return None;
        }
        let is = |number: u32, constant: u64| value.operand(number).as_u64() == Some(constant);
        let join = |second: u32, is_and: bool, in_turn: bool| {
            let parts = Parts { both: [value.operand(0), value.operand(second)], in_turn };
            if is_and == wanted { Condition::All(parts) } else { Condition::Any(parts) }
        };
        Some(match value.opcode() {
            Opcode::ICmp => Condition::Comparison,
            Opcode::Xor if is(1, 1) => Condition::Not(value.operand(0)),
            Opcode::And => join(1, true, false),
            Opcode::Or => join(1, false, false),
            Opcode::Select if is(2, 0) => join(1, true, true),
            Opcode::Select if is(1, 1) => join(2, false, true),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    /// Computes a condition by its parts.
    fn evaluate(value: Value<'_>, wanted: bool, arguments: [bool; 2]) -> bool {
        let part = |part: Value<'_>| evaluate(part, wanted, arguments);
        match Condition::of(value, wanted) {
            None | Some(Condition::Comparison) => {
                let parameters = value.is_argument().then(|| arguments[usize::from(value.name() == "b")]);
                parameters.or(value.as_u64().map(|bit| bit == 1)).unwrap() == wanted
            }
            Some(Condition::Not(part)) => evaluate(part, !wanted, arguments),
            Some(Condition::All(parts)) => parts.both.into_iter().all(part),
            Some(Condition::Any(parts)) => parts.both.into_iter().any(part),
        }
    }

    #[test]
    fn parts_have_the_results_that_the_condition_wants() {
        type Expected = fn(bool, bool) -> bool;
        let all: [(&str, Expected); 6] = [
            ("and i1 %a, %b", |a, b| a && b),
            ("or i1 %a, %b", |a, b| a || b),
            ("select i1 %a, i1 %b, i1 false", |a, b| a && b),
            ("select i1 %a, i1 true, i1 %b", |a, b| a || b),
            ("xor i1 %a, true", |a, _| !a),
            ("select i1 %n, i1 %b, i1 false", |a, b| !a && b),
        ];
        for (text, expected) in all {
            let text =
                format!("define i1 @f(i1 %a, i1 %b) {{\n  %n = xor i1 %a, true\n  %c = {text}\n  ret i1 %c\n}}\n");
            let context = Context::create();
            let module = Module::from_text(&context, text.as_bytes(), "f").unwrap();
            let condition = module.function("f").unwrap().instructions().nth(1).unwrap();
            for (a, b, wanted) in (0..8).map(|bits| (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)) {
                assert_eq!(evaluate(condition, wanted, [a, b]), expected(a, b) == wanted, "{text} {a} {b} {wanted}");
            }
        }
    }

    #[test]
    fn other_instructions_are_no_conditions() {
        let text = b"define i8 @f(i8 %a, i1 %b, i1 %c) {\n  %x = and i8 %a, 1\n  %y = xor i1 %b, %c\n  \
            %z = select i1 %b, i1 %c, i1 %y\n  %w = xor i8 %a, 1\n  %v = icmp eq i8 %x, %w\n  ret i8 %x\n}\n";
        let context = Context::create();
        let module = Module::from_text(&context, text, "f").unwrap();
        let kinds: Vec<_> = module.function("f").unwrap().instructions().map(|i| Condition::of(i, true)).collect();
        assert_eq!(kinds, [None, None, None, None, Some(Condition::Comparison), None]);
    }
}
