//! Reads the output of the bundle: the images and kernels in an object, program, shared object, archive or container.
//!
//! Files are read with a different crate from the one that writes them, so that a misunderstanding of the format is
//! detected. Symbols, relocations and debug information are not needed, so a stripped program has the same information
//! as its objects.

use super::bytes::{part, string_at};
use super::kernel_table::{self, Table};
use super::offload_binary::{self, ImageView};
use super::relocatable::{CONTAINERS_SECTION, FATBINARY_SECTION, HIP_BUNDLE_SECTION, KERNEL_TABLE_SECTION};
use super::{CodeSize, Resources, fatbinary, hip_bundle, read_images};
use crate::contract::kernel::Parameter;
use crate::error::{Context, Error, Result};
use goblin::archive::Archive;
use goblin::elf::{Dynamic, Elf, ProgramHeader, SectionHeader, dynamic, header, program_header, section_header};
use serde_json::{Value, json};
use std::fmt::Write;

/// The contents of a file; borrows its bytes.
#[derive(Debug)]
pub struct Contents<'a> {
    form: &'static str,
    pub(super) parts: Vec<Part<'a>>,
}

/// The contents of an object, or of a member of an archive.
#[derive(Debug, Default)]
pub(super) struct Part<'a> {
    /// The member's name.
    pub(super) member: Option<String>,
    pub(super) images: Vec<ImageView<'a>>,
    /// The resources of each image's kernels, in the order of the images; empty until [`Contents::find_resources`].
    pub(super) resources: Vec<Vec<Resources>>,
    /// The sizes of each image's kernels; empty until [`Contents::find_code`].
    pub(super) code: Vec<Vec<CodeSize>>,
    pub(super) tables: Vec<Table<'a>>,
}

impl Part<'_> {
    /// A kernel's display name, if it is unique; otherwise its symbol.
    fn name(&self, symbol: &str) -> String {
        let kernels = || self.tables.iter().flat_map(|table| &table.kernels);
        let display = kernels().find(|kernel| kernel.name == symbol).map(|kernel| kernel.display);
        let own = display.filter(|own| kernels().all(|kernel| kernel.name == symbol || kernel.display != *own));
        own.unwrap_or(symbol).to_owned()
    }
}

