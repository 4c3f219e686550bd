//! Finds code that no device can run: functions without a body, thread-locals, host assembly and intrinsics, `...`.
//!
//! [`find_candidates`] runs before simplification, while functions and source locations are the user's, and records
//! each candidate with its call paths. [`find_violations`] runs after simplification and keeps the candidates that are
//! still there: a candidate that is dead by then is no violation. It also finds code that simplification introduced,
//! such as another function of the C library.

use std::collections::HashSet;

use super::call_chain::{Chain, Finding, source_path};
use super::check_intrinsics::fault;
use super::explain_missing::{Explanation, explain_missing};
use crate::analysis::reach::Reach;
use crate::contract::atomic::AtomicBuiltin;
use crate::contract::builtin::{
    ARCH, Builtin, CONSTANT_SECTION, FUNCTION_POINTER, MARKERS, SHARED_ARRAY, SHARED_SECTION, STATIC_SECTION,
    intrinsic_name, is_own,
};
use crate::contract::checker::is_of_checker;
use crate::contract::kernel::KernelSet;
use crate::contract::math;
use crate::contract::memory_functions::MEMORY_FUNCTIONS;
use crate::contract::platform::host_intrinsic;
use crate::contract::queries::is_query;
use crate::contract::symbols::HIDDEN_NUMBERS;
use crate::diagnostics::{Code, Diagnostic, Location, Owner};
use crate::input::bodies::{MissingBody, Unresolved};
use crate::llvm::{Function, Module, Value};
use crate::rust_std::allocator::{is_allocator, mistaken_allocator};
use crate::rust_std::demangle::{demangle, of_rusts_library};
use crate::rust_std::host_only::{
    allocates, instead_of_operating_system, instead_of_path, needs_operating_system, of_panic_count, type_of_lock,
};

/// Code that a device may not be able to run.
#[derive(Clone)]
pub struct Candidate {
    key: Key,
    finding: Finding,
    /// The name of the intrinsic, if the only possible violation is that a target lacks it.
    intrinsic: Option<String>,
    /// The fault of the library that should have its body.
    library_fault: Option<String>,
}

impl Candidate {
    fn new(global: Value<'_>, finding: Finding) -> Self {
        Self { key: Key::Global(global.name()), finding, intrinsic: None, library_fault: None }
    }

    /// Whether it is about a function or static of any language, such as one without a definition. Code of other
    /// compilers may still define it for an arch, or contain one itself.
    fn is_of_any_code(&self) -> bool {
        let is_of_rust = matches!(
            self.finding.code,
            Code::DeviceStaticCopy | Code::Intrinsic | Code::BuiltinType | Code::MarkerArgument
        );
        self.intrinsic.is_none() && !is_of_rust && matches!(self.key, Key::Global(_))
    }
}

/// The identity of a candidate, before and after simplification.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    /// A function or variable with this name.
    Global(String),
    /// Inline assembly with this text.
    Assembly(String),
    /// A call of the function with this name by another type.
    Call(String),
}

/// Records every candidate that kernels reach, without duplicates, in the order of reachability. `unresolved` has the
/// results of the search for bodies.
pub fn find_candidates(module: &Module<'_>, kernels: &KernelSet, unresolved: &Unresolved) -> Vec<Candidate> {
    let roots: Vec<_> = kernels.functions(module).collect();
    let reach = Reach::new(&roots);
    let context = Chain::new(&reach, kernels);
    let assembly = assembly(&reach);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut seen = HashSet::new();
    for global in &reach.order {
        let found = match global.as_function() {
            Some(f) if intrinsic_name(&f.name()).is_some() => vec![intrinsic_candidate(&context, module, f)],
            Some(f) if f.is_declaration() => declaration_candidate(&context, f, unresolved).into_iter().collect(),
            Some(f) => body_candidate(&context, &reach, f, &assembly),
            None if global.is_global_variable() => variable_candidate(&context, *global).into_iter().collect(),
            None => vec![ifunc_candidate(&context, *global)],
        };
        candidates.extend(found.into_iter().filter(|s| seen.insert(s.key.clone())));
    }
    candidates
}

/// Returns the diagnostics of the candidates that remain after simplification, and of those that simplification
/// introduced. Intrinsics that only some targets have are not included. With `links`, the candidates of
/// [`find_missing_bodies`] are not included either.
pub fn find_violations(module: &Module<'_>, kernels: &KernelSet, before: &[Candidate], links: bool) -> Vec<Diagnostic> {
    let wanted = |s: &Candidate| s.intrinsic.is_none() && !(links && s.is_of_any_code());
    let violations: Vec<_> = present(module, kernels, before).into_iter().filter(wanted).collect();
    without_echoes(violations).into_iter().map(|s| s.finding.diagnostic()).collect()
}

