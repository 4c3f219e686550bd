//! The host's modules: marker calls, stand-ins, builtins with one thread.

pub mod define_host_builtins;
pub mod device_functions;
pub mod drop_stand_ins;
pub mod marks;
