//! Where bodies come from that the inputs lack: archives on the command line, folders of `-L`, the sysroot of rustc.
//!
//! Each source is opened only when those before it lack a symbol, and of an archive only the index and the members that
//! are needed are read. What a body needs in turn is not looked at here; see `stages/resolve.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Context as _, Error, Result};
use crate::input::archive::Archive;
use crate::input::file::Input;
use crate::input::newer_llvm::Reader;
use crate::input::sysroot::{LIBRARIES, Sysroot, crate_of};
use crate::llvm::crash;

/// The sources in the order in which they are asked.
#[derive(Debug)]
pub struct Bodies {
    /// Not opened yet.
    sources: VecDeque<Source>,
    libraries: Vec<Library>,
    /// Indices of the libraries that gave a body.
    used: BTreeSet<usize>,
    /// Why there is no sysroot, when one was needed.
    no_sysroot: Option<String>,
    reader: Arc<Reader>,
}

/// What was asked for.
#[derive(Debug)]
enum Source {
    /// One archive.
    Archive(PathBuf),
    /// Every rlib of a folder.
    Folder(PathBuf),
    /// The libraries that come with rustc.
    Sysroot(Sysroot),
}

/// An archive whose index is read.
#[derive(Debug)]
struct Library {
    path: PathBuf,
    archive: Archive,
    /// Whether it comes with rustc.
    of_rust: bool,
}

/// A member of a library, and which of the symbols looked for it defines.
#[derive(Debug)]
pub struct Member {
    library: usize,
    offset: u64,
    /// Sorted.
    pub symbols: Vec<String>,
}

/// Why there is no body for a symbol, when more can be said than that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingBody {
    /// The library has machine code for it only.
    NoBitcode(OwningLibrary),
    /// The library is of the crate, but of another build of it than the one that the input was compiled against.
    OtherBuild(OwningLibrary),
    /// No library of this crate is known.
    NoLibrary(String),
    /// It is Rust's own, and there is no sysroot, for this reason.
    NoSysroot(String),
}

/// Symbols without a body of which more is known than that.
pub type Unresolved = BTreeMap<String, MissingBody>;

/// The library that was to have a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwningLibrary {
    /// The crate, or the file's name when it is no crate's.
    pub krate: String,
    /// The file.
    pub library: PathBuf,
    /// Whether it comes with rustc.
    pub of_rust: bool,
}

impl Bodies {
    /// Archives come first, in order, then the folders, then the sysroot.
    pub fn new(archives: Vec<PathBuf>, folders: &[PathBuf], sysroot: Sysroot, reader: Arc<Reader>) -> Self {
        let archives = archives.into_iter().map(Source::Archive);
        let sources = archives.chain(folders.iter().cloned().map(Source::Folder)).chain([Source::Sysroot(sysroot)]);
        let (sources, libraries) = (sources.collect(), Vec::new());
        Bodies { sources, libraries, used: BTreeSet::new(), no_sysroot: None, reader }
    }

    /// The members that define any of `symbols`, which is sorted; each symbol is the first library's that has it.
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

    /// A member's bitcode, and whether it comes with rustc; none when it is machine code only.
    pub fn read(&mut self, member: &Member) -> Result<std::result::Result<(Input, bool), MissingBody>> {
        let library = &self.libraries[member.library];
        if let Some(input) = library.bitcode(member.offset, &self.reader)? {
            self.used.insert(member.library);
            return Ok(Ok((input, library.of_rust)));
        }
        // Cargo leaves what it built with other flags beside what it builds now.
        for (number, twin) in self.libraries.iter().enumerate().skip(member.library + 1) {
            let same = twin.krate().is_some() && twin.krate() == library.krate();
            let defined = if same { twin.archive.defined(&member.symbols) } else { Default::default() };
            if let Some((offset, _)) = defined.into_iter().find(|(_, symbols)| symbols.len() == member.symbols.len())
                && let Some(input) = twin.bitcode(offset, &self.reader)?
            {
                self.used.insert(number);
                return Ok(Ok((input, twin.of_rust)));
            }
        }
        Ok(Err(MissingBody::NoBitcode(library.owner())))
    }

    /// The libraries that gave a body, in the order in which they were asked.
    pub fn used(&self) -> impl Iterator<Item = &Path> {
        self.used.iter().map(|library| self.libraries[*library].path.as_path())
    }

