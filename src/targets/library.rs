//! Bitcode of device functions, which other compilers have made for one arch.

use super::Arch;

/// A file of `--device-bitcode`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLibrary {
    /// The arch that it is for; all archs if none is named.
    pub arch: Option<String>,
    /// The file in messages.
    pub name: String,
    /// Its module, as bitcode of this LLVM.
    pub bitcode: Vec<u8>,
}

impl DeviceLibrary {
    /// Those of `all` that are for an arch, in order.
    pub fn of<'a>(all: &'a [Self], arch: &Arch) -> Vec<&'a Self> {
        all.iter().filter(|library| library.arch.as_ref().is_none_or(|name| arch.is_named(name))).collect()
    }
}
