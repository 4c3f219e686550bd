//! `--emulate`: cargo starts the programs with emulated GPUs in place of the vendors' drivers.
//!
//! Cargo starts a program through the runner of the target. Ours is this program with `--run-emulated`, which sets the
//! variables of the emulators and then becomes the program, or the user's own runner. The variables are not set for
//! cargo, because rustc, build scripts and procedural macros inherit its environment. A build script that looks for a
//! GPU would find an emulated one.
//!
//! The runner is set by cargo's variable, which replaces the runner of each configuration file. `--config` would not
//! do: it cannot replace a string by a list, and old versions of cargo append its list to the list in a file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::configuration::Configuration;
use super::{PROGRAM, sibling_program};
use crate::error::{Error, Failure, Result};
use crate::job::UsageError;
use crate::system::installation::{HOME, is_usable, places};
use crate::targets::{Emulator, TARGETS};

/// The option of the runner, before the list of archs.
const RUN: &str = "--run-emulated=";
/// The variable that names the default device of the runtime.
const DEFAULT_DEVICE: &str = "OFFLOADRT_DEVICE";

/// The emulated devices of a command line, in order. An arch that is repeated has several devices.
pub(super) struct Devices {
    devices: Vec<(&'static str, &'static Emulator)>,
}

impl Devices {
    /// The devices with the archs `names`.
    pub(super) fn new(names: &[String]) -> Result<Self, UsageError> {
        let devices = names.iter().map(|name| find(name).ok_or_else(|| not_emulated(name)));
        Ok(Self { devices: devices.collect::<Result<_, _>>()? })
    }

    /// The options that compile kernels for the devices, in addition to the archs in `options`. If `options` has none,
    /// the default remains one of the archs. Images have line tables, because the emulators report lines.
    pub(super) fn options(&self, options: &[String]) -> Vec<String> {
        let has_archs = options.iter().any(|option| option.contains("--offload-arch="));
        let default = if has_archs { None } else { Some("cpu") };
        let archs = default.into_iter().chain(self.archs());
        archs.map(|arch| format!("--offload-arch={arch}")).chain(["--offloadc=-g".to_owned()]).collect()
    }

    /// Makes cargo start programs for the target with these devices.
    pub(super) fn set_runner(&self, cargo: &mut Command, configuration: &Configuration) -> Result<()> {
        // Without the emulators, the programs need not be built.
        let _ = self.folder()?;
        let own = sibling_program(PROGRAM)?;
        let list = self.archs().collect::<Vec<_>>().join(",");
        let words = [vec![by_name(own, cargo)?, format!("{RUN}{list}").into()], configuration.runner()?].concat();
        if let Some(word) = words.iter().find(|word| has_space(word)) {
            let word = word.to_string_lossy();
            return Err(Error::new(format!("the runner of `--emulate` cannot be set, because `{word}` has a space")));
        }
        let _ = cargo.env(configuration.variable_name("RUNNER"), words.join(OsStr::new(" ")));
        Ok(())
    }

    /// Sets the variables that the runtime and the emulators read.
    fn set_variables(&self, program: &mut Command) -> Result<()> {
        let paths = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let others = std::env::split_paths(&paths).filter(|_| !paths.is_empty());
        let folders = std::env::join_paths(std::iter::once(self.folder()?).chain(others));
        let folders = folders.map_err(|error| Error::new(format!("cannot set `LD_LIBRARY_PATH`: {error}")))?;
        let _ = program.env("LD_LIBRARY_PATH", folders);
        let _ = program.env("OFFLOAD_EMULATED", self.archs().collect::<Vec<_>>().join(","));
        let is_chosen = std::env::var_os(DEFAULT_DEVICE).is_some_and(|device| !device.is_empty());
        if let Some((_, emulator)) = self.devices.first().filter(|_| !is_chosen) {
            let _ = program.env(DEFAULT_DEVICE, format!("{}:0", emulator.device));
        }
        Ok(())
    }

