//! The shapes of the values of a whole kernel, as long as all threads have stopped at the same places.
//!
//! Threads that take different paths between two stops may still stop at the same place. Values then differ where these
//! paths join, and if threads leave a loop in different iterations. Threads that stop at different places are not
//! analysed: from there on, no values of neighbours are loaded together.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::divergence::{After, uses};
use super::shape::Shape;
use super::shapes::Shapes;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::cycles::components;
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// Computes the shapes. `affine` are the parameters that increase by one, `varying` those that differ in any way, and
/// threads stop at the ends of `stops`.
pub(crate) fn shapes_of_kernel<'m, 'c>(
    module: &'m Module<'c>,
    function: Function<'c>,
    affine: &[Value<'c>],
    varying: &[Value<'c>],
    stops: &HashSet<Block<'c>>,
) -> Shapes<'m, 'c> {
    let flow = ControlFlow::until(function, stops);
    let blocks: Vec<_> = function.blocks().into_iter().filter(|block| flow.reaches_exit(*block)).collect();
    let cycles: Vec<HashSet<_>> = components(&blocks, |block| flow.successors(block).to_vec())
        .into_iter()
        .filter_map(|(all, is_cycle)| is_cycle.then(|| all.into_iter().collect()))
        .collect();
    let paths = Paths { flow, cycles, used: uses(function), all: function.instructions().collect() };
    let mut shapes = Shapes::new(module, affine);
    shapes.vary(varying);
    loop {
        shapes.compute(function);
        let before = shapes.mixed.len();
        for block in &blocks {
            let condition = block.terminator().and_then(Value::condition);
            if condition.is_some_and(|condition| shapes.of(condition) != Shape::Uniform) {
                shapes.mixed.extend(paths.mixed(*block));
            }
        }
        if shapes.mixed.len() == before {
            return shapes;
        }
    }
}

/// The paths of threads from one stop to the next.
struct Paths<'c> {
    flow: ControlFlow<'c>,
    cycles: Vec<HashSet<Block<'c>>>,
    used: HashMap<Value<'c>, Vec<Block<'c>>>,
    all: Vec<Value<'c>>,
}

impl<'c> Paths<'c> {
    /// The values that differ if threads take different paths at the end of a block.
    fn mixed(&self, block: Block<'c>) -> Vec<Value<'c>> {
        let join = self.flow.post_dominator(block);
        let region = self.flow.region(block);
        let behind: HashSet<_> = join.into_iter().flat_map(|join| self.flow.later(join)).chain(join).collect();
        let cycle = self.cycles.iter().find(|cycle| cycle.contains(&block));
        let comes_from = |from: &Block<'c>| *from == block || region.contains(from);
        let differs = |value: &&Value<'c>| {
            let own = value.block();
            if !value.is(Opcode::Phi) {
                return false;
            }
            let from: Vec<_> = value.incoming().into_iter().map(|(_, from)| from).collect();
            // A phi of one value after a loop is a use of the loop's value after the loop.
            let left = cycle.is_some_and(|cycle| !cycle.contains(&own) && from.iter().any(|b| cycle.contains(b)));
            let joins = Some(own) == join || region.contains(&own);
            left || joins && from.iter().filter(|b| comes_from(b)).count() > 1
        };
        let after = RefCell::new(join.map(After::of));
        let leaves = |value: &&Value<'c>| {
            let (own, Some(uses)) = (value.block(), self.used.get(value)) else { return false };
            let uses_behind: Vec<_> = uses.iter().filter(|b| behind.contains(*b)).copied().collect();
            let is_used =
                || after.borrow_mut().as_mut().is_some_and(|after| after.uses(**value, &uses_behind, &region));
            let after_join = region.contains(&own) && is_used();
            let after_loop = cycle.is_some_and(|cycle| cycle.contains(&own) && uses.iter().any(|b| !cycle.contains(b)));
            after_join || after_loop
        };
        self.all.iter().filter(|value| differs(value) || leaves(value)).copied().collect()
    }
}
