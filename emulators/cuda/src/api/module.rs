//! Modules: PTX that is parsed, with its variables in memory.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use emulator_core::Kind;

use super::device::shared_begin;
use super::driver::{Driver, Kernel, Loaded};
use super::options::JitOptions;
use super::{
    DevicePointer, FILE_NOT_FOUND, Handle, INVALID_HANDLE, INVALID_IMAGE, INVALID_PTX, INVALID_VALUE, NO_BINARY,
    NOT_FOUND, OUT_OF_MEMORY, Outcome, Status, UNSUPPORTED_VERSION, fatbinary, in_context, put,
};
use crate::parser::{self, Space};
use crate::program::{Module, Program};

/// The newest version of PTX that is supported.
const NEWEST_PTX: u32 = 90;
/// The most shared memory of a block for which a program need not set an attribute.
pub(super) const DEFAULT_SHARED: u32 = 48 * 1024;

/// Loads an image.
///
/// # Safety
///
/// `image` is PTX that ends with a zero byte, a fat binary, or an image that begins with its magic number; options are
/// as the API says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *const *mut c_void,
) -> Status {
    in_context(|driver, device| {
        // SAFETY: the caller's.
        let options = unsafe { JitOptions::read(count, options, values) };
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's.
        let chosen = match unsafe { fatbinary::find(image) } {
            Some(bytes) => Some(choose(driver, device, &bytes, &options)?),
            None => None,
        };
        let text = match &chosen {
            Some(text) => text.as_slice(),
            // SAFETY: an image has at least the four bytes of its magic number, or ends before.
            None => unsafe { CStr::from_ptr(image.cast()) }.to_bytes(),
        };
        let loaded = load(driver, device, text, &options)?;
        // SAFETY: the caller's.
        unsafe { put(module, loaded) }
    })
}

/// The same without options.
///
/// # Safety
///
/// As `cuModuleLoadDataEx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> Status {
    // SAFETY: the caller's; there are no options.
    unsafe { cuModuleLoadDataEx(module, image, 0, std::ptr::null(), std::ptr::null()) }
}

/// Loads the image in a file.
///
/// # Safety
///
/// `module` is null or can be written to, and `path` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoad(module: *mut Handle, path: *const c_char) -> Status {
    if path.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: the caller's.
    let path = std::ffi::OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
    let Ok(mut image) = std::fs::read(path) else { return FILE_NOT_FOUND };
    // PTX ends with a NUL.
    image.push(0);
    // SAFETY: the caller's; the image lives until the end of the call.
    unsafe { cuModuleLoadData(module, image.as_ptr().cast()) }
}

/// The PTX of a fat binary for the newest arch that the device has.
fn choose(driver: &Driver, device: usize, bytes: &[u8], options: &JitOptions) -> Outcome<Vec<u8>> {
    let texts = fatbinary::texts(bytes).map_err(|why| {
        options.error(why);
        INVALID_IMAGE
    })?;
    let fitting = texts.into_iter().filter(|text| fits(&text.target, &driver.devices[device]));
    fitting.max_by_key(|text| text.arch).map(|text| text.bytes).ok_or_else(|| {
        options.error("the fat binary has no PTX for this device");
        NO_BINARY
    })
}

fn load(driver: &mut Driver, device: usize, text: &[u8], options: &JitOptions) -> Outcome<Handle> {
    if text.starts_with(b"\x7fELF") {
        options.error("machine code cannot be executed by an emulated GPU, which takes PTX");
        return Err(NO_BINARY);
    }
    let Ok(text) = std::str::from_utf8(text) else {
        options.error("the image is no text");
        return Err(INVALID_PTX);
    };
    let tree = parser::parse(text).map_err(|error| {
        options.error(&format!("ptx error: {error}"));
        INVALID_PTX
    })?;
    check(driver, device, &tree, options)?;
    place(driver, device, tree)
}

/// Checks that the device can execute the module: its target, its version, and the functions that it calls.
fn check(driver: &Driver, device: usize, tree: &parser::Module, options: &JitOptions) -> Outcome<()> {
    if tree.version > NEWEST_PTX {
        options.error(&format!("PTX {}.{} is newer than this driver", tree.version / 10, tree.version % 10));
        return Err(UNSUPPORTED_VERSION);
    }
    if !fits(&tree.target, &driver.devices[device]) {
        options.error(&format!("PTX for `{}` does not run on `{}`", tree.target, driver.devices[device].arch));
        return Err(INVALID_PTX);
    }
    match undefined_function(tree) {
        Some(name) => {
            options.error(&format!("ptxas fatal: Unresolved extern function '{name}'"));
            Err(INVALID_PTX)
        }
        None => Ok(()),
    }
}

