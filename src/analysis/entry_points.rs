//! Entry points of a device's code.

use crate::llvm::{Function, Value};

/// The functions that a driver launches, in the order of the kernels.
#[derive(Default)]
pub struct EntryPoints<'c> {
    /// The functions.
    pub functions: Vec<Function<'c>>,
    /// Those of their parameters that point to the bytes of an argument.
    pub arguments: Vec<Value<'c>>,
}
