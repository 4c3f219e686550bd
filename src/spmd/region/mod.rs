//! Regions: the code between two stops of a thread, and the memory for values that live across a stop.

pub(crate) mod barriers;
pub(crate) mod coalesce;
pub(crate) mod code_table;
pub(crate) mod exits;
pub(crate) mod hoist;
pub(crate) mod implicit_barriers;
pub(crate) mod internalize;
pub(crate) mod position;
pub(crate) mod signature;
pub(crate) mod slots;
pub(crate) mod split;
pub(crate) mod stops;
pub(crate) mod types;
pub(crate) mod uniform_slots;
pub(crate) mod versions;
