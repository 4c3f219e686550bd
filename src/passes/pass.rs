//! The wrapper around every pass. Stages and targets call a pass by `pass!(passes, place_globals(module, spaces))`.
//!
//! The wrapper verifies the module after the pass: with `--verify-each`, and always in a debug build. Each pass is a
//! row of `--time-trace`. `--print-before` and `--print-after` print the module. `--run-pass` walks the lists of all
//! stages and skips every other pass, so that the one pass receives the arguments that it always receives.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::table::Row;
use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::llvm::{Bisect, Module, Without, crash};
use crate::system::dumps::{Dumps, Place};
use crate::system::time_trace::{Lane, Trace};

/// The options of the command line for passes.
#[derive(Clone, Debug, Default)]
pub struct PassOptions {
    /// `--verify-each`.
    pub verify: bool,
    /// `--print-before`.
    pub print_before: Vec<&'static Row>,
    /// `--print-after`.
    pub print_after: Vec<&'static Row>,
    /// `--run-pass`.
    pub only: Option<&'static Row>,
    /// `--without-workaround`.
    pub without: Without,
    /// `--bisect-passes`.
    pub bisect: Option<Arc<Bisect>>,
}

/// The passes of one job, which run on one thread.
#[derive(Debug)]
pub struct Passes {
    options: PassOptions,
    lane: Lane,
    /// The arch, in the job of one.
    arch: Option<String>,
    place: Place,
    dumps: Dumps,
    /// Whether the one pass of `--run-pass` has run.
    has_run: Cell<bool>,
    /// The remarks of the passes; none if they are not wanted.
    remarks: Option<RefCell<Vec<Diagnostic>>>,
}

impl Passes {
    /// The passes of a job, which has the lane and prints at the place.
    pub fn new(options: &PassOptions, lane: Lane, arch: Option<&str>, place: Place, dumps: &Dumps) -> Self {
        let (options, arch, dumps) = (options.clone(), arch.map(str::to_owned), dumps.clone());
        Self { options, lane, arch, place, dumps, has_run: Cell::new(false), remarks: None }
    }

    /// The same passes, which are asked for remarks.
    pub fn with_remarks(self) -> Self {
        Self { remarks: Some(RefCell::default()), ..self }
    }

    /// Adds remarks, if they are asked for.
    pub fn remark(&self, remarks: impl FnOnce() -> Vec<Diagnostic>) {
        if let Some(all) = &self.remarks {
            let new = remarks();
            all.borrow_mut().extend(new);
        }
    }

    /// The remarks, in the order in which they were added.
    pub fn into_remarks(self) -> Vec<Diagnostic> {
        self.remarks.map(RefCell::into_inner).unwrap_or_default()
    }

    /// The lane of the job.
    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Runs the pass `name` on a module; `pass!` calls this. A pass that is skipped gives the default.
    pub fn run<T: Default>(
        &self,
        name: &'static str,
        module: &Module<'_>,
        pass: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        // Each pass has its instance of this function, so the work that all have in common is in others.
        let Some(_activity) = self.begin(name, module) else { return Ok(T::default()) };
        let result = self.lane.pass(name, pass)?;
        self.end(name, module)?;
        Ok(result)
    }

    /// The work before a pass; none if the pass is skipped.
    fn begin(&self, name: &'static str, module: &Module<'_>) -> Option<crash::Activity> {
        if self.skips(name) || !self.is_within_bisection(name) {
            return None;
        }
        let activity = crash::activity(format_args!("pass `{name}`"));
        self.dump("Before", &self.options.print_before, name, module);
        Some(activity)
    }

    /// The work after a pass.
    fn end(&self, name: &'static str, module: &Module<'_>) -> Result<()> {
        self.verify_between(name, module)?;
        self.dump("After", &self.options.print_after, name, module);
        Ok(())
    }

