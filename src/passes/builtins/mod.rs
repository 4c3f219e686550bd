//! The device contract's builtins: their bodies, queries, and intrinsics by name.

pub mod describe_intrinsics;
pub mod drop_prints;
pub mod fold_features;
pub mod fold_query;
pub mod link_text;
pub mod lower_builtins;
pub mod lower_intrinsics;
