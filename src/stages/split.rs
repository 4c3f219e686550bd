//! Splits the device module from the host module, and replaces the host's kernel marks by handles.
//!
//! Before: the list of kernels is fixed. After: the device module contains exactly the code that kernels reach, each
//! kernel under its own name, and the table of functions that are passed as values. The host module contains no marker
//! call and everything else that it needs.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::kernels::FoundKernels;
use crate::analysis::reach::Reach;
use crate::contract::builtin::{
    CONSTANT_SECTION, EXPORTS_SECTION, FUNCTION_POINTER, IS_DEVICE, KERNELS_SECTION, SHARED_SECTION, STATIC_SECTION,
};
use crate::contract::kernel::{Form, FoundBy, Kernel, KernelSet, OWN_COPY, Parameter, ParameterKind};
use crate::contract::queries::{QUERIES, host_result};
use crate::contract::symbols::FUNCTIONS_ENTRY;
use crate::error::Result;
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place, Value};
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::host::host_functions::export;
use crate::passes::host::marks::{HostConstant, marker_calls, replace_by_constant};
use crate::passes::library::call_host_std::{call_host_std, std_functions};
use crate::passes::pass::{Passes, pass};
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::panics::is_panic;

/// How the device module is made.
#[derive(Clone, Copy, Debug)]
pub struct SplitOptions {
    /// Whether kernels call the host for some functions of Rust's `std`.
    pub device_std: bool,
    /// Whether functions of other objects may be linked with the module later.
    pub is_linkable: bool,
}

/// Creates the device module. The host module is changed only in that its marker calls receive metadata, and no longer
/// name functions of the host.
pub fn split<'c>(
    passes: &Passes,
    host: &Module<'c>,
    found: &mut FoundKernels<'c>,
    options: SplitOptions,
) -> Result<Module<'c>> {
    found.handed.label();
    found.host_functions.forget_functions();
    let mut roots = found.functions.clone();
    if options.device_std {
        // The host module is the device's only from here on. Bodies that are linked later may need the functions, too.
        pass!(passes, call_host_std(host))?;
        roots.extend(std_functions(host));
    }
    let mut reach = Reach::of_device_code(&roots);
    if let Some(question) = host.function(FUNCTION_POINTER).filter(|question| reach.order.contains(&**question)) {
        let callers = reach.reaching(*question);
        found.calls_functions = found.functions.iter().map(|kernel| callers.contains(kernel)).collect();
        // A kernel that calls functions by number may call any function that has a number.
        reach = Reach::of_device_code(&[&roots[..], &found.handed.functions].concat());
    }
    found.host_functions.number(&reach);
    let device = host.clone_definitions(&definitions(&reach));
    device.set_name("device");
    device.clear_inline_asm();
    pass!(passes, erase_unused_declarations(&device))?;
    found.handed.resolve(&device, found.numbers, options.is_linkable);
    found.host_functions.resolve(&device);
    pass!(passes, take_entries(&device, &found.kernels))?;
    pass!(passes, fold_query(&device, IS_DEVICE, 1))?;
    pass!(passes, erase_unused_declarations(&device))?;
    Ok(device)
}

/// Creates a module of the functions that the program passes as values, for kernels of other objects, and a kernel that
/// reaches all of them. Those at some positions are left out: the table has null pointers there.
pub fn split_functions<'c>(
    passes: &Passes,
    host: &Module<'c>,
    found: &FoundKernels<'c>,
    left_out: &BTreeSet<usize>,
    options: SplitOptions,
) -> Result<(Module<'c>, KernelSet)> {
    let functions = found.handed.functions.iter().enumerate();
    let mut roots: Vec<_> = functions.filter(|(at, _)| !left_out.contains(at)).map(|(_, function)| *function).collect();
    if options.device_std {
        roots.extend(std_functions(host));
    }
    let device = host.clone_definitions(&definitions(&Reach::of_device_code(&roots)));
    device.set_name("functions");
    device.clear_inline_asm();
    pass!(passes, erase_unused_declarations(&device))?;
    let entry = add_functions_entry(&device, found.handed.table(&device, left_out));
    found.handed.resolve(&device, found.numbers, options.is_linkable);
    found.host_functions.resolve(&device);
    pass!(passes, fold_query(&device, IS_DEVICE, 1))?;
    pass!(passes, erase_unused_declarations(&device))?;
    Ok((device, vec![entry].into()))
}

