//! The generic image: the device code after `validate`, as one of the images in a program. `offloadc finish` makes an
//! image for any arch of it, years later perhaps and on another machine. So it is less strict than a [`Slice`], which
//! only the programs that wrote it can read: every offloadc of the same version reads it, with LLVM's version or a
//! later one.

use std::borrow::Cow;

use super::diagnostic_fields;
use super::slice::{self, Slice, SliceOptions, read_fields};
use crate::cache::bytes::{Reader, Writer};
use crate::contract::panic_table::{PanicTable, SourceLocation};
use crate::diagnostics::Diagnostic;
use crate::error::{Context as _, Result};
use crate::stage::Stage;

/// The first bytes of the image.
const MAGIC: &[u8] = b"offloadc generic image\n";
/// The version of the layout, and of the promises that the stages before this image make to those after it.
pub const VERSION: u32 = 3;
/// The level of zstd. It is the highest one, because each program contains the image, and the image of most programs is
/// small.
const LEVEL: i32 = 19;
/// The level for more bytes than [`LARGE`]. The highest one would take a second for each 2 MiB.
const LEVEL_OF_LARGE: i32 = 9;
const LARGE: usize = 256 << 10;
/// The contents that all images share, and that no method compresses: the names of archs and options, and the parts of
/// bitcode that do not depend on the code. They decide the meaning of an image's bytes, so they change with [`VERSION`]
/// only. `scripts/generic_dictionary` writes the file.
const DICTIONARY: &[u8] = include_bytes!("generic_dictionary.bin");
/// The first bytes of a file with an image, and the images that are linked with it. The runtime writes such files.
const LINKED_MAGIC: &[u8] = b"offloadc linked images\n";

/// The device code for any arch.
#[derive(Clone, Debug)]
pub struct GenericImage {
    /// The code. Its archs are those that it was checked for.
    pub slice: Slice,
    /// The refusals of some of these archs: errors that name their archs.
    pub refusals: Vec<Diagnostic>,
    /// The functions that the program passes as values, for kernels of other objects.
    pub functions: Option<LinkableFunctions>,
}

/// Functions that a program passes as values, with all that they reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkableFunctions {
    /// The number of the first function.
    pub first: u64,
    /// How many functions there are. Their numbers are consecutive.
    pub count: usize,
    /// Those with which no kernel of another object can be linked, in the order of their positions. The module is empty
    /// if these are all.
    pub faults: Vec<NotLinkable>,
    /// The refusals of some archs.
    pub refusals: Vec<Diagnostic>,
    /// The meaning of the numbers of their panics.
    pub panics: PanicTable,
    /// The module, as bitcode.
    pub bitcode: Vec<u8>,
}

/// A function that cannot be linked with kernels of other objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLinkable {
    /// Its number is the first one plus this.
    pub position: usize,
    /// The reasons.
    pub found: Vec<Diagnostic>,
}

/// The programs that wrote an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Producer {
    /// The version of the image.
    pub image: u32,
    /// The version of offloadc.
    pub offloadc: String,
    /// The version of LLVM.
    pub llvm: String,
}

/// Why bytes are no generic image for this offloadc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotGeneric {
    /// They do not begin like one.
    Other,
    /// They begin like one.
    Damaged,
    /// It is of a version that this offloadc does not read.
    Version(Producer),
}

impl Producer {
    /// The programs here.
    pub fn here() -> Self {
        let [offloadc, llvm] = [env!("CARGO_PKG_VERSION"), env!("OFFLOADC_LLVM_VERSION")].map(str::to_owned);
        Self { image: VERSION, offloadc, llvm }
    }

    /// Whether these programs read an image that `other` wrote.
    fn reads(&self, other: &Self) -> bool {
        let llvm = |producer: &Self| producer.llvm.split('.').next().and_then(|major| major.parse::<u32>().ok());
        self.image == other.image && self.offloadc == other.offloadc && llvm(self) >= llvm(other)
    }
}

impl std::fmt::Display for Producer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { image, offloadc, llvm } = self;
        write!(f, "offloadc {offloadc}, LLVM {llvm}, version {image} of the image")
    }
}

