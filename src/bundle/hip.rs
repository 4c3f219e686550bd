//! The registration with AMD's HIP: a bundle of code objects, and a call for each kernel.
//!
//! `hipLaunchKernel` then takes the address of a kernel's handle as the function.

use super::fat_images::{self, FatRuntime};
use super::hip_bundle;
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Relocatable, Section};
use crate::error::Result;

const HIP: FatRuntime = FatRuntime {
    magic: 0x4849_5046,
    sections: [Section::HipBundle, Section::HipBundleWrapper],
    register: "__hipRegisterFatBinary",
    register_function: "__hipRegisterFunction",
    register_variable: "__hipRegisterVar",
    register_end: None,
    unregister: "__hipUnregisterFatBinary",
};

/// Adds the bundle to the object. Returns the calls that register it.
pub(super) fn place(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
) -> Result<RuntimeHooks> {
    let images = hip_bundle::write(registration.images.images());
    fat_images::place(&HIP, registration, object, (parts, images))
}
