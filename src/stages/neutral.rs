//! The neutral module: the device code after the stages that all archs share, from `legalize` to `validate`. It may be
//! in the cache, and it may be in parts ([`parts`]).

mod entry;
mod kept_module;
pub mod legalize;
pub mod make;
pub mod options;
mod parts;
pub mod simplify;
pub mod types;
pub mod validate;

use self::entry::{Entry, Found};
use self::kept_module::Kept;
use self::make::make;
use self::options::NeutralOptions;
use self::parts::in_parts;
use self::types::{Made, Neutral, NeutralJob, Source, Validated};
use super::skip_refused::skip_refused;
use super::work::Ended;
use crate::contract::panic_table::PanicCounts;
use crate::diagnostics::Diagnostics;
use crate::distribution::SliceModule;
use crate::error::{Failure, Result};
use crate::stage::Stage;
use crate::targets::Arch;

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
}