impl GenericImage {
    /// Whether a file begins like a generic image.
    pub fn is_generic(file: &[u8]) -> bool {
        file.starts_with(MAGIC)
    }

    /// The bytes of the image.
    pub fn write(&self) -> Result<Vec<u8>> {
        let Producer { image, offloadc, llvm } = Producer::here();
        let mut to = Writer(MAGIC.to_vec());
        to.number(image.into());
        [&offloadc, &llvm].into_iter().for_each(|text| to.bytes(text.as_bytes()));
        let fields = self.fields()?;
        to.number(fields.len() as u64);
        let level = if fields.len() > LARGE { LEVEL_OF_LARGE } else { LEVEL };
        let packed = zstd::bulk::Compressor::with_dictionary(level, DICTIONARY).and_then(|mut by| by.compress(&fields));
        to.bytes(&packed.context("cannot compress the generic image")?);
        Ok(Slice::with_checksum(to.0))
    }

    /// All that is compressed.
    fn fields(&self) -> Result<Vec<u8>> {
        let mut to = Writer::default();
        to.bytes(Stage::Validate.name().as_bytes());
        self.slice.write_fields(&mut to, |to, code| {
            to.bytes(code);
            Ok(())
        })?;
        diagnostic_fields::write(&mut to, &self.refusals);
        to.number(self.functions.is_some().into());
        self.functions.iter().for_each(|functions| functions.write(&mut to));
        Ok(to.0)
    }

    /// The image in these bytes.
    pub fn read(file: &[u8]) -> Result<Self, NotGeneric> {
        let rest = file.strip_prefix(MAGIC).ok_or(NotGeneric::Other)?;
        let end = rest.len().checked_sub(blake3::OUT_LEN).ok_or(NotGeneric::Damaged)?;
        let (fields, checksum) = rest.split_at(end);
        if blake3::hash(&file[..MAGIC.len() + end]).as_bytes() != checksum {
            return Err(NotGeneric::Damaged);
        }
        let mut from = Reader(fields);
        let producer = producer(&mut from).ok_or(NotGeneric::Damaged)?;
        if !Producer::here().reads(&producer) {
            return Err(NotGeneric::Version(producer));
        }
        let fields =
            slice::compressed(&mut from, DICTIONARY).filter(|_| from.0.is_empty()).ok_or(NotGeneric::Damaged)?;
        let mut from = Reader(&fields);
        read_code(&mut from).filter(|_| from.0.is_empty()).ok_or(NotGeneric::Damaged)
    }

    /// The image with other options for its jobs.
    pub fn with_options(self, options: SliceOptions) -> Self {
        Self { slice: Slice { options, ..self.slice }, ..self }
    }

    /// The images in a file that has several for one work: the first is linked with the others.
    pub fn linked(file: &[u8]) -> Option<Vec<&[u8]>> {
        let mut from = Reader(file.strip_prefix(LINKED_MAGIC)?);
        let mut images = Vec::new();
        while !from.0.is_empty() {
            images.push(from.bytes()?);
        }
        Some(images)
    }

    /// A hash of the bytes of an image, as text.
    pub fn identity(bytes: &[u8]) -> String {
        blake3::hash(bytes).to_hex()[..32].to_owned()
    }
}

/// The programs that wrote the image. All versions begin with these fields.
fn producer(from: &mut Reader<'_>) -> Option<Producer> {
    let image = u32::try_from(from.number()?).ok()?;
    Some(Producer { image, offloadc: from.text()?, llvm: from.text()? })
}

fn read_code(from: &mut Reader<'_>) -> Option<GenericImage> {
    let stage = from.text()?;
    let slice = Slice { standalone: true, ..read_fields(from, |from| from.bytes().map(Cow::Borrowed))? };
    let refusals = diagnostic_fields::read(from)?;
    let functions = if from.flag()? { Some(LinkableFunctions::read(from)?) } else { None };
    (stage == Stage::Validate.name()).then_some(GenericImage { slice, refusals, functions })
}

