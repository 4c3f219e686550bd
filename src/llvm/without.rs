//! A set of work-arounds for faults of LLVM that are switched off.

use std::fmt::{self, Debug};

use super::workarounds::{WORKAROUNDS, Workaround};

/// The work-arounds that are switched off.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Without(u64);

impl Without {
    /// The names in the value of `--without-workaround`; `all` is each.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(',').try_fold(Self::default(), |all, name| Ok(Self(all.0 | bits(name)?)))
    }

    /// Whether the work-around of this name is switched off. Another name is that of none.
    pub fn lacks(self, name: &str) -> bool {
        self != Self::default() && self.names().any(|off| off == name)
    }

    /// A bit for each work-around of a list that is switched on.
    pub(super) fn bits_on(self, names: &[&str]) -> u32 {
        names.iter().enumerate().filter(|(_, name)| !self.lacks(name)).fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// The names, in the order of the table.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        WORKAROUNDS.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 != 0).map(|(_, row)| row.name)
    }

    /// The value of the option.
    pub fn text(self) -> String {
        self.names().collect::<Vec<_>>().join(",")
    }

    /// As a number for another process of the same program.
    pub(super) fn to_bytes(self) -> [u8; 8] {
        self.0.to_ne_bytes()
    }

    /// Reads the output of [`Self::to_bytes`].
    pub(super) fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_ne_bytes(bytes))
    }
}

impl Debug for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

fn bits(name: &str) -> Result<u64, String> {
    let is = |row: &Workaround| name == "all" || row.name == name;
    let found = WORKAROUNDS.iter().enumerate().filter(|(_, row)| is(row)).fold(0, |all, (at, _)| all | 1 << at);
    if found == 0 { Err(format!("no work-around has the name `{name}`; docs/llvm.md lists them")) } else { Ok(found) }
}
