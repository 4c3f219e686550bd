//! The rules of this repository, as tests. Each failure explains how to repair it.

mod crate_modules;
mod documents;
mod named_files;
mod passes;
mod rooms;
mod sizes;
mod source;
mod test_crates;
mod tuning;
mod walls;
mod wording;
