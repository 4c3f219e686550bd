//! The part of LLVM's bitstream format that must be read before LLVM reads a file: the ranges of the modules, their
//! producers, and the sections that they name.
//!
//! The format is described in "LLVM Bitcode File Format" in LLVM's documentation, and in `llvm/Bitcode/LLVMBitCodes.h`.
//! All lengths are checked. Only the outermost blocks, the identification block and the start of the module block are
//! read.

/// The first bytes of a bitstream with IR.
pub const MAGIC: [u8; 4] = [b'B', b'C', 0xC0, 0xDE];
/// The first bytes of the wrapper around a bitstream: the number 0x0B17C0DE, little-endian.
pub const WRAPPER_MAGIC: [u8; 4] = [0xDE, 0xC0, 0x17, 0x0B];

const IDENTIFICATION_BLOCK: u64 = 13;
const MODULE_BLOCK: u64 = 8;
/// The records of the identification block.
const IDENTIFICATION_STRING: u64 = 1;
const IDENTIFICATION_EPOCH: u64 = 2;
/// The records of the module block: a section's name, and those that follow all of these names.
const MODULE_SECTION: u64 = 5;
const MODULE_VARIABLE: u64 = 7;
const MODULE_FUNCTION: u64 = 8;
/// Others of its records: the version of its records, an alias in the form of an LLVM before 3.9, an alias, an ifunc.
const MODULE_VERSION: u64 = 1;
const MODULE_OLD_ALIAS: u64 = 9;
const MODULE_ALIAS: u64 = 14;
const MODULE_IFUNC: u64 = 15;
/// The block after a module with the names of its symbols, and its only record.
const STRINGS_BLOCK: u64 = 23;
const STRINGS: u64 = 1;
/// The version of records that begin with the place of a name among these strings.
const WITH_STRINGS: u64 = 2;

/// The producer of a module, from its identification block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Producer {
    /// Such as `LLVM22.1.2-rust-1.95.0-stable`; empty if it is missing.
    pub name: String,
    /// The epoch changes if old readers must not read the file; so far it is 0.
    pub epoch: u64,
}

impl Producer {
    /// LLVM's version in the name: `22.1.2`.
    pub fn llvm_version(&self) -> Option<&str> {
        let version = self.name.strip_prefix("LLVM")?;
        let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
        Some(&version[..end]).filter(|version| !version.is_empty())
    }

    /// LLVM's major version.
    pub fn llvm_major(&self) -> Option<u32> {
        self.llvm_version()?.split('.').next()?.parse().ok()
    }

    /// rustc's version in the name: `1.95.0-stable`.
    pub fn rustc_version(&self) -> Option<&str> {
        self.name.split_once("-rust-").map(|(_, version)| version)
    }
}

/// Why bytes are not complete modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidBitcode {
    /// The bytes end within a block.
    Truncated,
    /// The bytes are not a bitstream, or a bitstream without a module.
    NotBitcode,
}

/// Whether bytes begin as a module of LLVM IR does.
pub fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&WRAPPER_MAGIC)
}

/// Removes the wrapper, if there is one. `None` if the wrapper's offsets are wrong.
///
/// ```c
/// struct wrapper { uint32_t magic, version, offset, size, cpu_type; }; // llvm/Bitcode/BitcodeReader.h
/// ```
pub fn unwrap(bytes: &[u8]) -> Option<&[u8]> {
    if !bytes.starts_with(&WRAPPER_MAGIC) {
        return Some(bytes);
    }
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let (offset, size) = (number(8)?, number(12)?);
    bytes.get(offset..offset.checked_add(size)?)
}

/// The consecutive modules in `bytes`, as a relocatable link writes them into a section, each with its producer. Zero
/// bytes between them are the linker's padding.
pub fn modules(mut bytes: &[u8]) -> Result<Vec<(&[u8], Producer)>, InvalidBitcode> {
    let mut modules = Vec::new();
    loop {
        let padding = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes = &bytes[padding..];
        if bytes.is_empty() {
            break;
        }
        let (length, producer) = if bytes.starts_with(&WRAPPER_MAGIC) {
            let stream = unwrap(bytes).ok_or(InvalidBitcode::Truncated)?;
            let end = stream.as_ptr().addr() - bytes.as_ptr().addr() + stream.len();
            (end, outline(stream)?.1)
        } else {
            outline(bytes)?
        };
        modules.push((&bytes[..length], producer));
        bytes = &bytes[length..];
    }
    if modules.is_empty() { Err(InvalidBitcode::NotBitcode) } else { Ok(modules) }
}

