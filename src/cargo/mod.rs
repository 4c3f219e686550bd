//! `cargo offloadc`: cargo with `offloadc-ld` as its linker.
//!
//! Cargo runs the build and prints its own messages. It runs `offloadc-rustc` instead of rustc, which leaves the crates
//! that may have kernels as bitcode, and only those: build scripts and procedural macros are recognised because a
//! target is always named. Another arch or another offloadc causes new links, because `offloadc-rustc` gives cargo
//! their dependencies. A separate target folder leaves the user's other builds as they are.

mod answers;
mod bake;
mod bake_inputs;
mod check;
#[cfg(test)]
mod command_lines;
pub mod commands;
pub mod configuration;
mod debug;
mod described;
mod doctor;
mod emulate;
mod fingerprint;
mod images;
mod kernel_crates;
mod new;
mod options;
mod other_commands;
mod profile;
mod profile_counts;
mod profile_tables;
mod program;
mod program_commands;
mod reports;
mod sanitize;
mod setup;
mod status;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_platform::Cfg;

use crate::contract::platform::Platform;
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;
use crate::linker::{Link, report};
use crate::stages::runtime_library;
use crate::system::own_files::is_installed;
pub use bake::bake;
pub use check::{check, only_checks};
use configuration::Configuration;
pub use debug::debug;
use emulate::Devices;
pub use emulate::run_emulated;
use fingerprint::fingerprint;
pub use images::images;
use kernel_crates::CHECK;
pub use new::new;
use options::{CARGOS, OPTIONAL_ARCHS, OPTIONS, OPTIONS_WITH_VALUE, REMARKS, refuse_device, refuse_misspelt};
pub use profile::profile;
pub use program::{become_program, run, run_cargo};
pub use program_commands::Outcome;
pub use sanitize::Sanitized;
pub use setup::setup;

/// The command line of `cargo offloadc`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    /// The arguments for cargo, without those that we add.
    words: Vec<OsString>,
    /// The arguments after `--`, for the program.
    program_words: Vec<OsString>,
    /// The values of `--config`.
    settings: Vec<String>,
    /// offloadc's options.
    options: Vec<String>,
    /// The archs of `--emulate`.
    emulated: Vec<String>,
    triple: Option<String>,
    folder: Option<PathBuf>,
    /// Whether the program runs with the checker for kernels.
    sanitized: bool,
    /// Whether the program runs for a profile.
    profiled: bool,
    /// Whether remarks are asked for.
    remarked: bool,
    /// Whether the kernels of a library are written into a file.
    baked: bool,
}

/// The variable that names the program that finishes generic images, for programs that cargo runs.
const COMPILER: &str = "OFFLOADRT_COMPILER";

/// The first argument with which `offloadc` does the work of `cargo offloadc`.
pub const PROGRAM: &str = "cargo-offloadc";

/// The command for `arguments`, which do not contain the program's name and `offloadc`, if it can be made without LLVM,
/// as for most builds. None is no fault of the arguments.
pub fn simple_command(arguments: &[OsString]) -> Option<Result<Command, Failure<UsageError>>> {
    let is_cargos = |word: &&OsString| CARGOS.iter().any(|own| *word == own);
    let _ = arguments.first().filter(is_cargos).filter(|_| commands::help(arguments).is_none())?;
    let request = Request::parse(arguments.to_vec()).ok().filter(|request| request.emulated.is_empty())?;
    let known = fingerprint::known(&sibling_program("offloadc-ld").ok()?, &request.options)?;
    Some(request.into_command(None, |_, options, platform| known.fingerprint(options, platform)))
}

/// The command for `arguments`, which do not contain the program's name and `offloadc`.
pub fn command(arguments: Vec<OsString>) -> Result<Command, Failure<UsageError>> {
    Request::parse(arguments).map_err(Failure::Reason)?.into_whole_command()
}

