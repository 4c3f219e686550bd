//! Modules of crates with kernels that do not name the device contract. rustc divides a crate into hundreds of modules,
//! and kernels reach functions of a few: only these are linked with the inputs.

use std::collections::{BTreeSet, HashMap};

use super::kernels::find_kernels;
use crate::analysis::reach::Reach;
use crate::diagnostics::Severity;
use crate::input::file::Input;
use crate::llvm::{self, Definition, Module, crash};
use crate::system::tokens::Tokens;
use crate::targets::kernel_conventions;

/// The siblings of a program that are not linked.
#[derive(Debug)]
pub struct Siblings<'a> {
    modules: Vec<(&'a Input, &'a [u8])>,
    /// The number of the first module that defines a symbol.
    definers: HashMap<String, usize>,
    left: BTreeSet<usize>,
    /// Those that are linked in any case, because they have a kernel or cannot be read in part.
    whole: Vec<usize>,
}

impl<'a> Siblings<'a> {
    /// Reads the names of the definitions of modules, without the bodies of functions.
    pub fn read(modules: impl Iterator<Item = (&'a Input, &'a [u8])>, tokens: &Tokens) -> Self {
        let modules: Vec<_> = modules.collect();
        let conventions = kernel_conventions();
        let mut siblings =
            Self { left: (0..modules.len()).collect(), modules, definers: HashMap::new(), whole: Vec::new() };
        let outlines = tokens.side_by_side(siblings.modules.iter(), &|(input, bytes)| outline(input, bytes));
        for (number, outline) in outlines.into_iter().enumerate() {
            let is_kernel = |definition: &Definition| conventions.contains(&definition.convention);
            if outline.as_ref().is_none_or(|definitions| definitions.iter().any(is_kernel)) {
                siblings.whole.push(number);
            }
            for symbol in outline.into_iter().flatten().filter_map(|definition| definition.symbol) {
                let _ = siblings.definers.entry(symbol).or_insert(number);
            }
        }
        siblings
    }

    /// Takes the modules that `host` needs, until it needs no more: those that define functions and statics that device
    /// code reaches, or functions that return names of kernels. If a mark cannot be understood, it takes all modules,
    /// because any may define a function that returns the kernel.
    pub fn take_needed(&mut self, host: &Module<'_>) -> Vec<(&'a Input, &'a [u8])> {
        let mut needed: BTreeSet<usize> = self.whole.drain(..).collect();
        if needed.is_empty() && !self.left.is_empty() {
            let found = find_kernels(host, &[], &kernel_conventions());
            let roots = [&found.functions[..], &found.handed.functions].concat();
            let reached = Reach::of_device_code(&roots).order.into_iter();
            let reached = reached.chain(found.nameless.iter().flatten().map(|function| **function));
            let lacking = reached.filter(|global| global.is_declaration());
            let definers = lacking.filter_map(|global| self.definers.get(&global.name()).copied());
            needed = definers.filter(|number| self.left.contains(number)).collect();
            let is_unclear = !found.nameless.is_empty()
                || found.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            if needed.is_empty() && is_unclear {
                needed = self.left.clone();
            }
        }
        self.left.retain(|number| !needed.contains(number));
        needed.into_iter().map(|number| self.modules[number]).collect()
    }
}

/// The definitions of a module; none if LLVM cannot read it. LLVM then reports the error where the whole module is
/// read.
fn outline(input: &Input, bitcode: &[u8]) -> Option<Vec<Definition>> {
    let _activity = crash::activity_on_input(format_args!("reading {}", input.display()));
    llvm::definitions(bitcode, &input.display()).ok()
}