impl<'a> Contents<'a> {
    /// Reads a file's bytes.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let alone = |form, part| Ok(Self { form, parts: vec![part] });
        match bytes {
            b"" => Err(Error::new(format!("the file is empty; {EXPECTED}"))),
            b if b.starts_with(header::ELFMAG) => {
                let (form, part) = read_elf(bytes)?;
                alone(form, part)
            }
            b if offload_binary::is_container(b) => {
                alone("image container", Part { images: read_images(bytes)?, ..Part::default() })
            }
            b if fatbinary::is_fatbinary(b) => {
                alone("fat binary", Part { images: fatbinary::read(bytes)?, ..Part::default() })
            }
            b if hip_bundle::is_bundle(b) => {
                alone("bundle", Part { images: hip_bundle::read(bytes)?, ..Part::default() })
            }
            b if b.starts_with(b"!<arch>\n") => Ok(Self { form: "archive", parts: read_archive(bytes)? }),
            b if b.starts_with(b"!<thin>\n") => {
                Err(Error::new("a thin archive contains no objects; inspect the files that it names"))
            }
            _ => Err(Error::new(format!("the file has an unknown format; {EXPECTED}"))),
        }
    }

    /// Finds the resources of the kernels in each image.
    pub fn find_resources(&mut self, find: &dyn Fn(&ImageView<'_>) -> Result<Vec<Resources>>) -> Result<()> {
        for part in &mut self.parts {
            part.resources = part.images.iter().map(find).collect::<Result<_>>()?;
        }
        Ok(())
    }

    /// Finds the sizes of the kernels in each image.
    pub fn find_code(&mut self, find: &dyn Fn(&ImageView<'_>) -> Vec<CodeSize>) {
        self.parts.iter_mut().for_each(|part| part.code = part.images.iter().map(find).collect());
    }

    /// The bytes of the images for an arch, in their order.
    pub fn images_of(&self, arch: &str) -> Vec<Vec<u8>> {
        let images = self.parts.iter().flat_map(|part| &part.images).filter(|image| image.arch == arch);
        images.map(|image| image.bytes.to_vec()).collect()
    }

    fn images(&self) -> usize {
        self.parts.iter().map(|part| part.images.len()).sum()
    }

    fn kernels(&self) -> usize {
        self.parts.iter().flat_map(|part| &part.tables).map(|table| table.kernels.len()).sum()
    }

    /// A table as text; `name` is the file's. Ends with a newline.
    pub fn to_text(&self, name: &str) -> String {
        let (images, kernels) = (count(self.images(), "image"), count(self.kernels(), "kernel"));
        let mut text = format!("{name}: {}, {images}, {kernels}\n", self.form);
        for part in &self.parts {
            if let Some(member) = &part.member {
                text += &format!("\nmember {member}\n");
            }
            text += &images_text(&part.images);
            text += &code_text(part);
            text += &resources_text(part);
            for table in &part.tables {
                text += &table_text(table);
            }
        }
        text
    }

    /// The same as JSON, on several lines; ends with a newline. Members without images or kernels are left out.
    pub fn to_json(&self, name: &str) -> String {
        let parts: Vec<Value> = self.parts.iter().map(part_json).collect();
        let contents = json!({ "file": name, "form": self.form, "objects": parts });
        format!("{contents:#}\n")
    }
}

/// The type of sections with containers in objects of other compilers.
const SHT_LLVM_OFFLOADING: u32 = 0x6fff_4c0b;

const EXPECTED: &str =
    "expected an ELF object, program or shared object, an archive, an image container, a fat binary, or a bundle";

fn read_elf(bytes: &[u8]) -> Result<(&'static str, Part<'_>)> {
    let broken = |_| Error::new("the ELF file is broken or truncated");
    let elf = Elf::parse_header(bytes).and_then(Elf::lazy_parse).map_err(broken)?;
    let offset = usize::try_from(elf.header.e_shoff).map_err(|_| Error::new("the ELF file is broken"))?;
    let count = usize::from(elf.header.e_shnum);
    let sections = SectionHeader::parse(bytes, offset, count, elf_context(&elf.header)?).map_err(broken)?;
    let names = section_names(&elf.header, &sections, bytes);
    let mut part = Part::default();
    for section in &sections {
        let name = string_at(names, section.sh_name);
        let Some(read) = images_reader(name, section.sh_type) else { continue };
        let content = content(section, bytes).ok_or_else(|| Error::new("the ELF file is truncated"))?;
        let place = || format!("in section `{}`", name.unwrap_or("?"));
        match read {
            Reader::Tables => part.tables.extend(kernel_table::read(content).with_context(place)?),
            Reader::Images(read) => part.images.extend(read(content).with_context(place)?),
        }
    }
    Ok((form(&elf.header, bytes), part))
}

/// How the content of a section is read.
enum Reader {
    Tables,
    Images(for<'b> fn(&'b [u8]) -> Result<Vec<ImageView<'b>>>),
}

/// The reader for a section of this name and type, if it has images or kernels.
fn images_reader(name: Option<&str>, sh_type: u32) -> Option<Reader> {
    match name {
        _ if sh_type == SHT_LLVM_OFFLOADING => Some(Reader::Images(read_images)),
        _ if sh_type != section_header::SHT_PROGBITS => None,
        Some(KERNEL_TABLE_SECTION) => Some(Reader::Tables),
        Some(CONTAINERS_SECTION) => Some(Reader::Images(read_images)),
        Some(FATBINARY_SECTION) => Some(Reader::Images(fatbinary::read)),
        Some(HIP_BUNDLE_SECTION) => Some(Reader::Images(hip_bundle::read)),
        _ => None,
    }
}

fn elf_context(header: &header::Header) -> Result<goblin::container::Ctx> {
    let class = header.container().map_err(|_| Error::new("the ELF file has an unknown class"))?;
    let endianness = header.endianness().map_err(|_| Error::new("the ELF file has an unknown byte order"))?;
    Ok(goblin::container::Ctx::new(class, endianness))
}

/// The bytes of the section with the sections' names; empty if there is none.
fn section_names<'a>(header: &header::Header, sections: &[SectionHeader], bytes: &'a [u8]) -> &'a [u8] {
    let index = match u32::from(header.e_shstrndx) {
        section_header::SHN_XINDEX => sections.first().map_or(0, |first| first.sh_link as usize),
        index => index as usize,
    };
    sections.get(index).and_then(|section| content(section, bytes)).unwrap_or_default()
}

fn content<'a>(section: &SectionHeader, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (offset, size) = (usize::try_from(section.sh_offset).ok()?, usize::try_from(section.sh_size).ok()?);
    part(bytes, offset, size)
}

fn form(header: &header::Header, bytes: &[u8]) -> &'static str {
    match header.e_type {
        header::ET_REL => "object",
        header::ET_EXEC => "program",
        header::ET_DYN if is_program(header, bytes).unwrap_or(false) => "program",
        header::ET_DYN => "shared object",
        _ => "ELF file",
    }
}

