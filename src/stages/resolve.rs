//! Links bodies for the declarations that kernels reach, as far as a library contains them as bitcode.
//!
//! After: a declaration is an intrinsic, a builtin, part of the panic machinery, a function that no device can run, or
//! in no library. Only code that is reached is linked:
//! - The traversal does not enter panics, so no code that formats a panic's message is linked.
//! - Formatting (`<T as Display>::fmt`) whose address is taken is entered only if a function that formats is reached.
//!   Otherwise the address is only an argument of a panic.
//! - Math functions come last, from the portable library, whatever their names are.
//! - A shared library provides functions and constants only. It has its own copy of each static that can change, and
//!   its own kernels and numbers of functions, so a function that names these remains a declaration.
//! - Functions that need an operating system or C's heap remain declarations, and `check_device` reports them.

use std::collections::{BTreeSet, HashSet};

use crate::analysis::formatting::Formatting;
use crate::contract::atomic::AtomicBuiltin;
use crate::contract::builtin::{Builtin, IS_DEVICE, PREFIX, SHARED_SECTION, intrinsic_name, is_own};
use crate::contract::kernel::KernelSet;
use crate::contract::math::{self, Native};
use crate::contract::memory_functions::MEMORY_FUNCTIONS;
use crate::contract::queries::is_query;
use crate::error::{Context as _, Failure, Result};
use crate::input::bodies::{Bodies, Member, Origin, Unresolved};
use crate::llvm::{self, Function, Linker, Module, Value, crash};
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::library::call_host_std::replace_std_functions;
use crate::passes::library::float_rules::float_rules;
use crate::passes::library::link_math::link_math;
use crate::passes::library::name_math::{KeepsIntrinsic, name_math, name_math_by_symbol, name_math_functions};
use crate::passes::library::take_float_rules::take_float_rules;
use crate::passes::pass::{Passes, pass};
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::demangle::demangle;
use crate::rust_std::formatting::is_format;
use crate::rust_std::host_only::needs_host;
use crate::rust_std::panics::is_panic;
use crate::targets::{Contract, MathOptions};

/// Links bodies into `module`. Returns the reasons why bodies are missing.
pub fn resolve(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    bodies: &mut Bodies,
    math: &MathOptions,
) -> Result<Unresolved> {
    let keeps: &KeepsIntrinsic<'_> = &|function, _| function.native != Native::Nowhere;
    pass!(passes, name_math_by_symbol(module))?;
    let unresolved = pass!(passes, link_bodies(module, kernels, bodies, keeps)?)?;
    if bodies.uses_shared_library() {
        pass!(passes, drop_stand_ins(module))?;
    }
    if module.function(IS_DEVICE).is_some() {
        // In the inputs, it is a constant already.
        pass!(passes, fold_query(module, IS_DEVICE, 1))?;
    }
    pass!(passes, name_math(module, keeps))?;
    pass!(passes, take_float_rules(module))?;
    pass!(passes, float_rules(module, math.contract() != Contract::Off, math.flags()))?;
    if !math.by_target() {
        pass!(passes, link_math(module)?)?;
    }
    Ok(unresolved)
}

/// Links bodies until no library has another one that is needed.
fn link_bodies(
    module: &Module<'_>,
    kernels: &KernelSet,
    bodies: &mut Bodies,
    keeps: &KeepsIntrinsic<'_>,
) -> Result<Unresolved> {
    let mut unresolved = Unresolved::new();
    let mut asked = BTreeSet::new();
    let linker = module.linker();
    loop {
        replace_std_functions(module);
        name_math_functions(module, keeps);
        let mut symbols = missing(module, kernels);
        symbols.retain(|symbol| asked.insert(symbol.clone()));
        if symbols.is_empty() {
            return check(module, bodies).map(|()| unresolved);
        }
        symbols.sort();
        let members = bodies.find(&symbols)?;
        bodies.compile_again(&members)?;
        for member in &members {
            link(module, &linker, bodies, member, &mut unresolved)?;
        }
        let found: HashSet<&String> = members.iter().flat_map(|member| &member.symbols).collect();
        for symbol in symbols.iter().filter(|symbol| !found.contains(symbol)) {
            unresolved.extend(bodies.explain(symbol).map(|why| (symbol.clone(), why)));
        }
    }
}

