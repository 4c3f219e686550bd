//! Slices: arbitrary fields after a start, versions and a checksum that are right.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use offloadc::distribution::Slice;

/// The start of a slice of this program.
fn start() -> &'static [u8] {
    static START: OnceLock<Vec<u8>> = OnceLock::new();
    START.get_or_init(|| Slice::start().expect("this program can be read"))
}

fuzz_target!(|bytes: &[u8]| {
    let _any = Slice::read(bytes);
    let file = Slice::with_checksum([start(), bytes].concat());
    let Ok(slice) = Slice::read(&file) else { return };
    let again = slice.write().expect("a slice can be written");
    let again = Slice::read(&again).expect("it was just written");
    assert_eq!((again.modules, again.kernels, again.archs), (slice.modules, slice.kernels, slice.archs));
});
