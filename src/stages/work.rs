//! The wrapper around every stage of a job: it names the stage for the crash guard, measures its time, and verifies and
//! emits its output.

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::distribution::StageState;
use crate::error::{Error, Failing, Failure, Result};
use crate::job::Job;
use crate::llvm::{Module, crash};
use crate::passes::pass::{PassOptions, Passes};
use crate::stage::Stage;
use crate::system::dumps::{Dumps, Place};
use crate::system::output::Sink;
use crate::system::time_trace::Trace;
use crate::system::tool::Tools;
use crate::targets::Arch;

/// The lanes of a run of offloadc.
pub struct Lanes<'a> {
    /// The job.
    pub job: &'a Job,
    trace: Trace,
    dumps: Dumps,
}

impl<'a> Lanes<'a> {
    /// Starts the clock.
    pub fn new(job: &'a Job) -> Self {
        Self { job, trace: Trace::new(job.time_trace.is_some()), dumps: Dumps::default() }
    }

    /// The same lanes for another job.
    pub fn of<'b>(&self, job: &'b Job) -> Lanes<'b> {
        Lanes { job, trace: self.trace.clone(), dumps: self.dumps.clone() }
    }

    /// The lane of the stages that all archs share.
    pub fn shared(&self) -> Work<'a> {
        self.shared_lane("offloadc")
    }

    /// The lane of a part of the module in the stages that all archs share.
    pub fn shared_part(&self, number: usize) -> Work<'a> {
        self.shared_lane(&part_lane("offloadc", number))
    }

    /// The lane of the functions for kernels of other objects.
    pub fn functions(&self) -> Work<'a> {
        self.shared_lane("offloadc, functions")
    }

    /// The lane of an arch, the one of this number among those that are built.
    pub fn arch(&self, number: usize, arch: &'a Arch) -> Work<'a> {
        self.work(&arch.name, Some(arch), Place::Arch(number))
    }

    /// The lane of a part of the module, for an arch.
    pub fn part(&self, at: usize, number: usize, arch: &'a Arch) -> Work<'a> {
        self.work(&part_lane(&arch.name, number), Some(arch), Place::Part(at, number))
    }

    /// The lane of the code that all archs share, with lines for remarks.
    pub fn remarks(&self) -> Work<'a> {
        self.shared_lane("offloadc, remarks")
    }

    /// The lane of the remarks about an arch.
    pub fn remarks_of(&self, number: usize, arch: &'a Arch) -> Work<'a> {
        let work = self.work(&format!("{}, remarks", arch.name), Some(arch), Place::Arch(number));
        Work { passes: work.passes.with_remarks(), ..work }
    }

    /// The lane of a host module.
    pub fn host(&self, number: usize, name: &str) -> Work<'a> {
        self.work(name, None, Place::Host(number))
    }

    /// The external tools, whose rows are in the lane of that name.
    pub fn tools(&self, lane: &str) -> Tools {
        self.job.tools.in_lane(&self.trace, lane)
    }

    /// Prints the output that the lanes have kept, and ends the clock. The lanes have ended.
    pub fn finish(&self, succeeded: bool) -> Result<()> {
        self.dumps.finish();
        match &self.job.time_trace {
            Some(path) if succeeded => self.trace.write(path),
            _ => Ok(()),
        }
    }

    fn shared_lane(&self, lane: &str) -> Work<'a> {
        self.work(lane, None, Place::Shared)
    }

    /// The job of a slice has the options of its arch, which are those of the build.
    fn work(&self, lane: &str, arch: Option<&'a Arch>, place: Place) -> Work<'a> {
        let without = arch.map_or(self.job.passes.without, |arch| arch.options.without());
        let options = PassOptions { without, ..self.job.passes.clone() };
        let arch = arch.map(|arch| &arch.name[..]);
        let passes = Passes::new(&options, self.trace.lane(lane), arch, place, &self.dumps);
        Work { job: self.job, passes, arch }
    }
}

/// The name of the lane of a part.
pub fn part_lane(arch: &str, number: usize) -> String {
    format!("{arch}, part {}", number + 1)
}

/// The context of the stages of one job: the host's, or one arch's.
pub struct Work<'a> {
    job: &'a Job,
    passes: Passes,
    /// The arch, in the job of one arch.
    arch: Option<&'a str>,
}

/// Nothing comes after this: no later stage is asked for, or the diagnostics say why.
#[derive(Clone, Copy, Debug)]
pub struct Ended;

impl Ended {
    /// Adds the diagnostic of a fault of the input.
    pub fn with(diagnostics: &mut Diagnostics) -> impl FnOnce(Failure<Diagnostic>) -> Failure<Self> {
        |failure| match failure {
            Failure::Reason(diagnostic) => {
                diagnostics.push(diagnostic);
                Failure::Reason(Self)
            }
            Failure::Operation(error) => Failure::Operation(error),
        }
    }

