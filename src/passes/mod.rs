//! Passes: one file, one public verb each. The order is `driver.rs`'s; no target's name stands here.
//!
//! A pass takes a module and what it needs, and returns what changed or the diagnostics it found. After each the
//! module is valid for LLVM's verifier.

pub mod absolute_tables;
pub mod call_chain;
pub mod check_builtins;
pub mod check_convergence;
pub mod check_device;
pub mod check_intrinsics;
pub mod check_statics;
pub mod check_support;
pub mod constant_of;
pub mod control_flow;
pub mod define_host_builtins;
pub mod divergence;
pub mod drop_prints;
pub mod expand_arithmetic;
pub mod expand_conversions;
pub mod explain_missing;
pub mod find_kernels;
pub mod float_rules;
pub mod fold_answers;
pub mod infer_address_spaces;
pub mod intrinsic_signature;
pub mod kernel_signature;
pub mod launch_bounds;
pub mod legalize;
pub mod link_math;
pub mod link_text;
pub mod locals;
pub mod location;
pub mod lower_builtins;
pub mod lower_fences;
pub mod lower_function_pointers;
pub mod lower_intrinsics;
pub mod lower_kernel_abi;
pub mod lower_math;
pub mod lower_memory_functions;
pub mod mark_convergent;
pub mod name_math;
pub mod panics;
pub mod place_allocas;
pub mod place_globals;
mod pointer_flow;
mod points_to;
pub mod reach;
pub mod repair_convergence;
pub mod resolve;
pub mod retype_pointers;
pub mod simplify;
mod specialize;
pub mod split;
pub mod split_aggregates;
pub mod split_copies;
pub mod split_integers;
pub mod split_products;
pub mod translate_host;
