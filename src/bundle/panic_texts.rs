//! The texts for the numbers in a panic's record, and the names of kernels, as bytes that `runtime-c/launch/panics.c`
//! reads.
//!
//! Numbers are little-endian; offsets of strings are relative to the start:
//!
//! ```c
//! struct offload_panic_texts head;        // its size is the size of all texts, a multiple of 8
//! struct offload_panic_place places[];    // number 1 first; `file` is the offset of a string
//! uint32_t messages[];                    // offsets of strings, number 1 first
//! uint32_t kernels[];                     // offsets of the display names, in the order of the handles
//! char strings[];                         // NUL-terminated
//! ```

use std::collections::HashMap;
use std::mem::offset_of;

use super::registration::KernelRow;
use crate::contract::abi::{PanicPlace, PanicTexts, structure};
use crate::contract::panic_table::PanicTable;
use crate::error::{Error, Result};

const HEADER_SIZE: usize = size_of::<PanicTexts>();
const PLACE_SIZE: usize = size_of::<PanicPlace>();

/// The bytes of a table; none if there are no messages and each kernel has its symbol as its name. Fails only if they
/// would be more than 4 GiB.
pub(super) fn write(table: &PanicTable, kernels: &[KernelRow<'_>]) -> Result<Option<Vec<u8>>> {
    let (places, messages) = (table.places(), table.messages());
    let is_symbol = |row: &KernelRow<'_>| within_crate(&row.kernel.display) == row.kernel.name;
    if messages.is_empty() && kernels.iter().all(is_symbol) {
        return Ok(None);
    }
    let start = HEADER_SIZE + places.len() * PLACE_SIZE + (messages.len() + kernels.len()) * 4;
    let mut strings = Vec::new();
    let mut known = HashMap::new();
    let mut add = |text: &str| {
        let at = *known.entry(text.to_owned()).or_insert_with(|| {
            let at = start + strings.len();
            strings.extend(text.bytes().filter(|byte| *byte != 0));
            strings.push(0);
            at
        });
        word(at)
    };
    let mut body = Vec::new();
    for place in places {
        body.extend(structure::<PLACE_SIZE>(&[
            (offset_of!(PanicPlace, file), add(&place.file)?),
            (offset_of!(PanicPlace, line), place.line),
            (offset_of!(PanicPlace, column), place.column),
        ]));
    }
    for message in messages {
        body.extend(add(message)?.to_le_bytes());
    }
    for row in kernels {
        body.extend(add(within_crate(&row.kernel.display))?.to_le_bytes());
    }
    let size = (start + strings.len()).next_multiple_of(8);
    let mut bytes = structure::<HEADER_SIZE>(&[
        (offset_of!(PanicTexts, size), word(size)?),
        (offset_of!(PanicTexts, place_count), word(places.len())?),
        (offset_of!(PanicTexts, message_count), word(messages.len())?),
        (offset_of!(PanicTexts, kernel_count), word(kernels.len())?),
    ])
    .to_vec();
    bytes.extend(body);
    bytes.extend(strings);
    bytes.resize(size, 0);
    Ok(Some(bytes))
}

/// A path without its crate, which is visible in the source location.
fn within_crate(path: &str) -> &str {
    let plain = |krate: &str| krate.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    path.split_once("::").filter(|(krate, _)| plain(krate)).map_or(path, |(_, rest)| rest)
}

fn word(number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::new("the texts of panics are larger than 4 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::registration::example;
    use crate::contract::panic_table::SourceLocation;

    #[test]
    fn places_and_messages_point_to_their_strings() {
        let mut table = PanicTable::default();
        let kernels = example::kernels();
        let rows = &example::rows(&kernels)[..1];
        assert_eq!(write(&table, rows).unwrap(), None);
        let place = |line| SourceLocation { file: "src/a.rs".into(), line, column: 5 };
        assert_eq!([table.add_place(place(7)), table.add_place(place(8)), table.message("no")], [1, 2, 1]);
        let bytes = write(&table, rows).unwrap().unwrap();
        let words: Vec<u32> = bytes[..48].chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(words, [72, 2, 1, 1, 48, 7, 5, 48, 8, 5, 57, 60]);
        assert_eq!(&bytes[48..], b"src/a.rs\0no\0saxpy\0\0\0\0\0\0\0");
        let mut renamed = example::kernels();
        renamed[0].display = "app::Renamed::kernel".into();
        let bytes = write(&PanicTable::default(), &example::rows(&renamed)[..1]).unwrap().unwrap();
        assert_eq!(&bytes[20..], b"Renamed::kernel\0\0\0\0\0");
        assert_eq!(["hist", "<T as a::B>::c"].map(within_crate), ["hist", "<T as a::B>::c"]);
    }
}
