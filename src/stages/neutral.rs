//! The neutral module: the device code after the stages that all archs share, from `legalize` to `validate`. It may be
//! in the cache.
//!
//! The key is taken before these stages. It contains neither debug information nor the lines of panics, so an edit
//! above a kernel does not change it. If the code turns out to depend on a line (`Location::line`), its entry says so,
//! and the module is looked up again by a key with all lines. A module with findings is not kept, because these stages
//! report them.

use super::kept_module::{self as kept, Kept};
use super::legalize::legalize;
use super::simplify::simplify;
use super::skip_refused::skip_refused;
use super::validate::{Validated, validate};
use super::work::{Ended, Work};
use crate::analysis::source_locations::source_locations;
use crate::bundle::Runtime;
use crate::cache::{Cache, Key, Subject};
use crate::contract::builtin::{BUILTINS, Builtin};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, SourceLocation};
use crate::diagnostics::Diagnostics;
use crate::error::{Failure, Result};
use crate::input::bodies::Unresolved;
use crate::job::Job;
use crate::llvm::{Module, OptLevel, Value};
use crate::stage::Stage;
use crate::targets::Arch;

/// All of a job that the code of the neutral module depends on.
#[derive(Clone, Copy)]
pub struct NeutralOptions<'a> {
    /// The archs that are asked for.
    pub archs: &'a [Arch],
    /// The runtime that the object registers with.
    pub runtime: Runtime,
    /// The effect of a panic.
    pub device_panic: DevicePanic,
    /// Whether kernels print.
    pub device_print: bool,
    /// Whether the code is instrumented for the checker.
    pub sanitize: bool,
    /// The optimisation level.
    pub level: OptLevel,
    /// Whether debug information is kept.
    pub debug: bool,
}

impl<'a> NeutralOptions<'a> {
    /// The options of a job.
    pub fn new(job: &'a Job) -> Self {
        Self {
            archs: &job.archs,
            runtime: job.runtime,
            device_panic: job.device_panic,
            device_print: job.device_print,
            sanitize: job.sanitize,
            level: job.opt_level,
            debug: job.debug,
        }
    }
}

/// The resolved module, of which the neutral one is made.
pub struct NeutralJob<'a, 'b, 'c> {
    /// What is done.
    pub job: &'a Job,
    /// The lane.
    pub work: &'b Work<'a>,
    /// The output of `resolve`.
    pub module: Module<'c>,
    /// Its kernels.
    pub kernels: &'b KernelSet,
    /// The bodies that were not found.
    pub unresolved: &'b Unresolved,
}

/// The neutral module as bitcode, and the findings about it.
pub struct Neutral<'a> {
    /// The module.
    pub bitcode: Vec<u8>,
    /// The findings.
    pub validated: Validated<'a>,
}

