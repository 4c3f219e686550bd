//! Debug information: variables of code that is not optimised, and lines for profiles.

pub mod keep_variables;
pub mod locate_glue;
pub mod show_user_lines;
