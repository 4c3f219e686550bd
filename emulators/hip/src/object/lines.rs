//! The line of the source at an address, from the line tables of a code object (DWARF, `.debug_line`).

use std::sync::Arc;

use emulator_core::Place;
use gimli::{EndianSlice, LittleEndian, Unit};
use goblin::elf::Elf;

pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(super) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// The rows of all line tables of a file, in the order of their addresses.
pub(crate) struct Rows(Vec<Row>);

/// Instructions of a line.
struct Row {
    begin: u64,
    end: u64,
    /// An address with the place.
    placed: u64,
    /// The last line in the table up to this row.
    place: Option<Place>,
    /// Whether the row has a line: code that a compiler has added has none.
    has_line: bool,
    /// The folder in which the compiler ran.
    folder: Arc<str>,
}

impl Rows {
    /// Reads the tables; there are no rows without line tables.
    pub(crate) fn read(file: &[u8]) -> Rows {
        let mut rows = all(file).unwrap_or_default();
        rows.sort_by_key(|row| (row.begin, row.end));
        Rows(rows)
    }

    /// The line of the instruction at an address of the file, with the whole path of its source.
    pub(crate) fn place(&self, address: u64) -> Option<Place> {
        self.row(address).filter(|row| row.has_line)?.whole_place()
    }

    /// The line of the instruction at an address, or else of the last instruction before it that has one, with the
    /// address of that one.
    pub(crate) fn place_before(&self, address: u64) -> Option<(Place, u64)> {
        let row = self.row(address)?;
        Some((row.whole_place()?, if row.has_line { address } else { row.placed }))
    }

    fn row(&self, address: u64) -> Option<&Row> {
        let behind = self.0.partition_point(|row| row.begin <= address);
        self.0.get(behind.checked_sub(1)?).filter(|row| address < row.end)
    }
}

impl Row {
    fn whole_place(&self) -> Option<Place> {
        let Place { file, line } = self.place.clone()?;
        Some(Place { file: whole_path(file, &self.folder), line })
    }
}

/// A path that may be relative to the folder in which the compiler ran.
fn whole_path(file: String, folder: &str) -> String {
    if file.starts_with('/') || folder.is_empty() { file } else { format!("{folder}/{file}") }
}

/// The debug information of a file.
pub(super) fn dwarf(file: &[u8]) -> Option<Dwarf<'_>> {
    let elf = Elf::parse(file).ok()?;
    let section = |name: &str| {
        let header = elf.section_headers.iter().find(|header| elf.shdr_strtab.get_at(header.sh_name) == Some(name));
        header.and_then(|header| header.file_range()).and_then(|range| file.get(range)).unwrap_or(&[])
    };
    let load = |id: gimli::SectionId| Ok::<_, gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian));
    gimli::Dwarf::load(load).ok()
}

fn all(file: &[u8]) -> Option<Vec<Row>> {
    let dwarf = dwarf(file)?;
    let (mut units, mut rows) = (dwarf.units(), Vec::new());
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            let _ends_at_damage = add_rows(&dwarf, &unit, &mut rows);
        }
    }
    Some(rows)
}

/// Adds the rows of a unit. Each ends where the next one of its sequence begins.
fn add_rows(dwarf: &Dwarf<'_>, unit: &Unit<Slice<'_>>, all: &mut Vec<Row>) -> Option<()> {
    let mut rows = unit.line_program.clone()?.rows();
    let (mut place, mut placed, mut has_line, mut begin) = (None, 0, false, None);
    let folder: Arc<str> = folder(unit).into();
    while let Ok(Some((header, row))) = rows.next_row() {
        let end = row.address();
        if let Some(begin) = begin.filter(|begin| *begin < end) {
            all.push(Row { begin, end, placed, place: place.clone(), has_line, folder: folder.clone() });
        }
        begin = (!row.end_sequence()).then_some(end);
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
        has_line = line.is_some();
        let named = line.and_then(|line| Some(Place { file: path(dwarf, unit, header, row.file_index())?, line }));
        placed = if named.is_some() { end } else { placed };
        place = if row.end_sequence() { None } else { named.or(place) };
    }
    Some(())
}

/// The folder in which the compiler ran.
fn folder(unit: &Unit<Slice<'_>>) -> String {
    unit.comp_dir.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The line of a call, whose file has a number.
pub(super) fn place_of_call(dwarf: &Dwarf<'_>, unit: &Unit<Slice<'_>>, file: u64, line: u64) -> Option<Place> {
    let header = unit.line_program.as_ref()?.header();
    let line = u32::try_from(line).ok().filter(|line| *line != 0)?;
    Some(Place { file: whole_path(path(dwarf, unit, header, file)?, &folder(unit)), line })
}

/// The path of a file of a unit.
fn path(
    dwarf: &Dwarf<'_>,
    unit: &Unit<Slice<'_>>,
    header: &gimli::LineProgramHeader<Slice<'_>>,
    file: u64,
) -> Option<String> {
    let entry = header.file(file)?;
    let name = dwarf.attr_string(unit, entry.path_name()).ok()?;
    let folder = entry.directory(header).and_then(|folder| dwarf.attr_string(unit, folder).ok());
    let name = name.to_string_lossy();
    Some(match folder {
        Some(folder) if !name.starts_with('/') && !folder.is_empty() => format!("{}/{name}", folder.to_string_lossy()),
        _ => name.into_owned(),
    })
}
