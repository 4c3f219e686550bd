//! The number of iterations of a loop with a step, in several threads.
//!
//! `for i in (thread..n).step_by(threads)` divides before it loops, and neighbouring threads have the same number of
//! iterations, except where `n` ends. As a value of each thread, it would take a division for each thread, and the
//! threads would have to compare their counters in every iteration. So the number is assumed to be the same in all
//! threads: it never rises from one thread to the next, or never falls, so that the first and the last one decide.

use super::wide::Wide;
use super::widening::Widening;
use crate::llvm::{Attribute, Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Value};
use crate::spmd::facts::markers::COUNT;
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::facts::trip_count::Count;

/// Replaces such numbers by calls, so that their parts need no analysis. `likely` has the shapes of the parameters.
pub(crate) fn name_counts<'c>(function: Function<'c>, mut likely: Shapes<'_, 'c>, module: &Module<'c>) {
    let mut counts: Vec<_> = function.instructions().filter_map(|i| Some((i, Count::of(i)?))).collect();
    if counts.iter().any(|(number, _)| number.is(Opcode::LShr)) {
        // Without divisions, numbers that differ are computed in vectors.
        likely.guess();
        likely.compute(function);
        counts.retain(|(number, count)| !number.is(Opcode::LShr) || count.is_monotone(|value| likely.of(value)));
    }
    for (sum, Count { end, begin, step }) in counts {
        let builder = Builder::before(sum);
        builder.locate_as(sum);
        let parts = [end, begin, step].map(|part| extended(&builder, part, sum.ty()));
        sum.replace_all_uses_with(builder.call(counting(module, sum), &parts, ""));
        erase_unused(sum);
    }
}

/// A number in as many bits as this type has, which are not fewer.
fn extended<'c>(builder: &Builder<'c>, number: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if number.ty() == ty { number } else { builder.cast(Opcode::ZExt, number, ty, "") }
}

/// Whether the first and the last result of such a call decide whether all threads have the same one.
pub(crate) fn may_be_same<'c>(call: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    let [end, begin, step] = [0, 1, 2].map(|number| call.operand(number));
    Count { end, begin, step }.is_monotone(|value| shapes.of(value))
}

/// The function that computes the number, which LLVM inlines.
fn counting<'c>(module: &Module<'c>, like: Value<'c>) -> Function<'c> {
    let ty = like.ty();
    let name = format!("{COUNT}i{}", ty.int_width().unwrap_or(0));
    if let Some(defined) = module.function(&name) {
        return defined;
    }
    let counting = module.define(&name, ty.function(&[ty, ty, ty]), Linkage::Internal, |function, block| {
        let [end, begin, step] = function.parameters()[..] else { unreachable!("it has three parameters") };
        let builder = Builder::at_end(block);
        let n = builder.call(module.intrinsic("llvm.usub.sat", &[ty]), &[end, begin], "");
        let [whole, left] = [Opcode::UDiv, Opcode::URem].map(|opcode| builder.binary(opcode, n, step, ""));
        let more = builder.cast(Opcode::ZExt, builder.icmp(IntPredicate::Ne, left, ty.zero(), ""), ty, "");
        builder.ret(builder.add(whole, more, ""));
    });
    for name in ["alwaysinline", "nounwind", "willreturn"] {
        counting.mark(name);
    }
    counting.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
    counting
}

/// Erases an instruction that nothing uses, and those of its operands that nothing else uses.
fn erase_unused(instruction: Value<'_>) {
    let mut work = vec![instruction];
    while let Some(instruction) = work.pop() {
        let is_pure = !instruction.is_call() || instruction.is_repeatable();
        if instruction.is_used() || !is_pure || instruction.is(Opcode::Load) || instruction.is(Opcode::Phi) {
            continue;
        }
        let operands = instruction.operands();
        instruction.erase();
        for operand in operands.into_iter().filter(|v| v.is_instruction()) {
            if !work.contains(&operand) {
                work.push(operand);
            }
        }
    }
}

