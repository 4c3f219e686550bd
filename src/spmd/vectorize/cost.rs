//! Whether code of several threads at once is faster than that of one thread after another.

use std::collections::HashMap;

use super::flatten;
use super::memory::interleaved;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::cycles::loops;
use crate::llvm::{Block, Function, Module, Opcode, Place, Value};
use crate::spmd::cause::{Cause, Costs, Expense, Reason, Unflattened, callee};
use crate::spmd::facts::divergence::{Divergence, Plan};
use crate::spmd::facts::intrinsics;
use crate::spmd::facts::markers::element_size;
use crate::spmd::facts::shape::{Shape, is_element};
use crate::spmd::tuning::{
    DIVERGES, FASTER_BY, GATHER, INTERLEAVED, LONG_REGISTER_BITS, NESTED_LOOPS, REGISTER_BITS, REGISTERS, SCALAR_CALL,
    SCALAR_OPERATION, SLOW_PART, UNKNOWN_TRIP_COUNT, UPDATED_GATHER,
};

/// The number of lanes, and their registers.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    width: u32,
    /// The bits of a register.
    register: u32,
}

impl Sizes {
    pub(crate) fn new(width: u32, long_vectors: bool) -> Sizes {
        Sizes { width, register: if long_vectors { LONG_REGISTER_BITS } else { REGISTER_BITS } }
    }
}

/// The part of the code that loses most in vectors: an instruction, or the branch on which threads part.
struct Dearest<'c> {
    instruction: Option<Value<'c>>,
    cost: f64,
    more: f64,
}

impl<'c> Dearest<'c> {
    fn consider(&mut self, instruction: Option<Value<'c>>, cost: f64, one_by_one: f64) {
        if cost - one_by_one > self.more {
            *self = Dearest { instruction, cost, more: cost - one_by_one };
        }
    }

    fn expense(&self, plan: &Plan<'_, 'c>, function: Function<'c>) -> Option<(Expense, f64)> {
        let instruction = self.instruction?;
        let unflattened = || flatten::find(&ControlFlow::of(function), instruction.block(), plan).err();
        let expense = match instruction.opcode() {
            Opcode::Load => Expense::Load,
            Opcode::Store => Expense::Store,
            Opcode::Call => Expense::Call(callee(instruction)),
            _ if instruction.is_terminator() => Expense::Branch(unflattened().unwrap_or(Unflattened::Shape)),
            _ => Expense::Operation,
        };
        Some((expense, self.cost))
    }
}

/// Compares the instructions of both, those of a loop as often as it iterates. The error is the comparison; so is the
/// result if a part is slow in vectors.
pub(crate) fn is_faster<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    plan: &Plan<'_, 'c>,
    sizes: Sizes,
) -> Result<Option<Cause>, Cause> {
    let width = sizes.width;
    let mut counts: HashMap<_, Vec<f64>> = HashMap::new();
    let loops = loops(function);
    let headers: Vec<_> = loops.iter().map(|l| l.header).collect();
    for (l, count) in loops.iter().zip(function.trip_counts(&headers)) {
        let count = count.unwrap_or(UNKNOWN_TRIP_COUNT) as f64;
        l.in_order.iter().for_each(|block| counts.entry(*block).or_default().push(count));
    }
    let weight = |block: Block<'c>| -> f64 { counts.get(&block).into_iter().flatten().take(NESTED_LOOPS).product() };
    let interleaved = interleaved::find(module, plan);
    let (mut scalar, mut vector, mut has_vectors) = (0.0, 0.0, false);
    let mut dearest = Dearest { instruction: None, cost: 0.0, more: 0.0 };
    let unrolls = plan.uniform.iter().flat_map(|block| block.instructions()).any(|i| is_in_register(i, plan));
    for block in &plan.uniform {
        let weight = weight(*block);
        let slower = spills(module, *block, plan, sizes);
        for instruction in block.instructions().filter(|i| !i.is(Opcode::Phi)) {
            let varies = match instruction.opcode() {
                Opcode::Store => plan.shapes.of(instruction.operand(1)) != Shape::Uniform,
                _ => plan.shapes.of(instruction) == Shape::Varying,
            };
            let cost = match interleaved.get(&instruction) {
                Some(group) => interleaved_cost(module, instruction, group.run, sizes),
                None => cost(module, instruction, plan, sizes),
            };
            has_vectors |= varies && cost < f64::from(width);
            let is_free = is_in_register(instruction, plan)
                || is_part_of_accesses(module, instruction, plan)
                || unrolls && is_of_unrolled(instruction, plan);
            let (scalar_cost, cost) = (if is_free { 0.0 } else { weight * f64::from(width) }, weight * slower * cost);
            scalar += scalar_cost;
            vector += cost;
            dearest.consider(Some(instruction), cost, scalar_cost);
        }
    }
    for divergence in plan.divergences.iter().filter(|d| may_be_common(d, plan)) {
        // Threads leave a loop once, most of them in the same iteration.
        let leaves = divergence.region.contains(&divergence.block);
        let times = match divergence.join {
            Some(join) if leaves => weight(join),
            _ => weight(divergence.block) * DIVERGES,
        };
        let cost = times * f64::from(width) * (divergence.size as f64 + SCALAR_CALL);
        vector += cost;
        dearest.consider(divergence.block.terminator(), cost, 0.0);
    }
    let costs = || {
        let reason = Reason::Cost(Costs { width, vector, scalar, most: dearest.expense(plan, function) });
        dearest.instruction.map_or(Cause::new(reason.clone()), |instruction| Cause::at(reason, instruction))
    };
    match (has_vectors, vector * FASTER_BY < scalar) {
        (true, true) => Ok((dearest.more > vector * SLOW_PART).then(costs)),
        (false, true) => Err(Cause::new(Reason::Uniform)),
        (_, false) => Err(costs()),
    }
}

