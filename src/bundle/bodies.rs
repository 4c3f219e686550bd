//! The bitcode of a shared library's crates, in the library: kernels of other objects call its functions.

use super::relocatable::Relocatable;
use crate::contract::platform::Platform;
use crate::contract::symbols::BODIES_SECTION;
use crate::error::Result;

/// An object with this archive in a section that is not loaded.
pub fn bodies_object(platform: Platform, archive: Vec<u8>) -> Result<Vec<u8>> {
    let mut object = Relocatable::new(platform, "");
    object.unloaded(BODIES_SECTION, archive);
    object.finish()
}
