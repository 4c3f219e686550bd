//! Each image is validated before it is written. LLVM's back end translates some code wrongly without a word, and a
//! device refuses a module as a whole, so that no kernel of the program would start.

use std::collections::{HashMap, HashSet};

use super::words::{instructions, text, words};
use crate::contract::kernel::KernelSet;
use crate::error::{Error, Result};
use crate::llvm::{InvalidWords, WordRules, validate_words};

const OP_ENTRY_POINT: u32 = 15;
const OP_CAPABILITY: u32 = 17;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_FUNCTION_CALL: u32 = 57;

/// The capabilities that each device of OpenCL 2.2 has, and `Float64`: `Addresses`, `Linkage`, `Kernel`, `Vector16`,
/// `Float16Buffer`, `Float64`, `Int64`, `Groups`, `Int16`, `GenericPointer`, `Int8`.
const OF_OPENCL: [u32; 11] = [4, 5, 6, 7, 8, 10, 11, 18, 22, 38, 39];

/// Validates the SPIR-V of these kernels: by the rules of OpenCL 2.2, or by those of SPIR-V alone if it needs a
/// capability that a device need not have.
pub(super) fn validate(code: &[u8], kernels: &KernelSet) -> Result<()> {
    let words = words(code);
    let capabilities = || instructions(&words).filter(|(opcode, _)| *opcode == OP_CAPABILITY);
    let is_common = capabilities().all(|(_, of)| of.iter().all(|capability| OF_OPENCL.contains(capability)));
    let rules = if is_common { WordRules::OpenCl } else { WordRules::Any };
    let Err(InvalidWords { instruction, message }) = validate_words(&words, rules) else { return Ok(()) };
    let whose = named(&reaching(&words, instruction), kernels);
    Err(Error::internal(format!("the SPIR-V of {whose} is not valid: {message}")).of_code())
}

/// The names of the kernels that come to an instruction, counted from 1; all if it is outside of functions.
fn reaching(words: &[u32], number: usize) -> Vec<String> {
    let (mut entries, mut current, mut holding) = (Vec::new(), None, None);
    let mut callers: HashMap<u32, Vec<u32>> = HashMap::new();
    for (at, (opcode, operands)) in instructions(words).enumerate() {
        match (opcode, operands) {
            (OP_ENTRY_POINT, [_, function, name @ ..]) => entries.push((*function, text(name))),
            (OP_FUNCTION, [_, function, ..]) => current = Some(*function),
            (OP_FUNCTION_CALL, [_, _, callee, ..]) => callers.entry(*callee).or_default().extend(current),
            _ => {}
        }
        if at + 1 == number {
            holding = current;
        }
        if opcode == OP_FUNCTION_END {
            current = None;
        }
    }
    let (mut reached, mut open) = (HashSet::new(), Vec::from_iter(holding));
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(callers.get(&function).into_iter().flatten());
        }
    }
    let comes_there = |function: &u32| holding.is_none() || reached.contains(function);
    entries.into_iter().filter(|(function, _)| comes_there(function)).map(|(_, name)| name).collect()
}

/// Kernels in a message.
fn named(names: &[String], kernels: &KernelSet) -> String {
    let Some((first, more)) = names.split_first() else { return "this module".to_owned() };
    let known = kernels.iter().find(|kernel| kernel.name == *first);
    let shown = known.map_or(first, |kernel| &kernel.display);
    match more.len() {
        0 => format!("kernel `{shown}`"),
        more => format!("kernel `{shown}` and {more} more"),
    }
}
