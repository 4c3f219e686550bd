//! Finds the kernels of a host module and reads their parameters.
//!
//! A function becomes a kernel by one of these marks, in this order: a struct in section `.offload.exports`, a GPU
//! calling convention, a pointer in section `.offload.kernels`, a marker call, or an exported name that matches a
//! `--kernel` glob. A function with two marks is one kernel, unless the marks disagree about its form. Functions that
//! are passed as values are found at the same time. The module is not changed, except that an unnamed function that is
//! found receives a name. `split` later replaces the marker calls.

use std::collections::{HashMap, HashSet};

use crate::analysis::constant_of::{constant_of, returned_constant};
use crate::analysis::kernel_signature::{block_parameters, check_function, plain_parameters};
use crate::analysis::location::{function_location, user_location};
use crate::checks::check_builtins::check_builtins;
use crate::checks::check_foreign::check_foreign;
use crate::checks::check_version::check_version;
use crate::contract::builtin::{
    EXPORTS_SECTION, KERNEL_MARKERS, KERNELS_SECTION, MARK_FUNCTION, MARK_HOST_FUNCTION, MARK_KERNEL, MARK_KERNEL_NAMED,
};
use crate::contract::kernel::{Form, FoundBy, Kernel, KernelSet};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Error, Failure, Result};
use crate::llvm::{Function, Linkage, Module, Type, TypeKind, Value, ValueKind};
use crate::passes::host::device_functions::{DeviceFunctions, Numbers};
use crate::passes::host::host_functions::HostFunctions;
use crate::passes::host::marks::{Mark, Marked, calls_of};
use crate::rust_std::demangle::demangle;
use crate::rust_std::mangle::mangle;
use crate::stage::Stage;
use crate::stages::work::{Ended, Work};
use crate::targets::kernel_conventions;

/// The output of the stage.
#[derive(Default)]
pub struct FoundKernels<'c> {
    /// The kernels; later stages neither add nor rename one.
    pub kernels: KernelSet,
    /// The host functions (or aliases), one per kernel.
    pub functions: Vec<Value<'c>>,
    /// The functions that are passed as values.
    pub handed: DeviceFunctions<'c>,
    /// Their numbers.
    pub numbers: Numbers,
    /// Whether each kernel calls functions that are passed as values; `split` finds that out.
    pub calls_functions: Vec<bool>,
    /// The functions of the host that kernels call.
    pub host_functions: HostFunctions<'c>,
    /// The marker calls.
    pub marks: Vec<Mark<'c>>,
    /// For each marker call whose name for its kernel is not understood: the function that should return the name, if
    /// it is known.
    pub nameless: Vec<Option<Function<'c>>>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

impl FoundKernels<'_> {
    /// The number of the first function that is passed as a value, and how many there are.
    pub fn function_range(&self) -> (u64, usize) {
        (self.numbers.of(0), self.handed.functions.len())
    }
}

/// A function with a mark.
struct Candidate<'c> {
    function: Value<'c>,
    form: Form,
    found_by: FoundBy,
    call: Option<Value<'c>>,
    /// The name that the marker call specifies.
    name: Option<String>,
    /// The name that other launchers use.
    export: Option<String>,
}

/// Finds the kernels of a module, and refuses a module that names the device contract wrongly. If kernels of other
/// objects can be linked with its functions (`is_linkable`), an object may have functions only.
pub fn kernels<'c>(
    work: &Work<'_>,
    host: &Module<'c>,
    globs: &[String],
    is_linkable: bool,
    diagnostics: &mut Diagnostics,
) -> Result<FoundKernels<'c>, Failure<Ended>> {
    let found = work.stage(Stage::Kernels, || Ok::<_, Error>(find_kernels(host, globs, &kernel_conventions())))?;
    diagnostics.extend(check_version(host));
    diagnostics.extend(check_builtins(host));
    diagnostics.extend(check_foreign(host));
    diagnostics.extend(found.diagnostics.iter().cloned());
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    if !is_linkable || found.handed.functions.is_empty() {
        warn_without_kernels(&found.kernels, diagnostics);
    }
    work.emit(Stage::Kernels, list(&found).as_bytes())?;
    Ok(found)
}