/// The output of `cargo offloadc doctor`, and whether all requirements are met; none for all other commands.
pub fn doctor(arguments: &[OsString]) -> Result<Option<(String, bool)>, Failure<UsageError>> {
    if arguments.first().is_none_or(|word| word != "doctor") {
        return Ok(None);
    }
    let request = Request::parse(arguments[1..].to_vec()).map_err(Failure::Reason)?;
    if let Some(word) = request.words.first() {
        let word = word.to_string_lossy();
        let error = UsageError::new(format!("`doctor` accepts only options of offloadc, not `{word}`"));
        return Err(Failure::Reason(error));
    }
    let platform = request.triple.as_deref().and_then(Platform::of).unwrap_or_default();
    let linker = default_linker(Some(platform), &request.options);
    let linker = linker.map(|name| format!("--offload-linker={}", name.to_string_lossy()));
    let words = request.options.iter().cloned().chain(linker).map(OsString::from).collect();
    let mut link = Link::new(words).map_err(fingerprint::refused)?;
    link.job.platform = platform;
    Ok(Some(doctor::doctor(&link, sibling_program("offloadc-ld"))))
}

/// The number of words in the subcommand. A command that is not cargo's own may have subcommands (`nextest run`). After
/// the first word of `run` that is not an option, all words belong to the program.
fn subcommand_length(words: &[OsString]) -> usize {
    let own = words.first().is_some_and(|word| word == "run" || word == "r");
    let leading = words.iter().take_while(|word| !word.as_encoded_bytes().starts_with(b"-")).count();
    if own { 1 } else { leading }
}

/// The linker in the environment's flags or in the configuration, which ours replaces, unless the options name one or
/// it is ours.
fn real_linker(configuration: &Configuration, options: &[String]) -> Option<OsString> {
    let asked = names_linker(options);
    let flags = environments_flags("rustflags").unwrap_or_default();
    let theirs = linker_of(&flags).or_else(|| configuration.linker()).filter(|_| !asked)?;
    (Path::new(&theirs).file_stem()? != "offloadc-ld").then_some(theirs)
}

/// Whether the user names the real linker to offloadc.
fn names_linker(options: &[String]) -> bool {
    options.iter().any(|option| option.starts_with("--offload-linker="))
        || std::env::var_os("OFFLOADC_LINKER").is_some_and(|linker| !linker.is_empty())
}

/// The linker for another platform than this machine's, if nobody names one: `cc` links only programs of this machine.
fn default_linker(platform: Option<Platform>, options: &[String]) -> Option<OsString> {
    runtime_library::cross_linker(platform?).filter(|_| !names_linker(options)).map(OsString::from)
}

/// The last `-C linker` of rustc's flags.
fn linker_of(flags: &[String]) -> Option<OsString> {
    flags.iter().rev().find_map(|flag| flag.trim_start_matches("-C").strip_prefix("linker=")).map(OsString::from)
}

/// Sets the linker, and the flags for rustdoc, which compiles the documentation tests by itself. All other programs and
/// libraries get their flags from the wrapper, so rustc's are the user's, except `more`.
fn set_flags(command: &mut Command, configuration: &Configuration, triple: &str, linker: &Path, more: &[String]) {
    let _ = command.arg("--config").arg(format!("target.{triple}.linker={}", quoted(&linker.to_string_lossy())));
    if !more.is_empty() {
        join_flags(command, configuration, triple, "rustflags", more);
    }
    let own = kernel_crates::BITCODE_ONLY.map(str::to_owned);
    let own: Vec<_> = own.into_iter().chain(kernel_crates::linker_flags(linker)).chain(more.iter().cloned()).collect();
    join_flags(command, configuration, triple, "rustdocflags", &own);
}

/// Makes cargo run our wrapper instead of rustc, and the wrapper the user's. A build within a build has ours already.
fn set_wrapper(command: &mut Command, configuration: &Configuration) -> Result<()> {
    let own = sibling_program("offloadc-rustc")?;
    let said = std::env::var_os("RUSTC_WRAPPER").or_else(|| configuration.rustc_wrapper());
    let _ = command.env("RUSTC_WRAPPER", &own);
    if said.as_deref() != Some(own.as_os_str()) {
        let _ = command.env(kernel_crates::INNER_WRAPPER, said.unwrap_or_default());
    }
    Ok(())
}

/// Flags in the environment override those of configuration files, so ours are added to the ones in force. A variable
/// that is set but empty is in force, too.
fn join_flags(command: &mut Command, configuration: &Configuration, triple: &str, key: &str, flags: &[String]) {
    match environments_flags(key).or_else(|| configuration.flags_as_text(key)) {
        Some(theirs) => {
            let all = [theirs, flags.to_vec()].concat();
            let _ = command.env(format!("CARGO_ENCODED_{}", key.to_uppercase()), all.join("\x1f"));
        }
        None => {
            let list: Vec<_> = flags.iter().map(|flag| quoted(flag)).collect();
            let only_build = configuration.has_only_build_flags(key);
            let table = if only_build { "build".to_owned() } else { format!("target.{triple}") };
            let _ = command.arg("--config").arg(format!("{table}.{key}=[{}]", list.join(",")));
        }
    }
}

