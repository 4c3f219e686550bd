//! The record of a panic, which a kernel writes and the runtime makes a message of.

#![no_main]

use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    fn fuzz_panics(bytes: *const u8, size: usize) -> usize;
}

fuzz_target!(|bytes: &[u8]| {
    // SAFETY: the pointer is to as many bytes.
    assert!(unsafe { fuzz_panics(bytes.as_ptr(), bytes.len()) } > 0);
});
