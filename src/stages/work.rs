//! The wrapper around every stage of a job: it names the stage for the crash guard, measures its time, and verifies and
//! emits its output.

use crate::error::{Context as _, Error, Result};
use crate::job::Job;
use crate::llvm::{Module, crash};
use crate::stage::Stage;
use crate::system::time_trace::Lane;

/// The context of the stages of one job: the host's, or one arch's.
pub struct Work<'a> {
    job: &'a Job,
    lane: Lane,
    /// The arch, in the job of one arch.
    arch: Option<&'a str>,
}

impl<'a> Work<'a> {
    /// Creates the context for an arch, or without an arch for the stages that all archs share.
    pub fn new(job: &'a Job, lane: Lane, arch: Option<&'a str>) -> Self {
        Work { job, lane, arch }
    }

    /// Runs one stage.
    pub fn stage<T>(&self, stage: Stage, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let what = match self.arch {
            Some(arch) => format!("doing `{}` for {arch}", stage.name()),
            None => format!("doing `{}`", stage.name()),
        };
        let _activity = crash::activity(&what);
        self.lane.stage(stage, run).context(what)
    }

    /// Whether the output of a stage is requested.
    pub fn wants(&self, stage: Stage) -> bool {
        self.job.wants(stage)
    }

    /// Verifies a module after a stage, and writes it if `--emit` or `--save-temps` requests it.
    pub fn emit_module(&self, stage: Stage, module: &Module<'_>) -> Result<()> {
        self.verify(stage, module)?;
        if self.wants(stage) { self.emit(stage, module.text().as_bytes()) } else { Ok(()) }
    }

    /// Verifies a module under `--verify-each`, and always in a debug build.
    pub fn verify(&self, stage: Stage, module: &Module<'_>) -> Result<()> {
        if !self.job.verify_each && !cfg!(debug_assertions) {
            return Ok(());
        }
        let invalid = |e| Error::internal(format!("the module is not valid after `{}`: {e}", stage.name()));
        module.verify().map_err(invalid)
    }

    /// Writes the output of a stage if it is requested.
    pub fn emit(&self, stage: Stage, bytes: &[u8]) -> Result<()> {
        if self.job.dry_run {
            return Ok(());
        }
        for sink in self.job.sinks(stage, self.arch, None) {
            sink.write(bytes).map_err(Error::of_output)?;
        }
        Ok(())
    }
}
