//! For the row "FFT in shared memory": accesses of several threads that together touch each element of a stretch of
//! memory once.
//!
//! In a step of a transform with distance 2, eight threads load the elements 0, 1, 4, 5, …, 13 of a stretch of 16, and
//! then the others, 2, 3, 6, 7, …, 15. The real parts of complex numbers are every second element, and the imaginary
//! ones are the others. Each of these accesses would be one for each thread. Together they are one of a long vector,
//! whose elements are put in order by shuffles. Nothing is touched that some thread does not access itself. Where each
//! thread accesses elements that are side by side, and those of the threads are apart, there is an access for each
//! thread instead of one for each element (`transposed.rs`).
//!
//! The accesses of a stretch move to one of them, past those in between. A thread's own accesses to one place keep
//! their order: stores move only past stores of which it is seen that they are elsewhere. LLVM's vectoriser does the
//! same with loops whose threads may be executed in any order, and does not look at the accesses of one thread
//! ([`keeps_order`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::access::{Access, Bytes, Group, Groups, accessed};
use super::transposed;
use crate::analysis::effects::{only_reads, touches_memory};
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Function, Module, Opcode, Value};
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::tuning::{INTERLEAVED_MEMBERS, ORDERED_ACCESSES};
use crate::spmd::vectorize::wide::Wide;
use crate::spmd::vectorize::widening::Widening;

/// The groups of accesses that a group of threads executes together, by their members.
pub(crate) fn find<'c>(module: &Module<'c>, plan: &Plan<'_, 'c>) -> Groups<'c> {
    let mut found = HashMap::new();
    let predecessors = Predecessors::among(&plan.uniform);
    // The only block that threads enter from another one that leads to no other.
    let next = |block: &Block<'c>| {
        let uniform: Vec<_> = block.successors().into_iter().filter(|next| plan.uniform.contains(next)).collect();
        uniform.first().copied().filter(|next| uniform.len() == 1 && predecessors.only(*next) == Some(*block))
    };
    let entered: HashSet<_> = plan.uniform.iter().filter_map(next).collect();
    for start in plan.uniform.iter().filter(|block| !entered.contains(block)) {
        let mut loads = Vec::new();
        let blocks: Vec<_> = std::iter::successors(Some(*start), next).take(plan.uniform.len()).collect();
        blocks.into_iter().for_each(|block| find_in(module, &plan.shapes, block, &mut loads, &mut found));
        group(module, plan.shapes.width(), &mut loads, &mut found);
    }
    found
}

/// Adds the groups of a block. `loads` has the loads of earlier blocks that are in no group yet, and then its own, too.
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
                if !stores.iter().all(|before: &Access<'c>| before.bytes.is_disjoint(&access.bytes)) {
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
        let most = like.len().min(INTERLEAVED_MEMBERS);
        let whole = |count: usize| {
            let mut members = like[..count].to_vec();
            members.sort_by_key(|(place, _)| *place);
            let accesses: Vec<_> = members.iter().map(|(_, access)| *access).collect();
            let places: Vec<_> = members.iter().map(|(place, _)| *place).collect();
            Some((Group::of(module, width, &accesses)?, places))
        };
        let pair = || {
            let of_pairs = |(place, other): &(usize, &Access<'c>)| {
                Some((Group::of_pairs(module, width, [first, *other])?, vec![0, *place]))
            };
            like.iter().find_map(of_pairs)
        };
        let run = || {
            let places = transposed::run_of_first(&like, width, first.ty.store_size(module))?;
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

/// Whether each thread's accesses to one place keep their order if strided ones of one type become one access of
/// several threads: the loads at the first of them, and the stores at the last.
pub(crate) fn keeps_order<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    affine: &[Value<'c>],
    varying: &[Value<'c>],
) -> bool {
    let mut shapes = Shapes::new(module, affine);
    shapes.vary(varying);
    shapes.guess();
    shapes.compute(function);
    let accesses: Vec<_> = function.instructions().filter(|i| touches_memory(*i)).collect();
    let bytes: Vec<_> = accesses.iter().map(|access| Bytes::of(module, *access)).collect();
    let strided = |access: Value<'c>| {
        let (ty, pointer) = accessed(access)?;
        let shape = shapes.of(pointer);
        let is_simple = shape == Shape::Uniform || shape == Shape::Affine(ty.store_size(module) as i64);
        (!is_simple).then_some((access.opcode(), ty))
    };
    let kinds: Vec<_> = accesses.iter().map(|access| strided(*access)).collect();
    let may_pass = |at: usize, other: usize| match (&bytes[at], &bytes[other]) {
        (Some(a), Some(b)) => a.is_disjoint(b),
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
    accesses.len() <= ORDERED_ACCESSES && (0..accesses.len()).all(keeps)
}

impl<'c> Widening<'_, '_, 'c> {
    /// A load of a group. One of them loads the whole stretch, and defines the values of all.
    pub(crate) fn interleaved_load(&mut self, load: Value<'c>) {
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
    pub(crate) fn interleaved_store(&mut self, store: Value<'c>) {
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
    pub(crate) fn own_addresses(&mut self, group: &Group<'c>, address: Value<'c>) -> Vec<Value<'c>> {
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
