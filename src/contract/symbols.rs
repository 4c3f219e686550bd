//! Names of functions and of a section that one pass defines in the device module and another one looks up, and of a
//! section that one link writes and a later one reads.

/// The section of a shared library for Rust programs (`dylib`) with the bitcode of its crates: an archive.
pub const BODIES_SECTION: &str = ".offload.bodies";

/// The function that is called if a frame does not fit. Only targets without a hardware stack keep it.
pub const STACK_FULL: &str = "offload_stack_full";

/// The function that replaces a call of host code. Only targets that run in the host's process keep it.
pub const HOST_CALL: &str = "offload_host_call";

/// The function that calls the host through a mailbox. On the CPU, the call is a direct one instead.
pub const HOST_MAILBOX: &str = "__offload_host_mailbox";

/// `void offload_lane_panic(uint32_t fault, uint32_t place, uint64_t lane, uint64_t other)` panics, because the lanes
/// of a mask cannot execute an operation together.
pub const LANE_PANIC: &str = "offload_lane_panic";

/// `uint64_t offload_lanes_gone(uint64_t own)` returns all lanes that have returned, according to one of the active
/// lanes.
pub const LANES_GONE: &str = "offload_lanes_gone";

/// The function that writes the record of a panic. The first argument is the record's address, the others are numbers.
pub const RECORD: &str = "offload_record";

/// The constants with the number of messages and of locations in the parts of the device code before this part.
pub const MESSAGES_BEFORE: &str = "offload_messages_before";
/// See [`MESSAGES_BEFORE`].
pub const PLACES_BEFORE: &str = "offload_places_before";

/// The prefix of a dispatcher's name: it calls one of several functions, by a pointer. Call paths leave it out.
pub const CALL_THROUGH_POINTER: &str = "call_through_pointer";

/// The section of the symbols that represent lines and columns between `hide_lines` and `restore_lines`. No variable of
/// a user is in it, because `strip_host` removes sections other than the contract's.
pub const HIDDEN_NUMBERS: &str = ".offload.hidden_numbers";

/// The function that returns the address of a function by its number. Call paths leave it out.
pub const FUNCTION_LOOKUP: &str = "offload_function_pointer";

/// The constant with the addresses of the functions that the program passes as values, in the order of their numbers.
pub const FUNCTION_TABLE: &str = "offload_functions";

/// The entry of a module with only these functions, of which the generic image has one for kernels of other objects. No
/// launch has this name, because the module is no image of an arch.
pub const FUNCTIONS_ENTRY: &str = "offload_functions_entry";

/// Whether a section is one of stand-ins for builtins, in programs that offloadc has not compiled. offloadc replaces
/// them by its own definitions. The name may end with that of the builtin.
pub fn is_stand_in_section(name: &str) -> bool {
    name.strip_prefix(".text.offload.stand_in").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
