//! Passes arguments and results in memory if a device's functions cannot have such types, for example structs.
//!
//! ```c
//! // Before: struct pair f(struct pair p) { return g(p); }
//! void f(struct pair *p, struct pair *result) {
//!   struct pair argument = *p, given;       // a place in the caller for each type and parameter
//!   g(&argument, &given);
//!   *result = given;
//! }
//! ```
//!
//! Before: functions are only called; there is no recursion and no debug information; allocas and pointers are in one
//! address space. After: functions have only legal parameters and results.

use std::collections::HashMap;

use crate::llvm::{Builder, Function, Module, Opcode, Place, Type, Value};

/// The function attributes that still hold if a function reads and writes more memory.
const FUNCTION_ATTRIBUTES: &[&str] =
    &["cold", "convergent", "minsize", "mustprogress", "nofree", "noinline", "noreturn", "nounwind", "optsize"];
/// The parameter attributes that still hold if a function has further parameters.
const PARAMETER_ATTRIBUTES: &[&str] = &[
    "align",
    "dereferenceable",
    "dereferenceable_or_null",
    "noalias",
    "nonnull",
    "noundef",
    "readnone",
    "readonly",
    "signext",
    "writeonly",
    "zeroext",
];
/// The attribute of a pointer to bytes that belong to the function; it has their type.
const BY_VALUE: &str = "byval";

/// Rewrites `functions` and their calls. `is_legal` decides which types functions can have.
pub fn pass_in_memory<'c>(module: &Module<'c>, functions: &[Function<'c>], is_legal: &dyn Fn(Type<'c>) -> bool) {
    let mut places = CallerSlots { module, known: HashMap::new() };
    for function in functions {
        let passing = MemoryPassing::of(*function, is_legal);
        let new = passing.declare(module, *function);
        passing.take_body(module, *function, new);
        for call in function.users() {
            passing.change_call(&mut places, call, new);
        }
        function.erase_global();
    }
}

/// Which parameters of a function are in memory, and whether its result is.
struct MemoryPassing<'c> {
    parameters: Vec<(Type<'c>, bool)>,
    result: Type<'c>,
    gives: bool,
}

impl<'c> MemoryPassing<'c> {
    fn of(function: Function<'c>, is_legal: &dyn Fn(Type<'c>) -> bool) -> Self {
        let ty = function.function_type();
        let parameters = ty.parameters().into_iter().map(|ty| (ty, !is_legal(ty))).collect();
        MemoryPassing { parameters, result: ty.result(), gives: !ty.result().is_void() && !is_legal(ty.result()) }
    }

    fn declare(&self, module: &Module<'c>, function: Function<'c>) -> Function<'c> {
        let types = module.types();
        let (void, pointer) = (types.void(), types.ptr(0));
        let own = self.parameters.iter().map(|(ty, in_memory)| if *in_memory { pointer } else { *ty });
        let types: Vec<_> = own.chain(self.gives.then_some(pointer)).collect();
        let name = function.name();
        function.set_name("");
        let new = module.add_function(&name, if self.gives { void } else { self.result }.function(&types));
        new.set_linkage(function.linkage());
        new.set_calling_convention(function.calling_convention());
        new.copy_attributes(Place::Function, function, Place::Function, FUNCTION_ATTRIBUTES);
        self.describe_parameters(function, new);
        new
    }

    /// Copies the attributes of the unchanged parameters to the new function.
    fn describe_parameters(&self, from: Function<'c>, to: Function<'c>) {
        for place in self.kept() {
            to.copy_attributes(place, from, place, PARAMETER_ATTRIBUTES);
            if let Some(ty) = from.type_attribute(place, BY_VALUE) {
                to.add_type_attribute(place, BY_VALUE, ty);
            }
        }
    }

    /// The unchanged parameters.
    fn kept(&self) -> impl Iterator<Item = Place> {
        let kept = self.parameters.iter().enumerate().filter(|(_, (_, in_memory))| !in_memory);
        kept.map(|(index, _)| Place::Parameter(index as u32))
    }

    fn take_body(&self, module: &Module<'c>, function: Function<'c>, new: Function<'c>) {
        new.take_body(function);
        let builder = Builder::at_start(new.blocks()[0]);
        let parameters = new.parameters();
        for (index, old) in function.parameters().into_iter().enumerate() {
            let (ty, in_memory) = self.parameters[index];
            parameters[index].set_name(&old.name());
            let load = || builder.load(ty, parameters[index], ty.alignment(module), "");
            old.replace_all_uses_with(if in_memory { load() } else { parameters[index] });
        }
        if !self.gives {
            return;
        }
        let returns: Vec<_> = new.instructions().filter(|i| i.is(Opcode::Ret)).collect();
        for end in returns {
            let builder = Builder::before(end);
            builder.store(end.operand(0), parameters[self.parameters.len()], self.result.alignment(module));
            builder.ret_void();
            end.erase();
        }
    }

    fn change_call(&self, places: &mut CallerSlots<'_, 'c>, call: Value<'c>, new: Function<'c>) {
        let (module, caller, builder) = (places.module, call.function(), Builder::before(call));
        let mut arguments = call.arguments();
        for (index, (ty, _)) in self.parameters.iter().enumerate().filter(|(_, (_, in_memory))| *in_memory) {
            let place = places.of(caller, *ty, index);
            builder.store(arguments[index], place, ty.alignment(module));
            arguments[index] = place;
        }
        let place = self.gives.then(|| places.of(caller, self.result, self.parameters.len()));
        arguments.extend(place);
        let changed = builder.call(new, &arguments, "");
        changed.set_calling_convention(call.calling_convention());
        for place in self.kept() {
            if let Some(ty) = new.type_attribute(place, BY_VALUE) {
                changed.add_type_attribute(place, BY_VALUE, ty);
            }
        }
        let given = place.map(|place| builder.load(self.result, place, self.result.alignment(module), ""));
        if !call.ty().is_void() {
            call.replace_all_uses_with(given.unwrap_or(changed));
        }
        call.erase();
    }
}

/// The allocas of callers, by type and use. Calls can share them, because no two calls use one at the same time.
struct CallerSlots<'m, 'c> {
    module: &'m Module<'c>,
    known: HashMap<(Function<'c>, Type<'c>, usize), Value<'c>>,
}

impl<'c> CallerSlots<'_, 'c> {
    fn of(&mut self, caller: Function<'c>, ty: Type<'c>, index: usize) -> Value<'c> {
        let module = self.module;
        *self.known.entry((caller, ty, index)).or_insert_with(|| {
            let place = Builder::at_start(caller.blocks()[0]).alloca(ty, "passed");
            place.set_alignment(ty.alignment(module));
            place
        })
    }
}
