//! `offloadc-pages FOLDER`: writes manual pages and completions for bash, zsh and fish to `FOLDER/share`, in the places
//! where these programs look for them. `make install` runs it; it is not installed itself.
//!
//! Everything is made from the definitions that parse command lines, and from the help of `cargo offloadc`.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::Shell;
use offloadc::cargo::commands;
use offloadc::cli::options::{ONE_DASH, Options};
use offloadc::stage::Stage;
use offloadc::targets::{NATIVE, PORTABLE, TARGETS};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [folder] = &arguments[..] else {
        eprintln!("usage: offloadc-pages FOLDER");
        return ExitCode::from(2);
    };
    match write_all(&Path::new(folder).join("share")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all(share: &Path) -> Result<()> {
    let manual = share.join("man/man1");
    for command in [Options::described(), cargo_offloadc(), offloadc_ld()] {
        write_manual(&manual, command)?;
    }
    let shells = [
        (Shell::Bash, "bash-completion/completions/", ""),
        (Shell::Zsh, "zsh/site-functions/_", ""),
        (Shell::Fish, "fish/vendor_completions.d/", ".fish"),
    ];
    for command in [with_values(Options::described()), cargo_offloadc()] {
        for (shell, before, after) in shells {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), command.get_name(), &mut text);
            let path = share.join(format!("{before}{}{after}", command.get_name()));
            let mut text = with_one_dash(String::from_utf8(text)?, shell);
            if shell == Shell::Fish {
                text = after_inputs(&text, &command);
            }
            write(&path, &text)?;
        }
    }
    Ok(())
}

/// A page for the command, and one for each of its subcommands.
fn write_manual(folder: &Path, mut command: Command) -> Result<()> {
    command = command.disable_help_subcommand(true).version(env!("CARGO_PKG_VERSION"));
    command.build();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        let page = clap_mangen::Man::new(command.clone());
        let mut text = Vec::new();
        page.render(&mut text)?;
        let path = folder.join(page.get_filename());
        write(&path, &as_manual(String::from_utf8(text)?))?;
        commands.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().expect("each file is in a folder of its own kind");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| format!("cannot write `{}`: {error}", path.display()).into())
}

/// The options that are typed like those of clang: `-MD`.
fn with_one_dash(mut text: String, shell: Shell) -> String {
    for name in ONE_DASH {
        text = match shell {
            // Its word for a long option with one dash is "old", and `#` begins a comment.
            Shell::Fish => text.replace(&format!(" -l {name} "), &format!(" -o '{name}' ")),
            _ => text.replace(&format!("--{name}"), &format!("-{name}")),
        };
    }
    text
}

/// For fish, completes options after inputs, too: the first word is a command only if it is the name of one. Its parser
/// of options does not accept `###`.
fn after_inputs(text: &str, command: &Command) -> String {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    text.replace("if set -q argv[1]", &format!("if contains -- \"$argv[1]\" {}", names.join(" "))).replacen(
        "    or return\n",
        "    or return 0\n",
        1,
    )
}

/// The same in a manual page, whose text is ASCII, so that it depends on no locale.
fn as_manual(mut text: String) -> String {
    for name in ONE_DASH {
        text = text.replace(&format!("\\-\\-{name}"), &format!("\\-{name}"));
    }
    text = text.replace('…', "...");
    let escaped = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    text.chars().map(escaped).collect()
}

/// Adds the values that a shell can offer, although the option accepts more: archs with features, stages with paths.
fn with_values(mut command: Command) -> Command {
    let archs: Vec<&str> =
        TARGETS.iter().flat_map(|target| target.archs()).copied().chain([NATIVE, PORTABLE]).collect();
    for name in ["offload_arch", "offload_arch_optional"] {
        command = command.mut_arg(name, |arg| arg.value_parser(PossibleValuesParser::new(&archs)));
    }
    let stages: Vec<&str> = Stage::all().map(Stage::name).collect();
    command = command.mut_arg("emit", |arg| arg.value_parser(PossibleValuesParser::new(stages)));
    for name in ["inputs", "output", "extern_rlib", "ptxas", "lld", "rustc_llvm", "depfile_path", "time_trace"] {
        command = command.mut_arg(name, |arg| arg.value_hint(ValueHint::FilePath));
    }
    command
}

