//! The threads of a row that are executed together: a group.

use super::shapes::Shapes;
use crate::llvm::{Function, Module};
use crate::targets::cpu::slots::Kept;
use crate::targets::cpu::vector_options::Choice;

/// A parameter that is more by a constant in each thread.
#[derive(Clone, Copy)]
pub(super) struct Rising {
    /// The place of the parameter.
    pub(super) number: usize,
    pub(super) step: i64,
}

/// The threads that are executed together.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a, 'c> {
    pub(super) linear: &'a [Rising],
    /// The slots from which they load.
    pub(super) kept: &'a [Kept<'c>],
    pub(super) choice: Choice,
    /// Their number.
    pub(super) width: u32,
}

/// The shapes of parameters.
pub(super) fn shapes_of<'m, 'c>(
    module: &'m Module<'c>,
    function: Function<'c>,
    linear: &[Rising],
    width: u32,
) -> Shapes<'m, 'c> {
    let mut shapes = Shapes::new(module, &[]).in_groups(width);
    linear.iter().for_each(|Rising { number, step }| shapes.rise(function.parameters()[*number], *step));
    shapes
}
