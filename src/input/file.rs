//! Inputs: reads files, determines their kind from the first bytes, and checks them as far as possible before LLVM
//! parses them.
//!
//! LLVM's reader reports an obscure error for bitcode of a newer LLVM, and may crash on invalid bitcode. The producer
//! and the completeness of a file are therefore checked here. Modules of a newer LLVM are converted.

use goblin::elf::header::ELFMAG;

use crate::contract::builtin::{
    EXPORTS_SECTION, FOREIGN_MARK, KERNELS_SECTION, MARK_HOST_FUNCTION, MARKERS, PREFIX, SECTION_PREFIX,
};
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Context, Error, in_words};
use crate::input::archive;
use crate::input::bitcode::{self, InvalidBitcode, Producer};
use crate::input::newer_llvm::{self, Caching, Reader};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The kind of a file, from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// LLVM bitcode.
    Bitcode,
    /// LLVM IR as text.
    Text,
    /// An object with bitcode in section `.llvmbc`.
    Object,
}

/// A file whose modules LLVM can parse.
#[derive(Clone, Debug)]
pub struct Input {
    /// As named on the command line; `-` is standard input.
    pub path: PathBuf,
    /// The kind of the file.
    pub kind: InputKind,
    bytes: Vec<u8>,
    modules: Vec<Range<usize>>,
    names_contract: OnceLock<bool>,
}

/// The kinds of inputs, for messages.
const EXPECTED: &str = "expected LLVM bitcode or IR text, or an object with bitcode in it";

/// The section in which Rust and clang put a module's bitcode.
const SECTION: &str = ".llvmbc";

impl Input {
    /// Reads a file, or standard input.
    pub fn read(path: &Path, reader: &Reader) -> Result<Self, Diagnostic> {
        let bytes = read_bytes(path).map_err(|error| Diagnostic::from(&error))?;
        Self::from_bytes(path, bytes, reader, Caching::No)
    }

    /// Like `read`, for bytes in memory. `keep` says whether `reader` stores the modules that it converts.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>, reader: &Reader, keep: Caching) -> Result<Self, Diagnostic> {
        let (kind, modules) = match &bytes[..] {
            [] => return Err(refused(path, "is empty")),
            b if bitcode::is_module(b) => {
                // LLVM refuses a file with several modules. Only a section may be a concatenation of modules.
                let first = modules(path, b)?.swap_remove(0);
                (InputKind::Bitcode, vec![FoundModule { range: 0..b.len(), ..first }])
            }
            b if b.starts_with(ELFMAG) => match object_modules(path, b)? {
                none if none.is_empty() => return Err(without_bitcode(path)),
                modules => (InputKind::Object, modules),
            },
            b if b.starts_with(archive::MAGIC) || b.starts_with(archive::THIN_MAGIC) => {
                return Err(only_archives(path));
            }
            b if is_ir_text(b) => return Self::text(path, bytes),
            b => return Err(neither(path, b)),
        };
        let (bytes, modules) = readable(path, bytes, modules, reader, keep)?;
        Ok(Self { path: path.to_path_buf(), kind, bytes, modules, names_contract: OnceLock::new() })
    }

    /// Text does not contain its LLVM version, so all text is converted to our version.
    fn text(path: &Path, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let text = String::from_utf8(bytes).map_err(|_| refused(path, "has an unknown format"))?;
        let bytes = newer_llvm::text_in_our_words(&shown(path), text)?.into_bytes();
        Ok(Self {
            path: path.to_path_buf(),
            kind: InputKind::Text,
            modules: std::iter::once(0..bytes.len()).collect(),
            bytes,
            names_contract: OnceLock::new(),
        })
    }

    /// Like `from_bytes`, for a member of the archive `path`; none if it is an object without bitcode.
    pub fn member(path: &Path, bytes: Vec<u8>, reader: &Reader) -> Result<Option<Self>, Diagnostic> {
        if is_machine_code(path, &bytes)? {
            Ok(None)
        } else {
            Self::from_bytes(path, bytes, reader, Caching::Yes).map(Some)
        }
    }

    /// Each module's bitcode or text; at least one.
    pub fn modules(&self) -> impl Iterator<Item = &[u8]> {
        self.modules.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Whether a module names the device contract: a function or a promise about a type, whose symbols are uncompressed
    /// in bitcode, or a section.
    pub fn names_contract(&self) -> bool {
        *self.names_contract.get_or_init(|| self.finds_contract())
    }

    fn finds_contract(&self) -> bool {
        let holds = |name: &str| memchr::memmem::find(&self.bytes, name.as_bytes()).is_some();
        // A module that cannot be read may name the contract.
        let ours = |section: &String| section.starts_with(SECTION_PREFIX);
        let names_none = |module| bitcode::sections(module).is_ok_and(|names| !names.iter().any(ours));
        holds(PREFIX)
            || holds(FOREIGN_MARK)
            || match self.kind {
                InputKind::Text => holds(SECTION_PREFIX),
                InputKind::Bitcode | InputKind::Object => !self.modules().all(names_none),
            }
    }

    /// Whether a module may say something about the whole program: which functions are kernels or have numbers, or that
    /// types have no addresses. It then names the contract. The others only use the contract in their functions; a mark
    /// of a function of the host matters only if device code reaches it.
    pub fn may_mark(&self) -> bool {
        let holds = |name: &&str| memchr::memmem::find(&self.bytes, name.as_bytes()).is_some();
        let is_ours = |section: &String| section == KERNELS_SECTION || section == EXPORTS_SECTION;
        let has_no_section = |module| bitcode::sections(module).is_ok_and(|names| !names.iter().any(is_ours));
        let markers = MARKERS.iter().filter(|name| **name != MARK_HOST_FUNCTION);
        markers.chain(&[FOREIGN_MARK]).any(holds) || self.kind == InputKind::Text || !self.modules().all(has_no_section)
    }

    /// The path in messages.
    pub fn display(&self) -> String {
        shown(&self.path)
    }
}

