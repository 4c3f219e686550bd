//! Errors of the command line that concern several options.

use super::{Job, UsageError, same_file};
use crate::bundle::Runtime;
use crate::cli::options::Options;
use crate::stage::Stage;
use crate::system::output::Sink;
use crate::targets::{GENERIC, Stack};

impl Job {
    /// A build has no launches whose values it could know.
    pub(super) fn check_specialize(&self, links: bool) -> Result<(), UsageError> {
        if links {
            let message = "`--link` is an option of `offloadc finish`";
            return Err(UsageError::new(message).help("in one object, kernels call the functions of all its modules"));
        }
        let takes_values = self.from == Some(Stage::Slice) || self.passes.only.is_some();
        if self.specialize.is_empty() || takes_values {
            return Ok(());
        }
        let message = "`--specialize`, `--late-constant` and `--only-kernel` need `--from=slice`: launches have other values, too";
        Err(UsageError::new(message))
    }

    /// `--from` needs one input and one arch, and only outputs of later stages can be requested.
    pub(super) fn check_from(&self) -> Result<(), UsageError> {
        let Some(from) = self.from else { return Ok(()) };
        let option = format!("`--from={}`", from.name());
        let given = |ok: bool, wanted: &str| {
            let error = || UsageError::new(format!("{option} needs {wanted}"));
            if ok { Ok(()) } else { Err(error()) }
        };
        given(self.inputs.len() == 1, "one input")?;
        given(self.arch_given && self.archs.len() == 1, "one arch, the arch of the input: `--offload-arch=ARCH`")?;
        let later: Vec<_> = Stage::all().filter(|stage| stage.per_arch() && *stage > from).map(Stage::name).collect();
        let ok = self.outputs.iter().all(|(stage, _)| later.contains(&stage.name()));
        given(ok, &format!("`--emit` with a later stage: {}", later.join(", ")))
    }

    /// `offloadc finish` begins after the stages that all archs share.
    pub(super) fn check_finish(&self, options: &Options) -> Result<(), UsageError> {
        let later = |stage: Stage| (stage > Stage::Slice && stage.per_arch()) || stage == Stage::Bundle;
        if !self.outputs.iter().all(|(stage, _)| later(*stage)) {
            let names: Vec<_> = Stage::all().filter(|stage| later(*stage)).map(Stage::name).collect();
            return Err(UsageError::new(format!("`--emit` names one of {}", names.join(", "))));
        }
        let done = [
            ("--device-panic", options.device_panic.is_some()),
            ("--device-print", options.device_print),
            ("--kernel", !options.kernel.is_empty()),
            ("--device-bitcode", !self.device_bitcode.is_empty()),
            ("--sanitize", self.sanitize),
            ("--profile-lines", self.profile_lines),
            ("--device-std", options.device_code.device_std),
            ("--extern-rlib", !options.extern_rlib.is_empty()),
            ("--load-pass-plugin=FILE@simplify", self.pass_plugins.iter().any(|file| file.stage == Stage::Simplify)),
        ];
        if options.distribution.distributor.is_some() {
            return Err(UsageError::new("`--distributor` is an option of a build")
                .help("run `offloadc finish` on the other machine, with the generic image"));
        }
        match done.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(UsageError::new(format!("`{option}` decides what is in the generic image already"))
                    .help("name the option where the program is built"))
            }
            None if self.arch_given => Ok(()),
            None => Err(UsageError::new("no arch is named").help("name one: `--offload-arch=sm_80`")),
        }
    }

    /// The checker is a part of the runtime, and it checks code that this machine's processor runs.
    pub(super) fn check_sanitize(&self) -> Result<(), UsageError> {
        if !self.sanitize {
            return Ok(());
        }
        // Images that are made from a generic image are not linked with the checker.
        let mut others = self.archs.iter().filter(|arch| arch.target.stack() != Stack::Host).map(|arch| &arch.name[..]);
        if let Some(name) = others.next().or(self.generic.as_ref().map(|_| GENERIC)) {
            let message = format!("`--sanitize` checks kernels on the `cpu`, and not on `{name}`");
            return Err(UsageError::new(message).help("name this arch alone: `--offload-arch=cpu --sanitize`"));
        }
        if self.runtime != Runtime::Offloadrt {
            let message = "`--sanitize` needs the runtime that contains the checker";
            return Err(UsageError::new(message).help("omit `--runtime`, or type `--runtime=offloadrt`"));
        }
        Ok(())
    }

    /// The runtime writes the counters of the program's own code.
    pub(super) fn check_profile_lines(&self) -> Result<(), UsageError> {
        if !self.profile_lines {
            return Ok(());
        }
        if self.sanitize {
            return Err(UsageError::new("`--profile-lines` cannot be combined with `--sanitize`"));
        }
        if self.generic.is_some() {
            let message = format!("`--profile-lines` counts code of archs, and `{GENERIC}` is none");
            return Err(UsageError::new(message).help("name the archs on which the program runs"));
        }
        if self.runtime != Runtime::Offloadrt {
            let message = "`--profile-lines` needs the runtime that writes the counts";
            return Err(UsageError::new(message).help("omit `--runtime`, or type `--runtime=offloadrt`"));
        }
        Ok(())
    }

    /// No output may be an input, and one file cannot contain the code of several archs.
    pub(super) fn check_outputs(&self) -> Result<(), UsageError> {
        for (stage, sink) in &self.outputs {
            if stage.per_arch() && sink.is_some() && self.archs.len() > 1 {
                let message = format!("`{}` writes one file for each arch, but only one is named", stage.name());
                return Err(UsageError::new(message).help("omit the path, or name one arch"));
            }
            if stage.per_arch() {
                continue;
            }
            for path in self.sinks(*stage, None, None).iter().filter_map(Sink::path) {
                if self.inputs.iter().any(|input| same_file(input, path)) {
                    let message = format!("the output `{}` is an input", path.display());
                    return Err(UsageError::new(message).help("name another file with `-o`"));
                }
            }
        }
        Ok(())
    }
}
