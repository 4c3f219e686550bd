//! The crate that defines the function or static of a symbol.
//!
//! The path is not enough: `<core::option::Option<u8> as app::Part>::take` may be a function of `app`, although it
//! begins with `core`. Rust's v0 mangling (RFC 2603) contains the crate of an implementation. The older mangling does
//! not, but it spells generic arguments only where the implementation does.

use super::demangle::demangle;

/// The crates of Rust's own library, and the one to which rustc assigns the symbols that it generates.
pub const RUSTS_CRATES: [&str; 4] = ["core", "alloc", "std", "__rustc"];

/// The path of a symbol that Rust's own library defines. `None` for the symbols of all other crates, and for those that
/// are not mangled.
pub fn path_in_rusts_library(symbol: &str) -> Option<String> {
    is_of(symbol, &RUSTS_CRATES).then(|| demangle(symbol))
}

/// Whether one of these crates defines the function or static of a symbol.
pub fn is_of(symbol: &str, crates: &[&str]) -> bool {
    if let Some(mangled) = symbol.strip_prefix("_R") {
        return V0 { mangled, at: 0 }.path().is_some_and(|owner| match owner {
            Owner::Crate(name) => crates.contains(&name),
            Owner::Trait => trait_of(&demangle(symbol)).is_some_and(|path| crates.contains(&root(path))),
        });
    }
    if !is_mangled(symbol) {
        return false;
    }
    let path = demangle(symbol);
    if !path.starts_with('<') {
        return crates.contains(&root(&path));
    }
    // An implementation. Its path names its crate, unless all crates that it names are among these.
    let mut roots = roots(&path).peekable();
    roots.peek().is_some() && roots.all(|root| crates.contains(&root) || RUSTS_CRATES.contains(&root))
}

fn is_mangled(symbol: &str) -> bool {
    rustc_demangle::try_demangle(symbol).is_ok()
}

/// The crate with which a path begins.
fn root(path: &str) -> &str {
    path.split_once("::").map_or(path, |(root, _)| root)
}

/// The first parts of all paths in a text.
fn roots(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    // After a bracket, `::take` in `>::take` is the rest of a path.
    words.filter(|word| !word.starts_with("::")).filter_map(|word| Some(word.split_once("::")?.0))
}

/// The trait in `<TYPE as TRAIT>::NAME`.
fn trait_of(path: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, character) in path.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if path[..at].ends_with('-') => {}
            '>' | ')' | ']' => depth = depth.checked_sub(1)?,
            ' ' if depth == 1 && path[at..].starts_with(" as ") => return Some(&path[at + 4..]),
            _ => {}
        }
    }
    None
}

enum Owner<'a> {
    /// The crate of this name.
    Crate(&'a str),
    /// The crate of the trait: this is a method that the trait provides.
    Trait,
}

/// A symbol in v0 mangling, without its prefix.
struct V0<'a> {
    mangled: &'a str,
    at: usize,
}

impl<'a> V0<'a> {
    /// Reads a path as far as its crate. References of a damaged symbol may form a circle.
    fn path(mut self) -> Option<Owner<'a>> {
        for _ in 0..self.mangled.len() {
            match self.next()? {
                b'C' => return self.crate_name().map(Owner::Crate),
                // An implementation begins with the path of the module that has it.
                b'M' | b'X' => self.skip_disambiguator()?,
                b'Y' => return Some(Owner::Trait),
                // A namespace, and the path in which the name is.
                b'N' => drop(self.next()?),
                b'I' => {}
                b'B' => {
                    let (from, to) = (self.at, self.number()?);
                    // A reference leads back.
                    self.at = usize::try_from(to).ok().filter(|to| *to < from)?;
                }
                _ => return None,
            }
        }
        None
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.mangled.as_bytes().get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip_disambiguator(&mut self) -> Option<()> {
        if self.mangled.as_bytes().get(self.at) == Some(&b's') {
            self.at += 1;
            let _ = self.number()?;
        }
        Some(())
    }

