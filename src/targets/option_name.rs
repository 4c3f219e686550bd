//! Options as words of a command line.

use clap::ValueEnum;

/// The name of an option's value on the command line.
pub(super) fn option_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
