//! The parameters of the functions of regions.

use super::position;
use super::slots::SlotParameters;
use crate::llvm::{Function, Module, Type, Value};

/// The number of a region's parameters after the position: the slots' memory, the number of threads rounded up, this
/// thread's number, and the region's number.
pub(crate) const SLOT_PARAMETERS: usize = 4;

/// Where the code of a thread has its parameters: those of the kernel, the position, and in a region those for slots
/// and the uniform slots.
#[derive(Clone, Copy)]
pub(crate) struct RegionSignature<'c> {
    pub(crate) function: Function<'c>,
    /// The number of the uniform slots; none for a kernel without stops.
    uniform_slots: Option<usize>,
}

impl<'c> RegionSignature<'c> {
    /// The parameters of a function with this number of uniform slots.
    pub(crate) fn of(function: Function<'c>, uniform_slots: usize) -> Self {
        RegionSignature { function, uniform_slots: Some(uniform_slots) }
    }

    /// Those of a kernel without stops.
    pub(crate) fn of_kernel(function: Function<'c>) -> Self {
        RegionSignature { function, uniform_slots: None }
    }

    /// Those of another function with the same parameters.
    pub(crate) fn with(self, function: Function<'c>) -> Self {
        RegionSignature { function, ..self }
    }

    /// The parameters, each with that of such a function.
    pub(crate) fn zip(self, other: Function<'c>) -> impl Iterator<Item = (Value<'c>, Value<'c>)> {
        self.function.parameters().into_iter().zip(other.parameters())
    }

    /// The types of the parameters for slots, which a body does not have before it is split.
    pub(crate) fn slot_types(module: &Module<'c>) -> [Type<'c>; SLOT_PARAMETERS] {
        let types = module.types();
        [types.ptr(0), types.i64(), types.i64(), types.i32()]
    }

    /// The block, x, y and z.
    pub(crate) fn position(self) -> [Value<'c>; 4] {
        position::position(self.function, self.uniform_slots.map_or(0, |slots| SLOT_PARAMETERS + slots))
    }

    /// The places of the parameters that differ by one from thread to thread: x, and the number of the thread in a
    /// region.
    pub(crate) fn affine(self) -> Vec<usize> {
        let count = self.function.parameters().len();
        match self.uniform_slots {
            None => vec![count - 3],
            Some(slots) => vec![count - slots - SLOT_PARAMETERS - 3, count - slots - 2],
        }
    }

    /// These parameters.
    pub(crate) fn affine_values(self) -> Vec<Value<'c>> {
        let parameters = self.function.parameters();
        self.affine().into_iter().map(|place| parameters[place]).collect()
    }

    /// The number of the thread, in a region.
    pub(crate) fn number(self) -> Value<'c> {
        self.affine_values()[1]
    }

    /// The parameters that differ between the threads of a block, in a region: x, y, z, and the number of the thread.
    pub(crate) fn own(self) -> [Value<'c>; 4] {
        let [_, x, y, z] = self.position();
        [x, y, z, self.number()]
    }

    /// The parameters from which the addresses of slots are computed.
    pub(crate) fn slots(self) -> SlotParameters<'c> {
        SlotParameters::of(self.function, self.affine()[1])
    }
}
