//! Statics that the host and each device have a copy of, and that the host finds by the address of its own.

/// A static of the device whose address a runtime gives to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceVariable {
    /// Its symbol, which is the same on the host and in images.
    pub symbol: String,
    /// Its size in bytes.
    pub size: u64,
}
