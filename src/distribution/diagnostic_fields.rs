//! Diagnostics as fields of a file.

use crate::cache::bytes::{Reader, Writer};
use crate::diagnostics::{CallPath, Code, Diagnostic, Location, Owner, Severity, Step};

/// The owners of functions, in the order of the numbers in a file.
const OWNERS: [Owner; 3] = [Owner::User, Owner::Rust, Owner::Crate];

/// The severities, in the order of their numbers in a file.
const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

pub(super) fn write(to: &mut Writer, diagnostics: &[Diagnostic]) {
    list(to, diagnostics, write_one);
}

/// The diagnostics; none if the fields are not those of diagnostics.
pub(super) fn read(from: &mut Reader<'_>) -> Option<Vec<Diagnostic>> {
    items(from, read_one)
}

fn write_one(to: &mut Writer, diagnostic: &Diagnostic) {
    // A remark is made where the job was started.
    let Diagnostic { code, severity, message, location, call_paths, notes, help, targets, remark: _ } = diagnostic;
    // The number 0 is no code.
    to.number(code.map_or(0, |code| code as u64));
    to.number(SEVERITIES.iter().position(|known| known == severity).map_or(u64::MAX, |at| at as u64));
    to.bytes(message.as_bytes());
    write_location(to, location.as_ref());
    list(to, call_paths, |to, CallPath { steps, fault, to_function }| {
        list(to, steps, |to, Step { name, at, owner }| {
            to.bytes(name.as_bytes());
            write_location(to, at.as_ref());
            to.number(OWNERS.iter().position(|known| known == owner).map_or(u64::MAX, |at| at as u64));
        });
        write_location(to, fault.as_ref());
        to.number((*to_function).into());
    });
    [notes, help, targets].into_iter().for_each(|texts| list(to, texts, |to, text| to.bytes(text.as_bytes())));
}

fn read_one(from: &mut Reader<'_>) -> Option<Diagnostic> {
    let code = match from.number()? {
        0 => None,
        number => Some(*Code::ALL.iter().find(|code| **code as u64 == number)?),
    };
    let severity = *SEVERITIES.get(usize::try_from(from.number()?).ok()?)?;
    let (message, location) = (from.text()?, read_location(from)?);
    let call_paths = items(from, |from| {
        let step = |from: &mut Reader<'_>| {
            let (name, at) = (from.text()?, read_location(from)?);
            let owner = *OWNERS.get(usize::try_from(from.number()?).ok()?)?;
            Some(Step { name, at, owner })
        };
        let steps = items(from, step).filter(|steps| !steps.is_empty())?;
        Some(CallPath { steps, fault: read_location(from)?, to_function: from.flag()? })
    })?;
    let (notes, help, targets) = (items(from, Reader::text)?, items(from, Reader::text)?, items(from, Reader::text)?);
    Some(Diagnostic { code, severity, message, location, call_paths, notes, help, targets, remark: None })
}

fn write_location(to: &mut Writer, location: Option<&Location>) {
    to.number(location.is_some().into());
    // The folder is that of this machine.
    if let Some(Location { file, folder: _, line, column }) = location {
        to.bytes(file.as_bytes());
        [*line, *column].into_iter().for_each(|number| to.number(number.into()));
    }
}

fn read_location(from: &mut Reader<'_>) -> Option<Option<Location>> {
    let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
    Some(match from.flag()? {
        true => Some(Location { file: from.text()?, line: small(from)?, column: small(from)?, ..Location::default() }),
        false => None,
    })
}

fn list<T>(to: &mut Writer, all: &[T], write: impl Fn(&mut Writer, &T)) {
    to.number(all.len() as u64);
    all.iter().for_each(|one| write(to, one));
}

fn items<'a, T>(from: &mut Reader<'a>, read: impl Fn(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
    (0..from.count()?).map(|_| read(from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_none() {
        let place = |line| Some(Location { file: "src/main.rs".to_owned(), line, column: 7, ..Location::default() });
        let owner = |name: &str| if name.starts_with("std") { Owner::Rust } else { Owner::User };
        let step = |name: &str, at| Step { name: name.to_owned(), at, owner: owner(name) };
        let path = CallPath {
            steps: vec![step("kernel", None), step("std::f", place(3))],
            fault: place(9),
            to_function: true,
        };
        let mut coded = Diagnostic::coded(Code::NoKernel, "a message").at(place(1)).note("a note").help("some help");
        coded.call_paths.push(path);
        let all = [coded.target("sm_70").target("cpu"), Diagnostic::new(Severity::Note, "without a code")];
        let mut to = Writer::default();
        write(&mut to, &all);
        assert_eq!(read(&mut Reader(&to.0)).as_deref(), Some(&all[..]));
        assert!((0..to.0.len()).all(|end| read(&mut Reader(&to.0[..end])).is_none()));
    }
}
