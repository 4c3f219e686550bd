//! What is tied to a version of Rust's standard library: names and forms of its functions.
//!
//! A new rustc that moves or renames one of them is met here.

pub mod allocator;
pub mod demangle;
pub mod host_only;
pub mod panic_messages;
pub mod panics;
