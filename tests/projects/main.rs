//! Cargo projects in subfolders, built by `cargo offloadc` and run: the Rust API, its documentation and examples,
//! published crates in kernels, and workspaces.

mod aarch64;
mod api;
mod archive;
mod baked;
mod check;
mod cmake;
mod compile_errors;
mod crates;
mod debug;
mod device_bitcode;
mod device_std;
mod documentation;
mod emulate;
mod examples;
mod hostile;
mod install;
mod launchers;
mod levels;
mod linker;
mod manual;
mod omptarget;
mod package;
mod panics;
mod plain;
mod plugin;
mod profile;
mod publish;
mod rows;
mod sanitize;
mod shells;
mod trace;