    /// Runs a part of a pass, such as its work on one function; `part!` calls this.
    pub fn run_part<T: Default>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        if self.skips(name) { T::default() } else { part() }
    }

    /// Whether the pass that `--run-pass` names has run here.
    pub fn has_run(&self) -> bool {
        self.has_run.get()
    }

    /// Verifies a module, if it is verified at all.
    pub fn verify(&self, after: &str, module: &Module<'_>) -> Result<()> {
        if !self.options.verify && !cfg!(debug_assertions) {
            return Ok(());
        }
        module.verify().map_err(|e| Error::internal(format!("the module is not valid after {after}: {e}")))
    }

    /// Verifies a module after a pass, without its triple. LLVM's rules for one target, such as the address space of an
    /// alloca, hold only when the stage ends, and the stage verifies the module with its triple.
    fn verify_between(&self, name: &str, module: &Module<'_>) -> Result<()> {
        let triple = module.triple();
        module.set_triple("");
        let verified = self.verify(&format!("the pass `{name}`"), module);
        module.set_triple(&triple);
        verified
    }

    /// Whether this pass is a work-around that is switched off, or `--run-pass` names a pass that is neither this one,
    /// nor one of its parts, nor the pass that it is a part of.
    fn skips(&self, name: &str) -> bool {
        let is_off = self.options.without.lacks(name);
        let Some(only) = self.options.only else { return is_off };
        let runs = only.name == name || only.part_of() == Some(name) || is_part(name, only.name);
        if only.name == name {
            self.has_run.set(true);
        }
        is_off || !runs
    }

    /// Whether a pass may run that `--bisect-passes` numbers, and any other pass.
    fn is_within_bisection(&self, name: &str) -> bool {
        let bisect = self.bisect().filter(|_| Row::named(name).is_some_and(|row| row.is_optional));
        bisect.is_none_or(|bisect| bisect.runs(name, "the module"))
    }

    /// The bisection, which numbers the passes that may be skipped; none if all run.
    pub fn bisect(&self) -> Option<&Bisect> {
        self.options.bisect.as_deref()
    }

    /// Prints the module if the pass, or a part of it, is wanted.
    fn dump(&self, when: &str, wanted: &[&Row], name: &str, module: &Module<'_>) {
        if wanted.iter().any(|row| row.name == name || row.part_of() == Some(name)) {
            let arch = self.arch.as_ref().map_or(String::new(), |arch| format!(" for {arch}"));
            self.dumps.print(self.place, &format!("; *** IR Dump {when} {name}{arch} ***\n{}", module.text()));
        }
    }
}

/// Passes without options.
impl Default for Passes {
    fn default() -> Self {
        let lane = Trace::new(false).lane("");
        Self::new(&PassOptions::default(), lane, None, Place::Shared, &Dumps::default())
    }
}

/// Whether the pass `name` is a part of `whole`.
fn is_part(name: &str, whole: &str) -> bool {
    Row::named(name).is_some_and(|row| row.part_of() == Some(whole))
}

/// Runs a pass on the module that is its first argument. The pass has the name of its function, and a row in
/// `passes/table.rs`. A `?` after the call inside means that the pass can fail.
macro_rules! pass {
    ($passes:expr, $name:ident($module:expr $(, $argument:expr)* $(,)?)) => {
        $passes.run(stringify!($name), $module, || Ok($name($module $(, $argument)*)))
    };
    ($passes:expr, $name:ident($module:expr $(, $argument:expr)* $(,)?)?) => {
        $passes.run(stringify!($name), $module, || $name($module $(, $argument)*))
    };
}

/// Runs a part of a pass, which has a name and a row like a pass.
macro_rules! part {
    ($passes:expr, $name:ident($($argument:expr),* $(,)?)) => {
        $passes.run_part(stringify!($name), || $name($($argument),*))
    };
}

pub(crate) use {part, pass};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ExitCode;
    use crate::llvm::Context;

    fn drop_end(module: &Module<'_>) {
        let function = module.function("f").unwrap();
        function.blocks()[0].terminator().unwrap().erase();
    }

    fn set_name(module: &Module<'_>) {
        module.function("f").unwrap().set_name("g");
    }

    fn only(name: &str) -> Passes {
        let options = PassOptions { only: Row::named(name), ..PassOptions::default() };
        Passes::new(&options, Trace::new(false).lane(""), None, Place::Shared, &Dumps::default())
    }

    #[test]
    fn a_pass_that_breaks_the_module_is_named() {
        let context = Context::create();
        let module = Module::from_text(&context, b"define void @f() {\n  ret void\n}\n", "f").unwrap();
        let options = PassOptions { verify: true, ..PassOptions::default() };
        let passes = Passes::new(&options, Trace::new(false).lane(""), None, Place::Shared, &Dumps::default());
        let error = pass!(passes, drop_end(&module)).unwrap_err();
        assert_eq!(error.exit_code(), ExitCode::Internal);
        assert!(error.to_string().contains("not valid after the pass `drop_end`"), "{error}");
    }

    #[test]
    fn other_passes_are_skipped() {
        let context = Context::create();
        let module = Module::from_text(&context, b"define void @f() {\n  ret void\n}\n", "f").unwrap();
        let passes = only("keep_null");
        pass!(passes, set_name(&module)).unwrap();
        part!(passes, set_name(&module));
        assert!(module.function("f").is_some() && !passes.has_run());
        passes.run("keep_null", &module, || Ok(())).unwrap();
        assert!(passes.has_run());
    }

    #[test]
    fn a_work_around_that_is_switched_off_is_skipped() {
        let without = Without::parse("keep_null").unwrap();
        let options = PassOptions { without, ..PassOptions::default() };
        let passes = Passes::new(&options, Trace::new(false).lane(""), None, Place::Shared, &Dumps::default());
        assert!(passes.skips("keep_null") && !passes.skips("compare_as_numbers"));
    }

    #[test]
    fn a_part_runs_within_its_whole() {
        let part = only("expand_bits");
        assert!(!part.skips("legalize_functions") && !part.has_run());
        assert!(part.skips("align_locals") && !part.skips("expand_bits") && part.has_run());
        let whole = only("legalize_functions");
        assert!(!whole.skips("align_locals") && !whole.skips("legalize_functions") && whole.skips("keep_null"));
    }
}
