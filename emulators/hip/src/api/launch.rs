//! Launches.

use std::ffi::{c_uint, c_void};

use emulator_core::{Count, Counter, Kind, profile};

use super::device::{MOST_THREADS, SHARED_BYTES};
use super::error::{Error, INVALID_CONFIGURATION, INVALID_HANDLE, INVALID_VALUE, LAUNCH_FAILURE, OUT_OF_MEMORY};
use super::state::{Module, State, call_in_order};
use super::stream;
use crate::dispatch::arguments::{Extent, Hidden, packet, segment};
use crate::dispatch::launch::launch;
use crate::dispatch::print;
use crate::dispatch::setup::Start;
use crate::generation::Generation;
use crate::object::image::Kernel;
use crate::object::lines::Rows;
use crate::object::metadata::Argument;

/// HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;
const END: usize = 3;

/// The private memory of a wave at most: COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits, which count 1 KiB, on GCN, and 15
/// bits, which count 256 bytes, on RDNA3 (LLVM, `getMaxWaveScratchSize`).
const MOST_PRIVATE: u64 = 8 << 20;

/// The arguments as a program hands them over.
enum Handed {
    /// An address for each.
    Each(*mut *mut c_void),
    /// All of them, as the kernel has them.
    Buffer(Vec<u8>),
}

/// # Safety
///
/// `extra` is a list that ends with `END`.
unsafe fn buffer(extra: *mut *mut c_void) -> Result<Vec<u8>, Error> {
    let (mut address, mut size) = (std::ptr::null::<u8>(), 0);
    for pair in 0..8 {
        // SAFETY: the list goes on until its end.
        let key = unsafe { extra.add(2 * pair).read() } as usize;
        if key == END {
            break;
        }
        // SAFETY: each key but the end has a value.
        let value = unsafe { extra.add(2 * pair + 1).read() };
        match key {
            BUFFER_POINTER => address = value.cast(),
            // SAFETY: the value of this key is the address of a size.
            BUFFER_SIZE => size = unsafe { value.cast::<usize>().read() },
            _ => return Err(INVALID_VALUE),
        }
    }
    if address.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the program says that so many bytes are there.
    Ok(unsafe { std::slice::from_raw_parts(address, size) }.to_vec())
}

impl Handed {
    /// # Safety
    ///
    /// One of both is null; the other has the kernel's arguments.
    unsafe fn new(each: *mut *mut c_void, extra: *mut *mut c_void) -> Result<Handed, Error> {
        if extra.is_null() {
            return Ok(Handed::Each(each));
        }
        // SAFETY: as the caller says.
        unsafe { buffer(extra) }.map(Handed::Buffer)
    }

    /// The bytes of an argument.
    ///
    /// # Safety
    ///
    /// The memory that was handed over is still valid.
    unsafe fn bytes(&self, number: usize, argument: &Argument) -> Vec<u8> {
        match self {
            Handed::Each(each) if each.is_null() => Vec::new(),
            Handed::Each(each) => {
                // SAFETY: there is an address for each argument, and as many bytes as the kernel's notes say.
                let from = unsafe { each.add(number).read() }.cast::<u8>();
                // SAFETY: as above.
                unsafe { std::slice::from_raw_parts(from, argument.size) }.to_vec()
            }
            Handed::Buffer(bytes) => {
                bytes.get(argument.offset..argument.offset + argument.size).map(<[u8]>::to_vec).unwrap_or_default()
            }
        }
    }
}

/// Checks a launch against the limits of the kernel and the device.
fn check(extent: &Extent, kernel: &Kernel) -> Result<(), Error> {
    let threads: u64 = extent.block.iter().map(|count| u64::from(*count)).product();
    let most = match kernel.notes.threads_per_block {
        0 => MOST_THREADS,
        most => most.min(MOST_THREADS),
    };
    let shared = kernel.descriptor.shared_bytes as u64 + u64::from(extent.dynamic_shared);
    // The packet of a launch counts the threads of the grid along each axis in 32 bits.
    let counts = |axis: usize| u64::from(extent.grid[axis]) * u64::from(extent.block[axis]) <= u32::MAX.into();
    if threads == 0 || threads > most.into() || extent.grid.contains(&0) || !(0..3).all(counts) {
        return Err(INVALID_CONFIGURATION);
    }
    if shared > SHARED_BYTES.into() { Err(INVALID_VALUE) } else { Ok(()) }
}

/// Launches a kernel: `grid` in blocks. It has run when this returns; later calls report its errors.
///
/// # Safety
///
/// The arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLaunchKernel(
    function: *mut c_void,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    dynamic_shared: c_uint,
    stream: *mut c_void,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Error {
    let extent = Extent { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], dynamic_shared };
    call_in_order(|state| {
        stream::check(state, stream)?;
        // SAFETY: as the caller says.
        let handed = unsafe { Handed::new(arguments, extra) }?;
        let function = state.functions.get(&(function as usize)).ok_or(INVALID_HANDLE)?.clone();
        // The module is taken out while it runs, because its instructions are decoded on the way.
        let mut module = state.modules.remove(&function.module).ok_or(INVALID_HANDLE)?;
        let outcome = run(state, &mut module, &function.name, extent, &handed);
        let _none = state.modules.insert(function.module, module);
        outcome
    })
}

