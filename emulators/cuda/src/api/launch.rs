//! Launches.

use std::ffi::{c_uint, c_void};

use emulator_core::{Count, Kind, Place, profile};

use super::device::{MULTIPROCESSORS, shared_begin};
use super::driver::Driver;
use super::function::{most_threads, own_shared};
use super::{Handle, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Outcome, Status, in_context};
use crate::exec::{Executed, Launch};
use crate::parser::Variable;

/// Launches a kernel. It has run when this returns; its error is that of later calls.
///
/// # Safety
///
/// `parameters` points to each argument, or `extra` to a buffer of all, as the API says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: *const *const c_void,
    extra: *const *const c_void,
) -> Status {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    in_context(|driver, device| {
        driver.stream(stream)?;
        let module = driver.kernels.get(&function).and_then(|kernel| driver.modules.get(&kernel.module));
        if module.ok_or(INVALID_HANDLE)?.context != Driver::current_context()? {
            return Err(INVALID_HANDLE);
        }
        check(driver, device, function, (grid, block, shared))?;
        let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
        let entry = &kernel.program.module.tree.functions[kernel.program.entry];
        // SAFETY: the caller's.
        let arguments = unsafe { arguments(&entry.parameters, parameters, extra) }?;
        run(driver, device, function, (grid, block, shared), &arguments)
    })
}

/// `CUlaunchAttribute`: its number, and the first word of its value.
#[repr(C)]
pub struct LaunchAttribute {
    number: c_uint,
    padding: c_uint,
    value: c_uint,
    rest: [c_uint; 15],
}

/// `CUlaunchConfig`
#[repr(C)]
pub struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: Handle,
    attributes: *const LaunchAttribute,
    count: c_uint,
}

/// Launches a kernel with attributes: only attributes that change nothing are accepted.
///
/// # Safety
///
/// `config` has as many attributes as it says; the others are as of `cuLaunchKernel`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const LaunchConfig,
    function: Handle,
    parameters: *const *const c_void,
    extra: *const *const c_void,
) -> Status {
    // `CU_LAUNCH_ATTRIBUTE_IGNORE` and `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`
    const IGNORE: c_uint = 0;
    const COOPERATIVE: c_uint = 2;
    // SAFETY: the caller's.
    let Some(config) = (unsafe { config.as_ref() }) else { return INVALID_VALUE };
    let changes_nothing = |attribute: &LaunchAttribute| match attribute.number {
        IGNORE => true,
        COOPERATIVE => attribute.value == 0,
        _ => false,
    };
    // SAFETY: the caller's.
    let mut attributes = (0..config.count as usize).map(|at| unsafe { &*config.attributes.add(at) });
    if !attributes.all(changes_nothing) {
        return NOT_SUPPORTED;
    }
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (config.grid, config.block);
    let (shared, stream) = (config.shared, config.stream);
    // SAFETY: the caller's.
    unsafe {
        cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra)
    }
}

type Shape = ([u32; 3], [u32; 3], u32);

/// Whether the device takes a launch of this shape.
fn check(driver: &Driver, device: usize, function: Handle, (grid, block, shared): Shape) -> Outcome<()> {
    let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
    let too_many = |extents: [u32; 3], most: [u32; 3]| {
        extents.iter().zip(most).any(|(extent, most)| *extent == 0 || *extent > most)
    };
    let threads: u64 = block.iter().map(|extent| u64::from(*extent)).product();
    let entry = &kernel.program.module.tree.functions[kernel.program.entry];
    let is_wrong = too_many(grid, [i32::MAX as u32, 65_535, 65_535])
        || too_many(block, [1024, 1024, 64])
        || threads > u64::from(most_threads(kernel))
        || entry.required_threads.is_some_and(|required| required != block)
        || shared > kernel.most_dynamic_shared
        || own_shared(driver, device, kernel) > super::device::most_shared(driver.devices[device].capability);
    if is_wrong { Err(INVALID_VALUE) } else { Ok(()) }
}

