//! Derives a kernel's parameter table from its IR signature. Host and devices use this table.
//!
//! rustc has applied the x86-64 C convention: a slice or a struct of two words is one `{i64, i64}`, a `[f32; 3]` is
//! `{double, float}`, and a larger struct is `byval`. The values are loaded from the bytes of the argument, so a launch
//! passes these bytes. Large values of the Rust convention (`dead_on_return`) cannot be distinguished from references,
//! and are refused.
//!
//! The convention of AArch64 differs in two kinds of structs. A struct of up to 16 bytes is one `i64` or `[2 x i64]`,
//! whose last word it may not fill, unless its fields are up to four floats of one type. A larger one is a pointer to
//! a copy. rustc marks this pointer (`dead_on_return`), since LLVM 21 and if it optimises. Other pointers to copies
//! cannot be distinguished from references; the runtime refuses their launches, because the argument has another size.

use crate::contract::kernel::{Extent, Parameter, ParameterKind};
use crate::contract::platform::Platform;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, Place, Type, TypeKind};

/// The largest total size of a launch's arguments. The limits of all drivers are far lower.
const MAX_ARGUMENT_BYTES: u64 = 64 * 1024;
const TOO_LARGE: &str = "takes more than 64 KiB of arguments";

/// Checks that a kernel is defined in the program and has no result.
pub fn check_function(function: Function<'_>, display: &str) -> Result<(), Diagnostic> {
    if function.is_declaration() {
        let message = format!("kernel `{display}` has no body in this input");
        return Err(Diagnostic::coded(Code::NoDeviceCode, message)
            .help("also give offloadc the bitcode of the crate that defines it"));
    }
    if !function.function_type().result().is_void() {
        return Err(Diagnostic::coded(Code::KernelReturns, format!("kernel `{display}` returns a value"))
            .help("let it return nothing and write its result through a pointer"));
    }
    if function.function_type().is_vararg() {
        return Err(signature(display, "takes variable arguments"));
    }
    Ok(())
}

/// The table of a block kernel, which has one row.
pub fn block_parameters(
    function: Function<'_>,
    display: &str,
    size: u32,
    align: u32,
) -> Result<Vec<Parameter>, Diagnostic> {
    let types = function.function_type().parameters();
    let by_copy = |name: &&str| function.has_attribute(Place::Parameter(0), name);
    let pointer = types.len() == 1 && types[0].is_pointer() && types[0].address_space() == 0;
    if !pointer || ["byval", "sret", "dead_on_return"].iter().any(by_copy) {
        return Err(signature(display, "is a block kernel and must take exactly one pointer, to its arguments"));
    }
    if u64::from(size) > MAX_ARGUMENT_BYTES {
        return Err(signature(display, TOO_LARGE));
    }
    if !align.is_power_of_two() || !size.is_multiple_of(align) {
        let what = format!("is marked with size {size} and alignment {align}, which no Rust type has");
        return Err(signature(display, &what));
    }
    Ok(vec![Parameter { offset: 0, size, align, kind: ParameterKind::Block, extent: None }])
}

/// The table of a plain kernel: one row for each IR parameter, with offsets as in a C struct.
pub fn plain_parameters<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    display: &str,
) -> Result<Vec<Parameter>, Diagnostic> {
    let mut table: Vec<Parameter> = Vec::new();
    for (i, ty) in function.function_type().parameters().into_iter().enumerate() {
        let (size, align, kind) = parameter(module, function, i as u32, ty)
            .map_err(|why| signature(display, &format!("takes parameter {i}, which {why}")))?;
        let end = table.last().map_or(0, |p| p.offset + p.size);
        if u64::from(end) + u64::from(size) + u64::from(align) > MAX_ARGUMENT_BYTES {
            return Err(signature(display, TOO_LARGE));
        }
        let extent = if kind == ParameterKind::Pointer { extent(function, i as u32) } else { None };
        table.push(Parameter { offset: end.next_multiple_of(align), size, align, kind, extent });
    }
    Ok(table)
}

