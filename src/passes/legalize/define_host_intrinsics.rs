//! Defines LLVM's intrinsics of the host's processor that only compute, if every x86-64 processor has the instruction.
//! Crates use them without a check, because a host always has them.
//!
//! Before instructions of later processors, crates check for the feature, and the check fails; see `translate_host.rs`.

use crate::error::Result;
use crate::llvm::{Builder, Module, Opcode, RealPredicate, Value};

/// The prefix of a body's name; the name of its intrinsic follows.
const PREFIX: &str = "offloadc.";
const BODIES: &str = include_str!("host_instructions.ll");

/// Rewrites every call of such an intrinsic.
pub(super) fn define_host_intrinsics(module: &Module<'_>) -> Result<()> {
    let mut named = false;
    for intrinsic in module.functions().into_iter().filter(|f| f.name().starts_with("llvm.x86.")) {
        let name = intrinsic.name();
        if let Some(predicate) = comparison(&name) {
            intrinsic.users().into_iter().filter(|call| call.is_call()).for_each(|call| compare(call, predicate));
        } else if BODIES.contains(&format!("@{PREFIX}{name}(")) {
            let ty = intrinsic.function_type();
            let body = module.add_function(&format!("{PREFIX}{name}"), ty);
            intrinsic.replace_all_uses_with(*body);
            named = true;
        }
        if !intrinsic.is_used() {
            intrinsic.erase_global();
        }
    }
    if named { module.link_text(BODIES, "host_instructions.ll") } else { Ok(()) }
}

/// The `lt` in `llvm.x86.sse2.ucomilt.sd`. `comisd` differs only in its effect on exception flags.
fn comparison(name: &str) -> Option<RealPredicate> {
    let name = name.strip_suffix(".ss").or_else(|| name.strip_suffix(".sd"))?;
    let (_, kind) = name.rsplit_once('.')?;
    Some(match kind.strip_prefix('u').unwrap_or(kind).strip_prefix("comi")? {
        "eq" => RealPredicate::Oeq,
        "lt" => RealPredicate::Olt,
        "le" => RealPredicate::Ole,
        "gt" => RealPredicate::Ogt,
        "ge" => RealPredicate::Oge,
        "neq" => RealPredicate::Une,
        _ => return None,
    })
}

/// `(int)(a[0] < b[0])`
fn compare(call: Value<'_>, predicate: RealPredicate) {
    let builder = Builder::before(call);
    let first = |index| builder.extract_element(call.operand(index), call.types().i32().zero(), "");
    let holds = builder.fcmp(predicate, first(0), first(1), "");
    call.replace_all_uses_with(builder.cast(Opcode::ZExt, holds, call.ty(), ""));
    call.erase();
}