/// The names of the sections of a module's functions and variables. Unlike symbols, they are not bytes of the file.
pub fn sections(module: &[u8]) -> Result<Vec<String>, InvalidBitcode> {
    let bytes = unwrap(module).ok_or(InvalidBitcode::Truncated)?;
    let mut bits = Bits { bytes, position: 32 };
    while bits.position / 8 < bytes.len() {
        if bits.fixed(2)? != ENTER_BLOCK {
            return Err(InvalidBitcode::NotBitcode);
        }
        let block = bits.block()?;
        if block.id == MODULE_BLOCK {
            return section_names(&bytes[..block.end], &block);
        }
        bits.position = block.end * 8;
    }
    Err(InvalidBitcode::NotBitcode)
}

fn section_names(bytes: &[u8], module: &Block) -> Result<Vec<String>, InvalidBitcode> {
    let mut names = Vec::new();
    let mut records = Records::new(bytes, module);
    while let Some(record) = records.next()? {
        match record.split_first() {
            Some((&MODULE_SECTION, name)) => names.push(text(name)),
            Some((&(MODULE_VARIABLE | MODULE_FUNCTION), _)) => break,
            _ => {}
        }
    }
    Ok(names)
}

/// A symbol of a module: a function, a variable, an alias or an ifunc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name, which may be empty.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Whether the module has its body or its value.
    pub is_defined: bool,
    /// Whether other modules can use the definition.
    pub is_exported: bool,
    /// A function's calling convention; 0 for all others.
    pub convention: u64,
    /// Whether it is a variable of this module alone that must exist once: its value may change, or its address
    /// matters.
    pub is_own_state: bool,
}

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function with or without a body.
    Function,
    /// A variable with or without a value.
    Variable,
    /// Another name of a symbol, or a function that chooses one.
    Alias,
}

/// The symbols of a module in the order of their kinds, without reading anything else of it. LLVM's own reader needs
/// twenty times as long, because it makes types, constants and declarations.
pub fn symbols(module: &[u8]) -> Result<Vec<Symbol>, InvalidBitcode> {
    let bytes = unwrap(module).ok_or(InvalidBitcode::Truncated)?;
    let mut bits = Bits { bytes, position: 32 };
    let mut records = Vec::new();
    while bits.position / 8 < bytes.len() && bytes[bits.position / 8] != 0 {
        if bits.fixed(2)? != ENTER_BLOCK {
            return Err(InvalidBitcode::NotBitcode);
        }
        let block = bits.block()?;
        match block.id {
            MODULE_BLOCK => records = symbol_records(&bytes[..block.end], &block)?,
            STRINGS_BLOCK => {
                let strings = strings(&bytes[..block.end], &block)?;
                return records.iter().map(|record| symbol(record, &strings)).collect();
            }
            _ => {}
        }
        bits.position = block.end * 8;
    }
    Err(InvalidBitcode::NotBitcode)
}

/// The records of the symbols.
fn symbol_records(bytes: &[u8], module: &Block) -> Result<Vec<Vec<u64>>, InvalidBitcode> {
    let (mut found, mut version) = (Vec::new(), 0);
    let mut records = Records::new(bytes, module);
    while let Some(record) = records.next()? {
        match &record[..] {
            [MODULE_VERSION, number, ..] => version = *number,
            [MODULE_OLD_ALIAS, ..] => return Err(InvalidBitcode::NotBitcode),
            [MODULE_VARIABLE | MODULE_FUNCTION | MODULE_ALIAS | MODULE_IFUNC, ..] => found.push(record),
            _ => {}
        }
    }
    if version == WITH_STRINGS { Ok(found) } else { Err(InvalidBitcode::NotBitcode) }
}

fn strings(bytes: &[u8], block: &Block) -> Result<Vec<u8>, InvalidBitcode> {
    let mut records = Records::new(bytes, block);
    while let Some(record) = records.next()? {
        if let [STRINGS, characters @ ..] = &record[..] {
            return Ok(characters.iter().map(|character| *character as u8).collect());
        }
    }
    Err(InvalidBitcode::NotBitcode)
}

