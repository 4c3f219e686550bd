//! The features of processors, by LLVM's names.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::value::c_name;
use super::{machine, shim};

/// The features of LLVM's back end for a triple, each with whether the processor has it; none without a back end.
pub fn features(triple: &str, cpu: &str, features: &str) -> Vec<(String, bool)> {
    machine::initialize();
    let (triple, cpu, features) = (c_name(triple), c_name(cpu), c_name(features));
    let mut found: Vec<(String, bool)> = Vec::new();
    // SAFETY: the strings outlive the call, and `collect` gets the list back.
    let _ = unsafe {
        let state = (&raw mut found).cast::<c_void>();
        shim::ofc_features(triple.as_ptr(), cpu.as_ptr(), features.as_ptr(), collect, state)
    };
    found
}

/// Adds a feature to the list in `state`.
unsafe extern "C" fn collect(state: *mut c_void, name: *const c_char, has: c_int) {
    // SAFETY: `state` is the list of `features`, which nothing else uses until LLVM is done, and LLVM's names are C
    // strings.
    let (found, name) = unsafe { (&mut *state.cast::<Vec<(String, bool)>>(), CStr::from_ptr(name)) };
    found.push((name.to_string_lossy().into_owned(), has != 0));
}
