//! Compares addresses with numbers in the generic address space, where the program does.
//!
//! LLVM infers that a pointer is private or shared, and then casts both operands of its comparisons. A cast of a number
//! gives no address: a back end that subtracts the start of an aperture, or drops the upper half, makes another number
//! of it, which a small offset may equal. Rust has such comparisons wherever a check for null or for an overflow of
//! addresses is one with a constant. The pointer's generic address is therefore compared as an integer, which LLVM's
//! back ends leave alone.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::{Builder, Module, Opcode, Value};

/// Rewrites the comparisons of pointers with numbers in `module`. It runs after the last pass that makes comparisons of
/// integers into comparisons of pointers.
pub fn compare_as_numbers(module: &Module<'_>, spaces: &AddressSpaceMap) {
    let all = module.definitions().flat_map(|f| f.instructions().collect::<Vec<_>>());
    for comparison in all.filter(|instruction| instruction.is(Opcode::ICmp)) {
        let sides = [comparison.operand(0), comparison.operand(1)];
        let numbers = sides.map(|side| number_of(side, spaces));
        if numbers.iter().any(Option::is_some) {
            compare(comparison, sides, numbers, spaces);
        }
    }
}

/// The number that a generic pointer is made of, or that was one before it was cast to another address space.
fn number_of<'c>(pointer: Value<'c>, spaces: &AddressSpaceMap) -> Option<Value<'c>> {
    let is_cast = pointer.constant_opcode() == Some(Opcode::AddrSpaceCast);
    let generic = if is_cast { pointer.operand(0) } else { pointer };
    let is_number = generic.constant_opcode() == Some(Opcode::IntToPtr);
    (is_number && generic.ty().address_space() == spaces.of(Role::Generic)).then(|| generic.operand(0))
}

fn compare<'c>(
    comparison: Value<'c>,
    sides: [Value<'c>; 2],
    numbers: [Option<Value<'c>>; 2],
    spaces: &AddressSpaceMap,
) {
    let builder = Builder::before(comparison);
    let word = comparison.types().i64();
    let generic = comparison.types().ptr(spaces.of(Role::Generic));
    let as_number = |side: Value<'c>, number: Option<Value<'c>>| {
        number.filter(|number| number.ty() == word).unwrap_or_else(|| {
            let address = if side.ty() == generic { side } else { builder.address_space_cast(side, generic, "") };
            builder.cast(Opcode::PtrToInt, address, word, "")
        })
    };
    let [left, right] = [as_number(sides[0], numbers[0]), as_number(sides[1], numbers[1])];
    comparison.replace_all_uses_with(builder.icmp(comparison.icmp_predicate(), left, right, ""));
    comparison.erase();
}
