//! The command line of `offloadc-ld`: a linker's, a C compiler's, and offloadc's options within it.

#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use libfuzzer_sys::fuzz_target;
use offloadc::linker::Link;

fuzz_target!(|bytes: &[u8]| {
    let words = bytes.split(|byte| *byte == b'\n').map(|word| OsString::from_vec(word.to_vec())).collect();
    if let Ok(link) = Link::new(words) {
        assert!(!link.real_linker().is_empty());
    }
});
