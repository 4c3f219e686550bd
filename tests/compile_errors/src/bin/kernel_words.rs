//! A `const` kernel, and one with a parameter under a condition whose type has no name.

use offload::kernel;

#[kernel]
const fn constant(_value: u32) {}

#[kernel]
fn unnamed(#[cfg(not(test))] _function: impl Fn(u32) -> u32) {}

fn main() {}
