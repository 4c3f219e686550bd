//! Inputs: files as bytes, with their kind from the first bytes, checked as far as possible before LLVM parses them.
//!
//! LLVM's reader answers a newer LLVM's bitcode with an obscure error and may crash on broken bitcode, so whoever wrote
//! the file, and whether it is whole, is looked at here.

use crate::archive;
use crate::bitcode::{self, Broken, Producer};
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Context, Error, in_words};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// LLVM bitcode.
    Bitcode,
    /// LLVM IR as text.
    Text,
    /// An object with bitcode in section `.llvmbc`.
    Object,
}

/// A file whose modules can be parsed.
#[derive(Clone, Debug)]
pub struct Input {
    /// As named on the command line; `-` is standard input.
    pub path: PathBuf,
    /// What the file is.
    pub kind: InputKind,
    bytes: Vec<u8>,
    modules: Vec<Range<usize>>,
}

/// What is fit to be an input, for messages.
const EXPECTED: &str = "expected LLVM bitcode or IR text, or an object with bitcode in it";

/// The first bytes of an object.
const ELF: &[u8] = b"\x7fELF";

/// Where Rust and clang put a module's bitcode in an object.
const SECTION: &str = ".llvmbc";

impl Input {
    /// Reads a file, or standard input.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let bytes = read_bytes(path).map_err(|error| Diagnostic::from(&error))?;
        Self::from_bytes(path, bytes)
    }

    /// The same for bytes that are there already.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let (kind, modules) = match &bytes[..] {
            [] => return Err(refused(path, "is empty")),
            b if b.starts_with(&bitcode::MAGIC) || b.starts_with(&bitcode::WRAPPER_MAGIC) => {
                // Several modules in one file stay one for LLVM to refuse; only a section is a concatenation.
                let _ = modules(path, b)?;
                (InputKind::Bitcode, std::iter::once(0..b.len()).collect())
            }
            b if b.starts_with(ELF) => match object_modules(path, b)? {
                none if none.is_empty() => return Err(without_bitcode(path)),
                modules => (InputKind::Object, modules),
            },
            b if b.starts_with(archive::MAGIC) || b.starts_with(archive::THIN_MAGIC) => {
                return Err(only_archives(path));
            }
            b if is_ir_text(b) => (InputKind::Text, std::iter::once(0..b.len()).collect()),
            b => return Err(neither(path, b)),
        };
        Ok(Self { path: path.to_path_buf(), kind, bytes, modules })
    }

    /// The same for a member of the archive `path`; none when it is an object without bitcode.
    pub fn member(path: &Path, bytes: Vec<u8>) -> Result<Option<Self>, Diagnostic> {
        let machine_code = bytes.starts_with(ELF) && object_modules(path, &bytes)?.is_empty();
        if machine_code { Ok(None) } else { Self::from_bytes(path, bytes).map(Some) }
    }

    /// Each module's bitcode or text; at least one.
    pub fn modules(&self) -> impl Iterator<Item = &[u8]> {
        self.modules.iter().map(|range| &self.bytes[range.clone()])
    }

    /// Whether anything of the device contract is named: symbols and sections stand in bitcode as they are.
    pub fn names_contract(&self) -> bool {
        let names: [&[u8]; 2] = [b"__offload_", b".offload."];
        names.iter().any(|name| self.bytes.windows(name.len()).any(|window| window == *name))
    }

    /// The path as messages show it.
    pub fn display(&self) -> String {
        shown(&self.path)
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
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

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { format!("`{}`", path.display()) }
}

fn refused(path: &Path, what: &str) -> Diagnostic {
    Diagnostic::coded(Code::InvalidInput, format!("{} {what}; {EXPECTED}", shown(path)))
}