    fn archs(&self) -> impl Iterator<Item = &'static str> {
        self.devices.iter().map(|(arch, _)| *arch)
    }

    /// The folder that has all emulators of these devices.
    fn folder(&self) -> Result<PathBuf> {
        let folders = places("lib/offloadc/emulators", Some("../emulators"));
        let has = |folder: &Path| self.devices.iter().all(|(_, emulator)| is_usable(&folder.join(emulator.library)));
        let folder = folders.iter().find(|folder| has(folder)).and_then(|folder| folder.canonicalize().ok());
        folder.ok_or_else(|| {
            let tried = folders.iter().map(|folder| format!("`{}`", folder.display())).collect::<Vec<_>>().join(", ");
            Error::new(format!(
                "cannot find the emulators in {tried}; `make emulators install` in its source tree builds them, and the \
                 archive has them: set `{HOME}` to its folder"
            ))
        })
    }
}

/// Cargo divides the command of a runner at white space.
fn has_space(word: &OsStr) -> bool {
    word.as_encoded_bytes().iter().any(u8::is_ascii_whitespace)
}

/// The word with which `cargo` starts `program`: its path, or its name if a folder has a space in its name. `cargo`
/// then looks for it in that folder first.
fn by_name(program: PathBuf, cargo: &mut Command) -> Result<OsString> {
    let (Some(folder), Some(name)) = (program.parent(), program.file_name()) else { return Ok(program.into()) };
    if !has_space(folder.as_os_str()) {
        return Ok(program.into());
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::join_paths(std::iter::once(folder.to_owned()).chain(std::env::split_paths(&paths)));
    let _ = cargo.env("PATH", folders.map_err(|error| Error::new(format!("cannot set `PATH`: {error}")))?);
    Ok(name.to_owned())
}

/// The command of a runner, whose arguments are the option with the archs, the user's runner, the program and its
/// arguments. None if `arguments` are those of a user.
pub fn run_emulated(arguments: &[OsString]) -> Option<Result<Command, Failure<UsageError>>> {
    let (option, words) = arguments.split_first()?;
    let list = option.to_str()?.strip_prefix(RUN)?;
    Some(runner_command(list, words))
}

fn runner_command(list: &str, words: &[OsString]) -> Result<Command, Failure<UsageError>> {
    let names: Vec<String> = list.split(',').map(str::to_owned).collect();
    let devices = Devices::new(&names).map_err(Failure::Reason)?;
    let missing = || Failure::Reason(UsageError::new(format!("`{RUN}` needs a program")));
    let (program, arguments) = words.split_first().ok_or_else(missing)?;
    let mut command = Command::new(program);
    devices.set_variables(command.args(arguments))?;
    Ok(command)
}

/// An arch that can be emulated.
fn find(name: &str) -> Option<(&'static str, &'static Emulator)> {
    all().find(|(arch, _)| *arch == name)
}

fn all() -> impl Iterator<Item = (&'static str, &'static Emulator)> {
    let emulators = TARGETS.iter().filter_map(|target| target.facts().emulator.as_ref());
    emulators.flat_map(|emulator| emulator.archs.iter().map(move |arch| (*arch, emulator)))
}

fn not_emulated(name: &str) -> UsageError {
    let archs = all().map(|(arch, _)| format!("`{arch}`")).collect::<Vec<_>>().join(", ");
    UsageError::new(format!("the arch `{name}` cannot be emulated")).help(format!("the emulated archs are {archs}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulated_archs_are_archs_of_their_targets() {
        let names: Vec<&str> = all().map(|(arch, _)| arch).collect();
        for target in TARGETS {
            let emulated = target.facts().emulator.as_ref().map_or(&[][..], |emulator| emulator.archs);
            assert!(emulated.iter().all(|arch| target.archs().contains(arch)), "{}", target.name());
        }
        let first = names.first().and_then(|arch| crate::targets::lookup(arch).ok());
        assert_eq!(first.map(|arch| arch.number() & 0xffff), Some(70), "the first arch that the emulator accepts");
    }

    #[test]
    fn archs_are_added_to_those_of_the_command_line() {
        let devices = Devices { devices: all().take(2).collect() };
        let add = |option: &str| devices.options(&[option.to_owned()]);
        assert_eq!(add("--offload-arch=cpu").len(), 3);
        assert_eq!(add("--offloadc=--ftz").len(), 4);
        assert_eq!(add("--offloadc=--ftz")[0], "--offload-arch=cpu");
    }
}
