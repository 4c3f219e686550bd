//! Modules: code objects, their functions and variables.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::device::give;
use super::error::{
    Error, FILE_NOT_FOUND, INVALID_HANDLE, INVALID_IMAGE, INVALID_VALUE, NO_BINARY, NOT_FOUND, OUT_OF_MEMORY,
};
use super::state::{self, Function, Module, State, call};
use crate::object::bundle::Source;
use crate::object::code::Code;
use crate::object::image::{Image, LoadError};

fn load(state: &mut State, file: Vec<u8>) -> Result<usize, Error> {
    let device = state::current_device();
    let arch = state.device().map(|device| device.arch.clone()).ok_or(INVALID_VALUE)?;
    let image = Image::load(file, &arch, &mut state.memory).map_err(|error| match error {
        LoadError::NotForThisDevice => NO_BINARY,
        LoadError::NoMemory => OUT_OF_MEMORY,
        LoadError::Damaged(why) => {
            eprintln!("emulated {arch}: the code object cannot be loaded: {why}");
            INVALID_IMAGE
        }
    })?;
    let (begin, size) = image.code;
    let mut bytes = vec![0; size];
    let read = state.memory.read(begin, &mut bytes, &mut vec![0; size]);
    read.map_err(|_| INVALID_IMAGE)?;
    let code = Code::new(begin, bytes, &arch).ok_or(NO_BINARY)?;
    let handle = state.handle();
    let _none = state.modules.insert(handle, Module { image, code, device });
    Ok(handle)
}

/// Loads a code object or a bundle from memory.
///
/// # Safety
///
/// `place` is null or valid; `image` is a whole code object or bundle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoadData(place: *mut *mut c_void, image: *const c_void) -> Error {
    call(|state| {
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        let arch = state.device().map(|device| device.arch.clone()).ok_or(INVALID_VALUE)?;
        let file = Source::new(image.cast()).and_then(|source| source.find(&arch)).ok_or(NO_BINARY)?;
        let handle = load(state, file)?;
        // SAFETY: as the caller says.
        unsafe { give(place, handle as *mut c_void) }
    })
}

/// The same with options, of which there are none for code objects.
///
/// # Safety
///
/// As for `hipModuleLoadData`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoadDataEx(
    place: *mut *mut c_void,
    image: *const c_void,
    _count: c_uint,
    _options: *mut c_int,
    _values: *mut *mut c_void,
) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipModuleLoadData(place, image) }
}

/// Loads a file.
///
/// # Safety
///
/// `place` is null or valid; `path` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleLoad(place: *mut *mut c_void, path: *const c_char) -> Error {
    if path.is_null() {
        return call(|_| Err(INVALID_VALUE));
    }
    // SAFETY: as the caller says.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy().into_owned();
    match std::fs::read(path) {
        Ok(bytes) => {
            // SAFETY: the bytes are a whole file.
            unsafe { hipModuleLoadData(place, bytes.as_ptr().cast()) }
        }
        Err(_) => call(|_| Err(FILE_NOT_FOUND)),
    }
}

/// Forgets a module and its functions.
#[unsafe(no_mangle)]
pub extern "C" fn hipModuleUnload(module: *mut c_void) -> Error {
    call(|state| {
        let handle = module as usize;
        let module = state.modules.remove(&handle).ok_or(INVALID_HANDLE)?;
        let _was_there = state.memory.free(module.image.base);
        state.functions.retain(|_, function| function.module != handle);
        Ok(())
    })
}

/// # Safety
///
/// `name` is null or a text.
unsafe fn text(name: *const c_char) -> Result<String, Error> {
    if name.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: as the caller says.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// A kernel by its name.
///
/// # Safety
///
/// `place` is null or valid; `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleGetFunction(
    place: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> Error {
    call(|state| {
        // SAFETY: as the caller says.
        let name = unsafe { text(name) }?;
        let module = module as usize;
        let known = state.modules.get(&module).ok_or(INVALID_HANDLE)?;
        if !known.image.kernels.contains_key(&name) {
            return Err(NOT_FOUND);
        }
        let handle = state.handle();
        let _none = state.functions.insert(handle, Function { module, name });
        // SAFETY: as the caller says.
        unsafe { give(place, handle as *mut c_void) }
    })
}

/// A variable by its name: its address and size.
///
/// # Safety
///
/// `address` and `bytes` are null or valid; `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipModuleGetGlobal(
    address: *mut *mut c_void,
    bytes: *mut usize,
    module: *mut c_void,
    name: *const c_char,
) -> Error {
    call(|state| {
        // SAFETY: as the caller says.
        let name = unsafe { text(name) }?;
        let module = state.modules.get(&(module as usize)).ok_or(INVALID_HANDLE)?;
        let symbol = module.image.symbols.get(&name).filter(|symbol| !symbol.is_function).ok_or(NOT_FOUND)?;
        // SAFETY: as the caller says.
        unsafe {
            if !address.is_null() {
                give(address, symbol.address as *mut c_void)?;
            }
            if !bytes.is_null() {
                give(bytes, symbol.size as usize)?;
            }
        }
        Ok(())
    })
}

/// An attribute of a kernel, by `hipFunction_attribute`.
///
/// # Safety
///
/// `value` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipFuncGetAttribute(value: *mut c_int, attribute: c_int, function: *mut c_void) -> Error {
    call(|state| {
        let function = state.functions.get(&(function as usize)).ok_or(INVALID_HANDLE)?;
        let module = state.modules.get(&function.module).ok_or(INVALID_HANDLE)?;
        let kernel = module.image.kernels.get(&function.name).ok_or(NOT_FOUND)?;
        let answer = match attribute {
            0 => kernel.notes.threads_per_block as usize,
            1 => kernel.notes.shared_bytes,
            2 => 0,
            3 => kernel.notes.private_bytes,
            4 => kernel.notes.vector_registers as usize,
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { give(value, answer as c_int) }
    })
}
