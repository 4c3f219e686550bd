//! Represents null in address spaces other than the generic one, for back ends that have no such value.
//!
//! LLVM writes `addrspacecast (ptr null to ptr addrspace(5))` if a pointer that is private may be null, or is compared
//! with null. A back end that converts addresses by adding the start of an aperture would produce a meaningless number.
//! 0 is not suitable either, because a shared static may have this address. Null is therefore the largest number, and a
//! pointer that may be null is compared with it when it becomes generic.
//!
//! The back end of NVPTX infers address spaces once more, when it has copied parameters that a kernel receives by value
//! into private memory. It would then compare these with a cast of null, so null is compared with generic pointers as
//! an integer.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// Rewrites the casts of null in `module`.
pub fn keep_null(module: &Module<'_>, spaces: &AddressSpaceMap) {
    let bodies = || module.definitions();
    let all = bodies().flat_map(|f| f.instructions().collect::<Vec<_>>());
    for comparison in all.filter(|instruction| instruction.is(Opcode::ICmp)) {
        compare_as_integers(comparison, spaces);
    }
    for instruction in bodies().flat_map(|f| f.instructions().collect::<Vec<_>>()) {
        for index in 0..instruction.operand_count() {
            if let Some(null) = null_of(instruction.operand(index), spaces) {
                instruction.set_operand(index, null);
            }
        }
    }
    for instruction in bodies().flat_map(|f| f.instructions().collect::<Vec<_>>()) {
        let generic = instruction.ty().is_pointer() && instruction.ty().address_space() == spaces.of(Role::Generic);
        if generic && instruction.is(Opcode::AddrSpaceCast) && may_be_null(instruction.operand(0)) {
            choose_null(instruction);
        }
    }
}

/// Compares a generic pointer with null as an integer.
fn compare_as_integers<'c>(comparison: Value<'c>, spaces: &AddressSpaceMap) {
    let sides = [comparison.operand(0), comparison.operand(1)];
    let ty = sides[0].ty();
    let is_generic = ty.is_pointer() && ty.address_space() == spaces.of(Role::Generic);
    if !is_generic || !sides.iter().any(|side| side.is_null()) {
        return;
    }
    let (builder, word) = (Builder::before(comparison), comparison.types().i64());
    let number =
        |side: Value<'c>| if side.is_null() { word.zero() } else { builder.cast(Opcode::PtrToInt, side, word, "") };
    let [left, right] = sides.map(number);
    comparison.replace_all_uses_with(builder.icmp(comparison.icmp_predicate(), left, right, ""));
    comparison.erase();
}

/// The value that replaces `value` if it is a cast of null from the generic address space.
fn null_of<'c>(value: Value<'c>, spaces: &AddressSpaceMap) -> Option<Value<'c>> {
    let is_cast = value.constant_opcode() == Some(Opcode::AddrSpaceCast);
    let from = is_cast.then(|| value.operand(0)).filter(|from| from.is_null())?;
    let (ty, generic) = (value.ty(), spaces.of(Role::Generic));
    if from.ty().address_space() != generic || ty.address_space() == generic {
        return None;
    }
    Some(if spaces.is_flat(ty.address_space()) { ty.zero() } else { number(value) })
}

/// Null in the address space of a pointer.
fn number(pointer: Value<'_>) -> Value<'_> {
    pointer.types().i64().constant(u64::MAX).constant_pointer(pointer.ty())
}

/// Whether a pointer may be null: null is among the values that it is selected from.
fn may_be_null(pointer: Value<'_>) -> bool {
    let (mut seen, null) = (vec![pointer], number(pointer));
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        let sources = match value.is_instruction().then(|| value.opcode()) {
            Some(Opcode::Phi) => value.incoming().into_iter().map(|(from, _)| from).collect(),
            Some(Opcode::Select) => vec![value.operand(1), value.operand(2)],
            Some(Opcode::Freeze) => vec![value.operand(0)],
            _ => Vec::new(),
        };
        for source in sources {
            if !seen.contains(&source) {
                seen.push(source);
            }
        }
    }
    seen.contains(&null)
}

/// `(void *)(p == NULL_OF_ITS_SPACE ? 0 : (uintptr_t)(generic)p)`. The choice is between numbers, because back ends
/// infer address spaces again, and would make a choice between pointers one between `p` and a cast of null.
fn choose_null(cast: Value<'_>) {
    let users = cast.users();
    let Some(next) = cast.next() else { return };
    let builder = Builder::before(next);
    let pointer = cast.operand(0);
    let none = builder.icmp(IntPredicate::Eq, pointer, number(pointer), "");
    let word = cast.types().i64();
    let number = builder.cast(Opcode::PtrToInt, cast, word, "");
    let number = builder.select(none, word.zero(), number, "");
    let chosen = builder.cast(Opcode::IntToPtr, number, cast.ty(), "");
    for user in users {
        (0..user.operand_count()).filter(|n| user.operand(*n) == cast).for_each(|n| user.set_operand(n, chosen));
    }
}