/// The modules in a bitcode file or section, each by a LLVM that is not newer than ours.
fn modules(path: &Path, bytes: &[u8]) -> Result<Vec<Range<usize>>, Diagnostic> {
    let modules = bitcode::modules(bytes).map_err(|broken| match broken {
        Broken::Truncated => refused(path, "is truncated bitcode"),
        Broken::NotBitcode => refused(path, "starts like bitcode but holds no module"),
    })?;
    for (_, producer) in &modules {
        check_producer(path, producer)?;
    }
    let range = |module: &[u8]| {
        let start = module.as_ptr().addr() - bytes.as_ptr().addr();
        start..start + module.len()
    };
    Ok(modules.iter().map(|(module, _)| range(module)).collect())
}

fn check_producer(path: &Path, producer: &Producer) -> Result<(), Diagnostic> {
    let ours = env!("OFFLOADC_LLVM_VERSION");
    let our_major: u32 = ours.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(u32::MAX);
    let newer = producer.llvm_major().is_some_and(|major| major > our_major);
    if !newer && producer.epoch == 0 {
        return Ok(());
    }
    let theirs = producer.llvm_version().unwrap_or("of an unknown version");
    let by_rustc = producer.rustc_version().map_or(String::new(), |version| format!(" (rustc {version})"));
    let message =
        format!("{} was written by LLVM {theirs}{by_rustc}, but offloadc reads up to LLVM {ours}", shown(path));
    let major = producer.llvm_major().map_or("that LLVM".to_string(), |major| format!("LLVM {major}"));
    Err(Diagnostic::coded(Code::NewerLlvm, message).help(format!(
        "compile with a rustc whose `rustc -vV` says LLVM {our_major}, or use an offloadc that is built with {major}"
    )))
}

/// The modules in an object's bitcode section; none when it has none.
fn object_modules(path: &Path, bytes: &[u8]) -> Result<Vec<Range<usize>>, Diagnostic> {
    let elf = goblin::elf::Elf::parse(bytes).map_err(|_| refused(path, "is a broken or truncated ELF file"))?;
    let mut found = Vec::new();
    for header in &elf.section_headers {
        if elf.shdr_strtab.get_at(header.sh_name) != Some(SECTION) {
            continue;
        }
        let section = header.file_range().and_then(|range| Some((range.start, bytes.get(range)?)));
        let (start, section) = section.ok_or_else(|| refused(path, "is a truncated ELF file"))?;
        // rustc leaves an empty section in objects without code of their own.
        if section.iter().all(|byte| *byte == 0) {
            continue;
        }
        found.extend(modules(path, section)?.into_iter().map(|range| start + range.start..start + range.end));
    }
    Ok(found)
}

fn without_bitcode(path: &Path) -> Diagnostic {
    refused(path, "is an ELF file without bitcode")
        .help("give the output of `rustc --emit=llvm-bc`; rustc puts bitcode into the objects of an rlib only")
}

/// Archives stand beside inputs; they are taken out before inputs are read.
pub fn only_archives(path: &Path) -> Diagnostic {
    let message = format!("{} is an archive, and an archive is no input of its own", shown(path));
    Diagnostic::coded(Code::InvalidInput, message)
        .help("name the program's own bitcode or objects as well; archives only give bodies that these lack")
}

fn neither(path: &Path, bytes: &[u8]) -> Diagnostic {
    let text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let diagnostic = refused(path, if text { "is text but no LLVM IR" } else { "is of no known kind" });
    if path.extension().is_some_and(|extension| extension == "rs") {
        let compile = format!("compile it first: `rustc --emit=llvm-bc {}`", path.display());
        return diagnostic.help(compile);
    }
    diagnostic
}

/// Whether the first line that says anything can be the first of a module. The rest is for LLVM's parser, which names
/// the line.
fn is_ir_text(bytes: &[u8]) -> bool {
    const WORDS: [&str; 10] =
        ["source_filename", "target ", "module ", "define ", "declare ", "attributes ", "uselistorder", "@", "%", "!"];
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty()).peekable();
    // A file of comments is an empty module.
    let commented = lines.peek().is_some_and(|line| line.starts_with(';'));
    match lines.find(|line| !line.starts_with(';')) {
        Some(line) => WORDS.iter().chain(&["$", "^"]).any(|word| line.starts_with(word)),
        None => commented,
    }
}
