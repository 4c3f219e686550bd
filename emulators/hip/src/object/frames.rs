//! The functions around an address of a code object: those that were inlined there, and the one that has the code
//! (DWARF, `.debug_info`).

use emulator_core::{Frame, Place};
use gimli::constants::{
    DW_AT_abstract_origin, DW_AT_call_file, DW_AT_call_line, DW_AT_linkage_name, DW_AT_name, DW_AT_specification,
    DW_TAG_inlined_subroutine, DW_TAG_subprogram,
};
use gimli::{AttributeValue, Unit, UnitOffset};

use super::lines::{Dwarf, Rows, Slice, dwarf, place_of_call};

/// How many references lead from an inlined function to its name: to the function, and to its declaration.
const MOST_REFERENCES: usize = 4;

type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// The debug information of a code object.
pub(crate) struct Functions<'a> {
    rows: Rows,
    dwarf: Option<Dwarf<'a>>,
    units: Vec<Unit<Slice<'a>>>,
}

impl<'a> Functions<'a> {
    pub(crate) fn read(file: &'a [u8]) -> Functions<'a> {
        let dwarf = dwarf(file);
        let mut units = Vec::new();
        if let Some(dwarf) = &dwarf {
            let mut headers = dwarf.units();
            while let Ok(Some(header)) = headers.next() {
                units.extend(dwarf.unit(header).ok());
            }
        }
        Functions { rows: Rows::read(file), dwarf, units }
    }

    /// The functions at an address of the file, the innermost first. `symbol` is that of the outermost one.
    pub(crate) fn frames(&self, address: u64, symbol: &str) -> Vec<Frame> {
        let Some((place, address)) = self.rows.place_before(address) else {
            return vec![Frame { function: symbol.to_owned(), place: None }];
        };
        // The outermost function first: its name, and where it was inlined.
        let inlined = self.units.iter().find_map(|unit| self.inlined(unit, address)).unwrap_or_default();
        let mut frames = Vec::with_capacity(inlined.len() + 1);
        let mut place = Some(place);
        for (name, call) in inlined.into_iter().rev() {
            let function = name.unwrap_or_default();
            frames.push(Frame { function, place: std::mem::replace(&mut place, call) });
        }
        frames.push(Frame { function: symbol.to_owned(), place });
        frames
    }

    /// The functions that were inlined at an address of a unit: the name of each, and the place of its call.
    fn inlined(&self, unit: &Unit<Slice<'a>>, address: u64) -> Option<Vec<(Option<String>, Option<Place>)>> {
        let dwarf = self.dwarf.as_ref()?;
        let (mut found, mut is_inside) = (Vec::new(), false);
        let mut entries = unit.entries();
        // Code of one function is inside of that of another only if it was inlined there, so no tree is needed.
        while let Ok(Some(entry)) = entries.next_dfs() {
            let is_inlined = entry.tag() == DW_TAG_inlined_subroutine;
            if (is_inlined || entry.tag() == DW_TAG_subprogram) && contains(dwarf, unit, entry, address) {
                is_inside = true;
                if is_inlined {
                    found.push((self.name(unit, entry.clone(), MOST_REFERENCES), call(dwarf, unit, entry)));
                }
            }
        }
        is_inside.then_some(found)
    }

    /// The symbol of a function, or its name if it has no symbol.
    fn name(&self, unit: &Unit<Slice<'a>>, entry: Entry<'a>, references: usize) -> Option<String> {
        let dwarf = self.dwarf.as_ref()?;
        let text = |value| dwarf.attr_string(unit, value).ok().map(|text| text.to_string_lossy().into_owned());
        if let Some(symbol) = entry.attr_value(DW_AT_linkage_name).and_then(text) {
            return Some(symbol);
        }
        let further = [DW_AT_abstract_origin, DW_AT_specification].into_iter().find_map(|name| entry.attr_value(name));
        let named = || entry.attr_value(DW_AT_name).and_then(text);
        let Some(references) = references.checked_sub(1) else { return named() };
        let (other, offset) = match further {
            Some(AttributeValue::UnitRef(offset)) => (unit, offset),
            Some(AttributeValue::DebugInfoRef(offset)) => self.find(offset)?,
            _ => return named(),
        };
        let next = other.entry(offset).ok()?;
        self.name(other, next, references).or_else(named)
    }

    /// The unit around an offset of the section, and the offset in the unit.
    fn find(&self, offset: gimli::DebugInfoOffset) -> Option<(&Unit<Slice<'a>>, UnitOffset)> {
        let inside = |unit: &'_ Unit<Slice<'a>>| offset.to_unit_offset(&unit.header);
        self.units.iter().find_map(|unit| Some((unit, inside(unit)?)))
    }
}

fn contains<'a>(dwarf: &Dwarf<'a>, unit: &Unit<Slice<'a>>, entry: &Entry<'a>, address: u64) -> bool {
    let Ok(mut ranges) = dwarf.die_ranges(unit, entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&address) {
            return true;
        }
    }
    false
}

/// The place of the call of an inlined function.
fn call(dwarf: &Dwarf<'_>, unit: &Unit<Slice<'_>>, entry: &Entry<'_>) -> Option<Place> {
    let file = match entry.attr_value(DW_AT_call_file)? {
        AttributeValue::FileIndex(file) => file,
        other => other.udata_value()?,
    };
    place_of_call(dwarf, unit, file, entry.attr_value(DW_AT_call_line)?.udata_value()?)
}
