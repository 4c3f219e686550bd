//! Finds what no device can run: functions without a body, thread-locals, host assembly and intrinsics, `...`.
//!
//! [`suspect`] runs before simplification, while functions and places are the user's, and records each suspect with its
//! chain of callers. [`convict`] runs after it and keeps the suspects that are still there: what was dead is forgiven.

use super::location::{is_library_source, user_location};
use super::panics::demangle;
use super::reach::{Reach, edges};
use crate::builtin::{Builtin, CONSTANT_SECTION, SHARED_SECTION};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::kernel::KernelSet;
use crate::llvm::{Module, Value};

/// Functions of the C library that every target has a body for.
pub const MEMORY_FUNCTIONS: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];

/// Paths and C functions that only an operating system can serve.
const OPERATING_SYSTEM: &[&str] =
    &["std::io", "std::fs", "std::net", "std::env", "std::process", "std::thread", "std::time", "std::sys", "std::os"];
const SYSTEM_CALLS: &[&str] =
    &["open", "read", "write", "close", "mmap", "munmap", "syscall", "getenv", "printf", "puts", "exit", "abort"];

/// Something a device may not be able to run.
pub struct Suspect {
    presence: Presence,
    diagnostic: Diagnostic,
}

impl Suspect {
    /// Whether it is `core::fmt`'s half of printing, which the error about printing covers.
    fn formats(&self) -> bool {
        matches!(&self.presence, Presence::Global(name) if demangle(name).contains("core::fmt::"))
    }
}

/// How to see whether it is still there.
enum Presence {
    /// A function or variable of this name.
    Global(String),
    /// Inline assembly of this text.
    Assembly(String),
    /// Always.
    Certain,
}

/// Records every suspect that the kernels reach, each once, in the order of reach.
pub fn suspect(module: &Module<'_>, kernels: &KernelSet) -> Vec<Suspect> {
    let roots: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let reach = Reach::new(&roots);
    let mut suspects = Vec::new();
    for global in &reach.order {
        let context = Chain { reach: &reach, kernels };
        if global.is_function() {
            suspects.extend(suspect_function(&context, *global));
        } else if global.is_global_variable() {
            suspects.extend(suspect_variable(&context, *global));
        } else {
            let message = format!(
                "{} reaches `{}`, which is chosen when the host program starts",
                context.kernel(*global),
                demangle(&global.name())
            );
            let diagnostic = context.explain(Diagnostic::coded(Code::NoDeviceCode, message), *global);
            suspects.push(Suspect { presence: Presence::Certain, diagnostic });
        }
    }
    suspects
}

/// The diagnostics of those suspects that simplification left in place.
pub fn convict(module: &Module<'_>, suspects: Vec<Suspect>) -> Vec<Diagnostic> {
    let assembly: Vec<String> = module
        .functions()
        .into_iter()
        .flat_map(|f| {
            f.instructions().filter(|i| i.calls_inline_asm()).map(|i| i.inline_asm_text()).collect::<Vec<_>>()
        })
        .collect();
    let present = |presence: &Presence| match presence {
        Presence::Global(name) => module.function(name).or(module.variable(name)).is_some_and(|g| g.is_used()),
        Presence::Assembly(text) => assembly.contains(text),
        Presence::Certain => true,
    };
    let guilty: Vec<Suspect> = suspects.into_iter().filter(|s| present(&s.presence)).collect();
    let prints = guilty.iter().any(|s| s.diagnostic.code == Some(Code::NeedsOperatingSystem));
    guilty.into_iter().filter(|s| !(prints && s.formats())).map(|s| s.diagnostic).collect()
}

fn suspect_function<'c>(context: &Chain<'_, 'c>, function: Value<'c>) -> Vec<Suspect> {
    let name = function.name();
    if !function.is_declaration() {
        return suspect_body(context, function);
    }
    let known = Builtin::named(&name).is_some() || MEMORY_FUNCTIONS.contains(&name.as_str());
    let (code, why, help) = if known {
        return Vec::new();
    } else if name.starts_with("llvm.x86.") {
        (
            Code::HostIntrinsic,
            "which is an instruction of the host's processor",
            "write the kernel without `core::arch`; the compiler vectorises for each device",
        )
    } else if name.starts_with("llvm.va_") {
        (Code::Varargs, "which needs variable arguments", "pass a slice or a struct instead")
    } else if function.is_intrinsic() {
        return Vec::new();
    } else if name.contains("__rust_") && (name.contains("alloc") || name.contains("realloc")) {
        (
            Code::NoDeviceCode,
            "which needs a heap, and devices have none",
            "allocate on the host and pass the memory to the kernel",
        )
    } else if needs_operating_system(&name) {
        (
            Code::NeedsOperatingSystem,
            "which needs an operating system",
            "move the call out of the kernel, or write results to memory and print them on the host",
        )
    } else {
        (
            Code::NoDeviceCode,
            "which has no device code",
            "its body is not in the input: give offloadc the bitcode of the crate that defines it as well",
        )
    };
    let message = format!("{} reaches `{}`, {why}", context.kernel(function), demangle(&name));
    let diagnostic = context.explain(Diagnostic::coded(code, message), function).help(help);
    vec![Suspect { presence: Presence::Global(name), diagnostic }]
}

