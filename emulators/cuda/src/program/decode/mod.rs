//! From an instruction's words to an operation. Each file knows a part of the instruction set; what none of them knows
//! is an error where it is executed.

mod arithmetic;
mod carry;
mod compare;
mod control;
pub(crate) use control::BUILTINS;
mod convert;
mod cross;
mod floats;
mod halves;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod moves;

use super::code::{Op, Special};
use super::compile::Builder;
use crate::parser::{Instruction, Type};

/// What decoding a part of the instruction set gives: whether the instruction is of this part, or what is wrong with
/// it.
type Decoded = Result<bool, String>;

/// Appends the operations of an instruction.
pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<(), String> {
    let families: [fn(&mut Builder<'_>, &Instruction) -> Decoded; 9] = [
        moves::decode,
        arithmetic::decode,
        compare::decode,
        memory::decode,
        control::decode,
        convert::decode,
        carry::decode,
        cross::decode,
        matrix::decode,
    ];
    for family in families {
        if family(builder, instruction)? {
            return Ok(());
        }
    }
    Err(format!("`{}` is not modelled", instruction.words.join(".")))
}

/// The last modifier that is a type.
fn type_of(instruction: &Instruction) -> Option<Type> {
    instruction.words.iter().skip(1).rev().find_map(|word| Type::parse(word))
}

/// Whether a modifier is there.
fn has(instruction: &Instruction, word: &str) -> bool {
    instruction.words.iter().skip(1).any(|one| one == word)
}

/// Exactly so many operands.
fn operands<const N: usize>(instruction: &Instruction) -> Result<&[crate::parser::Operand; N], String> {
    instruction.operands.as_slice().try_into().map_err(|_| format!("`{}` has {N} operands", instruction.words[0]))
}

/// A special register by its name.
pub(super) fn special(name: &str) -> Option<Special> {
    let axis = |stem: &str| {
        let rest = name.strip_prefix(stem)?;
        [".x", ".y", ".z"].iter().position(|component| *component == rest)
    };
    type ByAxis = (&'static str, fn(usize) -> Special);
    let by_axis: [ByAxis; 5] = [
        ("%tid", Special::Thread),
        ("%ntid", Special::BlockSize),
        ("%ctaid", Special::Block),
        ("%nctaid", Special::GridSize),
        // A cluster has one block.
        ("%nclusterid", Special::GridSize),
    ];
    if let Some((which, axis)) = by_axis.iter().find_map(|(stem, which)| Some((which, axis(stem)?))) {
        return Some(which(axis));
    }
    let clusters =
        [("%cluster_ctaid", Special::Zero), ("%clusterid", Special::Zero), ("%cluster_nctaid", Special::One)];
    if let Some((_, which)) = clusters.iter().find(|(stem, _)| axis(stem).is_some()) {
        return Some(*which);
    }
    Some(match name {
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%smid" => Special::Multiprocessor,
        "%nsmid" => Special::Multiprocessors,
        "%gridid" => Special::Grid,
        "%lanemask_eq" => Special::MaskEqual,
        "%lanemask_lt" => Special::MaskLess,
        "%lanemask_le" => Special::MaskLessEqual,
        "%lanemask_gt" => Special::MaskGreater,
        "%lanemask_ge" => Special::MaskGreaterEqual,
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Special::Clock,
        "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%cluster_ctarank" => Special::Zero,
        "%cluster_nctarank" => Special::One,
        "%is_explicit_cluster" => Special::Zero,
        _ => return None,
    })
}

/// Appends one operation; for families that end with it.
fn done(builder: &mut Builder<'_>, op: Op) -> Decoded {
    builder.emit(op);
    Ok(true)
}