fn warn_without_kernels(kernels: &KernelSet, diagnostics: &mut Diagnostics) {
    if kernels.is_empty() {
        diagnostics.push(
            Diagnostic::coded(Code::NoKernel, "no kernel found; the output contains host code only")
                .help(format!(
                    "call `{}(f)` on a function, or name exported functions with `--kernel=GLOB`",
                    MARK_KERNEL
                ))
                .help(format!("or put pointers to functions into section `{}`", KERNELS_SECTION)),
        );
    }
}

/// The list of kernels as text: one line for each kernel and each parameter, then the functions that are passed as
/// values.
fn list(found: &FoundKernels<'_>) -> String {
    let mut text = String::new();
    for kernel in &found.kernels {
        let (form, found_by) = (kernel.form.name(), kernel.found_by.name());
        text += &format!("{} ({}): {form}, found by {found_by}\n", kernel.name, kernel.display);
        for (i, p) in kernel.parameters.iter().enumerate() {
            let extent = p.extent.map_or(String::new(), |extent| format!("; {}", extent.text()));
            let kind = p.kind.name();
            text += &format!("  {i}: {kind} at {}, {} bytes, aligned to {}{extent}\n", p.offset, p.size, p.align);
        }
    }
    for (i, function) in found.handed.functions.iter().enumerate() {
        text += &format!("function {}: {}\n", i + 1, demangle(&function.name()));
    }
    for function in &found.host_functions.functions {
        text += &format!("host function: {}\n", demangle(&function.name()));
    }
    text
}

/// Finds every kernel of `module`. `globs` are the `--kernel` options; `conventions` are the calling conventions of
/// kernels of all targets.
pub fn find_kernels<'c>(module: &Module<'c>, globs: &[String], conventions: &[u32]) -> FoundKernels<'c> {
    let mut found = FoundKernels::default();
    // The names of exports are taken first.
    let mut candidates = by_export(module, &mut found.diagnostics);
    candidates.extend(by_convention(module, conventions));
    candidates.extend(by_section(module, &mut found.diagnostics));
    candidates.extend(by_marker(module, &mut found));
    candidates.extend(by_option(module, globs, &mut found.diagnostics));
    let mut positions: HashMap<Value<'c>, usize> = HashMap::new();
    for candidate in candidates {
        if candidate.function.name().is_empty() {
            // The copy in the device module is found by this name.
            candidate.function.set_name("unnamed_kernel");
        }
        let position = *positions.entry(candidate.function).or_insert_with(|| {
            found.functions.push(candidate.function);
            found.kernels.push(describe(module, &candidate, &mut found.diagnostics));
            found.kernels.len() - 1
        });
        agree(&mut found.kernels[position], &candidate, module, &mut found.diagnostics);
        if let Some(call) = candidate.call {
            found.marks.push(Mark { call, marked: Marked::Kernel(position) });
        }
    }
    make_names_unique(&mut found.kernels);
    found.handed = DeviceFunctions::find(module);
    found.numbers = Numbers::new(module, &found.handed.functions, &found.kernels);
    found.diagnostics.extend(found.handed.wrong.iter().map(|call| marker_error(*call, MARK_FUNCTION)));
    let handed = found.handed.marks.iter().map(|(call, at)| Mark { call: *call, marked: Marked::Function(*at) });
    found.marks.extend(handed);
    found.host_functions = HostFunctions::find(module);
    let wrong = found.host_functions.wrong.iter().map(|call| marker_error(*call, MARK_HOST_FUNCTION));
    found.diagnostics.extend(wrong);
    let called = found.host_functions.marks.iter();
    found.marks.extend(called.map(|(call, at)| Mark { call: *call, marked: Marked::HostFunction(*at) }));
    found
}

fn by_convention<'c>(module: &Module<'c>, conventions: &[u32]) -> Vec<Candidate<'c>> {
    let convention = |f: &Function<'c>| conventions.contains(&f.calling_convention());
    let kernels = module.functions().into_iter().filter(|f| !f.is_declaration() && convention(f));
    kernels.map(|f| plain(*f, FoundBy::CallingConvention)).collect()
}

