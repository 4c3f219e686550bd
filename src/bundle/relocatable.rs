//! A relocatable object that is being written: records of bytes that contain addresses, symbols, and a constructor.
//!
//! This file has all knowledge about ELF that registration needs, and `calls.rs` that about processors. Objects are
//! small, without debug information and unwind tables.

use super::calls::{self, Call, Place, Target};
use super::symbol::Symbol;
use crate::contract::platform::Platform;
use crate::error::{Error, Result};
use object::write::{self, Object, Relocation, SectionId, SymbolSection};
use object::{BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, elf};
use object::{SymbolFlags, SymbolKind, SymbolScope};

/// The section with the containers. Its type is an ordinary one. clang would link images in sections of LLVM's type
/// `SHT_LLVM_OFFLOADING` itself.
pub(super) const CONTAINERS_SECTION: &str = ".offload.images";
/// The section with the kernel tables.
pub(super) const KERNEL_TABLE_SECTION: &str = ".offload.table";

/// The section with CUDA's fat binaries.
pub(super) const FATBINARY_SECTION: &str = ".nv_fatbin";
/// The section with HIP's bundles.
pub(super) const HIP_BUNDLE_SECTION: &str = ".hip_fatbin";

/// The section of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Read-only after the program is loaded; records may contain addresses. Linkers never merge such records.
    Relocated,
    /// Writable.
    Writable,
    /// Kernel tables; no addresses.
    KernelTable,
    /// OffloadBinary containers; no addresses.
    Containers,
    /// CUDA's fat binaries; no addresses.
    Fatbinary,
    /// The structures that lead to them.
    FatbinaryWrapper,
    /// HIP's bundles; no addresses.
    HipBundle,
    /// The structures that lead to them.
    HipBundleWrapper,
}

impl Section {
    /// The name, type and flags of the section. Names of sections with records are unique to the object, because a
    /// linker might otherwise keep them for another object.
    fn properties(self, hash: &str) -> (String, elf::SectionType, elf::SectionFlags) {
        let written = elf::SHF_ALLOC | elf::SHF_WRITE;
        match self {
            Self::Relocated => (format!(".data.rel.ro.offload.{hash}"), elf::SHT_PROGBITS, written),
            Self::Writable => (format!(".data.offload.{hash}"), elf::SHT_PROGBITS, written),
            Self::KernelTable => (KERNEL_TABLE_SECTION.to_owned(), elf::SHT_PROGBITS, elf::SHF_ALLOC),
            Self::Containers => (CONTAINERS_SECTION.to_owned(), elf::SHT_PROGBITS, elf::SHF_ALLOC),
            Self::Fatbinary => (FATBINARY_SECTION.to_owned(), elf::SHT_PROGBITS, elf::SHF_ALLOC),
            Self::FatbinaryWrapper => (".nvFatBinSegment".to_owned(), elf::SHT_PROGBITS, written),
            Self::HipBundle => (HIP_BUNDLE_SECTION.to_owned(), elf::SHT_PROGBITS, elf::SHF_ALLOC),
            Self::HipBundleWrapper => (".hipFatBinSegment".to_owned(), elf::SHT_PROGBITS, written),
        }
    }

    /// The alignment of a record.
    fn align(self) -> u64 {
        if self == Self::HipBundle { 4096 } else { 8 }
    }
}

/// Bytes that contain addresses.
#[derive(Debug, Default)]
pub(super) struct Record {
    bytes: Vec<u8>,
    addresses: Vec<(usize, Symbol, usize)>,
}

impl Record {
    /// A record of these bytes, without addresses.
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self { bytes, addresses: Vec::new() }
    }

    /// A record of `size` zeros, for a structure whose fields are set one by one.
    pub(super) fn zeros(size: usize) -> Self {
        Self::of(vec![0; size])
    }

    /// Sets a field of 4 bytes.
    pub(super) fn set_u32(&mut self, at: usize, number: u32) -> &mut Self {
        self.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        self
    }

    /// Sets a field of 8 bytes.
    pub(super) fn set_u64(&mut self, at: usize, number: u64) -> &mut Self {
        self.bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        self
    }

    /// Sets a field to the address `offset` bytes after a symbol. Without a symbol, the field stays null.
    pub(super) fn set_address(&mut self, at: usize, symbol: Option<Symbol>, offset: usize) -> &mut Self {
        self.addresses.extend(symbol.map(|symbol| (at, symbol, offset)));
        self
    }

    pub(super) fn u16(&mut self, number: u16) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn u32(&mut self, number: u32) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn u64(&mut self, number: u64) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    /// Appends the address `offset` bytes after the symbol's; null without a symbol.
    pub(super) fn address(&mut self, symbol: Option<Symbol>, offset: usize) -> &mut Self {
        self.addresses.extend(symbol.map(|symbol| (self.bytes.len(), symbol, offset)));
        self.u64(0)
    }
}

/// The object.
pub(super) struct Relocatable<'a> {
    object: Object<'static>,
    platform: Platform,
    hash: &'a str,
    sections: Vec<(Section, SectionId)>,
}

impl<'a> Relocatable<'a> {
    /// An empty object. `hash` makes the names of its sections unique within a program.
    pub(super) fn new(platform: Platform, hash: &'a str) -> Self {
        let machine = calls::architecture(platform);
        let mut object = Object::new(BinaryFormat::Elf, machine, Endianness::Little);
        let stack = (elf::SHT_PROGBITS, elf::SectionFlags::default());
        // Without this section GNU ld makes the stack executable.
        add_section(&mut object, ".note.GNU-stack".into(), stack, SectionKind::Metadata);
        Self { object, platform, hash, sections: Vec::new() }
    }

