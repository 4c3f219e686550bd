//! The symbols of a module that a linker gets: those that its object will have.

use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::contract::abi::REGISTER;
use crate::contract::builtin::{BITCODE_FOR_LINKER, PREFIX};
use crate::contract::symbols::is_stand_in_section;
use crate::llvm::{Symbol, Visibility};

/// A symbol for a linker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    pub(super) name: String,
    pub(super) kind: Kind,
    function: bool,
    visibility: u8,
    size: u64,
    comdat: String,
}

/// Whether a module defines a symbol or uses it: the numbers of `enum ld_plugin_symbol_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Defined = 0,
    WeakDefined = 1,
    Undefined = 2,
    WeakUndefined = 3,
    Common = 4,
}

impl Reported {
    /// The symbols of a module. offloadc replaces the contract's functions, and turns the stand-ins for the runtime's
    /// functions into declarations. A module with kernels also calls the runtime, whose functions the linker thereby
    /// looks for; its answer says whether the command line has them.
    pub(super) fn of_module(symbols: &[Symbol], has_kernels: bool) -> Vec<Self> {
        let replaced = |name: &str| name.starts_with(PREFIX) || name == BITCODE_FOR_LINKER;
        let mut all: Vec<_> = symbols.iter().filter(|symbol| !replaced(&symbol.name)).map(Self::new).collect();
        if has_kernels && all.iter().all(|symbol| symbol.name != REGISTER) {
            all.push(Self {
                name: REGISTER.to_owned(),
                kind: Kind::Undefined,
                function: true,
                visibility: 0,
                size: 0,
                comdat: String::new(),
            });
        }
        all
    }

    /// Makes the module define these functions, for linkers that look for no others when objects replace modules.
    pub(super) fn define(symbols: &mut Vec<Self>, functions: BTreeSet<String>) {
        symbols.retain(|symbol| !functions.contains(&symbol.name));
        symbols.extend(functions.into_iter().map(|name| Self {
            name,
            kind: Kind::Defined,
            function: true,
            visibility: 0,
            size: 0,
            comdat: String::new(),
        }));
    }

    fn new(symbol: &Symbol) -> Self {
        let stand_in = is_stand_in_section(&symbol.section);
        let kind = match symbol {
            Symbol { common: Some(_), .. } => Kind::Common,
            Symbol { undefined: true, weak: true, .. } => Kind::WeakUndefined,
            Symbol { undefined: true, .. } => Kind::Undefined,
            _ if stand_in => Kind::Undefined,
            Symbol { weak: true, .. } => Kind::WeakDefined,
            _ => Kind::Defined,
        };
        // The numbers of `enum ld_plugin_symbol_visibility`. A declaration does not restrict the definition.
        let visibility = match symbol.visibility {
            _ if stand_in => 0,
            Visibility::Default => 0,
            Visibility::Protected => 1,
            Visibility::Hidden => 3,
        };
        let (name, comdat) = (symbol.name.clone(), symbol.comdat.clone());
        Self { name, kind, function: symbol.function, visibility, size: symbol.common.unwrap_or(0), comdat }
    }

    /// The texts of a message: kind, type and visibility as digits and the size, the name, the group.
    pub(super) fn texts(&self) -> [OsString; 3] {
        // The numbers of `enum ld_plugin_symbol_type`.
        let of_type = if self.function { 1 } else { 2 };
        let numbers = format!("{}{of_type}{}{}", self.kind as u8, self.visibility, self.size);
        [numbers.into(), self.name.clone().into(), self.comdat.clone().into()]
    }

    /// Whether the module defines it.
    pub(super) fn is_defined(&self) -> bool {
        matches!(self.kind, Kind::Defined | Kind::WeakDefined | Kind::Common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, section: &str) -> Symbol {
        let visibility = Visibility::Hidden;
        let [section, comdat] = [section, "group"].map(str::to_owned);
        let (undefined, weak, common, function) = (false, false, None, true);
        Symbol { name: name.to_owned(), undefined, weak, common, function, visibility, section, comdat }
    }

    #[test]
    fn a_linker_sees_the_symbols_that_the_object_will_have() {
        let module = [
            symbol("run", ""),
            symbol("offloadrt_free", ".text.offload.stand_in.offloadrt_free"),
            symbol("__offload_arch", ""),
        ];
        let lines = Reported::of_module(&module, true).iter().map(|s| s.texts().join("|".as_ref())).collect::<Vec<_>>();
        assert_eq!(lines, ["0130|run|group", "2100|offloadrt_free|group", "2100|offloadrt_register|"]);
    }
}
