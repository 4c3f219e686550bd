//! Values that are known before all threads.

use crate::analysis::effects::{depends_on_operands_alone, made_of};
use crate::llvm::{Opcode, Value};

/// Whether a value is the same in all threads and before all of them.
pub(crate) fn is_decided<'c>(value: Value<'c>, own: &[Value<'c>]) -> bool {
    let is_known = |v: Value<'c>| match v.is_instruction() {
        false => !own.contains(&v),
        true => v.is(Opcode::Freeze) || depends_on_operands_alone(v),
    };
    made_of(value, is_known).into_iter().all(is_known)
}
