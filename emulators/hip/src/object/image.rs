//! A code object in memory: its segments at an address, its symbols, its kernels.

use std::collections::HashMap;

use emulator_core::{Kind, Memory};
use goblin::elf::Elf;
use goblin::elf::program_header::PT_LOAD;

use super::descriptor::{BYTES, Descriptor};
use super::metadata::{self, KernelNotes, Notes};
use crate::generation::Generation;

/// `NT_AMDGPU_METADATA`.
const METADATA: u32 = 32;
/// `EM_AMDGPU`.
const MACHINE: u16 = 224;
/// R_AMDGPU_ABS64, R_AMDGPU_RELATIVE64.
const ABSOLUTE: u32 = 3;
const RELATIVE: u32 = 13;
/// Code objects reach farther than this only if they are damaged.
const MOST_BYTES: u64 = 1 << 30;
/// The most between two segments: a page of the largest size.
const PAGE: u64 = 1 << 16;
/// More arguments than any kernel takes: HIP passes 4 KiB.
const MOST_ARGUMENTS: usize = 1 << 16;

/// A kernel of an image.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) notes: KernelNotes,
    pub(crate) descriptor: Descriptor,
    /// The address of the descriptor.
    pub(crate) object: u64,
    /// The address of its first instruction.
    pub(crate) entry: u64,
}

/// A function or a variable.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) is_function: bool,
}

/// A loaded code object.
pub(crate) struct Image {
    /// Where it was loaded.
    pub(crate) base: u64,
    pub(crate) kernels: HashMap<String, Kernel>,
    /// Dynamic symbols, which a program can ask for.
    pub(crate) symbols: HashMap<String, Symbol>,
    /// Functions by address, for reports.
    pub(crate) functions: Vec<(u64, u64, String)>,
    pub(crate) formats: Vec<String>,
    /// The file, for its line tables.
    pub(crate) file: Vec<u8>,
    /// Where its instructions are, and how many bytes.
    pub(crate) code: (u64, usize),
}

/// Why a code object cannot be loaded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LoadError {
    NotForThisDevice,
    NoMemory,
    Damaged(String),
}

fn damaged(what: impl std::fmt::Display) -> LoadError {
    LoadError::Damaged(what.to_string())
}

/// The processors by the low byte of `e_flags` (AMDGPUUsage, "AMDGPU ELF Header").
fn processor(flags: u32) -> &'static str {
    match flags & 0xff {
        0x3f => "gfx90a",
        0x41 => "gfx1100",
        0x46 => "gfx1101",
        0x47 => "gfx1102",
        0x44 => "gfx1103",
        0x53 => "gfx9-generic",
        0x54 => "gfx11-generic",
        _ => "another processor",
    }
}

fn runs_on(code: &str, device: &str) -> bool {
    code == device || (code == "gfx11-generic" && device.starts_with("gfx11"))
}

impl Image {
    /// Loads a code object for `device`.
    pub(crate) fn load(file: Vec<u8>, device: &str, memory: &mut Memory) -> Result<Image, LoadError> {
        let generation = Generation::of(device).ok_or(LoadError::NotForThisDevice)?;
        let elf = Elf::parse(&file).map_err(damaged)?;
        if elf.header.e_machine != MACHINE || !runs_on(processor(elf.header.e_flags), device) {
            return Err(LoadError::NotForThisDevice);
        }
        let loads = || elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
        let end = loads().map(|header| header.p_vaddr.saturating_add(header.p_memsz)).max().unwrap_or(0);
        let most = loads().fold(PAGE, |all, header| all.saturating_add(header.p_memsz).saturating_add(PAGE));
        if end > MOST_BYTES.min(most) {
            return Err(damaged("its segments are too large, or too far apart"));
        }
        let size = end as usize;
        let base = memory.allocate(size.max(1), Kind::Variable, "image").ok_or(LoadError::NoMemory)?;
        memory.fill(base, 0, size).map_err(damaged)?;
        for header in loads() {
            let bytes = file.get(header.file_range()).ok_or_else(|| damaged("a segment is outside of the file"))?;
            let count = bytes.len().min(header.p_memsz as usize);
            let defined = vec![0; count];
            memory.write(base + header.p_vaddr, &bytes[..count], &defined).map_err(damaged)?;
        }
        relocate(&elf, base, memory)?;
        let notes = notes(&elf, &file);
        let symbols = symbols(&elf, base);
        let kernels = kernels(&notes, &symbols, memory, generation)?;
        let functions = functions(&elf, base);
        let formats = notes.formats;
        let code = code(&elf, base)?;
        Ok(Image { base, kernels, symbols, functions, formats, file, code })
    }

    /// The function around an address.
    pub(crate) fn function(&self, address: u64) -> Option<&str> {
        let around = |(begin, size, _): &&(u64, u64, String)| (*begin..begin.saturating_add(*size)).contains(&address);
        self.functions.iter().find(around).map(|(_, _, name)| name.as_str())
    }
}