    /// The result; none if the work has ended early.
    pub fn or_none<T>(result: Result<T, Failure<Self>>) -> Result<Option<T>> {
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Failure::Reason(Self)) => Ok(None),
            Err(Failure::Operation(error)) => Err(error),
        }
    }
}

impl Work<'_> {
    /// Runs the passes of the lane.
    pub fn passes(&self) -> &Passes {
        &self.passes
    }

    /// The remarks of the passes.
    pub fn into_remarks(self) -> Vec<Diagnostic> {
        self.passes.into_remarks()
    }

    /// Runs one stage.
    pub fn stage<T, E: Failing>(&self, stage: Stage, run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let _activity = crash::activity(stage.doing(self.arch));
        let failed = |error: E| error.in_context(format!("cannot {}", stage.to_do(self.arch)));
        self.passes.lane().stage(stage, run).map_err(failed)
    }

    /// Does a stage that makes a module, and emits the module.
    pub fn make<'c, E: Failing>(
        &self,
        stage: Stage,
        run: impl FnOnce(&Passes) -> Result<Module<'c>, E>,
    ) -> Result<Module<'c>, E> {
        self.stage(stage, || {
            let module = run(&self.passes)?;
            self.emit_module(stage, &module, None)?;
            Ok(module)
        })
    }

    /// The same for a stage from which `--from` continues, with the state that the module does not show.
    pub fn make_with_state<'c, E: Failing>(
        &self,
        stage: Stage,
        state: &StageState,
        run: impl FnOnce(&Passes) -> Result<Module<'c>, E>,
    ) -> Result<Module<'c>, E> {
        self.stage(stage, || {
            let module = run(&self.passes)?;
            self.emit_module(stage, &module, Some(state))?;
            Ok(module)
        })
    }

    /// Does a stage that changes a module, and emits the module.
    pub fn change<T, E: Failing>(
        &self,
        stage: Stage,
        module: &Module<'_>,
        run: impl FnOnce(&Passes) -> Result<T, E>,
    ) -> Result<T, E> {
        self.stage(stage, || {
            let result = run(&self.passes)?;
            self.emit_module(stage, module, None)?;
            Ok(result)
        })
    }

    /// The same for a stage from which `--from` continues, with the state that the module does not show.
    pub fn change_with_state<T, E: Failing>(
        &self,
        stage: Stage,
        module: &Module<'_>,
        state: impl FnOnce(&T) -> StageState,
        run: impl FnOnce(&Passes) -> Result<T, E>,
    ) -> Result<T, E> {
        self.stage(stage, || {
            let result = run(&self.passes)?;
            let state = self.wants(stage).then(|| state(&result));
            self.emit_module(stage, module, state.as_ref())?;
            Ok(result)
        })
    }

    /// Does a stage that gives bytes, and emits them.
    pub fn bytes(&self, stage: Stage, run: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        self.stage(stage, || {
            let bytes = run()?;
            self.emit(stage, &bytes)?;
            Ok(bytes)
        })
    }

    /// Ends the work if nothing after `stage` is asked for.
    pub fn end_after(&self, stage: Stage) -> Result<(), Failure<Ended>> {
        if self.job.ends_with(stage) { Err(Failure::Reason(Ended)) } else { Ok(()) }
    }

    /// Whether the output of a stage is requested.
    pub fn wants(&self, stage: Stage) -> bool {
        self.job.wants(stage)
    }

    /// Verifies a module after a stage, and writes it if `--emit` or `--save-temps` requests it.
    /// A file also gets the state with which `--from` continues, and the order of uses. Standard output is for reading.
    fn emit_module(&self, stage: Stage, module: &Module<'_>, state: Option<&StageState>) -> Result<()> {
        self.passes.verify(&format!("`{}`", stage.name()), module)?;
        if !self.wants(stage) {
            return Ok(());
        }
        self.emit_to(stage, |sink| {
            if sink.path().is_none() {
                return module.text().into_bytes();
            }
            let text = module.text_with_orders();
            state.map(|state| state.add_to(stage, &text)).unwrap_or(text).into_bytes()
        })
    }

    /// Writes the output of a stage if it is requested.
    pub fn emit(&self, stage: Stage, bytes: &[u8]) -> Result<()> {
        self.emit_to(stage, |_| bytes)
    }

    fn emit_to<B: AsRef<[u8]>>(&self, stage: Stage, bytes: impl Fn(&Sink) -> B) -> Result<()> {
        if self.job.dry_run {
            return Ok(());
        }
        for sink in self.job.sinks(stage, self.arch, None) {
            sink.write(bytes(&sink).as_ref()).map_err(Error::of_output)?;
        }
        Ok(())
    }
}
