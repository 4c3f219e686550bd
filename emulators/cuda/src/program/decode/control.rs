//! Control flow and barriers of a block.

use super::{Decoded, done, has};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{BarrierKind, Op};

const U32: Type = Type { family: Family::Unsigned, width: 32 };

/// Functions that a device brings, which an image declares.
pub(crate) const BUILTINS: [&str; 2] = ["vprintf", "__assertfail"];

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let first = instruction.operands.first();
    match (instruction.words[0].as_str(), first) {
        ("bra", Some(Operand::Name(name))) => {
            let target = builder.label(name)?;
            done(builder, Op::Branch { target })
        }
        ("brx", Some(index)) => {
            let Some(Operand::Name(list)) = instruction.operands.get(1) else { return Ok(false) };
            let (a, targets) = (builder.source(index, U32)?, builder.targets(list)?);
            done(builder, Op::BranchIndex { a, targets })
        }
        ("ret", _) => done(builder, Op::Return),
        ("exit", _) => done(builder, Op::Exit),
        ("trap", _) => done(builder, Op::Trap("a trap")),
        ("brkpt" | "nanosleep" | "pmevent" | "setmaxnreg" | "griddepcontrol", _) => done(builder, Op::Nothing),
        ("call", _) => call(builder, instruction),
        ("bar" | "barrier", _) if !has(instruction, "warp") && !has(instruction, "cluster") => {
            barrier(builder, instruction)
        }
        _ => Ok(false),
    }
}

fn call(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let mut operands = instruction.operands.as_slice();
    let mut results = &[][..];
    if let [Operand::List(list), rest @ ..] = operands {
        results = list;
        operands = rest;
    }
    let [Operand::Name(name), rest @ ..] = operands else { return Err("a call has no function".to_owned()) };
    let arguments = match rest.first() {
        Some(Operand::List(list)) => list.as_slice(),
        _ => &[],
    };
    let (results, arguments) = (builder.passed(results)?, builder.passed(arguments)?);
    if let Ok((register, _)) = builder.register(name) {
        return done(builder, Op::Call { function: Err(register), results, arguments });
    }
    let module = &builder.program.module;
    match module.function(name) {
        Some(index) if module.tree.functions[index].body.is_some() => {
            done(builder, Op::Call { function: Ok(index), results, arguments })
        }
        _ if BUILTINS.contains(&name.as_str()) => done(builder, Op::Builtin { name: name.clone(), results, arguments }),
        _ => Err(format!("function `{name}` is not defined")),
    }
}

fn barrier(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let kind = match () {
        () if has(instruction, "arrive") => BarrierKind::Arrive,
        () if has(instruction, "popc") => BarrierKind::Count,
        () if has(instruction, "and") => BarrierKind::All,
        () if has(instruction, "or") => BarrierKind::Any,
        () if has(instruction, "sync") => BarrierKind::Sync,
        () => return Ok(false),
    };
    let aligned = instruction.words[0] == "bar" || has(instruction, "aligned");
    let mut operands = instruction.operands.as_slice();
    let (mut d, mut p) = (None, None);
    if has(instruction, "red") {
        let [result, inner @ .., last] = operands else { return Ok(false) };
        d = Some(builder.destination(result)?.0);
        p = Some(match last {
            Operand::Not(name) => (builder.register(name)?.0, true),
            other => (builder.source(other, Type { family: Family::Predicate, width: 1 })?, false),
        });
        operands = inner;
    }
    let Some(number) = operands.first() else { return Err("a barrier has a number".to_owned()) };
    let number = builder.source(number, U32)?;
    let count = match operands.get(1) {
        Some(count) => Some(builder.source(count, U32)?),
        None => None,
    };
    done(builder, Op::Barrier { kind, aligned, number, count, p, d })
}
