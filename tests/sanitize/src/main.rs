//! Kernels for the checker. Each kernel in `planted/` has one error, and comments with the expected report:
//! `//~ KIND ACCESS…` at the line of each access. Two comments with one access each are one report of a kernel; a name
//! before the kind (`//~ NAME: KIND ACCESS`) separates several reports. The kernels in `clean.rs` have no error.
//!
//! The arguments name kernels. Without arguments, all kernels with errors run.

mod clean;
mod planted;

use std::process::{Command, ExitCode};

use offload::{Device, DeviceBuffer, Grid, RawSlice, Result, prelude::*};

/// The name of a kernel, and a function that launches it.
type Case = (&'static str, fn(&Device) -> Result<()>);

/// The number of elements of the buffer that most kernels take.
const LEN: usize = 256;

/// Launches a kernel with a buffer of zeros.
fn with_zeros(device: &Device, kernel: impl Kernel<(RawSlice<u32>,)>, grid: Grid) -> Result<()> {
    let stream = device.default_stream();
    let zeros = DeviceBuffer::from_host(&stream, &[0_u32; LEN])?;
    kernel.launch(&stream, grid, (zeros.as_raw(),))?;
    stream.synchronize()
}

/// A launch of one block.
const fn block_of(threads: u32) -> Grid {
    Grid::for_len(threads as usize, threads)
}

/// Launches the kernels with these names, or all kernels with errors.
fn launch_all(device: &Device, names: &[String]) {
    let named = |name: &str| names.iter().any(|other| other == name);
    let planted = planted::CASES.iter().filter(|(name, _)| names.is_empty() || named(name));
    for (name, launch) in planted.chain(clean::CASES.iter().filter(|(name, _)| named(name))) {
        // A wrong access may end the launch.
        match launch(device) {
            Ok(()) => println!("{name}"),
            Err(error) => println!("{name}: {error}"),
        }
    }
}

/// With `twice`, another process launches the kernels, too. With `fail`, the program fails at the end.
fn main() -> Result<ExitCode> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut take = |word: &str| names.iter().position(|name| name == word).map(|at| names.remove(at)).is_some();
    let (twice, fail) = (take("twice"), take("fail"));
    if twice {
        let program = std::env::current_exe().expect("this program has a path");
        let status = Command::new(program).args(&names).status().expect("this program can be started");
        assert!(status.success());
    }
    launch_all(&Device::new()?, &names);
    Ok(ExitCode::from(if fail { 3 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_race() {
        launch_all(&Device::new().unwrap(), &["missing_barrier".to_owned()]);
    }
}
