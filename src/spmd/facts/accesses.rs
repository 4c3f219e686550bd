//! How neighbouring threads access memory, and whether they agree on branches, as far as the shapes of values show: for
//! remarks about GPUs, whose warps behave like the groups of the vectoriser.

use super::shapes::Shapes;
use crate::llvm::{Function, Module, Opcode, Value};

/// The addresses of neighbouring threads in an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addresses {
    /// The same, or one after another.
    Near,
    /// At a distance in bytes, with other elements between.
    Strided(i64),
    /// Any, as far as is seen.
    Unknown,
}

/// The shapes of a function that all threads of a row execute.
pub(crate) struct Neighbours<'m, 'c> {
    shapes: Shapes<'m, 'c>,
    module: &'m Module<'c>,
}

impl<'m, 'c> Neighbours<'m, 'c> {
    /// Computes them. `numbers` are the values that are more by one in each thread, and `others` those that vary.
    pub(crate) fn of(module: &'m Module<'c>, function: Function<'c>, numbers: &[Value<'c>]) -> Self {
        let mut shapes = Shapes::new(module, &[]);
        numbers.iter().for_each(|number| shapes.know(*number, 1));
        shapes.guess();
        shapes.compute(function);
        Self { shapes, module }
    }

    /// The addresses of a load or a store.
    pub(crate) fn addresses(&self, access: Value<'c>) -> Addresses {
        let (address, accessed) = match access.opcode() {
            Opcode::Store => (access.operand(1), access.operand(0)),
            _ => (access.operand(0), access),
        };
        let size = accessed.ty().store_size(self.module) as i64;
        match self.shapes.step(address) {
            Some(step) if step.abs() <= size => Addresses::Near,
            Some(step) => Addresses::Strided(step),
            None => Addresses::Unknown,
        }
    }

    /// Whether all threads have the same value.
    pub(crate) fn agree(&self, value: Value<'c>) -> bool {
        self.shapes.step(value) == Some(0)
    }
}
