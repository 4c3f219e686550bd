//! Expands vector intrinsics that the host's vectoriser creates and some code generators do not have: the index of the
//! first set bit of a mask, and sums of parts of a vector.

use super::expand_bitcasts::element;
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// Rewrites every such call.
pub fn expand_vectors(module: &Module<'_>) {
    type Expand<'c> = fn(&Module<'c>, &Builder<'c>, Value<'c>) -> Option<Value<'c>>;
    let families: [(&str, Expand<'_>); 2] =
        [("llvm.experimental.cttz.elts.", first_set), ("llvm.vector.partial.reduce.add.", partial_sums)];
    for function in module.functions() {
        let name = function.name();
        let Some((_, expand)) = families.iter().find(|(family, _)| name.starts_with(family)) else { continue };
        for call in function.direct_calls() {
            if let Some(value) = expand(module, &Builder::before(call), call) {
                call.replace_all_uses_with(value);
                call.erase();
            }
        }
        if !function.is_used() {
            function.erase_global();
        }
    }
}

/// `cttz(bits of the mask)`. If no bit is set, this is the number of bits, as it is the number of elements.
fn first_set<'c>(module: &Module<'c>, builder: &Builder<'c>, call: Value<'c>) -> Option<Value<'c>> {
    let [vector, undefined] = call.arguments()[..] else { return None };
    let single = vector.ty().parts().first()?.int_width() == Some(1);
    let mask = if single { vector } else { builder.icmp(IntPredicate::Ne, vector, vector.ty().zero(), "") };
    let number = call.types().int(vector.ty().vector_length()?);
    let bits = builder.cast(Opcode::BitCast, mask, number, "");
    let count = builder.call(module.intrinsic("llvm.cttz", &[number]), &[bits, undefined], "");
    let wider = call.ty().int_width() > number.int_width();
    let opcode = if wider { Opcode::ZExt } else { Opcode::Trunc };
    Some(if call.ty() == number { count } else { builder.cast(opcode, count, call.ty(), "") })
}

/// Each element of the longer vector added to one of the shorter.
fn partial_sums<'c>(_: &Module<'c>, builder: &Builder<'c>, call: Value<'c>) -> Option<Value<'c>> {
    let [start, parts] = call.arguments()[..] else { return None };
    let (few, many) = (start.ty().vector_length()?, parts.ty().vector_length()?);
    let add = |sum, i| builder.binary(Opcode::Add, sum, element(builder, parts, i), "");
    Some((0..few).fold(start.ty().poison(), |result, at| {
        let sum = (at..many).step_by(few as usize).fold(element(builder, start, at), add);
        builder.insert_element(result, sum, call.types().i32().constant(at.into()), "")
    }))
}