/// `cargo offloadc` as its help describes it. Cargo's own options are not in it.
fn cargo_offloadc() -> Command {
    let command = Command::new("cargo-offloadc")
        .bin_name("cargo offloadc")
        .about(commands::ABOUT)
        .override_usage(commands::USAGE)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .args(arguments(commands::OPTIONS));
    command.subcommands(commands::commands().map(|described| {
        Command::new(described.name)
            .about(described.does)
            .override_usage(format!("cargo offloadc {} {}", described.name, described.usage))
            .args(arguments(described.options))
            .after_help(described.end())
    }))
}

/// The options in rows of a help text.
fn arguments(options: &'static str) -> Vec<Arg> {
    let mut all = Vec::new();
    for (names, help) in options_of(options) {
        // The short name belongs to the long one.
        all.extend(names.split(", ").filter(|option| option.starts_with("--")).map(|option| argument(option, &help)));
    }
    all
}

/// The rows of options: the names, and their text, which may continue on further lines.
fn options_of(help: &'static str) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    for line in help.lines() {
        match (line.strip_prefix("  -"), rows.last_mut()) {
            (Some(_), _) => rows.push(names_and_text(line)),
            (None, Some(last)) => last.1 = format!("{} {}", last.1, line.trim()).trim().to_owned(),
            (None, None) => {}
        }
    }
    rows
}

/// The names and the text of a line. The text begins at a fixed column, or on the next line if the names are longer.
fn names_and_text(line: &'static str) -> (&'static str, String) {
    const COLUMN: usize = 27;
    let parts = line.split_at_checked(COLUMN).filter(|(names, _)| names.ends_with(' ') && !names.trim().ends_with(','));
    let (names, text) = parts.unwrap_or((line, ""));
    (names.trim(), text.trim().to_owned())
}

/// An option from `--name VALUE`, `--name=VALUE` or, if it may be without a value, `--name[=VALUE]`.
fn argument(option: &'static str, help: &str) -> Arg {
    let optional = option.strip_suffix(']').and_then(|option| option.split_once("[="));
    let split = optional.or_else(|| option.split_once([' ', '=']));
    let (name, value) = split.map_or((option, None), |(name, value)| (name, Some(value)));
    let name = name.trim_start_matches('-');
    let arg = Arg::new(name).long(name).help(help.to_owned());
    match value {
        Some(value) if optional.is_some() => {
            arg.value_name(value).action(ArgAction::Append).num_args(0..=1).require_equals(true)
        }
        Some(value) => arg.value_name(value).action(ArgAction::Append),
        None => arg.action(ArgAction::SetTrue),
    }
}

/// `offloadc-ld`, whose command line is otherwise that of a linker or compiler driver.
fn offloadc_ld() -> Command {
    let own = [
        ("--offload-arch=LIST", "Archs to compile kernels for, as for offloadc(1)"),
        ("--offload-linker=PROGRAM", "The compiler driver that links [default: `OFFLOADC_LINKER`, or else cc]"),
        ("--offloadc=OPTION", "Any other option of offloadc(1)"),
    ];
    Command::new("offloadc-ld")
        .about("Links a program whose modules are bitcode, and compiles its kernels")
        .long_about(
            "A linker for rustc (`-C linker=offloadc-ld -C linker-plugin-lto`), which compiles the bitcode among its \
             files like offloadc(1), and starts the real linker with the objects. All other arguments are the real \
             linker's.",
        )
        .override_usage("offloadc-ld [OPTIONS] <ARGUMENTS OF A LINKER>...")
        .args(own.map(|(option, help)| argument(option, help)))
        .disable_help_flag(true)
}
