//! What the lanes of a warp do together, as instructions that name the lanes which they wait for.
//!
//! A mask's upper half names lanes that no warp has. From `sm_70` on the hardware waits for a mask's lanes wherever they
//! are; before, a warp has one program counter, and where the lanes do not come to one instruction together it is left open
//! what they get.

use crate::contract::builtin::{ACTIVE_MASK, Builtin};
use crate::llvm::{Builder, Module, Opcode, Value};

/// Every lane of a warp.
const ALL: u64 = 0xffff_ffff;
/// The last lane's number.
const LAST: u64 = 31;

/// The body of a builtin that lanes call together; none where it is no such builtin, a value where it gives one.
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
        // The last operand holds the lane's limit in bits 0 to 4 and the segment's mask in bits 8 to 12.
        let limit = i32.constant(if mode == "up" { 0 } else { LAST });
        let value = call(&format!("llvm.nvvm.shfl.sync.{mode}.i32"), &[mask, operands[0], operands[1], limit]);
        if builtin.masked {
            own_unless_named(module, builder, mode, [mask, operands[0], operands[1], value])
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

/// The lane's own value where the mask lacks the lane that another one was asked for. A number beyond the warp's is none that
/// the instruction takes: it gives the own value then.
fn own_unless_named<'c>(
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
