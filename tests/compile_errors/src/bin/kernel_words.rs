//! A `const` kernel, and one with a parameter whose type has no name.

use offload::kernel;

#[kernel]
const fn constant(_value: u32) {}

#[kernel]
fn unnamed(_function: impl Fn(u32) -> u32 + Copy) {}

fn main() {}
