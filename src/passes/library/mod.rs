//! Library functions: math, memory, allocation.

pub mod call_host_std;
pub mod end_formatting;
pub mod fix_hash_keys;
pub mod float_rules;
pub mod link_device_bitcode;
pub mod link_math;
pub mod lower_allocation;
pub mod lower_fast_functions;
pub mod lower_math;
pub mod lower_memory_functions;
pub mod match_call_types;
pub mod name_math;
pub mod take_float_rules;
