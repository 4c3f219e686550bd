//! Options: the parsed command line. This file opens no file and looks nothing up; see `job.rs`.
//!
//! Long options may also be typed with one dash, as clang and LLVM's tools allow: `-MD`, `-save-temps`, `-###`.

use super::bundle_arguments::BundleArguments;
use super::cache_arguments::CacheArguments;
use super::command::Command;
use super::command_line_end::CommandLineEnd;
use super::device_code_arguments::DeviceCodeArguments;
use super::distribution_arguments::DistributionArguments;
use super::host_arguments::HostArguments;
use super::pass_arguments::PassArguments;
use crate::bundle::Runtime;
use crate::contract::panic_table::DevicePanic;
use crate::diagnostics::ColorChoice;
use crate::llvm::OptLevel;
use crate::stage::Stage;
use crate::targets::TargetOptions;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The command line of `offloadc`.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "offloadc",
    about = "Compiles the GPU kernels of an ordinary host program, from the LLVM IR that rustc writes",
    long_about = LONG_ABOUT,
    override_usage = "offloadc [OPTIONS] <INPUT>... -o <FILE>\n       offloadc inspect <FILE> [--json]\n       offloadc inspect --diff <OLD> <NEW>\n       offloadc cache <stats|clear>\n       offloadc finish <FILE> --offload-arch=<ARCH> -o <FILE>\n       offloadc add <FILE> --offload-arch=<LIST>\n       offloadc strip <FILE> --keep=<LIST>\n       offloadc job <SLICE> --offload-arch=<ARCH> -o <FILE>",
    max_term_width = 100,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    disable_version_flag = true
)]
pub struct Options {
    /// Inspect a file instead of compiling.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Bitcode, IR text, or an object that contains bitcode; `-` is standard input; archives as for `--extern-rlib`
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// Write the output to FILE; `-` is standard output [default: the first input's name with `.o`]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Archs to compile kernels for: `cpu`, `sm_80`, `gfx90a:xnack+`, … [default: cpu]
    ///
    /// The list is separated by commas, and the option can be repeated. `native` is the devices of this machine, and
    /// `portable` a set for most devices. `--print-targets` lists all archs, and levels of processors (`cpu:all`).
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub offload_arch: Vec<String>,

    /// More archs, each of which is left out, with a warning, if its code is refused
    ///
    /// Their errors become warnings, unless an arch of `--offload-arch` is refused, too; one in both may be left out.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub offload_arch_optional: Vec<String>,

    /// Leave out archs whose code is refused, with a warning; an error if no arch remains
    ///
    /// This makes all archs of `--offload-arch` optional. `-Werror=skipped-arch` makes each arch that is left out an
    /// error.
    #[arg(long)]
    pub skip_refused_archs: bool,

    /// Options of one target's images.
    #[command(flatten)]
    pub target_options: TargetOptions,

