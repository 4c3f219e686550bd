//! Instructions that compute a value for each active lane: the rows of the tables, and their execution.

pub(crate) mod carry;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod cross;
pub(crate) mod division;
pub(crate) mod execute;
pub(crate) mod float16;
pub(crate) mod float32;
pub(crate) mod float64;
pub(crate) mod gathered;
pub(crate) mod integer;
pub(crate) mod integer16;
pub(crate) mod lanes;
pub(crate) mod mixed;
pub(crate) mod op;
pub(crate) mod packed;
pub(crate) mod rounding;
pub(crate) mod sub_dword;
pub(crate) mod transcendental;

pub(crate) use op::{Compute, Kind, Known, Rule, Sources, VectorOp};

/// All rows, for the table by mnemonic.
pub(crate) fn rows() -> impl Iterator<Item = &'static VectorOp> {
    let tables: [&[VectorOp]; 9] = [
        integer::OPS,
        integer16::OPS,
        convert::OPS,
        division::OPS,
        float16::OPS,
        float32::OPS,
        float64::OPS,
        transcendental::OPS,
        integer::BIT_OPS,
    ];
    tables.into_iter().flatten()
}
