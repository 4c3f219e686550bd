//! Analyses. They compute facts about a module, and never change it.

pub mod constant_of;
pub mod control_flow;
pub mod convergence;
pub mod cycles;
pub mod declared_atomics;
pub mod declared_intrinsics;
pub mod divergence;
pub mod entry_points;
pub mod feature_guards;
pub mod feature_name;
pub mod frame;
pub mod gep_offset;
pub mod intrinsic_signature;
pub mod keep_heap;
pub mod kernel_signature;
pub mod lane_groups;
pub mod locals;
pub mod location;
pub mod loop_nest;
pub mod objects;
pub mod partition;
pub mod pointer_flow;
pub mod points_to;
pub mod reach;
pub mod recursion;
pub mod source_locations;
