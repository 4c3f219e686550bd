//! The interfaces of the code to others than the runtime: the checker, libomptarget, a loader of shared objects; and
//! calls into the program.

pub(in crate::targets::cpu) mod checker;
pub(in crate::targets::cpu) mod host_calls;
pub(in crate::targets::cpu) mod omptarget;
pub(in crate::targets::cpu) mod own_calls;
pub(in crate::targets::cpu) mod standalone;
