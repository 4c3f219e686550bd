//! The operands of code: numbers of registers and of constants, and addresses.

/// A register's number in its function; from `CONSTANTS` on, a constant's.
pub(crate) type Source = u32;
/// The number of the first constant.
pub(crate) const CONSTANTS: Source = 1 << 31;

/// The register with the frame's address in local memory.
pub(crate) const FRAME: Source = 0;
/// The register with the carry of `add.cc` and kin.
pub(crate) const CARRY: Source = 1;
/// The register with the address of a kernel's arguments.
pub(crate) const ARGUMENTS: Source = 2;
/// The first register that a function has for itself.
pub(crate) const FIRST: Source = 3;

/// An address: a base register and bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    /// The base.
    pub(crate) base: Source,
    /// Added to it.
    pub(crate) offset: i64,
}
