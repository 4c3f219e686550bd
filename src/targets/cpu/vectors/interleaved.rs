//! Accesses of several threads that together touch each element of a stretch of memory once.
//!
//! In a step of a transform with distance 2, eight threads load the elements 0, 1, 4, 5, …, 13 of a stretch of 16, and
//! then the others, 2, 3, 6, 7, …, 15. The real parts of complex numbers are every second element, and the imaginary
//! ones are the others. Each of these accesses would be one for each thread. Together they are one of a long vector,
//! whose elements are put in order by shuffles. Nothing is touched that some thread does not access itself. Where each
//! thread accesses elements that are side by side, and those of the threads are apart, there is an access for each
//! thread instead of one for each element (`runs.rs`).
//!
//! The accesses of a stretch move to one of them, past those in between. A thread's own accesses to one place keep
//! their order: stores move only past stores of which it is seen that they are elsewhere. LLVM's vectoriser does the
//! same with loops whose threads may be executed in any order, and does not look at the accesses of one thread
//! ([`keeps_order`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::arrays;
use super::divergence::Plan;
use super::runs;
use super::shapes::{Offsets, Shape, Shapes};
use super::sums::Sum;
use super::wide::{Wide, is_element};
use super::widen::Widening;
use crate::analysis::effects::{is_ordered, only_reads, touches_memory};
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Function, Module, Opcode, Type, Value};

/// A stretch is accessed by at most this many instructions.
const MOST_MEMBERS: usize = 4;

/// Loads, or stores, that access a stretch of memory together.
pub(super) struct Group<'c> {
    /// In the order of the block.
    pub(super) members: Vec<Value<'c>>,
    /// For each member, the number of the element that each thread accesses. Those of a thread are its run, if each
    /// thread accesses one.
    pub(super) elements: Vec<Vec<u32>>,
    /// The length of the run of elements that each thread accesses, if those of other threads are elsewhere: a pair of
    /// 8 bytes, or a run of 16.
    run: Option<u32>,
    /// The member at which the stretch is loaded or stored. This is the first load of a block, and the last of several
    /// blocks, between which the threads do nothing but look at a check. It is the last store.
    at: usize,
    /// The address of the stretch, from that of the first thread in this member.
    pub(super) from: i64,
}

/// Groups by their members.
pub(super) type Groups<'c> = HashMap<Value<'c>, Rc<Group<'c>>>;

/// An access whose address differs between threads by known numbers.
pub(super) struct Access<'c> {
    pub(super) instruction: Value<'c>,
    ty: Type<'c>,
    offsets: Offsets,
    bytes: Bytes<'c>,
}

/// The bytes that a thread accesses.
struct Bytes<'c> {
    address: Sum<'c>,
    size: i64,
    /// The variable that they are in, if it is seen.
    variable: Option<Value<'c>>,
}

/// The groups of what threads execute together, by their members.
pub(super) fn find<'c>(module: &Module<'c>, plan: &Plan<'_, 'c>) -> Groups<'c> {
    let mut found = HashMap::new();
    let predecessors = Predecessors::among(&plan.together);
    // The only block that threads enter from another one that leads to no other.
    let next = |block: &Block<'c>| {
        let together: Vec<_> = block.successors().into_iter().filter(|next| plan.together.contains(next)).collect();
        together.first().copied().filter(|next| together.len() == 1 && predecessors.only(*next) == Some(*block))
    };
    let entered: HashSet<_> = plan.together.iter().filter_map(next).collect();
    for start in plan.together.iter().filter(|block| !entered.contains(block)) {
        let mut loads = Vec::new();
        let blocks: Vec<_> = std::iter::successors(Some(*start), next).take(plan.together.len()).collect();
        blocks.into_iter().for_each(|block| find_in(module, &plan.shapes, block, &mut loads, &mut found));
        group(module, plan.shapes.width(), &mut loads, &mut found);
    }
    found
}

