//! For the row "scan" of the benchmarks (docs/measurements.md): replaces a scan that the threads of a block do in steps
//! by one pass over the values.
//!
//! On a GPU, each thread adds the value of the thread one place before it, then two, four, … places before it, with
//! barriers between (Hillis and Steele):
//!
//! ```text
//! for (d = 1; d < n; d *= 2) { other = t >= d ? s[t - d] : 0; barrier(); own += other; s[t] = own; barrier(); }
//! ```
//!
//! On a processor, each step takes as long as one thread takes to add up all values. So the first thread adds them up,
//! and each thread reads its own sum. The results are the same bits, because the operation is one of integers that is
//! associative. Sums of floats depend on the order, so their loops stay.
//!
//! The block must have one row, whose size the kernel promises, and all of its threads must come to the loop together.
//! A block of another size executes the loop as it is.

mod address;
mod memory;
mod pattern;

use std::collections::HashSet;

use crate::analysis::cycles::loops;
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::contract::builtin::{Axis, DeviceBuiltin};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::spmd::region::barriers;
use crate::spmd::region::internalize::describe_arguments;
use memory::touches_before_barrier;
use pattern::Scan;

/// Replaces the scans of all kernels.
pub(crate) fn scan_in_one_pass(module: &Module<'_>, kernels: &KernelSet) {
    for kernel in kernels.iter() {
        let Some(function) = module.function(&kernel.name) else { continue };
        let [threads, 1, 1] = LaunchBounds::of(function).size else { continue };
        if threads > 1 && !barriers::in_function(module, function).is_empty() {
            describe_arguments(function, kernel);
            replace_scans(module, function, threads);
        }
    }
}

fn replace_scans<'c>(module: &Module<'c>, kernel: Function<'c>, threads: u32) {
    let mut left: HashSet<Block<'c>> = HashSet::new();
    loop {
        let all = loops(kernel).into_iter().filter(|l| !left.contains(&l.header));
        let Some(scan) = all.into_iter().find_map(|l| Scan::find(module, &l, threads)) else { return };
        let divergence = Divergence::of(module, kernel, &divergence_sources(module));
        if divergence.is_control_dependent(scan.header) {
            left.insert(scan.header);
        } else {
            left.insert(scan.header);
            scan.replace(module, threads);
        }
    }
}

/// Whether the blocks of the launch have a size.
fn has_shape<'c>(module: &Module<'c>, builder: &Builder<'c>, size: [u32; 3]) -> Value<'c> {
    let i32 = module.types().i32();
    let equal = Axis::ALL.into_iter().zip(size).map(|(axis, size)| {
        let asked = module.declare(DeviceBuiltin::BlockDim(axis).symbol(), i32.function(&[]));
        builder.icmp(IntPredicate::Eq, builder.call(asked, &[], ""), i32.constant(size.into()), "")
    });
    equal.reduce(|a, b| builder.binary(Opcode::And, a, b, "")).expect("there are three axes")
}

impl<'c> Scan<'c> {
    /// Replaces the loop in blocks of the promised size:
    /// `barrier(); if (t == 0) { all sums } barrier(); own = s[t]; barrier();`.
    fn replace(self, module: &Module<'c>, threads: u32) {
        let Some(exit) = self.exit.split_predecessors(&[self.latch]) else { return };
        let Some(choice) = self.header.split_predecessors(&[self.before]) else { return };
        let [check, sums, done] = ["scan", "sums", "scanned"].map(|name| exit.insert_before(name));
        let end = choice.terminator().expect("it leads to the loop");
        let builder = Builder::before(end);
        builder.locate_as(self.barrier);
        builder.cond_br(has_shape(module, &builder, [threads, 1, 1]), check, self.header);
        end.erase();
        let wait = |builder: &Builder<'c>| {
            let barrier = self.barrier.duplicate();
            builder.insert(barrier);
            barrier.drop_annotations();
        };
        let builder = Builder::at_end(check);
        builder.locate_as(self.barrier);
        let first = self.first(module, &builder);
        if !self.waits_before {
            wait(&builder);
        }
        let is_first = builder.icmp(IntPredicate::Eq, self.thread, self.thread.ty().zero(), "");
        builder.cond_br(is_first, sums, done);
        builder.move_to_end(sums);
        self.add_up(&builder, first, threads);
        builder.br(done);
        builder.move_to_end(done);
        wait(&builder);
        let users: Vec<_> =
            self.result.users().into_iter().filter(|user| !self.blocks.contains(&user.block())).collect();
        let mut own = None;
        if !users.is_empty() {
            let i64 = module.types().i64();
            let thread = builder.cast(Opcode::ZExt, self.thread, i64, "");
            own = Some(builder.load(self.ty, builder.gep(self.ty, first, &[thread], ""), 0, "own"));
            if touches_before_barrier(module, exit, self.array) {
                wait(&builder);
            }
        }
        builder.br(exit);
        for phi in exit.instructions().take_while(|i| i.is(Opcode::Phi)).collect::<Vec<_>>() {
            let [(value, _)] = phi.incoming()[..] else { unreachable!("the block has one predecessor") };
            phi.add_incoming(own.filter(|_| value == self.result).unwrap_or(value), done);
        }
        if let Some(own) = own {
            self.join(users, exit, own, done);
        }
    }

    /// Gives the users of the loop's result the value of the other block, if the threads have come from there.
    fn join(&self, users: Vec<Value<'c>>, exit: Block<'c>, own: Value<'c>, done: Block<'c>) {
        let joined = Builder::at_start(exit).phi(self.ty, "");
        joined.add_incoming(self.result, self.latch);
        joined.add_incoming(own, done);
        for user in users.into_iter().filter(|user| user.block() != exit || !user.is(Opcode::Phi)) {
            let numbers = 0..user.operand_count();
            numbers.filter(|n| user.operand(*n) == self.result).for_each(|n| user.set_operand(n, joined));
        }
    }

    /// The address of the first thread's value.
    fn first(&self, module: &Module<'c>, builder: &Builder<'c>) -> Value<'c> {
        let types = module.types();
        builder.gep(types.i8(), self.array, &[types.i64().constant(self.offset as u64)], "")
    }

    /// `for (i = 1; i < threads; i++) { sum = s[i] += sum; }`, from `sum = s[0]`.
    fn add_up(&self, builder: &Builder<'c>, first: Value<'c>, threads: u32) {
        let i64 = first.types().i64();
        let before = builder.block();
        let start = builder.load(self.ty, first, 0, "");
        let [body, end] = ["sum", "summed"].map(|name| before.function().append_block(name));
        builder.br(body);
        builder.move_to_end(body);
        let [i, sum] = [i64, self.ty].map(|ty| builder.phi(ty, ""));
        i.add_incoming(i64.constant(1), before);
        sum.add_incoming(start, before);
        let place = builder.gep(self.ty, first, &[i], "");
        let value = builder.load(self.ty, place, 0, "");
        let all = self.operation.apply(builder, sum, value);
        builder.store(all, place, 0);
        let next = builder.add_no_wrap(i, i64.constant(1), "");
        i.add_incoming(next, body);
        sum.add_incoming(all, body);
        let more = builder.icmp(IntPredicate::Ult, next, i64.constant(threads.into()), "");
        builder.cond_br(more, body, end);
        builder.move_to_end(end);
    }
}
