//! Turns a kernel's calls of `__offload_parameter` and `__offload_specialize_block_dim` into attributes of the kernel.
//! They contain the places of the scalars among the bytes of its arguments, and mark the scalars, and the size of the
//! block, for which the code should be compiled once more when their values are known.
//!
//! Before: functions that reach these calls are inlined. After: the calls are removed.

use crate::analysis::location::user_location;
use crate::contract::builtin::{PARAMETER, SPECIALIZE_BLOCK_DIM};
use crate::contract::kernel::{KernelSet, Scalar};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Attribute, Function, Module, Place, Value};

/// The attribute with the scalars: the offset, the size and the flags of each.
const SCALARS: &str = "offload-scalars";
/// The attribute of kernels whose code depends on the size of the block.
const BLOCK_DIM: &str = "offload-specializes-block-dim";

/// The scalars of a kernel's function, in order.
pub fn scalars(kernel: Function<'_>) -> Vec<Scalar> {
    let text = kernel.text_attribute(Place::Function, SCALARS).unwrap_or_default();
    let row = |row: &str| {
        let mut numbers = row.split(':').map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        Some(Scalar { offset: next()?, size: next()?, is_specialized: next()? != 0 })
    };
    text.split(',').filter_map(row).collect()
}

/// Whether a kernel's function asks for code for the size of the block.
pub fn specializes_block_dim(kernel: Function<'_>) -> bool {
    kernel.text_attribute(Place::Function, BLOCK_DIM).is_some()
}

/// Removes all such calls from the kernels, and reports invalid ones.
pub fn take_parameters(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for name in [PARAMETER, SPECIALIZE_BLOCK_DIM] {
        let Some(function) = module.function(name) else { continue };
        // LLVM lists uses in reverse order.
        for call in function.direct_calls().into_iter().rev() {
            if let Err(problem) = take(call, name, kernels) {
                let message = format!("`{name}` {problem}");
                found.push(Diagnostic::coded(Code::LaunchBounds, message).at(user_location(call)));
            }
            call.erase();
        }
    }
    found
}

fn take(call: Value<'_>, name: &str, kernels: &KernelSet) -> Result<(), String> {
    let function = call.function();
    let kernel = kernels.iter().find(|kernel| kernel.name == function.name());
    let outside = "is called outside a kernel: call it in the kernel, or in a function that is inlined into it";
    let kernel = kernel.ok_or(outside)?;
    if name == SPECIALIZE_BLOCK_DIM {
        function.add_attribute(Place::Function, &Attribute::Text(BLOCK_DIM.to_owned(), "true".to_owned()));
        return Ok(());
    }
    let numbers: Option<Vec<u64>> = call.arguments().into_iter().map(Value::as_u64).collect();
    let numbers = numbers.ok_or("needs constant arguments")?;
    let [offset, size, flags] = numbers[..] else { return Err("is called with the wrong parameters".to_owned()) };
    if size == 0 || offset.saturating_add(size) > kernel.argument_bytes().into() {
        let bytes = kernel.argument_bytes();
        return Err(format!("names {size} bytes at {offset}, and the arguments have {bytes} bytes"));
    }
    add(function, Scalar { offset: offset as u32, size: size as u32, is_specialized: flags & 1 != 0 })
}

fn add(function: Function<'_>, scalar: Scalar) -> Result<(), String> {
    let mut all = scalars(function);
    if all.contains(&scalar) {
        return Ok(());
    }
    if all.iter().any(|other| other.offset < scalar.end() && scalar.offset < other.end()) {
        return Err("names bytes that another call names".to_owned());
    }
    all.push(scalar);
    all.sort_by_key(|scalar| scalar.offset);
    let text = |scalar: &Scalar| format!("{}:{}:{}", scalar.offset, scalar.size, u32::from(scalar.is_specialized));
    let text = all.iter().map(text).collect::<Vec<_>>().join(",");
    function.add_attribute(Place::Function, &Attribute::Text(SCALARS.to_owned(), text));
    Ok(())
}
