//! The emulated GPUs that tests run GPU code on, where `make emulators` puts them.

use std::path::PathBuf;
use std::process::Command;

/// A device of an emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulated {
    /// The runtime's name for the device: `hip:0`.
    pub device: &'static str,
    pub arch: &'static str,
}

/// An NVIDIA GPU.
const AMPERE: Emulated = Emulated { device: "cuda:0", arch: "sm_80" };
/// An AMD GPU with waves of 32 lanes.
const RDNA3: Emulated = Emulated { device: "hip:0", arch: "gfx1100" };
/// An AMD GPU with waves of 64 lanes.
pub const CDNA2: Emulated = Emulated { device: "hip:0", arch: "gfx90a" };

/// The emulated GPUs that have been built, one of each kind.
pub fn all() -> impl Iterator<Item = Emulated> {
    [AMPERE, RDNA3, CDNA2].into_iter().filter(|emulated| folder(emulated.device).is_some())
}

/// The library that the runtime opens for a device.
fn library(device: &str) -> &'static str {
    if device.starts_with("hip") { "libamdhip64.so" } else { "libcuda.so.1" }
}

/// The folder of the libraries; none where that of `device` has not been built.
pub fn folder(device: &str) -> Option<PathBuf> {
    let folder = crate::root().join("target/emulators");
    folder.join(library(device)).exists().then_some(folder)
}

/// Makes a program that `command` starts find the emulator, and open its device by default.
pub fn choose(command: &mut Command, emulated: Emulated) -> &mut Command {
    let folder = folder(emulated.device).expect("`make emulators` builds it; ask `folder` first");
    command.env("LD_LIBRARY_PATH", folder).env("OFFLOAD_EMULATED", emulated.arch);
    command.env("OFFLOADRT_DEVICE", emulated.device)
}
