//! Panics: they are lowered to numbers and recorded, and the thread leaves its kernel.

pub mod hide_lines;
pub mod hoist_checks;
pub mod inline_panic_texts;
pub mod join_checks;
pub mod leave_after_barriers;
pub mod leave_as_waves;
pub mod lift_checks;
pub mod lower_panics;
pub mod lower_thread_exit;
pub mod merge_panics;
pub mod name_callers;
pub mod number_panics;
pub mod report_host_calls;
pub mod report_masks;
pub mod report_panics;
pub mod report_stack;
pub mod require_lanes;
pub mod resolve_panics;