impl LinkableFunctions {
    fn write(&self, to: &mut Writer) {
        let Self { first, count, faults, refusals, panics, bitcode } = self;
        [*first, *count as u64].into_iter().for_each(|number| to.number(number));
        to.number(faults.len() as u64);
        for NotLinkable { position, found } in faults {
            to.number(*position as u64);
            diagnostic_fields::write(to, found);
        }
        diagnostic_fields::write(to, refusals);
        to.number(panics.places().len() as u64);
        for SourceLocation { file, line, column } in panics.places() {
            to.bytes(file.as_bytes());
            [*line, *column].into_iter().for_each(|number| to.number(number.into()));
        }
        to.number(panics.messages().len() as u64);
        panics.messages().iter().for_each(|message| to.bytes(message.as_bytes()));
        to.bytes(bitcode);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (first, count) = (from.number()?, from.number()?.try_into().ok()?);
        let fault = |from: &mut Reader<'_>| {
            Some(NotLinkable { position: from.number()?.try_into().ok()?, found: diagnostic_fields::read(from)? })
        };
        let faults = (0..from.count()?).map(|_| fault(from)).collect::<Option<_>>()?;
        let refusals = diagnostic_fields::read(from)?;
        let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
        let place = |from: &mut Reader<'_>| {
            Some(SourceLocation { file: from.text()?, line: small(from)?, column: small(from)? })
        };
        let places = (0..from.count()?).map(|_| place(from)).collect::<Option<_>>()?;
        let messages = (0..from.count()?).map(|_| from.text()).collect::<Option<_>>()?;
        let panics = PanicTable::new(places, messages);
        Some(Self { first, count, faults, refusals, panics, bitcode: from.bytes()?.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;
    use crate::distribution::slice::tests::slice;

    fn image() -> GenericImage {
        let refusals = vec![Diagnostic::coded(Code::NoKernel, "it is refused").target("sm_70")];
        let found = vec![Diagnostic::coded(Code::NotLinkable, "it is not")];
        let faults = vec![NotLinkable { position: 1, found }];
        let place = SourceLocation { file: "src/a.rs".to_owned(), line: 7, column: 5 };
        let panics = PanicTable::new(vec![place], vec!["no".to_owned()]);
        let functions = LinkableFunctions {
            first: 1 << 24,
            count: 2,
            faults,
            refusals: refusals.clone(),
            panics,
            bitcode: vec![1, 2, 3],
        };
        GenericImage { slice: slice(), refusals, functions: Some(functions) }
    }

    #[test]
    fn a_file_has_several_images_for_one_work() {
        let mut to = Writer(LINKED_MAGIC.to_vec());
        [&b"one"[..], b"", b"three"].into_iter().for_each(|image| to.bytes(image));
        assert_eq!(GenericImage::linked(&to.0).unwrap(), [&b"one"[..], b"", b"three"]);
        assert!(GenericImage::linked(&to.0[..to.0.len() - 1]).is_none() && GenericImage::linked(b"one").is_none());
    }

    #[test]
    fn what_is_written_is_read_and_any_damage_is_seen() {
        let good = image().write().unwrap();
        let again = GenericImage::read(&good).unwrap();
        assert_eq!((again.refusals, again.slice.modules), (image().refusals, slice().modules));
        assert_eq!(again.functions, image().functions);
        assert!(again.slice.standalone);
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            let wrong = if at < MAGIC.len() { NotGeneric::Other } else { NotGeneric::Damaged };
            assert_eq!(GenericImage::read(&bytes).unwrap_err(), wrong, "byte {at}");
            assert!(GenericImage::read(&good[..at]).is_err());
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut to = Writer(MAGIC.to_vec());
        to.number(7);
        [b"9.9.9", b"1.0.0"].into_iter().for_each(|text| to.bytes(text));
        let read = GenericImage::read(&Slice::with_checksum(to.0));
        let producer = Producer { image: 7, offloadc: "9.9.9".to_owned(), llvm: "1.0.0".to_owned() };
        assert_eq!(read.unwrap_err(), NotGeneric::Version(producer));
    }

    #[test]
    fn an_older_llvm_wrote_what_is_read() {
        let here = Producer::here();
        let by = |llvm: &str| Producer { llvm: llvm.to_owned(), ..here.clone() };
        assert!(here.reads(&by("1.0.0")) && here.reads(&here) && !here.reads(&by("999.0.0")));
        assert!(!here.reads(&Producer { offloadc: "0.0.1".to_owned(), ..here.clone() }));
    }
}
