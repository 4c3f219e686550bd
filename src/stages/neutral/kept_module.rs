//! The neutral module and the findings about it, as the contents of an entry of the cache.
//!
//! The locations of panics are not among them where they are in the module that is compiled, in the same order, with
//! the lines that they have now. An entry with others depends on lines.

use super::types::{KernelFacts, LoweredCode, Made, Validated};
use crate::cache::bytes::{Reader, Writer};
use crate::contract::kernel::Scalar;
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::passes::launch::launch_bounds::Bounds;

/// The contents of an entry.
pub(super) struct Kept {
    /// The module.
    pub bitcode: Vec<u8>,
    /// The findings about the functions for panics and allocation.
    pub code: LoweredCode,
    /// The promises about launches.
    pub bounds: Bounds,
    /// The meaning of the numbers in panic records.
    pub panics: PanicTable,
    /// Whether functions are values.
    pub has_function_values: bool,
}

/// Whether the locations of panics are not all `places` of the module before, and not none: then they contain lines.
pub(super) fn has_other_places(panics: &PanicTable, places: &[SourceLocation]) -> bool {
    !panics.places().is_empty() && panics.places() != places
}

/// The contents of the entry.
pub(super) fn write(made: &Made<'_>, places: &[SourceLocation]) -> Vec<u8> {
    let Made { bitcode, validated, depends_on_lines: _, has_function_values } = made;
    let Validated { archs: _, code, bounds, panics, refusals: _ } = validated;
    let LoweredCode { kernels } = code;
    let mut to = Writer::default();
    to.bytes(bitcode);
    to.number((*has_function_values).into());
    to.number(kernels.len() as u64);
    for facts in kernels {
        let KernelFacts {
            takes_state,
            needs_heap,
            may_allocate,
            keeps_heap,
            calls_host,
            threads_per_block,
            scalars,
            specializes_block_dim,
            restricts,
        } = facts;
        let all = [takes_state, needs_heap, may_allocate, keeps_heap, calls_host, specializes_block_dim, restricts];
        all.into_iter().for_each(|fact| to.number((*fact).into()));
        to.number((*threads_per_block).into());
        to.number(scalars.len() as u64);
        for Scalar { offset, size, is_specialized } in scalars {
            [(*offset).into(), (*size).into(), (*is_specialized).into()].into_iter().for_each(|it| to.number(it));
        }
    }
    to.number(bounds.rows().len() as u64);
    for (arch, threads) in bounds.rows() {
        to.number(arch.is_some().into());
        to.bytes(arch.as_deref().unwrap_or_default().as_bytes());
        to.number(threads.len() as u64);
        threads.iter().for_each(|threads| to.number((*threads).into()));
    }
    to.number((!panics.places().is_empty()).into());
    let others = if has_other_places(panics, places) { panics.places() } else { &[] };
    to.number(others.len() as u64);
    for SourceLocation { file, line, column } in others {
        to.bytes(file.as_bytes());
        [*line, *column].into_iter().for_each(|number| to.number(number.into()));
    }
    to.number(panics.messages().len() as u64);
    panics.messages().iter().for_each(|message| to.bytes(message.as_bytes()));
    to.0
}

/// Reads the contents of an entry, with the locations of the module that is compiled. None if they are not those of a
/// module with this number of kernels.
pub(super) fn read(contents: &[u8], places: &[SourceLocation], kernels: usize) -> Option<Kept> {
    let mut from = Reader(contents);
    let bitcode = from.bytes()?.to_vec();
    let has_function_values = from.flag()?;
    let facts: Vec<_> = (0..from.count()?).map(|_| facts(&mut from)).collect::<Option<_>>()?;
    let rows: Vec<_> = (0..from.count()?).map(|_| row(&mut from)).collect::<Option<_>>()?;
    let has_places = from.flag()?;
    let others: Vec<_> = (0..from.count()?).map(|_| place(&mut from)).collect::<Option<_>>()?;
    let places = match others.is_empty() {
        true if has_places => places.to_vec(),
        _ => others,
    };
    let messages = (0..from.count()?).map(|_| from.text()).collect::<Option<_>>()?;
    let fits = from.0.is_empty() && facts.len() == kernels && rows.iter().all(|(_, row)| row.len() == kernels);
    fits.then(|| Kept {
        bitcode,
        code: LoweredCode { kernels: facts },
        bounds: Bounds::from_rows(rows),
        panics: PanicTable::new(places, messages),
        has_function_values,
    })
}

