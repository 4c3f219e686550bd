//! Gives the code around a kernel the line where the user's function begins.
//!
//! The crate `offload` calls the function with its arguments, and the optimiser inlines it there. After the last line
//! of the function, a debugger would stop in the crate.

use crate::analysis::location::user_frame;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Function, Module, Value};

/// Changes the locations of instructions that no line of the user leads to.
pub fn locate_glue(module: &Module<'_>, kernels: &KernelSet) {
    for function in kernels.functions(module).filter(|function| function.has_subprogram()) {
        let Some((inlined, number)) = function.instructions().find_map(|i| Some((i, outermost_of_the_user(i)?))) else {
            continue;
        };
        glue(function).into_iter().for_each(|instruction| instruction.locate_at_head(inlined, number));
    }
}

/// The number of the outermost frame in the user's own functions.
fn outermost_of_the_user(instruction: Value<'_>) -> Option<usize> {
    instruction.frames().iter().rposition(|frame| user_frame(std::slice::from_ref(frame)).is_some())
}

/// The instructions that have a place, and none in the user's own functions.
fn glue<'c>(function: Function<'c>) -> Vec<Value<'c>> {
    let is_glue = |i: &Value<'c>| !i.frames().is_empty() && outermost_of_the_user(*i).is_none();
    function.instructions().filter(is_glue).collect()
}
