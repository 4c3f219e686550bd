//! The libraries with bodies that the inputs lack: archives and shared libraries on the command line, folders of `-L`,
//! rustc's sysroot.
//!
//! A source is opened only if the earlier ones lack a symbol, and only the index and the needed members of an archive
//! are read. The symbols that a body needs are resolved in `stages/resolve.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Context as _, Error, Failure, Result};
use crate::input::archive::Archive;
use crate::input::file::{Input, is_machine_code};
use crate::input::library_folders::rlibs;
use crate::input::newer_llvm::Reader;
use crate::input::recompile::with_bitcode;
use crate::input::sysroot::{LIBRARIES, Sysroot, crate_of};
use crate::llvm::crash;
use crate::system::tokens::Tokens;

/// The sources in the order in which they are searched.
#[derive(Debug)]
pub struct Bodies {
    /// The sources that are not open yet.
    sources: VecDeque<Source>,
    libraries: Vec<Library>,
    /// The indices of the libraries that provided a body.
    used: BTreeSet<usize>,
    /// The libraries with bitcode that take the places of others.
    again: BTreeMap<usize, Library>,
    /// Why there is no sysroot, if one was needed.
    no_sysroot: Option<String>,
    /// Whether the commands for rustc are printed.
    echo: bool,
    reader: Arc<Reader>,
    tokens: Tokens,
}

/// A source of libraries.
#[derive(Debug)]
enum Source {
    /// One archive.
    Archive(PathBuf),
    /// All rlibs of a folder of `-L`.
    Folder(PathBuf),
    /// The libraries of rustc's sysroot.
    Sysroot(Sysroot),
}

/// An archive whose index has been read.
#[derive(Debug)]
struct Library {
    path: PathBuf,
    archive: Archive,
    origin: Origin,
}

/// Where a library's code is at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the program, from rustc's sysroot.
    Rust,
    /// In the program.
    Program,
    /// In a shared library, which has its own images, statics and table of device functions.
    SharedLibrary,
}

/// A member of a library, and the requested symbols that it defines.
#[derive(Debug)]
pub struct Member {
    library: usize,
    offset: u64,
    /// Sorted.
    pub symbols: Vec<String>,
}

/// Why a symbol has no body, if the reason is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingBody {
    /// The library has only machine code for it.
    NoBitcode(OwningLibrary),
    /// The library is the right crate, but another build than the one that the input was compiled against.
    OtherBuild(OwningLibrary),
    /// No library is this crate.
    NoLibrary(String),
    /// It belongs to Rust's own libraries, and there is no sysroot for this reason.
    NoSysroot(String),
}

/// Symbols without a body for which the reason is known.
pub type Unresolved = BTreeMap<String, MissingBody>;

/// The library that should have a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwningLibrary {
    /// The crate's name, or the file's name if it is not a crate.
    pub krate: String,
    /// The file.
    pub library: PathBuf,
    /// Whether it is in rustc's sysroot.
    pub of_rust: bool,
}

impl Bodies {
    /// The order is: archives, folders, the sysroot.
    pub fn new(
        archives: Vec<PathBuf>,
        folders: &[PathBuf],
        sysroot: Sysroot,
        reader: Arc<Reader>,
        tokens: Tokens,
    ) -> Self {
        let echo = sysroot.echo;
        let archives = archives.into_iter().map(Source::Archive);
        let sources = archives.chain(folders.iter().cloned().map(Source::Folder)).chain([Source::Sysroot(sysroot)]);
        let (sources, libraries) = (sources.collect(), Vec::new());
        let (used, again) = (BTreeSet::new(), BTreeMap::new());
        Bodies { sources, libraries, used, again, no_sysroot: None, echo, reader, tokens }
    }

    /// The members that define any of `symbols`, which is sorted. A symbol is taken from the first library that defines
    /// it.
    pub fn find(&mut self, symbols: &[String]) -> Result<Vec<Member>> {
        let mut wanted = symbols.to_vec();
        let mut members = Vec::new();
        let mut next = 0;
        loop {
            while let Some(library) = self.libraries.get(next).filter(|_| !wanted.is_empty()) {
                for (offset, symbols) in library.archive.defined(&wanted) {
                    let member = Member { library: next, offset, symbols: sorted(symbols) };
                    wanted.retain(|symbol| member.symbols.binary_search(symbol).is_err());
                    members.push(member);
                }
                next += 1;
            }
            if wanted.is_empty() || !self.open_next()? {
                return Ok(members);
            }
        }
    }