/// Those of a block. `loads` are those of the blocks before it that nothing has followed, and then its own, too.
fn find_in<'c>(
    module: &Module<'c>,
    shapes: &Shapes<'_, 'c>,
    block: Block<'c>,
    loads: &mut Vec<Access<'c>>,
    found: &mut Groups<'c>,
) {
    let mut stores = Vec::new();
    for instruction in block.instructions() {
        let access = Access::of(module, shapes, instruction);
        match (instruction.opcode(), access) {
            (Opcode::Load, Some(access)) => {
                group(module, shapes.width(), &mut stores, found);
                loads.push(access);
            }
            (Opcode::Store, Some(access)) => {
                group(module, shapes.width(), loads, found);
                if !stores.iter().all(|before: &Access<'c>| before.bytes.is_apart(&access.bytes)) {
                    group(module, shapes.width(), &mut stores, found);
                }
                stores.push(access);
            }
            _ if touches_memory(instruction) => {
                group(module, shapes.width(), &mut stores, found);
                // A load may move before another load.
                if !only_reads(instruction) {
                    group(module, shapes.width(), loads, found);
                }
            }
            _ => {}
        }
    }
    group(module, shapes.width(), &mut stores, found);
}

/// Finds the groups among accesses between which nothing else accesses memory.
fn group<'c>(module: &Module<'c>, width: u32, accesses: &mut Vec<Access<'c>>, found: &mut Groups<'c>) {
    while let Some(first) = accesses.first() {
        let mut like: Vec<_> = accesses.iter().enumerate().filter(|(_, access)| access.is_like(first)).collect();
        like.sort_by_key(|(_, access)| access.bytes.address.constant);
        let most = like.len().min(MOST_MEMBERS);
        let whole = |count: usize| {
            let mut chosen = like[..count].to_vec();
            chosen.sort_by_key(|(place, _)| *place);
            let members: Vec<_> = chosen.iter().map(|(_, access)| *access).collect();
            let places: Vec<_> = chosen.iter().map(|(place, _)| *place).collect();
            Some((Group::of(module, width, &members)?, places))
        };
        let pair = || {
            let of_pairs = |(place, other): &(usize, &Access<'c>)| {
                Some((Group::of_pairs(module, width, [first, *other])?, vec![0, *place]))
            };
            like.iter().find_map(of_pairs)
        };
        let run = || {
            let places = runs::run_of_first(&like, width, first.ty.store_size(module))?;
            let members: Vec<_> = places.iter().map(|place| &accesses[*place]).collect();
            Some((Group::of_run(module, width, &members), places))
        };
        let Some((group, mut used)) = (1..=most).find_map(whole).or_else(run).or_else(pair) else {
            accesses.remove(0);
            continue;
        };
        let group = Rc::new(group);
        found.extend(group.members.iter().map(|member| (*member, group.clone())));
        used.sort_unstable();
        used.into_iter().rev().for_each(|place| drop(accesses.remove(place)));
    }
}

impl<'c> Access<'c> {
    /// None if it is consecutive, or the same in all threads, or of another kind.
    fn of(module: &Module<'c>, shapes: &Shapes<'_, 'c>, instruction: Value<'c>) -> Option<Self> {
        let (ty, pointer) = accessed(instruction)?;
        let size = ty.store_size(module) as i64;
        let shape = shapes.of(pointer);
        let is_simple = shape == Shape::Uniform || shape == Shape::Linear(size);
        if is_simple || is_ordered(instruction) || !is_element(ty) || ty.is_pointer() || ty.int_width() == Some(1) {
            return None;
        }
        let offsets = shape.offsets(shapes.width())?;
        Some(Access { instruction, ty, offsets, bytes: Bytes::of(module, instruction)? })
    }

    /// The constant in its address.
    pub(super) fn place(&self) -> i64 {
        self.bytes.address.constant
    }

    /// Whether their addresses differ by a constant.
    fn is_like(&self, other: &Self) -> bool {
        self.ty == other.ty && self.offsets == other.offsets && self.bytes.address.is_like(&other.bytes.address)
    }
}

/// The type and the address of a load or a store.
pub(super) fn accessed(instruction: Value<'_>) -> Option<(Type<'_>, Value<'_>)> {
    match instruction.opcode() {
        Opcode::Load => Some((instruction.ty(), instruction.operand(0))),
        Opcode::Store => Some((instruction.operand(0).ty(), instruction.operand(1))),
        _ => None,
    }
}

