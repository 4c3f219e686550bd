//! The modules that a program has. Kernels of others must not be compiled: an archive has members that nothing refers
//! to, and linkers look into them, too.

use std::collections::{BTreeMap, BTreeSet};

use super::reported::{Kind, Reported};
use super::wire::Resolution;

/// A module that the plugin has claimed.
pub(super) struct Candidate<'a> {
    pub(super) symbols: &'a [Reported],
    /// Whether it is a member of an archive that is linked only if something refers to it.
    pub(super) is_member: bool,
}

/// The numbers of `enum ld_plugin_symbol_resolution` for a definition that machine code or other programs use.
const PREVAILING: u8 = 2;
const PREVAILING_EXPORTED: u8 = 9;

/// Which of the modules the program has. From version 3 of `get_symbols` on, the linker reports this. In version 2, a
/// member that the linker has not taken looks like one that only modules refer to, so it counts if a module of the
/// program refers to it.
pub(super) fn used(version: u32, modules: &[Candidate<'_>], resolutions: &[Resolution]) -> Vec<bool> {
    if version >= 3 {
        return modules.iter().zip(resolutions).map(|(_, resolution)| resolution.is_some()).collect();
    }
    let mut definers: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, module) in modules.iter().enumerate() {
        for symbol in module.symbols.iter().filter(|symbol| symbol.is_defined()) {
            let _ = definers.entry(&symbol.name).or_insert(number);
        }
    }
    let is_root = |(module, resolution): (&Candidate<'_>, &Resolution)| {
        let numbers = resolution.iter().flatten();
        let outside = |(symbol, number): (&Reported, &u8)| {
            symbol.is_defined() && [PREVAILING, PREVAILING_EXPORTED].contains(number)
        };
        !module.is_member || module.symbols.iter().zip(numbers).any(outside)
    };
    let roots = modules.iter().zip(resolutions).enumerate().filter(|(_, both)| is_root(*both));
    let mut found: BTreeSet<usize> = roots.map(|(number, _)| number).collect();
    let mut next: Vec<usize> = found.iter().copied().collect();
    while let Some(number) = next.pop() {
        // A weak reference takes no member from an archive.
        let references = modules[number].symbols.iter().filter(|symbol| symbol.kind == Kind::Undefined);
        let definers = references.filter_map(|symbol| definers.get(&*symbol.name).copied());
        next.extend(definers.filter(|definer| found.insert(*definer)));
    }
    (0..modules.len()).map(|number| found.contains(&number)).collect()
}