    /// The runtime that the object registers its images with
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Runtime::Offloadrt)]
    pub runtime: Runtime,

    /// The form of the images in the object.
    #[command(flatten)]
    pub bundle: BundleArguments,

    /// The effect of a panic in a kernel [default: report; trap with the runtimes cuda, hip, mgpu and none]
    #[arg(long, value_name = "HOW", value_enum)]
    pub device_panic: Option<DevicePanic>,

    /// Names of exported functions that are also kernels; `*` and `?` match any characters and any one
    #[arg(long, value_name = "GLOB")]
    pub kernel: Vec<String>,

    /// A library with bodies that the inputs lack; also `NAME=FILE`, as for rustc
    ///
    /// Archives among the inputs have the same meaning. Only functions that a kernel reaches are read, and none of them
    /// becomes host code.
    #[arg(long, value_name = "FILE")]
    pub extern_rlib: Vec<PathBuf>,

    /// A folder whose rlibs are such libraries; also `KIND=DIR`, as for rustc
    ///
    /// Cargo's folder of a profile, such as target/release, stands for the folders below it that have rlibs.
    #[arg(short = 'L', value_name = "DIR")]
    pub library_path: Vec<PathBuf>,

    /// Code of other compilers in device code.
    #[command(flatten)]
    pub device_code: DeviceCodeArguments,

    /// The sysroot of the rustc that wrote the input [default: the output of `rustc --print sysroot`]
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,

    /// The libLLVM of the rustc that wrote the input, which reads that input if it is newer than offloadc's, and
    /// compiles large host modules (`--host-llvm`) [default: the sysroot's]
    #[arg(long, value_name = "FILE")]
    pub rustc_llvm: Option<PathBuf>,

    /// Keep calls of `__offload_print` in kernels; without this option they print nothing, with a warning
    ///
    /// The texts of different threads appear in no particular order, on GPUs when the kernel has ended.
    #[arg(long)]
    pub device_print: bool,

    /// Add the checker to kernels for the CPU: it reports data races, wrong addresses, values that nobody has written,
    /// and barriers that not all threads reach
    ///
    /// `OFFLOADRT_SANITIZE` in the environment of the program switches single checks off.
    #[arg(long)]
    pub sanitize: bool,

    /// Count for each line how often it is executed, and what it loads and stores, for `cargo offloadc profile`;
    /// implies `-g`
    ///
    /// The code of the CPU has counters, which the program appends to the file that `OFFLOADRT_PROFILE` names. In the
    /// images of GPUs, code of libraries has the line of the user's source that it was inlined into.
    #[arg(long)]
    pub profile_lines: bool,

    /// Optimisation level: 0, 1, 2, 3, s or z
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = OptLevel::from_letter, hide_default_value = false)]
    pub opt_level: OptLevel,

    /// Optimisation level of host code, if it is another than that of `-O`
    #[arg(long, value_name = "LEVEL", value_parser = OptLevel::from_letter)]
    pub host_opt_level: Option<OptLevel>,

    /// How host code is compiled.
    #[command(flatten)]
    pub host: HostArguments,

    /// Keep debug information in device code
    #[arg(short = 'g')]
    pub debug: bool,

    /// The number of jobs that run in parallel [default: the number of cores]
    ///
    /// The output does not depend on it. The maximum is 256. Under make or cargo, the threads also share their limit
    /// with the other programs that these have started.
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// Cut device code into at most N parts, which are compiled side by side [default: by the size of the code]
    ///
    /// An image has all parts. Kernels that share variables or function pointers are in the same part. Images for
    /// SPIR-V, images with debug information (`-g`), and the output of stages before the image are not cut.
    #[arg(long, value_name = "N")]
    pub parts: Option<NonZeroUsize>,

    /// Write the output of a stage instead of the object; can be repeated
    ///
    /// Without a path, the file is the one that `-o` names, or else `<input>.<stage>[.<arch>].<ext>` in the working
    /// directory; `=-` is standard output. The stages are listed below.
    #[arg(long, value_name = "STAGE[=PATH]", value_parser = parse_emit)]
    pub emit: Vec<Emit>,

    /// Continue from the output of a stage, from `--emit=read` to `--emit=codegen`, for an arch of that output
    ///
    /// `--emit` must name a later stage of one arch: `flavor`, `optimize`, `codegen` or `image`. A slice contains `-O`
    /// and the other options that affect code, such as `--math`, and refuses other values of the latter. For the other
    /// stages, repeat them. A file of `--emit=STAGE=FILE` ends with metadata that continuing needs; the text on
    /// standard output lacks it.
    #[arg(long, value_name = "STAGE", value_parser = parse_from)]
    pub from: Option<Stage>,

    /// Keep the output of every stage as `<input>.<stage>[.<arch>].<ext>`, in DIR or the working directory
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    pub save_temps: Option<PathBuf>,

    /// Write a Chrome trace with one lane per job, which shows stages, passes and external tools
    #[arg(long, value_name = "FILE")]
    pub time_trace: Option<PathBuf>,

    /// Print each step and the tools that run; with `--version`, print more
    #[arg(short, long)]
    pub verbose: bool,

    /// Print the tools that would run, without running them
    #[arg(long = "###")]
    pub dry_run: bool,

    /// Explain an error code, with its remedy: `OFC0007`, `7` or its name
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,

    /// Print the supported archs
    #[arg(long)]
    pub print_targets: bool,

    /// Write a dependency file for make next to the output
    #[arg(long = "MD")]
    pub depfile: bool,

    /// The name of the dependency file [default: the output's name with `.d`]
    #[arg(long = "MF", value_name = "FILE")]
    pub depfile_path: Option<PathBuf>,

    /// The target of the rule in the dependency file [default: the output]
    #[arg(long = "MT", value_name = "TARGET")]
    pub depfile_targets: Vec<OsString>,

    /// Add an empty rule for each input to the dependency file
    #[arg(long = "MP")]
    pub depfile_phony: bool,

    /// The form of diagnostics on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub message_format: MessageFormat,

    /// Colour in diagnostics; `auto` respects `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: ColorChoice,

    /// Show a warning, hide it with `-Wno-NAME`, make it an error with `-Werror[=NAME]`
    ///
    /// The names are `no-kernel`, `default-arch`, `device-static-copy`, `recursion`, `print-dropped`,
    /// `unregistered-image`, `skipped-arch`, `job-server`, `cache` and `large-locals`.
    #[arg(short = 'W', value_name = "NAME")]
    pub warnings: Vec<String>,

    /// Hide all warnings
    #[arg(short = 'w')]
    pub no_warnings: bool,

    /// The cache of images.
    #[command(flatten)]
    pub cache: CacheArguments,

    /// Compilation by other programs.
    #[command(flatten)]
    pub distribution: DistributionArguments,

    /// The output of `offloadc job`.
    #[arg(skip)]
    pub image_file: Option<PathBuf>,

    /// Whether the input is a generic image.
    #[arg(skip)]
    pub finishes: bool,

    /// The options about single passes.
    #[command(flatten)]
    pub passes: PassArguments,

    /// NVIDIA's assembler; with it, sm archs also have machine code
    #[arg(long, value_name = "PATH")]
    pub ptxas: Option<PathBuf>,

    /// LLVM's linker [default: `OFFLOADC_LLD`, or else `ld.lld-22` or `ld.lld` in `PATH` or next to LLVM]
    #[arg(long, value_name = "PATH")]
    pub lld: Option<PathBuf>,

    /// Print the version; with `--verbose` also LLVM's version, the bitcode versions that can be read, and the targets
    #[arg(short = 'V', long)]
    pub version: bool,
}

