//! Entry points for LLVM's libomptarget, whose host device calls a function with 8-byte slots once for each launch.
//!
//! The slots are `uint64_t s0, ... s3, state, slots...`: `s0` to `s3` contain the shape of the launch, and `state` is
//! the address of the launch state (see `runtime-c/drivers/omptarget.c`). Each parameter has a slot with the bits of a
//! value or a device pointer, or for larger types with a device pointer to the bytes. The entry point packs the
//! parameters into an argument buffer, and passes the grid to the scheduler that is linked into the image.
//!
//! libomptarget 22 calls `void NAME(void *dyn, uint64_t slots...)`, and `dyn` is null or -1 if it has no environment
//! for the kernel, which only reductions and dynamic shared memory of libomptarget's own need. libomptarget 23 calls
//! `void NAME(void **slots)` with the address of each slot. An image serves both: its first parameter distinguishes
//! them, and the others are read for libomptarget 22 only. In the C convention of x86-64, a function may have more
//! parameters than its caller passes, if it does not read them.

use crate::contract::kernel::{Kernel, ParameterKind};
use crate::error::{Context, Result};
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Value};
use crate::system::scratch::{self, Scratch};
use crate::targets::DeviceJob;

/// `runtime-c/drivers/cpu_scheduler.c`, compiled by `build.rs`.
static SCHEDULER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cpu_scheduler.o"));

/// `runtime-c/drivers/cpu_chunks.c`, compiled by `build.rs`.
static CHUNKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cpu_chunks.o"));

/// `runtime-c/drivers/cpu_stack.c`, compiled by `build.rs`.
static STACK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cpu_stack.o"));

/// The number of slots that are not the kernel's parameters.
const SLOT_PREFIX: usize = 5;

/// Adds the entry point of a kernel. `shared_bytes` is the size of its static shared memory.
pub(in crate::targets::cpu) fn define_entry_point<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    entry: Function<'c>,
    shared_bytes: u32,
) {
    let types = module.types();
    let (void, i64, pointer) = (types.void(), types.i64(), types.ptr(0));
    let mut parameters = vec![i64; 1 + SLOT_PREFIX + kernel.parameters.len()];
    parameters[0] = pointer;
    let fill = |function: Function<'c>, block: Block<'c>| {
        let builder = Builder::at_end(block);
        let slots = read_slots(module, &builder, function);
        let (grid, threads) = unpack_shape(&builder, &slots[..3]);
        let arguments = pack_arguments(module, &builder, kernel, &slots[SLOT_PREFIX..]);
        let i32 = types.i32();
        let dynamic = builder.cast(Opcode::Trunc, slots[3], i32, "");
        let state = builder.cast(Opcode::IntToPtr, slots[4], pointer, "");
        let ty = i32.function(&[pointer, pointer, pointer, i32, i32, pointer, pointer]);
        let run = module.declare("offload_cpu_run", ty);
        run.set_hidden();
        let result = builder.call(
            run,
            &[*entry, grid, threads, i32.constant(shared_bytes.into()), dynamic, arguments, state],
            "",
        );
        end_unless_zero(module, &builder, result, &kernel.display);
        builder.ret_void();
    };
    let function = module.define(&kernel.name, void.function(&parameters), Linkage::External, fill);
    function.mark("nounwind");
}

/// The slots: the parameters after the first one, or the numbers at the addresses in the array of the first one.
fn read_slots<'c>(module: &Module<'c>, builder: &Builder<'c>, function: Function<'c>) -> Vec<Value<'c>> {
    let (i64, pointer) = (module.types().i64(), module.types().ptr(0));
    let parameters = function.parameters();
    let (first, passed) = (parameters[0], &parameters[1..]);
    let (entry, array, go_on) = (builder.block(), function.append_block("array"), function.append_block("slots"));
    // Null and -1 are the only numbers whose successor is below 2.
    let number = builder.cast(Opcode::PtrToInt, first, i64, "");
    let next = builder.binary(Opcode::Add, number, i64.constant(1), "");
    let are_passed = builder.icmp(IntPredicate::Ult, next, i64.constant(2), "");
    builder.cond_br(are_passed, go_on, array);
    builder.move_to_end(array);
    let load = |index: usize| {
        let address = builder.load(pointer, builder.byte_offset(first, 8 * index as u64, ""), 8, "");
        builder.load(i64, address, 8, "")
    };
    let loaded: Vec<_> = (0..passed.len()).map(load).collect();
    builder.br(go_on);
    builder.move_to_end(go_on);
    let join = |(passed, loaded): (&Value<'c>, Value<'c>)| {
        let phi = builder.phi(i64, "");
        phi.add_incoming(*passed, entry);
        phi.add_incoming(loaded, array);
        phi
    };
    passed.iter().zip(loaded).map(join).collect()
}

