//! Indices that wrap around at an edge.
//!
//! Where the edges of a field meet, the neighbour in the west is `if x == 0 { width - 1 } else { x - 1 }`, which LLVM
//! makes a selection. Such an index is not affine, so the elements would be gathered. Its condition is one of the row:
//! in the range of x in which it has its usual result, the index is the one that increases with x.

use std::collections::HashMap;

use super::{Decision, Found, Row};
use crate::llvm::{Opcode, Value};

impl<'c> Row<'c> {
    /// Decides the conditions of such indices.
    pub(super) fn decide_wraps(self) -> (Self, Vec<Decision<'c>>) {
        let mut found = Found { conditions: Vec::new(), others_leave: true };
        let selections: Vec<_> = self.prologue.instructions().filter(|i| i.is(Opcode::Select)).collect();
        for selection in &selections {
            if let Some(number) = self.rising_side(*selection) {
                self.guess(selection.operand(0), number == 1, &mut found);
            }
        }
        // The same conditions decide other selections, too.
        let settled = |selection: &Value<'c>| {
            let holds = self.result(selection.operand(0), &found.conditions)?;
            Some((*selection, if holds { 1 } else { 2 }))
        };
        let decided: HashMap<_, _> = selections.iter().filter_map(settled).collect();
        (Row { decided, ..self }, found.conditions)
    }

    /// The number of the operand that depends on x, of a selection of an index whose other operand is the same in the
    /// row and whose condition is not.
    fn rising_side(&self, selection: Value<'c>) -> Option<u32> {
        let is_index = selection.ty().int_width().is_some_and(|width| width == 32 || width == 64);
        let [condition, sides @ ..] = &selection.operands()[..] else { return None };
        let varies = |v: &Value<'c>| self.varying.contains(v);
        match sides.iter().map(varies).collect::<Vec<_>>()[..] {
            [true, false] if is_index && varies(condition) => Some(1),
            [false, true] if is_index && varies(condition) => Some(2),
            _ => None,
        }
    }
}
