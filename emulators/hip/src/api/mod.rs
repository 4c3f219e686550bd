//! The functions of HIP's interface, with its own names and signatures (HIP API Reference).

pub mod device;
pub mod error;
pub mod event;
pub mod last_error;
pub mod launch;
pub mod memory;
pub mod module;
pub mod register;
pub(crate) mod state;
pub mod stream;