/// Returns the diagnostics that are about code of any language, for a module with the code of other compilers.
pub fn find_missing_bodies(module: &Module<'_>, kernels: &KernelSet, before: &[Candidate]) -> Vec<Diagnostic> {
    let missing = present(module, kernels, before).into_iter().filter(Candidate::is_of_any_code).collect();
    without_echoes(missing).into_iter().map(|s| s.finding.diagnostic()).collect()
}

/// Returns the diagnostics of the remaining intrinsics that a target does not have.
pub fn find_missing_intrinsics(
    module: &Module<'_>,
    kernels: &KernelSet,
    before: &[Candidate],
    has: &dyn Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    // Simplification does not introduce such symbols.
    if before.iter().all(|s| s.intrinsic.is_none()) {
        return Vec::new();
    }
    let lacking = |s: &Candidate| s.intrinsic.as_ref().is_some_and(|name| !has(name));
    present(module, kernels, before).into_iter().filter(lacking).map(|s| s.finding.diagnostic()).collect()
}

/// The candidates that remain after simplification, with the findings from before it if there are any, and with the
/// call paths from the kernels that still reach them.
fn present(module: &Module<'_>, kernels: &KernelSet, before: &[Candidate]) -> Vec<Candidate> {
    // The search for bodies has no results for functions that simplification introduced.
    let mut after = find_candidates(module, kernels, &Unresolved::new());
    let mut present = Vec::new();
    for known in before {
        let Some(at) = after.iter().position(|s| s.key == known.key) else { continue };
        let now = after.remove(at);
        let mut still = known.clone();
        still
            .finding
            .call_paths
            .retain(|call_path| now.finding.call_paths.iter().any(|left| left.kernel() == call_path.kernel()));
        present.push(if still.finding.call_paths.is_empty() { now } else { still });
    }
    // Calls by another type that simplification introduced are never executed (`end_mistyped_calls.rs`).
    present.extend(after.into_iter().filter(|s| !matches!(s.key, Key::Call(_))));
    present
}

/// Removes consequences of another violation: text formatting in addition to printing, the second function that needs a
/// heap, functions without device code if the same location needs an operating system, and all but one finding of a
/// lock.
fn without_echoes(violations: Vec<Candidate>) -> Vec<Candidate> {
    let violations = without_parts_of_calls(without_parts_of_locks(violations));
    let system = |s: &&Candidate| s.finding.code == Code::NeedsOperatingSystem;
    let prints = violations.iter().any(|s| system(&s));
    let places: HashSet<_> = violations.iter().filter(system).filter_map(|s| s.finding.location()).collect();
    let mut heap = HashSet::new();
    let mut libraries = HashSet::new();
    let echo = |s: &Candidate| {
        // A problem with one library is reported once, for any number of missing bodies.
        if let Some(fault) = &s.library_fault {
            return !libraries.insert(fault.clone());
        }
        let Key::Global(name) = &s.key else { return false };
        let at_system = !system(&s) && s.finding.location().is_some_and(|place| places.contains(&place));
        if s.finding.code == Code::NoHeap && !at_system {
            let new =
                s.finding.call_paths.iter().filter(|call_path| heap.insert(call_path.kernel().to_owned())).count();
            return new == 0;
        }
        let path = demangle(name);
        let formats = path.contains(" as core::fmt::") || path.starts_with("core::fmt::");
        let no_code =
            matches!(s.finding.code, Code::NoDeviceCode | Code::NoHeap | Code::ExternalStatic | Code::DeviceStaticCopy);
        no_code && ((prints && formats) || at_system)
    };
    let keep: Vec<_> = violations.iter().map(echo).map(|echo| !echo).collect();
    violations.into_iter().zip(keep).filter_map(|(s, keep)| keep.then_some(s)).collect()
}

