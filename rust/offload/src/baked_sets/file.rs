//! The format of the file: a sequence of numbers (four bytes, little-endian) and of strings (a number of bytes, then
//! the bytes). It is written and read in the order of the fields below. At its end is a checksum of all bytes before:
//! one wrong bit in the machine code of a kernel may be one wrong result.

use std::vec::Vec;

/// The first string. The number is the version of the format.
pub(crate) const MAGIC: &str = "offload baked kernels 3";

/// The contents of a file.
#[derive(Default)]
pub(crate) struct File<'a> {
    /// See [`Baked`](super::Baked). The macro reads them, so they are the second string.
    pub(crate) inputs: &'a str,
    pub(crate) package: &'a str,
    pub(crate) version: &'a str,
    /// The hash of the package's source.
    pub(crate) source: &'a str,
    /// See [`Baked`](super::Baked).
    pub(crate) conditions: &'a str,
    /// The version of this crate.
    pub(crate) offload: &'a str,
    pub(crate) rustc: &'a str,
    /// See [`probe`](crate::layout::probe).
    pub(crate) probe: &'a str,
    pub(crate) features: Vec<(&'a str, bool)>,
    pub(crate) kernels: Vec<Kernel<'a>>,
    /// The table of the texts of panics, as the descriptor has it.
    pub(crate) panics: &'a [u8],
    /// The containers with the images, as the descriptor has them.
    pub(crate) images: &'a [u8],
}

/// A kernel: the fields of its handle, and the layout of its parameters.
pub(crate) struct Kernel<'a> {
    pub(crate) name: &'a str,
    pub(crate) symbol: &'a str,
    pub(crate) layout: &'a str,
    pub(crate) depends_on_rustc: bool,
    pub(crate) argument_bytes: u32,
    pub(crate) argument_align: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) flags: u32,
    pub(crate) threads_per_block: u32,
    pub(crate) parameter_count: u32,
    /// The parameters as the runtime reads them.
    pub(crate) parameters: &'a [u8],
}

/// The rest of a file.
#[cfg(any(offload_devices, test))]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

#[cfg(any(offload_devices, test))]
impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(count as usize)
    }

    fn text(&mut self) -> Option<&'a str> {
        core::str::from_utf8(self.bytes()?).ok()
    }

    fn kernel(&mut self) -> Option<Kernel<'a>> {
        let kernel = Kernel {
            name: self.text()?,
            symbol: self.text()?,
            layout: self.text()?,
            depends_on_rustc: self.number()? != 0,
            argument_bytes: self.number()?,
            argument_align: self.number()?,
            shared_bytes: self.number()?,
            flags: self.number()?,
            threads_per_block: self.number()?,
            parameter_count: self.number()?,
            parameters: self.bytes()?,
        };
        let rows = (kernel.parameter_count as usize).checked_mul(PARAMETER_BYTES)?;
        let good = kernel.parameters.len() >= rows && kernel.argument_align.is_power_of_two();
        good.then_some(kernel)
    }

    /// The contents; `None` if the bytes are not a whole file of this version.
    pub(crate) fn file(mut self) -> Option<File<'a>> {
        let (bytes, checksum) = self.0.split_last_chunk()?;
        if hash(bytes) != u64::from_le_bytes(*checksum) {
            return None;
        }
        self.0 = bytes;
        if self.text()? != MAGIC {
            return None;
        }
        let mut file = File { inputs: self.text()?, ..File::default() };
        let fields = [
            &mut file.package,
            &mut file.version,
            &mut file.source,
            &mut file.conditions,
            &mut file.offload,
            &mut file.rustc,
            &mut file.probe,
        ];
        for field in fields {
            *field = self.text()?;
        }
        for _ in 0..self.number()? {
            file.features.push((self.text()?, self.number()? != 0));
        }
        for _ in 0..self.number()? {
            file.kernels.push(self.kernel()?);
        }
        (file.panics, file.images) = (self.bytes()?, self.bytes()?);
        self.0.is_empty().then_some(file)
    }
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923). Each step of it is invertible, so a change of one byte always
/// changes the hash. The macro has the same one.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let step = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// `sizeof(struct offload_parameter)`.
pub(crate) const PARAMETER_BYTES: usize = 16;

/// Writes the bytes that [`Reader::file`] reads.
#[cfg(any(offload_bake, test))]
pub(crate) fn write(file: &File<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    fn number(out: &mut Vec<u8>, number: u32) {
        out.extend(number.to_le_bytes());
    }
    fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
        number(out, u32::try_from(bytes.len()).expect("images of a crate have less than 4 GiB"));
        out.extend(bytes);
    }
    let texts = [MAGIC, file.inputs, file.package, file.version, file.source, file.conditions];
    for text in texts.into_iter().chain([file.offload, file.rustc, file.probe]) {
        bytes(&mut out, text.as_bytes());
    }
    number(&mut out, file.features.len() as u32);
    for (name, is_on) in &file.features {
        bytes(&mut out, name.as_bytes());
        number(&mut out, (*is_on).into());
    }
    number(&mut out, file.kernels.len() as u32);
    for kernel in &file.kernels {
        for text in [kernel.name, kernel.symbol, kernel.layout] {
            bytes(&mut out, text.as_bytes());
        }
        let numbers = [
            kernel.depends_on_rustc.into(),
            kernel.argument_bytes,
            kernel.argument_align,
            kernel.shared_bytes,
            kernel.flags,
            kernel.threads_per_block,
            kernel.parameter_count,
        ];
        numbers.into_iter().for_each(|value| number(&mut out, value));
        bytes(&mut out, kernel.parameters);
    }
    bytes(&mut out, file.panics);
    bytes(&mut out, file.images);
    let checksum = hash(&out);
    out.extend(checksum.to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written_or_not_at_all() {
        let kernel = Kernel {
            name: "a::k<u32>",
            symbol: "k",
            layout: "u32 4 4;",
            depends_on_rustc: true,
            argument_bytes: 4,
            argument_align: 4,
            shared_bytes: 1,
            flags: 2,
            threads_per_block: 3,
            parameter_count: 1,
            parameters: &[7; PARAMETER_BYTES],
        };
        let features = std::vec![("fast", true), ("slow", false)];
        let whole = File { package: "a", features, kernels: std::vec![kernel], images: b"image", ..File::default() };
        let bytes = write(&whole);
        let read = Reader(&bytes).file().expect("it is whole");
        assert_eq!((read.package, read.images, read.features), ("a", whole.images, whole.features));
        assert_eq!((read.kernels[0].name, read.kernels[0].threads_per_block), ("a::k<u32>", 3));
        assert!((0..bytes.len()).all(|end| Reader(&bytes[..end]).file().is_none()));
        for at in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            assert!(Reader(&bytes).file().is_none(), "bit {at}");
        }
    }
}