    /// Compiles the libraries of members without bitcode again, as far as their commands are known, and opens the
    /// results.
    pub fn compile_again(&mut self, members: &[Member]) -> Result<()> {
        let mut numbers = BTreeSet::new();
        for member in members {
            let library = &self.libraries[member.library];
            let is_known = library.origin != Origin::Program || self.again.contains_key(&member.library);
            if !is_known && library.has_only_machine_code(member.offset)? {
                let _ = numbers.insert(member.library);
            }
        }
        let libraries: Vec<_> = numbers.iter().map(|number| self.libraries[*number].path.clone()).collect();
        for (number, path) in numbers.into_iter().zip(with_bitcode(&libraries, &self.tokens, self.echo)?) {
            if let Some(path) = path {
                let archive = open(&path)?;
                let _ = self.again.insert(number, Library { path, archive, origin: Origin::Program });
            }
        }
        Ok(())
    }

    /// The bitcode of a member, and where it is from; a reason if the member has only machine code.
    pub fn read(&mut self, member: &Member) -> Result<(Input, Origin), Failure<MissingBody>> {
        let library = &self.libraries[member.library];
        if let Some(input) = library.bitcode(member.offset, &self.reader)? {
            self.used.insert(member.library);
            return Ok((input, library.origin));
        }
        if let Some(again) = self.again.get(&member.library) {
            let defined = again.archive.defined(&member.symbols);
            let whole = defined.into_iter().find(|(_, symbols)| symbols.len() == member.symbols.len());
            if let Some((offset, _)) = whole
                && let Some(input) = again.bitcode(offset, &self.reader)?
            {
                self.used.insert(member.library);
                return Ok((input, Origin::Program));
            }
        }
        // Cargo keeps builds with other flags next to the current one.
        for (number, twin) in self.libraries.iter().enumerate().skip(member.library + 1) {
            let same = twin.krate().is_some() && twin.krate() == library.krate();
            let defined = if same { twin.archive.defined(&member.symbols) } else { Default::default() };
            if let Some((offset, _)) = defined.into_iter().find(|(_, symbols)| symbols.len() == member.symbols.len())
                && let Some(input) = twin.bitcode(offset, &self.reader)?
            {
                self.used.insert(number);
                return Ok((input, twin.origin));
            }
        }
        Err(Failure::Reason(MissingBody::NoBitcode(library.owner())))
    }

    /// The libraries that provided a body, in the order in which they were searched.
    pub fn used(&self) -> impl Iterator<Item = &Path> {
        self.used.iter().map(|library| self.libraries[*library].path.as_path())
    }

    /// Whether a shared library provided a body.
    pub fn uses_shared_library(&self) -> bool {
        self.used.iter().any(|library| self.libraries[*library].origin == Origin::SharedLibrary)
    }

    /// Why a symbol without a body has none, if the reason is known.
    pub fn explain(&self, symbol: &str) -> Option<MissingBody> {
        let crates = mangled_crates(symbol);
        if let Some(missing) = crates.iter().find_map(|krate| self.other_build(krate)) {
            return Some(missing);
        }
        let krate = owner(symbol)?;
        if LIBRARIES.contains(&krate.as_str()) {
            return self.no_sysroot.clone().map(MissingBody::NoSysroot);
        }
        match self.libraries.iter().find(|library| library.krate() == Some(&krate)) {
            None => Some(MissingBody::NoLibrary(krate)),
            // Symbols with the old mangling have a single hash for the crate and everything else.
            Some(library) if crates.is_empty() => Some(MissingBody::OtherBuild(library.owner())),
            Some(_) => None,
        }
    }

    /// The library of a crate whose symbols have another disambiguator.
    fn other_build(&self, krate: &(&str, &str)) -> Option<MissingBody> {
        let library = self.libraries.iter().find(|library| library.krate() == Some(krate.0))?;
        let named: Vec<_> = library.archive.symbols().flat_map(|(symbol, _)| mangled_crates(symbol)).collect();
        let same_name = named.iter().any(|(name, _)| *name == krate.0);
        (same_name && !named.contains(krate)).then(|| MissingBody::OtherBuild(library.owner()))
    }

