//! The cache: outputs of earlier compilations, in files that are named by a hash of all that decides them.
//!
//! A [`Key`] has the facts that decide an output, and [`Cache`] keeps the files. A cache that cannot be used costs time
//! and one warning, and never an output.

pub mod bytes;
pub mod entry;
pub mod image;
mod key;
mod remote;
mod store;
mod uses;

pub use key::Key;
pub use remote::Remote;
pub use store::{Cache, LIMIT, Stats, Subject};
