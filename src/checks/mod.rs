//! Checks. They return diagnostics, and never change a module.

pub mod call_chain;
pub mod check_address_spaces;
pub mod check_arguments;
pub mod check_atomics;
pub mod check_builtins;
pub mod check_convergence;
pub mod check_device;
pub mod check_features;
pub mod check_foreign;
pub mod check_integer_widths;
pub mod check_intrinsic_types;
pub mod check_intrinsics;
pub mod check_kernel_table;
pub mod check_linkable;
pub mod check_locals;
pub mod check_stack_size;
pub mod check_statics;
pub mod check_support;
pub mod check_version;
pub mod explain_missing;
pub mod note_recursion;
