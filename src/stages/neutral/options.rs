//! The options of the stages that all archs share.

use crate::bundle::Runtime;
use crate::contract::panic_table::DevicePanic;
use crate::contract::queries::IS_GENERIC;
use crate::job::{GenericArchs, Job};
use crate::llvm::{Module, OptLevel, PassPlugin};
use crate::passes::panic::number_panics::Numbering;
use crate::targets::{Arch, DeviceLibrary};

/// All of a job that the code of the neutral module depends on.
#[derive(Clone, Copy)]
pub struct NeutralOptions<'a> {
    /// The archs that are asked for.
    pub archs: &'a [Arch],
    /// The image for no arch, if it is asked for.
    pub generic: Option<&'a GenericArchs>,
    /// The runtime that the object registers with.
    pub runtime: Runtime,
    /// The effect of a panic.
    pub device_panic: DevicePanic,
    /// Whether kernels print.
    pub device_print: bool,
    /// Whether the code is instrumented for the checker.
    pub sanitize: bool,
    /// Whether instructions are at the user's lines, for a profile.
    pub profile_lines: bool,
    /// The optimisation level.
    pub level: OptLevel,
    /// Whether debug information is kept.
    pub debug: bool,
    /// The messages and locations that the numbers of panics count.
    pub numbering: Numbering,
    /// The files of `--device-bitcode`, which no stage of the neutral module links, but which the checks need.
    pub libraries: &'a [DeviceLibrary],
    /// Plugins that extend the simplification.
    pub plugins: &'a [PassPlugin],
}

impl<'a> NeutralOptions<'a> {
    /// The options of a job.
    pub fn new(job: &'a Job) -> Self {
        Self {
            archs: &job.archs,
            generic: job.generic.as_ref(),
            runtime: job.runtime,
            device_panic: job.device_panic,
            device_print: job.device_print,
            sanitize: job.sanitize,
            profile_lines: job.profile_lines,
            level: job.opt_level,
            debug: job.debug,
            numbering: Numbering::OfProgram,
            libraries: &[],
            plugins: &[],
        }
    }

    /// The archs with which the queries of a module are folded for the checks, and whether for the generic image.
    pub fn checked_folds(&self, module: &Module<'_>) -> Vec<(&'a Arch, bool)> {
        let asks = self.generic.is_some() && module.function(IS_GENERIC).is_some();
        let again = self.archs.iter().filter(|_| asks).map(|arch| (arch, true));
        let others = self.generic.iter().flat_map(|generic| &generic.checked).map(|arch| (arch, true));
        self.archs.iter().map(|arch| (arch, false)).chain(again).chain(others).collect()
    }

    /// Whether a refusal by this arch is no error of the build, but kept in the generic image.
    pub fn is_kept(&self, arch: &Arch) -> bool {
        let is_named = |generic: &GenericArchs| generic.portable.contains(&arch.name);
        self.archs.iter().all(|built| built.name != arch.name) && !self.generic.is_some_and(is_named)
    }

    /// All archs that the code is checked for. It may come to run on any of them.
    pub fn checked(&self) -> impl Iterator<Item = &'a Arch> {
        self.archs.iter().chain(self.generic.iter().flat_map(|generic| &generic.checked))
    }
}
