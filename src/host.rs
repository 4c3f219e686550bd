//! The host job: optimises the host module and makes its code.

use crate::error::{Context as _, Error, Result};
use crate::llvm::{FileKind, Machine, Module, OptLevel};

/// The host's processor when its functions name none: what rustc takes for this platform.
const BASELINE_CPU: &str = "x86-64";

/// The one platform whose objects `bundle/host_object.rs` can write.
const PLATFORM: (&str, &str) = ("x86_64-", "-linux-");

/// Checks that host objects can be made for the platform of a module.
pub fn check_platform(triple: &str) -> Result<()> {
    if triple.starts_with(PLATFORM.0) && triple.contains(PLATFORM.1) {
        return Ok(());
    }
    Err(Error::new(format!(
        "the input was compiled for `{triple}`, and host objects can be made for x86-64 Linux only"
    )))
}

/// Gives a module without a data layout the platform's: IR written by hand has often none, and LLVM's default lays out
/// kernel arguments differently.
pub fn complete_layout(module: &Module<'_>) -> Result<()> {
    if module.data_layout().is_empty() {
        module.set_machine(&Machine::new(&module.triple(), BASELINE_CPU, "", OptLevel::O0.codegen(), true)?);
    }
    Ok(())
}

/// A relocatable object of a host module: sections apart, constructors in `.init_array`, position-independent.
pub fn host_code(module: &Module<'_>, level: OptLevel) -> Result<Vec<u8>> {
    let machine = Machine::new(&module.triple(), BASELINE_CPU, "", level.codegen(), true)?;
    module.run_passes(level.pipeline(), &machine)?;
    machine.emit(module, FileKind::Object).context("making host code")
}
