//! Keeps the values with which lanes leave a loop.
//!
//! Lanes of a wave may leave a loop in different iterations, and each keeps the values of its last one. AMD's back end
//! holds a value that all lanes share within an iteration in a scalar register, and copies it to a vector register in
//! each iteration, which only active lanes write. In LLVM 22 its pass SIFoldOperands may replace the copy after the
//! loop by the scalar register, which then holds the value of the wave's last iteration. LLVM repaired this later ("Fix
//! SIFoldOperands miscompiling values that leave a divergent loop").
//!
//! Empty assembly with a vector register for its result is a copy that no pass looks through. A loop that all lanes
//! leave together, such as one whose number of iterations is an argument of the kernel, gets no copy: LLVM would keep
//! each value of the loop in two registers.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::analysis::cycles::cycles;
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Builder, Function, Machine, Module, Opcode, Type, TypeKind, Value};

/// A loop: its blocks, and whether lanes may go different ways in it.
struct Cycle<'c> {
    blocks: HashSet<Block<'c>>,
    is_divergent: bool,
}

/// Replaces the uses, after a loop, of the values that are computed in it.
pub fn keep_exit_values(module: &Module<'_>, machine: &Machine) {
    module.definitions().for_each(|function| keep_those_of(function, machine));
}

fn keep_those_of(function: Function<'_>, machine: &Machine) {
    let loops = loops_around(function, machine);
    for value in function.instructions().collect::<Vec<_>>() {
        let Some(around) = loops.get(&value.block()) else { continue };
        // All lanes leave a loop without divergent branches together, and also the loops inside it.
        let leaves_alone =
            |user: &Value<'_>| around.iter().any(|cycle| cycle.is_divergent && !cycle.blocks.contains(&user.block()));
        let behind: Vec<_> = value.users().into_iter().filter(leaves_alone).collect();
        let Some(bits) = bits(value.ty()).filter(|_| !behind.is_empty()) else { continue };
        let kept = keep(value, bits);
        for user in behind {
            (0..user.operand_count()).filter(|at| user.operand(*at) == value).for_each(|at| user.set_operand(at, kept));
        }
    }
}

/// For each block in a cycle, the cycles around it.
fn loops_around<'c>(function: Function<'c>, machine: &Machine) -> HashMap<Block<'c>, Vec<Rc<Cycle<'c>>>> {
    let all = function.blocks();
    let predecessors = Predecessors::among(&all);
    let (mut around, mut next, mut work) = (HashMap::<_, Vec<_>>::new(), 0, vec![all]);
    let mut divergent = None;
    while let Some(blocks) = work.get(next).cloned() {
        next += 1;
        for cycle in cycles(&blocks) {
            let find = || machine.divergent_ends(function).into_iter().collect::<HashSet<_>>();
            let divergent = divergent.get_or_insert_with(find);
            let is_divergent = cycle.iter().any(|block| divergent.contains(block));
            let inside = Rc::new(Cycle { blocks: cycle.iter().copied().collect(), is_divergent });
            let led_to = |block: &Block<'c>| predecessors.of(*block).iter().any(|from| !inside.blocks.contains(from));
            let entries: HashSet<_> = cycle.iter().copied().filter(led_to).collect();
            cycle.iter().for_each(|block| around.entry(*block).or_default().push(Rc::clone(&inside)));
            work.push(cycle.into_iter().filter(|block| !entries.contains(block)).collect());
        }
    }
    around
}

/// Whether the back end has a tuple of so many vector registers.
fn is_tuple(registers: u32) -> bool {
    registers <= 12 || registers == 16 || registers == 32
}

/// The size in bits of a value that can be copied, 0 for a pointer; none for masks of lanes, structs, vectors of
/// pointers, and values that are never in registers as a whole.
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

/// A copy after the definition of a value, in whole registers.
fn keep<'c>(value: Value<'c>, bits: u32) -> Value<'c> {
    let builder = match (value.opcode(), value.next()) {
        (Opcode::Phi, _) | (_, None) => Builder::at_start(value.block()),
        (_, Some(next)) => Builder::before(next),
    };
    if value.ty().is_pointer() {
        return builder.vector_copy(value);
    }
    let types = value.ty().types();
    // One element that is poison would make the whole number poison.
    let solid = if value.ty().vector_length().is_some() { builder.freeze(value, "") } else { value };
    let number = builder.cast(Opcode::BitCast, solid, types.int(bits), "");
    let whole = bits.next_multiple_of(32);
    let wide = if whole == bits { number } else { builder.cast(Opcode::ZExt, number, types.int(whole), "") };
    let registers = if whole <= 64 { types.int(whole) } else { types.i32().vector(whole / 32) };
    let kept = builder.vector_copy(builder.cast(Opcode::BitCast, wide, registers, ""));
    let kept = builder.cast(Opcode::BitCast, kept, types.int(whole), "");
    let kept = if whole == bits { kept } else { builder.cast(Opcode::Trunc, kept, types.int(bits), "") };
    builder.cast(Opcode::BitCast, kept, value.ty(), "")
}
