//! The images of an object, as the runtime reads them.

#![no_main]

use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    fn fuzz_containers(bytes: *const u8, size: usize) -> usize;
}

fuzz_target!(|bytes: &[u8]| {
    // SAFETY: the pointer is to as many bytes.
    std::hint::black_box(unsafe { fuzz_containers(bytes.as_ptr(), bytes.len()) });
});
