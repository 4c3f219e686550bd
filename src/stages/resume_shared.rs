//! `--from`: continues with the text of a stage that all archs share. The text ends with the state that the module does
//! not show, above all the kernels ([`StageState`]).

use std::collections::HashSet;

use super::neutral::options::NeutralOptions;
use super::neutral::simplify::simplify;
use super::neutral::types::{
    KernelFacts, Legalized, LoweredCode, Neutral, NeutralJob, Simplified, Validated, simplified_state, validated_state,
};
use super::neutral::validate::validate;
use super::work::Ended;
use crate::analysis::callees::AddressTaken;
use crate::analysis::reach::Reach;
use crate::checks::check_device::find_candidates;
use crate::checks::check_kernel_table::{check_call_types, check_kernel_table};
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicCounts;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::distribution::{METADATA, NotState, SliceModule, StageState};
use crate::error::{Failure, Result};
use crate::input::file::Input;
use crate::llvm::{Function, Module};
use crate::passes::launch::launch_bounds::Bounds;
use crate::passes::launch::launch_state::takes_launch_state;
use crate::stage::Stage;

/// Takes the state out of the text of a stage. Without it, the stages that follow write their own states.
pub fn state(module: &Module<'_>, from: Stage, input: &Input) -> Result<StageState, Diagnostic> {
    let (shown, name) = (input.display(), from.name());
    let write = format!("write it with `--emit={name}=FILE`; the text on standard output lacks the tables");
    let refused = |message: String, help: String| Diagnostic::coded(Code::InvalidInput, message).help(help);
    let Some(digits) = module.named_text(METADATA) else {
        return Err(refused(format!("{shown} lacks the tables of kernels that `--from={name}` needs"), write));
    };
    let state = StageState::read(&digits, from).map_err(|reason| match reason {
        NotState::Damaged => refused(format!("the tables of kernels in {shown} are damaged"), write.clone()),
        NotState::Version(was) => {
            let here = env!("CARGO_PKG_VERSION");
            refused(format!("{shown} is of offloadc {was}, and this is offloadc {here}"), write.clone())
        }
        NotState::Stage(was) => {
            refused(format!("{shown} is the output of `--emit={was}`"), format!("continue with `--from={was}`"))
        }
    })?;
    module.erase_named_metadata(METADATA);
    if let Some(fault) = check_kernel_table(module, &state.kernels).into_iter().next() {
        return Err(fault.note(format!("the table is in {shown}")));
    }
    // Earlier stages examine all calls themselves.
    if let Some(fault) = check_call_types(module, from == Stage::Validate) {
        return Err(fault);
    }
    match lacking_mark(module, &state.kernels).filter(|_| from == Stage::Validate) {
        Some(kernel) => {
            Err(refused(format!("kernel `{kernel}` of {shown} lacks the attribute of its launch state"), write))
        }
        None => Ok(state),
    }
}

/// The kernel that may ask for the launch state, and is not marked as one that takes it.
fn lacking_mark(module: &Module<'_>, kernels: &KernelSet) -> Option<String> {
    let asked = module.function(LAUNCH_STATE)?;
    let addressed = AddressTaken::of(module);
    let lacks = |kernel: &Function<'_>| {
        !takes_launch_state(*kernel) && Reach::of_execution(*kernel, &addressed).order.contains(&*asked)
    };
    kernels.functions(module).find(lacks).map(|kernel| kernel.name())
}

impl<'a> NeutralJob<'a, '_, '_> {
    /// Makes the neutral code of a module that is the output of `legalize`, `simplify` or `validate`. It is whole, as
    /// in the build that has shown it.
    pub fn resume(
        self,
        from: Stage,
        state: StageState,
        diagnostics: &mut Diagnostics,
    ) -> Result<Neutral<'a>, Failure<Ended>> {
        let Self { lanes, work, module, kernels, unresolved, libraries, plugins } = &self;
        let options = NeutralOptions { libraries, plugins, ..NeutralOptions::new(lanes.job) };
        let StageState { kernels: _, asks_arch, panics, proven } = state;
        let validated = if from == Stage::Validate {
            let facts = vec![KernelFacts::default(); kernels.len()];
            let code = LoweredCode { kernels: facts };
            let archs = lanes.job.archs.iter().collect();
            Validated { archs, code, bounds: Bounds::default(), panics, refusals: Vec::new() }
        } else {
            let candidates = find_candidates(module, kernels, unresolved);
            let simplified = if from == Stage::Legalize {
                let legalized = Legalized { candidates, asks_arch, panics, dropped_prints: None };
                let simplify = |passes: &_| simplify(passes, module, kernels, legalized, &options);
                work.change_with_state(Stage::Simplify, module, |done| simplified_state(done, kernels), simplify)?
            } else {
                let proven = proven.into_iter().collect();
                let as_written = HashSet::new();
                Simplified { candidates, proven, as_written, asks_arch, panics, depends_on_lines: false }
            };
            let built = |archs: &[_], _: &mut _| Ok(archs.to_vec());
            let validate = |passes: &_| validate(passes, module, kernels, simplified, &options, built, diagnostics);
            work.change_with_state(Stage::Validate, module, |done| validated_state(done, kernels), validate)?
        };
        if !options.debug {
            module.strip_debug();
        }
        let kernels = (0..kernels.len()).collect();
        let module = SliceModule { kernels, before: PanicCounts::default(), bitcode: module.bitcode() };
        Ok(Neutral { modules: vec![module], validated })
    }
}
