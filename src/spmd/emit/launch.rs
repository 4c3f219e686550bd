//! The values that the code of an entry uses: the block, its arguments, and the memory of the slots.

use std::mem::offset_of;

use super::checker::continue_thread;
use crate::contract::abi::CpuBlock;
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Types, Value};
use crate::spmd::region::code_table::{Argument, KernelCode};
use crate::spmd::region::position;
use crate::spmd::region::slots::{THREADS_MULTIPLE, describe_frames};
use crate::spmd::region::types::SplitKernel;

/// The values that an entry reads before its loops.
pub(crate) struct Launch<'m, 'c> {
    pub(crate) module: &'m Module<'c>,
    pub(crate) block: Value<'c>,
    /// The dimensions of the block, `i32`.
    pub(crate) dim: [Value<'c>; 3],
    /// The dimensions that the kernel promises, which a launch may break.
    pub(crate) size: Option<[u32; 3]>,
    pub(crate) arguments: Vec<Value<'c>>,
    /// The variable with the position for thunks.
    pub(crate) position: Option<Value<'c>>,
    /// Whether the checker is told which thread runs.
    pub(crate) checked: bool,
    /// Whether no faster versions are executed.
    pub(crate) one_by_one: bool,
}

/// The thread in the body of a loop: x, y, z, and its number in the block, `i64`.
pub(crate) struct Thread<'c> {
    pub(crate) id: [Value<'c>; 3],
    pub(crate) number: Value<'c>,
}

/// The arguments of a thread after its position.
pub(crate) type Arguments<'a, 'c> = dyn Fn(&Thread<'c>) -> Vec<Value<'c>> + 'a;

/// The memory of the slots, and the number of threads, rounded up.
pub(crate) struct Frames<'c> {
    pub(crate) memory: Value<'c>,
    pub(crate) threads: Value<'c>,
}

/// A function for a part of the threads, `TYPE NAME(block, arguments..., frames, threads, more...)`, and its
/// parameters.
pub(crate) struct Part<'m, 'c> {
    pub(crate) function: Function<'c>,
    /// At the end of its first block.
    pub(crate) builder: Builder<'c>,
    pub(crate) launch: Launch<'m, 'c>,
    pub(crate) frames: Frames<'c>,
    pub(crate) more: Vec<Value<'c>>,
}

impl<'m, 'c> Launch<'m, 'c> {
    /// Reads them, at the start of a function with the parameters of an entry.
    pub(crate) fn read(
        module: &'m Module<'c>,
        builder: &Builder<'c>,
        entry: Function<'c>,
        code: &KernelCode<'c>,
        position: Option<Value<'c>>,
    ) -> Self {
        let (block, buffer) = (entry.parameters()[0], entry.parameters()[1]);
        let dim = position::load_dimensions(builder, block);
        let arguments = code.arguments.iter().map(|Argument { offset, align, ty }| {
            let address = builder.byte_offset(buffer, (*offset).into(), "");
            ty.map_or(address, |ty| load_argument(module, builder, ty, address, *align))
        });
        let arguments = arguments.collect();
        Launch { module, block, dim, size: None, arguments, position, checked: false, one_by_one: false }
    }

    /// Whether a call of a thread's function does nothing but this.
    pub(crate) fn is_plain(&self) -> bool {
        self.position.is_none() && !self.checked
    }

    /// An integer type.
    pub(crate) fn types(&self) -> Types<'c> {
        self.module.types()
    }

