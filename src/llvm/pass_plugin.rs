//! Plugins of LLVM's pass manager.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::value::{c_name, take_message};
use super::{Machine, OptLevel, shim};
use crate::error::{Error, Result};

/// A plugin, which stays loaded until the process ends, and the passes of it that are named.
#[derive(Clone)]
pub struct PassPlugin {
    raw: Raw,
    /// The plugin in messages.
    pub name: String,
    /// The bytes or the build id of its file.
    identity: Vec<u8>,
    /// Passes in the syntax of `opt -passes`, which run before the pipeline that the plugin extends; may be empty.
    named: String,
}

#[derive(Clone, Copy)]
struct Raw(*const c_void);

// SAFETY: the loaded plugin is never changed. A plugin registers its passes with the pass builder of one thread, as in
// linkers with several threads.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl fmt::Debug for PassPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassPlugin").field("name", &self.name).field("named", &self.named).finish_non_exhaustive()
    }
}

impl PassPlugin {
    /// Loads the plugin in a file. All symbols that it needs are looked up now: one that is missing would end the
    /// process where it is first used.
    pub fn load(path: &Path, name: String, identity: Vec<u8>, named: String) -> Result<Self> {
        let text =
            CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::new("its path contains a zero byte"))?;
        // SAFETY: the path is a C string. Constructors of the library run, as plugins expect.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: after a failure, the function gives a C string that is valid until its next call in this thread.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(Error::new(why.to_string_lossy()));
        }
        let mut why: *mut c_char = std::ptr::null_mut();
        // SAFETY: the path is a C string; a message is disposed of once.
        let raw = unsafe { shim::ofc_load_pass_plugin(text.as_ptr(), &mut why) };
        if raw.is_null() {
            // SAFETY: as above.
            return Err(Error::new(unsafe { take_message(why) }));
        }
        Ok(Self { raw: Raw(raw), name, identity, named })
    }

    /// The properties of the plugin that decide its output.
    pub fn deciding(&self) -> Vec<u8> {
        [self.named.as_bytes(), b"\0", &self.identity].concat()
    }

    /// Whether the plugin adds passes to a pipeline; an error if one of the named passes is unknown.
    pub fn extends(&self, pipeline: &str, machine: Option<&Machine>, level: OptLevel) -> Result<bool> {
        let (named, text) = (c_name(&self.named), c_name(pipeline));
        let machine = machine.map_or(std::ptr::null_mut(), |machine| machine.inner().as_mut_ptr());
        let mut adds = 0;
        // SAFETY: the plugin is loaded for ever, texts and machine are live; a message is disposed of once.
        unsafe {
            let why = shim::ofc_check_pass_plugin(
                self.raw.0,
                named.as_ptr(),
                text.as_ptr(),
                machine,
                level.c_letter(),
                &mut adds,
            );
            if why.is_null() { Ok(adds != 0) } else { Err(Error::new(take_message(why))) }
        }
    }
}

/// The plugins of one pipeline as arguments of a call.
pub(super) struct Arguments {
    pub(super) plugins: Vec<*const c_void>,
    pub(super) named: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl Arguments {
    pub(super) fn new(plugins: &[PassPlugin]) -> Self {
        let texts: Vec<_> = plugins.iter().map(|plugin| c_name(&plugin.named)).collect();
        let named = texts.iter().map(|text| text.as_ptr()).collect();
        Self { plugins: plugins.iter().map(|plugin| plugin.raw.0).collect(), named, _texts: texts }
    }
}