    /// What is known of a symbol that no library has.
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
            // Old symbols have one hash for the crate and all else.
            Some(library) if crates.is_empty() => Some(MissingBody::OtherBuild(library.owner())),
            Some(_) => None,
        }
    }

    /// The library of a crate whose own symbols bear another disambiguator.
    fn other_build(&self, krate: &(&str, &str)) -> Option<MissingBody> {
        let library = self.libraries.iter().find(|library| library.krate() == Some(krate.0))?;
        let named: Vec<_> = library.archive.symbols().flat_map(|(symbol, _)| mangled_crates(symbol)).collect();
        let same_name = named.iter().any(|(name, _)| *name == krate.0);
        (same_name && !named.contains(krate)).then(|| MissingBody::OtherBuild(library.owner()))
    }

    /// Opens the next source; false when there is none.
    fn open_next(&mut self) -> Result<bool> {
        match self.sources.pop_front() {
            None => return Ok(false),
            Some(Source::Archive(path)) => self.open(path, false)?,
            Some(Source::Folder(folder)) => {
                for path in rlibs(&folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
                    self.open(path, false)?;
                }
            }
            Some(Source::Sysroot(sysroot)) => match sysroot.libraries()? {
                Ok(libraries) => libraries.into_iter().try_for_each(|path| self.open(path, true))?,
                Err(why) => self.no_sysroot = Some(why),
            },
        }
        Ok(true)
    }

    fn open(&mut self, path: PathBuf, of_rust: bool) -> Result<()> {
        let _activity = crash::activity(format!("reading `{}`", path.display()));
        let archive = Archive::open(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        self.libraries.push(Library { path, archive, of_rust });
        Ok(())
    }
}

impl Library {
    /// The bitcode of the member there, if it has any.
    fn bitcode(&self, offset: u64, reader: &Reader) -> Result<Option<Input>> {
        let unreadable = || format!("cannot read `{}`", self.path.display());
        let bytes = self.archive.member(offset).with_context(unreadable)?;
        Input::member(&self.path, bytes, reader).map_err(|refused| Error::new(refused.in_one_line()))
    }

    /// The crate: `core` of `libcore-120cbae4e86ec454.rlib`.
    fn krate(&self) -> Option<&str> {
        crate_of(&self.path)
    }

    fn owner(&self) -> OwningLibrary {
        let file = || self.path.file_name().unwrap_or_default().to_string_lossy();
        let krate = self.krate().map_or_else(|| file().into_owned(), str::to_owned);
        OwningLibrary { krate, library: self.path.clone(), of_rust: self.of_rust }
    }
}

/// The rlibs of a folder by their crates' names, and the newest first of one crate: Cargo leaves what it built of an
/// older source, or with other flags, where it was.
pub(crate) fn rlibs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rlib") {
            let changed = std::fs::metadata(&path)?.modified()?;
            found.push((crate_of(&path).map(str::to_owned), std::cmp::Reverse(changed), path));
        }
    }
    Ok(sorted(found).into_iter().map(|(_, _, path)| path).collect())
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

/// The crates in a symbol, each with its disambiguator: `core` and `gEmfK2I1SDS` of `CsgEmfK2I1SDS_4core`. Format: the
/// `crate-root` of Rust's v0 mangling (RFC 2603). Empty for other manglings.
fn mangled_crates(symbol: &str) -> Vec<(&str, &str)> {
    let Some(mangled) = symbol.strip_prefix("_R") else { return Vec::new() };
    mangled.match_indices("Cs").filter_map(|(at, _)| crate_root(&mangled[at + 2..])).collect()
}

fn crate_root(text: &str) -> Option<(&str, &str)> {
    let (disambiguator, rest) = text.split_once('_')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().ok()?;
    // An underscore parts a name that starts with one or a digit from its length.
    let name = rest[digits..].strip_prefix('_').unwrap_or(&rest[digits..]).get(..length)?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain(disambiguator) && plain(name)).then_some((name, disambiguator))
}

/// The crate that a Rust symbol belongs to; that of the trait, for a primitive type's trait.
fn owner(symbol: &str) -> Option<String> {
    let path = rustc_demangle::try_demangle(symbol).ok().map(|name| format!("{name:#}"))?;
    let (first, _) = path.trim_start_matches(['<', '&']).split_once("::")?;
    let first = first.rsplit(' ').next().unwrap_or(first);
    // rustc's own names, such as the allocator's, are in no crate.
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