/// Whether LLVM would have it in a register of the one thread: an access to an array of the thread, at a place that is
/// the same in all threads and so known when loops are unrolled, or its address.
fn is_in_register<'c>(instruction: Value<'c>, plan: &Plan<'_, 'c>) -> bool {
    let mut address = match instruction.opcode() {
        Opcode::Load => instruction.operand(0),
        Opcode::Store => instruction.operand(1),
        Opcode::GetElementPtr => instruction,
        _ => return false,
    };
    while address.is(Opcode::GetElementPtr) {
        let indices = &address.operands()[1..];
        if indices.iter().any(|index| plan.shapes.of(*index) != Shape::Uniform) {
            return false;
        }
        address = address.operand(0);
    }
    address.is(Opcode::Alloca) || address.is_instruction() && element_size(address).is_some()
}

/// Whether an instruction is the address of single elements: a processor computes it in the load or the store.
fn is_part_of_accesses<'c>(module: &Module<'c>, instruction: Value<'c>, plan: &Plan<'_, 'c>) -> bool {
    let is_strided = |user: Value<'c>| {
        let accessed = match user.opcode() {
            Opcode::Load => user.ty(),
            Opcode::Store if user.operand(1) == instruction => user.operand(0).ty(),
            _ => return false,
        };
        match plan.shapes.of(instruction) {
            Shape::Uniform => false,
            Shape::Affine(step) => step as u64 != accessed.store_size(module),
            Shape::Offsets(_) | Shape::Varying => true,
        }
    };
    instruction.is(Opcode::GetElementPtr) && instruction.users().into_iter().all(is_strided)
}

/// Whether nothing is left of an instruction in loops that LLVM unrolls: it computes a place in an array.
fn is_of_unrolled<'c>(instruction: Value<'c>, plan: &Plan<'_, 'c>) -> bool {
    let is_other = matches!(instruction.opcode(), Opcode::Load | Opcode::Store | Opcode::Call);
    !is_other && plan.shapes.of(instruction) == Shape::Uniform
}

/// The cost of a load or a store of which several together access a stretch of memory: its vectors, and shuffles. Those
/// of a run share an access for each thread.
fn interleaved_cost<'c>(module: &Module<'c>, access: Value<'c>, run: Option<u32>, sizes: Sizes) -> f64 {
    let ty = if access.is(Opcode::Store) { access.operand(0).ty() } else { access.ty() };
    let registers = f64::from((ty.store_size(module) as u32 * 8 * sizes.width).div_ceil(sizes.register));
    match run {
        Some(run) => f64::from(sizes.width) / f64::from(run) + f64::from(run.ilog2()) * registers,
        None => INTERLEAVED * registers,
    }
}

/// How much slower a block is because the values that its loop hands on do not fit into registers.
fn spills<'c>(module: &Module<'c>, block: Block<'c>, plan: &Plan<'_, 'c>, sizes: Sizes) -> f64 {
    let phis = block.instructions().take_while(|i| i.is(Opcode::Phi));
    let bits: u64 = phis.filter(|i| plan.shapes.of(*i) == Shape::Varying).map(|i| i.ty().store_size(module) * 8).sum();
    (bits as f64 * f64::from(sizes.width) / f64::from(sizes.register * REGISTERS)).max(1.0)
}