    /// A local symbol.
    pub(super) fn local(&mut self, name: String) -> Symbol {
        self.symbol(name, SymbolKind::Data, SymbolScope::Compilation)
    }

    /// A hidden symbol, which is visible in all objects of a program or shared object. It is defined here or in another
    /// one.
    pub(super) fn hidden(&mut self, name: String) -> Symbol {
        self.symbol(name, SymbolKind::Data, SymbolScope::Linkage)
    }

    /// A symbol that the host code exports.
    pub(super) fn exported(&mut self, name: &str) -> Symbol {
        self.symbol(name.to_owned(), SymbolKind::Data, SymbolScope::Dynamic)
    }

    fn symbol(&mut self, name: String, kind: SymbolKind, scope: SymbolScope) -> Symbol {
        Symbol(self.object.add_symbol(write::Symbol {
            name: name.into_bytes(),
            value: 0,
            size: 0,
            kind,
            scope,
            weak: false,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        }))
    }

    /// Defines a symbol as a record in a section, aligned as the section demands.
    pub(super) fn define(&mut self, symbol: Symbol, section: Section, record: Record) -> Result<()> {
        let align = section.align();
        let section = self.section(section);
        let start = self.object.add_symbol_data(symbol.0, section, &record.bytes, align);
        let address = calls::address(self.platform);
        for (at, symbol, offset) in record.addresses {
            self.relocate(section, start + at as u64, symbol, address, offset as i64)?;
        }
        Ok(())
    }

    fn section(&mut self, section: Section) -> SectionId {
        if let Some((_, id)) = self.sections.iter().find(|(known, _)| *known == section) {
            return *id;
        }
        let (name, sh_type, sh_flags) = section.properties(self.hash);
        let id = add_section(&mut self.object, name, (sh_type, sh_flags), SectionKind::Data);
        self.sections.push((section, id));
        id
    }

    fn relocate(
        &mut self,
        section: SectionId,
        offset: u64,
        symbol: Symbol,
        r_type: elf::RelocationType,
        addend: i64,
    ) -> Result<()> {
        let flags = RelocationFlags::Elf { r_type };
        let relocation = Relocation { offset, symbol: symbol.0, addend, flags };
        self.object.add_relocation(section, relocation).map_err(|error| Error::internal(error.to_string()))
    }

    /// Runs `calls` when the program or shared object is loaded, before constructors without a priority. The priority
    /// is that of LLVM's own registration, 101.
    pub(super) fn at_load(&mut self, calls: &[Call]) -> Result<()> {
        self.run_from("register", (".init_array.00101", elf::SHT_INIT_ARRAY), calls)
    }

    /// Runs `calls` when it is unloaded or the program exits, after destructors with no or a higher priority.
    pub(super) fn at_unload(&mut self, calls: &[Call]) -> Result<()> {
        self.run_from("unregister", (".fini_array.00101", elf::SHT_FINI_ARRAY), calls)
    }

    /// Adds a function that runs `calls` to an array of functions. Such arrays are roots of `--gc-sections`, so linkers
    /// keep the symbols that the calls use.
    fn run_from(&mut self, verb: &str, array: (&str, elf::SectionType), calls: &[Call]) -> Result<()> {
        if calls.is_empty() {
            return Ok(());
        }
        let function = self.function(verb, calls)?;
        let flags = (array.1, elf::SHF_ALLOC | elf::SHF_WRITE);
        let section = add_section(&mut self.object, array.0.into(), flags, SectionKind::Data);
        let at = self.object.append_section_data(section, &[0; 8], 8);
        self.relocate(section, at, function, calls::address(self.platform), 0)
    }

    /// A function `static void __offload_VERB(void)` that makes calls.
    pub(super) fn function(&mut self, verb: &str, calls: &[Call]) -> Result<Symbol> {
        let flags = (elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR);
        let name = format!(".text.offload.{verb}.{}", self.hash);
        let section = add_section(&mut self.object, name, flags, SectionKind::Text);
        let code = calls::code(self.platform, calls);
        let name = format!("__offload_{verb}.{}", self.hash);
        let symbol = self.symbol(name, SymbolKind::Text, SymbolScope::Compilation);
        let start = self.object.add_symbol_data(symbol.0, section, &code.bytes, 16);
        for Place { at, target, relocation, addend } in code.places {
            let (target, offset) = match target {
                Target::Callee(name) => (self.callee(name), 0),
                Target::Memory(symbol, offset) => (symbol, offset as i64),
            };
            self.relocate(section, start + at as u64, target, relocation, offset + addend)?;
        }
        Ok(symbol)
    }

    fn callee(&mut self, name: &str) -> Symbol {
        match self.object.symbol_id(name.as_bytes()) {
            Some(known) => Symbol(known),
            None => self.symbol(name.to_owned(), SymbolKind::Text, SymbolScope::Dynamic),
        }
    }

    /// Adds a section that no program loads, and that linkers keep.
    pub(super) fn unloaded(&mut self, name: &str, bytes: Vec<u8>) {
        let flags = (elf::SHT_PROGBITS, elf::SectionFlags::default());
        let section = add_section(&mut self.object, name.to_owned(), flags, SectionKind::Metadata);
        self.object.set_section_data(section, bytes, 8);
    }

    /// The object file.
    pub(super) fn finish(self) -> Result<Vec<u8>> {
        self.object.write().map_err(|error| Error::internal(error.to_string()))
    }
}

fn add_section(
    object: &mut Object<'static>,
    name: String,
    (sh_type, sh_flags): (elf::SectionType, elf::SectionFlags),
    kind: SectionKind,
) -> SectionId {
    let section = object.add_section(Vec::new(), name.into_bytes(), kind);
    *object.section_flags_mut(section) = SectionFlags::Elf { sh_type, sh_flags };
    section
}