/// Where the segments with instructions are in memory. All of their bytes are in the file.
fn code(elf: &Elf<'_>, base: u64) -> Result<(u64, usize), LoadError> {
    let all = || elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.is_executable());
    let begin = all().map(|header| header.p_vaddr).min().unwrap_or(0);
    let end = all().map(|header| header.p_vaddr.saturating_add(header.p_filesz)).max().unwrap_or(0);
    let most = all().fold(0u64, |most, header| most.saturating_add(header.p_filesz).saturating_add(PAGE));
    if end - begin > most {
        return Err(damaged("its segments with instructions are too far apart"));
    }
    Ok((base.wrapping_add(begin), (end - begin) as usize))
}

fn relocate(elf: &Elf<'_>, base: u64, memory: &mut Memory) -> Result<(), LoadError> {
    for relocation in elf.dynrelas.iter() {
        let addend = relocation.r_addend.unwrap_or(0);
        let value = match relocation.r_type {
            RELATIVE => base.wrapping_add_signed(addend),
            ABSOLUTE => {
                let symbol = elf.dynsyms.get(relocation.r_sym).ok_or_else(|| damaged("a relocation has no symbol"))?;
                base.wrapping_add(symbol.st_value).wrapping_add_signed(addend)
            }
            kind => return Err(damaged(format!("relocation {kind} is not known"))),
        };
        let at = base.wrapping_add(relocation.r_offset);
        memory.write(at, &value.to_le_bytes(), &[0; 8]).map_err(damaged)?;
    }
    Ok(())
}

fn notes(elf: &Elf<'_>, file: &[u8]) -> Notes {
    let all = elf.iter_note_headers(file).into_iter().chain(elf.iter_note_sections(file, None)).flatten().flatten();
    let ours = all.filter(|note| note.n_type == METADATA && note.name.trim_end_matches('\0') == "AMDGPU");
    // A code object that was linked from several objects has a note of each, and AMD's code object manager merges them.
    // The same note may be found twice, by the program headers and by the sections.
    let mut notes = Notes::default();
    for read in ours.filter_map(|note| metadata::read(note.desc)) {
        if !read.kernels.iter().any(|kernel| notes.kernels.contains(kernel)) {
            notes.kernels.extend(read.kernels);
            notes.formats = if notes.formats.is_empty() { read.formats } else { notes.formats };
        }
    }
    notes
}

fn symbols(elf: &Elf<'_>, base: u64) -> HashMap<String, Symbol> {
    let defined = elf.dynsyms.iter().filter(|symbol| symbol.st_shndx != 0);
    defined
        .filter_map(|symbol| {
            let name = elf.dynstrtab.get_at(symbol.st_name)?.to_owned();
            let address = base.wrapping_add(symbol.st_value);
            Some((name, Symbol { address, size: symbol.st_size, is_function: symbol.is_function() }))
        })
        .collect()
}

fn functions(elf: &Elf<'_>, base: u64) -> Vec<(u64, u64, String)> {
    let all = elf.syms.iter().filter(|symbol| symbol.is_function());
    let mut functions: Vec<_> = all
        .filter_map(|symbol| {
            let name = elf.strtab.get_at(symbol.st_name)?.to_owned();
            Some((base.wrapping_add(symbol.st_value), symbol.st_size, name))
        })
        .collect();
    functions.sort();
    functions
}

fn kernels(
    notes: &Notes,
    symbols: &HashMap<String, Symbol>,
    memory: &Memory,
    generation: Generation,
) -> Result<HashMap<String, Kernel>, LoadError> {
    let mut kernels = HashMap::new();
    for notes in &notes.kernels {
        let missing = || damaged(format!("kernel `{}` has no descriptor", notes.name));
        let ends = notes.arguments.iter().map(|argument| argument.offset.saturating_add(argument.size));
        if ends.max().unwrap_or(0) > notes.kernarg_bytes || notes.kernarg_bytes > MOST_ARGUMENTS {
            return Err(damaged(format!("the arguments of kernel `{}` are too large", notes.name)));
        }
        let object = symbols.get(&notes.symbol).ok_or_else(missing)?.address;
        let (mut bytes, mut undefined) = ([0; BYTES], [0; BYTES]);
        memory.read(object, &mut bytes, &mut undefined).map_err(damaged)?;
        let descriptor = Descriptor::read(&bytes, generation);
        if descriptor.kernarg_bytes > MOST_ARGUMENTS {
            return Err(damaged(format!("the arguments of kernel `{}` are too large", notes.name)));
        }
        let entry = object.wrapping_add_signed(descriptor.entry);
        let kernel = Kernel { notes: notes.clone(), descriptor, object, entry };
        let _other = kernels.insert(notes.name.clone(), kernel);
    }
    Ok(kernels)
}
