//! Accesses of several threads, and groups of them that are one access.

use std::collections::HashMap;
use std::rc::Rc;

use crate::analysis::effects::is_ordered;
use crate::llvm::{Module, Opcode, Type, Value};
use crate::spmd::facts::affine_sum::Sum;
use crate::spmd::facts::markers::element_size;
use crate::spmd::facts::shape::{Offsets, Shape, is_element};
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::tuning::TRANSPOSED_BYTES;

/// Loads, or stores, that access a stretch of memory together.
pub(crate) struct Group<'c> {
    /// In the order of the block.
    pub(crate) members: Vec<Value<'c>>,
    /// For each member, the number of the element that each thread accesses. Those of a thread are its run, if each
    /// thread accesses one.
    pub(crate) elements: Vec<Vec<u32>>,
    /// The length of the run of elements that each thread accesses, if those of other threads are elsewhere: a pair of
    /// 8 bytes, or a run of 16.
    pub(crate) run: Option<u32>,
    /// The member at which the stretch is loaded or stored. This is the first load of a block, and the last of several
    /// blocks, between which the threads do nothing but look at a check. It is the last store.
    pub(crate) at: usize,
    /// The address of the stretch, from that of the first thread in this member.
    pub(crate) from: i64,
}

/// Groups by their members.
pub(crate) type Groups<'c> = HashMap<Value<'c>, Rc<Group<'c>>>;

/// An access whose address differs between threads by known numbers.
pub(crate) struct Access<'c> {
    pub(crate) instruction: Value<'c>,
    pub(crate) ty: Type<'c>,
    pub(crate) offsets: Offsets,
    pub(crate) bytes: Bytes<'c>,
}

/// The bytes that a thread accesses.
pub(crate) struct Bytes<'c> {
    pub(crate) address: Sum<'c>,
    pub(crate) size: i64,
    /// The variable that they are in, if it is seen.
    pub(crate) variable: Option<Value<'c>>,
}

impl<'c> Access<'c> {
    /// None if it is consecutive, or the same in all threads, or of another kind.
    pub(crate) fn of(module: &Module<'c>, shapes: &Shapes<'_, 'c>, instruction: Value<'c>) -> Option<Self> {
        let (ty, pointer) = accessed(instruction)?;
        let size = ty.store_size(module) as i64;
        let shape = shapes.of(pointer);
        let is_simple = shape == Shape::Uniform || shape == Shape::Affine(size);
        if is_simple || is_ordered(instruction) || !is_element(ty) || ty.is_pointer() || ty.int_width() == Some(1) {
            return None;
        }
        let offsets = shape.offsets(shapes.width())?;
        Some(Access { instruction, ty, offsets, bytes: Bytes::of(module, instruction)? })
    }

    /// The constant in its address.
    pub(crate) fn place(&self) -> i64 {
        self.bytes.address.constant
    }

    /// Whether their addresses differ by a constant.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.ty == other.ty && self.offsets == other.offsets && self.bytes.address.is_like(&other.bytes.address)
    }
}

/// The type and the address of a load or a store.
pub(crate) fn accessed(instruction: Value<'_>) -> Option<(Type<'_>, Value<'_>)> {
    match instruction.opcode() {
        Opcode::Load => Some((instruction.ty(), instruction.operand(0))),
        Opcode::Store => Some((instruction.operand(0).ty(), instruction.operand(1))),
        _ => None,
    }
}

impl<'c> Bytes<'c> {
    /// None if it is neither a load nor a store, or its address is too long a sum.
    pub(crate) fn of(module: &Module<'c>, instruction: Value<'c>) -> Option<Self> {
        let (ty, pointer) = accessed(instruction)?;
        let (mut address, base) = (Sum::default(), pointer.base());
        address.add(module, pointer, 1)?;
        let is_array = base.is_instruction() && element_size(base).is_some();
        let is_variable = base.is_global_variable() || base.is(Opcode::Alloca) || is_array;
        let variable = is_variable.then_some(base);
        Some(Bytes { address, size: ty.store_size(module) as i64, variable })
    }

    /// Whether it is seen that they are other bytes.
    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        if self.variable.is_some() && other.variable.is_some() && self.variable != other.variable {
            return true;
        }
        let distance = other.address.constant.wrapping_sub(self.address.constant);
        let is_beside = if distance < 0 { distance <= -other.size } else { distance >= self.size };
        is_beside && self.address.is_like(&other.address)
    }
}