impl<'c> Widening<'_, '_, 'c> {
    /// A number of iterations that is assumed to be the same in all threads.
    pub(crate) fn assumed_count(&mut self, call: Value<'c>) -> Wide<'c> {
        let first = self.copy(call, 0);
        let same = self.has_count(call, first);
        self.check(same);
        for operand in [0, 1].map(|number| call.operand(number)) {
            let value = self.get(operand);
            let step = match value {
                Wide::Same(_) => continue,
                Wide::Steps(_, step) => step,
                // Its shape says that it is one of the two.
                Wide::Offsets(..) | Wide::Vector(_) | Wide::Each(_) => {
                    self.check(same.ty().zero());
                    continue;
                }
            };
            let ends = [0, self.wide.width - 1].map(|thread| self.wide.of_thread(&value, thread));
            let [least, greatest] = if step > 0 { ends } else { [ends[1], ends[0]] };
            let rises = self.builder().icmp(IntPredicate::Ule, least, greatest, "");
            self.check(rises);
        }
        Wide::Same(first)
    }

    /// Whether the last thread has this number of iterations, too. A quotient takes longer than the other operations
    /// together, unless the step is a constant: for n > 0 it is `count` if (count - 1) * step < n <= count * step. No
    /// product is larger than the first thread's n.
    fn has_count(&mut self, call: Value<'c>, count: Value<'c>) -> Value<'c> {
        if call.operand(2).is_constant() {
            let last = self.copy(call, self.wide.width - 1);
            let same = self.builder().icmp(IntPredicate::Eq, last, count, "");
            let aligned = self.begins_aligned(call);
            return aligned.map_or(same, |aligned| self.builder().binary(Opcode::Or, aligned, same, ""));
        }
        let [end, begin, step] = [0, 1, 2].map(|number| self.get(call.operand(number)));
        let last = self.wide.width - 1;
        let [end, begin, step] = [(end, last), (begin, last), (step, 0)].map(|(v, at)| self.wide.of_thread(&v, at));
        let (builder, ty) = (self.builder(), count.ty());
        let n = builder.call(self.wide.module.intrinsic("llvm.usub.sat", &[ty]), &[end, begin], "");
        let before = builder.binary(Opcode::Mul, builder.binary(Opcode::Sub, count, ty.constant(1), ""), step, "");
        let reaches = builder.icmp(IntPredicate::Ugt, n, before, "");
        let ends = builder.icmp(IntPredicate::Ule, builder.binary(Opcode::Sub, n, before, ""), step, "");
        let both = builder.binary(Opcode::And, reaches, ends, "");
        let [none, empty] = [count, n].map(|value| builder.icmp(IntPredicate::Eq, value, ty.zero(), ""));
        builder.select(none, empty, both, "")
    }

    /// Whether the first of the threads begins at a multiple of their number, if the end and the step are such
    /// multiples, too, and each thread begins one after its neighbour. The number of iterations is then the same in
    /// all of them: `end - begin` is the first one's, a multiple of their number, or less by fewer than this number,
    /// and no multiple of the step is between them. LLVM can often prove this for a group of a block, and then
    /// computes nothing for the last thread.
    fn begins_aligned(&mut self, call: Value<'c>) -> Option<Value<'c>> {
        let width = self.wide.width;
        let is_multiple = |at: u32| call.operand(at).as_u64().is_some_and(|n| n.is_multiple_of(u64::from(width)));
        debug_assert!(width.is_power_of_two());
        if !is_multiple(0) || !is_multiple(2) {
            return None;
        }
        let Wide::Steps(first, 1) = self.get(call.operand(1)) else { return None };
        let (builder, ty) = (self.builder(), first.ty());
        let low = builder.binary(Opcode::And, first, ty.constant(u64::from(width) - 1), "");
        Some(builder.icmp(IntPredicate::Eq, low, ty.zero(), ""))
    }
}
