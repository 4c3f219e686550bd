//! Marker calls, and the kernel or function that each of them names.
//!
//! The calls are analysed in the module that all inputs are linked into, but each input module is compiled separately
//! for the host. The calls of a module are therefore numbered before it is linked, and looked up by number afterwards.
//! The result is a list of constants for each module, so that its host code does not depend on other parts of the
//! program.

use std::collections::{HashMap, HashSet};

use crate::contract::builtin::MARKERS;
use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// The metadata that numbers a call: its module, and its index in that module's [`calls`].
const PLACE: &str = "offload.mark";

/// The meaning of a marker call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// A kernel, by its index in the kernel set.
    Kernel(usize),
    /// A function that is passed as a value, by its position.
    Function(usize),
    /// A function of the host that kernels may call, by its position.
    HostFunction(usize),
}

/// A marker call and its meaning.
pub struct Mark<'c> {
    /// The call, whose result is the handle or the number.
    pub call: Value<'c>,
    /// Its meaning.
    pub marked: Marked,
}

/// The constant that a marker call becomes in host code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostConstant {
    /// The address of a symbol: a kernel's handle.
    Handle(String),
    /// The number of a function that is passed as a value.
    Number(u64),
    /// The address of the function itself. If kernels call it, they do so by this number.
    HostFunction(Option<usize>),
}

/// A marker call of a module that has not been linked.
#[derive(Debug)]
pub struct CallSite {
    function: String,
    /// Whether only this module can name the function.
    is_local: bool,
    /// The index among the function's calls.
    ordinal: usize,
}

/// The meaning of each marker call.
#[derive(Debug, Default)]
pub struct Marks {
    /// By module and index.
    by_place: HashMap<(u64, u64), Marked>,
    /// By function, and index among the function's calls: the linker keeps one of several equal functions.
    by_function: HashMap<(String, usize), Marked>,
}

/// The calls of `marker`, in the order of the module, and not in the order of LLVM's use list.
pub fn calls_of<'c>(module: &Module<'c>, marker: Function<'c>) -> Vec<Value<'c>> {
    let calls: Vec<_> = marker.users().into_iter().filter(|user| user.is_instruction()).collect();
    let callers: HashSet<_> = calls.iter().map(|call| call.function()).collect();
    let used: HashSet<_> = calls.into_iter().collect();
    let callers = module.functions().into_iter().filter(|function| callers.contains(function));
    callers.flat_map(|function| function.instructions().filter(|i| used.contains(i)).collect::<Vec<_>>()).collect()
}

/// The functions that the calls of one marker name.
#[derive(Default)]
pub(super) struct Named<'c> {
    /// The functions, in the order in which the module first names them.
    pub(super) functions: Vec<Value<'c>>,
    /// The calls, each with the position of its function.
    pub(super) marks: Vec<(Value<'c>, usize)>,
    /// The calls that name none.
    pub(super) wrong: Vec<Value<'c>>,
}

/// Finds them. `marked` is the function that a call of the marker names.
pub(super) fn named<'c>(
    module: &Module<'c>,
    marker: &str,
    marked: fn(Value<'c>, Function<'c>) -> Option<Value<'c>>,
) -> Named<'c> {
    let mut found = Named::default();
    let Some(marker) = module.function(marker) else { return found };
    let mut positions = HashMap::new();
    for call in calls_of(module, marker) {
        let Some(function) = marked(call, marker) else {
            found.wrong.push(call);
            continue;
        };
        let position = *positions.entry(function).or_insert_with(|| {
            found.functions.push(function);
            found.functions.len() - 1
        });
        found.marks.push((call, position));
    }
    found
}

/// All marker calls of a module.
pub(crate) fn marker_calls<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let markers = MARKERS.into_iter().filter_map(|name| module.function(name));
    markers.flat_map(|marker| calls_of(module, marker)).collect()
}

/// Numbers the marker calls of the module with this number, before it is linked with others.
pub fn number_marks(module: &Module<'_>, number: usize) {
    for (place, call) in marker_calls(module).into_iter().enumerate() {
        call.set_metadata_numbers(PLACE, &[number as u32, place as u32]);
    }
}

/// The marker calls of a module before it is linked with others, in the order of [`marker_calls`].
pub fn call_sites<'c>(module: &Module<'c>) -> Vec<CallSite> {
    let mut in_function = InFunction::default();
    let site = |call: Value<'c>| {
        let function = call.function();
        CallSite { function: function.name(), is_local: function.has_local_linkage(), ordinal: in_function.next(call) }
    };
    marker_calls(module).into_iter().map(site).collect()
}

impl Marks {
    /// Collects the marks of the linked module.
    pub fn new(module: &Module<'_>, found: &[Mark<'_>]) -> Self {
        let named: HashMap<Value<'_>, Marked> = found.iter().map(|mark| (mark.call, mark.marked)).collect();
        let mut marks = Self::default();
        let mut in_function = InFunction::default();
        for (place, call) in marker_calls(module).into_iter().enumerate() {
            let ordinal = in_function.next(call);
            let Some(marked) = named.get(&call) else { continue };
            let place = match call.metadata_numbers(PLACE).as_deref() {
                Some([module, place]) => (*module, *place),
                // A single module was not linked, so its calls have kept their indices.
                _ => (0, place as u64),
            };
            let _ = marks.by_place.insert(place, *marked);
            let _ = marks.by_function.insert((call.function().name(), ordinal), *marked);
        }
        marks
    }

    /// The meanings of the marker calls of the module with this number, in their order. None is a call that is kept.
    pub fn of(&self, sites: &[CallSite], number: usize) -> Vec<Option<Marked>> {
        let marked = |(place, site): (usize, &CallSite)| {
            let by_place = self.by_place.get(&(number as u64, place as u64));
            // A local function is always kept when modules are linked, and a function of another module may have the
            // same name.
            let by_function =
                || self.by_function.get(&(site.function.clone(), site.ordinal)).filter(|_| !site.is_local);
            by_place.or_else(by_function).copied()
        };
        sites.iter().enumerate().map(marked).collect()
    }
}

/// Counts calls per function.
#[derive(Default)]
struct InFunction<'c>(HashMap<Function<'c>, usize>);

impl<'c> InFunction<'c> {
    fn next(&mut self, call: Value<'c>) -> usize {
        let count = self.0.entry(call.function()).or_default();
        *count += 1;
        *count - 1
    }
}

/// Replaces a marker call or invoke by a call of a function that returns a constant. The optimiser inlines it.
pub(crate) fn replace_by_constant<'c>(module: &Module<'c>, call: Value<'c>, constant: Value<'c>, number: usize) {
    let ty = call.called_type();
    let function = module.add_function(&format!("__offload_value_of.{number}"), ty);
    let builder = Builder::at_end(function.append_block("entry"));
    let result = ty.result();
    if result.is_void() {
        builder.ret_void()
    } else if result == constant.ty() {
        builder.ret(constant)
    } else {
        builder.ret(builder.cast(Opcode::PtrToInt, constant, result, "handle"))
    }
    function.make_inlined();
    call.set_callee(function);
}