/// `--message-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object per line, shaped like rustc's.
    Json,
}

/// `--emit=STAGE[=PATH]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emit {
    /// The stage whose output is written.
    pub stage: Stage,
    /// The file, if named; `-` is standard output.
    pub path: Option<PathBuf>,
}

impl Options {
    /// The command line with everything that its long help shows, for manual pages and the completions of shells. The
    /// options [`ONE_DASH`] have two dashes in it.
    pub fn described() -> clap::Command {
        stage_list(Self::command())
    }

    /// Parses a command line, the program's own name first and response files expanded. The caller prints an error and
    /// ends the program, also for `--help`.
    pub fn parse_from_arguments(arguments: Vec<OsString>) -> Result<Self, CommandLineEnd> {
        let command = Self::command();
        let arguments = with_two_dashes(&command, arguments);
        let matches = stage_list(command).try_get_matches_from(arguments);
        let options = matches.and_then(|matches| Self::from_arg_matches(&matches));
        options.map_err(CommandLineEnd::new)
    }
}

/// Long options that are shown with one dash, as in clang.
pub const ONE_DASH: [&str; 5] = ["MD", "MF", "MT", "MP", "###"];

/// Those of them whose value may follow without a space: `-MFfile`.
const JOINED: [&str; 2] = ["MF", "MT"];

