//! Host modules: marker calls, stand-ins, builtins for a single thread.

pub mod define_host_builtins;
pub mod device_functions;
pub mod drop_stand_ins;
pub mod host_functions;
pub mod link_functions;
pub mod marks;
