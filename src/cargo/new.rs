//! `cargo offloadc new`: a package with a kernel, its launch and a test.
//!
//! The package depends on the version of the crate, as any package does, and cargo's configuration of the workspace
//! says where this installation has it (`setup.rs`).

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::described::Described;
use super::setup::{self, PACKAGE};
use crate::error::{Context as _, Failure, Result};
use crate::job::UsageError;

pub(super) const DESCRIBED: Described = Described {
    name: "new",
    does: "Makes a package with a kernel, its launch or a test, and the dependency",
    usage: "PATH [OPTIONS OF CARGO NEW]",
    options: "",
    notes: "`cargo new --help` lists the options. The package runs with `cargo offloadc run`, or with `cargo offloadc \
            test` after `--lib`.\n",
    example: "new hello",
};

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
    add_dependency(&folder.join("Cargo.toml"))?;
    if let Some(krate) = setup::crate_folder() {
        let _ = setup::write(folder, &krate)?;
    }
    Ok(Some(0))
}

/// Adds the crate to the manifest of a new package, whose last line is the head of an empty table.
fn add_dependency(manifest: &Path) -> Result<()> {
    let mut text =
        std::fs::read_to_string(manifest).with_context(|| format!("cannot read `{}`", manifest.display()))?;
    if !text.trim_end().ends_with("[dependencies]") {
        text += "\n[dependencies]\n";
    }
    text += &format!("{PACKAGE} = \"{}\"\n", requirement());
    std::fs::write(manifest, text).with_context(|| format!("cannot write `{}`", manifest.display()))
}

/// The versions of the crate that belong to this program: those with the same first two numbers.
fn requirement() -> &'static str {
    let version = env!("CARGO_PKG_VERSION");
    version.rsplit_once('.').map_or(version, |(start, _)| start)
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
