//! The registration with NVIDIA's libcudart: a fat binary, and a call for each kernel and each exported static.
//!
//! `cudaLaunchKernel` then takes the address of a kernel's handle as the function.

use super::fat_images::{self, FatRuntime};
use super::fatbinary;
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Relocatable, Section};
use crate::error::Result;

const CUDA: FatRuntime = FatRuntime {
    magic: 0x4662_43b1,
    sections: [Section::Fatbinary, Section::FatbinaryWrapper],
    register: "__cudaRegisterFatBinary",
    register_function: "__cudaRegisterFunction",
    register_variable: "__cudaRegisterVar",
    register_end: Some("__cudaRegisterFatBinaryEnd"),
    unregister: "__cudaUnregisterFatBinary",
};

/// Adds the fat binary to the object. Returns the calls that register it.
pub(super) fn place(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
) -> Result<RuntimeHooks> {
    let images = fatbinary::write(registration.images.images())?;
    fat_images::place(&CUDA, registration, object, (parts, images))
}
