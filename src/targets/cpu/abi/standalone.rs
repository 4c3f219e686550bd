//! The code for the CPU as a separate image: a shared object, which the runtime loads when a kernel is launched.

use crate::error::{Context as _, Result};
use crate::system::scratch::{self, Scratch};
use crate::targets::DeviceJob;

/// The shared object. The entries of kernels are its symbols. The C library is that of the program, and the runtime
/// hands over its own functions. Empty if tools are only shown.
pub(in crate::targets::cpu) fn link(code: &[u8], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
    let scratch = Scratch::new()?;
    let (input, image) = (scratch.file_with("kernels.o", code)?, scratch.file("image.so"));
    let options = ["-shared", "--gc-sections", "-Bsymbolic", "-o"].map(AsRef::as_ref);
    let arguments = options.into_iter().chain([image.as_os_str(), input.as_os_str()]);
    let linked = job.tools.link(arguments);
    if linked.context("cannot link the code")? { scratch::read(&image) } else { Ok(Vec::new()) }
}
