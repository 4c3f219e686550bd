//! The threads of a row that are executed together: a group.

use crate::llvm::{Function, Module};
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::options::VectorOptions;
use crate::spmd::region::slots::Kept;

/// A parameter that is more by a constant in each thread.
#[derive(Clone, Copy)]
pub(crate) struct Rising {
    /// The place of the parameter.
    pub(crate) number: usize,
    pub(crate) step: i64,
}

/// The threads that are executed together.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a, 'c> {
    pub(crate) linear: &'a [Rising],
    /// The slots from which they load.
    pub(crate) kept: &'a [Kept<'c>],
    pub(crate) options: VectorOptions,
    /// Their number.
    pub(crate) width: u32,
}

/// The shapes of parameters.
pub(crate) fn shapes_of<'m, 'c>(
    module: &'m Module<'c>,
    function: Function<'c>,
    linear: &[Rising],
    width: u32,
) -> Shapes<'m, 'c> {
    let mut shapes = Shapes::new(module, &[]).in_groups(width);
    linear.iter().for_each(|Rising { number, step }| shapes.rise(function.parameters()[*number], *step));
    shapes
}
