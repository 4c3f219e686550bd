//! Passes on the code of one thread before it is split into regions.

pub(crate) mod full_masks;
pub(crate) mod inline_short;
pub(crate) mod inline_stops;
pub(crate) mod phis_to_selects;
pub(crate) mod unroll;
