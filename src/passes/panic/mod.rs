//! What becomes of panics: cut off, numbered, recorded, and how a thread leaves its kernel.

pub mod cut_panics;
pub mod inline_panic_texts;
pub mod leave_by_returning;
pub mod merge_panics;
pub mod report_host_calls;
pub mod report_masks;
pub mod report_panics;
pub mod report_stack;
pub mod settle_panics;
