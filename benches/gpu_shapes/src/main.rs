//! Kernels in the shapes that programmers of GPUs write (blocks, tiles in shared memory, barriers, grid-stride loops),
//! on the `cpu` device, against the same work on the host: with rayon, and with OpenMP in C. Prints a table of medians,
//! and one of the rows that have twins in OpenCL C.
//!
//! `gpu_shapes [PAIRS] [NAME..]` measures the rows whose names contain one of the names, all rows by default.

#[macro_use]
mod row;
mod measure;
mod numbers;
mod opencl;
mod rows;

use offload::{Device, Result};

use measure::Table;

fn main() -> Result<()> {
    let mut pairs = 21;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.parse() {
            Ok(number) => pairs = number,
            Err(_) => names.push(argument),
        }
    }
    let stream = Device::open("cpu")?.default_stream();
    let mut table = Table::new(stream, pairs, names);
    rows::measure_all(&mut table)?;
    table.end();
    Ok(())
}
