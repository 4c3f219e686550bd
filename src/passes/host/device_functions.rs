//! Functions that are passed as values: `__offload_function(f)` is a number on host and device, and
//! `__offload_function_pointer(number)` on a device is the address of `f`'s device code.
//!
//! The lower bits of a number are the position of a function among those that the program marks, counted from 1. The
//! upper 40 bits are a hash of the symbols of these functions and of the kernels, and of the code that the functions
//! reach. A number is therefore the same in every image, and the numbers of two objects differ unless their functions
//! have the same symbols and the same code: a kernel of one object may be given a function of another one.

use std::collections::{BTreeSet, HashMap};

use super::marks::{Named, calls_of, named, replace_by_constant};
use crate::analysis::constant_of::constant_of;
use crate::analysis::reach::Reach;
use crate::contract::builtin::{FUNCTION_POINTER, MARK_FUNCTION};
use crate::contract::kernel::KernelSet;
use crate::contract::queries::LINKED_FUNCTION;
use crate::contract::symbols::{FUNCTION_LOOKUP, FUNCTION_TABLE};
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Value};

/// The bits of a number that contain the function's position.
const PLACE_BITS: u32 = 24;

/// The metadata of a marker call in the module that will be cloned: the position of its function.
const POSITION: &str = "offload.function";

/// The functions that are passed as values.
#[derive(Default)]
pub struct DeviceFunctions<'c> {
    /// The host's functions or aliases, in the order in which the module first names them.
    pub functions: Vec<Value<'c>>,
    /// The marker calls, each with the position of its function.
    pub marks: Vec<(Value<'c>, usize)>,
    /// Marker calls whose argument is not a function.
    pub wrong: Vec<Value<'c>>,
}

impl<'c> DeviceFunctions<'c> {
    /// Finds the functions. An unnamed function receives a name, by which its copy in the device module is found.
    pub fn find(module: &Module<'c>) -> Self {
        let Named { functions, marks, wrong } = named(module, MARK_FUNCTION, marked);
        for function in functions.iter().filter(|function| function.name().is_empty()) {
            function.set_name("unnamed_function");
        }
        Self { functions, marks, wrong }
    }

    /// Stores in each marker call the position of its function.
    pub(crate) fn label(&self) {
        self.marks.iter().for_each(|(call, position)| call.set_metadata_numbers(POSITION, &[*position as u32]));
    }

    /// Replaces the marker calls in the clone `device` by numbers, and defines `__offload_function_pointer` there. If
    /// the module `is_linkable`, functions of other objects may be linked with it later.
    pub(crate) fn resolve(&self, device: &Module<'c>, numbers: Numbers, is_linkable: bool) {
        if let Some(marker) = device.function(MARK_FUNCTION) {
            for (i, call) in calls_of(device, marker).into_iter().enumerate() {
                let position = call.metadata_numbers(POSITION).and_then(|numbers| numbers.first().copied());
                let number = numbers.of(position.expect("calls without a function are errors before") as usize);
                replace_by_constant(device, call, call.ty().constant(number), i);
            }
        }
        if let Some(question) = device.function(FUNCTION_POINTER) {
            answer(device, question, &self.copies(device, &BTreeSet::new()), numbers, is_linkable);
        }
    }

    /// Adds the table of the functions to the clone `device`, without those at some positions.
    pub(crate) fn table(&self, device: &Module<'c>, left_out: &BTreeSet<usize>) -> Value<'c> {
        table_of(device, device.types().ptr(0), &self.copies(device, left_out))
    }

    /// The functions in the clone `device`, with null pointers for those that are left out.
    fn copies(&self, device: &Module<'c>, left_out: &BTreeSet<usize>) -> Vec<Value<'c>> {
        let by_name: HashMap<String, Value<'c>> = device.globals().into_iter().map(|g| (g.name(), g)).collect();
        // A function of another crate has no body yet, and nothing else of the device's names it.
        let declared = |f: &Value<'c>| {
            let function = f.as_function().expect("an alias has a body, which is a root of the walk");
            *device.declare(&function.name(), function.function_type())
        };
        let copy = |f: &Value<'c>| by_name.get(&f.name()).copied().unwrap_or_else(|| declared(f));
        let null = device.types().ptr(0).zero();
        let all = self.functions.iter().enumerate();
        all.map(|(at, f)| if left_out.contains(&at) { null } else { copy(f) }).collect()
    }
}

/// The numbers of the functions of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The upper bits of each.
    first: u64,
}

