//! The options of `cargo offloadc` that are not cargo's, and words that a user may have meant as such.

use std::ffi::OsString;

use crate::diagnostics::nearest::{in_a_sentence, is_near, nearest};
use crate::job::UsageError;

/// The options that leave out archs.
pub(super) const SKIP_REFUSED: &str = "--skip-refused-archs";
pub(super) const OPTIONAL_ARCHS: &str = "--offload-arch-optional";

/// Options with a value that offloadc has under another name, or that have no meaning in a link.
pub(super) const OPTIONS_WITH_VALUE: [&str; 9] = [
    "--offload-arch",
    OPTIONAL_ARCHS,
    "--device-panic",
    "--device-stack",
    "--math",
    "--fp-contract",
    "--runtime",
    "--ptxas",
    "--offload-linker",
];
/// offloadc's options without a value.
pub(super) const OPTIONS: [&str; 5] = ["--device-print", "--device-std", "--fast-math", "--ftz", SKIP_REFUSED];

/// The option whose value, if there is one, follows its `=`.
pub(super) const REMARKS: &str = "--remarks";

/// Options of `cargo offloadc` itself.
const OWN: [&str; 2] = ["--emulate", "--offloadc"];

/// Cargo's commands that do not go on where LLVM is needed.
pub(super) const CARGOS: [&str; 11] = ["build", "b", "check", "c", "clippy", "run", "r", "test", "t", "bench", "rustc"];

/// Cargo's own options for these commands that look like one of ours.
const OF_CARGO: [&str; 4] = ["--all", "--path", "--frozen", "--print"];

/// The value of an option: the text after its `=`, or else the next word.
pub(super) fn value_of_option<'w>(
    name: &str,
    after_sign: Option<&str>,
    mut words: impl Iterator<Item = &'w OsString>,
) -> Result<String, UsageError> {
    let next = || words.next().map(|word| word.to_string_lossy().into_owned());
    let value = after_sign.map(str::to_owned).or_else(next);
    value.ok_or_else(|| UsageError::new(format!("`{name}` needs a value")))
}

/// Refuses an option that cargo does not have, and that is nearly one of ours: cargo would show its own usage. `before`
/// has the words in front of it, which decide whose option it is.
pub(super) fn refuse_misspelt(name: &str, before: &[OsString]) -> Result<(), UsageError> {
    let Some(word) = name.strip_prefix("--").filter(|word| !word.is_empty()) else { return Ok(()) };
    let is_cargos = before.first().is_some_and(|command| CARGOS.iter().any(|own| command == *own));
    if !word.starts_with("offload") && (!is_cargos || OF_CARGO.contains(&name) || belongs_to_program(before)) {
        return Ok(());
    }
    let all: Vec<&str> = OWN.into_iter().chain([REMARKS]).chain(OPTIONS_WITH_VALUE).chain(OPTIONS).collect();
    // `--arch` is the last word of `--offload-arch`.
    let ends = all.iter().filter(|option| option.ends_with(&format!("-{word}")) && word.len() > 2);
    let mut near: Vec<String> = ends.map(|option| (*option).to_owned()).collect();
    if near.is_empty() {
        near = nearest(name, &all);
        near.retain(|option| word.starts_with("offload") || is_near(word, option));
    }
    if near.is_empty() {
        return Ok(());
    }
    let error = UsageError::new(format!("`cargo offloadc` has no option `{name}`"));
    let error = in_a_sentence(&near).into_iter().fold(error, UsageError::help);
    Err(error.help("usage: cargo offloadc <build|run|test|bench|check|…> [OPTIONS] [CARGO'S OPTIONS] [-- ARGUMENTS]"))
}

/// Words for the device of a run, which is no option.
const DEVICE: [&str; 3] = ["--device", "--offload-device", "--gpu"];

/// Refuses an option for the device of a run: cargo would show its own usage.
pub(super) fn refuse_device(name: &str, before: &[OsString]) -> Result<(), UsageError> {
    let is_cargos = before.first().is_some_and(|command| CARGOS.iter().any(|own| command == *own));
    if !DEVICE.contains(&name) || !is_cargos || belongs_to_program(before) {
        return Ok(());
    }
    let error = UsageError::new(format!("`cargo offloadc` has no option `{name}`"));
    Err(error
        .help("a variable names the device that a program runs on, as in `OFFLOADRT_DEVICE=cuda:0 cargo offloadc run`")
        .help("`--offload-arch` names the archs that kernels are compiled for"))
}

/// Whether the words before an option end with one that is neither an option nor the value of one: after it, all words
/// of `run` are the program's.
pub(super) fn belongs_to_program(before: &[OsString]) -> bool {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    before.windows(2).any(|pair| !is_option(&pair[0]) && !is_option(&pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<String> {
        let words = crate::cargo::command_lines::words(line);
        let (last, before) = words.split_last().unwrap();
        let error = refuse_misspelt(last.to_str().unwrap(), before).err()?;
        Some(error.help[0].clone())
    }

    #[test]
    fn misspelt_options_have_the_nearest() {
        for (line, option) in [
            ("build --offload-arc", "--offload-arch"),
            ("build --arch", "--offload-arch"),
            ("nextest run --offload-arcs", "--offload-arch"),
            ("run --release --emulat", "--emulate"),
            ("run --bin app --device-prin", "--device-print"),
            ("test --linker", "--offload-linker"),
            ("check --run-time", "--runtime"),
            ("build --remark", "--remarks"),
        ] {
            let help = refused(line).unwrap_or_else(|| panic!("{line} is not refused"));
            assert!(help.contains(&format!("`{option}`")), "{line}: {help}");
        }
    }

    #[test]
    fn a_device_is_no_option() {
        let refused = |line: &str| {
            let words = crate::cargo::command_lines::words(line);
            let (last, before) = words.split_last().unwrap();
            refuse_device(last.to_str().unwrap(), before).is_err()
        };
        assert!(refused("run --device") && refused("test --release --gpu") && refused("bench --offload-device"));
        assert!(!refused("run --bin app file --device") && !refused("nextest run --device") && !refused("run --bin"));
    }

    #[test]
    fn options_of_cargo_and_of_programs_are_theirs() {
        for line in
            ["build --path", "build --all", "run --features", "run --bin app file --maths", "nextest run --emulat"]
        {
            assert_eq!(refused(line), None, "{line}");
        }
        let cargos = "--all-features --all-targets --bench --benches --bin --bins --color --doc --example --examples \
            --exclude --explain --future-incompat-report --ignore-rust-version --jobs --keep-going --lib --locked --lockfile-path \
            --manifest-path --message-format --no-default-features --no-fail-fast --no-run --offline --package --print --profile \
            --quiet --release --test --tests --timings --unit-graph --verbose --version --workspace --help --list --crate-type";
        for option in cargos.split_whitespace() {
            assert_eq!(refused(&format!("build {option}")), None, "{option}");
        }
    }
}
