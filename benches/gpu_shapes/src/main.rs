//! Kernels in the shapes that programmers of GPUs write (blocks, tiles in shared memory, barriers, grid-stride loops),
//! on the `cpu` device, against the same work on the host: with rayon, and with OpenMP in C. Prints a table of medians,
//! and one of the rows that have twins in OpenCL C.
//!
//! `gpu_shapes [--native=PROGRAM] [PAIRS] [NAME..]` measures the rows whose names contain one of the names, all rows by
//! default. The program is another build of this one, for the processor of this machine.
//!
//! `gpu_shapes --instructions[=PROGRAM] [NAME..]` counts the instructions of the kernels with valgrind, also those of
//! another build of this program, such as one by an older compiler.

#[macro_use]
mod row;
mod cores;
mod instructions;
mod measure;
mod native;
mod numbers;
mod opencl;
mod rows;

use offload::{Device, Result};

use instructions::{Counts, LAUNCHES, Launches};
use measure::{Answers, Table};

/// The argument that counts instructions.
const COUNTED: &str = "--instructions";

fn main() -> Result<()> {
    let mut pairs = 21;
    let (mut names, mut native, mut answers) = (Vec::new(), None, false);
    let (mut launches, mut counted) = (None, None);
    for argument in std::env::args().skip(1) {
        match (argument.parse(), argument.strip_prefix("--native=")) {
            (Ok(number), _) => pairs = number,
            (_, Some(program)) => native = Some(program.to_owned()),
            _ if argument == native::ANSWER => answers = true,
            _ if argument.starts_with(LAUNCHES) => launches = argument[LAUNCHES.len()..].parse().ok(),
            _ if argument == COUNTED => counted = Some(None),
            _ if argument.starts_with(COUNTED) => counted = Some(Some(argument[COUNTED.len() + 1..].to_owned())),
            _ => names.push(argument),
        }
    }
    if let Some(other) = counted {
        let mut counts = Counts::new(names, other);
        rows::each(&mut counts)?;
        counts.end();
        return Ok(());
    }
    cores::bind_rayon();
    let stream = Device::open("cpu")?.default_stream();
    if let Some(count) = launches {
        return rows::each(&mut Launches { stream, count, names });
    }
    if answers {
        return rows::each(&mut Answers { stream, pairs, names });
    }
    let mut table = Table::new(stream, pairs, names, native);
    rows::each(&mut table)?;
    table.end();
    Ok(())
}
