//! The neutral module: the device code after the stages that all archs share, from `legalize` to `validate`. It may be
//! in the cache, and it may be in parts ([`super::neutral_parts`]).

use super::kept_module::Kept;
use super::legalize::{Legalized, legalize};
use super::neutral_entry::{Entry, Found, Source};
use super::neutral_parts::in_parts;
use super::simplify::{Simplified, simplify};
use super::skip_refused::skip_refused;
use super::validate::{Validated, validate};
use super::work::{Ended, Lanes, Work};
use crate::analysis::partition::has_function_values;
use crate::bundle::Runtime;
use crate::cache::Cache;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicCounts};
use crate::contract::queries::IS_GENERIC;
use crate::diagnostics::Diagnostics;
use crate::distribution::{SliceModule, StageState};
use crate::error::{Failure, Result};
use crate::input::bodies::Unresolved;
use crate::job::{GenericArchs, Job};
use crate::llvm::{Module, OptLevel, PassPlugin};
use crate::passes::panic::number_panics::Numbering;
use crate::stage::Stage;
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
    /// What the numbers of panics count.
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

/// The resolved module, of which the neutral one is made.
pub struct NeutralJob<'a, 'b, 'c> {
    /// The lanes of the build.
    pub lanes: &'b Lanes<'a>,
    /// The lane of what all archs share.
    pub work: &'b Work<'a>,
    /// The output of `resolve`.
    pub module: Module<'c>,
    /// Its kernels.
    pub kernels: &'b KernelSet,
    /// The bodies that were not found.
    pub unresolved: &'b Unresolved,
    /// The files of `--device-bitcode`.
    pub libraries: &'a [DeviceLibrary],
    /// Plugins that extend the simplification.
    pub plugins: &'a [PassPlugin],
}

/// The neutral code, and the findings about it.
pub struct Neutral<'a> {
    /// The modules: one, or one for each part.
    pub modules: Vec<SliceModule>,
    /// The findings.
    pub validated: Validated<'a>,
}

impl<'a> NeutralJob<'a, '_, '_> {
    /// Makes the neutral code, or takes it from the cache.
    pub fn run(self, diagnostics: &mut Diagnostics) -> Result<Neutral<'a>, Failure<Ended>> {
        if !self.shows_stages()
            && let Some(neutral) = in_parts(&self)?
        {
            return Ok(neutral);
        }
        let kernels = (0..self.kernels.len()).collect();
        let (bitcode, validated) = self.whole(diagnostics)?;
        Ok(Neutral { modules: vec![SliceModule { kernels, before: PanicCounts::default(), bitcode }], validated })
    }

    /// The whole module, and the findings about it. A module with findings is not kept, because they must be reported.
    fn whole(self, diagnostics: &mut Diagnostics) -> Result<(Vec<u8>, Validated<'a>), Failure<Ended>> {
        let Self { lanes, work, module, kernels, unresolved, libraries, plugins } = &self;
        let (job, options) = (lanes.job, NeutralOptions { libraries, plugins, ..NeutralOptions::new(lanes.job) });
        let make = |diagnostics: &mut Diagnostics| {
            let built = |archs: &[&'a Arch], diagnostics: &mut Diagnostics| skip_refused(job, archs, diagnostics);
            let made = make(work, Source { module, kernels, options }, unresolved, built, diagnostics)?;
            work.end_after(Stage::Validate)?;
            Ok::<_, Failure<Ended>>(made)
        };
        let cache = self.cache();
        let entry = cache.and_then(|cache| Entry::of(module.duplicate(), kernels, &options, cache));
        let (Some(cache), Some(entry)) = (cache, entry) else {
            let Made { bitcode, validated, .. } = make(diagnostics)?;
            return Ok((bitcode, validated));
        };
        if let Some(Found::Module(Kept { bitcode, code, bounds, panics, .. })) = entry.get(cache) {
            let archs = job.archs.iter().collect();
            return Ok((bitcode, Validated { archs, code, bounds, panics, refusals: Vec::new() }));
        }
        let before = diagnostics.added();
        let made = make(diagnostics)?;
        let Validated { archs, refusals, .. } = &made.validated;
        if diagnostics.added() == before && archs.len() == job.archs.len() && refusals.is_empty() {
            entry.keep(cache, &made);
        }
        Ok((made.bitcode, made.validated))
    }

    /// The cache, unless something that these stages make is shown.
    pub(super) fn cache(&self) -> Option<&'a Cache> {
        self.lanes.job.cache.as_deref().filter(|_| !self.shows_stages())
    }

    /// Whether something that these stages make is shown or checked, so that the work must be done.
    fn shows_stages(&self) -> bool {
        let stages = [Stage::Legalize, Stage::Simplify, Stage::Validate];
        self.lanes.job.shows_passes() || stages.iter().any(|stage| self.work.wants(*stage))
    }
}

/// A neutral module that was made.
pub(super) struct Made<'a> {
    /// The module.
    pub(super) bitcode: Vec<u8>,
    /// The findings about it.
    pub(super) validated: Validated<'a>,
    /// Whether its code depends on lines of the source.
    pub(super) depends_on_lines: bool,
    /// Whether functions are values.
    pub(super) has_function_values: bool,
}

/// Makes a neutral module. `built` chooses among the archs once all refusals are known.
pub(super) fn make<'a>(
    work: &Work<'_>,
    Source { module, kernels, options }: Source<'_, 'a, '_>,
    unresolved: &Unresolved,
    built: impl FnOnce(&[&'a Arch], &mut Diagnostics) -> Result<Vec<&'a Arch>>,
    diagnostics: &mut Diagnostics,
) -> Result<Made<'a>, Failure<Ended>> {
    let mut legalized = work.change_with_state(
        Stage::Legalize,
        module,
        |legalized: &Legalized| StageState {
            asks_arch: legalized.asks_arch,
            panics: legalized.panics.clone(),
            ..StageState::of(kernels)
        },
        |passes| legalize(passes, module, kernels, unresolved, &options),
    )?;
    diagnostics.extend(legalized.dropped_prints.take());
    let simplified = work.change_with_state(
        Stage::Simplify,
        module,
        |simplified| simplified_state(simplified, kernels),
        |passes| simplify(passes, module, kernels, legalized, &options),
    )?;
    let depends_on_lines = simplified.depends_on_lines;
    let validated = work.change_with_state(
        Stage::Validate,
        module,
        |validated| validated_state(validated, kernels),
        |passes| validate(passes, module, kernels, simplified, &options, built, diagnostics),
    )?;
    if !options.debug {
        // Debug locations are needed only for diagnostics, and all diagnostics with a location have been reported.
        module.strip_debug();
    }
    let has_function_values = has_function_values(module);
    Ok(Made { bitcode: module.bitcode(), validated, depends_on_lines, has_function_values })
}

/// What the text of `simplify` does not show.
pub fn simplified_state(simplified: &Simplified, kernels: &KernelSet) -> StageState {
    StageState {
        asks_arch: simplified.asks_arch,
        panics: simplified.panics.clone(),
        proven: simplified.proven_in_order(),
        ..StageState::of(kernels)
    }
}

/// What the text of `validate` does not show.
pub fn validated_state(validated: &Validated<'_>, kernels: &KernelSet) -> StageState {
    StageState { panics: validated.panics.clone(), ..StageState::of(kernels) }
}