impl<'c> Bytes<'c> {
    /// None if it is neither a load nor a store, or its address is too long a sum.
    fn of(module: &Module<'c>, instruction: Value<'c>) -> Option<Self> {
        let (ty, pointer) = accessed(instruction)?;
        let (mut address, base) = (Sum::default(), pointer.base());
        address.add(module, pointer, 1)?;
        let is_array = base.is_instruction() && arrays::element_size(base).is_some();
        let is_variable = base.is_global_variable() || base.is(Opcode::Alloca) || is_array;
        let variable = is_variable.then_some(base);
        Some(Bytes { address, size: ty.store_size(module) as i64, variable })
    }

    /// Whether it is seen that they are other bytes.
    fn is_apart(&self, other: &Self) -> bool {
        if self.variable.is_some() && other.variable.is_some() && self.variable != other.variable {
            return true;
        }
        let distance = other.address.constant.wrapping_sub(self.address.constant);
        let is_beside = if distance < 0 { distance <= -other.size } else { distance >= self.size };
        is_beside && self.address.is_like(&other.address)
    }
}

/// Longer functions are not looked at.
const MOST_ACCESSES: usize = 200;

/// Whether each thread's accesses to one place keep their order if strided ones of one type become one access of
/// several threads: the loads at the first of them, and the stores at the last.
pub(in super::super) fn keeps_order<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    linear: &[Value<'c>],
    varying: &[Value<'c>],
) -> bool {
    let mut shapes = Shapes::new(module, linear);
    shapes.vary(varying);
    shapes.guess();
    shapes.compute(function);
    let accesses: Vec<_> = function.instructions().filter(|i| touches_memory(*i)).collect();
    let bytes: Vec<_> = accesses.iter().map(|access| Bytes::of(module, *access)).collect();
    let strided = |access: Value<'c>| {
        let (ty, pointer) = accessed(access)?;
        let shape = shapes.of(pointer);
        let is_simple = shape == Shape::Uniform || shape == Shape::Linear(ty.store_size(module) as i64);
        (!is_simple).then_some((access.opcode(), ty))
    };
    let kinds: Vec<_> = accesses.iter().map(|access| strided(*access)).collect();
    let may_pass = |at: usize, other: usize| match (&bytes[at], &bytes[other]) {
        (Some(a), Some(b)) => a.is_apart(b),
        _ => false,
    };
    let keeps = |at: usize| match kinds[at] {
        None => true,
        Some((Opcode::Load, _)) => {
            let first = kinds.iter().position(|kind| *kind == kinds[at]).unwrap_or(at);
            (first..at).all(|other| accesses[other].is(Opcode::Load) || may_pass(at, other))
        }
        Some(_) => {
            let last = kinds.iter().rposition(|kind| *kind == kinds[at]).unwrap_or(at);
            (at + 1..last).all(|other| may_pass(at, other))
        }
    };
    accesses.len() <= MOST_ACCESSES && (0..accesses.len()).all(keeps)
}

impl<'c> Group<'c> {
    /// The length of the run of elements that each thread accesses, if it does.
    pub(super) fn run(&self) -> Option<u32> {
        self.run
    }

    /// These accesses, if they touch each element of a stretch once.
    fn of(module: &Module<'c>, width: u32, accesses: &[&Access<'c>]) -> Option<Self> {
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
    fn of_run(module: &Module<'c>, width: u32, accesses: &[&Access<'c>]) -> Self {
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
    fn is_in_vectors(&self, module: &Module<'c>) -> bool {
        let bytes = |member: &Value<'c>| accessed(*member).map_or(0, |(ty, _)| ty.store_size(module));
        self.run.is_some_and(|run| u64::from(run) * bytes(&self.members[0]) == runs::BYTES)
    }

    /// These two accesses, if a thread's elements are side by side, and a number of 64 bits together.
    fn of_pairs(module: &Module<'c>, width: u32, [first, last]: [&Access<'c>; 2]) -> Option<Self> {
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

/// Whether an instruction is behind another one of its block.
fn follows<'c>(instruction: Value<'c>, other: Value<'c>) -> bool {
    other.block().instructions().skip_while(|i| *i != other).skip(1).any(|i| i == instruction)
}

