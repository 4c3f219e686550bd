//! Finds the loops of scans.

use std::collections::HashSet;

use super::address::{Address, Sum, is_call_of, sum};
use super::memory::{effects_before, is_shared};
use crate::analysis::convergent_calls::is_barrier;
use crate::analysis::cycles::Loop;
use crate::analysis::effects::{is_plain_access, touches_memory};
use crate::contract::builtin::{Axis, DeviceBuiltin};
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Type, Value};

/// A loop that is a scan.
pub(crate) struct Scan<'c> {
    pub(crate) header: Block<'c>,
    pub(crate) latch: Block<'c>,
    pub(crate) blocks: HashSet<Block<'c>>,
    /// The block before the loop, and the one after it.
    pub(crate) before: Block<'c>,
    pub(crate) exit: Block<'c>,
    /// The shared memory with the values, and the offset of the first thread's value in bytes.
    pub(crate) array: Value<'c>,
    pub(crate) offset: i64,
    pub(crate) ty: Type<'c>,
    pub(crate) operation: Operation<'c>,
    /// A thread's number.
    pub(crate) thread: Value<'c>,
    /// A thread's value after an iteration.
    pub(crate) result: Value<'c>,
    /// One of the barriers.
    pub(crate) barrier: Value<'c>,
    /// Whether there is a barrier right before the loop.
    pub(crate) waits_before: bool,
}

/// An associative and commutative operation of integers.
#[derive(Clone, Copy)]
pub(crate) enum Operation<'c> {
    Binary(Opcode),
    Intrinsic(Function<'c>),
}

impl<'c> Operation<'c> {
    /// The operation of an instruction, with its operands.
    fn of(instruction: Value<'c>) -> Option<(Self, [Value<'c>; 2])> {
        if !instruction.is_instruction() || instruction.ty().int_width().is_none() {
            return None;
        }
        let operation = match instruction.opcode() {
            opcode @ (Opcode::Add | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor) => Self::Binary(opcode),
            Opcode::Call => {
                let intrinsic = instruction.called_intrinsic()?;
                let name = intrinsic.name();
                let is_known =
                    ["llvm.umax.", "llvm.umin.", "llvm.smax.", "llvm.smin."].iter().any(|n| name.starts_with(n));
                is_known.then_some(Self::Intrinsic(intrinsic))?
            }
            _ => return None,
        };
        Some((operation, [instruction.operand(0), instruction.operand(1)]))
    }

    /// Whether zero and a value give the value.
    fn ignores_zero(self) -> bool {
        match self {
            Self::Binary(opcode) => matches!(opcode, Opcode::Add | Opcode::Or | Opcode::Xor),
            Self::Intrinsic(intrinsic) => intrinsic.name().starts_with("llvm.umax."),
        }
    }

    pub(crate) fn apply(self, builder: &Builder<'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        match self {
            Self::Binary(opcode) => builder.binary(opcode, a, b, ""),
            Self::Intrinsic(intrinsic) => builder.call(intrinsic, &[a, b], ""),
        }
    }
}

/// The blocks of a loop `header -> (load ->) latch -> header`, with its accesses.
struct Body<'c> {
    load_block: Block<'c>,
    /// The value of another thread.
    other: Value<'c>,
    barriers: Vec<Value<'c>>,
    /// The thread's own value, if it is in memory.
    own: Option<Value<'c>>,
    store: Value<'c>,
}