/// The arguments one after the other, in the layout of an entry's parameters.
///
/// # Safety
///
/// As `cuLaunchKernel`.
unsafe fn arguments(
    list: &[Variable],
    parameters: *const *const c_void,
    extra: *const *const c_void,
) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    for variable in list {
        bytes.resize(bytes.len().next_multiple_of(variable.alignment), 0);
        bytes.resize(bytes.len() + variable.size(), 0);
    }
    if !parameters.is_null() {
        let mut offset = 0;
        for (i, variable) in list.iter().enumerate() {
            offset = usize::next_multiple_of(offset, variable.alignment);
            // SAFETY: there is a pointer for each parameter, to as many bytes.
            unsafe {
                let from = *parameters.add(i);
                if from.is_null() {
                    return Err(INVALID_VALUE);
                }
                std::ptr::copy_nonoverlapping(from.cast(), bytes.as_mut_ptr().add(offset), variable.size());
            }
            offset += variable.size();
        }
    } else if !extra.is_null() {
        // SAFETY: the caller's.
        unsafe { from_buffer(extra, &mut bytes) }?;
    } else if !list.is_empty() {
        return Err(INVALID_VALUE);
    }
    Ok(bytes)
}

/// `CU_LAUNCH_PARAM_BUFFER_POINTER` (1), `CU_LAUNCH_PARAM_BUFFER_SIZE` (2), `CU_LAUNCH_PARAM_END` (0).
///
/// # Safety
///
/// `extra` is such a list.
unsafe fn from_buffer(extra: *const *const c_void, bytes: &mut [u8]) -> Outcome<()> {
    let (mut buffer, mut size, mut i) = (std::ptr::null::<u8>(), 0, 0);
    loop {
        // SAFETY: the list ends with a zero, and each key before it has a value.
        let (key, value) = unsafe { (*extra.add(i) as usize, extra.add(i + 1)) };
        // SAFETY: as above.
        match key {
            0 => break,
            1 => buffer = unsafe { (*value).cast() },
            2 => size = unsafe { *(*value).cast::<usize>() },
            _ => return Err(INVALID_VALUE),
        }
        i += 2;
    }
    if buffer.is_null() || size < bytes.len() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the buffer has `size` bytes.
    unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
    Ok(())
}

fn run(
    driver: &mut Driver,
    device: usize,
    function: Handle,
    (grid, block, shared): Shape,
    arguments: &[u8],
) -> Outcome<()> {
    let address = driver.memory.allocate(arguments.len().max(1), Kind::Constant, "arguments").ok_or(OUT_OF_MEMORY)?;
    driver.memory.write(address, arguments, &vec![0; arguments.len()]).map_err(|_| INVALID_VALUE)?;
    driver.launches += 1;
    let kernel = driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
    let state = &driver.devices[device];
    let launch = Launch {
        program: &kernel.program,
        memory: &driver.memory,
        grid,
        block,
        dynamic_shared: shared,
        arguments: address,
        device: &format!("cuda:{device} ({})", state.arch),
        shared_begin: shared_begin(state.capability),
        stack: state.stack.max(kernel.program.stack.0).next_multiple_of(16),
        multiprocessors: MULTIPROCESSORS,
        schedule: driver.schedule,
        number: driver.launches,
        counts_lines: driver.profile.is_some(),
    };
    let result = launch.run();
    if let Ok(executed) = &result {
        tell(driver, &launch, executed);
    }
    driver.memory.free(address);
    if let Err(failure) = result {
        failure.report.print();
        driver.devices[device].error = failure.status;
    }
    Ok(())
}

/// Reports the counts of a launch, as far as the environment asks for them.
fn tell(driver: &Driver, launch: &Launch<'_>, executed: &Executed) {
    let tree = &launch.program.module.tree;
    let kernel = &tree.functions[launch.program.entry].name;
    let (instructions, warps) = (executed.instructions, launch.warps());
    if driver.counts {
        Count { device: launch.device.to_owned(), kernel: kernel.clone(), instructions, warps }.print();
    }
    if let (Some(file), Some(lines)) = (&driver.profile, &executed.lines) {
        let place = |(file, line): &(u32, u32)| Some(Place { file: tree.files.get(file)?.clone(), line: *line });
        profile::add(file, launch.device, kernel, warps, &lines.clone().lines(place));
    }
}
