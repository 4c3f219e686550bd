//! Names the symbols of compiled code after the object that it becomes a part of.
//!
//! Host code and the device code for the CPU are compiled without the hash of the object, so that they do not depend on
//! the other parts of the program.

use std::ops::Range;

use goblin::elf::Elf;
use goblin::elf::section_header::SHT_STRTAB;

use crate::contract::kernel::{ANY_HASH, cpu_symbol_start, handle_symbol_start, host_function_symbol_start};
use crate::error::{Context, Error, Result};

/// Writes the hash of the object into the names of the kernels' CPU entries for a level.
pub fn name_cpu_entries(code: Vec<u8>, level: u32, hash: &str) -> Result<Vec<u8>> {
    name_symbols(code, |hash| cpu_symbol_start(level, hash), hash).context("cannot read the object of the cpu's code")
}

/// Writes the hash of the object into the names of the kernels' handles, and of the functions that kernels call.
pub fn name_handles(code: Vec<u8>, hash: &str) -> Result<Vec<u8>> {
    let code = name_symbols(code, handle_symbol_start, hash);
    let code = code.and_then(|code| name_symbols(code, host_function_symbol_start, hash));
    code.context("cannot read the object of host code")
}

fn name_symbols(mut code: Vec<u8>, start: impl Fn(&str) -> String, hash: &str) -> Result<Vec<u8>> {
    let (any, own) = (start(ANY_HASH).into_bytes(), start(hash).into_bytes());
    if memchr::memmem::find(&code, &any).is_none() {
        return Ok(code);
    }
    if any.len() != own.len() {
        return Err(Error::internal(format!("the hash `{hash}` has another length than `{ANY_HASH}`")));
    }
    for table in tables_of_names(&code)? {
        let table = code.get_mut(table).unwrap_or_default();
        let places: Vec<_> = memchr::memmem::find_iter(table, &any).collect();
        places.into_iter().for_each(|at| table[at..at + any.len()].copy_from_slice(&own));
    }
    Ok(code)
}

/// The string tables of an object.
fn tables_of_names(code: &[u8]) -> Result<Vec<Range<usize>>> {
    let elf = Elf::parse(code).map_err(|e| Error::internal(e.to_string()))?;
    let tables = elf.section_headers.iter().filter(|header| header.sh_type == SHT_STRTAB);
    Ok(tables.filter_map(|header| header.file_range()).collect())
}
