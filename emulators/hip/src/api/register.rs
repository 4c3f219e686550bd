//! Programs that register their images: objects of clang and of other compilers, whose constructors make these calls.
//! A binary is loaded on a device when a kernel of it is first launched there.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Error, INVALID_DEVICE_FUNCTION, INVALID_SYMBOL, INVALID_VALUE, SUCCESS};
use super::launch::hipModuleLaunchKernel;
use super::memory::hipMemcpy;
use super::module::{hipModuleGetFunction, hipModuleGetGlobal, hipModuleLoadData, hipModuleUnload};
use super::state;

/// The first number of a wrapper: `HIPF`.
const MAGIC: u32 = 0x4849_5046;

/// `struct { uint32_t magic, version; const void *images, *unused; }`
#[repr(C)]
#[allow(dead_code, reason = "the layout is that of the structure in C")]
pub struct Wrapper {
    magic: u32,
    version: u32,
    images: *const c_void,
    unused: *const c_void,
}

/// `dim3`
#[repr(C)]
pub struct Extents {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

/// The registrations of one object. Addresses are numbers, because threads share them.
struct Binary {
    handle: usize,
    images: usize,
    /// The host's functions, and the names of their kernels.
    functions: Vec<(usize, String)>,
    /// The host's variables, and the names of the device's.
    variables: Vec<(usize, String)>,
    /// Devices, and the modules that were loaded there.
    modules: Vec<(usize, usize)>,
}

static BINARIES: Mutex<Vec<Binary>> = Mutex::new(Vec::new());

fn binaries() -> MutexGuard<'static, Vec<Binary>> {
    BINARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a bundle of code objects; null if the wrapper is none.
///
/// # Safety
///
/// `wrapper` leads to a structure that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFatBinary(wrapper: *const Wrapper) -> *mut *mut c_void {
    // SAFETY: as the caller says.
    let Some(Wrapper { magic: MAGIC, images, .. }) = (unsafe { wrapper.as_ref() }) else {
        return std::ptr::null_mut();
    };
    let mut binaries = binaries();
    let handle = binaries.iter().map(|binary| binary.handle).max().unwrap_or(0) + 1;
    binaries.push(Binary {
        handle,
        images: *images as usize,
        functions: Vec::new(),
        variables: Vec::new(),
        modules: Vec::new(),
    });
    handle as *mut *mut c_void
}

/// Registers a kernel of a binary.
///
/// # Safety
///
/// `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFunction(
    binary: *mut *mut c_void,
    host: *const c_void,
    _device: *const c_char,
    name: *const c_char,
    _limit: c_int,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_size: *mut c_void,
    _grid_size: *mut c_void,
    _warp_size: *mut c_int,
) {
    // SAFETY: as the caller says.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    if let Some(found) = binaries().iter_mut().find(|known| known.handle == binary as usize) {
        found.functions.push((host as usize, name));
    }
}

/// Registers a variable of a binary.
///
/// # Safety
///
/// `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterVar(
    binary: *mut *mut c_void,
    host: *const c_void,
    _device: *const c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: as the caller says.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    if let Some(found) = binaries().iter_mut().find(|known| known.handle == binary as usize) {
        found.variables.push((host as usize, name));
    }
}

/// Forgets a binary and unloads it.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipUnregisterFatBinary(binary: *mut *mut c_void) {
    let mut binaries = binaries();
    let Some(at) = binaries.iter().position(|known| known.handle == binary as usize) else { return };
    for (_, module) in binaries.remove(at).modules {
        let _unloaded = hipModuleUnload(module as *mut c_void);
    }
}

/// The module of a binary on the current device.
fn module_of(binary: &mut Binary) -> Result<usize, Error> {
    let device = state::current_device();
    if let Some((_, module)) = binary.modules.iter().find(|(known, _)| *known == device) {
        return Ok(*module);
    }
    let mut module = std::ptr::null_mut();
    // SAFETY: the place is a variable, and the images are a whole bundle, as the one who registered it says.
    let status = unsafe { hipModuleLoadData(&mut module, binary.images as *const c_void) };
    if status != SUCCESS {
        return Err(status);
    }
    binary.modules.push((device, module as usize));
    Ok(module as usize)
}

/// The module and the name that `host` stands for, in the list that `of` gives; `unknown` if it is in no list.
fn registered(
    host: usize,
    of: fn(&Binary) -> &[(usize, String)],
    unknown: Error,
) -> Result<(usize, std::ffi::CString), Error> {
    let mut binaries = binaries();
    let named = |binary: &Binary| of(binary).iter().find(|(known, _)| *known == host).map(|(_, name)| name.clone());
    let found = binaries.iter_mut().find_map(|binary| named(binary).map(|name| (binary, name)));
    let (binary, name) = found.ok_or(unknown)?;
    Ok((module_of(binary)?, std::ffi::CString::new(name).map_err(|_| unknown)?))
}

/// The address and the size of the variable that a variable of the host stands for, on the current device.
fn variable_of(host: *const c_void) -> Result<(*mut c_void, usize), Error> {
    let (module, name) = registered(host as usize, |binary| &binary.variables, INVALID_SYMBOL)?;
    let (mut address, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the places are variables, and the name is a text.
    let status = unsafe { hipModuleGetGlobal(&mut address, &mut bytes, module as *mut c_void, name.as_ptr()) };
    if status == SUCCESS { Ok((address, bytes)) } else { Err(INVALID_SYMBOL) }
}

/// Copies to a variable, which `host` stands for.
///
/// # Safety
///
/// `from` leads to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyToSymbol(
    host: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    direction: c_int,
) -> Error {
    match variable_of(host) {
        Err(status) => status,
        Ok((_, size)) if offset.checked_add(bytes).is_none_or(|end| end > size) => INVALID_VALUE,
        // SAFETY: as the caller says, and the variable has the bytes.
        Ok((address, _)) => unsafe { hipMemcpy(address.byte_add(offset), from, bytes, direction) },
    }
}

/// The kernel that a function of the host stands for.
fn kernel_of(host: usize) -> Result<*mut c_void, Error> {
    let (module, name) = registered(host, |binary| &binary.functions, INVALID_DEVICE_FUNCTION)?;
    let mut function = std::ptr::null_mut();
    // SAFETY: the place is a variable, and the name is a text.
    let status = unsafe { hipModuleGetFunction(&mut function, module as *mut c_void, name.as_ptr()) };
    if status == SUCCESS { Ok(function) } else { Err(status) }
}

/// Launches the kernel that a function of the host stands for.
///
/// # Safety
///
/// `arguments` leads to the address of each argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchKernel(
    host: *const c_void,
    grid: Extents,
    block: Extents,
    arguments: *mut *mut c_void,
    shared: usize,
    stream: *mut c_void,
) -> Error {
    let function = match kernel_of(host as usize) {
        Ok(function) => function,
        Err(status) => return status,
    };
    let (grid, block) = ([grid.x, grid.y, grid.z], [block.x, block.y, block.z]);
    let shared = c_uint::try_from(shared).unwrap_or(c_uint::MAX);
    let none = std::ptr::null_mut();
    // SAFETY: as the caller says.
    unsafe {
        hipModuleLaunchKernel(
            function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream, arguments, none,
        )
    }
}