/// `void entry(void **to) { *to = functions; }`
fn add_functions_entry<'c>(device: &Module<'c>, table: Value<'c>) -> Kernel {
    let entry = device.add_function(FUNCTIONS_ENTRY, device.types().void().function(&[table.ty()]));
    let builder = Builder::at_end(entry.append_block("entry"));
    builder.store(table, entry.parameters()[0], 8);
    builder.ret_void();
    functions_entry()
}

/// The kernel of a module of functions for kernels of other objects.
pub fn functions_entry() -> Kernel {
    let parameter = Parameter { offset: 0, size: 8, align: 8, kind: ParameterKind::Pointer, extent: None };
    let name = FUNCTIONS_ENTRY.to_owned();
    Kernel {
        symbol: name.clone(),
        display: name.clone(),
        name,
        form: Form::Plain,
        parameters: vec![parameter],
        found_by: FoundBy::Marker,
    }
}

/// The definitions that the device module contains. Panics become traps, so their bodies are left out, except where an
/// alias needs one. The bodies of the allocator, which a program defines for its host, are left out, too.
fn definitions<'c>(reach: &Reach<'c>) -> Vec<Value<'c>> {
    let aliased: HashSet<_> = reach.order.iter().filter(|g| g.is_alias()).map(|g| g.aliasee()).collect();
    let others = |f: Function<'c>| is_panic(f) || is_allocator(&f.name());
    let wanted = |g: &Value<'c>| !g.as_function().is_some_and(others) || aliased.contains(g);
    reach.order.iter().copied().filter(|g| !g.is_declaration() && wanted(g)).collect()
}

/// Removes unused declarations from the clone, among them `llvm.used` and similar variables, and ifuncs, which have no
/// body.
fn erase_unused_declarations(module: &Module<'_>) {
    let ifuncs = module.ifuncs();
    for global in module.globals() {
        if (global.is_declaration() || ifuncs.contains(&global)) && !global.is_used() {
            global.erase_global();
        }
    }
}

/// Creates a function with its own name for each kernel.
fn take_entries<'c>(device: &Module<'c>, kernels: &KernelSet) {
    let by_symbol: HashMap<String, Value<'c>> = device.globals().into_iter().map(|g| (g.name(), g)).collect();
    let named: Vec<_> = kernels.iter().map(|k| by_symbol.get(&k.symbol).copied()).collect();
    // Kernel names must be free before they are assigned, because the symbol of one kernel may be the name of another.
    let names: HashSet<&str> = kernels.iter().map(|k| k.name.as_str()).collect();
    for global in device.globals().into_iter().filter(|g| names.contains(g.name().as_str())) {
        let what = if global.is_alias() { "alias" } else { "body" };
        global.set_name(&format!("{}.{what}", global.name()));
    }
    for (kernel, named) in kernels.iter().zip(named) {
        take_entry(device, kernel, named.expect("kernels are roots of the walk and defined"));
    }
}

/// Creates the function of one kernel. If device code also calls the kernel, or another kernel has the same body, the
/// function calls the body.
fn take_entry<'c>(device: &Module<'c>, kernel: &Kernel, named: Value<'c>) {
    let body = named.aliasee().as_function().expect("a kernel is a function or its alias");
    let alone = named.is_function() && !named.is_used();
    let entry = if alone { body } else { wrap(device, kernel, body) };
    entry.set_name(&kernel.name);
    entry.set_linkage(Linkage::External);
    entry.set_default_visibility();
    entry.set_calling_convention(0);
    entry.set_significant_address();
    entry.clear_comdat();
    own_copies(entry, kernel);
}