/// Whether a position-independent file is a program: it has an interpreter, or a flag says so.
fn is_program(header: &header::Header, bytes: &[u8]) -> Option<bool> {
    let context = elf_context(header).ok()?;
    let offset = usize::try_from(header.e_phoff).ok()?;
    let count = usize::from(header.e_phnum);
    let segments = ProgramHeader::parse(bytes, offset, count, context).ok()?;
    let interpreted = segments.iter().any(|segment| segment.p_type == program_header::PT_INTERP);
    let dynamic = Dynamic::parse(bytes, &segments, context).ok().flatten();
    Some(interpreted || dynamic.is_some_and(|dynamic| dynamic.info.flags_1 & dynamic::DF_1_PIE != 0))
}

/// The members with images or kernels, in the order of the archive.
fn read_archive(bytes: &[u8]) -> Result<Vec<Part<'_>>> {
    let archive = Archive::parse(bytes).map_err(|_| Error::new("the archive is broken or truncated"))?;
    let mut parts = Vec::new();
    for member in (0..archive.len()).filter_map(|index| archive.get_at(index)) {
        let name = member.extended_name();
        let content = usize::try_from(member.offset).ok().and_then(|at| part(bytes, at, member.size()));
        let content = content.ok_or_else(|| Error::new("the archive is truncated"))?;
        if !content.starts_with(header::ELFMAG) {
            continue;
        }
        let (_, part) = read_elf(content).with_context(|| format!("in member `{name}`"))?;
        if !part.images.is_empty() || !part.tables.is_empty() {
            parts.push(Part { member: Some(name.to_owned()), ..part });
        }
    }
    Ok(parts)
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