fn needs_operating_system(symbol: &str) -> bool {
    let path = demangle(symbol);
    let path = path.trim_start_matches('<');
    OPERATING_SYSTEM.iter().any(|p| path.starts_with(p)) || SYSTEM_CALLS.contains(&symbol)
}

/// Inline assembly in a body, each text once.
fn suspect_body<'c>(context: &Chain<'_, 'c>, function: Value<'c>) -> Vec<Suspect> {
    let mut seen = Vec::new();
    let mut suspects = Vec::new();
    for call in function.instructions().filter(|i| i.calls_inline_asm()) {
        let text = call.inline_asm_text();
        if seen.contains(&text) {
            continue;
        }
        let message = format!("{} reaches inline assembly of the host", context.kernel(function));
        let diagnostic = context
            .explain(Diagnostic::coded(Code::InlineAsm, message), function)
            .at(user_location(call))
            .note(format!("the instructions are `{}`", text.trim()))
            .help("keep assembly out of kernels, or behind `if !is_device()`");
        suspects.push(Suspect { presence: Presence::Assembly(text.clone()), diagnostic });
        seen.push(text);
    }
    suspects
}

fn suspect_variable<'c>(context: &Chain<'_, 'c>, variable: Value<'c>) -> Option<Suspect> {
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
            Code::NoDeviceCode,
            "which has no definition here",
            "give offloadc the bitcode of the crate that defines it as well",
        )
    } else if !variable.is_constant_global() && section != SHARED_SECTION && section != CONSTANT_SECTION {
        (
            Code::CopiedStatic,
            "which the device gets a copy of its own of; the host does not see it change",
            "pass a pointer to device memory instead",
        )
    } else {
        return None;
    };
    let path = demangle(&name);
    // `thread_local!` puts its storage into closures inside a constant.
    let shown = path.split("::{{constant}}").next().unwrap_or(&path);
    let message = format!("{} reaches static `{shown}`, {why}", context.kernel(variable));
    let diagnostic = context.explain(Diagnostic::coded(code, message), variable).help(help);
    Some(Suspect { presence: Presence::Global(name), diagnostic })
}

/// The way from a kernel to something, for messages.
struct Chain<'r, 'c> {
    reach: &'r Reach<'c>,
    kernels: &'r KernelSet,
}

impl<'c> Chain<'_, 'c> {
    /// "kernel `name`" of the kernel that reaches `global` first.
    fn kernel(&self, global: Value<'c>) -> String {
        format!("kernel `{}`", self.display(self.reach.chain(global)[0]))
    }

    fn display(&self, global: Value<'c>) -> String {
        let name = global.name();
        let kernel = self.kernels.iter().find(|k| k.name == name);
        kernel.map_or_else(|| demangle(&name), |k| k.display.clone())
    }

    /// Adds the chain, and the place in the user's source nearest to `global`.
    fn explain(&self, diagnostic: Diagnostic, global: Value<'c>) -> Diagnostic {
        let chain = self.reach.chain(global);
        let last = chain.len() - 1;
        // Tables and constants on the way have no name that a reader knows.
        let shown = chain.iter().enumerate().filter(|(i, g)| *i == last || g.is_function());
        let names: Vec<_> = shown.map(|(_, g)| format!("`{}`", self.display(*g))).collect();
        let diagnostic = diagnostic.at(self.place(&chain));
        if names.len() > 1 { diagnostic.note(format!("called through {}", names.join(" → "))) } else { diagnostic }
    }

    fn place(&self, chain: &[Value<'c>]) -> Option<Location> {
        let steps = chain.windows(2).rev();
        let places: Vec<_> = steps.filter_map(|step| place_of_use(step[0], step[1])).collect();
        let user = places.iter().find(|place| !is_library_source(&place.file));
        user.or(places.first()).cloned()
    }
}

/// Where `user` names `used` first.
fn place_of_use<'c>(user: Value<'c>, used: Value<'c>) -> Option<Location> {
    edges(user).into_iter().filter(|(global, _)| *global == used).find_map(|(_, i)| i.and_then(user_location))
}
