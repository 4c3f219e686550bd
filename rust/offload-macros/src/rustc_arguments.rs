//! The command line of the rustc that expands a macro: a procedural macro runs in its process.
//!
//! A condition (`--cfg`), a feature of the processor and the check for overflow decide the meaning of code, and no
//! macro can ask for those whose names it does not know.

use std::fs;
use std::path::PathBuf;

use crate::unlaunched::CONDITION;

/// The arguments, with those of response files (`@FILE`).
pub(crate) fn arguments() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let expand = |word: String| match word.strip_prefix('@').map(fs::read_to_string) {
        Some(Ok(text)) => text.lines().map(str::to_owned).collect(),
        _ => vec![word],
    };
    words.flat_map(expand).collect()
}

/// The values of an option with these spellings: `-C VALUE`, `-CVALUE`, `--codegen VALUE` and `--codegen=VALUE`.
fn values<'a>(words: &'a [String], short: Option<&str>, long: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == long || short == Some(word.as_str()) {
            found.extend(words.next().map(String::as_str));
        } else if let Some(value) = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
            found.push(value);
        } else if let Some(value) = short.and_then(|short| word.strip_prefix(short)) {
            found.push(value);
        }
    }
    found
}

/// The folders in which rustc has found the crates that this one depends on.
pub(crate) fn library_folders() -> Vec<PathBuf> {
    let words = arguments();
    let named = values(&words, Some("-L"), "--library-path").into_iter();
    let named = named.map(|value| PathBuf::from(value.split_once('=').map_or(value, |(_, folder)| folder)));
    let files = values(&words, None, "--extern").into_iter().filter_map(|value| Some(value.split_once('=')?.1));
    let mut folders: Vec<_> =
        named.chain(files.filter_map(|file| Some(PathBuf::from(file).parent()?.to_owned()))).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The conditions that decide the meaning of a crate's code together with its source, one a line: its name, a tab, its
/// value. Features of the package are not among them, and neither are conditions that rustc sets by itself.
pub(crate) fn conditions(words: &[String]) -> String {
    let codegen = values(words, Some("-C"), "--codegen");
    let last = |name: &str| {
        let value = |option: &&str| Some(option.strip_prefix(name)?.strip_prefix('=').unwrap_or_default().to_owned());
        codegen.iter().rev().find(|option| option.split('=').next() == Some(name)).and_then(value)
    };
    let is_on = |value: String| !["n", "no", "off", "false"].contains(&value.as_str());
    let is_optimised = last("opt-level").map_or(words.iter().any(|word| word == "-O"), |level| level != "0");
    let asserts = last("debug-assertions").map_or(!is_optimised, is_on);
    let overflow = last("overflow-checks").map_or(asserts, is_on);
    let mut lines: Vec<String> = values(words, None, "--cfg")
        .into_iter()
        // The others are those of `cargo offloadc bake` and `check` themselves.
        .filter(|cfg| !cfg.starts_with("feature=") && *cfg != "offload_bake" && *cfg != CONDITION)
        .map(|cfg| format!("the condition `--cfg {}`\ton", cfg.replace(['\t', '\n'], " ")))
        .collect();
    for (name, value) in [("`debug-assertions`", asserts), ("`overflow-checks`", overflow)] {
        lines.push(format!("{name}\t{}", if value { "on" } else { "off" }));
    }
    let features: Vec<_> = codegen.iter().filter_map(|option| option.strip_prefix("target-feature=")).collect();
    let cpu = last("target-cpu").unwrap_or_default();
    for (name, value) in [("`target-feature`", features.join(",")), ("`target-cpu`", cpu)] {
        lines.extend((!value.is_empty()).then(|| format!("{name}\t`{value}`")));
    }
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> String {
        conditions(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn conditions_are_those_of_the_command_line() {
        let dev = "`debug-assertions`\ton\n`overflow-checks`\ton";
        let release = "`debug-assertions`\toff\n`overflow-checks`\toff";
        assert_eq!(of("--crate-name a src/lib.rs"), dev);
        assert_eq!(of("-C opt-level=3 --cfg feature=\"x\" --cfg=offload_bake"), release);
        assert_eq!(of("-Copt-level=0"), dev);
        assert_eq!(of("-O"), release);
        assert_eq!(of("-C opt-level=3 -C debug-assertions=on"), dev);
        assert_eq!(of("-Copt-level=3 -C debug-assertions --codegen overflow-checks=off -Coverflow-checks=on"), dev);
        assert_eq!(
            of("--codegen=opt-level=s -C overflow-checks=yes"),
            "`debug-assertions`\toff\n`overflow-checks`\ton"
        );
        let all = "--cfg b --cfg a=\"1\" -Ctarget-cpu=native -C target-feature=+avx2 -C target-feature=-sse3 -O";
        let wanted = "the condition `--cfg a=\"1\"`\ton\nthe condition `--cfg b`\ton";
        assert_eq!(
            of(all),
            format!(
                "`debug-assertions`\toff\n`overflow-checks`\toff\n`target-cpu`\t`native`\n`target-feature`\t`+avx2,-sse3`\n{wanted}"
            )
        );
    }
}