    /// Opens the next source; false if there is none.
    fn open_next(&mut self) -> Result<bool> {
        match self.sources.pop_front() {
            None => return Ok(false),
            Some(Source::Archive(path)) => self.open(path, false)?,
            Some(Source::Folder(folder)) => {
                for path in rlibs(&folder)? {
                    self.open(path, false)?;
                }
            }
            Some(Source::Sysroot(sysroot)) => match sysroot.libraries() {
                Ok(libraries) => libraries.into_iter().try_for_each(|path| self.open(path, true))?,
                Err(Failure::Reason(why)) => self.no_sysroot = Some(why),
                Err(Failure::Operation(error)) => return Err(error),
            },
        }
        Ok(true)
    }

    fn open(&mut self, path: PathBuf, of_rust: bool) -> Result<()> {
        let archive = open(&path)?;
        let origin = match () {
            () if of_rust => Origin::Rust,
            () if archive.is_in_shared_library() => Origin::SharedLibrary,
            () => Origin::Program,
        };
        self.libraries.push(Library { path, archive, origin });
        Ok(())
    }
}

fn open(path: &Path) -> Result<Archive> {
    let _activity = crash::activity(format!("reading `{}`", path.display()));
    Archive::open(path).with_context(|| format!("cannot read `{}`", path.display()))
}

impl Library {
    /// The bitcode of the member at `offset`, if it has any.
    fn bitcode(&self, offset: u64, reader: &Reader) -> Result<Option<Input>> {
        let bytes = self.member(offset)?;
        Input::member(&self.path, bytes, reader).map_err(|refused| Error::new(refused.in_one_line()))
    }

    fn has_only_machine_code(&self, offset: u64) -> Result<bool> {
        is_machine_code(&self.path, &self.member(offset)?).map_err(|refused| Error::new(refused.in_one_line()))
    }

    fn member(&self, offset: u64) -> Result<Vec<u8>> {
        self.archive.member(offset).with_context(|| format!("cannot read `{}`", self.path.display()))
    }

    /// The crate's name: `core` for `libcore-120cbae4e86ec454.rlib`.
    fn krate(&self) -> Option<&str> {
        crate_of(&self.path)
    }

    fn owner(&self) -> OwningLibrary {
        let file = || self.path.file_name().unwrap_or_default().to_string_lossy();
        let krate = self.krate().map_or_else(|| file().into_owned(), str::to_owned);
        OwningLibrary { krate, library: self.path.clone(), of_rust: self.origin == Origin::Rust }
    }
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

/// The crates in a symbol, each with its disambiguator: `core` and `gEmfK2I1SDS` for `CsgEmfK2I1SDS_4core`. The format
/// is `crate-root` of Rust's v0 mangling (RFC 2603). Empty for other manglings.
fn mangled_crates(symbol: &str) -> Vec<(&str, &str)> {
    let Some(mangled) = symbol.strip_prefix("_R") else { return Vec::new() };
    mangled.match_indices("Cs").filter_map(|(at, _)| crate_root(&mangled[at + 2..])).collect()
}

fn crate_root(text: &str) -> Option<(&str, &str)> {
    let (disambiguator, rest) = text.split_once('_')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().ok()?;
    // If a name starts with an underscore or a digit, an underscore separates it from its length.
    let name = rest[digits..].strip_prefix('_').unwrap_or(&rest[digits..]).get(..length)?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain(disambiguator) && plain(name)).then_some((name, disambiguator))
}

/// The crate that defines a Rust symbol; for a trait of a primitive type, the trait's crate.
fn owner(symbol: &str) -> Option<String> {
    let path = rustc_demangle::try_demangle(symbol).ok().map(|name| format!("{name:#}"))?;
    let (first, _) = path.trim_start_matches(['<', '&']).split_once("::")?;
    let first = first.rsplit(' ').next().unwrap_or(first);
    // rustc's own names, such as the allocator's, belong to no crate.
    (!first.starts_with("__")).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_symbols() {
        let from_str = "_RNvXs1_NtNtCsgEmfK2I1SDS_4core3num7dec2fltfNtNtNtB9_3str6traits7FromStr8from_str";
        assert_eq!(mangled_crates(from_str), [("core", "gEmfK2I1SDS")]);
        assert_eq!(mangled_crates("_ZN3dep5scale17h0123456789abcdefE"), []);
        assert_eq!(owner(from_str).as_deref(), Some("core"));
        assert_eq!(owner("_ZN3dep5scale17h0123456789abcdefE").as_deref(), Some("dep"));
        assert_eq!(owner("outside"), None);
        assert_eq!(crate_of(Path::new("a/libcore-120cbae4e86ec454.rlib")), Some("core"));
    }
}
