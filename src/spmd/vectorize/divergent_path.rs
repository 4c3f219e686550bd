//! Where the lanes of a group diverge: assumptions that do not hold, and branches on which they do not
//! agree. Each of them continues as scalar code, in a loop over the lanes.

use super::scalar_path;
use super::wide::Wide;
use super::widening::Widening;
use crate::llvm::{Attribute, Block, IntPredicate, Opcode, Place, Type, Value};
use crate::spmd::facts::divergence::Divergence;
use crate::spmd::facts::shape::{Shape, is_element};

impl<'c> Widening<'_, '_, 'c> {
    /// Continues if an assumption holds.
    pub(crate) fn check(&mut self, holds: Value<'c>) {
        let fallback = *self.fallback.get_or_insert_with(|| self.function.append_block("unlike"));
        self.check_or(holds, fallback);
    }

    /// The same, with the block to which threads go if it does not hold.
    pub(crate) fn check_or(&mut self, holds: Value<'c>, fallback: Block<'c>) {
        let next = self.function.append_block("alike");
        // The code of a thread may not depend on it.
        let holds = self.builder().freeze(holds, "");
        self.builder().cond_br(holds, next, fallback);
        self.wide.builder.move_to_end(next);
    }

    /// A load whose shape is assumed.
    pub(crate) fn assumed_load(&mut self, load: Value<'c>, shape: Shape) -> Wide<'c> {
        let first = self.copy(load, 0);
        let step = if let Shape::Affine(step) = shape { step } else { 0 };
        let width = self.wide.width;
        let bits = load.ty().store_size(self.wide.module) as u32 * 8;
        let ty = self.wide.module.types().int(bits);
        let builder = self.builder();
        let all = builder.load(ty.vector(width), first.operand(0), load.alignment(), "");
        let number = if load.ty().is_pointer() { builder.cast(Opcode::PtrToInt, first, ty, "") } else { first };
        let expected = builder.add(builder.splat(number, width), ty.steps(0, step, width), "");
        // The lowest level has no comparison of 64 bits, and one comparison of the differences together is enough.
        let differences = builder.binary(Opcode::Xor, all, expected, "");
        let or = self.wide.module.intrinsic("llvm.vector.reduce.or", &[differences.ty()]);
        let holds = builder.icmp(IntPredicate::Eq, builder.call(or, &[differences], ""), ty.zero(), "");
        self.check(holds);
        if step == 0 { Wide::Same(first) } else { Wide::Steps(first, step) }
    }

    /// An extension of an affine value that is assumed not to overflow between the threads.
    pub(crate) fn assumed_extension(&mut self, extension: Value<'c>, shape: Shape) -> Wide<'c> {
        let narrow = self.get(extension.operand(0));
        let [from, to] = [0, self.wide.width - 1].map(|thread| self.wide.of_thread(&narrow, thread));
        let step = if let Shape::Affine(step) = shape { step } else { 0 };
        let rises = match (extension.is(Opcode::SExt), step > 0) {
            (true, true) => IntPredicate::Sge,
            (true, false) => IntPredicate::Sle,
            (false, true) => IntPredicate::Uge,
            (false, false) => IntPredicate::Ule,
        };
        let holds = self.builder().icmp(rises, to, from, "");
        self.check(holds);
        Wide::Steps(self.copy(extension, 0), step)
    }

    /// Each lane executes the whole function as scalar code, if an assumption does not hold.
    pub(crate) fn fall_back(&mut self) {
        let Some(fallback) = self.fallback else { return };
        self.wide.builder.move_to_end(fallback);
        let result = self.code.one.function_type().result();
        let results = (!result.is_void()).then(|| self.entry.alloca(result.array(self.wide.width.into()), ""));
        self.each_thread(|widening, thread, arguments| {
            let result = widening.builder().call(widening.code.one, &arguments, "");
            // It is rarely executed, and would occupy registers of the code around it.
            result.add_attribute(Place::Function, &Attribute::Enum("noinline", 0));
            if let Some(results) = results {
                widening.builder().store(result, widening.builder().gep(result.ty(), results, &[thread], ""), 0);
            }
        });
        match results {
            Some(results) => {
                let all = self.builder().load(
                    result.vector(self.wide.width),
                    results,
                    result.alignment(self.wide.module),
                    "",
                );
                self.builder().ret(all);
            }
            None => self.builder().ret_void(),
        }
    }

    /// A loop over the threads, with the number of a thread and its parameters.
    pub(crate) fn each_thread(&mut self, body: impl FnOnce(&mut Self, Value<'c>, Vec<Value<'c>>)) {
        self.each_group(1, body);
    }

    /// A loop over groups of this number of threads, with the number of the first thread and its parameters.
    fn each_group(&mut self, size: u32, body: impl FnOnce(&mut Self, Value<'c>, Vec<Value<'c>>)) {
        let i64 = self.wide.module.types().i64();
        let (begin, from) = (self.function.append_block("each"), self.builder().block());
        self.builder().br(begin);
        self.wide.builder.move_to_end(begin);
        let thread = self.builder().phi(i64, "thread");
        thread.add_incoming(i64.zero(), from);
        let parameters = self.parameters_of(thread);
        body(self, thread, parameters);
        let next = self.builder().add(thread, i64.constant(size.into()), "");
        thread.add_incoming(next, self.builder().block());
        let done = self.function.append_block("met");
        let more = self.builder().icmp(IntPredicate::Ult, next, i64.constant(self.wide.width.into()), "");
        self.builder().cond_br(more, begin, done);
        self.wide.builder.move_to_end(done);
    }

    /// The same for the thread with this number, if there is one.
    fn one_thread(&mut self, thread: Value<'c>, body: impl FnOnce(&mut Self, Value<'c>, Vec<Value<'c>>)) {
        let [begin, done] = ["only", "met"].map(|name| self.function.append_block(name));
        let exists = self.builder().icmp(IntPredicate::Ult, thread, thread.ty().constant(self.wide.width.into()), "");
        self.builder().cond_br(exists, begin, done);
        self.wide.builder.move_to_end(begin);
        let parameters = self.parameters_of(thread);
        body(self, thread, parameters);
        self.builder().br(done);
        self.wide.builder.move_to_end(done);
    }

    /// The function's parameters for the thread with this number.
    fn parameters_of(&self, thread: Value<'c>) -> Vec<Value<'c>> {
        let own = |p: Value<'c>| match self.affine.get(&p) {
            Some(1) => self.wide.more(p, thread),
            Some(step) => self.reload(&Wide::Steps(p, *step), None, thread),
            None => p,
        };
        self.function.parameters().into_iter().map(own).collect()
    }

    /// Each lane executes the code of a divergence as scalar code.
    pub(crate) fn diverge(&mut self, divergence: &Divergence<'c>, end: Value<'c>, number: usize) {
        let types = self.wide.module.types();
        let (i8, width) = (types.i8(), self.wide.width);
        let name = format!("{}.scalar.{number}", self.function.name());
        let callee = scalar_path::build(self.wide.module, self.code, divergence, &name);
        let condition = end.condition().expect("threads diverge at conditions only");
        let is_easy = self.plan.shapes.is_ordered(condition) && self.plan.shapes.of(condition) != Shape::Uniform;
        let passed = (!is_easy).then_some(condition);
        let given: Vec<_> =
            passed.into_iter().chain(divergence.given.iter().copied()).map(|value| self.get(value)).collect();
        let halves = self.at_half_width(divergence, condition, callee, &given);
        let (callee, size) = halves.map_or((callee, 1), |halves| (halves.function, halves.width));
        // The values of each thread in memory, by the number of the thread.
        let in_memory: Vec<_> = given.iter().map(|value| self.spill(value)).collect();
        let results: Vec<_> = divergence
            .results
            .iter()
            .map(|value| {
                let ty = if value.ty().int_width() == Some(1) { i8 } else { value.ty() };
                (self.entry.alloca(ty.array(width.into()), ""), ty)
            })
            .collect();
        let direct = self.direct_edge(divergence, end);
        if direct.is_some() {
            self.store_direct(divergence, &results);
        }
        let only = direct.filter(|_| is_easy).and_then(|is_true| self.only_thread(condition, !is_true));
        let body = |widening: &mut Self, thread, mut arguments: Vec<_>| {
            let own = match is_easy {
                true => widening.condition_of(condition, thread),
                false => widening.reload(&given[0], in_memory[0], thread),
            };
            let after = direct.map(|is_true| {
                let [call, after] = ["scalar", "with"].map(|name| widening.function.append_block(name));
                let [then, or_else] = if is_true { [after, call] } else { [call, after] };
                widening.builder().cond_br(own, then, or_else);
                widening.wide.builder.move_to_end(call);
                after
            });
            arguments.push(own);
            let passed = given.iter().zip(&in_memory).skip(usize::from(!is_easy));
            for (value, memory) in passed {
                arguments.push(widening.reload(value, *memory, thread));
            }
            for (array, ty) in &results {
                arguments.push(widening.builder().gep(*ty, *array, &[thread], ""));
            }
            widening.builder().call(callee, &arguments, "");
            if let Some(after) = after {
                widening.builder().br(after);
                widening.wide.builder.move_to_end(after);
            }
        };
        match only {
            Some(thread) => self.one_thread(thread, body),
            None => self.each_group(size, body),
        }
        let Some(join) = divergence.join else {
            self.builder().unreachable();
            return;
        };
        for (value, (array, ty)) in divergence.results.iter().zip(&results) {
            let result = self.collect_results(*value, *array, *ty);
            let merged = value.is(Opcode::Phi) && value.block() == join;
            let variables = if merged { &self.incoming } else { &self.kept };
            if let Some(variable) = variables.get(value) {
                self.store(&result, variable);
            }
        }
        self.builder().br(self.blocks[&join]);
    }

    /// Whether a thread that takes the first successor of a branch is where the threads meet, or one that takes the
    /// second, with no value that it would have to compute.
    fn direct_edge(&self, divergence: &Divergence<'c>, end: Value<'c>) -> Option<bool> {
        let join = divergence.join?;
        let only_phis = divergence.results.iter().all(|result| result.block() == join && result.is(Opcode::Phi));
        let number = end.successors().iter().position(|next| *next == join)?;
        (end.is(Opcode::Br) && only_phis).then_some(number == 0)
    }

    /// Stores the results of a thread that takes the direct edge.
    fn store_direct(&mut self, divergence: &Divergence<'c>, results: &[(Value<'c>, Type<'c>)]) {
        for (phi, (array, _)) in divergence.results.iter().zip(results) {
            let incoming = phi.incoming().into_iter().find(|(_, from)| *from == divergence.block);
            let (value, _) = incoming.expect("a phi has a value for each predecessor");
            let value = self.get(value);
            if is_element(phi.ty()) {
                let vector = self.in_bytes(self.wide.vector(&value));
                self.builder().store(vector, *array, phi.ty().alignment(self.wide.module));
                continue;
            }
            for thread in 0..self.wide.width {
                let (builder, ty) = (self.builder(), phi.ty());
                let at = builder.gep(ty, *array, &[self.wide.number(thread)], "");
                builder.store(self.wide.of_thread(&value, thread), at, 0);
            }
        }
    }

    /// Stores the values of all threads to memory, if they are not known by the first one's.
    fn spill(&self, value: &Wide<'c>) -> Option<Value<'c>> {
        let builder = self.builder();
        match value {
            Wide::Same(_) | Wide::Steps(..) | Wide::Offsets(..) => None,
            Wide::Vector(vector) => {
                let vector = self.in_bytes(*vector);
                let memory = self.entry.alloca(vector.ty(), "");
                builder.store(vector, memory, 0);
                Some(memory)
            }
            Wide::Each(values) => {
                let ty = values[0].ty();
                let memory = self.entry.alloca(ty.array(values.len() as u64), "");
                for (thread, value) in (0..).zip(values) {
                    builder.store(*value, builder.gep(ty, memory, &[self.wide.number(thread)], ""), 0);
                }
                Some(memory)
            }
        }
    }

    /// A vector of `i1` as one of bytes.
    pub(crate) fn in_bytes(&self, vector: Value<'c>) -> Value<'c> {
        match vector.ty().parts()[0].int_width() {
            Some(1) => {
                let bytes = self.wide.module.types().i8().vector(self.wide.width);
                self.builder().cast(Opcode::ZExt, vector, bytes, "")
            }
            _ => vector,
        }
    }

    /// The value of the thread with this number, an `i64`.
    pub(crate) fn reload(&self, value: &Wide<'c>, memory: Option<Value<'c>>, thread: Value<'c>) -> Value<'c> {
        let builder = self.builder();
        let i8 = self.wide.module.types().i8();
        let at = |ty: Type<'c>| builder.gep(ty, memory.expect("it was stored"), &[thread], "");
        match value {
            Wide::Same(value) => *value,
            Wide::Steps(first, step) => {
                let by = builder.mul(thread, thread.ty().constant(*step as u64), "");
                self.wide.more(*first, by)
            }
            Wide::Offsets(..) => builder.extract_element(self.wide.vector(value), thread, ""),
            Wide::Vector(vector) => {
                let ty = vector.ty().parts()[0];
                if ty.int_width() == Some(1) {
                    return builder.cast(Opcode::Trunc, builder.load(i8, at(i8), 0, ""), ty, "");
                }
                builder.load(ty, at(ty), 0, "")
            }
            Wide::Each(values) => {
                let ty = values[0].ty();
                builder.load(ty, at(ty), 0, "")
            }
        }
    }

    /// The results that the threads have stored.
    fn collect_results(&self, value: Value<'c>, array: Value<'c>, ty: Type<'c>) -> Wide<'c> {
        let (builder, width) = (self.builder(), self.wide.width);
        if !is_element(value.ty()) {
            let load = |thread: u32| builder.load(ty, builder.gep(ty, array, &[self.wide.number(thread)], ""), 0, "");
            return Wide::Each((0..width).map(load).collect());
        }
        let vector = builder.load(ty.vector(width), array, ty.alignment(self.wide.module), "");
        if value.ty().int_width() == Some(1) {
            return Wide::Vector(builder.cast(Opcode::Trunc, vector, value.ty().vector(width), ""));
        }
        Wide::Vector(vector)
    }
}
