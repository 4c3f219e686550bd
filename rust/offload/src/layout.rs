//! The layout of the types that cross between the host and a device, as text. A kernel that was baked into a file runs
//! only if the text is the same in the program that launches it.

use core::fmt::Write as _;
use core::mem::offset_of;
use std::string::String;

/// The layout of all parameters of a kernel.
#[allow(dead_code, reason = "only baked kernels need the parts")]
#[derive(Default)]
pub struct Layout {
    /// Sizes, alignments and offsets of fields, in the order of the parameters.
    pub(crate) text: String,
    /// Whether rustc chose a part of the layout that the text does not show, such as the values of an enum.
    pub(crate) depends_on_rustc: bool,
    /// The part of a parameter that no other program can know.
    pub(crate) unknown: Option<&'static str>,
}

impl Layout {
    /// A type of which nothing else must be known.
    pub fn plain<T>(&mut self) {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{} {size} {align};", core::any::type_name::<T>());
    }

    /// A type whose parts only rustc knows.
    pub fn opaque<T>(&mut self) {
        self.plain::<T>();
        self.depends_on_rustc = true;
    }

    /// A field of the type before it; the type of the field follows.
    pub fn field(&mut self, name: &str, offset: usize) {
        let _ = write!(self.text, "{name}@{offset}:");
    }

    /// A part that only the program knows in which the value was made.
    pub(crate) fn unknown(&mut self, part: &'static str) {
        self.unknown = self.unknown.or(Some(part));
    }
}

/// A structure whose fields rustc may order as it likes.
#[allow(dead_code, reason = "only the offsets are used")]
struct Probe {
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
}

/// How rustc orders the fields of a structure. With `-Zrandomize-layout`, each build may have another order.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) fn probe() -> String {
    let offsets = [
        offset_of!(Probe, a),
        offset_of!(Probe, b),
        offset_of!(Probe, c),
        offset_of!(Probe, d),
        offset_of!(Probe, e),
        offset_of!(Probe, f),
        offset_of!(Probe, g),
        offset_of!(Probe, h),
    ];
    offsets.iter().map(|offset| char::from(b'0' + *offset as u8)).collect()
}
