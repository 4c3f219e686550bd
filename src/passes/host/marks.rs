//! Marker calls, and which kernel or function each of them names.
//!
//! Both are found once, in all inputs' modules linked into one, while each module becomes host code for itself.
//! So the calls of a module are numbered before it is linked, and looked up by number when its host code is made.

use std::collections::{HashMap, HashSet};

use crate::contract::builtin::MARKERS;
use crate::llvm::{Builder, Linkage, Module, Opcode, Value};

/// The metadata that numbers a call: its module, and its place in that module's [`calls`].
const PLACE: &str = "offload.mark";

/// What a marker call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// A kernel, by its position in the kernel set.
    Kernel(usize),
    /// A function that is handed over as a value, by its position among those.
    Function(usize),
}

/// A marker call and what it names.
pub struct Mark<'c> {
    /// The call, whose value becomes the handle or the number.
    pub call: Value<'c>,
    /// What it names.
    pub marked: Marked,
}

/// What each marker call names.
#[derive(Debug, Default)]
pub struct Marks {
    /// By module and place.
    by_place: HashMap<(u64, u64), Marked>,
    /// By function, and place among that function's: linking keeps one of several equal functions.
    by_function: HashMap<(String, usize), Marked>,
}

/// The calls of `marker`, in module order rather than in the order of LLVM's use list.
pub fn calls_of<'c>(module: &Module<'c>, marker: Value<'c>) -> Vec<Value<'c>> {
    let used: HashSet<_> = marker.users().into_iter().collect();
    let instructions = module.functions().into_iter().flat_map(|f| f.instructions().collect::<Vec<_>>());
    instructions.filter(|i| used.contains(i)).collect()
}

/// All marker calls of a module.
fn calls<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let markers = MARKERS.into_iter().filter_map(|name| module.function(name));
    markers.flat_map(|marker| calls_of(module, marker)).collect()
}

/// Numbers the marker calls of the `number`th module, which is about to be linked with others.
pub fn number_marks(module: &Module<'_>, number: usize) {
    for (place, call) in calls(module).into_iter().enumerate() {
        call.set_metadata_numbers(PLACE, &[number as u32, place as u32]);
    }
}

impl Marks {
    /// What was found in the linked module.
    pub fn new(module: &Module<'_>, found: &[Mark<'_>]) -> Self {
        let named: HashMap<Value<'_>, Marked> = found.iter().map(|mark| (mark.call, mark.marked)).collect();
        let mut marks = Self::default();
        let mut in_function = InFunction::default();
        for (place, call) in calls(module).into_iter().enumerate() {
            let ordinal = in_function.next(call);
            let Some(marked) = named.get(&call) else { continue };
            let place = match call.metadata_numbers(PLACE).as_deref() {
                Some([module, place]) => (*module, *place),
                // A module alone was never linked, so its calls are where they were.
                _ => (0, place as u64),
            };
            let _ = marks.by_place.insert(place, *marked);
            let _ = marks.by_function.insert((call.function().name(), ordinal), *marked);
        }
        marks
    }

    /// The marker calls of the `number`th module, each with what it names.
    pub fn of<'c>(&self, module: &Module<'c>, number: usize) -> Vec<(Value<'c>, Marked)> {
        let mut in_function = InFunction::default();
        let marked = |(place, call): (usize, Value<'c>)| {
            let ordinal = in_function.next(call);
            let by_place = self.by_place.get(&(number as u64, place as u64));
            let function = call.function();
            // A module's own function is never left out, and another module's may bear its name.
            let own = matches!(function.linkage(), Linkage::Internal | Linkage::Private);
            let by_function = || self.by_function.get(&(function.name(), ordinal)).filter(|_| !own);
            Some((call, *by_place.or_else(by_function)?))
        };
        calls(module).into_iter().enumerate().filter_map(marked).collect()
    }
}

/// Counts calls function by function.
#[derive(Default)]
struct InFunction<'c>(HashMap<Value<'c>, usize>);

impl<'c> InFunction<'c> {
    fn next(&mut self, call: Value<'c>) -> usize {
        let count = self.0.entry(call.function()).or_default();
        *count += 1;
        *count - 1
    }
}

/// Lets a marker call, invoke or not, call a function that returns a constant; the optimiser inlines it.
pub(crate) fn give_constant<'c>(module: &Module<'c>, call: Value<'c>, constant: Value<'c>, number: usize) {
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
    function.set_linkage(Linkage::Internal);
    function.mark("alwaysinline");
    call.set_callee(function);
}
