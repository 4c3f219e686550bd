//! The meaning of names, in nested scopes.

use std::collections::HashMap;

use crate::parser::{Type, Variable};
use crate::program::code::Source;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A register.
    Register(Source, Type),
    /// `%r<10>`: registers with consecutive numbers.
    Registers(Source, Type, u32),
    /// A parameter as words in registers, of a call or of this function.
    Words(Vec<Source>),
    /// A parameter of this function that has an address: where it is in the frame.
    Frame(u64),
    /// A parameter of an entry: where it is among the arguments.
    Argument(u64),
    /// An address that the program has fixed.
    Address(u64),
}

/// The scopes that are open, the innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    open: Vec<HashMap<String, Symbol>>,
}

impl Scopes {
    pub(super) fn begin(&mut self) {
        self.open.push(HashMap::new());
    }

    pub(super) fn end(&mut self) {
        self.open.pop();
    }

    pub(super) fn add(&mut self, name: &str, symbol: Symbol) {
        if let Some(innermost) = self.open.last_mut() {
            innermost.insert(name.to_owned(), symbol);
        }
    }

    /// The innermost meaning of a name.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        let exact = self.open.iter().rev().find_map(|scope| scope.get(name));
        if let Some(symbol) = exact.filter(|symbol| !matches!(symbol, Symbol::Registers(..))) {
            return Some(symbol.clone());
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[stem.len()..].parse().ok()?;
        match self.open.iter().rev().find_map(|scope| scope.get(stem))? {
            Symbol::Registers(first, element, count) if number < *count => {
                Some(Symbol::Register(first + number, *element))
            }
            _ => None,
        }
    }
}

/// How many words of 8 bytes a parameter has.
pub(super) fn words_of(variable: &Variable) -> u32 {
    variable.size().div_ceil(8) as u32
}