/// Memory on the stack, which belongs to the first block of a function.
fn local<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Value<'c> {
    Builder::at_start(builder.block().function().blocks()[0]).alloca(ty, "")
}

/// Two arrays of three counts, blocks and threads, from three pairs of counts.
fn unpack_shape<'c>(builder: &Builder<'c>, pairs: &[Value<'c>]) -> (Value<'c>, Value<'c>) {
    let i32 = pairs[0].types().i32();
    let arrays = [0, 1].map(|_| local(builder, i32.array(3)));
    for index in 0..6 {
        let pair = pairs[index / 2];
        let shift = pair.ty().constant(32 * (index as u64 % 2));
        let count = builder.cast(Opcode::Trunc, builder.binary(Opcode::LShr, pair, shift, ""), i32, "");
        let address = builder.byte_offset(arrays[index / 3], 4 * (index as u64 % 3), "");
        builder.store(count, address, 4);
    }
    (arrays[0], arrays[1])
}

/// The packed argument buffer, on the stack.
fn pack_arguments<'c>(module: &Module<'c>, builder: &Builder<'c>, kernel: &Kernel, slots: &[Value<'c>]) -> Value<'c> {
    let types = module.types();
    let (pointer, i64) = (types.ptr(0), types.i64());
    let buffer = local(builder, types.i8().array(kernel.argument_bytes().into()));
    buffer.set_alignment(kernel.argument_align());
    for (row, slot) in kernel.parameters.iter().zip(slots) {
        let address = builder.byte_offset(buffer, row.offset.into(), "");
        if row.kind == ParameterKind::Block || row.size > 8 {
            let bytes = builder.cast(Opcode::IntToPtr, *slot, pointer, "");
            let memcpy = module.intrinsic("llvm.memcpy", &[pointer, pointer, i64]);
            let size = i64.constant(row.size.into());
            builder.call(memcpy, &[address, bytes, size, module.types().i1().zero()], "");
        } else if row.size > 0 {
            let value = builder.cast(Opcode::Trunc, *slot, module.types().int(8 * row.size), "");
            builder.store(value, address, row.align);
        }
    }
    buffer
}

/// The image: a shared object with the kernels' code and the scheduler. libomptarget loads it into the running program,
/// which has the C library. Empty if tools are only shown.
pub(in crate::targets::cpu) fn link(code: &[u8], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
    let scratch = Scratch::new()?;
    let write = |name, bytes| scratch.file_with(name, bytes);
    let inputs = [
        write("kernels.o", code)?,
        write("scheduler.o", SCHEDULER)?,
        write("chunks.o", CHUNKS)?,
        write("stack.o", STACK)?,
    ];
    let image = scratch.file("image.so");
    let options = ["-shared", "--gc-sections", "-o"].map(AsRef::as_ref);
    let files = [&image].into_iter().chain(&inputs).map(|file| file.as_os_str());
    let linked = job.tools.link(options.into_iter().chain(files));
    if linked.context("cannot link the code")? { scratch::read(&image) } else { Ok(Vec::new()) }
}

/// Ends the program if the kernel did not run to its end: libomptarget has no way to report the error, and the results
/// are missing.
fn end_unless_zero<'c>(module: &Module<'c>, builder: &Builder<'c>, result: Value<'c>, kernel: &str) {
    let function = builder.block().function();
    let (failed, done) = (function.append_block("failed"), function.append_block("done"));
    let is_zero = builder.icmp(IntPredicate::Eq, result, result.ty().zero(), "");
    builder.cond_br(is_zero, done, failed);
    builder.move_to_end(failed);
    let name = module.add_bytes("offload.kernel_name", format!("{kernel}\0").as_bytes());
    let ty = module.types().void().function(&[result.ty(), module.types().ptr(0)]);
    let end = module.declare("offload_cpu_end", ty);
    end.set_hidden();
    builder.call(end, &[result, name], "");
    builder.unreachable();
    builder.move_to_end(done);
}