/// ```text
/// variable: [offset, size, type, constant, initial value + 1, linkage, alignment, section, visibility, thread-local,
///            unnamed address, …]
/// function: [offset, size, type, convention, is declared, linkage, …]
/// alias, ifunc: [offset, size, type, address space, aliasee, linkage, …]
/// ```
fn symbol(record: &[u64], strings: &[u8]) -> Result<Symbol, InvalidBitcode> {
    /// The numbers of LLVM's linkages: internal, private in three forms, and a copy of another module's definition.
    const LOCAL: [u64; 4] = [3, 9, 13, 14];
    const COPY: u64 = 12;
    let [code, offset, size, _, convention, value, linkage, ..] = *record else {
        return Err(InvalidBitcode::NotBitcode);
    };
    let number = |number| usize::try_from(number).map_err(|_| InvalidBitcode::Truncated);
    let (start, size) = (number(offset)?, number(size)?);
    let name = start.checked_add(size).and_then(|end| strings.get(start..end)).ok_or(InvalidBitcode::Truncated)?;
    let (kind, is_defined) = match code {
        MODULE_FUNCTION => (SymbolKind::Function, value == 0),
        MODULE_VARIABLE => (SymbolKind::Variable, value != 0),
        _ => (SymbolKind::Alias, true),
    };
    // A name that is not UTF-8 is none: nothing can ask for it.
    let name = std::str::from_utf8(name).unwrap_or_default().to_owned();
    let is_exported = is_defined && !name.is_empty() && !LOCAL.contains(&linkage) && linkage != COPY;
    // The lowest bit of a variable's number says that it is constant.
    let is_table = convention & 1 != 0 && record.get(11).is_some_and(|unnamed| *unnamed != 0);
    let is_own_state = kind == SymbolKind::Variable && LOCAL.contains(&linkage) && !is_table;
    let convention = if kind == SymbolKind::Function { convention } else { 0 };
    Ok(Symbol { name, kind, is_defined, is_exported, convention, is_own_state })
}

/// The text whose characters are the numbers of a record.
fn text(record: &[u64]) -> String {
    record.iter().map(|c| char::from_u32(*c as u32).unwrap_or('?')).collect()
}

/// The length of the bitstream at the start of `bytes`, up to the next magic number or padding, and its producer.
fn outline(bytes: &[u8]) -> Result<(usize, Producer), InvalidBitcode> {
    if !bytes.starts_with(&MAGIC) {
        return Err(InvalidBitcode::NotBitcode);
    }
    let mut bits = Bits { bytes, position: 32 };
    let (mut producer, mut module) = (Producer::default(), false);
    while bits.position / 8 < bytes.len() {
        let start = bits.position / 8;
        if is_module(&bytes[start..]) || bytes[start] == 0 {
            break;
        }
        // Only blocks are outermost. An abbreviation number has 2 bits there and must be that of a block.
        if bits.fixed(2)? != ENTER_BLOCK {
            return Err(InvalidBitcode::NotBitcode);
        }
        let block = bits.block()?;
        match block.id {
            IDENTIFICATION_BLOCK => producer = identification(&bits.bytes[..block.end], &block).unwrap_or_default(),
            MODULE_BLOCK => module = true,
            _ => {}
        }
        bits.position = block.end * 8;
    }
    if module { Ok((bits.position / 8, producer)) } else { Err(InvalidBitcode::NotBitcode) }
}

/// Reads the identification block: a string record and a number record.
fn identification(bytes: &[u8], block: &Block) -> Result<Producer, InvalidBitcode> {
    let mut producer = Producer::default();
    let mut records = Records::new(bytes, block);
    while let Some(record) = records.next()? {
        match record.split_first() {
            Some((&IDENTIFICATION_STRING, name)) => producer.name = text(name),
            Some((&IDENTIFICATION_EPOCH, [epoch, ..])) => producer.epoch = *epoch,
            _ => {}
        }
    }
    Ok(producer)
}

/// The records of a block, without those of the blocks in it.
struct Records<'a> {
    bits: Bits<'a>,
    /// The width of abbreviation numbers.
    width: u32,
    abbreviations: Vec<Vec<Operand>>,
}