/// The properties of the memory that a pointer leads to. The IR has attributes for the accesses that a kernel does
/// *not* make.
fn extent(function: Function<'_>, index: u32) -> Option<Extent> {
    let place = Place::Parameter(index);
    let bytes = function.attribute_value(place, "dereferenceable").filter(|bytes| *bytes > 0)?;
    let unless = |name| !function.has_attribute(place, name) && !function.has_attribute(place, "readnone");
    Some(Extent { bytes, read: unless("writeonly"), written: unless("readonly") })
}

fn signature(display: &str, what: &str) -> Diagnostic {
    Diagnostic::coded(Code::KernelSignature, format!("kernel `{display}` {what}")).help(
        "a plain kernel is `extern \"C\"` and takes integers, floats, raw pointers and `repr(C)` structs by value; \
         anything else goes into one struct behind `__offload_kernel_block`",
    )
}

/// The size, alignment and kind of an IR parameter, or why it is not supported.
fn parameter<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    index: u32,
    ty: Type<'c>,
) -> Result<(u32, u32, ParameterKind), &'static str> {
    let place = Place::Parameter(index);
    if function.has_attribute(place, "sret") {
        return Err("is the address of the result (`sret`)");
    }
    let is_aarch64 = Platform::of(&module.triple()) == Some(Platform::Aarch64);
    if is_aarch64 && function.has_attribute(place, "dead_on_return") {
        let bytes = function.attribute_value(place, "dereferenceable");
        let bytes = bytes.ok_or("is a large value in memory, whose size is not in the input")?;
        let align = function.attribute_value(place, "align").unwrap_or(1);
        return Ok((bounded(bytes)?, bounded(align)?, ParameterKind::Value));
    }
    if function.has_attribute(place, "dead_on_return") {
        return Err("is a large value passed by the address of the caller's copy (the Rust calling convention)");
    }
    let in_memory = function.byval_type(index);
    if !fits_devices(in_memory.unwrap_or(ty)) {
        return Err("is of a type that devices do not have");
    }
    if let Some(pointee) = in_memory {
        let align = function.attribute_value(place, "align").unwrap_or(8).max(1);
        return Ok((bounded(pointee.alloc_size(module))?, bounded(align)?, ParameterKind::Value));
    }
    match ty.kind() {
        TypeKind::Pointer if ty.address_space() <= 1 => Ok((8, 8, ParameterKind::Pointer)),
        TypeKind::Pointer => Err("is a pointer into memory that a launch cannot reach"),
        _ => {
            let words = is_aarch64 && in_words(ty, function.has_attribute(place, "noundef"));
            let kind = if words { ParameterKind::Words } else { ParameterKind::Value };
            Ok((bounded(value_size(module, ty))?, ty.alignment(module), kind))
        }
    }
}

/// Whether a parameter may be a struct in one or two words, on AArch64. An integer of the source is initialised, and an
/// optimising rustc marks it as such.
fn in_words(ty: Type<'_>, is_initialised: bool) -> bool {
    let is_word = |ty: Type<'_>| ty.int_width() == Some(64);
    match ty.kind() {
        TypeKind::Integer => is_word(ty) && !is_initialised,
        TypeKind::Array => ty.parts().into_iter().all(is_word),
        _ => false,
    }
}

fn bounded(bytes: u64) -> Result<u32, &'static str> {
    let fits = u32::try_from(bytes).ok().filter(|b| u64::from(*b) <= MAX_ARGUMENT_BYTES);
    fits.ok_or("is larger than 64 KiB")
}

/// Whether all devices have every scalar in a type.
fn fits_devices(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::Pointer | TypeKind::Integer | TypeKind::Half | TypeKind::Float | TypeKind::Double => true,
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => ty.parts().into_iter().all(fits_devices),
        _ => false,
    }
}

/// The size of a value without padding after the last field: rustc's `{double, float}` represents the 12 bytes of a
/// `[f32; 3]`.
fn value_size<'c>(module: &Module<'c>, ty: Type<'c>) -> u64 {
    let fields = if ty.kind() == TypeKind::Struct { ty.parts() } else { Vec::new() };
    match fields.last() {
        Some(last) => ty.field_offset(module, fields.len() as u32 - 1) + value_size(module, *last),
        None => ty.store_size(module),
    }
}
