//! Another LLVM than the one that offloadc is linked with, loaded at run time. Only functions of its C API are called,
//! which are stable between versions.
//!
//! Only the program `offloadc-dis` uses this, because two LLVMs in one process would share symbols and state.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::time::Duration;

/// `LLVMContextRef` and all other references.
pub(crate) type Reference = *mut c_void;

/// A shared library that is LLVM.
pub(crate) struct Library {
    handle: *mut c_void,
}

impl Library {
    /// Loads a library by its path, or by its name where the system's loader looks.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| "a path with a NUL in it")?;
        // SAFETY: a C string. The library's constructors run, as they do in rustc.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() { Err(loader_error()) } else { Ok(Library { handle }) }
    }

    /// The address of a function.
    pub(crate) fn symbol(&self, name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the handle is open and the name a C string.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        let missing = || format!("it has no function `{}`", name.to_string_lossy());
        if address.is_null() { Err(missing()) } else { Ok(address) }
    }

    /// LLVM's version: `23.1.1`.
    pub(crate) fn version(&self) -> Result<String, String> {
        let (mut major, mut minor, mut patch): (c_uint, c_uint, c_uint) = (0, 0, 0);
        // SAFETY: the function has this type in every LLVM that has it (16 and later), and writes three numbers.
        unsafe {
            let get: unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) =
                std::mem::transmute(self.symbol(c"LLVMGetVersion")?);
            get(&mut major, &mut minor, &mut patch);
        }
        Ok(format!("{major}.{minor}.{patch}"))
    }

    /// A module's bitcode as text. If LLVM cannot read it, LLVM prints a message and ends the process.
    pub(crate) fn disassemble(&self, bitcode: &[u8]) -> Result<Vec<u8>, String> {
        type Print = unsafe extern "C" fn(Reference) -> *const c_char;
        let module = self.parse(bitcode)?;
        // SAFETY: the type is that of `llvm-c/Core.h`.
        unsafe {
            let print: Print = std::mem::transmute(self.symbol(c"LLVMPrintModuleToString")?);
            Ok(CStr::from_ptr(print(module)).to_bytes().to_vec())
        }
    }

    /// Reads a module, which is never freed. The process must end before the bytes are.
    pub(crate) fn parse(&self, bitcode: &[u8]) -> Result<Reference, String> {
        type Create = unsafe extern "C" fn() -> Reference;
        type Buffer = unsafe extern "C" fn(*const c_char, usize, *const c_char, c_int) -> Reference;
        type Parse = unsafe extern "C" fn(Reference, Reference, *mut Reference) -> c_int;
        // SAFETY: the types are those of `llvm-c/Core.h` and `llvm-c/BitReader.h`. The buffer's bytes outlive the
        // module; nothing is freed, as the process ends after one module.
        unsafe {
            let create: Create = std::mem::transmute(self.symbol(c"LLVMContextCreate")?);
            let buffer: Buffer = std::mem::transmute(self.symbol(c"LLVMCreateMemoryBufferWithMemoryRange")?);
            let parse: Parse = std::mem::transmute(self.symbol(c"LLVMParseBitcodeInContext2")?);
            let buffer = buffer(bitcode.as_ptr().cast(), bitcode.len(), c"module".as_ptr(), 0);
            let mut module = std::ptr::null_mut();
            if parse(create(), buffer, &mut module) != 0 {
                return Err("it does not read the bitcode".to_owned());
            }
            Ok(module)
        }
    }
}

fn loader_error() -> String {
    // SAFETY: the message is a C string of the loader's, valid until its next call, and copied at once.
    unsafe {
        let message = libc::dlerror();
        if message.is_null() {
            "no reason given".to_owned()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        }
    }
}

/// Limits this process, because for some damaged files LLVM's reader never ends, or asks for tens of gigabytes.
pub(crate) fn limit(time: Duration, bytes: u64) {
    for (resource, most) in [(libc::RLIMIT_CPU, time.as_secs().max(1)), (libc::RLIMIT_AS, bytes)] {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: a live struct. Where it fails there is no limit.
        let _ = unsafe { libc::setrlimit(resource, &limit) };
    }
}
