//! The functions that a call through a pointer may lead to.
//!
//! They are found through selects and phis, parameters of internal functions, statics that are only loaded and stored
//! as a whole, and constant tables. If this is not sufficient, they are all functions of the call's type whose address
//! is taken: another kernel may have stored it in memory.

use std::collections::HashSet;

use crate::contract::queries::LINKED_FUNCTION;
use crate::llvm::{Function, Linkage, Module, Opcode, Value};

/// The functions of a module whose address is taken, in its order.
pub struct AddressTaken<'c> {
    /// The functions.
    pub functions: Vec<Function<'c>>,
}

/// The functions that a call through a pointer may lead to.
pub struct Callees<'c> {
    /// Functions of the call's type, in the order of the module.
    pub functions: Vec<Function<'c>>,
    /// Whether the pointer is known to hold one of certain functions, whatever other kernels have stored in memory.
    pub are_known: bool,
}

impl<'c> AddressTaken<'c> {
    /// Finds the functions.
    pub fn of(module: &Module<'c>) -> Self {
        let taken = |f: &Function<'c>| !f.is_intrinsic() && !f.is_only_called();
        Self { functions: module.functions().into_iter().filter(taken).collect() }
    }

    /// The functions that an indirect call may lead to.
    pub fn callees(&self, call: Value<'c>) -> Callees<'c> {
        let (ty, mut held) = (call.called_type(), Held::default());
        let are_known = held.find(call.callee());
        let suits = |f: &&Function<'c>| f.function_type() == ty && (!are_known || held.functions.contains(*f));
        Callees { functions: self.functions.iter().filter(suits).copied().collect(), are_known }
    }
}

/// Whether kernels may call functions whose addresses other kernels, or other launches, have stored in memory.
pub fn calls_what_is_stored(module: &Module<'_>) -> bool {
    let addressed = AddressTaken::of(module);
    let calls = || module.definitions().flat_map(|f| f.instructions().collect::<Vec<_>>());
    !addressed.functions.is_empty()
        && calls().filter(|i| i.is_indirect_call()).any(|call| !addressed.callees(call).are_known)
}

/// The functions that a pointer may hold.
#[derive(Default)]
struct Held<'c> {
    functions: HashSet<Function<'c>>,
    seen: HashSet<Value<'c>>,
}

impl<'c> Held<'c> {
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
            // A function of another object, which is not linked yet and has a number that all images share.
            Opcode::Call => value.called_function().is_some_and(|f| f.is_declaration() && f.name() == LINKED_FUNCTION),
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