/// Whether threads diverge because of their data, and neither at the edge of an array, nor in a panic, nor to a cold
/// function such as that of the special values of a math function.
fn may_be_common<'c>(divergence: &Divergence<'c>, plan: &Plan<'_, 'c>) -> bool {
    let condition = divergence.block.terminator().and_then(Value::condition);
    divergence.taken.len() > 1
        && divergence.block.successors().iter().all(|next| plan.uniform.contains(next) && !is_cold(*next))
        && condition.is_some_and(|condition| !plan.shapes.is_ordered(condition))
}

fn is_cold(block: Block<'_>) -> bool {
    let callees = block.instructions().filter(|i| i.is_call()).filter_map(Value::called_function);
    callees.into_iter().any(|callee| callee.has_attribute(Place::Function, "cold"))
}

/// Whether a funnel shift is a rotation of all threads by the same number of bits.
fn is_rotation<'c>(shift: Value<'c>, plan: &Plan<'_, 'c>) -> bool {
    matches!(shift.arguments()[..], [a, b, by] if a == b && plan.shapes.of(by) == Shape::Uniform)
}

/// Whether a number is the complement of another one, and only an operand of `and`.
fn is_complement_in_and(value: Value<'_>) -> bool {
    let (users, ty) = (value.users(), value.ty());
    let is_complement = ty.int_width().is_some() && value.operands().contains(&ty.all_ones());
    is_complement && !users.is_empty() && users.iter().all(|user| user.is(Opcode::And))
}

/// Whether a place is loaded and stored.
fn is_updated(pointer: Value<'_>) -> bool {
    let users = pointer.users();
    let has = |opcode: Opcode| users.iter().any(|user| user.is(opcode));
    has(Opcode::Load) && has(Opcode::Store)
}

fn cost<'c>(module: &Module<'c>, instruction: Value<'c>, plan: &Plan<'_, 'c>, sizes: Sizes) -> f64 {
    let scalars = f64::from(sizes.width) * SCALAR_OPERATION;
    let registers = |bits: u64| f64::from((bits as u32 * sizes.width).div_ceil(sizes.register));
    let bits = |v: Value<'c>| v.ty().store_size(module) * 8;
    let consecutive = |pointer: Value<'c>, size: u64| match plan.shapes.of(pointer) {
        Shape::Uniform => 1.0,
        Shape::Affine(step) if step as u64 == size => registers(size * 8),
        // A gather waits for the stores to its places, such as those of the iteration before.
        _ if sizes.register == LONG_REGISTER_BITS && is_updated(pointer) => UPDATED_GATHER * scalars,
        // Each element is put into a vector or taken out of it.
        _ => GATHER * scalars,
    };
    let shape = plan.shapes.of(instruction);
    match instruction.opcode() {
        Opcode::Store => consecutive(instruction.operand(1), bits(instruction.operand(0)) / 8),
        Opcode::Load if shape == Shape::Varying => consecutive(instruction.operand(0), bits(instruction) / 8),
        _ if instruction.is_terminator() => 2.0,
        _ if instruction.ty().is_void() => scalars,
        _ if shape != Shape::Varying => 1.0,
        Opcode::Call => {
            let name = instruction.called_intrinsic().map(|intrinsic| intrinsic.name()).unwrap_or_default();
            match intrinsics::elementwise(&name) {
                Some("llvm.sqrt" | "llvm.fabs") => registers(bits(instruction)),
                // Several instructions each.
                Some("llvm.fma" | "llvm.fmuladd") => scalars,
                // Two shifts, and their sum.
                Some("llvm.fshl" | "llvm.fshr") if is_rotation(instruction, plan) => 3.0 * registers(bits(instruction)),
                Some(_) => 4.0 * registers(bits(instruction)),
                None => scalars,
            }
        }
        // One operation combines bits with those of a complement.
        Opcode::Xor if is_complement_in_and(instruction) => 0.0,
        // SSE2 has no such operations on 64 bits.
        Opcode::ICmp if bits(instruction.operand(0)) == 64 => 4.0 * registers(64),
        Opcode::Mul if bits(instruction) == 64 => 8.0 * registers(64),
        Opcode::AShr | Opcode::SIToFP | Opcode::UIToFP | Opcode::FPToSI | Opcode::FPToUI => {
            4.0 * registers(bits(instruction))
        }
        Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem | Opcode::FRem | Opcode::GetElementPtr => scalars,
        _ if is_element(instruction.ty()) => registers(bits(instruction).max(8)),
        _ => scalars,
    }
}
