//! Calls that a device does not support: through pointers, recursive, with structs, by another type.

pub mod copy_byval;
pub mod end_mistyped_calls;
pub mod lower_function_pointers;
pub mod lower_recursion;
pub mod pass_in_memory;