/// The flags in the environment, as a list if cargo's encoded variable is set.
fn environments_flags(key: &str) -> Option<Vec<String>> {
    let name = key.to_uppercase();
    let split = |text: String, at: &[char]| {
        text.split(at).filter(|flag| !flag.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let encoded = std::env::var(format!("CARGO_ENCODED_{name}")).ok().map(|text| split(text, &['\x1f']));
    encoded.or_else(|| Some(split(std::env::var(name).ok()?, &[' ', '\n', '\t'])))
}

/// A TOML string, whose escapes are the same as JSON's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Request {
    fn parse(arguments: Vec<OsString>) -> Result<Self, UsageError> {
        let mut request = Self::default();
        let mut words = arguments.into_iter();
        while let Some(word) = words.next() {
            if word == "--" {
                request.program_words = std::iter::once(word).chain(words).collect();
                break;
            }
            let text = word.to_string_lossy().into_owned();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text.as_str(), None),
            };
            let mut value_of = || {
                let is_value = |word: &String| name == "--offloadc" || !word.starts_with('-');
                let next = || words.next().map(|word| word.to_string_lossy().into_owned()).filter(is_value);
                value.clone().or_else(next).ok_or_else(|| UsageError::new(format!("`{name}` needs a value")))
            };
            match name {
                "--target" => request.triple = Some(value_of()?),
                "--config" => request.settings.push(value_of()?),
                "--target-dir" => request.folder = Some(value_of()?.into()),
                "--emulate" => request.emulated.extend(value_of()?.split(',').map(str::to_owned)),
                "--offload-arch" | OPTIONAL_ARCHS | "--offload-linker" => {
                    request.options.push(format!("{name}={}", value_of()?))
                }
                REMARKS => {
                    request.options.push(format!("--offloadc={text}"));
                    request.remarked = true;
                }
                "--offloadc" => request.options.push(format!("--offloadc={}", value_of()?)),
                _ if OPTIONS_WITH_VALUE.contains(&name) => {
                    request.options.push(format!("--offloadc={name}={}", value_of()?));
                }
                _ if OPTIONS.contains(&name) => request.options.push(format!("--offloadc={name}")),
                _ => {
                    refuse_misspelt(name, &request.words)?;
                    refuse_device(name, &request.words)?;
                    request.words.push(word);
                }
            }
        }
        Ok(request)
    }

    /// The folder for programs, which need not exist.
    fn target_folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.folder {
            return Ok(folder.clone());
        }
        let folder = target_folder(&cargo(), &self.words)?.join("offloadc");
        let own = [
            (self.sanitized, "sanitize"),
            (self.profiled, "profile"),
            (self.baked, "bake"),
            (self.remarked, "remarks"),
        ];
        let own = own.into_iter().find(|(is_asked, _)| *is_asked);
        Ok(own.map_or(folder.clone(), |(_, name)| folder.join(name)))
    }

    /// Cargo's command for this command line.
    fn into_whole_command(self) -> Result<Command, Failure<UsageError>> {
        let devices = self.devices().map_err(Failure::Reason)?;
        self.into_command(devices, fingerprint)
    }

    /// The same, where the devices and the fingerprint of links are known.
    fn into_command(
        self,
        devices: Option<Devices>,
        fingerprint: impl FnOnce(&Path, &[String], Platform) -> Result<u64, Failure<UsageError>>,
    ) -> Result<Command, Failure<UsageError>> {
        let cargo = cargo();
        let said = rustc(&["-vV"]);
        let triple = match (&self.triple, &said) {
            (Some(triple), _) => triple.clone(),
            (None, Ok(said)) => host_triple(said)?,
            (None, Err(error)) => return Err(error.clone().into()),
        };
        let folder = self.target_folder()?;
        let linker = sibling_program("offloadc-ld")?;
        let configuration = Configuration::read(&self.settings, &triple, || conditions(&triple));
        let variable = |name: &str| std::env::var(name).ok();
        let is_for_a_debugger = devices.is_none() && !self.baked && debug::is_for_a_debugger(&self, variable);
        let mut options = self.options;
        if is_for_a_debugger {
            options.insert(0, debug::LINES.to_owned());
        }
        if let Some(devices) = &devices {
            options.extend(devices.options(&options));
        }
        if only_checks(&self.words) {
            options.push(CHECK.to_owned());
        }
        let platform = Platform::of(&triple);
        if devices.is_some() && platform.is_some_and(|platform| runtime_library::cross_linker(platform).is_some()) {
            let error =
                UsageError::new(format!("`--emulate` runs programs of this machine, and not those of `{triple}`"));
            return Err(Failure::Reason(error.help("omit `--target` or `--emulate`")));
        }
        let theirs = real_linker(&configuration, &options).or_else(|| default_linker(platform, &options));
        if let Some(theirs) = theirs {
            options.push(format!("--offload-linker={}", theirs.to_string_lossy()));
        }
        // Reports and remarks name lines, with every profile.
        let lines =
            (self.sanitized || self.profiled || self.remarked).then(|| "-Cdebuginfo=line-tables-only".to_owned());
        let flags: Vec<_> = lines.into_iter().chain(self.baked.then(|| bake::FLAG.to_owned())).collect();
        let number = fingerprint(&linker, &options, platform.unwrap_or_default())?;
        let mut command = Command::new(&cargo);
        let (subcommand, words) = self.words.split_at(subcommand_length(&self.words));
        let _ = command.args(subcommand).arg("--target").arg(&triple).arg("--target-dir").arg(&folder);
        if std::env::var_os(answers::FOLDER).is_none() {
            let folder = std::path::absolute(folder).context("cannot find the target folder")?;
            let _ = command.env(answers::FOLDER, folder.join("cache"));
        }
        if let (None, Ok(compiler)) = (std::env::var_os(COMPILER), sibling_program("offloadc")) {
            let _ = command.env(COMPILER, compiler);
        }
        // If a setting occurs twice, the last one wins, so the user's come first.
        let _ = command.args(self.settings.iter().flat_map(|setting| ["--config", setting]));
        let version = format!("--offload-version={}-{number:016x}", env!("CARGO_PKG_VERSION"));
        let everything = [&options[..], &[version]].concat();
        let _ = command.env(kernel_crates::LINK_OPTIONS, everything.join("\x1f"));
        set_wrapper(&mut command, &configuration)?;
        status::set_status(&mut command, &self.words, &configuration);
        if asks_for_all(words) {
            let _ = command.env(report::VERBOSE, "1");
        }
        match said.ok().and_then(|said| Some(answers::head(&rustc_program())? + &said)) {
            Some(said) => command.env(answers::SAID, format!("{}\n{said}", build_number())),
            None => command.env_remove(answers::SAID),
        };
        set_flags(&mut command, &configuration, &triple, &linker, &flags);
        if let Some(devices) = devices {
            devices.set_runner(&mut command, &configuration)?;
        }
        let _ = command.args(words).args(&self.program_words);
        Ok(command)
    }

    /// The archs that the options name.
    fn archs(&self) -> impl Iterator<Item = &str> {
        let lists = self.options.iter().filter_map(|option| {
            let required = option.split_once("--offload-arch=");
            Some(required.or_else(|| option.split_once("--offload-arch-optional="))?.1)
        });
        lists.flat_map(|list| list.split(','))
    }

    /// Whether the options name another runtime than offloadrt.
    fn has_other_runtime(&self) -> bool {
        let mut named = self.options.iter().filter_map(|option| option.rsplit_once("--runtime="));
        named.next_back().is_some_and(|(_, name)| name != "offloadrt")
    }

    /// The devices of `--emulate`, for a command of cargo's; none without the option.
    fn devices(&self) -> Result<Option<Devices>, UsageError> {
        if self.words.is_empty() {
            return Err(UsageError::new("name one of cargo's commands, such as `build`, `run` or `test`"));
        }
        if self.emulated.is_empty() {
            return Ok(None);
        }
        if self.has_other_runtime() {
            return Err(UsageError::new(
                "`--emulate` needs the runtime `offloadrt`, because it names the runtime's devices",
            ));
        }
        Devices::new(&self.emulated).map(Some)
    }
}

