//! Functions that one pass defines in the device module and another looks for, by name.

/// The function that is called where a frame does not fit. Only targets without a stack keep it.
pub const STACK_FULL: &str = "offload_stack_full";

/// The function that is called in the place of one that is not device code. Only targets in the host's process keep it.
pub const HOST_CALL: &str = "offload_host_call";

/// `void offload_lane_panic(uint32_t fault, uint32_t place, uint64_t lane, uint64_t other)` panics: not all lanes of a mask can do
/// together what they are to do.
pub const LANE_PANIC: &str = "offload_lane_panic";

/// The function that writes a panic's record: into its first argument, the others as numbers.
pub const RECORD: &str = "offload_record";