impl<'c> Group<'c> {
    /// These accesses, if they touch each element of a stretch once.
    pub(crate) fn of(module: &Module<'c>, width: u32, accesses: &[&Access<'c>]) -> Option<Self> {
        let size = accesses[0].ty.store_size(module) as i64;
        let places = |access: &Access<'c>| -> Vec<i64> {
            access.offsets[..width as usize].iter().map(|by| access.bytes.address.constant.wrapping_add(*by)).collect()
        };
        let all: Vec<Vec<i64>> = accesses.iter().map(|access| places(access)).collect();
        let least = *all.iter().flatten().min()?;
        let mut sorted: Vec<_> = all.iter().flatten().map(|place| place.wrapping_sub(least)).collect();
        sorted.sort_unstable();
        let is_whole = (0..).zip(&sorted).all(|(number, place)| *place == size * number);
        let number = |place: &i64| ((place - least) / size) as u32;
        let members: Vec<_> = accesses.iter().map(|access| access.instruction).collect();
        let (first, last) = (*members.first()?, *members.last()?);
        let one_block = first.block() == last.block();
        let at = if first.is(Opcode::Load) && one_block { 0 } else { members.len() - 1 };
        let is_late = |user: &Value<'c>| user.block() == last.block() && !user.is(Opcode::Phi) && follows(*user, last);
        let fits = one_block || members.iter().all(|member| member.users().iter().all(is_late));
        (is_whole && fits).then(|| Group {
            elements: all.iter().map(|places| places.iter().map(number).collect()).collect(),
            run: None,
            from: least.wrapping_sub(accesses[at].bytes.address.constant),
            at,
            members,
        })
    }

    /// These accesses, in the order of the block, of a thread's elements that are side by side.
    pub(crate) fn of_run(module: &Module<'c>, width: u32, accesses: &[&Access<'c>]) -> Self {
        let (size, run) = (accesses[0].ty.store_size(module) as i64, accesses.len() as u32);
        let least = accesses.iter().map(|access| access.place()).min().unwrap_or_default();
        let number = |access: &Access<'c>| (access.place().wrapping_sub(least) / size) as u32;
        let at = if accesses[0].instruction.is(Opcode::Load) { 0 } else { accesses.len() - 1 };
        let elements = |access: &&Access<'c>| (0..width).map(|thread| run * thread + number(access)).collect();
        Group {
            members: accesses.iter().map(|access| access.instruction).collect(),
            elements: accesses.iter().map(elements).collect(),
            run: Some(run),
            at,
            from: least.wrapping_sub(accesses[at].place()),
        }
    }

    /// Whether the runs of the threads are long enough to be loaded and stored as vectors.
    pub(crate) fn is_in_vectors(&self, module: &Module<'c>) -> bool {
        let bytes = |member: &Value<'c>| accessed(*member).map_or(0, |(ty, _)| ty.store_size(module));
        self.run.is_some_and(|run| u64::from(run) * bytes(&self.members[0]) == TRANSPOSED_BYTES)
    }

    /// These two accesses, if a thread's elements are side by side, and a number of 64 bits together.
    pub(crate) fn of_pairs(module: &Module<'c>, width: u32, [first, last]: [&Access<'c>; 2]) -> Option<Self> {
        let size = first.ty.store_size(module) as i64;
        let [one, two] = [first, last].map(|access| access.bytes.address.constant);
        let fits = first.instruction.block() == last.instruction.block() && size == 4;
        let at = usize::from(!first.instruction.is(Opcode::Load));
        let is_lower = two.wrapping_sub(one) == size;
        let places = |more: u32| (0..width).map(|thread| 2 * thread + more).collect();
        (fits && (is_lower || one.wrapping_sub(two) == size)).then(|| Group {
            members: vec![first.instruction, last.instruction],
            elements: if is_lower { vec![places(0), places(1)] } else { vec![places(1), places(0)] },
            run: Some(2),
            from: one.min(two).wrapping_sub([one, two][at]),
            at,
        })
    }
}

/// Whether an instruction comes after another one of its block.
fn follows<'c>(instruction: Value<'c>, other: Value<'c>) -> bool {
    other.block().instructions().skip_while(|i| *i != other).skip(1).any(|i| i == instruction)
}