/// Whether cargo's `-v` is among its words.
fn asks_for_all(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--verbose" || word == "-v" || word == "-vv")
}

/// A number that no other build has.
fn build_number() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}.{}", now.as_nanos(), std::process::id())
}

fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A program in the same folder as this one.
pub fn sibling_program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let path = own.with_file_name(name);
    if is_installed(&path) { Ok(path) } else { Err(Error::new(format!("`{}` is missing", path.display()))) }
}

fn host_triple(said: &str) -> Result<String> {
    let triple = said.lines().find_map(|line| line.strip_prefix("host: "));
    triple.map(str::to_owned).ok_or_else(|| Error::new("`rustc -vV` names no host"))
}

/// rustc's `cfg` conditions for a target; none if it does not know the target, which it will report to cargo.
fn conditions(triple: &str) -> Vec<Cfg> {
    let said = rustc(&["--print=cfg", "--target", triple]).unwrap_or_default();
    said.lines().filter_map(|line| line.parse().ok()).collect()
}

fn rustc(words: &[&str]) -> Result<String> {
    output(Command::new(rustc_program()).args(words))
}

fn rustc_program() -> OsString {
    std::env::var_os("RUSTC").or_else(rustc_of_toolchain).unwrap_or_else(|| "rustc".into())
}