/// Links the needed definitions of one member.
fn link(
    module: &Module<'_>,
    linker: &Linker<'_, '_>,
    bodies: &mut Bodies,
    member: &Member,
    unresolved: &mut Unresolved,
) -> Result<()> {
    let (input, origin) = match bodies.read(member) {
        Ok(read) => read,
        Err(Failure::Reason(why)) => {
            unresolved.extend(member.symbols.iter().map(|symbol| (symbol.clone(), why.clone())));
            return Ok(());
        }
        Err(Failure::Operation(error)) => return Err(error),
    };
    let name = input.display();
    let _activity = crash::activity_on_input(format!("taking functions out of {name}"));
    let mut symbols = member.symbols.clone();
    if origin == Origin::SharedLibrary {
        symbols.retain(|symbol| module.variable(symbol).is_none_or(Value::is_constant_global));
    }
    for bitcode in input.modules() {
        let _limit = llvm::limit_reading(bitcode.len());
        // Locations in Rust's own library are of no use to a user, and their debug information is larger than the code.
        let linked = match origin {
            Origin::Rust => linker.link(bitcode, &name, &symbols, false, &is_linked_too),
            Origin::Program => linker.link(bitcode, &name, &symbols, true, &is_linked_too),
            Origin::SharedLibrary => linker.link(bitcode, &name, &symbols, true, &is_linked_from_shared_library),
        };
        linked.with_context(|| format!("cannot take functions out of {name}"))?;
    }
    Ok(())
}

/// Verifies a module after all bodies are linked. The linker has verified each function, but not the parts that
/// functions share, such as metadata.
fn check(module: &Module<'_>, bodies: &Bodies) -> Result<()> {
    let libraries: Vec<_> = bodies.used().map(|path| format!("`{}`", path.display())).collect();
    if libraries.is_empty() {
        return Ok(());
    }
    module.verify().with_context(|| format!("cannot use the functions out of {}", libraries.join(", ")))
}

/// The symbols of declarations that kernels reach and that a library may define.
fn missing(module: &Module<'_>, kernels: &KernelSet) -> Vec<String> {
    let found = Formatting::of(kernels.functions(module));
    let intrinsic = |global: Value<'_>| global.as_function().is_some_and(Function::is_intrinsic);
    let wanted = |global: &Value<'_>| global.is_declaration() && !intrinsic(*global) && is_wanted(*global);
    let named = found.reached.into_iter().filter(wanted).map(|global| global.name());
    named.filter(|name| !of_the_contract(name)).collect()
}

/// Whether a definition is linked together with a body that names it. The traversal decides about formatting. A
/// definition that is internal to a library must come at once, because it cannot be requested by name later.
fn is_linked_too(global: Value<'_>) -> bool {
    let put_off = global.is_function() && !global.has_local_linkage() && is_format(&demangle(&global.name()));
    is_wanted(global) && !put_off
}

/// The same for a body in a shared library. Its statics that can change are not those of this program, except memory of
/// a launch. It has definitions of the contract's functions for programs that offloadc has not compiled.
fn is_linked_from_shared_library(global: Value<'_>) -> bool {
    let is_shared_static =
        global.is_global_variable() && !global.is_constant_global() && global.section() != SHARED_SECTION;
    is_linked_too(global) && !is_shared_static && !global.name().starts_with(PREFIX)
}

/// Whether a device may need a body.
fn is_wanted(global: Value<'_>) -> bool {
    let Some(function) = global.as_function() else {
        return !global.is_global_variable() || !global.is_thread_local();
    };
    let name = function.name();
    !is_panic(function) && !needs_host(&name) && !is_allocator(&name) && !MEMORY_FUNCTIONS.contains(&name.as_str())
}

/// Whether a name belongs to the device contract, so that no library may define it.
fn of_the_contract(name: &str) -> bool {
    Builtin::named(name).is_some()
        || AtomicBuiltin::named(name).is_some()
        || is_query(name)
        || is_own(name)
        || intrinsic_name(name).is_some()
        || math::is_symbol(name)
}