/// Keeps the first finding of each type of `std`'s locks. `lock`, `unlock`, and the count of panics, which decides
/// whether a lock is poisoned, are separate functions and statics.
fn without_parts_of_locks(violations: Vec<Candidate>) -> Vec<Candidate> {
    // The kernels that are known to use a lock, with its type.
    let mut known: Vec<(String, HashSet<String>)> = Vec::new();
    let kernels = |s: &Candidate| s.finding.call_paths.iter().map(|path| path.kernel().to_owned()).collect();
    let mut is_first = |s: &Candidate| {
        let Key::Global(name) = &s.key else { return true };
        let Some(lock) = type_of_lock(name).filter(|_| s.finding.code == Code::NeedsOperatingSystem) else {
            return true;
        };
        let (of_this, found): (_, HashSet<_>) = (|(ty, _): &&mut (String, _)| *ty == lock, kernels(s));
        match known.iter_mut().find(of_this) {
            Some((_, users)) => {
                let is_new = !found.is_subset(users);
                users.extend(found);
                is_new
            }
            None => {
                known.push((lock, found));
                true
            }
        }
    };
    let first: Vec<_> = violations.into_iter().filter(&mut is_first).collect();
    let users: HashSet<_> = known.into_iter().flat_map(|(_, users)| users).collect();
    let counts_panics = |s: &Candidate| matches!(&s.key, Key::Global(name) if of_panic_count(name));
    first.into_iter().filter(|s| !counts_panics(s) || !kernels(s).is_subset(&users)).collect()
}

/// Merges the findings that one call of `std` in the user's code causes: `thread::spawn` needs a dozen functions of the
/// system. A destructor is no separate cause if its function also calls something that needs the system.
fn without_parts_of_calls(violations: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    // The user's functions, with the kernels that reach them, and whether they call more than destructors.
    let mut calls: Vec<(usize, SystemCall, HashSet<String>)> = Vec::new();
    let mut destructors = Vec::new();
    for violation in violations {
        let needs_system = violation.finding.code == Code::NeedsOperatingSystem;
        let Some(call) = SystemCall::of(&violation.finding).filter(|_| needs_system) else {
            kept.push(violation);
            continue;
        };
        let paths = violation.finding.call_paths.iter();
        let kernels: HashSet<String> = paths.map(|path| path.kernel().to_owned()).collect();
        match calls.iter_mut().find(|(_, known, of)| *known == call && kernels.is_subset(of)) {
            Some((at, known, _)) => {
                let finding = &mut kept[*at].finding;
                finding.end_at(known.entry.clone());
                if let Some(instead) = instead_of_path(&known.entry) {
                    finding.help = vec![instead.to_owned()];
                }
            }
            None => {
                destructors.extend(call.is_destructor.then_some(kept.len()));
                calls.push((kept.len(), call, kernels));
                kept.push(violation);
            }
        }
    }
    let echo = |at: usize| {
        let Some((_, own, kernels)) = calls.iter().find(|(of, ..)| *of == at) else { return false };
        let mut others = calls.iter().filter(|(_, other, _)| !other.is_destructor && other.function == own.function);
        others.any(|(_, _, of)| kernels.is_subset(of))
    };
    let echoes: HashSet<usize> = destructors.into_iter().filter(|at| echo(*at)).collect();
    kept.into_iter().enumerate().filter_map(|(at, violation)| (!echoes.contains(&at)).then_some(violation)).collect()
}

/// A call of Rust's own library in a function of the user.
#[derive(PartialEq)]
struct SystemCall {
    /// The function of the user.
    function: String,
    /// The function that it calls.
    entry: String,
    place: Option<Location>,
    /// Whether the end of a value causes it.
    is_destructor: bool,
}

impl SystemCall {
    fn of(finding: &Finding) -> Option<Self> {
        let steps = finding.call_paths[0].without_own();
        let at = steps.iter().rposition(|step| step.owner == Owner::User)?;
        let entry = steps.get(at + 1)?;
        let ends = |name: &str| {
            let name = name.strip_prefix("core::").unwrap_or(name);
            name.starts_with("ptr::drop_") || name == "mem::drop" || name.ends_with(" as core::ops::drop::Drop>::drop")
        };
        let is_destructor = ends(&entry.name);
        let (function, entry, place) = (steps[at].name.clone(), entry.name.clone(), entry.at.clone());
        Some(Self { function, entry, place, is_destructor })
    }
}

fn ifunc_candidate<'c>(context: &Chain<'_, 'c>, global: Value<'c>) -> Candidate {
    let what = format!("`{}`, which is chosen when the host program starts", demangle(&global.name()));
    Candidate::new(global, context.reaches(Code::NoDeviceCode, &what, global))
}