/// PTX runs on its capability and later ones; with `a` on that one alone, with `f` within its family.
fn fits(target: &str, device: &super::driver::Device) -> bool {
    let digits = target.trim_start_matches("sm_");
    let suffix = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let Ok(own) = digits[..digits.len() - suffix.len()].parse::<u32>() else { return false };
    match suffix {
        "" => own <= device.capability,
        "a" => own == device.capability && device.suffix == "a",
        _ => own / 10 == device.capability / 10 && own <= device.capability,
    }
}

fn undefined_function(tree: &parser::Module) -> Option<String> {
    let defined: std::collections::HashSet<&str> =
        tree.functions.iter().filter(|one| one.body.is_some()).map(|one| one.name.as_str()).collect();
    let declared: std::collections::HashSet<&str> = tree.functions.iter().map(|one| one.name.as_str()).collect();
    let bodies = tree.functions.iter().flat_map(|one| one.body.iter().flatten());
    let mut called = bodies.filter_map(|statement| match statement {
        parser::Statement::Instruction(one) if one.words[0] == "call" => Some(&one.operands),
        _ => None,
    });
    called.find_map(|operands| {
        operands.iter().find_map(|operand| match operand {
            parser::Operand::Name(name)
                if declared.contains(name.as_str())
                    && !defined.contains(name.as_str())
                    && !crate::program::BUILTINS.contains(&name.as_str()) =>
            {
                Some(name.clone())
            }
            _ => None,
        })
    })
}

fn place(driver: &mut Driver, device: usize, tree: parser::Module) -> Outcome<Handle> {
    driver.modules_made += 1;
    let memory = &mut driver.memory;
    let module = Module::new(tree, driver.modules_made, |variable| {
        let kind = if variable.space == Space::Const { Kind::Constant } else { Kind::Variable };
        memory.allocate(variable.size().max(1), kind, &variable.name)
    });
    let module = Arc::new(module.ok_or(OUT_OF_MEMORY)?);
    for variable in module.tree.variables.iter().filter(|one| matches!(one.space, Space::Global | Space::Const)) {
        let Some(address) = module.addresses.get(&variable.name) else { continue };
        let bytes = module.initial_bytes(variable);
        driver.memory.write(*address, &bytes, &vec![0; bytes.len()]).map_err(|_| INVALID_VALUE)?;
    }
    let (handle, context) = (driver.handle(), Driver::current_context()?);
    driver.modules.insert(handle, Loaded { module, device, context });
    Ok(handle)
}

/// The end of a module.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(module: Handle) -> Status {
    in_context(|driver, _| {
        let loaded = driver.modules.remove(&module).ok_or(INVALID_HANDLE)?;
        driver.kernels.retain(|_, kernel| kernel.module != module);
        for variable in &loaded.module.tree.variables {
            if let Some(address) = loaded.module.addresses.get(&variable.name) {
                driver.memory.free(*address);
            }
        }
        Ok(())
    })
}

/// A kernel of a module by its name.
///
/// # Safety
///
/// `function` is null or can be written to; `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> Status {
    in_context(|driver, _| {
        // SAFETY: the caller's.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let loaded = driver.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let found = loaded.module.function(&name).filter(|index| loaded.module.tree.functions[*index].is_entry);
        let entry = found.ok_or(NOT_FOUND)?;
        let begin = shared_begin(driver.devices[loaded.device].capability);
        let program = Arc::new(Program::new(Arc::clone(&loaded.module), entry, begin));
        let handle = driver.handle();
        let most_dynamic_shared = DEFAULT_SHARED.saturating_sub((program.shared_end - begin) as u32);
        driver.kernels.insert(handle, Kernel { program, module, most_dynamic_shared });
        // SAFETY: the caller's.
        unsafe { put(function, handle) }
    })
}

/// A variable of a module by its name: its address and its size.
///
/// # Safety
///
/// The pointers are null or can be written to; `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut DevicePointer,
    size: *mut usize,
    module: Handle,
    name: *const c_char,
) -> Status {
    in_context(|driver, _| {
        // SAFETY: the caller's.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let loaded = driver.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let found = loaded.module.addresses.get(&name).copied().ok_or(NOT_FOUND)?;
        let bytes = loaded.module.tree.variables.iter().find(|one| one.name == name).map_or(0, |one| one.size());
        // SAFETY: the caller's; each may be null.
        unsafe {
            if !address.is_null() {
                address.write(found);
            }
            if !size.is_null() {
                size.write(bytes);
            }
        }
        Ok(())
    })
}