fn run(state: &mut State, module: &mut Module, name: &str, extent: Extent, handed: &Handed) -> Result<(), Error> {
    let kernel = module.image.kernels.get(name).ok_or(INVALID_HANDLE)?.clone();
    check(&extent, &kernel)?;
    let device = state.devices.get(module.device).ok_or(INVALID_HANDLE)?;
    let (arch, stack) = (device.arch.clone(), device.stack);
    let generation = Generation::of(&arch).ok_or(INVALID_HANDLE)?;
    let notes = &kernel.notes;
    let prints = notes.arguments.iter().any(|argument| argument.kind == "hidden_printf_buffer");
    let buffer = if prints { print_buffer(state)? } else { 0 };
    let hidden = Hidden { printf_buffer: buffer };
    // SAFETY: the caller of the launch promises that these are the kernel's arguments.
    let explicit = |number: usize, argument: &Argument| unsafe { handed.bytes(number, argument) };
    let size = notes.kernarg_bytes.max(kernel.descriptor.kernarg_bytes);
    let bytes = segment(&notes.arguments, size, explicit, &extent, &hidden);
    let private_bytes = match kernel.descriptor.uses_dynamic_stack {
        true => kernel.descriptor.private_bytes.max(stack),
        false => kernel.descriptor.private_bytes,
    };
    if private_bytes as u64 * kernel.descriptor.lanes as u64 > MOST_PRIVATE {
        return Err(OUT_OF_MEMORY);
    }
    let kernarg = constant(state, &bytes)?;
    let shared = kernel.descriptor.shared_bytes + extent.dynamic_shared as usize;
    let packet = constant(state, &packet(&extent, private_bytes, shared, kernel.object, kernarg))?;
    let start = Start { kernel, extent, generation, kernarg, kernarg_bytes: bytes, packet, private_bytes };
    state.launches += 1;
    let named = format!("hip:{} ({arch})", module.device);
    let Module { image, code, .. } = module;
    code.counter = state.options.profile.is_some().then(Counter::default);
    let outcome = launch(&start, image, code, &state.memory, state.options.schedule, state.launches, &named);
    for temporary in [kernarg, packet] {
        let _was_there = state.memory.free(temporary);
    }
    if prints {
        print_text(state, &image.formats, buffer);
    }
    let counter = code.counter.take();
    match outcome {
        Ok(instructions) => {
            let blocks = start.extent.grid.iter().map(|count| u64::from(*count)).product::<u64>();
            let warps = blocks * start.waves() as u64;
            if let (Some(file), Some(counter)) = (&state.options.profile, counter) {
                let rows = Rows::read(&image.file);
                let lines = counter.lines(|pc| rows.place(pc.wrapping_sub(image.base)));
                profile::add(file, &named, name, warps, &lines);
            }
            if state.options.counts {
                Count { device: named, kernel: name.to_owned(), instructions, warps }.print();
            }
        }
        Err(report) => {
            report.print();
            state.failed = LAUNCH_FAILURE;
        }
    }
    Ok(())
}

/// Memory that the kernel may only read.
fn constant(state: &mut State, bytes: &[u8]) -> Result<u64, Error> {
    let address = state.memory.allocate(bytes.len().max(1), Kind::Constant, "arguments").ok_or(OUT_OF_MEMORY)?;
    let written = state.memory.write(address, bytes, &vec![0; bytes.len()]);
    written.map(|()| address).map_err(|_| INVALID_VALUE)
}

fn print_buffer(state: &mut State) -> Result<u64, Error> {
    let size = print::BUFFER_BYTES;
    let address = state.memory.allocate(size, Kind::Device, "printf buffer").ok_or(OUT_OF_MEMORY)?;
    let available = ((size - print::HEAD) as u32).to_le_bytes();
    let head = [[0; 4], available].concat();
    state.memory.write(address, &head, &[0; 8]).map_err(|_| INVALID_VALUE)?;
    Ok(address)
}

fn print_text(state: &mut State, formats: &[String], buffer: u64) {
    use std::io::Write;
    let mut head = [0; print::HEAD];
    if state.memory.read(buffer, &mut head, &mut [0; print::HEAD]).is_ok() {
        let used = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let used = used.min(print::BUFFER_BYTES - print::HEAD);
        let mut bytes = vec![0; used];
        let read = state.memory.read(buffer + print::HEAD as u64, &mut bytes, &mut vec![0; used]);
        if read == Ok(()) {
            let mut out = std::io::stdout().lock();
            let _printed = out.write_all(&print::text(formats, &bytes)).and_then(|()| out.flush());
        }
    }
    let _was_there = state.memory.free(buffer);
}
