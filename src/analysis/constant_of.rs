//! Propagates constants backwards, as far as a marker call's arguments need it.
//!
//! The way to the kernel is short in what rustc writes: a cast, a local variable, a parameter of an internal function,
//! what `size_of` returns. It is followed without changing the module; anything else is no constant.

use std::collections::HashSet;

use crate::llvm::{Linkage, Opcode, TypeKind, Value};

/// The constant that `value` always is: through casts, phis, local variables that only hold it, constant statics,
/// parameters that every caller of an internal function gives the same constant, and functions that return it.
pub fn constant_of(value: Value<'_>) -> Option<Value<'_>> {
    let mut constant = None;
    let mut seen = HashSet::new();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if !seen.insert(value) || value.is_undef() {
            continue;
        }
        if value.is_constant() {
            if constant.is_some_and(|c| c != value) {
                return None;
            }
            constant = Some(value);
        } else {
            work.extend(sources(value)?);
        }
    }
    constant
}

/// The constant that a function always returns.
pub fn returned_constant(function: Value<'_>) -> Option<Value<'_>> {
    if !function.is_function() || function.is_declaration() {
        return None;
    }
    let returns = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(|t| t.is(Opcode::Ret));
    let mut constants = returns.map(|r| (r.operand_count() == 1).then(|| constant_of(r.operand(0))).flatten());
    let first = constants.next()??;
    constants.all(|other| other == Some(first)).then_some(first)
}

/// The values one of which `value` is; none when there may be others.
fn sources(value: Value<'_>) -> Option<Vec<Value<'_>>> {
    if value.is_argument() {
        return every_argument(value);
    }
    if !value.is_instruction() {
        return None;
    }
    match value.opcode() {
        Opcode::Phi => Some(value.incoming().into_iter().map(|(v, _)| v).collect()),
        Opcode::Select => Some(vec![value.operand(1), value.operand(2)]),
        Opcode::BitCast | Opcode::PtrToInt | Opcode::IntToPtr | Opcode::Freeze => Some(vec![value.operand(0)]),
        Opcode::Load => every_store(value).or_else(|| constant_static(value)),
        Opcode::Call | Opcode::Invoke => every_return(value),
        _ => None,
    }
}

/// What every caller of an internal function passes for a parameter; none when a caller may be unknown.
fn every_argument(parameter: Value<'_>) -> Option<Vec<Value<'_>>> {
    let function = parameter.function();
    let position = function.parameters().iter().position(|p| *p == parameter)?;
    let local = matches!(function.linkage(), Linkage::Internal | Linkage::Private);
    let users = function.users();
    let direct = local && users.iter().all(|u| u.is_plain_call_of(function));
    direct.then(|| users.iter().map(|u| u.arguments()[position]).collect())
}

/// Everything that the called function may return; none when the linker may put another in its place.
fn every_return(call: Value<'_>) -> Option<Vec<Value<'_>>> {
    let function = call.called_function().filter(|f| !f.is_declaration() && call.is_plain_call_of(*f))?;
    let fixed = [Linkage::Internal, Linkage::Private, Linkage::External, Linkage::LinkOnceODR, Linkage::WeakODR];
    let returns = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(|t| t.is(Opcode::Ret));
    fixed.contains(&function.linkage()).then(|| returns.map(|r| r.operand(0)).collect())
}

/// Everything stored to a local variable that is only loaded and stored, each time as a whole.
fn every_store(load: Value<'_>) -> Option<Vec<Value<'_>>> {
    let variable = load.operand(0);
    if !variable.is(Opcode::Alloca) {
        return None;
    }
    let mut stored = Vec::new();
    for user in variable.users() {
        match user.opcode() {
            Opcode::Load => {}
            Opcode::Store if user.operand(1) == variable && user.operand(0).ty() == load.ty() => {
                stored.push(user.operand(0));
            }
            Opcode::Call if is_lifetime(user) => {}
            _ => return None,
        }
    }
    Some(stored)
}

fn is_lifetime(call: Value<'_>) -> bool {
    call.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime."))
}

/// What the first bytes of a static hold that nothing can change.
fn constant_static(load: Value<'_>) -> Option<Vec<Value<'_>>> {
    let variable = load.operand(0);
    let fixed = [Linkage::Internal, Linkage::Private, Linkage::External];
    if !(variable.is_global_variable() && variable.is_constant_global() && fixed.contains(&variable.linkage())) {
        return None;
    }
    let mut first = variable.initializer()?;
    while matches!(first.ty().kind(), TypeKind::Struct | TypeKind::Array) {
        first = first.operands().first().copied()?;
    }
    (first.ty() == load.ty()).then(|| vec![first])
}
