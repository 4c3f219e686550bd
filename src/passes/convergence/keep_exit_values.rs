//! Keeps the values with which lanes leave a loop.
//!
//! Lanes of a wave may leave a loop in different iterations, and each keeps the values of its last one. AMD's back end
//! holds a value that all lanes share within an iteration in a scalar register, and copies it to a vector register in
//! each iteration, which only active lanes write. In LLVM 22 its pass SIFoldOperands may replace the copy behind the
//! loop by the scalar register, which then holds the value of the wave's last iteration. LLVM repaired this later ("Fix
//! SIFoldOperands miscompiling values that leave a divergent loop").
//!
//! Empty assembly with a vector register for its result is a copy that no pass looks through. Values that are in vector
//! registers already need no instruction for it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::analysis::cycles::cycles;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, TypeKind, Value};

/// Replaces the uses behind a loop of the values that are computed in it.
pub fn keep_exit_values(module: &Module<'_>) {
    module.functions().into_iter().for_each(keep_those_of);
}

fn keep_those_of(function: Function<'_>) {
    let loops = innermost_loops(function);
    for value in function.instructions().collect::<Vec<_>>() {
        let Some(inside) = loops.get(&value.block()) else { continue };
        let is_behind = |user: &Value<'_>| !inside.contains(&user.block());
        let behind: Vec<_> = value.users().into_iter().filter(is_behind).collect();
        let Some(bits) = bits(value.ty()).filter(|_| !behind.is_empty()) else { continue };
        let kept = keep(value, bits);
        for user in behind {
            (0..user.operand_count()).filter(|at| user.operand(*at) == value).for_each(|at| user.set_operand(at, kept));
        }
    }
}

/// For each block in a cycle, the blocks of the innermost one.
fn innermost_loops(function: Function<'_>) -> HashMap<Block<'_>, Rc<HashSet<Block<'_>>>> {
    let all = function.blocks();
    let successors: Vec<_> = all.iter().map(|block| (*block, block.successors())).collect();
    let (mut innermost, mut next, mut work) = (HashMap::new(), 0, vec![all]);
    while let Some(blocks) = work.get(next).cloned() {
        next += 1;
        for cycle in cycles(&blocks) {
            let inside: Rc<HashSet<_>> = Rc::new(cycle.iter().copied().collect());
            let outside = successors.iter().filter(|(block, _)| !inside.contains(block));
            let entries: HashSet<_> = outside.flat_map(|(_, to)| to).copied().collect();
            innermost.extend(cycle.iter().map(|block| (*block, Rc::clone(&inside))));
            work.push(cycle.into_iter().filter(|block| !entries.contains(block)).collect());
        }
    }
    innermost
}

/// Whether the back end has a tuple of so many vector registers.
fn is_tuple(registers: u32) -> bool {
    registers <= 12 || registers == 16 || registers == 32
}

/// The size of a value that a copy is made of, 0 for a pointer; none for masks of lanes, structs, vectors of pointers,
/// and what is never in registers as a whole.
fn bits(ty: Type<'_>) -> Option<u32> {
    let of_one = |ty: Type<'_>| match ty.kind() {
        TypeKind::Half | TypeKind::BFloat => Some(16),
        TypeKind::Float => Some(32),
        TypeKind::Double => Some(64),
        _ => ty.int_width(),
    };
    let bits = match ty.vector_length() {
        Some(count) => of_one(*ty.parts().first()?)?.checked_mul(count)?,
        None if ty.is_pointer() => 0,
        None => of_one(ty).filter(|bits| *bits > 1)?,
    };
    is_tuple(bits.div_ceil(32)).then_some(bits)
}

/// A copy behind the definition of a value, in whole registers.
fn keep<'c>(value: Value<'c>, bits: u32) -> Value<'c> {
    let builder = match (value.opcode(), value.next()) {
        (Opcode::Phi, _) | (_, None) => Builder::at_start(value.block()),
        (_, Some(next)) => Builder::before(next),
    };
    let copy = |value: Value<'c>| builder.assembly(value.ty(), "", "=v,0", &[value]);
    if value.ty().is_pointer() {
        return copy(value);
    }
    let types = value.ty().types();
    // One element that is poison would make the whole number poison.
    let solid = if value.ty().vector_length().is_some() { builder.freeze(value, "") } else { value };
    let number = builder.cast(Opcode::BitCast, solid, types.int(bits), "");
    let whole = bits.next_multiple_of(32);
    let wide = if whole == bits { number } else { builder.cast(Opcode::ZExt, number, types.int(whole), "") };
    let registers = if whole <= 64 { types.int(whole) } else { types.i32().vector(whole / 32) };
    let kept = copy(builder.cast(Opcode::BitCast, wide, registers, ""));
    let kept = builder.cast(Opcode::BitCast, kept, types.int(whole), "");
    let kept = if whole == bits { kept } else { builder.cast(Opcode::Trunc, kept, types.int(bits), "") };
    builder.cast(Opcode::BitCast, kept, value.ty(), "")
}