/// An intrinsic by its symbol: it is a violation if its declaration is wrong, and otherwise if a target lacks it.
fn intrinsic_candidate<'c>(context: &Chain<'_, 'c>, module: &Module<'c>, function: Function<'c>) -> Candidate {
    let symbol = function.name();
    let name = intrinsic_name(&symbol).unwrap_or(&symbol);
    let fault = fault(module, function, name);
    let intrinsic = fault.is_none().then(|| name.to_owned());
    let why = fault.unwrap_or_else(|| "an intrinsic that the target does not have".to_owned());
    let help = match intrinsic {
        None => "docs/intrinsics.md lists the Rust types that correspond to LLVM's types".to_owned(),
        Some(_) => format!("call it behind a condition on `{ARCH}()` that holds only for archs that have it"),
    };
    let finding = context.reaches(Code::Intrinsic, &format!("`{name}`, {why}"), *function).help(help);
    Candidate { intrinsic, ..Candidate::new(*function, finding) }
}

/// A marker. Those of the inputs are constants by now, so the call is in a body out of a library.
fn marker_candidate<'c>(context: &Chain<'_, 'c>, function: Function<'c>) -> Candidate {
    let what = format!("`{}`, which is understood in inputs only, and not in a library", function.name());
    let help = "give offloadc the bitcode of the crate that calls it as an input, which `rustc --emit=llvm-bc` writes";
    let in_dylib = "a crate that is a `dylib` is such a library: make it a `lib`, or call it in its own kernels only";
    let finding = context.reaches(Code::NoDeviceCode, &what, *function).help(help).help(in_dylib);
    Candidate::new(*function, finding)
}

fn declaration_candidate<'c>(
    context: &Chain<'_, 'c>,
    function: Function<'c>,
    unresolved: &Unresolved,
) -> Option<Candidate> {
    let name = function.name();
    if let Some(own) = mistaken_allocator(function) {
        let (found, own) = (function.function_type().text(), own.text());
        let what = format!("`{}`, declared as `{found}`, and its type is `{own}`", demangle(&name));
        return Some(Candidate::new(*function, context.reaches(Code::BuiltinType, &what, *function)));
    }
    if name == SHARED_ARRAY {
        // Calls with constant arguments have been replaced before.
        let what = format!("`{name}`, whose arguments are not constants");
        let help = "name a function that returns the name of the memory, and give its size and alignment as constants";
        return Some(Candidate::new(*function, context.reaches(Code::MarkerArgument, &what, *function).help(help)));
    }
    if MARKERS.contains(&name.as_str()) || name == FUNCTION_POINTER {
        return Some(marker_candidate(context, function));
    }
    if Builtin::named(&name).is_some()
        || AtomicBuiltin::named(&name).is_some()
        || is_query(&name)
        || is_own(&name)
        || is_of_checker(function)
        || math::is_symbol(&name)
        || is_allocator(&name)
        || MEMORY_FUNCTIONS.contains(&name.as_str())
    {
        return None;
    }
    if let Some(missing) = unresolved.get(&name) {
        let Explanation { code, why, help } = explain_missing(missing);
        let finding = context.reaches(code, &format!("`{}`, {why}", demangle(&name)), *function);
        let finding = help.into_iter().fold(finding, Finding::help);
        let library_fault = (!matches!(missing, MissingBody::NoLibrary(_))).then_some(why);
        return Some(Candidate { library_fault, ..Candidate::new(*function, finding) });
    }
    let (code, why, help) = if host_intrinsic(&name).is_some() {
        (
            Code::HostIntrinsic,
            "which is an instruction of the host's CPU",
            "write the kernel without `core::arch`; the compiler vectorises for each device",
        )
    } else if name.starts_with("llvm.va_") {
        (Code::Varargs, "which needs variable arguments", "pass a slice or a struct instead")
    } else if function.is_intrinsic() {
        return None;
    } else if needs_operating_system(&name) {
        (Code::NeedsOperatingSystem, "which needs an operating system", instead_of_operating_system(&name))
    } else if allocates(&name) {
        (
            Code::NoHeap,
            "which needs C's heap, which devices do not have",
            "use `Box`, `Vec` or `String`, or allocate on the host and pass the memory to the kernel",
        )
    } else if function.function_type().is_vararg() {
        (Code::Varargs, "which takes variable arguments", "pass a slice or a struct instead")
    } else if of_rusts_library(&demangle(&name)) {
        (
            Code::NoDeviceCode,
            "which has no device code",
            "Rust's own library has no bitcode of its body: compile with `-C opt-level=3 -C no-prepopulate-passes`, or \
             write it another way in kernels",
        )
    } else {
        (
            Code::NoDeviceCode,
            "which has no device code",
            "its body is not in the input: also give offloadc the bitcode of the crate that defines it",
        )
    };
    let finding = context.reaches(code, &format!("`{}`, {why}", demangle(&name)), *function);
    Some(Candidate::new(*function, finding.help(help)))
}

