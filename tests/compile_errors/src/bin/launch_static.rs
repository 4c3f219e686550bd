//! Launches of kernels that could keep their memory beyond the launch, with nothing in a parameter's type that says so.

use std::sync::OnceLock;

use offload::{Device, Grid, Param, Result, kernel, prelude::*};

static KEPT: OnceLock<&'static [u32]> = OnceLock::new();

trait Keep: Param {
    fn keep(self);
}

impl Keep for &'static [u32] {
    fn keep(self) {
        let _ = KEPT.set(self);
    }
}

#[kernel]
fn keep<K: Keep>(values: K) {
    values.keep();
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let values: &'static [u32] = Box::leak(vec![1; 100].into_boxed_slice());
    keep::<&'static [u32]>.launch(&stream, Grid::for_len(1, 1), (values,))?;
    let closure = |values: &'static [u32]| drop(KEPT.set(values));
    closure.launch(&stream, Grid::for_len(1, 1), (values,))
}
