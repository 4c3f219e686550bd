//! The commands of `cargo offloadc` that its help lists. Their help, manual pages and completions are made of the same
//! rows. A command that is not cargo's has its row in its own file.

use std::ffi::OsString;

use super::options::CARGOS;
use super::{bake, debug, doctor, new, profile, sanitize, setup};

/// A command, and the parts of its help.
#[derive(Debug)]
pub struct Described {
    /// The word after `cargo offloadc`.
    pub name: &'static str,
    /// A sentence without a period.
    pub does: &'static str,
    /// The words after the name.
    pub usage: &'static str,
    /// The rows of its options.
    pub options: &'static str,
    /// Paragraphs behind the options.
    pub notes: &'static str,
    /// The words after `cargo offloadc`.
    pub example: &'static str,
}

/// The first line of the help.
pub const ABOUT: &str = "Builds Cargo packages whose kernels run on GPUs and on the CPU";
/// The command line of all commands.
pub const USAGE: &str = "cargo offloadc <COMMAND> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]";

/// The options of the commands that build a package.
pub const OPTIONS: &str = "  \
  --offload-arch LIST      archs to compile kernels for [default: cpu]
  --emulate LIST           run the program on emulated GPUs of these archs, and compile kernels for them
  --offload-arch-optional LIST
                           more archs, which are left out with a warning if their code is refused
  --skip-refused-archs     leave out any arch whose code is refused, with a warning
  --device-panic HOW       the effect of a panic in a kernel: report, trap or unreachable
  --device-print           enable printing in kernels
  --device-stack BYTES     the stack of each thread for recursive functions on GPUs [default: 12288]
  --device-std             let kernels call the host for println!, std::io, std::time, std::env and std::fs
  --math HOW, --fast-math, --fp-contract HOW, --ftz
                           the accuracy of floating-point code
  --runtime NAME           the runtime of the program: offloadrt, omptarget or liboffload
  --remarks[=PASS,...]     say of each kernel how it is executed, and why not faster, with the line of the cause
  --offload-linker PROGRAM the compiler driver that links [default: cc]
  --offloadc=OPTION        any other option of offloadc
";

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
    does: "Builds the tests of a package and runs them",
    usage: WITH_ARGUMENTS,
    options: OPTIONS,
    notes: "`cargo test --help` lists cargo's options.\n",
    example: "test --emulate=sm_80,gfx1100",
};

const BENCH: Described = Described {
    name: "bench",
    does: "Builds the benchmarks of a package and runs them",
    usage: WITH_ARGUMENTS,
    options: OPTIONS,
    notes: "`cargo bench --help` lists cargo's options.\n",
    example: "bench --offload-arch=cpu:native",
};

const CHECK: Described = Described {
    name: "check",
    does: "Checks a package and its kernels without making code; so does `clippy`",
    usage: CARGOS_USAGE,
    options: OPTIONS,
    notes: "`cargo check --help` lists cargo's options. With `--message-format=json`, editors show the errors.\n",
    example: "check --tests --offload-arch=sm_80,gfx90a",
};

/// The commands, by what one wants to do.
pub const GROUPS: [(&str, &[&Described]); 4] = [
    ("Start", &[&new::DESCRIBED, &setup::DESCRIBED, &doctor::DESCRIBED]),
    ("Build", &[&BUILD, &RUN, &TEST, &BENCH, &bake::DESCRIBED]),
    ("Check", &[&CHECK, &sanitize::DESCRIBED]),
    ("Look", &[&debug::DESCRIBED, &profile::DESCRIBED]),
];

/// All commands of the list.
pub fn commands() -> impl Iterator<Item = &'static Described> {
    GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied())
}

impl Described {
    /// The text for `--help`.
    pub fn help(&self) -> String {
        let Self { name, does, usage, options, .. } = self;
        let usage = format!("{does}\n\nUsage: cargo offloadc {name} {usage}").trim_end().to_owned();
        let options = if options.is_empty() { String::new() } else { format!("Options:\n{options}\n") };
        format!("{usage}\n\n{options}{}", self.end())
    }

    /// What stands behind the options.
    pub fn end(&self) -> String {
        let notes = if self.notes.is_empty() { String::new() } else { format!("{}\n", self.notes) };
        format!("{notes}Example:\n  cargo offloadc {}\n", self.example)
    }

    /// Whether a command line begins with this command or cargo's short name for it.
    fn is(&self, word: &OsString) -> bool {
        let is_short = || word.len() == 1 && CARGOS.iter().any(|own| word == own);
        word == self.name
            || is_short() && word.to_str().is_some_and(|word| self.name.starts_with(word)) && self.is_cargos()
    }

    fn is_cargos(&self) -> bool {
        CARGOS.contains(&self.name)
    }
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
