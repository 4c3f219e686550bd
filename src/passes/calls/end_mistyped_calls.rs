//! Replaces calls of functions by another type than their own, and calls of statics.
//!
//! ```text
//! %r = call i32 @two(i32 %x)     ; @two has two parameters      =>      call void @llvm.trap()
//! ```
//!
//! A kernel that calls a function by its number compares the number with those of all functions of the program, and
//! LLVM calls them directly, also one of another type, whose number is never passed to this kernel. Passes that add
//! parameters to functions could not change such a call. The address of a static is called where a kernel has made a
//! function pointer of it, and LLVM's back end for AMD fails on the call.

use crate::llvm::{Builder, Function, Module, Value};

/// Replaces the calls. Those of the source have been refused (`check_device.rs`).
pub fn end_mistyped_calls(module: &Module<'_>) {
    let functions: Vec<_> = module.definitions().collect();
    let statics = module.variables().into_iter().flat_map(|variable| calls_of(variable, |_| true));
    let mistyped = functions.iter().flat_map(|function| {
        let own = function.function_type();
        calls_of(**function, move |call| call.called_type() != own)
    });
    let calls: Vec<_> = mistyped.chain(statics).collect();
    for call in &calls {
        let block = call.block();
        call.split_block("never");
        let end = block.terminator().expect("it was split");
        let builder = Builder::before(end);
        builder.locate_as(*call);
        builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        builder.unreachable();
        end.erase();
    }
    // Only after all calls: a block that is now unreachable may contain one of the other calls.
    if !calls.is_empty() {
        functions.into_iter().for_each(Function::erase_unreachable_blocks);
    }
}

/// The calls of a function or of a static that are `wrong`.
fn calls_of<'c>(global: Value<'c>, wrong: impl Fn(Value<'c>) -> bool) -> Vec<Value<'c>> {
    let is_wrong = |user: &Value<'c>| user.is_call() && user.callee() == global && wrong(*user);
    global.users().into_iter().filter(is_wrong).collect()
}
