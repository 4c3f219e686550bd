//! Options of `#[kernel]` with values that they do not have.

use offload::kernel;

#[kernel(fp_contract = "on")]
fn contracts() {}

#[kernel(fast_math = true)]
fn fast() {}

#[kernel(max_registers(64))]
fn registers() {}

#[kernel(fast_math, fp_contract = "off")]
fn both() {}

#[kernel(restrict)]
fn promises() {}

#[kernel(unsafe(alias))]
fn aliases() {}

fn main() {}
