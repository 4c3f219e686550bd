//! Where a device enters its code.

use crate::llvm::Value;

/// What a device runs, in the kernels' order.
#[derive(Default)]
pub struct EntryPoints<'c> {
    /// The functions.
    pub functions: Vec<Value<'c>>,
    /// Those of their parameters that point to the bytes of an argument.
    pub arguments: Vec<Value<'c>>,
}
