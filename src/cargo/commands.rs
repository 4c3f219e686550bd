//! The commands of `cargo offloadc` that its help lists. A command that is not cargo's has its row in its own file.

use std::ffi::OsString;

pub use super::described::{Described, OPTIONS};
use super::{bake, debug, doctor, images, new, profile, sanitize, setup};

/// The first line of the help.
pub const ABOUT: &str = "Builds Cargo packages whose kernels run on GPUs and on the CPU";
/// The command line of all commands.
pub const USAGE: &str = "cargo offloadc <COMMAND> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]";

const CARGOS_USAGE: &str = "[OPTIONS] [CARGO'S OPTIONS]";
const WITH_ARGUMENTS: &str = "[OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]";

const BUILD: Described = Described {
    name: "build",
    does: "Builds a package",
    usage: CARGOS_USAGE,
    options: OPTIONS,
    notes: "`cargo build --help` lists cargo's options. Programs are written to `offloadc/<target>/` in cargo's target \
            folder.\n",
    example: "build --release --offload-arch=cpu,sm_80,gfx90a",
};

const RUN: Described = Described {
    name: "run",
    does: "Builds a program and runs it",
    usage: WITH_ARGUMENTS,
    options: OPTIONS,
    notes: "`cargo run --help` lists cargo's options. The program runs on the device that `OFFLOADRT_DEVICE` names \
            [default: cpu].\n",
    example: "run --release --offload-arch=native",
};

const TEST: Described = Described {
    name: "test",
    does: "Builds the tests of a package and runs them; `bench` does so with benchmarks",
    usage: WITH_ARGUMENTS,
    options: OPTIONS,
    notes: "`cargo test --help` lists cargo's options.\n",
    example: "test --emulate=sm_80,gfx1100",
};

const CHECK: Described = Described {
    name: "check",
    does: "Checks a package and its kernels without making code; so does `clippy`",
    usage: CARGOS_USAGE,
    options: OPTIONS,
    notes: "`cargo check --help` lists cargo's options. With `--message-format=json`, editors show the errors.\n",
    example: "check --tests --offload-arch=sm_80,gfx90a",
};

/// The commands, grouped by purpose.
pub const GROUPS: [(&str, &[&Described]); 4] = [
    ("Start", &[&new::DESCRIBED, &setup::DESCRIBED, &doctor::DESCRIBED]),
    ("Build", &[&BUILD, &RUN, &TEST, &bake::DESCRIBED, &images::DESCRIBED]),
    ("Check", &[&CHECK, &sanitize::DESCRIBED]),
    ("Look", &[&debug::DESCRIBED, &profile::DESCRIBED]),
];

/// All commands of the list.
pub fn commands() -> impl Iterator<Item = &'static Described> {
    GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied())
}

/// The text for a missing command.
pub fn list() -> String {
    let width = commands().map(|command| command.name.len()).max().unwrap_or_default();
    let row = |command: &&Described| format!("  {:width$}  {}\n", command.name, command.does);
    let group = |(name, commands): &(&str, &[&Described])| {
        format!("{name}:\n{}\n", commands.iter().map(row).collect::<String>())
    };
    let groups: String = GROUPS.iter().map(group).collect();
    format!(
        "{ABOUT}\n\nUsage: {USAGE}\n\n{groups}`cargo offloadc help COMMAND` shows its options. All other commands are \
         cargo's.\n"
    )
}

/// The text that a command line asks for; none if it is to do something.
pub fn help(arguments: &[OsString]) -> Option<String> {
    let asks = |word: &OsString| word == "--help" || word == "-h";
    let (first, rest) = arguments.split_first()?;
    if asks(first) || first == "help" && rest.is_empty() {
        return Some(format!("{}\nOptions of the commands that build:\n{OPTIONS}", list()));
    }
    if first == "help" {
        return commands().find(|command| command.is(&rest[0])).map(Described::help);
    }
    let command = commands().find(|command| command.is(first))?;
    // After other words, cargo or the program answers.
    let own = if command.is_cargos() { 1 } else { rest.len() };
    rest.iter().take(own).take_while(|word| *word != "--").any(asks).then(|| command.help())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Option<String> {
        help(&crate::cargo::command_lines::words(line))
    }

    #[test]
    fn the_list_is_short() {
        assert!(commands().count() <= 12);
        let text = list();
        assert!(text.lines().all(|line| line.chars().count() <= 100) && text.lines().count() <= 25, "{text}");
    }

    #[test]
    fn help_is_of_the_command_that_is_named() {
        for (line, command) in [
            ("build --help", "build"),
            ("b -h", "build"),
            ("r --help", "run"),
            ("help test", "test"),
            ("debug app --help", "debug"),
            ("new --help", "new"),
        ] {
            let usage = format!("Usage: cargo offloadc {command} ");
            assert!(asked(line).is_some_and(|text| text.contains(&usage)), "{line}");
        }
        for line in ["", "run file --help", "debug -- --help", "help metadata", "clippy --help", "d --help"] {
            assert_eq!(asked(line), None, "{line}");
        }
        assert!(asked("--help").is_some_and(|text| text.starts_with(&list()) && text.ends_with(OPTIONS)));
    }

    #[test]
    fn examples_have_options_of_their_commands() {
        for command in commands() {
            assert_eq!(command.example.split(' ').next(), Some(command.name));
            let options = command.example.split([' ', '=']).filter(|word| word.starts_with("--"));
            for option in options.filter(|option| !["--release", "--tests", "--lib"].contains(option)) {
                assert!(command.help().replacen(command.example, "", 1).contains(option), "{}: {option}", command.name);
            }
        }
    }
}
