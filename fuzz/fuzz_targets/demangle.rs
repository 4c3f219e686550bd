//! Names in messages, and rustc's encoding of format strings.

#![no_main]

use libfuzzer_sys::fuzz_target;
use offloadc::rust_std::demangle::{demangle, of_rusts_library};
use offloadc::rust_std::format_template::literal_pieces;

fuzz_target!(|bytes: &[u8]| {
    let _pieces = literal_pieces(bytes);
    if let Ok(name) = std::str::from_utf8(bytes) {
        let _is_rusts = of_rusts_library(&demangle(name));
    }
});
