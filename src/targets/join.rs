//! Joins the objects of the parts of a module.

use super::DeviceJob;
use crate::error::{Context as _, Result};
use crate::system::scratch::{self, Scratch};

/// One object with all of `parts`, in their order; empty if tools are only shown. Local symbols of different parts may
/// have the same name.
pub(super) fn objects(parts: &[Vec<u8>], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
    let scratch = Scratch::new()?;
    let write = |(number, part): (usize, &Vec<u8>)| scratch.file_with(&format!("part{number}.o"), part);
    let inputs = parts.iter().enumerate().map(write).collect::<Result<Vec<_>>>()?;
    let output = scratch.file("parts.o");
    let options = ["-r", "-o"].map(AsRef::as_ref);
    let arguments = options.into_iter().chain([output.as_os_str()]).chain(inputs.iter().map(|input| input.as_os_str()));
    let joined = job.tools.link(arguments);
    let joined = joined.with_context(|| format!("cannot join the parts of the code for `{}`", job.arch.name))?;
    if joined { scratch::read(&output) } else { Ok(Vec::new()) }
}