fn plain(function: Value<'_>, found_by: FoundBy) -> Candidate<'_> {
    Candidate { function, form: Form::Plain, found_by, call: None, name: None, export: None }
}

fn by_section<'c>(module: &Module<'c>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Candidate<'c>> {
    let mut candidates = Vec::new();
    for variable in module.variables() {
        let Some(initializer) = variable.initializer().filter(|_| variable.section() == KERNELS_SECTION) else {
            continue;
        };
        for pointer in leaves(initializer) {
            let target = pointer.strip_constant_casts();
            if target.is_null() || target.is_undef() {
                continue;
            }
            if target.is_global() && target.aliasee().is_function() {
                candidates.push(plain(target, FoundBy::Section));
            } else {
                diagnostics.push(not_a_function(variable, KERNELS_SECTION));
            }
        }
    }
    candidates
}

fn not_a_function(variable: Value<'_>, section: &str) -> Diagnostic {
    let name = demangle(&variable.name());
    let message = format!("`{name}` in section `{section}` contains something that is not a function");
    Diagnostic::coded(Code::NotFunction, message).help(match section {
        EXPORTS_SECTION => "put structs of a pointer to a function and the bytes of its name there",
        _ => "put pointers to functions there, such as `static K: unsafe extern \"C\" fn(*mut f32) = kernel;`",
    })
}

/// The kernels with names for other launchers.
fn by_export<'c>(module: &Module<'c>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Candidate<'c>> {
    let mut candidates: Vec<Candidate<'c>> = Vec::new();
    for variable in module.variables().into_iter().filter(|variable| variable.section() == EXPORTS_SECTION) {
        let parts = variable.initializer().map(leaves).unwrap_or_default();
        let function = parts.first().filter(|first| first.ty().is_pointer()).map(|first| first.strip_constant_casts());
        let Some(function) = function.filter(|to| to.is_global() && to.aliasee().is_function()) else {
            diagnostics.push(not_a_function(variable, EXPORTS_SECTION));
            continue;
        };
        let bytes = parts.get(1).and_then(|name| name.constant_bytes()).unwrap_or_default();
        let name = String::from_utf8_lossy(&bytes).into_owned();
        let (place, display) = (|| function.aliasee().as_function().map(function_location), demangle(&function.name()));
        if let Some(problem) = wrong_export(&name, function, &candidates) {
            let message = format!("kernel `{display}` cannot be exported as `{name}`: {problem}");
            diagnostics.push(Diagnostic::coded(Code::ExportName, message).at(place().flatten()));
            continue;
        }
        candidates.push(Candidate { export: Some(name), ..plain(function, FoundBy::Export) });
    }
    candidates
}

/// The reason why a function cannot be exported under a name.
fn wrong_export<'c>(name: &str, function: Value<'c>, others: &[Candidate<'c>]) -> Option<String> {
    let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !is_identifier {
        return Some("a name in C has letters, digits and `_`, and does not begin with a digit".to_owned());
    }
    let taken = others.iter().find(|other| other.export.as_deref() == Some(name));
    if let Some(taken) = taken {
        return Some(format!("`{}` has this name", demangle(&taken.function.name())));
    }
    let same = others.iter().find(|other| other.function == function)?;
    Some(format!("it is already exported as `{}`", same.export.as_deref().unwrap_or_default()))
}