    /// Defines a function for a part of the threads, whose body is to be built.
    pub(crate) fn define_part(&self, name: &str, result: Type<'c>, more: &[Type<'c>]) -> Part<'m, 'c> {
        let arguments: Vec<_> = self.arguments.iter().map(|argument| argument.ty()).collect();
        let frames = [self.module.types().ptr(0), self.types().i64()];
        let types = [&[self.block.ty()], arguments.as_slice(), &frames, more].concat();
        let function = self.module.define(name, result.function(&types), Linkage::Internal, |_, _| {});
        function.mark("nounwind");
        describe_frames(*function, Place::Parameter(arguments.len() as u32 + 1));
        let (builder, parameters) = (Builder::at_end(function.blocks()[0]), function.parameters());
        let (arguments, others) = parameters[1..].split_at(arguments.len());
        let dim = position::load_dimensions(&builder, parameters[0]);
        let launch = Launch { block: parameters[0], dim, arguments: arguments.to_vec(), ..*self };
        let frames = Frames { memory: others[0], threads: others[1] };
        Part { function, builder, launch, frames, more: others[2..].to_vec() }
    }

    /// Calls such a function.
    pub(crate) fn call_part(
        &self,
        builder: &Builder<'c>,
        function: Function<'c>,
        frames: &Frames<'c>,
        more: &[Value<'c>],
        name: &str,
    ) -> Value<'c> {
        let frames = [frames.memory, frames.threads];
        builder.call(function, &[&[self.block], self.arguments.as_slice(), &frames, more].concat(), name)
    }

    /// The same values in blocks of a size that is known.
    pub(crate) fn with_size(&self, dim: [Value<'c>; 3]) -> Self {
        Launch { dim, arguments: self.arguments.clone(), ..*self }
    }

    /// The same values, for code that executes no faster versions.
    pub(crate) fn one_by_one(self) -> Self {
        Launch { one_by_one: true, ..self }
    }

    /// The number of threads in the block, `i64`.
    pub(crate) fn thread_count(&self, builder: &Builder<'c>) -> Value<'c> {
        let [x, y, z] = self.dim.map(|d| builder.cast(Opcode::ZExt, d, self.types().i64(), ""));
        builder.mul(builder.mul(x, y, ""), z, "")
    }

    /// The x, y and z of the thread with this number, an `i64`.
    pub(crate) fn place(&self, builder: &Builder<'c>, number: Value<'c>) -> [Value<'c>; 3] {
        let [width, height, _] = self.dim;
        // The number of threads in a block fits into 32 bits.
        let number = builder.cast(Opcode::Trunc, number, self.types().i32(), "");
        let row = builder.binary(Opcode::UDiv, number, width, "");
        let [x, y] = [(number, width), (row, height)].map(|(n, by)| builder.binary(Opcode::URem, n, by, ""));
        [x, y, builder.binary(Opcode::UDiv, row, height, "")]
    }

    /// Calls the function that runs one thread.
    pub(crate) fn call(
        &self,
        builder: &Builder<'c>,
        function: Function<'c>,
        thread: &Thread<'c>,
        more: &[Value<'c>],
    ) -> Value<'c> {
        self.call_typed(builder, function.function_type(), *function, thread, more)
    }

    /// Calls it through a pointer, with this function type.
    pub(crate) fn call_typed(
        &self,
        builder: &Builder<'c>,
        ty: Type<'c>,
        callee: Value<'c>,
        thread: &Thread<'c>,
        more: &[Value<'c>],
    ) -> Value<'c> {
        if self.checked {
            continue_thread(self.module, builder, thread.number);
        }
        let [x, y, z] = thread.id;
        let position = [self.block, x, y, z];
        if let Some(variable) = self.position {
            position::store_position(self.module, builder, variable, &position);
        }
        builder.call_typed(ty, callee, &[&self.arguments, position.as_slice(), more].concat(), "")
    }

    /// The first thread of the block.
    pub(crate) fn first(&self) -> Thread<'c> {
        let zero = self.dim[0].ty().zero();
        Thread { id: [zero; 3], number: self.types().i64().zero() }
    }

    /// Gets the memory of the slots from the scheduler.
    pub(crate) fn frames(&self, builder: &Builder<'c>, split: &SplitKernel<'c>) -> Frames<'c> {
        let i64 = self.types().i64();
        let threads = builder.add(self.thread_count(builder), i64.constant(THREADS_MULTIPLE - 1), "");
        let threads = builder.binary(Opcode::And, threads, i64.constant(!(THREADS_MULTIPLE - 1)), "threads");
        self.frames_for(builder, split, threads)
    }

    /// The same for this number of threads, a multiple of [`THREADS_MULTIPLE`].
    pub(crate) fn frames_for(&self, builder: &Builder<'c>, split: &SplitKernel<'c>, threads: Value<'c>) -> Frames<'c> {
        let (i64, pointer) = (self.types().i64(), self.module.types().ptr(0));
        let bytes = builder.mul(threads, i64.constant(split.frame.bytes()), "");
        let frames = position::load_block(builder, self.block, pointer, offset_of!(CpuBlock, frames));
        let memory = builder.call_typed(pointer.function(&[pointer, i64]), frames, &[self.block, bytes], "frames");
        describe_frames(memory, Place::Return);
        Frames { memory, threads }
    }
}

impl<'c> Frames<'c> {
    /// The address of the slots at this offset in bytes per thread.
    pub(crate) fn slots(&self, builder: &Builder<'c>, offset: u64, name: &str) -> Value<'c> {
        let offset = builder.mul(self.threads, self.threads.ty().constant(offset), "");
        builder.gep(self.threads.types().i8(), self.memory, &[offset], name)
    }

    /// The last four arguments of a region's function.
    pub(crate) fn arguments(&self, thread: &Thread<'c>, region: u64) -> Vec<Value<'c>> {
        let region = self.threads.types().i32().constant(region);
        vec![self.memory, self.threads, thread.number, region]
    }
}

pub(crate) fn is_not_zero<'c>(builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    builder.icmp(IntPredicate::Ne, value, value.ty().zero(), "")
}

/// Loads the value of an argument. Rust's `bool` is a byte with the value 0 or 1.
fn load_argument<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    ty: Type<'c>,
    address: Value<'c>,
    align: u32,
) -> Value<'c> {
    if ty.int_width() == Some(1) {
        let byte = builder.load(module.types().i8(), address, align, "");
        return builder.cast(Opcode::Trunc, byte, ty, "");
    }
    builder.load(ty, address, align, "")
}
