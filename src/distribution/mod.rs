//! The jobs of archs as files, for compilation in other processes and on other machines.
//!
//! A job is a function of a [`Slice`] and an arch. A [`Distributor`] is a program that runs all jobs of a
//! build. It gets their names in the JSON of LLVM's protocol for distributed compilation (DTLTO).

mod diagnostic_fields;
mod distributor;
mod generic;
mod job_list;
mod kernel_fields;
mod slice;
mod stage_state;

pub use distributor::{Distributor, JobFiles};
pub use generic::{GenericImage, LinkableFunctions, NotGeneric, NotLinkable, Producer, VERSION as GENERIC_VERSION};
pub use slice::{NotSlice, Slice, SliceModule, SliceOptions};
pub use stage_state::{METADATA, NotState, StageState};
