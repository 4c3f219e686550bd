//! The lanes of a group: a group.

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

/// The lanes of a group.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a, 'c> {
    pub(crate) affine: &'a [Rising],
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
    affine: &[Rising],
    width: u32,
) -> Shapes<'m, 'c> {
    let mut shapes = Shapes::new(module, &[]).in_groups(width);
    affine.iter().for_each(|Rising { number, step }| shapes.rise(function.parameters()[*number], *step));
    shapes
}
