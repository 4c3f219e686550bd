//! Parameters that `specialize(..)` cannot name, and a late constant as the length of an array.

use offload::{kernel, late_const};

late_const!(static TILE: usize = 16);

#[kernel(specialize(m))]
fn unknown(_n: u32) {}

#[kernel(specialize())]
fn nothing(_n: u32) {}

fn main() {
    let _tile = [0.0; *TILE];
}
