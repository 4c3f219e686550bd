//! Code objects and bundles, as the emulated AMD GPU loads them.

#![no_main]

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;

use amdhip64::api::module::{hipModuleLoadData, hipModuleUnload};
use libfuzzer_sys::fuzz_target;

/// A panic at the C interface.
const UNKNOWN: i32 = 999;

fuzz_target!(|bytes: &[u8]| {
    amdhip64::lacking(bytes, "gfx1100", &mut BTreeMap::new());
    let mut module = null_mut::<c_void>();
    // SAFETY: the address is that of a variable; a header with a larger size than the file is an error.
    unsafe {
        let status = hipModuleLoadData(&raw mut module, bytes.as_ptr().cast());
        assert_ne!(status, UNKNOWN);
        if status == 0 {
            assert_eq!(hipModuleUnload(module), 0);
        }
    }
});