impl<'c> Scan<'c> {
    /// The scan that a loop is.
    pub(crate) fn find(module: &Module<'c>, l: &Loop<'c>, threads: u32) -> Option<Self> {
        let body = Body::of(l)?;
        let [before] = predecessors(l.header).into_iter().filter(|b| !l.blocks.contains(b)).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let from = |phi: Value<'c>, of: Block<'c>| phi.incoming().into_iter().find(|(_, b)| *b == of).map(|(v, _)| v);
        let phis: Vec<_> = l.header.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        let distance = *phis.iter().find(|phi| from(**phi, before).and_then(Value::as_u64) == Some(1))?;
        let exit = *l.latch.successors().iter().find(|next| **next != l.header)?;
        if covered(l, distance, from(distance, l.latch)?, threads)? < threads.into() {
            return None;
        }
        let (thread, takes_load) = guard(l.header, distance)?;
        let ty = body.other.ty();
        let [own, other] = [body.store.operand(1), body.other.operand(0)].map(|a| Address::of(module, a, distance));
        let (own, other) = (own?, other?);
        let size = i64::try_from(ty.alloc_size(module)).ok()?;
        let constant = own.bytes.constant;
        let fits = takes_load == body.load_block
            && is_shared(own.base)
            && own.base == other.base
            && own.bytes == Sum { thread: size, distance: 0, constant }
            && other.bytes == Sum { thread: size, distance: -size, constant }
            && body.store.operand(0).ty() == ty
            && body.own.is_none_or(|load| Address::of(module, load.operand(0), distance) == Some(own));
        let result = body.store.operand(0);
        let carried = phis.iter().copied().find(|phi| *phi != distance);
        let own_value = carried.or(body.own).filter(|_| fits && phis.len() == 1 + usize::from(carried.is_some()))?;
        if carried.is_some() == body.own.is_some() || carried.is_some_and(|own| from(own, l.latch) != Some(result)) {
            return None;
        }
        let operation = body.combined(l, result, own_value)?;
        let used_outside = |i: Value<'c>| i.users().iter().any(|user| !l.blocks.contains(&user.block()));
        let is_hidden = |i: Value<'c>| i == result || !used_outside(i);
        let all = l.header.function().blocks();
        let mut of_loop = all.into_iter().filter(|block| l.blocks.contains(block));
        if !of_loop.all(|block| block.instructions().all(is_hidden)) {
            return None;
        }
        let mut effects = effects_before(before);
        let waits_before = effects.next().is_some_and(is_barrier);
        // The values in memory must be those in the registers.
        let is_stored = |value: Value<'c>| {
            waits_before
                && effects.next().is_some_and(|store| {
                    is_plain(store, Opcode::Store)
                        && store.operand(0) == value
                        && Address::of(module, store.operand(1), distance) == Some(own)
                })
        };
        if !carried.is_none_or(|own| from(own, before).is_some_and(is_stored)) {
            return None;
        }
        let (header, latch, blocks) = (l.header, l.latch, l.blocks.clone());
        let (array, offset, barrier) = (own.base, constant, body.barriers[0]);
        Some(Scan {
            header,
            latch,
            blocks,
            before,
            exit,
            array,
            offset,
            ty,
            operation,
            thread,
            result,
            barrier,
            waits_before,
        })
    }
}

impl<'c> Body<'c> {
    fn of(l: &Loop<'c>) -> Option<Self> {
        let other = |block: &Block<'c>| l.blocks.contains(block) && *block != l.header && *block != l.latch;
        let load_block = l.header.successors().into_iter().find(other)?;
        let is_known = l.blocks.len() == 3
            && l.header != l.latch
            && load_block.successors() == [l.latch]
            && l.header.successors().len() == 2
            && l.header.successors().iter().all(|next| *next == load_block || *next == l.latch)
            && l.latch.successors().len() == 2;
        let effects = |block: Block<'c>| block.instructions().filter(|i| touches_memory(*i)).collect::<Vec<_>>();
        let [other] = effects(load_block)[..] else { return None };
        let in_latch = effects(l.latch);
        let (first, own, store, second) = match in_latch[..] {
            [first, store, second] => (first, None, store, second),
            [first, own, store, second] => (first, Some(own), store, second),
            _ => return None,
        };
        let is_plain = is_plain(other, Opcode::Load)
            && is_plain(store, Opcode::Store)
            && own.is_none_or(|own| is_plain(own, Opcode::Load));
        let are_barriers = is_barrier(first) && is_barrier(second);
        (is_known && is_plain && are_barriers && effects(l.header).is_empty()).then(|| Body {
            load_block,
            other,
            barriers: vec![first, second],
            own,
            store,
        })
    }

