//! Warp builtins, as instructions with a mask of the lanes that they wait for.
//!
//! The upper half of a mask names lanes that no warp has. From `sm_70`, the hardware waits for the lanes of a mask
//! wherever they are. On earlier archs, a warp has one program counter, and the result is undefined if the lanes do not
//! reach the same instruction together.

use crate::contract::builtin::{ACTIVE_MASK, Builtin};
use crate::llvm::{Builder, Module, Opcode, Value};

/// Every lane of a warp.
const ALL: u64 = 0xffff_ffff;
/// The number of the last lane.
const LAST: u64 = 31;

/// The body of a warp builtin. The outer none means another builtin, the inner one a builtin without a result.
pub(super) fn lower<'c>(
    module: &Module<'c>,
    builtin: &Builtin,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
) -> Option<Option<Value<'c>>> {
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let call = |name: &str, arguments: &[Value<'c>]| builder.call(module.intrinsic(name, &[]), arguments, "");
    let wide = |bits: Value<'c>| builder.cast(Opcode::ZExt, bits, i64, "");
    let (mask, operands) = match parameters {
        [mask, operands @ ..] if builtin.masked => (builder.cast(Opcode::Trunc, *mask, i32, "mask"), operands),
        operands => (i32.constant(ALL), operands),
    };
    let name = builtin.name.strip_prefix("__offload_").unwrap_or(builtin.name);
    let vote = |mode: &str| call(&format!("llvm.nvvm.vote.{mode}.sync"), &[mask, operands[0]]);
    let shuffle = |mode: &str| {
        // Bits 0 to 4 of the last operand are the last lane, bits 8 to 12 are the mask of the segment.
        let limit = i32.constant(if mode == "up" { 0 } else { LAST });
        let value = call(&format!("llvm.nvvm.shfl.sync.{mode}.i32"), &[mask, operands[0], operands[1], limit]);
        if builtin.masked {
            own_value_unless_named(module, builder, mode, [mask, operands[0], operands[1], value])
        } else {
            value
        }
    };
    Some(match name.strip_suffix("_sync").unwrap_or(name) {
        "shuffle" => Some(shuffle("idx")),
        "shuffle_xor" => Some(shuffle("bfly")),
        "shuffle_up" => Some(shuffle("up")),
        "shuffle_down" => Some(shuffle("down")),
        "ballot" => Some(wide(vote("ballot"))),
        "any" => Some(vote("any")),
        "all" => Some(vote("all")),
        "sync_warp" => {
            call("llvm.nvvm.bar.warp.sync", &[mask]);
            None
        }
        _ if builtin.name == ACTIVE_MASK => Some(wide(call("llvm.nvvm.activemask", &[]))),
        _ => return None,
    })
}

/// The lane's own value if the mask lacks the requested lane. For a number of no lane, the instruction returns the own
/// value.
fn own_value_unless_named<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    mode: &str,
    [mask, own, operand, value]: [Value<'c>; 4],
) -> Value<'c> {
    let i32 = mask.ty();
    let lane = || builder.call(module.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", &[]), &[], "");
    let from = match mode {
        "idx" => operand,
        "bfly" => builder.binary(Opcode::Xor, lane(), operand, ""),
        "up" => builder.binary(Opcode::Sub, lane(), operand, ""),
        _ => builder.add(lane(), operand, ""),
    };
    let from = builder.binary(Opcode::And, from, i32.constant(LAST), "from");
    let bit = builder.binary(Opcode::LShr, mask, from, "");
    builder.select(builder.cast(Opcode::Trunc, bit, i32.types().i1(), "named"), value, own, "")
}
