//! Propagates constants backwards, to evaluate the arguments of marker calls.
//!
//! In rustc's output, few instructions are between the kernel and the call: a cast, a local variable, a parameter of an
//! internal function, the result of `size_of`. They are followed without changing the module; any other value is not a
//! constant.

use std::collections::HashSet;

use crate::llvm::{Function, Linkage, Opcode, TypeKind, Value};

/// The constant that `value` always has. It is followed through casts, phis, local variables with only this value,
/// constant statics, parameters for which every caller of an internal function passes the same constant, and functions
/// that return it.
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
pub fn returned_constant(function: Function<'_>) -> Option<Value<'_>> {
    if function.is_declaration() {
        return None;
    }
    let returns = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(|t| t.is(Opcode::Ret));
    let mut constants = returns.map(|r| (r.operand_count() == 1).then(|| constant_of(r.operand(0))).flatten());
    let first = constants.next()??;
    constants.all(|other| other == Some(first)).then_some(first)
}

/// The values that `value` may have; none if there may be others.
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

/// The arguments that all callers of an internal function pass for a parameter; none if there may be an unknown caller.
fn every_argument(parameter: Value<'_>) -> Option<Vec<Value<'_>>> {
    let function = parameter.function();
    let position = function.parameters().iter().position(|p| *p == parameter)?;
    let known = function.has_local_linkage() && function.is_only_called();
    known.then(|| function.users().into_iter().map(|call| call.arguments()[position]).collect())
}

/// All values that the called function may return; none if the linker may replace the function. A returned parameter is
/// replaced by the argument of this call: `str::len` is such a function, with another constant for each text.
fn every_return(call: Value<'_>) -> Option<Vec<Value<'_>>> {
    let function = call.called_function().filter(|f| !f.is_declaration() && call.is_plain_call_of(*f))?;
    let fixed = [Linkage::Internal, Linkage::Private, Linkage::External, Linkage::LinkOnceODR, Linkage::WeakODR];
    let returns = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(|t| t.is(Opcode::Ret));
    let passed = |value: Value<'_>| function.parameters().iter().position(|parameter| *parameter == value);
    let given = |value| passed(value).map_or(value, |position| call.arguments()[position]);
    fixed.contains(&function.linkage()).then(|| returns.map(|end| given(end.operand(0))).collect())
}

/// All values that are stored to a local variable, if it is only loaded and stored as a whole.
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
            Opcode::Call if user.is_lifetime_marker() => {}
            _ => return None,
        }
    }
    Some(stored)
}

/// The value of a load from the start of a constant static.
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
