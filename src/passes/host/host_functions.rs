//! Functions of the host that kernels call: `__offload_host_function(f)` is the number of `f` in device code, by which
//! `__offload_call_host` calls it, and the address of `f` in host code.
//!
//! The number is the position of the function among those that kernels call. The registration object has a table
//! of their addresses. A function may be local to its module, so each module that marks a function also defines a
//! hidden one that calls it, under a name with the number.

use std::collections::{HashMap, HashSet};

use super::marks::{Named, calls_of, named, replace_by_constant};
use crate::analysis::constant_of::constant_of;
use crate::analysis::reach::Reach;
use crate::contract::builtin::MARK_HOST_FUNCTION;
use crate::contract::kernel::{ANY_HASH, host_function_symbol};
use crate::llvm::{Builder, Function, Linkage, Module, Type, Value};

/// The metadata of a marker call in the module that will be cloned: the number of its function.
const NUMBER: &str = "offload.host_function";

/// The functions of the host that a program marks.
#[derive(Default)]
pub struct HostFunctions<'c> {
    /// The functions, in the order in which the module first names them.
    pub functions: Vec<Value<'c>>,
    /// The marker calls, each with the position of its function.
    pub marks: Vec<(Value<'c>, usize)>,
    /// Marker calls whose argument is not such a function.
    pub wrong: Vec<Value<'c>>,
    /// The numbers of the functions that kernels call, by position.
    numbers: HashMap<usize, usize>,
}

impl<'c> HostFunctions<'c> {
    /// Finds the functions.
    pub fn find(module: &Module<'c>) -> Self {
        let Named { functions, marks, wrong } = named(module, MARK_HOST_FUNCTION, marked);
        Self { functions, marks, wrong, numbers: HashMap::new() }
    }

    /// Removes the functions, which are no device code, from the marker calls in the module that will be cloned.
    pub(crate) fn forget_functions(&self) {
        self.marks.iter().for_each(|(call, _)| call.set_operand(0, call.operand(0).ty().zero()));
    }

    /// Numbers the functions whose marker calls kernels reach, and stores the numbers in these calls.
    pub(crate) fn number(&mut self, reach: &Reach<'c>) {
        let reached: HashSet<_> = reach.order.iter().copied().collect();
        for (call, position) in self.marks.iter().filter(|(call, _)| reached.contains(&*call.function())) {
            let next = self.numbers.len();
            let number = *self.numbers.entry(*position).or_insert(next);
            call.set_metadata_numbers(NUMBER, &[number as u32]);
        }
    }

    /// How many functions kernels call.
    pub fn called(&self) -> usize {
        self.numbers.len()
    }

    /// The number of the function with this position, if kernels call it.
    pub fn number_of(&self, position: usize) -> Option<usize> {
        self.numbers.get(&position).copied()
    }

    /// Replaces the marker calls in the clone `device` by numbers.
    pub(crate) fn resolve(&self, device: &Module<'c>) {
        let Some(marker) = device.function(MARK_HOST_FUNCTION) else { return };
        for (i, call) in calls_of(device, marker).into_iter().enumerate() {
            let number = call.metadata_numbers(NUMBER).and_then(|numbers| numbers.first().copied());
            // The walk from the kernels reached all calls of their clone. In a module of functions for kernels of other
            // objects, other calls have the number of no function.
            let number = number.unwrap_or(u64::from(u32::MAX));
            replace_by_constant(device, call, call.ty().constant(number), FIRST + i);
        }
    }
}

/// The names of the functions that replace marker calls are unique from this number on: other marker calls have been
/// replaced under lower numbers.
const FIRST: usize = 1 << 24;

/// The function that a marker call names, if host code can call it with the arguments of a call.
fn marked<'c>(call: Value<'c>, marker: Function<'c>) -> Option<Value<'c>> {
    if !call.is_plain_call_of(marker) || call.ty().int_width() != Some(64) {
        return None;
    }
    let function = constant_of(*call.arguments().first()?)?.strip_constant_casts();
    let named = function.is_global().then(|| function.aliasee().as_function()).flatten()?;
    (named.function_type() == function_type(named)).then_some(function)
}

/// `uint32_t f(const void *arguments, void *result, char *text, size_t capacity)`, where a panic writes its message to
/// `text`.
fn function_type(of: Function<'_>) -> Type<'_> {
    let types = of.types();
    let (pointer, size) = (types.ptr(0), types.i64());
    types.i32().function(&[pointer, pointer, pointer, size])
}

/// Defines the symbol of the function that a marker call of a host module names, if kernels call it. Returns the
/// function.
pub(crate) fn export<'c>(host: &Module<'c>, call: Value<'c>, number: Option<usize>) -> Option<Value<'c>> {
    let marked = constant_of(*call.arguments().first()?)?.strip_constant_casts();
    let function = marked.aliasee().as_function()?;
    let Some(number) = number else { return Some(marked) };
    let symbol = host_function_symbol(number, ANY_HASH);
    if host.function(&symbol).is_none() {
        let exported = host.add_function(&symbol, function_type(function));
        exported.set_hidden();
        // Several modules may mark one function.
        exported.set_linkage(Linkage::WeakAny);
        let builder = Builder::at_end(exported.append_block("entry"));
        let result = builder.call(function, &exported.parameters(), "");
        function.forward_attributes(result);
        builder.ret(result);
    }
    Some(marked)
}
