//! Kernels that could keep their memory beyond the launch.

use std::sync::OnceLock;

use offload::{DisjointSlice, kernel};

static KEPT: OnceLock<&'static [u32]> = OnceLock::new();

#[kernel]
fn keep(values: &'static [u32]) {
    let _ = KEPT.set(values);
}

#[kernel]
fn keep_mutable(values: DisjointSlice<'static, u32>) {
    let _ = values.len();
}

fn main() {}
