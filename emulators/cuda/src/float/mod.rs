//! Floating-point arithmetic as the PTX ISA defines it: IEEE 754 operations in all four rounding modes, in formats that
//! the host has and in those that it lacks.

mod approximate;
mod exact;
mod format;

pub(crate) use approximate::{approximate, approximate_half, divide_approximately};
pub(crate) use exact::{Operation, directed64, odd};
pub(crate) use format::{BF16, F16, F32, Format, Rounding, TF32, round_to};
