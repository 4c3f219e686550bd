//! Modules of crates with kernels that mark no kernel. rustc divides a crate into hundreds of modules, and kernels
//! reach functions of a few: only these are linked with the inputs.

use std::collections::{BTreeMap, BTreeSet};

use super::kernels::find_kernels;
use crate::analysis::reach::Reach;
use crate::checks::check_builtins::check_builtins;
use crate::checks::check_version::check_version;
use crate::contract::builtin::MARKERS;
use crate::diagnostics::Severity;
use crate::input::bitcode::{self, Symbol, SymbolKind};
use crate::input::file::Input;
use crate::llvm::{Context, Module, crash};
use crate::system::tokens::Tokens;
use crate::targets::kernel_conventions;

/// The siblings of a program that are not linked.
#[derive(Debug)]
pub struct Siblings<'a> {
    modules: Vec<(&'a Input, &'a [u8])>,
    /// The number of the first module that defines a symbol.
    definers: BTreeMap<String, usize>,
    left: BTreeSet<usize>,
    /// Those of which single definitions can be linked. The others have variables that must exist once, marker calls,
    /// which are numbered in the whole module, or no bitcode.
    divisible: BTreeSet<usize>,
    /// Those of which definitions have been taken.
    begun: BTreeSet<usize>,
    /// Those that are linked in any case, because they have a kernel, cannot be read in part, or have a fault that is
    /// reported about the linked module.
    whole: Vec<usize>,
}

/// A sibling of which something is linked.
#[derive(Clone, Debug)]
pub struct Sibling<'a> {
    /// Its number among the siblings of the program.
    pub number: usize,
    /// Its file.
    pub input: &'a Input,
    /// The module.
    pub bytes: &'a [u8],
    /// The definitions that are needed, in order; none if all of the module is linked.
    pub symbols: Vec<String>,
}

impl<'a> Siblings<'a> {
    /// Reads the names of the definitions of modules, without the bodies of functions.
    pub fn read(modules: impl Iterator<Item = (&'a Input, &'a [u8])>, tokens: &Tokens) -> Self {
        let modules: Vec<_> = modules.collect();
        let conventions = kernel_conventions();
        let left = (0..modules.len()).collect();
        let (divisible, definers) = (BTreeSet::new(), BTreeMap::new());
        let (begun, whole) = (BTreeSet::new(), Vec::new());
        let mut siblings = Self { left, divisible, begun, modules, definers, whole };
        let outlines = tokens.side_by_side(siblings.modules.iter(), &|(input, bytes)| outline(input, bytes));
        for (number, outline) in outlines.into_iter().enumerate() {
            let is_kernel = |symbol: &Symbol| {
                symbol.is_defined && conventions.iter().any(|kernel| symbol.convention == u64::from(*kernel))
            };
            if outline.as_ref().is_none_or(|symbols| symbols.iter().any(is_kernel)) {
                siblings.whole.push(number);
            }
            let is_whole = |symbol: &Symbol| symbol.is_own_state || MARKERS.contains(&&symbol.name[..]);
            if outline.as_ref().is_some_and(|symbols| !symbols.iter().any(is_whole)) {
                let _ = siblings.divisible.insert(number);
            }
            for symbol in outline.into_iter().flatten().filter(|symbol| symbol.is_exported) {
                let _ = siblings.definers.entry(symbol.name).or_insert(number);
            }
        }
        siblings
    }

    /// Takes the definitions that `host` needs, until it needs no more: those that device code reaches, and the
    /// functions that return names of kernels. If a mark cannot be understood, it takes all modules, because any may
    /// define a function that returns the kernel.
    pub fn take_needed(&mut self, host: &Module<'_>) -> Vec<Sibling<'a>> {
        let mut needed: BTreeMap<usize, Vec<String>> =
            self.whole.drain(..).map(|number| (number, Vec::new())).collect();
        if needed.is_empty() && !self.left.is_empty() {
            let found = find_kernels(host, &[], &kernel_conventions());
            let roots = [&found.functions[..], &found.handed.functions].concat();
            let reached = Reach::of_device_code(&roots).order.into_iter();
            let reached = reached.chain(found.nameless.iter().flatten().map(|function| **function));
            for name in reached.filter(|global| global.is_declaration()).map(|global| global.name()) {
                if let Some(number) = self.definers.get(&name).filter(|number| self.left.contains(*number)) {
                    needed.entry(*number).or_default().push(name);
                }
            }
            let is_unclear = !found.nameless.is_empty()
                || found.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            if needed.is_empty() && is_unclear {
                needed = self.left.iter().map(|number| (*number, Vec::new())).collect();
            }
        }
        let mut taken = Vec::new();
        for (number, mut symbols) in needed {
            symbols.sort();
            symbols.dedup();
            if symbols.is_empty() && self.begun.contains(&number) {
                // The other definitions of the module exist already.
                let own = self.definers.iter().filter(|(_, definer)| **definer == number);
                symbols = own.map(|(symbol, _)| symbol.clone()).collect();
                let _ = self.left.remove(&number);
                if symbols.is_empty() {
                    continue;
                }
            } else if symbols.is_empty() || !self.divisible.contains(&number) {
                symbols.clear();
                let _ = self.left.remove(&number);
            } else {
                let _ = self.begun.insert(number);
            }
            // A definition is taken once.
            for symbol in &symbols {
                let _ = self.definers.remove(symbol);
            }
            let (input, bytes) = self.modules[number];
            taken.push(Sibling { number, input, bytes, symbols });
        }
        taken
    }
}

/// The symbols of a module; none if all of the module must be read, because it cannot be read in part or has a fault.
fn outline(input: &Input, bitcode: &[u8]) -> Option<Vec<Symbol>> {
    let symbols = bitcode::symbols(bitcode).ok()?;
    if input.names_contract() {
        // An optimiser may have made one function of two stand-ins.
        let has_alias = symbols.iter().any(|symbol| symbol.kind == SymbolKind::Alias);
        if has_alias || uses_contract_wrongly(input, bitcode) {
            return None;
        }
    }
    Some(symbols)
}

/// Whether a module declares a function of the contract with another type, or defines it, or is of another version.
/// Among those that define such functions are the modules with stand-ins.
fn uses_contract_wrongly(input: &Input, bitcode: &[u8]) -> bool {
    let _activity = crash::activity_on_input(format_args!("reading {}", input.display()));
    let context = Context::create();
    let Ok(module) = Module::without_bodies(&context, bitcode, &input.display()) else { return true };
    !check_builtins(&module).is_empty() || !check_version(&module).is_empty()
}
