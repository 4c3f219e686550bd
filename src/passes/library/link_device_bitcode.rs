//! Links bodies from the files of `--device-bitcode`, in the module of one arch.
//!
//! Each file is linked once, in order: the functions that the module declares by then, with all that they need. A
//! function of the program is never replaced, and a file calls its own function of that name. The linked functions are
//! internal afterwards, so they are optimised like all others.

use std::collections::HashSet;

use crate::contract::atomic::AtomicBuiltin;
use crate::contract::builtin::{Builtin, BuiltinId, PREFIX};
use crate::contract::kernel::KernelSet;
use crate::contract::queries::{HAS_FEATURE, is_query};
use crate::error::{Context as _, Result};
use crate::llvm::{Function, Module, Value, crash, definitions};
use crate::passes::legalize::legalize_linked::legalize_linked;
use crate::rust_std::panics::is_panic;

/// Why the program and a file do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A function has one type where it is called, and another one where it is defined.
    Type {
        /// The symbol.
        symbol: String,
        /// The type of the calls.
        called: String,
        /// The type of the definition.
        defined: String,
    },
    /// A file defines a function with the name of a kernel.
    Kernel(String),
    /// A function of a file calls a builtin that only the program may call.
    Builtin {
        /// The function.
        function: String,
        /// The builtin.
        builtin: String,
    },
}

/// A file: its name in messages, and its bitcode.
pub type File<'a> = (&'a str, &'a [u8]);

/// Links the functions that are needed. Returns the reasons why functions cannot be used, with the names of the files.
pub fn link_device_bitcode<'a>(
    module: &Module<'_>,
    kernels: &KernelSet,
    files: &[File<'a>],
) -> Result<Vec<(&'a str, Misfit)>> {
    let mut misfits = Vec::new();
    let mut added_names = HashSet::new();
    for (name, bitcode) in files {
        let defined: HashSet<String> = definitions(bitcode, name)?.into_iter().filter_map(|d| d.symbol).collect();
        let symbols = needed(module, &defined);
        if symbols.is_empty() {
            continue;
        }
        let clashes = kernels.iter().filter(|kernel| defined.contains(&kernel.name));
        misfits.extend(clashes.map(|kernel| (*name, Misfit::Kernel(kernel.name.clone()))));
        if !misfits.is_empty() {
            continue;
        }
        let added = link(module, bitcode, name, &symbols)?;
        misfits.extend(find_misfits(&added, &symbols).into_iter().map(|misfit| (*name, misfit)));
        added_names.extend(added.iter().map(|function| function.name()));
    }
    // A file may declare functions that files before it have defined, or define functions that earlier files declare.
    // So the functions are looked up and become internal after all files are linked.
    let added: Vec<_> = module.functions().into_iter().filter(|f| added_names.contains(&f.name())).collect();
    legalize_linked(module, &added);
    Ok(misfits)
}

/// The functions that are declared and used, and that a file defines.
fn needed(module: &Module<'_>, defined: &HashSet<String>) -> Vec<String> {
    let declared = module.functions().into_iter().filter(|f| f.is_declaration() && f.is_used() && !f.is_intrinsic());
    declared.map(|f| f.name()).filter(|name| defined.contains(name) && !name.starts_with(PREFIX)).collect()
}

/// Links functions with all that they need. Returns all functions that were added.
fn link<'c>(module: &Module<'c>, bitcode: &[u8], name: &str, symbols: &[String]) -> Result<Vec<Function<'c>>> {
    let _activity = crash::activity_on_input(format!("taking functions out of {name}"));
    let before: HashSet<_> = module.functions().into_iter().map(|f| f.name()).collect();
    let wanted = |global: Value<'_>| !global.as_function().is_some_and(|f| is_panic(f) || f.name().starts_with(PREFIX));
    let linked = module.linker().link(bitcode, name, symbols, false, &wanted);
    linked.with_context(|| format!("cannot take functions out of {name}"))?;
    let added = |f: &Function<'c>| !before.contains(&f.name()) || symbols.contains(&f.name());
    Ok(module.functions().into_iter().filter(added).collect())
}

fn find_misfits(added: &[Function<'_>], symbols: &[String]) -> Vec<Misfit> {
    let mut found = Vec::new();
    for function in added {
        let name = function.name();
        let defined = function.function_type();
        let mut users = function.users().into_iter().filter(|user| user.is_call() && user.callee() == **function);
        if let Some(call) = users.find(|call| symbols.contains(&name) && call.called_type() != defined) {
            let (symbol, called, defined) = (name.clone(), call.called_type().text(), defined.text());
            found.push(Misfit::Type { symbol, called, defined });
        }
        if is_of_program_only(&name) {
            let users = function.users();
            let caller = users.first().map(|user| user.function().name()).unwrap_or_default();
            found.push(Misfit::Builtin { function: caller, builtin: name });
        }
    }
    found
}

/// Whether calls of a builtin must be there before device code is checked: barriers, operations between lanes, promises
/// and all that a stage before this one replaces.
fn is_of_program_only(name: &str) -> bool {
    let builtin = Builtin::named(name);
    let free = builtin.is_some_and(|b| matches!(b.id, BuiltinId::Device(_)) && !b.convergent)
        || (is_query(name) && name != HAS_FEATURE);
    name.starts_with(PREFIX) && !free || AtomicBuiltin::named(name).is_some()
}
