//! Replaces calls through pointers by direct calls, for devices that have no function pointers or must know all
//! callees.
//!
//! Such a call compares its pointer with the functions that it may hold, calls the one that is equal, and traps if none
//! is. The possible functions are found through selects and phis, parameters of internal functions, statics that are
//! only loaded and stored as a whole, and constant tables. If this is not sufficient, they are all functions of the
//! call's type whose address is taken. Addresses of functions then become numbers.
//!
//! Before: all functions but the kernels are internal. After: functions are only called. A call through a pointer
//! remains if the origin of its pointer is unknown and no function has a suitable type.

use std::collections::HashSet;

use crate::contract::symbols::CALL_THROUGH_POINTER;
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Value};

/// A dispatcher between several functions with more calls is not inlined.
const MOST_COPIES: usize = 3;

/// Rewrites `module`.
pub fn lower_function_pointers(module: &Module<'_>) {
    let addressed = addressed_functions(module);
    if addressed.is_empty() {
        return;
    }
    let mut dispatchers = Dispatchers { module, addressed: &addressed, made: Vec::new() };
    for call in bodies(module).into_iter().flat_map(|f| f.instructions().collect::<Vec<_>>()) {
        if call.is_indirect_call() {
            dispatchers.lower_call(call);
        }
    }
    dispatchers.keep_whole();
    addressed.iter().zip(1..).for_each(|(function, number)| number_address(*function, number));
}

fn bodies<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    module.definitions().collect()
}

/// The functions whose address is taken, in the order of the module.
fn addressed_functions<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    let taken = |f: &Function<'c>| !f.is_intrinsic() && !f.is_only_called();
    module.functions().into_iter().filter(taken).collect()
}

/// The dispatchers, each with its candidates. Calls with the same candidates share a dispatcher.
struct Dispatchers<'m, 'c> {
    module: &'m Module<'c>,
    addressed: &'m [Function<'c>],
    made: Vec<(Type<'c>, Vec<Function<'c>>, Function<'c>)>,
}

impl<'c> Dispatchers<'_, 'c> {
    /// Replaces a call. A call without candidates traps if its pointer is known, because a table of device functions
    /// need not contain a function of every type that is called, or if its pointer is compared with null. Otherwise it
    /// is left unchanged.
    fn lower_call(&mut self, call: Value<'c>) {
        let (pointer, ty) = (call.callee(), call.called_type());
        let mut held = PossibleCallees::default();
        let complete = held.find(pointer);
        let suits = |f: &&Function<'c>| f.function_type() == ty && (!complete || held.functions.contains(*f));
        let functions: Vec<_> = self.addressed.iter().filter(suits).copied().collect();
        if functions.is_empty() && !complete && !may_be_null(pointer) {
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

/// The functions that a pointer may hold.
#[derive(Default)]
struct PossibleCallees<'c> {
    functions: HashSet<Function<'c>>,
    seen: HashSet<Value<'c>>,
}

impl<'c> PossibleCallees<'c> {
    /// Finds the functions that `value` may be; false if it may be anything else.
    fn find(&mut self, value: Value<'c>) -> bool {
        if value.is_null() || value.is_undef() || !self.seen.insert(value) {
            return true;
        }
        if let Some(function) = value.as_function() {
            self.functions.insert(function);
            return true;
        }
        if value.is_argument() {
            return self.find_argument(value);
        }
        if !value.is_instruction() {
            return false;
        }
        match value.opcode() {
            Opcode::Phi => value.incoming().into_iter().all(|(each, _)| self.find(each)),
            Opcode::Select => self.find(value.operand(1)) && self.find(value.operand(2)),
            Opcode::Freeze => self.find(value.operand(0)),
            Opcode::Load => self.find_static(value.operand(0)) || self.find_table(value.operand(0)),
            _ => false,
        }
    }

    fn find_argument(&mut self, argument: Value<'c>) -> bool {
        let function = argument.function();
        let index = function.parameters().iter().position(|parameter| *parameter == argument);
        let internal = function.linkage() == Linkage::Internal;
        let Some(index) = index.filter(|_| internal) else { return false };
        function.users().into_iter().all(|user| user.is_plain_call_of(function) && self.find(user.arguments()[index]))
    }

    /// Finds the functions in a static that is only loaded and stored as a whole.
    fn find_static(&mut self, variable: Value<'c>) -> bool {
        if !variable.is_global_variable() || variable.linkage() != Linkage::Internal {
            return false;
        }
        let Some(mut first) = variable.initializer() else { return false };
        while !first.ty().parts().is_empty() && !first.is_null() && first.operand_count() == 1 {
            first = first.operand(0);
        }
        self.find(first)
            && variable.users().into_iter().all(|user| match user.is_instruction().then(|| user.opcode()) {
                Some(Opcode::Load) => user.ty().is_pointer(),
                Some(Opcode::Store) => user.operand(1) == variable && self.find(user.operand(0)),
                _ => false,
            })
    }

    /// Finds the functions in a constant that is loaded from at any offset.
    fn find_table(&mut self, mut place: Value<'c>) -> bool {
        while place.is(Opcode::GetElementPtr) {
            place = place.operand(0);
        }
        let fixed = place.is_global_variable() && place.is_constant_global();
        let held = if fixed && place.linkage() == Linkage::Internal { place.initializer() } else { None };
        held.is_some_and(|held| self.find_in_constant(held))
    }

    fn find_in_constant(&mut self, constant: Value<'c>) -> bool {
        self.functions.extend(constant.as_function());
        // Other addresses in the constant are never called.
        constant.is_global() || constant.operands().into_iter().all(|each| self.find_in_constant(each))
    }
}
