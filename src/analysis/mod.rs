//! What can be known of a module: nothing here changes one.

pub mod called_untested;
pub mod constant_of;
pub mod control_flow;
pub mod cut_graph;
pub mod cycles;
pub mod divergence;
pub mod empty_assembly;
pub mod intrinsic_signature;
pub mod keep_heap;
pub mod kernel_signature;
pub mod locals;
pub mod location;
pub mod loop_nest;
pub mod pointer_flow;
pub mod points_to;
pub mod reach;