pub(super) fn kind_name(image: &ImageView<'_>) -> &'static str {
    image.kind.map_or("unknown", super::ImageKind::name)
}

fn images_text(images: &[ImageView<'_>]) -> String {
    if images.is_empty() {
        return String::new();
    }
    let mut rows = vec![["arch", "triple", "kind", "bytes", "compressed", "notes"].map(str::to_owned)];
    rows.extend(images.iter().map(|image| {
        let size = image.bytes.len().to_string();
        let compressed = image.compressed.map_or(String::new(), |bytes| bytes.to_string());
        let arch = image.arch.clone().into_owned();
        [arch, image.triple.to_owned(), kind_name(image).to_owned(), size, compressed, notes(image)]
    }));
    format!("\nimages\n{}", columns(&without_empty(rows), "  "))
}

/// The rows without the columns that are empty below their heads.
fn without_empty<const N: usize>(rows: Vec<[String; N]>) -> Vec<Vec<String>> {
    let kept: Vec<usize> = (0..N).filter(|n| rows.iter().skip(1).any(|row| !row[*n].is_empty())).collect();
    rows.into_iter().map(|row| kept.iter().map(|n| row[*n].clone()).collect()).collect()
}

/// The requirements for loading an image, and the size of its warps, if they are recorded.
fn notes(image: &ImageView<'_>) -> String {
    let find = |wanted| image.strings.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
    let driver = find("driver").map(|driver| format!("driver {driver}"));
    let language = find("ptx").map(|version| format!("PTX {version}"));
    let stack = find("stack").map(|bytes| format!("{bytes} bytes of stack"));
    let lanes = find("warp_size").map(|lanes| format!("warps of {lanes} lanes"));
    driver.into_iter().chain(language).chain(stack).chain(lanes).collect::<Vec<_>>().join(", ")
}

/// The bytes of each kernel's code, one row for each image in which they are known.
fn code_text(part: &Part<'_>) -> String {
    let mut rows = Vec::new();
    for (image, kernels) in part.images.iter().zip(&part.code) {
        let row = |code: &CodeSize| {
            [
                part.name(&code.kernel),
                image.arch.clone().into_owned(),
                kind_name(image).to_owned(),
                code.bytes.to_string(),
            ]
        };
        rows.extend(kernels.iter().map(row));
    }
    if rows.is_empty() {
        return String::new();
    }
    rows.sort();
    rows.insert(0, ["kernel", "arch", "kind", "bytes"].map(str::to_owned));
    format!("\ncode of each kernel\n{}", columns(&rows, "  "))
}

/// The resources of each kernel, one row for each image that has them. A kernel has its display name if that name is
/// unique.
fn resources_text(part: &Part<'_>) -> String {
    let mut rows = Vec::new();
    for (image, kernels) in part.images.iter().zip(&part.resources) {
        let row = |kernel: &Resources| {
            let [registers, scalar, spill, shared, stack] = kernel.fields().map(|(_, number)| number.to_string());
            let place = [&*image.arch, kind_name(image)].map(str::to_owned);
            let [arch, kind] = place;
            [part.name(&kernel.kernel), arch, kind, registers, scalar, spill, shared, stack]
        };
        rows.extend(kernels.iter().map(row));
    }
    if rows.is_empty() {
        return String::new();
    }
    rows.sort();
    let names = ["kernel", "arch", "kind", "registers", "scalar", "spill bytes", "shared bytes", "stack bytes"];
    rows.insert(0, names.map(str::to_owned));
    format!("\nresources of a thread; shared bytes of a block\n{}", columns(&rows, "  "))
}

fn table_text(table: &Table<'_>) -> String {
    let mut text = format!("\nkernels of {}, for {}\n", table.hash, table.runtime.name());
    for kernel in &table.kernels {
        let cpu = if kernel.has_cpu_code { "; has cpu code" } else { "" };
        let heap = match (kernel.needs_heap, kernel.may_allocate) {
            (true, _) => "; needs a heap",
            (false, true) => "; may use a heap",
            (false, false) => "",
        };
        let keeps = if kernel.keeps_heap { " and keeps it" } else { "" };
        let host = if kernel.calls_host { "; calls the host" } else { "" };
        let display = if kernel.display == kernel.name { String::new() } else { format!(" ({})", kernel.display) };
        let sizes = format!("{} argument bytes, {} shared bytes", kernel.argument_bytes, kernel.shared_bytes);
        let _infallible = writeln!(text, "  {}{display}: {sizes}{cpu}{heap}{keeps}{host}", kernel.name);
        if kernel.parameters.is_empty() {
            continue;
        }
        let mut rows = vec![["parameter", "offset", "size", "align", "kind"].map(str::to_owned)];
        rows.extend(kernel.parameters.iter().enumerate().map(|(index, p)| {
            let numbers = [index as u32, p.offset, p.size, p.align].map(|number| number.to_string());
            let [index, offset, size, align] = numbers;
            let extent = p.extent.map_or(String::new(), |extent| format!("; {}", extent.text()));
            [index, offset, size, align, p.kind.name().to_owned() + &extent]
        }));
        text += &columns(&rows, "    ");
    }
    text
}

/// Lines with columns, each as wide as its widest cell.
fn columns<R: AsRef<[String]>>(rows: &[R], indent: &str) -> String {
    let width = |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, |row| row.as_ref().len())).map(width).collect();
    let line = |row: &[String]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{indent}{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(|row| line(row.as_ref())).collect()
}

fn part_json(part: &Part<'_>) -> Value {
    let image = |(index, image): (usize, &ImageView<'_>)| {
        let resources = part.resources.get(index).map_or(&[][..], Vec::as_slice);
        image_json(image, resources, part.code.get(index).map_or(&[][..], Vec::as_slice))
    };
    let images: Vec<Value> = part.images.iter().enumerate().map(image).collect();
    let tables: Vec<Value> = part.tables.iter().map(table_json).collect();
    json!({ "member": part.member, "images": images, "tables": tables })
}

fn image_json(image: &ImageView<'_>, resources: &[Resources], code: &[CodeSize]) -> Value {
    // Strings about kernels have separate rows.
    let strings = image.strings.iter().filter(|(key, _)| !key.contains(':'));
    let strings: serde_json::Map<_, _> = strings.map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    let kernel = |kernel: &Resources| {
        let numbers = kernel.fields().map(|(name, number)| (name.to_owned(), json!(number)));
        let named = ("kernel".to_owned(), json!(kernel.kernel));
        Value::Object([named].into_iter().chain(numbers).collect())
    };
    let kernels: Vec<Value> = resources.iter().map(kernel).collect();
    let code = code.iter().map(|code| json!({ "kernel": code.kernel, "bytes": code.bytes }));
    let code: Vec<Value> = code.collect();
    json!({
        "arch": image.arch,
        "triple": image.triple,
        "kind": kind_name(image),
        "bytes": image.bytes.len(),
        "compressed_bytes": image.compressed,
        "strings": strings,
        "code": code,
        "resources": kernels,
    })
}

pub(super) fn parameter_json(p: &Parameter) -> Value {
    let mut json = json!({ "offset": p.offset, "size": p.size, "align": p.align, "kind": p.kind.name() });
    if let Some(extent) = p.extent {
        json["extent"] = json!({ "bytes": extent.bytes, "direction": extent.direction() });
    }
    json
}

fn table_json(table: &Table<'_>) -> Value {
    let kernel = |kernel: &kernel_table::KernelView<'_>| {
        let parameters: Vec<Value> = kernel.parameters.iter().map(parameter_json).collect();
        json!({
            "name": kernel.name,
            "display": kernel.display,
            "argument_bytes": kernel.argument_bytes,
            "argument_align": kernel.argument_align,
            "shared_bytes": kernel.shared_bytes,
            "cpu_code": kernel.has_cpu_code,
            "needs_heap": kernel.needs_heap,
            "may_allocate": kernel.may_allocate,
            "keeps_heap": kernel.keeps_heap,
            "calls_host": kernel.calls_host,
            "parameters": parameters,
        })
    };
    let kernels: Vec<Value> = table.kernels.iter().map(kernel).collect();
    json!({ "hash": table.hash, "runtime": table.runtime.name(), "kernels": kernels })
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
