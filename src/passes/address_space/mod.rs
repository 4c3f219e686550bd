//! The address spaces of pointers, statics and local variables.

pub mod align_memory;
pub mod compare_as_numbers;
pub mod declare_shared_arrays;
pub mod infer_address_spaces;
pub mod keep_null;
pub mod place_allocas;
pub mod place_globals;
pub mod retype_pointers;
pub mod specialize;
