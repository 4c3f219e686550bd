//! Which memory a pointer, a static or a variable is in.

pub mod infer_address_spaces;
pub mod keep_null;
pub mod place_allocas;
pub mod place_globals;
pub mod retype_pointers;
pub mod specialize;
