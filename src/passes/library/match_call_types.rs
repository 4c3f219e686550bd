//! Changes calls of panic functions and of the allocator to the type of the function.
//!
//! With opaque pointers, the function type of a call may differ from the type of the function. Such IR is valid,
//! although executing the call is undefined behaviour. But passes that define these functions read arguments by
//! position. A missing argument, and an argument or a result of another type, become zero.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::panics::is_panic;

/// Rewrites the calls in `module`.
pub fn match_call_types(module: &Module<'_>) {
    let known = |f: &Function<'_>| is_panic(*f) || is_allocator(&f.name());
    for function in module.functions().into_iter().filter(|f| known(f) && !f.function_type().is_vararg()) {
        let other = |user: &Value<'_>| {
            user.is(Opcode::Call) && user.callee() == function && user.called_type() != function.function_type()
        };
        function.users().into_iter().filter(other).for_each(|call| match_call(call, function));
    }
}

fn match_call<'c>(call: Value<'c>, function: Function<'c>) {
    let ty = function.function_type();
    let given = call.arguments();
    let argument = |(at, ty): (usize, Type<'c>)| match given.get(at) {
        Some(value) if value.ty() == ty => *value,
        _ => ty.zero(),
    };
    let arguments: Vec<_> = ty.parameters().into_iter().enumerate().map(argument).collect();
    let matched = Builder::before(call).call(function, &arguments, "");
    if !call.ty().is_void() {
        call.replace_all_uses_with(if matched.ty() == call.ty() { matched } else { call.ty().zero() });
    }
    call.erase();
}
