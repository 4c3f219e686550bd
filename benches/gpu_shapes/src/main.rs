//! Kernels in the shapes that programmers of GPUs write (blocks, tiles in shared memory, barriers, grid-stride loops),
//! on the `cpu` device, against the same work on the host: with rayon, and with OpenMP in C. Prints a table of medians,
//! and one of the rows that have twins in OpenCL C.
//!
//! `gpu_shapes [--native=PROGRAM] [PAIRS] [NAME..]` measures the rows whose names contain one of the names, all rows by
//! default. The program is another build of this one, for the processor of this machine.

#[macro_use]
mod row;
mod cores;
mod measure;
mod native;
mod numbers;
mod opencl;
mod rows;

use offload::{Device, Result};

use measure::{Answers, Table};

fn main() -> Result<()> {
    let mut pairs = 21;
    let (mut names, mut native, mut answers) = (Vec::new(), None, false);
    for argument in std::env::args().skip(1) {
        match (argument.parse(), argument.strip_prefix("--native=")) {
            (Ok(number), _) => pairs = number,
            (_, Some(program)) => native = Some(program.to_owned()),
            _ if argument == native::ANSWER => answers = true,
            _ => names.push(argument),
        }
    }
    cores::bind_rayon();
    let stream = Device::open("cpu")?.default_stream();
    if answers {
        return rows::each(&mut Answers { stream, pairs, names });
    }
    let mut table = Table::new(stream, pairs, names, native);
    rows::each(&mut table)?;
    table.end();
    Ok(())
}