impl Numbers {
    /// The numbers of these functions of a host's module in an object with these kernels.
    pub fn new<'c>(module: &Module<'c>, functions: &[Value<'c>], kernels: &KernelSet) -> Self {
        if functions.is_empty() {
            return Self::default();
        }
        let symbols = functions.iter().map(|function| function.name());
        let symbols = symbols.chain(kernels.iter().map(|kernel| kernel.symbol.clone()));
        // A symbol contains no NUL. FNV-1a.
        let bytes = symbols.flat_map(|symbol| [symbol.as_bytes(), &[0]].concat());
        let bytes = bytes.chain(code_text(module, functions).into_bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self { first: hash >> PLACE_BITS << PLACE_BITS }
    }

    /// The number of the function at `position`.
    pub fn of(self, position: usize) -> u64 {
        assert!(position + 1 < 1 << PLACE_BITS, "a module holds fewer functions");
        self.first | (position as u64 + 1)
    }
}

/// The code that functions reach, as text without names of files and lines.
fn code_text<'c>(module: &Module<'c>, functions: &[Value<'c>]) -> String {
    let reached = Reach::of_device_code(functions).order;
    let defined: Vec<_> = reached.into_iter().filter(|global| !global.is_declaration()).collect();
    let own = module.clone_definitions(&defined);
    own.erase_named_metadata_except("");
    own.strip_debug();
    let text = own.text();
    // The name of a file and metadata depend on more than the code. They are at the beginning and at the end.
    let of_code = |line: &&str| !line.starts_with(['!', ';']) && !line.starts_with("source_filename");
    text.lines().filter(of_code).flat_map(|line| [line, "\n"]).collect()
}

/// The function that a marker call names, if the call's type can contain a number.
fn marked<'c>(call: Value<'c>, marker: Function<'c>) -> Option<Value<'c>> {
    if !call.is_plain_call_of(marker) || call.ty().int_width() != Some(64) {
        return None;
    }
    let function = constant_of(*call.arguments().first()?)?.strip_constant_casts();
    (function.is_global() && function.aliasee().is_function()).then_some(function)
}

/// ```c
/// static void *const functions[count] = {…};
/// void *function_pointer(uint64_t number) {
///   uint64_t place = number - first;
///   if (place >= count) return NULL; // or, if the module is linkable: return __offload_linked_function(number);
///   return functions[place];
/// }
/// ```
fn answer<'c>(
    module: &Module<'c>,
    question: Function<'c>,
    functions: &[Value<'c>],
    numbers: Numbers,
    is_linkable: bool,
) {
    let function = module.add_function(FUNCTION_LOOKUP, question.function_type());
    let pointer = question.function_type().result();
    question.replace_all_uses_with(*function);
    question.erase_global();
    function.make_inlined();
    let builder = Builder::at_end(function.append_block("entry"));
    let given = function.parameters()[0];
    let not_own = |builder: &Builder<'c>| match is_linkable {
        true => builder.call(module.declare(LINKED_FUNCTION, function.function_type()), &[given], ""),
        false => pointer.zero(),
    };
    if functions.is_empty() {
        builder.ret(not_own(&builder));
        return;
    }
    let table = table_of(module, pointer, functions);
    let place = builder.binary(Opcode::Sub, given, given.ty().constant(numbers.of(0)), "place");
    let count = place.ty().constant(functions.len() as u64);
    let inside = builder.icmp(IntPredicate::Ult, place, count, "inside");
    let [found, not_found] = ["found", "not_found"].map(|name| function.append_block(name));
    builder.cond_br(inside, found, not_found);
    builder.move_to_end(found);
    let at = builder.gep(pointer, table, &[place], "");
    builder.ret(builder.load(pointer, at, 8, ""));
    builder.move_to_end(not_found);
    builder.ret(not_own(&builder));
}

/// The constant with the addresses of the functions.
fn table_of<'c>(module: &Module<'c>, pointer: Type<'c>, functions: &[Value<'c>]) -> Value<'c> {
    module.variable(FUNCTION_TABLE).unwrap_or_else(|| {
        let table = module.add_variable(FUNCTION_TABLE, pointer.array(functions.len() as u64), 0);
        table.set_initializer(Some(pointer.constant_array(functions)));
        table.set_linkage(Linkage::Internal);
        table.set_constant_global(true);
        table.set_alignment(8);
        table
    })
}
