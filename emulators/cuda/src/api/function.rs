//! Attributes of kernels.

use std::ffi::{c_int, c_uint, c_void};

use super::device::{MULTIPROCESSORS, most_shared, shared_begin, threads_per_multiprocessor};
use super::driver::{Driver, Kernel};
use super::{Handle, INVALID_HANDLE, INVALID_VALUE, Outcome, Status, in_context, put};

const MAX_THREADS_PER_BLOCK: c_int = 0;
const SHARED_SIZE: c_int = 1;
const LOCAL_SIZE: c_int = 3;
const REGISTERS: c_int = 4;
const PTX_VERSION: c_int = 5;
const BINARY_VERSION: c_int = 6;
const MAX_DYNAMIC_SHARED: c_int = 8;

/// The most threads that a block of the kernel has.
pub(super) fn most_threads(kernel: &Kernel) -> u32 {
    let entry = &kernel.program.module.tree.functions[kernel.program.entry];
    let bound = entry.most_threads.or(entry.required_threads);
    bound.map_or(1024, |extents| extents.iter().product::<u32>().min(1024))
}

/// The shared memory that every block of the kernel has.
pub(super) fn own_shared(driver: &Driver, device: usize, kernel: &Kernel) -> u32 {
    (kernel.program.shared_end - shared_begin(driver.devices[device].capability)) as u32
}

fn attribute(driver: &Driver, device: usize, kernel: &Kernel, which: c_int) -> Outcome<c_int> {
    let capability = driver.devices[device].capability;
    Ok(match which {
        MAX_THREADS_PER_BLOCK => most_threads(kernel) as c_int,
        SHARED_SIZE => own_shared(driver, device, kernel) as c_int,
        LOCAL_SIZE => kernel.program.stack.0 as c_int,
        REGISTERS => 32,
        PTX_VERSION | BINARY_VERSION => capability as c_int,
        MAX_DYNAMIC_SHARED => kernel.most_dynamic_shared as c_int,
        2 | 7 | 9..=15 => 0,
        _ => return Err(INVALID_VALUE),
    })
}

/// An attribute of a kernel.
///
/// # Safety
///
/// `value` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, which: c_int, function: Handle) -> Status {
    in_context(|driver, device| {
        let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
        let found = attribute(driver, device, kernel, which)?;
        // SAFETY: the caller's.
        unsafe { put(value, found) }
    })
}

/// Changes an attribute of a kernel.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(function: Handle, which: c_int, value: c_int) -> Status {
    in_context(|driver, device| {
        let own = own_shared(driver, device, driver.kernels.get(&function).ok_or(INVALID_HANDLE)?);
        let most = most_shared(driver.devices[device].capability);
        let kernel = driver.kernels.get_mut(&function).ok_or(INVALID_HANDLE)?;
        match which {
            MAX_DYNAMIC_SHARED if value >= 0 && value as u32 + own <= most => {
                kernel.most_dynamic_shared = value as u32;
                Ok(())
            }
            9 => Ok(()),
            _ => Err(INVALID_VALUE),
        }
    })
}

/// The place of a parameter of a kernel in a buffer with all arguments.
///
/// # Safety
///
/// `offset` can be written to; `size` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo(
    function: Handle,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Status {
    in_context(|driver, _| {
        let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
        let parameters = &kernel.program.module.tree.functions[kernel.program.entry].parameters;
        let parameter = parameters.get(index).ok_or(INVALID_VALUE)?;
        let before = parameters[..index].iter().fold(0, |end: usize, p| end.next_multiple_of(p.alignment) + p.size());
        // SAFETY: the caller's.
        unsafe {
            put(offset, before.next_multiple_of(parameter.alignment))?;
            if size.is_null() { Ok(()) } else { put(size, parameter.size()) }
        }
    })
}

/// The largest block of a kernel, and as many blocks as there are multiprocessors.
///
/// # Safety
///
/// `blocks` and `threads` can be written to. The function for sizes of shared memory is not called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    blocks: *mut c_int,
    threads: *mut c_int,
    function: Handle,
    _shared_bytes: *const c_void,
    _shared: usize,
    limit: c_int,
) -> Status {
    in_context(|driver, _| {
        let most = most_threads(driver.kernels.get(&function).ok_or(INVALID_HANDLE)?) as c_int;
        // SAFETY: the caller's.
        unsafe {
            put(blocks, MULTIPROCESSORS as c_int)?;
            put(threads, if limit > 0 { most.min(limit) } else { most })
        }
    })
}

/// The blocks of a kernel that a multiprocessor runs at the same time.
fn active_blocks(driver: &Driver, device: usize, function: Handle, threads: c_int, dynamic: usize) -> Outcome<c_int> {
    let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
    if threads <= 0 {
        return Err(INVALID_VALUE);
    }
    let capability = driver.devices[device].capability;
    let shared = u64::from(own_shared(driver, device, kernel)) + dynamic as u64;
    let by_shared = u64::from(most_shared(capability)).checked_div(shared).unwrap_or(u64::MAX);
    let by_threads = (threads_per_multiprocessor(capability) / threads) as u64;
    let fits = threads as u32 <= most_threads(kernel);
    Ok(if fits { by_shared.min(by_threads).min(MOST_BLOCKS) as c_int } else { 0 })
}

/// The most blocks of a multiprocessor.
const MOST_BLOCKS: u64 = 32;

/// The blocks of a kernel that a multiprocessor runs at the same time.
///
/// # Safety
///
/// `count` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    count: *mut c_int,
    function: Handle,
    threads: c_int,
    shared: usize,
) -> Status {
    in_context(|driver, device| {
        let blocks = active_blocks(driver, device, function, threads, shared)?;
        // SAFETY: the caller's.
        unsafe { put(count, blocks) }
    })
}

/// The same. The flags are about caches.
///
/// # Safety
///
/// As `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    count: *mut c_int,
    function: Handle,
    threads: c_int,
    shared: usize,
    _flags: c_uint,
) -> Status {
    // SAFETY: the caller's.
    unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, shared) }
}

/// The shared memory that a launch can add if this many blocks are to run on a multiprocessor.
///
/// # Safety
///
/// `bytes` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: Handle,
    blocks: c_int,
    _threads: c_int,
) -> Status {
    in_context(|driver, device| {
        let own = own_shared(driver, device, driver.kernels.get(&function).ok_or(INVALID_HANDLE)?);
        let blocks = u32::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(INVALID_VALUE)?;
        let each = most_shared(driver.devices[device].capability) / blocks;
        // SAFETY: the caller's.
        unsafe { put(bytes, each.saturating_sub(own) as usize) }
    })
}

/// As `cuOccupancyMaxPotentialBlockSize`. The flags are about caches.
///
/// # Safety
///
/// As `cuOccupancyMaxPotentialBlockSize`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    blocks: *mut c_int,
    threads: *mut c_int,
    function: Handle,
    shared_bytes: *const c_void,
    shared: usize,
    limit: c_int,
    _flags: c_uint,
) -> Status {
    // SAFETY: the caller's.
    unsafe { cuOccupancyMaxPotentialBlockSize(blocks, threads, function, shared_bytes, shared, limit) }
}