/// Adds the second dash to long options with one dash. Otherwise, `-offload-arch=sm_80` would be `-o` with a strange
/// file name.
fn with_two_dashes(command: &clap::Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let long: Vec<String> = command.get_arguments().filter_map(|a| a.get_long()).map(str::to_string).collect();
    let mut seen_end = false;
    let rewrite = |argument: OsString| {
        seen_end |= argument == "--";
        let Some(rest) = argument.as_bytes().strip_prefix(b"-").filter(|rest| !seen_end && !rest.starts_with(b"-"))
        else {
            return argument;
        };
        let name = rest.split(|byte| *byte == b'=').next().unwrap_or(rest);
        let joined = JOINED.iter().find(|j| rest.starts_with(j.as_bytes()) && name.len() > j.len());
        let bytes = match joined {
            _ if rest == b"O" => b"-O2".to_vec(),
            _ if long.iter().any(|l| l.as_bytes() == name) => [b"--", rest].concat(),
            Some(joined) => [b"--", joined.as_bytes(), b"=", &rest[joined.len()..]].concat(),
            None => return argument,
        };
        OsString::from_vec(bytes)
    };
    arguments.into_iter().map(rewrite).collect()
}

/// Adds the stages in `stage.rs` to the long help.
fn stage_list(command: clap::Command) -> clap::Command {
    let stages: String = Stage::all().map(|stage| format!("  {:9} {}\n", stage.name(), stage.gives())).collect();
    command.after_long_help(format!("Stages, in order, for --emit:\n{stages}\n{AFTER_HELP}"))
}

fn parse_emit(text: &str) -> Result<Emit, String> {
    let (name, path) = match text.split_once('=') {
        Some((_, "")) => return Err("the path is empty".to_string()),
        Some((name, path)) => (name, Some(PathBuf::from(path))),
        None => (text, None),
    };
    let stages = || Stage::all().map(Stage::name).collect::<Vec<_>>();
    let stage = Stage::from_name(name).ok_or_else(|| format!("the stages are {}", stages().join(", ")))?;
    Ok(Emit { stage, path })
}

fn parse_from(text: &str) -> Result<Stage, String> {
    let has_code = |stage: &Stage| *stage <= Stage::Codegen && *stage != Stage::Kernels;
    let names = || Stage::all().filter(has_code).map(Stage::name).collect::<Vec<_>>();
    let stage = Stage::from_name(text).filter(has_code);
    stage.ok_or_else(|| format!("the stages are {}", names().join(", ")))
}

/// The values of an option in `--help`, for tests of the documentation.
#[cfg(test)]
fn values(command: &clap::Command, long: &str) -> Vec<clap::builder::PossibleValue> {
    let argument = command.get_arguments().find(|a| a.get_long() == Some(long)).unwrap();
    argument.get_possible_values()
}

const LONG_ABOUT: &str = "\
Compiles the GPU kernels of an ordinary host program, from the LLVM IR that rustc writes.

The output is one object file with the host code, one device image for each arch, and a constructor \
that registers the images with a runtime. Link it with `cc` or rustc like any other object.";

const AFTER_HELP: &str = "\
Examples:
  A program for the host's processor and two GPUs, linked in one command:
    rustc --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes app.rs
    offloadc app.bc -o app --emit=exe --offload-arch=cpu,sm_80,gfx90a

  The same object for a link of your own, with a dependency file for make:
    offloadc app.bc -o app.o --offload-arch=cpu,sm_80,gfx90a -MD

  The code that a GPU will run, and the contents of a program:
    offloadc app.bc --emit=codegen=- --offload-arch=sm_80
    offloadc inspect app

  Options from a file, one job at a time, errors as JSON:
    offloadc @offload.rsp app.bc -o app.o -j1 --message-format=json

