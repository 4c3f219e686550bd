//! PTX, as the emulated NVIDIA GPU reads it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _is_ptx = cuda::translate(text);
});
