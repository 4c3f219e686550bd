//! Names the CPU entries after the object that they become a part of.
//!
//! The device code for the CPU is compiled without the hash of the object, so that it depends on the kernels alone.

use std::ops::Range;

use goblin::elf::Elf;
use goblin::elf::section_header::SHT_STRTAB;

use crate::contract::kernel::{ANY_HASH, cpu_symbol_start};
use crate::error::{Context, Error, Result};

/// Writes the hash of the object into the names of the kernels' entries.
pub fn name_cpu_entries(mut code: Vec<u8>, hash: &str) -> Result<Vec<u8>> {
    let (any, own) = (cpu_symbol_start(ANY_HASH).into_bytes(), cpu_symbol_start(hash).into_bytes());
    if any.len() != own.len() {
        return Err(Error::internal(format!("the hash `{hash}` has another length than `{ANY_HASH}`")));
    }
    for table in tables_of_names(&code)? {
        let table = code.get_mut(table).unwrap_or_default();
        let mut at = 0;
        while at + any.len() <= table.len() {
            if table[at..].starts_with(&any) {
                table[at..at + any.len()].copy_from_slice(&own);
            }
            at += 1;
        }
    }
    Ok(code)
}

/// The string tables of an object.
fn tables_of_names(code: &[u8]) -> Result<Vec<Range<usize>>> {
    let doing = "cannot read the object of the cpu's code";
    let elf = Elf::parse(code).map_err(|e| Error::internal(e.to_string())).context(doing)?;
    let tables = elf.section_headers.iter().filter(|header| header.sh_type == SHT_STRTAB);
    Ok(tables.filter_map(|header| header.file_range()).collect())
}