Exit status:
  0   success
  1   failure: errors say why, and the output file is unchanged
  2   wrong command line
  70  an internal failure of offloadc or of LLVM";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::inspect_arguments::InspectArguments;

    fn parse(line: &str) -> Result<Options, CommandLineEnd> {
        let words = std::iter::once("offloadc").chain(line.split_whitespace());
        Options::parse_from_arguments(words.map(OsString::from).collect())
    }

    fn wrong(line: &str) -> String {
        let end = parse(line).unwrap_err();
        assert!(end.wrong, "{line}");
        end.text
    }

    #[test]
    fn the_table_of_options_is_consistent() {
        Options::command().debug_assert();
        for name in ONE_DASH {
            assert!(Options::command().get_arguments().any(|a| a.get_long() == Some(name)), "{name}");
        }
        let runtimes = values(&Options::command(), "runtime");
        let names: Vec<_> = runtimes.iter().map(|v| v.get_name()).collect();
        assert_eq!(names, ["offloadrt", "omptarget", "cuda", "hip", "liboffload", "mgpu", "none"]);
    }

    #[test]
    fn lists_add_up_and_the_last_scalar_wins() {
        let line = "a.bc --offload-arch=cpu,sm_80 b.bc --offload-arch gfx90a:xnack+ -O1 -Os -o x -o y -j4 -j 8";
        let options = parse(line).unwrap();
        assert_eq!(options.inputs, ["a.bc", "b.bc"].map(PathBuf::from));
        assert_eq!(options.offload_arch, ["cpu", "sm_80", "gfx90a:xnack+"]);
        assert_eq!(options.opt_level, OptLevel::Os);
        assert_eq!(options.output, Some(PathBuf::from("y")));
        assert_eq!(options.jobs.map(NonZeroUsize::get), Some(8));
        assert_eq!(parse("a.bc").unwrap().opt_level, OptLevel::O2);
        assert_eq!(parse("a.bc -O3 --host-opt-level=0").unwrap().host_opt_level, Some(OptLevel::O0));
        assert_eq!(parse("-O a.bc").unwrap().inputs, [PathBuf::from("a.bc")]);
    }

    #[test]
    fn one_dash_is_enough_for_long_options() {
        let options = parse("-MD -MFx.d -MT t -MP -### -offload-arch=sm_80 -save-temps a.bc").unwrap();
        assert!(options.depfile && options.depfile_phony && options.dry_run);
        assert_eq!(options.depfile_path, Some(PathBuf::from("x.d")));
        assert_eq!(options.depfile_targets, [OsString::from("t")]);
        assert_eq!(options.offload_arch, ["sm_80"]);
        assert_eq!(options.save_temps, Some(PathBuf::from(".")));
        assert_eq!(options.inputs, [PathBuf::from("a.bc")]);
        assert_eq!(parse("-- -MD").unwrap().inputs, [PathBuf::from("-MD")]);
    }

    #[test]
    fn inspect_is_a_command_only_in_front() {
        let options = parse("inspect a.o --json").unwrap();
        assert!(matches!(options.command, Some(Command::Inspect(InspectArguments { json: true, .. }))));
        let options = parse("a.bc inspect").unwrap();
        assert_eq!(options.inputs, ["a.bc", "inspect"].map(PathBuf::from));
    }

    #[test]
    fn warnings_are_words_after_w() {
        let options = parse("-Wno-no-kernel -Werror=no-kernel -w a.bc").unwrap();
        assert_eq!(options.warnings, ["no-no-kernel", "error=no-kernel"]);
        assert!(options.no_warnings);
    }

    #[test]
    fn wrong_words_are_named_with_the_nearest() {
        assert!(wrong("--emti=split a.bc").contains("'--emit'"));
        assert!(wrong("--emit=splt a.bc").contains("the stages are read, kernels, split"));
        let unknown = wrong("--maxreg=3 a.bc");
        assert!(unknown.contains("'--maxreg' found") && !unknown.contains("as a value"), "{unknown}");
        assert!(wrong("-O4 a.bc").contains("the levels are 0, 1, 2, 3, s and z"));
        assert!(wrong("-j0 a.bc").contains("'0'"));
        assert!(wrong("--runtime=opencl a.bc").contains("omptarget"));
        assert!(wrong("-MF").contains("'-MF <FILE>'"));
    }

    #[test]
    fn help_lists_stages_examples_and_statuses() {
        let help = parse("--help").unwrap_err();
        assert!(!help.wrong);
        for text in [" -MD", "  legalize  the device module", "Examples:", "70  an internal failure", "[default: 2]"] {
            assert!(help.text.contains(text), "{text} in {}", help.text);
        }
        assert!(!help.text.contains("--MD"));
    }
}
