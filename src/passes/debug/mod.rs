//! Debug information of code that is not optimised.

pub mod keep_variables;
