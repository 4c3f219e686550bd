//! Loads, stores, atomic operations and asynchronous copies.

use super::integer::{Integer, with_integer};
use super::{Decoded, done, has, type_of};
use crate::float::{BF16, F16, Format, Rounding, round_to};
use crate::parser::{Family, Instruction, Operand, Space, Type};
use crate::program::builder::Builder;
use crate::program::code::{Op, Order, Scope, Source, Update};

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    match instruction.words[0].as_str() {
        "ld" | "ldu" => load(builder, instruction),
        "st" => store(builder, instruction),
        "atom" | "red" => atomic(builder, instruction),
        "membar" | "fence" => done(builder, fence(instruction)),
        "prefetch" | "prefetchu" | "discard" | "applypriority" => done(builder, Op::Nothing),
        "cp" => copy(builder, instruction),
        _ => Ok(false),
    }
}

pub(super) fn space_of(instruction: &Instruction) -> Space {
    let spaces = instruction.words.iter().skip(1).find_map(|word| {
        Some(match word.as_str() {
            "global" => Space::Global,
            "const" => Space::Const,
            "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    });
    spaces.unwrap_or(Space::Generic)
}

/// The elements of a vector operand, or one.
pub(super) fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        one => std::slice::from_ref(one),
    }
}

fn load(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    if element.width > 64 {
        return Ok(false);
    }
    let [d, address] = super::operands::<2>(instruction)?;
    let mut destinations = Vec::new();
    for operand in elements(d) {
        destinations.push(if *operand == Operand::Sink { None } else { Some(builder.destination(operand)?) });
    }
    let signed = destinations.iter().flatten().next().filter(|_| element.is_signed()).map(|(_, width)| *width);
    let space = space_of(instruction);
    if space == Space::Param
        && let Some((words, offset)) = builder.parameter(address)
    {
        for (i, d) in destinations.into_iter().enumerate() {
            let Some((d, _)) = d else { continue };
            let (word, shift) = word_at(&words, offset + (i * element.bytes()) as u64, element)?;
            builder.emit(Op::FromWord { d, word, shift, width: element.width, signed });
        }
        return Ok(true);
    }
    let address = builder.address(address)?;
    // Parameters of entries are at an address that is a global one here. Parameters of other functions are local if
    // their addresses are taken: LLVM loads from one of two of them, through a register. PTX does not define that, but
    // NVIDIA's compiler does it.
    let space = match space {
        Space::Param if builder.parameters_are_local => Space::Local,
        Space::Param => Space::Generic,
        other => other,
    };
    let d = destinations.into_iter().map(|d| d.map(|(register, _)| register)).collect();
    done(builder, Op::Load { space, bytes: element.bytes(), signed, d, address, order: order(instruction) })
}

/// Where no scope stands, it is that of the device (PTX ISA, "atom", "fence").
fn scope(instruction: &Instruction) -> Scope {
    if has(instruction, "cta") { Scope::Block } else { Scope::All }
}

fn order(instruction: &Instruction) -> Order {
    let scope = scope(instruction);
    let is = |word| has(instruction, word);
    match () {
        () if is("acq_rel") => Order::Both(scope),
        () if is("acquire") => Order::Acquire(scope),
        () if is("release") => Order::Release(scope),
        () => Order::Relaxed,
    }
}

/// `membar` is `fence.sc` (PTX ISA, "membar/fence"); those between proxies order nothing here.
fn fence(instruction: &Instruction) -> Op {
    let is_of_proxies = instruction.words.iter().any(|word| word.starts_with("proxy") || word == "mbarrier_init");
    let is_sequential = instruction.words[0] == "membar" || has(instruction, "sc");
    match is_of_proxies {
        true => Op::Nothing,
        false => Op::Fence(Order::Fence { scope: scope(instruction), is_sequential }),
    }
}

fn word_at(words: &[Source], offset: u64, element: Type) -> Result<(Source, u32), String> {
    let word = words.get((offset / 8) as usize).ok_or("an access beyond a parameter")?;
    let shift = (offset % 8) as u32 * 8;
    if shift + element.width > 64 {
        Err("an access across words of a parameter".to_owned())
    } else {
        Ok((*word, shift))
    }
}

fn store(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    if element.width > 64 {
        return Ok(false);
    }
    let [address, a] = super::operands::<2>(instruction)?;
    let mut sources = Vec::new();
    for operand in elements(a) {
        sources.push(builder.source(operand, element)?);
    }
    let space = space_of(instruction);
    if space == Space::Param
        && let Some((words, offset)) = builder.parameter(address)
    {
        for (i, a) in sources.into_iter().enumerate() {
            let (word, shift) = word_at(&words, offset + (i * element.bytes()) as u64, element)?;
            builder.emit(Op::ToWord { word, a, shift, width: element.width });
        }
        return Ok(true);
    }
    let address = builder.address(address)?;
    done(builder, Op::Store { space, bytes: element.bytes(), a: sources, address, order: order(instruction) })
}

fn atomic(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    if element.width > 64 || instruction.words.iter().any(|word| matches!(word.as_str(), "v2" | "v4" | "v8")) {
        return Ok(false);
    }
    let has_result = instruction.words[0] == "atom";
    let mut operands = instruction.operands.iter();
    let d = if has_result { operands.next() } else { None };
    let (Some(address), Some(b)) = (operands.next(), operands.next()) else { return Ok(false) };
    let names = instruction.words.iter().skip(1);
    let Some(f) = names.filter_map(|name| update(name, element)).next() else { return Ok(false) };
    let address = builder.address(address)?;
    let b = builder.source(b, element)?;
    let c = match operands.next() {
        Some(c) => builder.source(c, element)?,
        None => builder.constant(0),
    };
    let d = match d {
        Some(Operand::Sink) | None => None,
        Some(d) => Some(builder.destination(d)?.0),
    };
    done(
        builder,
        Op::Atomic {
            space: space_of(instruction),
            bytes: element.bytes(),
            f,
            is_exchange: has(instruction, "exch"),
            d,
            address,
            b,
            c,
            order: order(instruction),
        },
    )
}

/// The new value of an atomic operation.
fn update(name: &str, element: Type) -> Option<Update> {
    match (element.family, element.width) {
        (Family::Float, 32) => match name {
            "add" => Some(|old, b, _| super::floats::word32(f32::from_bits(old as u32) + f32::from_bits(b as u32))),
            _ => None,
        },
        (Family::Float, 64) => match name {
            "add" => Some(|old, b, _| (f64::from_bits(old) + f64::from_bits(b)).to_bits()),
            _ => None,
        },
        (Family::Float, 16) if name == "add" => Some(|old, b, _| add_half(F16, old, b)),
        (Family::Brain, 16) if name == "add" => Some(|old, b, _| add_half(BF16, old, b)),
        (Family::FloatPair, _) if name == "add" => Some(|old, b, _| add_pair(F16, old, b)),
        (Family::BrainPair, _) if name == "add" => Some(|old, b, _| add_pair(BF16, old, b)),
        (Family::Bits | Family::Unsigned | Family::Signed, _) => with_integer!(element, integer_update(name)),
        _ => None,
    }
}

fn add_half(format: Format, a: u64, b: u64) -> u64 {
    round_to(format, format.value(a) + format.value(b), Rounding::Nearest)
}

fn add_pair(format: Format, a: u64, b: u64) -> u64 {
    add_half(format, a & 0xffff, b & 0xffff) | add_half(format, a >> 16, b >> 16) << 16
}

fn integer_update<T: Integer>(name: &str) -> Option<Update> {
    Some(match name {
        "and" => |old, b, _| old & b,
        "or" => |old, b, _| old | b,
        "xor" => |old, b, _| old ^ b,
        "exch" => |_, b, _| b,
        "cas" => |old, b, c| if old == b { c } else { old },
        "add" => |old, b, _| T::of(old.wrapping_add(b)).word(),
        "min" => |old, b, _| T::of(old).min(T::of(b)).word(),
        "max" => |old, b, _| T::of(old).max(T::of(b)).word(),
        "inc" => |old, b, _| if old >= b { 0 } else { old + 1 },
        "dec" => |old, b, _| if old == 0 || old > b { b } else { old - 1 },
        _ => return None,
    })
}

/// Asynchronous copies, and waits for them.
fn copy(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    if instruction.words.get(1).map(String::as_str) != Some("async") || has(instruction, "bulk") {
        return Ok(false);
    }
    if has(instruction, "commit_group") {
        return done(builder, Op::CommitCopies);
    }
    if has(instruction, "wait_all") {
        return done(builder, Op::WaitCopies(None));
    }
    if has(instruction, "wait_group") {
        let [Operand::Integer(left)] = instruction.operands.as_slice() else { return Ok(false) };
        return done(builder, Op::WaitCopies(Some(*left as usize)));
    }
    let [to, from, Operand::Integer(bytes), rest @ ..] = instruction.operands.as_slice() else { return Ok(false) };
    let (to, from) = (builder.address(to)?, builder.address(from)?);
    let size = match rest {
        [] => None,
        [size, ..] => Some(builder.source(size, Type { family: Family::Unsigned, width: 32 })?),
    };
    done(builder, Op::CopyAsync { to, from, bytes: *bytes as usize, size })
}
