//! Code that depends on the version of Rust's standard library: names and signatures of its functions.
//!
//! If a new rustc moves or renames one of them, the change is here.

pub mod allocator;
pub mod demangle;
pub mod device_std;
pub mod feature_detection;
pub mod format_template;
pub mod formatting;
pub mod host_only;
pub mod mangle;
pub mod owner;
pub mod panic_messages;
pub mod panics;