impl<'a> Records<'a> {
    /// `bytes` end with the block.
    fn new(bytes: &'a [u8], block: &Block) -> Self {
        let bits = Bits { bytes, position: block.start * 8 };
        Self { bits, width: block.width, abbreviations: Vec::new() }
    }

    /// The next record: its code and its operands. None at the end of the block.
    fn next(&mut self) -> Result<Option<Vec<u64>>, InvalidBitcode> {
        loop {
            match self.bits.fixed(self.width)? {
                END_BLOCK => return Ok(None),
                ENTER_BLOCK => self.bits.position = self.bits.block()?.end * 8,
                DEFINE_ABBREVIATION => self.abbreviations.push(self.bits.abbreviation()?),
                UNABBREVIATED => return self.bits.unabbreviated().map(Some),
                number => {
                    let index = (number as usize).checked_sub(FIRST_ABBREVIATION);
                    let known = index.and_then(|index| self.abbreviations.get(index));
                    return self.bits.abbreviated(known.ok_or(InvalidBitcode::NotBitcode)?).map(Some);
                }
            }
        }
    }
}

/// The abbreviation numbers with a fixed meaning.
const END_BLOCK: u64 = 0;
const ENTER_BLOCK: u64 = 1;
const DEFINE_ABBREVIATION: u64 = 2;
const UNABBREVIATED: u64 = 3;
const FIRST_ABBREVIATION: usize = 4;

/// The range of a block: its first byte after the header, the first byte after the block, and the width of its
/// abbreviation numbers in bits.
struct Block {
    id: u64,
    start: usize,
    end: usize,
    width: u32,
}

/// The encoding of a value in an abbreviated record.
#[derive(Clone, Copy)]
enum Operand {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Array,
    Char6,
    Blob,
}