/// The bytes of a file, or of standard input.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let doing = || format!("cannot read {}", shown(path));
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).with_context(doing)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| {
        let directory = error.kind() == std::io::ErrorKind::IsADirectory;
        let reason = if directory { format!("it is a directory; {EXPECTED}") } else { in_words(&error) };
        Error::new(reason).context(doing())
    })
}

/// The path in messages.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { format!("`{}`", path.display()) }
}

fn refused(path: &Path, what: &str) -> Diagnostic {
    Diagnostic::coded(Code::InvalidInput, format!("{} {what}; {EXPECTED}", shown(path)))
}

/// The range of a module in a file, and its producer.
struct FoundModule {
    range: Range<usize>,
    producer: Producer,
}

/// Converts the modules of a file, if necessary.
fn readable(
    path: &Path,
    bytes: Vec<u8>,
    found: Vec<FoundModule>,
    reader: &Reader,
    keep: Caching,
) -> Result<(Vec<u8>, Vec<Range<usize>>), Diagnostic> {
    if !found.iter().any(|module| newer_llvm::is_newer(&module.producer)) {
        return Ok((bytes, found.into_iter().map(|module| module.range).collect()));
    }
    let (mut all, mut ranges) = (Vec::new(), Vec::new());
    for FoundModule { range, producer } in found {
        let start = all.len();
        if newer_llvm::is_newer(&producer) {
            all.extend(reader.convert(&shown(path), &bytes[range], &producer, keep)?);
        } else {
            all.extend_from_slice(&bytes[range]);
        }
        ranges.push(start..all.len());
    }
    Ok((all, ranges))
}

/// The modules in a bitcode file or section; at least one.
fn modules(path: &Path, bytes: &[u8]) -> Result<Vec<FoundModule>, Diagnostic> {
    let modules = bitcode::modules(bytes).map_err(|broken| match broken {
        InvalidBitcode::Truncated => refused(path, "is truncated bitcode"),
        InvalidBitcode::NotBitcode => refused(path, "begins like bitcode but contains no module"),
    })?;
    let found = |(module, producer): (&[u8], Producer)| {
        check_epoch(path, &producer)?;
        let start = module.as_ptr().addr() - bytes.as_ptr().addr();
        Ok(FoundModule { range: start..start + module.len(), producer })
    };
    modules.into_iter().map(found).collect()
}