impl<'c> Widening<'_, '_, 'c> {
    /// A load of a group. One of them loads the whole stretch, and defines the values of all.
    pub(super) fn interleaved_load(&mut self, load: Value<'c>) {
        let group = self.groups[&load].clone();
        if group.members[group.at] != load {
            return;
        }
        let count = self.wide.width * group.members.len() as u32;
        let align = group.members.iter().map(|member| member.alignment()).min().unwrap_or(1);
        if group.is_in_vectors(self.wide.module) {
            self.load_runs(&group, load, align);
            return;
        }
        let whole = if group.run.is_some() {
            let pairs = self.load_pairs(&group, load.operand(0), align);
            self.builder().cast(Opcode::BitCast, pairs, load.ty().vector(count), "")
        } else {
            let address = self.stretch(&group, load.operand(0));
            self.builder().load(load.ty().vector(count), address, align, "")
        };
        for (member, elements) in group.members.iter().zip(&group.elements) {
            let value = self.builder().permute(whole, whole.ty().poison(), elements);
            self.define(*member, Wide::Vector(value));
        }
    }

    /// A store of a group. The last one stores the whole stretch.
    pub(super) fn interleaved_store(&mut self, store: Value<'c>) {
        let group = self.groups[&store].clone();
        if group.members[group.at] != store {
            return;
        }
        let width = self.wide.width;
        let vectors: Vec<_> = group.members.iter().map(|member| self.get(member.operand(0))).collect();
        let vectors: Vec<_> = vectors.iter().map(|value| self.wide.vector(value)).collect();
        let align = group.members.iter().map(|member| member.alignment()).min().unwrap_or(1);
        if group.is_in_vectors(self.wide.module) {
            self.store_runs(&group, &vectors, store.operand(1), align);
            return;
        }
        // Element by element, which one of all members' it is.
        let mut order = vec![0; width as usize * vectors.len()];
        for (number, element) in (0..).zip(group.elements.iter().flatten()) {
            order[*element as usize] = number;
        }
        let poison = vectors[0].ty().poison();
        let both: Vec<u32> = (0..2 * width).collect();
        let builder = self.builder();
        let joined = |pair: &[Value<'c>]| builder.permute(pair[0], *pair.get(1).unwrap_or(&poison), &both);
        let whole = match &vectors[..] {
            [one] => builder.permute(*one, poison, &order),
            [a, b] => builder.permute(*a, *b, &order),
            more => builder.permute(joined(&more[..2]), joined(&more[2..]), &order),
        };
        if group.run.is_some() {
            self.store_pairs(&group, whole, store.operand(1), align);
            return;
        }
        let address = self.stretch(&group, store.operand(1));
        self.builder().store(whole, address, align);
    }

    /// Loads the pairs of all threads. Numbers of 64 bits are put into a vector in fewer instructions than their
    /// halves, those of `f64` in fewer than integers.
    fn load_pairs(&mut self, group: &Group<'c>, address: Value<'c>, align: u32) -> Value<'c> {
        let addresses = self.own_addresses(group, address);
        let (builder, ty) = (self.builder(), self.wide.module.types().double());
        let pairs = addresses.into_iter().map(|address| builder.load(ty, address, align, "")).collect();
        self.wide.vector(&Wide::Each(pairs))
    }

    fn store_pairs(&mut self, group: &Group<'c>, whole: Value<'c>, address: Value<'c>, align: u32) {
        let addresses = self.own_addresses(group, address);
        let (builder, ty) = (self.builder(), self.wide.module.types().double());
        let pairs = Wide::Vector(builder.cast(Opcode::BitCast, whole, ty.vector(self.wide.width), ""));
        for (thread, address) in (0..).zip(addresses) {
            self.builder().store(self.wide.of_thread(&pairs, thread), address, align);
        }
    }

    /// The address of each thread's pair or run.
    pub(super) fn own_addresses(&mut self, group: &Group<'c>, address: Value<'c>) -> Vec<Value<'c>> {
        let address = self.get(address);
        let from = self.wide.module.types().i64().constant(group.from as u64);
        let addresses = (0..self.wide.width).map(|thread| self.wide.of_thread(&address, thread));
        addresses.map(|at| if group.from == 0 { at } else { self.wide.more(at, from) }).collect()
    }

    /// The address of a stretch.
    fn stretch(&mut self, group: &Group<'c>, address: Value<'c>) -> Value<'c> {
        let address = self.get(address);
        let first = self.wide.of_thread(&address, 0);
        match group.from {
            0 => first,
            from => self.wide.more(first, self.wide.module.types().i64().constant(from as u64)),
        }
    }
}