/// The scalar constants of an aggregate. An array of numbers is one constant.
fn leaves(constant: Value<'_>) -> Vec<Value<'_>> {
    let aggregate = matches!(constant.ty().kind(), TypeKind::Struct | TypeKind::Array);
    if aggregate && constant.kind() != ValueKind::ConstantDataArray {
        constant.operands().into_iter().flat_map(leaves).collect()
    } else {
        vec![constant]
    }
}

fn by_marker<'c>(module: &Module<'c>, found: &mut FoundKernels<'c>) -> Vec<Candidate<'c>> {
    let FoundKernels { diagnostics, nameless, .. } = found;
    let mut candidates = Vec::new();
    for name in KERNEL_MARKERS {
        let Some(marker) = module.function(name) else { continue };
        for user in calls_of(module, marker) {
            match marked(user, marker, name != MARK_KERNEL) {
                Some((function, form)) => {
                    let naming = (name == MARK_KERNEL_NAMED).then(|| naming_function(user));
                    let name = naming.flatten().and_then(given_name);
                    nameless.extend(naming.filter(|_| name.is_none()));
                    let call = Some(user);
                    candidates.push(Candidate { call, name, form, ..plain(function, FoundBy::Marker) });
                }
                None => diagnostics.push(marker_error(user, name)),
            }
        }
        if marker.users().iter().any(|u| !u.is_instruction()) {
            let message = format!("the address of `{name}` is taken, but only a direct call marks a kernel");
            diagnostics.push(Diagnostic::coded(Code::MarkerArgument, message));
        }
    }
    candidates
}

/// The kernel that a marker call names, if the call returns a handle.
fn marked<'c>(call: Value<'c>, marker: Function<'c>, block: bool) -> Option<(Value<'c>, Form)> {
    if !call.is_plain_call_of(marker) || !is_handle(call.ty()) {
        return None;
    }
    let arguments = call.arguments();
    let function = constant_of(*arguments.first()?)?.strip_constant_casts();
    if !function.is_global() || !function.aliasee().is_function() {
        return None;
    }
    if !block {
        return Some((function, Form::Plain));
    }
    let number = |i: usize| constant_of(*arguments.get(i)?)?.as_u64()?.try_into().ok();
    Some((function, Form::Block { size: number(1)?, align: number(2)? }))
}

/// The function that returns the name that a marker call specifies for its kernel.
fn naming_function(call: Value<'_>) -> Option<Function<'_>> {
    constant_of(*call.arguments().get(3)?)?.strip_constant_casts().as_function()
}

/// The name that a function returns; none if it is not a constant at compile time.
fn given_name(function: Function<'_>) -> Option<String> {
    let pair = returned_constant(function).filter(|pair| pair.element_count() == 2)?;
    let (text, length) = (pair.element(0).strip_constant_casts(), pair.element(1).as_u64()?);
    let mut bytes = (text.is_global_variable() && text.is_constant_global()).then(|| text.initializer()).flatten()?;
    while bytes.ty().kind() == TypeKind::Struct {
        bytes = bytes.operands().first().copied()?;
    }
    String::from_utf8(bytes.constant_bytes()?.get(..usize::try_from(length).ok()?)?.to_vec()).ok()
}

/// Whether the type can be that of a handle: a pointer, an integer of a pointer's size, or void.
fn is_handle(ty: Type<'_>) -> bool {
    ty.is_void() || ty.int_width() == Some(64) || (ty.is_pointer() && ty.address_space() == 0)
}

/// The error of a call of the marker of this name.
pub fn marker_error(call: Value<'_>, name: &str) -> Diagnostic {
    let caller = demangle(&call.function().name());
    let direct = call.called_function().is_some_and(|f| f.name() == name && call.is_plain_call_of(f));
    let is_number = name == MARK_FUNCTION || name == MARK_HOST_FUNCTION;
    let fits = is_handle(call.ty()) && (!is_number || call.ty().int_width().is_some());
    let what = match name {
        MARK_FUNCTION | MARK_HOST_FUNCTION if !(direct && fits) => "must be called directly, and returns a `u64`",
        _ if !(direct && fits) => "must be called directly, and returns a pointer",
        MARK_HOST_FUNCTION => {
            "needs a function that is known at compile time, with the type \
             `extern \"C\" fn(*const u8, *mut u8, *mut u8, usize) -> u32`"
        }
        MARK_KERNEL | MARK_FUNCTION => "needs a function that is known at compile time",
        _ => "needs a function, a size and an alignment that are known at compile time",
    };
    Diagnostic::coded(Code::MarkerArgument, format!("`{name}` in `{caller}` {what}"))
        .at(user_location(call))
        .help(format!("call `{name}` where the function is named, for example in a function that is generic over it"))
}

fn by_option<'c>(module: &Module<'c>, globs: &[String], diagnostics: &mut Vec<Diagnostic>) -> Vec<Candidate<'c>> {
    let exported = |v: &Value<'c>| !v.is_declaration() && v.linkage() == Linkage::External && v.aliasee().is_function();
    let functions = module.functions().into_iter().map(Value::from);
    let all: Vec<_> = functions.chain(module.aliases()).collect();
    let mut candidates = Vec::new();
    for glob in globs {
        let fits = |v: &&Value<'c>| matches(glob, &v.name()) || matches(glob, &demangle(&v.name()));
        let named: Vec<_> = all.iter().filter(|v| exported(v)).filter(fits).collect();
        if named.is_empty() {
            diagnostics.push(
                Diagnostic::coded(Code::KernelGlob, format!("`--kernel={glob}` matches no exported function"))
                    .help("write `#[unsafe(no_mangle)] pub extern \"C\" fn`, or mark the kernel in the source"),
            );
        }
        candidates.extend(named.into_iter().map(|f| plain(*f, FoundBy::Option)));
    }
    candidates
}

