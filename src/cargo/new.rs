//! `cargo offloadc new`: a package with a kernel, its launch and a test.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context as _, Failure, Result};
use crate::job::UsageError;

/// The folders of the crate relative to the folder of this program: after `make install`, and in a checkout.
const FOLDERS: [&str; 2] = ["../lib/offloadc/crates/offload", "../../rust/offload"];
/// The package on crates.io.
const PACKAGE: &str = concat!("offload-kernels@", env!("CARGO_PKG_VERSION"));

/// Options of `cargo new` whose value is the next word.
const WITH_VALUE: [&str; 8] =
    ["--vcs", "--edition", "--name", "--registry", "--color", "--config", "--lockfile-path", "-Z"];

const KERNEL: &str = "\
use offload::{DisjointSlice, kernel, thread};

/// y = a * x + y, one element for each thread.
#[kernel]
PUB fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i];
    }
}
";

const MAIN: &str = "
fn main() -> offload::Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();
    let x = DeviceBuffer::from_host(&stream, &[1.0; 1000])?;
    let mut y = DeviceBuffer::from_host(&stream, &[2.0; 1000])?;
    saxpy.launch(&stream, Grid::for_len(1000, 256), (3.0, &x, &mut y))?;
    assert_eq!(y.to_host_vec(&stream)?, [5.0; 1000]);
    println!(\"1000 elements on {}\", device.name());
    Ok(())
}
";

const TEST: &str = "
#[cfg(test)]
mod tests {
    use super::*;
    use offload::{Device, Grid, prelude::*};

    #[test]
    fn each_element_is_added() -> offload::Result<()> {
        let (stream, mut y) = (Device::new()?.default_stream(), [1.0, 2.0]);
        saxpy.launch(&stream, Grid::for_len(2, 256), (2.0, &[3.0, 4.0], &mut y))?;
        assert_eq!(y, [7.0, 10.0]);
        Ok(())
    }
}
";

/// Makes the package that `cargo new` with these arguments makes, and returns cargo's exit status; none if the
/// arguments are another command.
pub fn new(arguments: &[OsString]) -> Result<Option<i32>, Failure<UsageError>> {
    if arguments.first().is_none_or(|word| word != "new") {
        return Ok(None);
    }
    let status = run(Command::new(super::cargo()).args(arguments))?;
    let asks = arguments.iter().any(|word| word == "--help" || word == "-h");
    let Some(folder) = folder(&arguments[1..]).filter(|_| status == 0 && !asks) else { return Ok(Some(status)) };
    let is_library = arguments.iter().any(|word| word == "--lib");
    let (file, text) = if is_library {
        ("src/lib.rs", format!("{}{TEST}", KERNEL.replace("PUB fn", "pub fn")))
    } else {
        let uses = "use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};";
        let kernel = KERNEL.replace("PUB fn", "fn").replace("use offload::{DisjointSlice, kernel, thread};", uses);
        ("src/main.rs", format!("{kernel}{MAIN}"))
    };
    std::fs::write(folder.join(file), text)
        .with_context(|| format!("cannot write `{}`", folder.join(file).display()))?;
    let mut add = Command::new(super::cargo());
    let _ = add.args(["add", "--quiet", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    let _ = match crate_folder()? {
        Some(folder) => add.arg("--path").arg(folder),
        None => add.arg(PACKAGE),
    };
    Ok(Some(run(&mut add)?))
}

fn run(command: &mut Command) -> Result<i32> {
    Ok(command.status().context("cannot run cargo")?.code().unwrap_or(1))
}

/// The folder of the package, which is the word that is neither an option nor its value.
fn folder(words: &[OsString]) -> Option<&Path> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.iter().any(|option| word == option) {
            let _ = words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return Some(Path::new(word));
        }
    }
    None
}

/// The crate that belongs to this program; none if only crates.io has it.
fn crate_folder() -> Result<Option<PathBuf>> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let own = own.parent().unwrap_or(Path::new(""));
    let mut folders = FOLDERS.iter().filter_map(|folder| own.join(folder).canonicalize().ok());
    Ok(folders.find(|folder| folder.join("Cargo.toml").is_file()))
}
