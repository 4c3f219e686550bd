//! Statics of which the host and each device have a copy. The host finds the device's copy by the address of the host's
//! copy.

/// A static of the device whose address a runtime gives to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceVariable {
    /// Its symbol, which is the same on the host and in images.
    pub symbol: String,
    /// Its size in bytes.
    pub size: u64,
}