fn facts(from: &mut Reader<'_>) -> Option<KernelFacts> {
    let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
    let scalar =
        |from: &mut Reader<'_>| Some(Scalar { offset: small(from)?, size: small(from)?, is_specialized: from.flag()? });
    Some(KernelFacts {
        takes_state: from.flag()?,
        needs_heap: from.flag()?,
        may_allocate: from.flag()?,
        keeps_heap: from.flag()?,
        calls_host: from.flag()?,
        specializes_block_dim: from.flag()?,
        restricts: from.flag()?,
        threads_per_block: small(from)?,
        scalars: (0..from.count()?).map(|_| scalar(from)).collect::<Option<_>>()?,
    })
}

fn place(from: &mut Reader<'_>) -> Option<SourceLocation> {
    let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
    Some(SourceLocation { file: from.text()?, line: small(from)?, column: small(from)? })
}

fn row(from: &mut Reader<'_>) -> Option<(Option<String>, Vec<u32>)> {
    let is_of_arch = from.flag()?;
    let arch = Some(from.text()?).filter(|_| is_of_arch);
    let threads = (0..from.count()?).map(|_| u32::try_from(from.number()?).ok()).collect::<Option<_>>()?;
    Some((arch, threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_with_the_lines_of_now_and_damage_is_none() {
        let place = |line| SourceLocation { file: "main.rs".to_owned(), line, column: 5 };
        let facts = KernelFacts {
            takes_state: true,
            needs_heap: false,
            may_allocate: true,
            keeps_heap: true,
            calls_host: true,
            threads_per_block: 64,
            scalars: vec![Scalar { offset: 8, size: 4, is_specialized: true }],
            specializes_block_dim: true,
            restricts: true,
        };
        let code = LoweredCode { kernels: vec![facts, KernelFacts::default()] };
        let rows = vec![(None, vec![64, 0]), (Some("sm_80".to_owned()), vec![0, 1])];
        let panics = PanicTable::new(vec![place(3), place(4)], vec!["a message".to_owned()]);
        let bounds = Bounds::from_rows(rows.clone());
        let validated = Validated { archs: Vec::new(), code, bounds, panics, refusals: Vec::new() };
        let bitcode = b"module".to_vec();
        let made = Made { bitcode, validated, depends_on_lines: false, has_function_values: true };
        let others = read(&write(&made, &[place(3)]), &[place(13)], 2).unwrap();
        assert_eq!(others.panics.places(), [place(3), place(4)]);
        let bytes = write(&made, &[place(3), place(4)]);
        let moved = [place(13), place(14)];
        let again = read(&bytes, &moved, 2).unwrap();
        assert_eq!((&again.bitcode[..], again.bounds.rows()), (&b"module"[..], &rows[..]));
        assert!(again.has_function_values);
        let Validated { code, panics, .. } = &made.validated;
        assert_eq!(format!("{:?}", again.code.kernels), format!("{:?}", code.kernels));
        assert_eq!((again.panics.places(), again.panics.messages()), (&moved[..], panics.messages()));
        assert!(read(&bytes, &moved, 3).is_none() && read(&[&bytes[..], &[0]].concat(), &moved, 2).is_none());
        assert!((0..bytes.len()).all(|end| read(&bytes[..end], &moved, 2).is_none()));
    }
}
