//! Checks that a mask names the calling lane, where it names all lanes of a warp.
//!
//! `report_masks.rs` knows that a mask of 64 bits names every lane. On the CPU, `u32::MAX` names all of a warp of 32.
//! Its check would be a way out of a loop over the distances of shuffles, and `unroll.rs` would leave that loop alone.

use crate::llvm::{IntPredicate, Module, Opcode, Value};
use crate::spmd::region::position::LANE;
use crate::spmd::region::stops::all_lanes;

/// Decides these checks, for warps with this number of lanes. Returns whether there are any.
pub(crate) fn decide_full_masks(module: &Module<'_>, lanes: u32) -> bool {
    let Some(lane) = module.function(LANE) else { return false };
    let known = all_lanes(lanes);
    let is_zero_test = |user: &Value<'_>| user.is(Opcode::ICmp) && user.operand(1).is_null();
    // (1 << lane) & mask
    let is_one = |user: &Value<'_>| user.is(Opcode::Shl) && user.operand(0).as_u64() == Some(1);
    let is_full = |v: Value<'_>| v.as_u64().is_some_and(|mask| mask & known == known);
    let names_all = |user: &Value<'_>| user.is(Opcode::And) && user.operands().into_iter().any(is_full);
    let numbers = lane.calls().into_iter().flat_map(|call| call.users()).filter(|user| user.is(Opcode::ZExt));
    let bits = numbers.flat_map(|number| number.users().into_iter().filter(is_one));
    let named = bits.flat_map(|bit| bit.users().into_iter().filter(names_all));
    let checks: Vec<_> = named.flat_map(|own| own.users().into_iter().filter(is_zero_test)).collect();
    for check in &checks {
        // The lane's bit is one of the mask's.
        let result = match check.icmp_predicate() {
            IntPredicate::Eq => 0,
            IntPredicate::Ne => 1,
            _ => continue,
        };
        check.replace_all_uses_with(check.ty().constant(result));
        check.erase();
    }
    !checks.is_empty()
}
