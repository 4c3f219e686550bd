//! The OpenCL that tests run SPIR-V on: Intel's for processors, where `scripts/deps tests` puts it.

use std::path::PathBuf;
use std::process::Command;

/// The folder of the loader and of Intel's libraries; none where the test dependencies are not installed.
pub fn folder() -> Option<PathBuf> {
    let folder = crate::root().join("target/tools/opencl");
    folder.is_dir().then_some(folder)
}

/// Makes a program that `command` starts find that OpenCL, and open its device by default.
pub fn choose(command: &mut Command) -> &mut Command {
    let folder = folder().expect("`make test-deps` installs an OpenCL; ask `folder` first");
    // The second is where the loader would look for other OpenCLs of this machine's.
    command.env("OCL_ICD_FILENAMES", folder.join("libintelocl.so")).env("OCL_ICD_VENDORS", &folder);
    command.env("LD_LIBRARY_PATH", folder).env("OFFLOADRT_DEVICE", "opencl:intel")
}
