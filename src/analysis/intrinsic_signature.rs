//! Converts between the signature that Rust declares for an intrinsic and LLVM's.
//!
//! rustc has applied the x86-64 C convention: a small struct is one integer, float or pair of these, a larger one is a
//! pointer to its bytes (`byval`), and a larger result is written through a pointer (`sret`). LLVM's vectors, structs
//! and arrays are matched by their bytes, and all other types exactly. `docs/intrinsics.md` describes this for users.
//! The convention of AArch64 fills the last word of a small struct, and a larger one is any pointer.

use crate::contract::platform::Platform;
use crate::llvm::{Function, Module, Place, Type, TypeKind};

/// The size of the words in which AArch64's convention passes small structs.
const WORD: u64 = 8;

/// How a value is converted between Rust's type and LLVM's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbiConversion {
    /// No conversion, also for a missing result.
    Same,
    /// A pointer, which is cast to LLVM's address space.
    Pointer,
    /// The same number of bits, as another type that is not an aggregate.
    Bits,
    /// The same bytes, as another type.
    Bytes,
    /// Bytes to which Rust passes a pointer, with this alignment.
    Memory(u32),
}

/// The conversions of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature {
    /// Each of LLVM's parameters, in order.
    pub parameters: Vec<AbiConversion>,
    /// The result; one in memory is Rust's first parameter.
    pub result: AbiConversion,
}

impl Signature {
    /// The conversions from `rust`'s declaration to `intrinsic`; none if the signatures do not match.
    pub fn of<'c>(module: &Module<'c>, rust: Function<'c>, intrinsic: Function<'c>) -> Option<Self> {
        let (given, wanted) = (rust.function_type(), intrinsic.function_type());
        if given.is_vararg() || wanted.is_vararg() {
            return None;
        }
        let at = |i: usize, name| rust.type_attribute(Place::Parameter(i as u32), name);
        let returned = given.parameters().first().and_then(|_| at(0, "sret"));
        let skipped = usize::from(returned.is_some());
        let result = match returned {
            Some(bytes) => in_memory(module, bytes, rust, 0, wanted.result()),
            None => by_value(module, given.result(), wanted.result()),
        };
        let given: Vec<_> = given.parameters().into_iter().enumerate().skip(skipped).collect();
        let wanted = wanted.parameters();
        if given.len() != wanted.len() {
            return None;
        }
        let conversion = |((i, given), wanted): ((usize, Type<'c>), Type<'c>)| match at(i, "byval") {
            Some(bytes) => in_memory(module, bytes, rust, i, wanted),
            None if given.is_pointer() && may_be_aarch64(module) && is_bytes(wanted) => copied(rust, i),
            None => by_value(module, given, wanted),
        };
        let parameters = given.into_iter().zip(wanted).map(conversion).collect::<Option<_>>()?;
        Some(Signature { parameters, result: result? })
    }

    /// Whether a converted call accesses memory that the intrinsic does not.
    pub fn uses_memory(&self) -> bool {
        self.parameters.iter().chain([&self.result]).any(|c| matches!(c, AbiConversion::Memory(_)))
    }
}

fn in_memory<'c>(
    module: &Module<'c>,
    bytes: Type<'c>,
    rust: Function<'c>,
    i: usize,
    wanted: Type<'c>,
) -> Option<AbiConversion> {
    let align = rust.attribute_value(Place::Parameter(i as u32), "align").unwrap_or(1);
    let fits = is_bytes(wanted) && same_size(module, bytes, wanted);
    fits.then_some(AbiConversion::Memory(align as u32))
}

/// The bytes that a pointer of AArch64's convention refers to. Their size is not in the declaration.
fn copied(rust: Function<'_>, i: usize) -> Option<AbiConversion> {
    let align = rust.attribute_value(Place::Parameter(i as u32), "align")?;
    Some(AbiConversion::Memory(align as u32))
}

/// Whether the host's convention may be that of AArch64. A module of a GPU does not name its host any more, and was
/// checked when it did.
fn may_be_aarch64(module: &Module<'_>) -> bool {
    Platform::of(&module.triple()) != Some(Platform::X86_64)
}

fn by_value<'c>(module: &Module<'c>, given: Type<'c>, wanted: Type<'c>) -> Option<AbiConversion> {
    if given == wanted {
        return Some(AbiConversion::Same);
    }
    if given.is_pointer() && wanted.is_pointer() {
        return Some(AbiConversion::Pointer);
    }
    let half = matches!(wanted.kind(), TypeKind::Half | TypeKind::BFloat);
    let bits = |ty: Type<'c>| is_scalar(ty) || ty.kind() == TypeKind::Vector;
    match wanted.kind() {
        _ if half => (given.int_width() == Some(16)).then_some(AbiConversion::Bits),
        _ if !is_bytes(wanted) || !same_size(module, given, wanted) || given.is_pointer() => None,
        TypeKind::Vector if bits(given) && given.store_size(module) == wanted.store_size(module) => {
            Some(AbiConversion::Bits)
        }
        _ => Some(AbiConversion::Bytes),
    }
}

fn is_scalar(ty: Type<'_>) -> bool {
    ty.int_width().is_some() || matches!(ty.kind(), TypeKind::Float | TypeKind::Double)
}

/// Whether a type is an aggregate or a vector whose bytes have the same meaning in Rust and in LLVM.
fn is_bytes(ty: Type<'_>) -> bool {
    let part = |part: Type<'_>| match part.kind() {
        TypeKind::Half | TypeKind::BFloat => true,
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => is_bytes(part),
        // Vectors of single bits are packed; in a struct, a bit is a byte.
        _ => is_scalar(part) && (part.int_width() != Some(1) || ty.kind() == TypeKind::Struct),
    };
    matches!(ty.kind(), TypeKind::Struct | TypeKind::Array | TypeKind::Vector) && ty.parts().into_iter().all(part)
}

/// Whether Rust's type has the bytes of LLVM's, followed by padding at most.
fn same_size<'c>(module: &Module<'c>, given: Type<'c>, wanted: Type<'c>) -> bool {
    let (bytes, needed) = (extent(module, given), extent(module, wanted));
    let words = matches!(given.kind(), TypeKind::Integer | TypeKind::Array) && given.alignment(module) == WORD as u32;
    bytes == needed
        || bytes == wanted.alloc_size(module)
        || may_be_aarch64(module) && words && bytes == needed.next_multiple_of(WORD)
}

/// The number of bytes up to the end of the last field.
fn extent<'c>(module: &Module<'c>, ty: Type<'c>) -> u64 {
    match (ty.kind(), ty.parts().last()) {
        (TypeKind::Struct, Some(last)) => ty.field_offset(module, ty.parts().len() as u32 - 1) + extent(module, *last),
        _ => ty.store_size(module),
    }
}
