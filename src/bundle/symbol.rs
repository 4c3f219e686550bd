//! A symbol of an object that is being written.

use object::write::SymbolId;

/// A symbol of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol(pub(super) SymbolId);
