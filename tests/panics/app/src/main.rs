//! Launches each kernel on the devices that the arguments name, and prints its panic. The user's lines have the names
//! of the kernels in comments.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

/// A function of a library unwraps.
#[kernel]
fn unwraps(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::last_even(&input[..2]); // unwraps
    }
}

/// A function of a library indexes.
#[kernel]
fn indexes(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::at(input, input.len() + 2); // indexes
    }
}

/// The same line of the library, from two lines.
#[kernel]
fn twice(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::at(input, 1);
        *out += lookup::at(input, input.len() + 3); // twice
    }
}

/// Rust's library adds.
#[kernel]
fn sums(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = input.iter().map(|value| value + (u32::MAX - 3)).sum(); // sums
    }
}

/// Rust's library asserts.
#[kernel]
fn steps(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        let some = (0..input.len()).step_by(input[0] as usize - 1); // steps
        *out = some.fold(0, |sum, i| sum ^ input[i]);
    }
}

/// A function that is not inlined, from two lines of the program.
#[kernel]
fn called(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::apart(input, 1); // called
        *out += lookup::apart(input, input.len() + 4); // called
    }
}

/// The place of the panic is the user's line.
#[kernel]
fn tracked(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::tracked(input, input.len() + 5); // tracked
    }
}

/// The user's own index.
#[kernel]
fn own(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = input[input.len() + 6]; // own
    }
}

/// The optimiser makes one panic of two.
#[kernel]
fn branches(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        if input[0] == 1 {
            *out = lookup::at(input, input.len() + 7); // branches
        } else {
            *out = lookup::at(input, input.len() + 7); // branches
        }
    }
}

/// The place is an argument of a function that is not inlined, from two lines of the library.
#[kernel]
fn passed(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        *out = lookup::first(input, 1);
        *out += lookup::second(input, input.len() + 8); // passed
    }
}

/// The same function, at the end of two branches.
#[kernel]
fn chosen(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some(out) = output.get_mut(thread::index_1d()) {
        if input[0] == 1 {
            *out = lookup::first(input, input.len() + 9); // chosen
        } else {
            *out = lookup::second(input, input.len() + 9);
        }
    }
}

fn main() -> Result<()> {
    for name in std::env::args().skip(1) {
        let device = Device::open(&name)?;
        macro_rules! launch {
            ($($kernel:ident)*) => {
                $(println!("{name} {}: {}", stringify!($kernel), outcome(&device, |stream, input, output| {
                    $kernel.launch(stream, Grid::for_len(1, 1), (input, output))
                })?);)*
            };
        }
        launch!(unwraps indexes twice sums steps called tracked own branches passed chosen);
        println!("{name} has ended");
    }
    Ok(())
}

/// The panic of a launch.
fn outcome(
    device: &Device,
    launch: impl FnOnce(&Stream, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<()>,
) -> Result<String> {
    let stream = device.default_stream();
    let (input, mut output) = (DeviceBuffer::from_host(&stream, &[1, 3, 5])?, DeviceBuffer::zeroed(&stream, 1)?);
    let ended = launch(&stream, &input, &mut output).and_then(|()| stream.synchronize());
    Ok(ended.err().map_or_else(|| "no panic".to_owned(), |error| error.to_string()))
}