/// A construct in a body that no device can run.
fn body_candidate<'c>(
    context: &Chain<'_, 'c>,
    reach: &Reach<'c>,
    function: Function<'c>,
    assembly: &[(String, Vec<(Value<'c>, Value<'c>)>)],
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if function.function_type().is_vararg() {
        let what = format!("`{}`, which takes variable arguments", demangle(&function.name()));
        let finding = context.reaches(Code::Varargs, &what, *function).help("pass a slice or a struct instead");
        candidates.push(Candidate::new(*function, finding));
    }
    candidates.extend(mistyped_call(reach, function).map(|call| {
        let (name, found, own) = (demangle(&function.name()), call.called_type(), function.function_type());
        let what = format!("calls `{name}` as `{}`, but its type is `{}`", found.text(), own.text());
        let finding = context.has(Code::BuiltinType, &what, &[(*call.function(), call)]);
        let finding = finding.help("declare the function with the type of its definition");
        Candidate { key: Key::Call(function.name()), ..Candidate::new(*function, finding) }
    }));
    let first_here = |(_, calls): &&(String, Vec<(Value<'c>, Value<'c>)>)| calls[0].0 == function;
    candidates.extend(assembly.iter().filter(first_here).map(|(text, calls)| assembly_candidate(context, calls, text)));
    candidates
}

/// A call of a function by a declaration of another type. LLVM accepts it, but the arguments do not match the callee's
/// parameters.
fn mistyped_call<'c>(reach: &Reach<'c>, function: Function<'c>) -> Option<Value<'c>> {
    let differs = |user: &Value<'c>| {
        user.is_call() && user.callee() == *function && user.called_type() != function.function_type()
    };
    function.users().into_iter().find(|user| differs(user) && reach.order.contains(&*user.function()))
}

/// The texts of all reachable assembly, each with its calls and the functions that contain them.
fn assembly<'c>(reach: &Reach<'c>) -> Vec<(String, Vec<(Value<'c>, Value<'c>)>)> {
    let mut found: Vec<(String, Vec<_>)> = Vec::new();
    for function in reach.order.iter().filter_map(|g| g.as_function()).filter(|f| !f.is_declaration()) {
        for call in function.instructions().filter(|i| i.calls_inline_asm() && !i.keeps_whole()) {
            let text = call.inline_asm_text();
            match found.iter_mut().find(|(known, _)| *known == text) {
                Some((_, calls)) => calls.push((*function, call)),
                None => found.push((text, vec![(*function, call)])),
            }
        }
    }
    found
}

/// All calls of assembly with the same text are one candidate.
fn assembly_candidate<'c>(context: &Chain<'_, 'c>, calls: &[(Value<'c>, Value<'c>)], text: &str) -> Candidate {
    let mut finding = context
        .has(Code::InlineAsm, "reaches inline assembly of the host", calls)
        .help("keep assembly out of kernels, or behind `if !is_device()`");
    finding.notes.push(format!("the instructions are `{}`", text.trim()));
    Candidate { key: Key::Assembly(text.to_owned()), finding, intrinsic: None, library_fault: None }
}

fn variable_candidate<'c>(context: &Chain<'_, 'c>, variable: Value<'c>) -> Option<Candidate> {
    let name = variable.name();
    let section = variable.section();
    let (code, why, help) = if variable.is_thread_local() {
        (
            Code::ThreadLocal,
            "which is thread-local",
            "devices have no thread-local statics; pass the value as an argument",
        )
    } else if variable.is_declaration() {
        (
            Code::ExternalStatic,
            "which is not defined in the input",
            "also give offloadc the bitcode of the crate that defines it; a static of a `dylib` that can change belongs to \
             the kernels of that library",
        )
    } else if !variable.is_constant_global()
        && ![SHARED_SECTION, CONSTANT_SECTION, STATIC_SECTION, HIDDEN_NUMBERS].contains(&section.as_str())
    {
        (
            Code::DeviceStaticCopy,
            "of which the device has a separate copy; the host does not see its changes",
            "share memory by a parameter `&[Atomic<T>]`, with `&mut buffer` in the launch, or declare the static with \
             `device_static!`, which the host reads by `NAME.to_host(&stream)`; a pointer to device memory is a parameter, too",
        )
    } else {
        return None;
    };
    let what = format!("static `{}`, {why}", source_path(&name));
    Some(Candidate::new(variable, context.reaches(code, &what, variable).help(help)))
}
