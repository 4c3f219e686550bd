//! Warp builtins, as instructions with a mask of the lanes that they wait for.
//!
//! The upper half of a mask names lanes that no warp has. From `sm_70`, the hardware waits for the lanes of a mask
//! wherever they are. On earlier archs, a warp has one program counter, and the result is undefined if the lanes do not
//! reach the same instruction together.

use crate::contract::builtin::{LaneOperation, Participants, ShuffleMode};
use crate::llvm::{Builder, Module, Opcode, Value};

/// Every lane of a warp.
const ALL: u64 = 0xffff_ffff;
/// The number of the last lane.
const LAST: u64 = 31;

/// The body of an operation; none if it has no result.
pub(super) fn lower<'c>(
    module: &Module<'c>,
    operation: LaneOperation,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
) -> Option<Value<'c>> {
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let call = |name: &str, arguments: &[Value<'c>]| builder.call(module.intrinsic(name, &[]), arguments, "");
    let wide = |bits: Value<'c>| builder.cast(Opcode::ZExt, bits, i64, "");
    let (mask, operands) = match parameters {
        [mask, operands @ ..] if operation.is_masked() => (builder.cast(Opcode::Trunc, *mask, i32, "mask"), operands),
        operands => (i32.constant(ALL), operands),
    };
    let vote = |mode: &str| call(&format!("llvm.nvvm.vote.{mode}.sync"), &[mask, operands[0]]);
    match operation {
        LaneOperation::Shuffle(mode, participants) => {
            let name = match mode {
                ShuffleMode::Index => "idx",
                ShuffleMode::Xor => "bfly",
                ShuffleMode::Up => "up",
                ShuffleMode::Down => "down",
            };
            // The last operand holds the lane's limit in bits 0 to 4 and the segment's mask in bits 8 to 12.
            let limit = i32.constant(if mode == ShuffleMode::Up { 0 } else { LAST });
            let value = call(&format!("llvm.nvvm.shfl.sync.{name}.i32"), &[mask, operands[0], operands[1], limit]);
            Some(match participants {
                Participants::Active => value,
                Participants::Masked => {
                    own_value_unless_named(module, builder, mode, [mask, operands[0], operands[1], value])
                }
            })
        }
        LaneOperation::Ballot(_) => Some(wide(vote("ballot"))),
        LaneOperation::Any(_) => Some(vote("any")),
        LaneOperation::All(_) => Some(vote("all")),
        LaneOperation::ActiveMask => Some(wide(call("llvm.nvvm.activemask", &[]))),
        LaneOperation::SyncWarp => {
            call("llvm.nvvm.bar.warp.sync", &[mask]);
            None
        }
    }
}

/// The lane's own value if the mask lacks the requested lane. For a number of no lane, the instruction returns the own
/// value.
fn own_value_unless_named<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    mode: ShuffleMode,
    [mask, own, operand, value]: [Value<'c>; 4],
) -> Value<'c> {
    let i32 = mask.ty();
    let lane = || builder.call(module.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", &[]), &[], "");
    let from = match mode {
        ShuffleMode::Index => operand,
        ShuffleMode::Xor => builder.binary(Opcode::Xor, lane(), operand, ""),
        ShuffleMode::Up => builder.binary(Opcode::Sub, lane(), operand, ""),
        ShuffleMode::Down => builder.add(lane(), operand, ""),
    };
    let from = builder.binary(Opcode::And, from, i32.constant(LAST), "from");
    let bit = builder.binary(Opcode::LShr, mask, from, "");
    builder.select(builder.cast(Opcode::Trunc, bit, i32.types().i1(), "named"), value, own, "")
}