/// The rustc beside cargo, if rustup has started this cargo. The program `rustc` of rustup would start the same one,
/// but would first look for it again. Cargo does the same.
fn rustc_of_toolchain() -> Option<OsString> {
    let _toolchain = std::env::var_os("RUSTUP_TOOLCHAIN")?;
    let rustc = Path::new(&std::env::var_os("CARGO")?).with_file_name("rustc");
    (rustc.is_absolute() && rustc.is_file()).then(|| rustc.into_os_string())
}

/// Cargo's target folder for the package that `words` may name.
fn target_folder(cargo: &OsStr, words: &[OsString]) -> Result<PathBuf> {
    let mut command = Command::new(cargo);
    let _ = command.args(["metadata", "--no-deps", "--format-version=1"]);
    for (i, word) in words.iter().enumerate() {
        let text = word.to_string_lossy();
        if text == "--manifest-path" {
            let _ = command.arg(word).args(words.get(i + 1));
        } else if text.starts_with("--manifest-path=") {
            let _ = command.arg(word);
        }
    }
    let metadata: serde_json::Value =
        serde_json::from_str(&output(&mut command)?).map_err(|e| Error::new(format!("`cargo metadata`: {e}")))?;
    let folder = metadata["target_directory"].as_str().map(PathBuf::from);
    folder.ok_or_else(|| Error::new("`cargo metadata` names no target folder"))
}

/// The output of a command. A command that fails prints its own errors.
fn output(command: &mut Command) -> Result<String> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{name}`"))?;
    if !output.status.success() {
        return Err(Error::new(format!("`{name}` failed: {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Request {
        Request::parse(command_lines::words(line)).unwrap()
    }

    #[test]
    fn the_last_linker_of_flags_is_in_force() {
        let find = |flags: &[&str]| linker_of(&flags.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>());
        assert_eq!(find(&["-Clinker=a", "-C", "linker=clang"]).unwrap(), "clang");
        assert_eq!(find(&["-Clinker-flavor=gcc"]), None);
    }

    #[test]
    fn the_wrapper_and_the_linker_read_the_same_variable() {
        assert_eq!(kernel_crates::LINK_OPTIONS, crate::linker::OPTIONS_VARIABLE);
        assert_eq!(kernel_crates::REPORT, report::VARIABLE);
    }

    #[test]
    fn cargos_words_stay_and_ours_go_to_the_linker() {
        let request =
            parse("run --release --offload-arch cpu,sm_80 -p app --device-print --math=vendor -- --offload-arch x");
        assert_eq!(request.words, ["run", "--release", "-p", "app"]);
        assert_eq!(request.program_words, ["--", "--offload-arch", "x"]);
        assert_eq!(
            request.options,
            ["--offload-arch=cpu,sm_80", "--offloadc=--device-print", "--offloadc=--math=vendor"]
        );
        assert_eq!(subcommand_length(&parse("nextest run --release").words), 2);
        assert_eq!(subcommand_length(&parse("run word --release").words), 1);
        assert_eq!(parse("build --target=t").triple.as_deref(), Some("t"));
        assert!(Request::parse(vec!["build".into(), "--offload-arch".into()]).is_err());
        assert!(Request::parse(vec!["build".into(), "--offload-arch".into(), "--bin".into(), "x".into()]).is_err());
    }
}