    /// The operation that makes the result of the thread's own value and the other one, if there is another one.
    fn combined(&self, l: &Loop<'c>, result: Value<'c>, own: Value<'c>) -> Option<Operation<'c>> {
        let choice = |phi: Value<'c>| {
            let is_choice = phi.is_instruction() && phi.is(Opcode::Phi) && phi.block() == l.latch;
            let incoming = if is_choice { phi.incoming() } else { return None };
            let from = |of: Block<'c>| incoming.iter().find(|(_, block)| *block == of).map(|(value, _)| *value);
            Some((from(self.load_block)?, from(l.header)?))
        };
        let is_of = |operands: [Value<'c>; 2], a: Value<'c>, b: Value<'c>| operands == [a, b] || operands == [b, a];
        if let Some((combined, otherwise)) = choice(result) {
            let (operation, operands) = Operation::of(combined)?;
            return (otherwise == own && is_of(operands, self.other, own)).then_some(operation);
        }
        let (operation, operands) = Operation::of(result)?;
        let other = *operands.iter().find(|operand| **operand != own)?;
        let (loaded, otherwise) = choice(other)?;
        let is_scan = is_of(operands, other, own) && loaded == self.other && otherwise.as_u64() == Some(0);
        (is_scan && operation.ignores_zero()).then_some(operation)
    }
}

fn is_plain(access: Value<'_>, opcode: Opcode) -> bool {
    access.is(opcode) && is_plain_access(access)
}

fn predecessors(block: Block<'_>) -> Vec<Block<'_>> {
    block.function().blocks().into_iter().filter(|b| b.successors().contains(&block)).collect()
}

/// The thread's number and the block for threads with `thread >= distance`, if a block ends with such a branch.
fn guard<'c>(header: Block<'c>, distance: Value<'c>) -> Option<(Value<'c>, Block<'c>)> {
    let end = header.terminator()?;
    let compare = end.condition().filter(|c| end.is(Opcode::Br) && c.is_instruction() && c.is(Opcode::ICmp))?;
    let sides = [compare.operand(0), compare.operand(1)];
    let predicate = match sides.map(|side| sum(side, distance)) {
        [Some(Sum::THREAD), Some(Sum::DISTANCE)] => compare.icmp_predicate(),
        [Some(Sum::DISTANCE), Some(Sum::THREAD)] => compare.icmp_predicate().swapped(),
        _ => return None,
    };
    let mut thread = sides.into_iter().find(|side| sum(*side, distance) == Some(Sum::THREAD))?;
    while !is_call_of(thread, DeviceBuiltin::ThreadId(Axis::X)) {
        // It is an extension, or something plus zero.
        thread = thread.operands().into_iter().find(|v| sum(*v, distance) == Some(Sum::THREAD))?;
    }
    let [then, or_else] = end.successors()[..] else { return None };
    let is_inside = thread.block() == header;
    match predicate {
        _ if is_inside => None,
        IntPredicate::Uge | IntPredicate::Sge => Some((thread, then)),
        IntPredicate::Ult | IntPredicate::Slt => Some((thread, or_else)),
        _ => None,
    }
}

/// The number of values that are in a thread's result, if the distance is doubled: 2 to the number of iterations.
fn covered<'c>(l: &Loop<'c>, distance: Value<'c>, next: Value<'c>, threads: u32) -> Option<u64> {
    let end = l.latch.terminator()?;
    let compare = end.condition().filter(|c| end.is(Opcode::Br) && c.is_instruction() && c.is(Opcode::ICmp))?;
    let goes_on_if = end.successors()[0] == l.header;
    let mut value = 1u64;
    while value < 1 << 20 {
        let number = |of: Value<'c>| number(of, distance, value, threads);
        if number(next)? != 2 * value {
            return None;
        }
        let goes_on = compare.icmp_predicate().holds(number(compare.operand(0))?, number(compare.operand(1))?);
        value *= 2;
        if goes_on != goes_on_if {
            return Some(value);
        }
    }
    None
}

/// The value of an expression in an iteration; none if it is not known, or has more than 31 bits.
fn number<'c>(of: Value<'c>, distance: Value<'c>, value: u64, threads: u32) -> Option<u64> {
    if of == distance {
        return Some(value);
    }
    let width = of.ty().int_width().filter(|width| *width >= 32)?;
    if of.as_u64().is_some() {
        return of.as_u64().filter(|constant| *constant < 1 << 31);
    }
    if !of.is_instruction() {
        return None;
    }
    let operand = |index: u32| number(of.operand(index), distance, value, threads);
    let result = match of.opcode() {
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => operand(0)?,
        Opcode::Add => operand(0)? + operand(1)?,
        Opcode::Mul => operand(0)? * operand(1)?,
        Opcode::Shl => operand(0)?.checked_shl(u32::try_from(operand(1)?).ok()?.min(width))?,
        Opcode::LShr => operand(0)?.checked_shr(u32::try_from(operand(1)?).ok()?)?,
        Opcode::Call if is_call_of(of, DeviceBuiltin::BlockDim(Axis::X)) => threads.into(),
        _ => return None,
    };
    (result < 1 << 31).then_some(result)
}
