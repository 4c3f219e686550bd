//! The OpenCL implementation for tests of SPIR-V: Intel's for CPUs, in the folder of `scripts/deps tests`.

use std::path::PathBuf;
use std::process::Command;

/// The folder of the loader and of Intel's libraries; none if the test dependencies are not installed.
pub fn folder() -> Option<PathBuf> {
    let folder = crate::root().join("target/tools/opencl");
    folder.is_dir().then_some(folder)
}

/// Makes this OpenCL device the default of the program that `command` starts.
pub fn choose(command: &mut Command) -> &mut Command {
    let folder = folder().expect("`make test-deps` installs an OpenCL; ask `folder` first");
    // The second variable replaces the folder in which the loader finds other OpenCL implementations of this machine.
    command.env("OCL_ICD_FILENAMES", folder.join("libintelocl.so")).env("OCL_ICD_VENDORS", &folder);
    command.env("LD_LIBRARY_PATH", folder).env("OFFLOADRT_DEVICE", "opencl:intel")
}
