//! The stages: what happens between two of the names in `stage.rs`. `driver.rs` calls them in their order.

pub mod absent;
pub mod archs;
pub mod bundle;
pub mod cached;
pub mod device;
pub mod distribute;
pub mod exe;
pub mod host;
pub mod kept_module;
pub mod kernels;
pub mod legalize;
pub mod neutral;
mod neutral_entry;
mod neutral_parts;
pub mod parts;
pub mod read;
pub mod resolve;
pub mod resume;
pub mod run_pass;
pub mod runtime_library;
pub mod siblings;
pub mod simplify;
pub mod skip_refused;
pub mod slice_job;
pub mod split;
pub mod validate;
pub mod work;