impl<'a> NeutralJob<'a, '_, '_> {
    /// Makes the neutral module, or takes it from the cache.
    pub fn run(self, diagnostics: &mut Diagnostics) -> Result<Neutral<'a>, Failure<Ended>> {
        let Some(cache) = self.job.cache.as_deref().filter(|_| !self.shows_stages()) else {
            return Ok(self.make(diagnostics)?.0);
        };
        let places = source_locations(&self.module);
        let keys = match self.keys(&places) {
            Ok(keys) => keys,
            Err(error) => {
                cache.has_trouble(error.to_string());
                return Ok(self.make(diagnostics)?.0);
            }
        };
        let places: Vec<_> = places.into_iter().map(|(_, place)| place).collect();
        if let Some(neutral) = self.look_up(cache, &keys, &places) {
            return Ok(neutral);
        }
        let (job, before) = (self.job, diagnostics.added());
        let (neutral, depends_on_lines) = self.make(diagnostics)?;
        if diagnostics.added() == before && neutral.validated.archs.len() == job.archs.len() {
            keep(cache, &keys, &neutral, depends_on_lines, &places);
        }
        Ok(neutral)
    }

    /// The module in the cache.
    fn look_up(&self, cache: &Cache, keys: &Keys, places: &[SourceLocation]) -> Option<Neutral<'a>> {
        let get = |key| cache.get(key, Subject::Module);
        let mut contents = get(&keys.without_lines)?;
        if contents == DEPENDS_ON_LINES {
            contents = get(&keys.with_lines)?;
        }
        let archs = self.job.archs.iter().collect();
        let Some(kept) = kept::read(&contents, places, self.kernels.len()) else {
            cache.has_trouble(format!("the entry of {} has other contents", Subject::Module));
            return None;
        };
        let Kept { bitcode, code, bounds, panics } = kept;
        Some(Neutral { bitcode, validated: Validated { archs, code, bounds, panics } })
    }

    /// Makes the module. Returns it, and whether its code depends on lines.
    fn make(self, diagnostics: &mut Diagnostics) -> Result<(Neutral<'a>, bool), Failure<Ended>> {
        let Self { job, work, module, kernels, unresolved } = self;
        let options = NeutralOptions::new(job);
        let mut legalized =
            work.change(Stage::Legalize, &module, |passes| legalize(passes, &module, kernels, unresolved, &options))?;
        diagnostics.extend(legalized.dropped_prints.take());
        let simplified =
            work.change(Stage::Simplify, &module, |passes| simplify(passes, &module, kernels, legalized, &options))?;
        let depends_on_lines = simplified.depends_on_lines;
        let built = |archs: &[&'a Arch], diagnostics: &mut Diagnostics| skip_refused(job, archs, diagnostics);
        let validated = work.change(Stage::Validate, &module, |passes| {
            validate(passes, &module, kernels, simplified, &options, built, diagnostics)
        })?;
        work.end_after(Stage::Validate)?;
        if !options.debug {
            // Debug locations are needed only for diagnostics, and all diagnostics with a location have been reported.
            module.strip_debug();
        }
        Ok((Neutral { bitcode: module.bitcode(), validated }, depends_on_lines))
    }

    /// The keys of the module. With debug information in the output, its lines are in both.
    fn keys(&self, places: &[(Value<'_>, SourceLocation)]) -> Result<Keys> {
        let NeutralOptions { archs, runtime, device_panic, device_print, sanitize, level, debug } =
            NeutralOptions::new(self.job);
        let lines: Vec<_> = places.iter().map(|(variable, place)| (variable.name(), place)).collect();
        let copy = self.module.duplicate();
        // `report_masks` takes the places of operations with a mask from the debug information.
        let has_mask = |builtin: &Builtin| builtin.is_masked() && copy.function(builtin.name).is_some();
        if !debug && !BUILTINS.iter().any(has_mask) {
            copy.strip_debug();
        }
        hide_locations(&copy);
        let options = format!("{runtime:?} {device_panic:?} {device_print} {sanitize} {level:?} {debug}");
        let kernels = format!("{:?}", self.kernels.iter().collect::<Vec<_>>());
        let parts =
            [("device code", &copy.bitcode()[..]), ("kernels", kernels.as_bytes()), ("options", options.as_bytes())];
        let without_lines = Key::of_module(archs, &parts)?;
        Ok(Keys { with_lines: without_lines.and("lines", format!("{lines:?}").as_bytes()), without_lines })
    }

    /// Whether something that these stages make is shown or checked, so that the work must be done.
    fn shows_stages(&self) -> bool {
        let stages = [Stage::Legalize, Stage::Simplify, Stage::Validate];
        self.job.shows_passes() || stages.iter().any(|stage| self.work.wants(*stage))
    }
}

/// The keys of a module.
struct Keys {
    /// Of the code alone.
    without_lines: Key,
    /// Of the code together with all lines, and the names that contain hashes of them.
    with_lines: Key,
}

/// The contents of the entry without lines, if the code depends on them.
const DEPENDS_ON_LINES: &[u8] = b"with lines";

/// Adds a module to the cache.
fn keep(cache: &Cache, keys: &Keys, neutral: &Neutral<'_>, depends_on_lines: bool, places: &[SourceLocation]) {
    let Neutral { bitcode, validated: Validated { archs: _, code, bounds, panics } } = neutral;
    let Some(contents) = kept::write(bitcode, code, bounds, panics, places) else { return };
    if depends_on_lines {
        cache.put(&keys.without_lines, DEPENDS_ON_LINES);
        cache.put(&keys.with_lines, &contents);
    } else {
        cache.put(&keys.without_lines, &contents);
    }
}

/// Removes from a copy for a key the lines and columns of locations, and the names of their statics, which are hashes
/// of these.
fn hide_locations(copy: &Module<'_>) {
    for (variable, _) in source_locations(copy) {
        let Some(location) = variable.initializer() else { continue };
        variable.set_name("");
        let length = location.element(1).constant_bytes().map(|bytes| bytes[..8].to_vec()).unwrap_or_default();
        let (types, bytes) = (copy.types(), [length, vec![0; 8]].concat());
        let bytes: Vec<_> = bytes.iter().map(|byte| types.i8().constant((*byte).into())).collect();
        let fields = [location.element(0), types.i8().constant_array(&bytes)];
        variable.set_initializer(Some(location.ty().structure_constant(&fields)));
    }
}