/// Matches like a shell: `*` is any characters, `?` is one.
fn matches(glob: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // `reached[j]`: the part of the glob so far matches the first `j` characters.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for g in glob.chars() {
        if g == '*' {
            (1..=name.len()).for_each(|j| reached[j] |= reached[j - 1]);
            continue;
        }
        for j in (0..=name.len()).rev() {
            reached[j] = j > 0 && reached[j - 1] && (g == '?' || g == name[j - 1]);
        }
    }
    reached[name.len()]
}

/// Describes the kernel of a candidate. Errors in its signature are added to `diagnostics`.
fn describe<'c>(module: &Module<'c>, candidate: &Candidate<'c>, diagnostics: &mut Vec<Diagnostic>) -> Kernel {
    let symbol = candidate.function.name();
    let display = candidate.name.clone().unwrap_or_else(|| demangle(&symbol));
    let function = candidate.function.aliasee().as_function().expect("a candidate is a function or its alias");
    let parameters = check_function(function, &display).and_then(|()| match candidate.form {
        Form::Plain => plain_parameters(module, function, &display),
        Form::Block { size, align } => block_parameters(function, &display, size, align),
    });
    let parameters = parameters.unwrap_or_else(|diagnostic| {
        diagnostics.push(diagnostic.at(function_location(function)));
        Vec::new()
    });
    let named = || candidate.name.as_ref().map_or_else(|| symbol.clone(), |path| mangle(path, &symbol));
    let name = candidate.export.clone().unwrap_or_else(|| portable_name(&named()));
    Kernel { name, symbol, display, form: candidate.form, parameters, found_by: candidate.found_by }
}

/// Handles a second mark of the same kernel. The same form is correct, the form of a marker call has priority over
/// other marks, and two marker calls that disagree are an error in the program.
fn agree<'c>(kernel: &mut Kernel, candidate: &Candidate<'c>, module: &Module<'c>, diagnostics: &mut Vec<Diagnostic>) {
    if kernel.form == candidate.form || candidate.found_by != FoundBy::Marker {
        return;
    }
    if kernel.found_by != FoundBy::Marker {
        *kernel = describe(module, candidate, diagnostics);
        return;
    }
    let message = format!("kernel `{}` is marked twice with different forms", kernel.display);
    diagnostics.push(Diagnostic::coded(Code::DuplicateKernel, message).at(candidate.call.and_then(user_location)));
}

/// A symbol that PTX and all containers can spell.
fn portable_name(symbol: &str) -> String {
    let spelled: String = symbol.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if spelled.starts_with(|c: char| c.is_ascii_digit()) { format!("_{spelled}") } else { spelled }
}

fn make_names_unique(kernels: &mut KernelSet) {
    let mut taken = HashSet::new();
    for kernel in kernels.iter_mut() {
        let base = kernel.name.clone();
        let mut number = 1;
        while !taken.insert(kernel.name.clone()) {
            number += 1;
            kernel.name = format!("{base}_{number}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs_match_like_a_shell() {
        assert!(matches("*", "") && matches("k_*", "k_add") && matches("k?d", "kad") && matches("*add*", "vecadd2"));
        assert!(!matches("k_*", "xk_add") && !matches("k?d", "kd") && !matches("", "k") && !matches("k", "kk"));
    }
}
