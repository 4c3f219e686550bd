//! The warps of blocks with several rows, and the search for kernels that use lanes.
//!
//! CUDA counts the threads of a block along x, then y, then z, and makes warps of them in this order. OpenCL leaves the
//! order to the implementation, and Intel's begins a warp at each row. A block with one row has the same warps in both.
//! So the runtime launches a kernel that uses lanes with one row for each block, and passes the extents of the block as
//! the global offset, which has no other use. The kernel computes the position of a thread from both. Another launcher
//! passes no offset, and the warps are those of OpenCL.
//!
//! An image has a mark if it uses lanes. The runtime reads the mark before it loads Intel's OpenCL for CPUs, which has
//! subgroups only if it vectorises over threads.

use std::collections::HashSet;

use super::builtins::{LOCAL_ID, LOCAL_SIZE, reaching_lanes};
use super::calls::{Effect, call};
use super::words::{instructions, text, words};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// The position of a thread in its block, counted along x first.
const LINEAR_ID: &str = "_Z19get_local_linear_idv";
/// The extent of the block along an axis if the launch has put its threads into one row, and otherwise 0.
const GLOBAL_OFFSET: &str = "_Z17get_global_offsetj";

/// Makes kernels that use lanes compute the position of a thread from its number in the block and from the extents of
/// the block. Functions that are not inlined do so, too, because such a kernel may call them.
pub(super) fn number_threads(module: &Module<'_>, kernels: &KernelSet) {
    let with_lanes = reaching_lanes(module);
    let entries: Vec<_> = kernels.functions(module).collect();
    if !entries.iter().any(|kernel| with_lanes.contains(kernel)) {
        return;
    }
    // The sizes first, because a coordinate asks for them, too.
    for (name, is_size) in [(LOCAL_SIZE, true), (LOCAL_ID, false)] {
        let calls = module.function(name).map(|function| function.direct_calls()).unwrap_or_default();
        let numbered = |call: &Value<'_>| !entries.contains(&call.function()) || with_lanes.contains(&call.function());
        for position in calls.into_iter().filter(numbered) {
            let Some(axis) = position.arguments()[0].as_u64() else { continue };
            let builder = Builder::before(position);
            let own = if is_size { extent(module, &builder, axis) } else { coordinate(module, &builder, axis) };
            let wide = builder.cast(Opcode::ZExt, own, position.ty(), "");
            position.replace_all_uses_with(wide);
            position.erase();
        }
    }
}

/// The extent of the block along an axis.
fn extent<'c>(module: &Module<'c>, builder: &Builder<'c>, axis: u64) -> Value<'c> {
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let ask = |name| {
        let wide = call(module, builder, (name, Effect::None), i64, &[i32.constant(axis)]);
        builder.cast(Opcode::Trunc, wide, i32, "")
    };
    let (given, own) = (ask(GLOBAL_OFFSET), ask(LOCAL_SIZE));
    builder.select(builder.icmp(IntPredicate::Eq, given, i32.constant(0), ""), own, given, "")
}

/// The coordinate of the thread along an axis.
fn coordinate<'c>(module: &Module<'c>, builder: &Builder<'c>, axis: u64) -> Value<'c> {
    let types = module.types();
    let wide = call(module, builder, (LINEAR_ID, Effect::None), types.i64(), &[]);
    let mut rest = builder.cast(Opcode::Trunc, wide, types.i32(), "");
    for before in 0..axis {
        rest = builder.binary(Opcode::UDiv, rest, extent(module, builder, before), "");
    }
    if axis == 2 { rest } else { builder.binary(Opcode::URem, rest, extent(module, builder, axis), "") }
}

/// `OpCapability`, `OpDecorate`.
const CAPABILITY: u32 = 17;
const DECORATE: u32 = 71;
/// `Groups`, and everything from `GroupNonUniform` to `GroupNonUniformQuad`.
const GROUPS: u32 = 18;
const NON_UNIFORM: std::ops::RangeInclusive<u32> = 61..=68;
/// The decoration `BuiltIn`, and the built-in variables from `SubgroupSize` to `SubgroupLocalInvocationId`.
const BUILT_IN: u32 = 11;
const SUBGROUP: std::ops::RangeInclusive<u32> = 36..=41;

/// `OpEntryPoint`, `OpExecutionMode`, and the mode `VecTypeHint`, which all kernels without lanes have.
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const VEC_TYPE_HINT: u32 = 30;

/// Whether SPIR-V, in this machine's byte order, contains instructions or variables of subgroups.
pub(super) fn uses_lanes(code: &[u8]) -> bool {
    let words = words(code);
    instructions(&words).any(|(opcode, operands)| match (opcode, operands) {
        (CAPABILITY, [capability]) => *capability == GROUPS || NON_UNIFORM.contains(capability),
        (DECORATE, [_, BUILT_IN, variable]) => SUBGROUP.contains(variable),
        _ => false,
    })
}

/// The names of the kernels that use lanes, one a line.
pub(super) fn kernels_with_lanes(code: &[u8]) -> String {
    let words = words(code);
    let hinted = |(opcode, operands): (u32, &[u32])| match operands {
        [kernel, VEC_TYPE_HINT, ..] if opcode == EXECUTION_MODE => Some(*kernel),
        _ => None,
    };
    let without: HashSet<_> = instructions(&words).filter_map(hinted).collect();
    let named = |(opcode, operands): (u32, &[u32])| match operands {
        [_, kernel, name @ ..] if opcode == ENTRY_POINT && !without.contains(kernel) => Some(text(name)),
        _ => None,
    };
    instructions(&words).filter_map(named).map(|name| name + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::{kernels_with_lanes, uses_lanes};

    fn code(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x0001_0200, 0, 10, 0];
        for instruction in instructions {
            words.push(instruction[0] | ((instruction.len() as u32) << 16));
            words.extend(&instruction[1..]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn instructions_and_variables_of_subgroups_count() {
        let kernel = &[17, 6][..];
        assert!(!uses_lanes(&code(&[kernel, &[71, 1, 11, 27]])));
        assert!(uses_lanes(&code(&[kernel, &[17, 18]])));
        assert!(uses_lanes(&code(&[kernel, &[17, 65]])));
        assert!(uses_lanes(&code(&[kernel, &[71, 1, 11, 41]])));
    }

    #[test]
    fn kernels_without_the_hint_use_lanes() {
        let [long, short] = [[u32::from_le_bytes(*b"long"), 0], [u32::from_le_bytes(*b"s\0\0\0"), 9]];
        let entries = [[&[15, 6, 1][..], &long].concat(), [&[15, 6, 2][..], &short].concat()];
        let [first, second] = [0, 1].map(|i| &entries[i][..]);
        assert_eq!(kernels_with_lanes(&code(&[first, second, &[16, 2, 30, 262146]])), "long\n");
        assert_eq!(kernels_with_lanes(&code(&[first, second, &[16, 1, 31]])), "long\ns\n");
    }

    #[test]
    fn what_is_no_spirv_has_none() {
        assert!(!uses_lanes(&[]));
        assert!(!uses_lanes(&[0; 64]));
        assert!(!uses_lanes(&code(&[&[17, 6]])[..26]));
    }
}