/// A new epoch means that other versions of LLVM must not read the file.
fn check_epoch(path: &Path, producer: &Producer) -> Result<(), Diagnostic> {
    if producer.epoch == 0 {
        return Ok(());
    }
    let message =
        format!("{} is bitcode of epoch {}, but LLVM {} reads epoch 0", shown(path), producer.epoch, newer_llvm::OURS);
    Err(Diagnostic::coded(Code::NewerLlvm, message)
        .help("convert it to text with the `llvm-dis` of the LLVM that wrote it"))
}

/// The modules in an object's bitcode section; none if it has no such section.
fn object_modules(path: &Path, bytes: &[u8]) -> Result<Vec<FoundModule>, Diagnostic> {
    let elf = goblin::elf::Elf::parse(bytes).map_err(|_| refused(path, "is a broken or truncated ELF file"))?;
    let mut found = Vec::new();
    for header in &elf.section_headers {
        if elf.shdr_strtab.get_at(header.sh_name) != Some(SECTION) {
            continue;
        }
        let section = header.file_range().and_then(|range| Some((range.start, bytes.get(range)?)));
        let (start, section) = section.ok_or_else(|| refused(path, "is a truncated ELF file"))?;
        // rustc writes an empty section into objects without code.
        if section.iter().all(|byte| *byte == 0) {
            continue;
        }
        let moved = |Range { start: from, end }| start + from..start + end;
        found.extend(modules(path, section)?.into_iter().map(|m| FoundModule { range: moved(m.range), ..m }));
    }
    Ok(found)
}

/// The bitcode that a member of an archive is, or has beside machine code; none if it has not exactly one module.
pub fn module_of(object: &[u8]) -> Option<&[u8]> {
    if object.starts_with(&bitcode::MAGIC) {
        return Some(object);
    }
    let found = object_modules(Path::new("member"), object).ok()?;
    let [module] = &found[..] else { return None };
    object.get(module.range.clone())
}

/// Whether a file is an object without bitcode.
pub fn is_machine_code(path: &Path, bytes: &[u8]) -> Result<bool, Diagnostic> {
    Ok(bytes.starts_with(ELFMAG) && object_modules(path, bytes)?.is_empty())
}

fn without_bitcode(path: &Path) -> Diagnostic {
    refused(path, "is an ELF file without bitcode")
        .help("use the output of `rustc --emit=llvm-bc`; rustc writes bitcode only into the objects of an rlib")
}

/// The diagnostic for a command line with archives only, which are removed before inputs are read.
pub fn only_archives(path: &Path) -> Diagnostic {
    let message = format!("{} is an archive, and an archive cannot be the only input", shown(path));
    Diagnostic::coded(Code::InvalidInput, message)
        .help("also name the program's own bitcode or objects; archives only supply bodies that these lack")
}

fn neither(path: &Path, bytes: &[u8]) -> Diagnostic {
    let text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let diagnostic = refused(path, if text { "is text but not LLVM IR" } else { "has an unknown format" });
    if path.extension().is_some_and(|extension| extension == "rs") {
        let compile = format!("compile it first: `rustc --emit=llvm-bc {}`", path.display());
        return diagnostic.help(compile);
    }
    diagnostic
}

/// Whether the first significant line can be the first line of a module. LLVM's parser checks the rest and reports the
/// line of an error.
fn is_ir_text(bytes: &[u8]) -> bool {
    const WORDS: [&str; 10] =
        ["source_filename", "target ", "module ", "define ", "declare ", "attributes ", "uselistorder", "@", "%", "!"];
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty()).peekable();
    // A file with only comments is an empty module.
    let commented = lines.peek().is_some_and(|line| line.starts_with(';'));
    match lines.find(|line| !line.starts_with(';')) {
        Some(line) => WORDS.iter().chain(&["$", "^"]).any(|word| line.starts_with(word)),
        None => commented,
    }
}
