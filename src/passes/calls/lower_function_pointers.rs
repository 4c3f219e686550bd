//! Replaces calls through pointers by direct calls, for devices that have no function pointers or must know all
//! callees.
//!
//! Such a call compares its pointer with the functions that it may hold, calls the one that is equal, and traps if none
//! is. `analysis/callees.rs` finds the possible functions. Addresses of functions then become numbers.
//!
//! Before: all functions but the kernels are internal. After: functions are only called. A call through a pointer
//! remains if the origin of its pointer is unknown and no function has a suitable type.

use crate::analysis::callees::{AddressTaken, Callees};
use crate::contract::symbols::CALL_THROUGH_POINTER;
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Value};

/// A dispatcher between several functions with more calls is not inlined.
const MOST_COPIES: usize = 3;

/// Rewrites `module`.
pub fn lower_function_pointers(module: &Module<'_>) {
    let addressed = AddressTaken::of(module);
    if addressed.functions.is_empty() {
        return;
    }
    let mut dispatchers = Dispatchers { module, addressed: &addressed, made: Vec::new() };
    for call in bodies(module).into_iter().flat_map(|f| f.instructions().collect::<Vec<_>>()) {
        if call.is_indirect_call() {
            dispatchers.lower_call(call);
        }
    }
    dispatchers.keep_whole();
    addressed.functions.iter().zip(1..).for_each(|(function, number)| number_address(*function, number));
}

fn bodies<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    module.definitions().collect()
}

/// The dispatchers, each with its candidates. Calls with the same candidates share a dispatcher.
struct Dispatchers<'m, 'c> {
    module: &'m Module<'c>,
    addressed: &'m AddressTaken<'c>,
    made: Vec<(Type<'c>, Vec<Function<'c>>, Function<'c>)>,
}

impl<'c> Dispatchers<'_, 'c> {
    /// Replaces a call. A call without candidates traps if its pointer is known, because a table of device functions
    /// need not contain a function of every type that is called, or if its pointer is compared with null. Otherwise it
    /// is left unchanged.
    fn lower_call(&mut self, call: Value<'c>) {
        let (pointer, ty) = (call.callee(), call.called_type());
        let Callees { functions, are_known } = self.addressed.callees(call);
        if functions.is_empty() && !are_known && !may_be_null(pointer) {
            return;
        }
        let chosen = self.dispatcher(pointer.ty(), ty, functions);
        let arguments = [vec![pointer], call.arguments()].concat();
        let named = Builder::before(call).call(chosen, &arguments, "");
        if call.has_attribute(Place::Function, "convergent") {
            let calls = chosen.instructions().filter(|i| i.is(Opcode::Call));
            calls.chain([*chosen, named]).for_each(|each| each.mark("convergent"));
        }
        if !call.ty().is_void() {
            call.replace_all_uses_with(named);
        }
        call.erase();
    }

    /// Inlining a large dispatcher into many callers would duplicate each candidate as often.
    fn keep_whole(&self) {
        let many = |candidates: &[Function<'c>], dispatcher: &Function<'c>| {
            candidates.len() > 1 && dispatcher.users().len() > MOST_COPIES
        };
        let large = self.made.iter().filter(|(_, candidates, dispatcher)| many(candidates, dispatcher));
        large.for_each(|(.., dispatcher)| dispatcher.mark("noinline"));
    }

    fn dispatcher(&mut self, pointer: Type<'c>, ty: Type<'c>, functions: Vec<Function<'c>>) -> Function<'c> {
        let known = self.made.iter().find(|(own, candidates, _)| *own == ty && *candidates == functions);
        known.map(|(.., dispatcher)| *dispatcher).unwrap_or_else(|| {
            let dispatcher = dispatcher(self.module, pointer, ty, &functions);
            self.made.push((ty, functions, dispatcher));
            dispatcher
        })
    }
}

/// Whether a pointer is compared with null. The drop function of a trait object is: if no type of the program needs to
/// be dropped, there is no candidate.
fn may_be_null(pointer: Value<'_>) -> bool {
    let is_test = |user: &Value<'_>| user.is(Opcode::ICmp) && user.operands().into_iter().any(Value::is_null);
    pointer.users().iter().any(is_test)
}

/// `R dispatcher(p, …) { if (p == f) return f(…); if (p == g) return g(…); trap; }`
fn dispatcher<'c>(module: &Module<'c>, pointer: Type<'c>, ty: Type<'c>, functions: &[Function<'c>]) -> Function<'c> {
    let own = ty.result().function(&[vec![pointer], ty.parameters()].concat());
    let function = module.add_function(CALL_THROUGH_POINTER, own);
    function.set_linkage(Linkage::Internal);
    let parameters = function.parameters();
    let builder = Builder::at_end(function.append_block("entry"));
    for candidate in functions {
        let [call, next] = ["call", "next"].map(|name| function.append_block(name));
        let same = builder.icmp(IntPredicate::Eq, parameters[0], **candidate, "");
        builder.cond_br(same, call, next);
        builder.move_to_end(call);
        let result = builder.call(*candidate, &parameters[1..], "");
        builder.ret_result(Some(result));
        builder.move_to_end(next);
    }
    builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
    builder.unreachable();
    function
}

/// Replaces all uses of a function's address, other than calls, by a number.
fn number_address(function: Function<'_>, number: u64) {
    let calls = function.direct_calls();
    let address = function.types().i64().constant(number).constant_pointer(function.ty());
    function.replace_all_uses_with(address);
    calls.into_iter().for_each(|call| call.set_callee(function));
}
