//! Lets a thread panic if the lanes of a mask cannot execute an operation together.
//!
//! On every target, this code is inserted before each operation with a mask:
//!
//! ```c
//! if ((mask & (uint64_t)1 << __offload_lane_id()) == 0)
//!   offload_lane_panic(NOT_IN_MASK, place, __offload_lane_id(), 0);
//! ```
//!
//! Targets call the same function if a lane of the mask does not arrive, unless it has returned. On the CPU, the
//! scheduler of warps detects this. If the warps of a device have one program counter, `require_lanes.rs` compares the
//! mask with the active lanes.

use crate::analysis::callees::AddressTaken;
use crate::analysis::location::own_location;
use crate::analysis::reach::Reach;
use crate::contract::builtin::{BUILTINS, Builtin, DeviceBuiltin, PANIC};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable, SourceLocation};
use crate::contract::symbols::LANE_PANIC;
use crate::llvm::{Attribute, Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Value};

/// The attribute of a call with the number of its location in the source.
const PLACE: &str = "offload-place";

/// The reasons why an operation with a mask is impossible.
#[derive(Clone, Copy)]
pub enum Fault {
    /// The mask lacks the calling lane.
    NotInMask,
    /// A lane of the mask waits for other lanes, and no lane of the warp can continue.
    Waiting,
    /// A lane of the mask executes other code.
    Elsewhere,
}

const FAULTS: [(Fault, &str); 3] = [
    (Fault::NotInMask, "lane \u{1} does what only the lanes of its mask do, and is not in the mask"),
    (Fault::Waiting, "lane \u{1} waits for lane \u{2} of its mask, and no lane of the warp can go on"),
    (Fault::Elsewhere, "lane \u{1} does what the lanes of its mask do together, and lane \u{2} is not there"),
];

/// The operations of a module that have a mask.
pub(super) fn masked_calls<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    if !BUILTINS.iter().any(|b| b.is_masked() && module.function(b.name).is_some_and(|f| f.is_used())) {
        return Vec::new();
    }
    let is_masked = |i: &Value<'c>| {
        let builtin = Builtin::called_by(*i);
        builtin.is_some_and(Builtin::is_masked)
    };
    module.functions().into_iter().flat_map(|f| f.instructions()).filter(is_masked).collect()
}

/// Adds its source location to each operation with a mask, and a check that the mask contains the calling lane. Returns
/// the names of the kernels that have such operations, in the order of the kernels.
pub fn report_masks(
    module: &Module<'_>,
    kernels: &KernelSet,
    mode: DevicePanic,
    table: &mut PanicTable,
) -> Vec<String> {
    let calls = masked_calls(module);
    if calls.is_empty() {
        return Vec::new();
    }
    let panic = define_panic(module, mode, table);
    let mut places: Vec<(SourceLocation, u32)> = Vec::new();
    for call in &calls {
        let Some(at) = own_location(*call).filter(|_| mode == DevicePanic::Report) else { continue };
        let place = SourceLocation { file: at.file, line: at.line, column: at.column };
        let number = match places.iter().find(|(known, _)| *known == place) {
            Some((_, number)) => *number,
            None => {
                places.push((place.clone(), table.add_place(place)));
                table.places().len() as u32
            }
        };
        call.add_attribute(Place::Function, &Attribute::Text(PLACE.to_owned(), number.to_string()));
    }
    let functions: Vec<_> = calls.iter().map(|call| Value::from(call.function())).collect();
    if mode != DevicePanic::Unreachable {
        calls.into_iter().for_each(|call| look_for_the_caller(module, call, panic));
    }
    let addressed = AddressTaken::of(module);
    let has_any = |name: &&String| {
        let kernel = module.function(name);
        let reached = kernel.map(|kernel| Reach::of_execution(kernel, &addressed).order).unwrap_or_default();
        reached.iter().any(|global| functions.contains(global))
    };
    kernels.iter().map(|kernel| &kernel.name).filter(has_any).cloned().collect()
}

/// The number of the source location of an operation with a mask; 0 if it is unknown.
pub fn place_of(call: Value<'_>) -> u32 {
    call.text_attribute(Place::Function, PLACE).and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn define_panic<'c>(module: &Module<'c>, mode: DevicePanic, table: &mut PanicTable) -> Function<'c> {
    let types = module.types();
    let (void, i32, i64) = (types.void(), types.i32(), types.i64());
    let ty = void.function(&[i32, i32, i64, i64]);
    let function = module.define(LANE_PANIC, ty, Linkage::Internal, |function, block| {
        let builder = Builder::at_end(block);
        let [fault, place, lane, other] = function.parameters()[..] else { unreachable!("it was just declared") };
        if mode == DevicePanic::Report {
            let mut message = i32.zero();
            for (of, text) in FAULTS {
                let is_this = builder.icmp(IntPredicate::Eq, fault, i32.constant(of as u64), "");
                message = builder.select(is_this, i32.constant(table.message(text).into()), message, "message");
            }
            let panic = module.declare(PANIC, void.function(&[i32, i32, i64, i64, i64]));
            builder.call(panic, &[message, place, lane, other, i64.zero()], "");
        } else {
            builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        }
        builder.unreachable();
    });
    ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
    function
}

fn look_for_the_caller<'c>(module: &Module<'c>, call: Value<'c>, panic: Function<'c>) {
    let mask = call.arguments()[0];
    let i64 = mask.ty();
    if mask.as_u64() == Some(u64::MAX) {
        return;
    }
    let builder = Builder::before(call);
    let lane = lane_number(module, &builder, DeviceBuiltin::LaneId, i64);
    let bit = builder.binary(Opcode::Shl, i64.constant(1), lane, "");
    let own = builder.binary(Opcode::And, bit, mask, "");
    let missing = builder.icmp(IntPredicate::Eq, own, i64.zero(), "");
    panic_where(call, missing, |builder| {
        call_panic(builder, panic, (Fault::NotInMask, place_of(call)), lane, i64.zero());
    });
}

/// The `u32` result of a builtin about lanes, converted to `ty`.
pub(super) fn lane_number<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    builtin: DeviceBuiltin,
    ty: Type<'c>,
) -> Value<'c> {
    let function = module.declare(builtin.symbol(), ty.types().i32().function(&[]));
    builder.cast(Opcode::ZExt, builder.call(function, &[], ""), ty, "")
}

pub(super) fn call_panic<'c>(
    builder: &Builder<'c>,
    panic: Function<'c>,
    (fault, place): (Fault, u32),
    lane: Value<'c>,
    other: Value<'c>,
) -> Value<'c> {
    let i32 = lane.types().i32();
    builder.call(panic, &[i32.constant(fault as u64), i32.constant(place.into()), lane, other], "")
}

/// Inserts a panic before an instruction, under a condition.
pub(super) fn panic_where<'c>(before: Value<'c>, condition: Value<'c>, panic: impl FnOnce(&Builder<'c>)) {
    let above = before.block();
    let below = before.split_block("masked");
    let wrong = above.function().append_block("wrong");
    above.terminator().expect("a block that was split goes on").erase();
    Builder::at_end(above).cond_br(condition, wrong, below);
    let builder = Builder::at_end(wrong);
    panic(&builder);
    builder.unreachable();
}

/// Removes the panic function if nothing calls it.
pub fn forget_unused(module: &Module<'_>) {
    if let Some(panic) = module.function(LANE_PANIC).filter(|panic| !panic.is_used()) {
        panic.erase_global();
    }
}