/// A cursor over bits, the least significant first.
struct Bits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u32) -> Result<u64, InvalidBitcode> {
        let width = width.min(64) as usize;
        let first = self.position / 8;
        if (self.position + width).div_ceil(8) > self.bytes.len() {
            return Err(InvalidBitcode::Truncated);
        }
        let mut word = [0; 16];
        let near = &self.bytes[first.min(self.bytes.len())..];
        match near.first_chunk() {
            Some(chunk) => word = *chunk,
            None => word[..near.len()].copy_from_slice(near),
        }
        let value = u128::from_le_bytes(word) >> (self.position % 8) & ((1 << width) - 1);
        self.position += width;
        Ok(value as u64)
    }

    /// A number in groups of `width` bits. The highest bit of each group says whether another one follows.
    fn vbr(&mut self, width: u32) -> Result<u64, InvalidBitcode> {
        if !(2..=32).contains(&width) {
            return Err(InvalidBitcode::NotBitcode);
        }
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let group = self.fixed(width)?;
            let more = 1 << (width - 1);
            value |= (group & (more - 1)).checked_shl(shift).unwrap_or(0);
            if group & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
            if shift > 64 {
                return Err(InvalidBitcode::NotBitcode);
            }
        }
    }

    fn align(&mut self) {
        self.position = self.position.next_multiple_of(32);
    }

    /// The header of a block, after its abbreviation number.
    fn block(&mut self) -> Result<Block, InvalidBitcode> {
        let id = self.vbr(8)?;
        let width = self.vbr(4)? as u32;
        self.align();
        let words = self.fixed(32)? as usize;
        let start = self.position / 8;
        let end = start + words * 4;
        if end > self.bytes.len() {
            return Err(InvalidBitcode::Truncated);
        }
        Ok(Block { id, start, end, width })
    }

    fn abbreviation(&mut self) -> Result<Vec<Operand>, InvalidBitcode> {
        let count = self.vbr(5)?;
        let mut operands = Vec::new();
        while (operands.len() as u64) < count {
            let literal = self.fixed(1)? == 1;
            operands.push(if literal { Operand::Literal(self.vbr(8)?) } else { self.encoding()? });
        }
        Ok(operands)
    }

    fn encoding(&mut self) -> Result<Operand, InvalidBitcode> {
        Ok(match self.fixed(3)? {
            1 => Operand::Fixed(self.vbr(5)? as u32),
            2 => Operand::Vbr(self.vbr(5)? as u32),
            3 => Operand::Array,
            4 => Operand::Char6,
            5 => Operand::Blob,
            _ => return Err(InvalidBitcode::NotBitcode),
        })
    }

    fn unabbreviated(&mut self) -> Result<Vec<u64>, InvalidBitcode> {
        let mut record = vec![self.vbr(6)?];
        let count = self.vbr(6)?;
        for _ in 0..count {
            record.push(self.vbr(6)?);
        }
        Ok(record)
    }

    fn abbreviated(&mut self, operands: &[Operand]) -> Result<Vec<u64>, InvalidBitcode> {
        let mut record = Vec::new();
        let mut operands = operands.iter();
        while let Some(operand) = operands.next() {
            match operand {
                Operand::Array => {
                    // The last operand is the encoding of each element.
                    let element = *operands.next().ok_or(InvalidBitcode::NotBitcode)?;
                    // An array of elements without bits could have any length in a few bytes; LLVM refuses it, too.
                    if matches!(element, Operand::Literal(_) | Operand::Fixed(0) | Operand::Vbr(0)) {
                        return Err(InvalidBitcode::NotBitcode);
                    }
                    for _ in 0..self.vbr(6)? {
                        record.push(self.scalar(element)?);
                    }
                }
                Operand::Blob => {
                    let length = self.vbr(6)?;
                    self.align();
                    let start = self.position / 8;
                    let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
                    let bytes = end.and_then(|end| self.bytes.get(start..end)).ok_or(InvalidBitcode::Truncated)?;
                    record.extend(bytes.iter().copied().map(u64::from));
                    self.position += 8 * bytes.len();
                    self.align();
                }
                scalar => record.push(self.scalar(*scalar)?),
            }
        }
        Ok(record)
    }

    fn scalar(&mut self, operand: Operand) -> Result<u64, InvalidBitcode> {
        const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match operand {
            Operand::Literal(value) => Ok(value),
            // LLVM takes a value with width 0 as the number 0.
            Operand::Vbr(0) => Ok(0),
            Operand::Fixed(width) => self.fixed(width),
            Operand::Vbr(width) => self.vbr(width),
            Operand::Char6 => Ok(CHAR6[self.fixed(6)? as usize].into()),
            Operand::Array | Operand::Blob => Err(InvalidBitcode::NotBitcode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    fn bitcode(text: &str) -> Vec<u8> {
        Module::from_text(&Context::create(), text.as_bytes(), "text").unwrap().bitcode()
    }

    #[test]
    fn symbols_are_those_that_llvm_reads() {
        let bitcode = bitcode(
            "@table = private unnamed_addr constant i32 1
             @local = internal constant i32 1
             @state = internal global i32 1
             @global = global i32 1
             @outside = external global i32
             @alias = alias i32, ptr @global
             declare void @declared()
             define internal void @inner() { ret void }
             define amdgpu_kernel void @kernel() { ret void }
             define linkonce_odr void @instance() { call void @inner() call void @declared() ret void }
             define available_externally void @copy() { ret void }",
        );
        let found = symbols(&bitcode).unwrap();
        let names = |is: fn(&Symbol) -> bool| {
            found.iter().filter(|symbol| is(symbol)).map(|symbol| symbol.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(|symbol| symbol.is_exported), "global kernel instance alias");
        assert_eq!(names(|symbol| !symbol.is_defined), "outside declared");
        assert_eq!(names(|symbol| symbol.is_own_state), "local state");
        assert_eq!(names(|symbol| symbol.convention != 0), "kernel");
        assert_eq!(names(|symbol| symbol.kind == SymbolKind::Alias), "alias");
        assert_eq!(names(|symbol| symbol.kind == SymbolKind::Variable), "table local state global outside");
        assert_eq!(found.len(), 11);
    }

    #[test]
    fn damaged_symbols_do_no_harm() {
        let bitcode = bitcode("@state = internal global i32 1\ndefine void @kernel() { ret void }");
        for at in 0..bitcode.len() {
            let _either = symbols(&bitcode[..at]);
            for bit in 0..8 {
                let mut bytes = bitcode.clone();
                bytes[at] ^= 1 << bit;
                let _either = symbols(&bytes);
            }
        }
    }
}
