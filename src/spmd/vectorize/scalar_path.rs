//! The scalar code that a lane executes from a divergent branch to the place where the lanes converge.

use std::collections::HashMap;

use crate::llvm::{Block, Builder, Copies, Function, Linkage, Module, Opcode, Place, Type, Value};
use crate::spmd::facts::divergence::Divergence;
use crate::spmd::tuning::SCALAR_INLINED;

/// A copy of the region's function, while it becomes that of a divergence.
struct ScalarPath<'a, 'c> {
    module: &'a Module<'c>,
    divergence: &'a Divergence<'c>,
    function: Function<'c>,
    /// The copies of the region's function in its clone, and of this clone in `function`.
    copies: [&'a Copies<'c>; 2],
    /// The parameters after those of the region's function.
    condition: Value<'c>,
    given: Vec<Value<'c>>,
    results: Vec<Value<'c>>,
    /// The variables of given values that the region computes again.
    kept: HashMap<Value<'c>, Value<'c>>,
}

/// The code of one thread, while it becomes that of several.
pub(crate) struct Code<'c> {
    /// As it was.
    pub(crate) one: Function<'c>,
    /// A clone of the function that is widened, which remains as it is.
    pub(crate) source: Function<'c>,
    /// The copies in it.
    pub(crate) copies: Copies<'c>,
}

/// A clone of `code.source`, with the parameters of the region, then the condition of the branch, the values of
/// [`Divergence::given`], and for each of [`Divergence::results`] the address where it stores this value, an `i1` as a
/// byte.
pub(crate) fn build<'c>(module: &Module<'c>, code: &Code<'c>, divergence: &Divergence<'c>, name: &str) -> Function<'c> {
    let (function, own_copies) = declare(module, code.source, divergence, name);
    let own = code.source.parameters().len();
    let more = &function.parameters()[own..];
    let (given, results) = more[1..].split_at(divergence.given.len());
    let mut path = ScalarPath {
        module,
        divergence,
        function,
        copies: [&code.copies, &own_copies],
        condition: more[0],
        given: given.to_vec(),
        results: results.to_vec(),
        kept: HashMap::new(),
    };
    let enter = function.append_block("scalar");
    let builder = Builder::at_end(enter);
    path.compute(&builder);
    path.keep(&builder);
    path.enter(&builder);
    for (value, own) in divergence.given.iter().chain(&divergence.computed).zip(&path.given) {
        if !divergence.region.contains(&value.block()) {
            path.copy(*value).replace_all_uses_with(*own);
        }
    }
    // Afterwards: a phi of the join, if that starts a loop around the branch, is given with its old value and is a
    // result with its new one.
    path.leave();
    if let Some(first) = function.blocks().first() {
        enter.move_before(*first);
    }
    function.erase_unreachable_blocks();
    function
}

/// The clone with all parameters, and the copies in it.
fn declare<'c>(
    module: &Module<'c>,
    source: Function<'c>,
    divergence: &Divergence<'c>,
    name: &str,
) -> (Function<'c>, Copies<'c>) {
    let condition = divergence.block.terminator().and_then(Value::condition).expect("a branch diverges");
    let given = divergence.given.iter().map(|v| v.ty());
    let results = divergence.results.iter().map(|_| module.types().ptr(0));
    let more: Vec<Type<'c>> = [condition.ty()].into_iter().chain(given).chain(results).collect();
    let (clone, copies) = source.clone_with_copies();
    let function = clone.extend_signature(module.types().void(), &more);
    clone.erase_global();
    function.set_linkage(Linkage::Internal);
    function.set_name(name);
    ["memory", "alwaysinline", "inlinehint"].iter().for_each(|name| function.remove_attribute(Place::Function, name));
    if divergence.size > SCALAR_INLINED {
        ["noinline", "cold"].into_iter().for_each(|name| function.mark(name));
    }
    (function, copies)
}

impl<'c> ScalarPath<'_, 'c> {
    fn copy(&self, value: Value<'c>) -> Value<'c> {
        let [first, second] = self.copies;
        second.of(first.of(value))
    }

    fn copy_of_block(&self, block: Block<'c>) -> Block<'c> {
        let [first, second] = self.copies;
        second.of_block(first.of_block(block))
    }

    /// Computes the values of [`Divergence::computed`], which follow those that are given.
    fn compute(&mut self, builder: &Builder<'c>) {
        for value in &self.divergence.computed {
            let copy = self.copy(*value).duplicate();
            for index in 0..value.operand_count() {
                copy.set_operand(index, self.given_value(value.operand(index)));
            }
            builder.insert(copy);
            self.given.push(copy);
        }
    }

    /// Makes variables of the values that the branch has already and the region may compute again.
    fn keep(&mut self, builder: &Builder<'c>) {
        for (value, parameter) in self.divergence.given.iter().zip(&self.given) {
            if !self.divergence.region.contains(&value.block()) {
                continue;
            }
            if let Some(slot) = self.copy(*value).demote_to_stack() {
                slot.move_to(builder);
                builder.store(*parameter, slot, 0);
                self.kept.insert(*value, slot);
            }
        }
    }

    /// Branches as the divergence does.
    fn enter(&self, builder: &Builder<'c>) {
        let block = self.divergence.block;
        let end = block.terminator().expect("a block has a terminator");
        // The copy has a debug location of this function.
        let entered = self.copy(end).duplicate();
        builder.insert(entered);
        // The condition is the first operand of a branch and of a switch.
        entered.set_operand(0, self.condition);
        let dead = self.function.append_block("never");
        Builder::at_end(dead).unreachable();
        for (number, next) in (0..).zip(end.successors()) {
            if !self.divergence.taken.contains(&number) {
                entered.set_successor(number, dead);
                continue;
            }
            entered.set_successor(number, self.copy_of_block(next));
            for phi in next.instructions().take_while(|i| i.is(Opcode::Phi)) {
                let incoming = phi.incoming().into_iter().find(|(_, from)| *from == block);
                let (value, _) = incoming.expect("a phi has a value for each predecessor");
                self.copy(phi).add_incoming(self.given_value(value), builder.block());
            }
        }
    }

    /// A value of the region's function where this one starts.
    fn given_value(&self, value: Value<'c>) -> Value<'c> {
        let position = |values: &[Value<'c>]| values.iter().position(|v| *v == value);
        if value.is_argument() {
            return position(&value.function().parameters()).map_or(value, |at| self.function.parameters()[at]);
        }
        let computed = || position(&self.divergence.computed).map(|at| at + self.divergence.given.len());
        position(&self.divergence.given).or_else(computed).map_or(value, |at| self.given[at])
    }

    /// Stores the results where the threads meet, and returns.
    fn leave(&self) {
        let Some(join) = self.divergence.join else { return };
        let join = self.copy_of_block(join);
        let first = join.instructions().find(|i| !i.is(Opcode::Phi)).expect("a block has a terminator");
        first.split_block("behind");
        let goes_on = join.terminator().expect("it was split");
        let builder = Builder::before(goes_on);
        for (value, address) in self.divergence.results.iter().zip(&self.results) {
            let slot = self.kept.get(value);
            let mut result = slot.map_or_else(|| self.copy(*value), |slot| builder.load(value.ty(), *slot, 0, ""));
            if result.ty().int_width() == Some(1) {
                result = builder.cast(Opcode::ZExt, result, self.module.types().i8(), "");
            }
            builder.store(result, *address, 1);
        }
        builder.ret_void();
        goes_on.erase();
    }
}
