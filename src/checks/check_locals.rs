//! Finds kernels whose local variables are larger than the memory that a thread of a device has for them.

use super::call_chain::Chain;
use crate::analysis::local_memory::{Local, LocalMemory, Locals};
use crate::analysis::location::{location_of, own_location, user_location};
use crate::analysis::reach::Reach;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::llvm::{Module, Opcode, Value};

/// The number of variables that a message names in addition to the largest one.
const NAMED: usize = 3;

/// The remedy.
const HELP: &str = "keep large arrays in a buffer, in which each thread has a part: a parameter \
    `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch";

/// Reports each kernel whose variables need more than `limit` bytes at the same time. `code` is an error, or a warning
/// where the limit is not the device's but that of a usual launch.
pub fn check_locals(module: &Module<'_>, kernels: &KernelSet, code: Code, limit: u64) -> Vec<Diagnostic> {
    let Some(mut memory) = LocalMemory::above(module, limit) else { return Vec::new() };
    let mut found: Vec<Diagnostic> = Vec::new();
    for kernel in kernels.functions(module) {
        let needed = memory.of(kernel);
        if needed.bytes > limit {
            let reach = Reach::new(&[kernel]);
            found.push(finding(&Chain::new(&reach, kernels), code, limit, &needed));
        }
    }
    found
}

fn finding<'c>(chain: &Chain<'_, 'c>, code: Code, limit: u64, needed: &Locals<'c>) -> Diagnostic {
    let mut variables = needed.variables.clone();
    // Equal sizes stay in order.
    variables.sort_by_key(|local| std::cmp::Reverse(local.bytes));
    let (largest, others) = variables.split_first().expect("what needs memory has a variable");
    let bytes = needed.bytes;
    let what = match code {
        Code::MemoryLimit => {
            format!("has {bytes} bytes of local variables, and a thread of the device has {limit} bytes")
        }
        _ => format!(
            "has {bytes} bytes of local variables, and a thread of the host usually has a stack of {limit} bytes"
        ),
    };
    let mut finding = chain.has(code, &what, &[(largest.function.into(), first_use(largest))]);
    // Small ones are not the cause.
    let others = others.iter().filter(|local| local.bytes >= largest.bytes / 16).take(NAMED);
    let size = |local: &Local<'c>| format!("{} bytes{}", local.bytes, place(local));
    let named: Vec<_> = std::iter::once(largest).chain(others).map(size).collect();
    if named.len() > 1 {
        finding.notes.push(format!("the largest variables have {}", named.join(", ")));
    }
    let diagnostic = finding.help(HELP).diagnostic();
    match declaration(largest) {
        Some(place) => diagnostic.at(Some(place)),
        None => diagnostic,
    }
}

/// The line of a variable.
fn place(local: &Local<'_>) -> String {
    let of_use = || own_location(first_use(local)).or_else(|| user_location(first_use(local)));
    let location = declaration(local).or_else(of_use);
    location.map_or_else(String::new, |Location { file, line, .. }| format!(" ({file}:{line})"))
}

/// The place where the user's source declares a variable, if debug information has it.
fn declaration(local: &Local<'_>) -> Option<Location> {
    let declared = local.function.instructions().flat_map(Value::declared_locals);
    let mut own = declared.filter(|(memory, _)| *memory == local.variable).filter_map(|(_, frame)| location_of(&frame));
    own.next()
}

/// The first instruction with a line that uses a variable, in the order of the code: an alloca has none itself. The
/// function's own lines are better than those of functions that it has inlined.
fn first_use<'c>(local: &Local<'c>) -> Value<'c> {
    let mut places = vec![local.variable];
    let mut next = 0;
    while let Some(place) = places.get(next) {
        next += 1;
        let leads_on = |user: &Value<'c>| {
            user.is_instruction()
                && matches!(
                    user.opcode(),
                    Opcode::GetElementPtr | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Phi
                )
        };
        let new: Vec<_> = place.users().into_iter().filter(leads_on).filter(|user| !places.contains(user)).collect();
        places.extend(new);
    }
    let uses = |instruction: &Value<'c>| instruction.operands().iter().any(|operand| places.contains(operand));
    let has_line = |instruction: &Value<'c>| instruction.frames().iter().any(|frame| frame.line != 0);
    let all: Vec<_> = local.function.instructions().filter(uses).filter(has_line).collect();
    let depth = |instruction: &&Value<'c>| instruction.frames().len();
    // Of those at the same depth, this is the first.
    all.iter().min_by_key(depth).copied().unwrap_or(local.variable)
}