/// Makes `byval` parameters of pointers to copies: those of arguments whose bytes are in the table. Marks the argument
/// struct, which is a copy, too.
fn own_copies(entry: Function<'_>, kernel: &Kernel) {
    for (row, (index, parameter)) in kernel.parameters.iter().zip((0..).zip(entry.parameters())) {
        let place = Place::Parameter(index);
        if row.kind == ParameterKind::Block {
            entry.add_attribute(place, &Attribute::Text(OWN_COPY.to_owned(), String::new()));
        }
        if row.kind == ParameterKind::Value && parameter.ty().is_pointer() && entry.byval_type(index).is_none() {
            entry.remove_attribute(place, "dead_on_return");
            entry.add_type_attribute(place, "byval", entry.types().i8().array(row.size.into()));
            entry.add_attribute(place, &Attribute::Enum("align", row.align.into()));
        }
    }
}

/// Creates a function with the kernel's name that calls `body`.
fn wrap<'c>(device: &Module<'c>, kernel: &Kernel, body: Function<'c>) -> Function<'c> {
    body.set_calling_convention(0);
    for user in body.users() {
        if user.is_call() && user.callee() == body {
            user.set_calling_convention(0);
        }
    }
    let entry = device.add_function(&kernel.name, body.function_type());
    let builder = Builder::at_end(entry.append_block("entry"));
    body.forward_attributes(builder.call(body, &entry.parameters(), ""));
    builder.ret_void();
    entry
}

/// Turns a host module into ordinary code: marker calls return handles and numbers, kernels are ordinary functions, and
/// statics in the contract's sections are ordinary statics. `constants` has the constant of each marker call, in their
/// order, and none for a call that is kept. Of a module that was not linked for the device, it is empty: the marker
/// calls name functions of the host, and no kernel calls these by a number. `conventions` are the calling conventions
/// of kernels of all targets. Returns a marker call of such a module that names no function.
pub fn finish_host<'c>(
    host: &Module<'c>,
    constants: &[Option<HostConstant>],
    conventions: &[u32],
) -> Option<Value<'c>> {
    const NOT_LINKED: Option<HostConstant> = Some(HostConstant::HostFunction(None));
    let mut handles: HashMap<&str, Value<'c>> = HashMap::new();
    let mut wrong = None;
    let constants = constants.iter().chain(std::iter::repeat(&NOT_LINKED));
    let marked =
        marker_calls(host).into_iter().zip(constants).filter_map(|(call, constant)| Some((call, constant.as_ref()?)));
    for (i, (call, constant)) in marked.enumerate() {
        let constant = match constant {
            HostConstant::Handle(symbol) => *handles.entry(symbol).or_insert_with(|| handle(host, symbol)),
            HostConstant::Number(number) => call.ty().constant(*number),
            HostConstant::HostFunction(number) => match export(host, call, *number) {
                Some(function) => function,
                None => {
                    wrong = wrong.or(Some(call));
                    continue;
                }
            },
        };
        replace_by_constant(host, call, constant, i);
    }
    use_host_conventions(host, conventions);
    for variable in host.variables() {
        if SECTIONS.contains(&variable.section().as_str()) {
            variable.set_section("");
        }
    }
    fold_query(host, IS_DEVICE, 0);
    QUERIES.iter().for_each(|query| fold_query(host, query, host_result(query)));
    wrong
}

/// The sections that mean something to offloadc only.
const SECTIONS: [&str; 5] = [KERNELS_SECTION, EXPORTS_SECTION, SHARED_SECTION, CONSTANT_SECTION, STATIC_SECTION];

/// Declares a handle, which the registration object defines.
fn handle<'c>(host: &Module<'c>, symbol: &str) -> Value<'c> {
    let handle = host.add_variable(symbol, host.types().i8(), 0);
    handle.set_hidden();
    handle
}

/// On the host, a kernel is a C function, and a call of it is an ordinary call.
fn use_host_conventions(host: &Module<'_>, kernels: &[u32]) {
    let of_kernels = |v: &Value<'_>| kernels.contains(&v.calling_convention());
    for function in host.functions() {
        let calls = function.instructions().filter(|i| i.is_call());
        for value in calls.chain([*function]).filter(of_kernels) {
            value.set_calling_convention(0);
        }
    }
}