    /// A number to the base of 62; `_` is 0, and `0_` is 1.
    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for count in 0.. {
            let digit = match self.next()? {
                b'_' if count == 0 => return Some(0),
                b'_' => return value.checked_add(1),
                byte @ b'0'..=b'9' => byte - b'0',
                byte @ b'a'..=b'z' => byte - b'a' + 10,
                byte @ b'A'..=b'Z' => byte - b'A' + 36,
                _ => return None,
            };
            // The numbers of crates have 64 bits.
            value = value.wrapping_mul(62).wrapping_add(digit.into());
        }
        None
    }

    fn crate_name(&mut self) -> Option<&'a str> {
        self.skip_disambiguator()?;
        let rest = self.mangled.get(self.at..)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = rest[..digits].parse().ok()?;
        // If a name begins with an underscore or a digit, an underscore separates it from its length.
        let name = &rest[digits..];
        name.strip_prefix('_').unwrap_or(name).get(..length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_rust(symbol: &str) -> bool {
        assert!(is_mangled(symbol), "{symbol}");
        path_in_rusts_library(symbol).is_some()
    }

    #[test]
    fn a_function_belongs_to_the_crate_that_defines_it() {
        assert!(of_rust("_RNvNtCs1_4core9panicking5panic"));
        assert!(of_rust("_RNvCs2_7___rustc12___rust_alloc"));
        assert!(of_rust("_ZN4core9panicking5panic17h0123456789abcdefE"));
        // A method of a type, with a back reference to its crate.
        assert!(of_rust("_RNvMNtCs1_4core6optionNtB2_6Option6unwrap"));
        assert!(!of_rust("_RNvNtCs1_3app4core5panic"));
        assert!(!of_rust("_ZN3app4core5panic17h0123456789abcdefE"));
        assert!(!of_rust("_RNvNtCs1_3app7___rustc12___rust_alloc"));
        assert!(path_in_rusts_library("core::panicking::panic").is_none() && path_in_rusts_library("malloc").is_none());
    }

    #[test]
    fn an_implementation_belongs_to_its_own_crate() {
        // `impl app::Part for core::option::Option<u8>`, in `app`.
        assert_eq!(demangle(OF_APP), "<core::option::Option<u8> as app::Part>::take");
        assert!(!of_rust(OF_APP));
        let old = |text: &str, name: &str| {
            let text = text.replace("::", "..").replace('<', "$LT$").replace('>', "$GT$").replace(' ', "$u20$");
            format!("_ZN{}_{text}{}{name}17h0123456789abcdefE", text.len() + 1, name.len())
        };
        assert_eq!(demangle(&old("<core::option::Option<u8> as app::Part>", "take")), demangle(OF_APP));
        assert!(!of_rust(&old("<core::option::Option<u8> as app::Part>", "take")));
        assert!(!of_rust(&old("<core::time::Duration as core::convert::From<app::Ticks>>", "from")));
        assert!(of_rust(&old("<core::option::Option<T> as core::cmp::PartialEq>", "eq")));
        assert!(of_rust(&old("<std::io::stdio::Stdout as std::io::Write>", "write")));
        // `<u8 as core::cmp::Ord>::max`, which the trait provides.
        assert!(of_rust("_RNvYhNtNtCs1_4core3cmp3Ord3max"));
        assert!(!of_rust("_RNvYhNtCs1_3app3Ord3max"));
    }

    #[test]
    fn damaged_symbols_belong_to_nobody() {
        for symbol in ["_R", "_RNvB_", "_RB0_", "_RNvXs", "_RC99core", "_RNvC4\u{e9}", "_RIIIII"] {
            assert!(!is_of(symbol, &RUSTS_CRATES), "{symbol}");
        }
        for end in 0..OF_APP.len() {
            let _either = is_of(&OF_APP[..end], &["app"]);
        }
    }

    const OF_APP: &str = "_RNvXCs1_3appINtNtCs2_4core6option6OptionhENtB2_4Part4take";
}
