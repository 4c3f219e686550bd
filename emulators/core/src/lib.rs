//! The part that the emulated GPUs of all vendors share: memory that keeps track of its allocations and of its written
//! bits, rules for values that are partly undefined, schedules, reports and options.

pub mod bits;
pub mod extreme;
pub mod fault;
pub mod frames;
pub mod memory;
pub mod options;
pub mod profile;
pub mod report;
pub mod schedule;
pub mod segment;

pub use fault::{Fault, FaultKind, Kind};
pub use frames::{Frame, Frames, Place};
pub use memory::{Cache, Memory, View};
pub use options::Options;
pub use profile::Counter;
pub use report::{Count, Other, Report};
pub use schedule::{Random, Schedule};
pub use segment::Segment;
