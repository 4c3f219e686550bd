//! The output of an arch for the bundle.

use crate::bundle::Image;

/// The output of one arch for the bundle.
#[derive(Debug, Default)]
pub struct DeviceOutput {
    /// The images.
    pub images: Vec<Image>,
    /// Code that becomes part of the host object.
    pub host_code: Option<HostCode>,
    /// The size of each kernel's static shared memory in bytes, in the order of the kernels; empty if the target
    /// records it elsewhere.
    pub shared_bytes: Vec<u32>,
}

impl DeviceOutput {
    /// The output of `--emit=image`: the first image, or code that becomes part of the host object.
    pub fn shown(&self) -> Option<&[u8]> {
        let code = self.host_code.as_ref().map(|code| &code.object[..]);
        code.or_else(|| self.images.first().map(|image| &image.bytes[..]))
    }
}

/// Code for a level of the host's processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCode {
    /// The level, from 1.
    pub level: u32,
    /// A relocatable object with the entries.
    pub object: Vec<u8>,
}
