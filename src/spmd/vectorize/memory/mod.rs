//! Accesses of memory by several threads at once, other than that of one element for each thread in a row.

pub(crate) mod access;
pub(crate) mod constant_tables;
pub(crate) mod interleaved;
pub(crate) mod selected_elements;
pub(crate) mod soa_arrays;
pub(crate) mod transposed;
