//! Defines the C library's memory functions, for targets without such a library, and calls them instead of intrinsics
//! that a back end expands into loops over bytes.
//!
//! The bodies are in `memory/functions.rs`, which `build.rs` compiles. Their names differ from C's, because LLVM
//! assumes that a function with C's name is the C library's.
//!
//! Before: pointers are generic, in address space 0.

use std::cmp::Ordering;

use crate::contract::memory_functions::MEMORY_FUNCTIONS;
use crate::error::{Context as _, Result};
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Opcode, Place, Value};

/// The bitcode that `build.rs` has written.
static BODIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/memory.bc"));

/// Copies and fills of fewer bytes become a sequence of loads and stores on every target.
const FEW: u64 = 64;
/// The same limit for copies and fills of whole words.
pub(crate) const MANY: u64 = 256;
/// The size of a word in bytes.
const WORD: u64 = 4;

/// The intrinsics, without the prefix `llvm.`, that become calls of the function with the same name if they are long.
pub type LoweredMemops = &'static [&'static str];

/// Defines the memory functions that `module` declares and uses, including those that replace intrinsics of `lowered`.
pub fn lower_memory_functions(module: &Module<'_>, lowered: LoweredMemops) -> Result<()> {
    for function in module.functions() {
        let name = function.name();
        let Some((family, types)) = name.strip_prefix("llvm.").and_then(|name| name.split_once('.')) else { continue };
        // `llvm.memcpy.inline` must not become a call: it may be a part of the user's own `memcpy`.
        if function.is_intrinsic() && lowered.contains(&family) && !types.starts_with("inline.") {
            let calls = function.users().into_iter().filter(|user| is_long(*user, family));
            calls.collect::<Vec<_>>().into_iter().for_each(|call| call_function(module, call, family));
        }
    }
    let declared = |name: &&str| module.function(name).is_some_and(|f| f.is_declaration() && f.is_used());
    let used: Vec<_> = MEMORY_FUNCTIONS.into_iter().filter(declared).collect();
    if used.is_empty() {
        return Ok(());
    }
    let symbols: Vec<_> = used.iter().map(|name| format!("__offload_{name}")).collect();
    for (name, symbol) in used.iter().zip(&symbols) {
        if let Some(function) = module.function(name) {
            function.set_name(symbol);
        }
    }
    let linked = module.linker().link(BODIES, "the memory functions", &symbols, false, &|_| true);
    linked.context("cannot take functions out of the memory functions")?;
    symbols.iter().filter_map(|symbol| module.function(symbol)).for_each(make_own);
    Ok(())
}

/// Whether an intrinsic needs more than a few instructions. Overlapping memory (`memmove`) cannot be copied in parts.
fn is_long(call: Value<'_>, family: &str) -> bool {
    let arguments = call.arguments();
    let generic = |value: &&Value<'_>| !value.ty().is_pointer() || value.ty().address_space() == 0;
    if arguments[3].as_u64() != Some(0) || arguments.iter().filter(generic).count() != arguments.len() {
        return false;
    }
    let sides = if family == "memset" { 1 } else { 2 };
    let by_words = (0..sides).all(|side| alignment(call, side) >= WORD);
    let most = if by_words && family != "memmove" { MANY } else { FEW };
    arguments[2].as_u64().is_none_or(|bytes| bytes > most)
}

/// The alignment of a pointer argument of an intrinsic.
pub(crate) fn alignment(call: Value<'_>, side: u32) -> u64 {
    call.attribute_value(Place::Parameter(side), "align").unwrap_or(1)
}

/// Replaces `llvm.memcpy(dst, src, n, false)` by `memcpy(dst, src, n)`.
fn call_function<'c>(module: &Module<'c>, call: Value<'c>, family: &str) {
    let builder = Builder::before(call);
    let (pointer, int) = (module.types().ptr(0), |bits| module.types().int(bits));
    // 64 bits suffice for the length of any memory.
    let resized = |value: Value<'c>, bits| match value.ty().int_width().cmp(&Some(bits)) {
        Ordering::Less => builder.cast(Opcode::ZExt, value, int(bits), ""),
        Ordering::Equal => value,
        Ordering::Greater => builder.cast(Opcode::Trunc, value, int(bits), ""),
    };
    let second = if family == "memset" { int(32) } else { pointer };
    let ty = pointer.function(&[pointer, second, int(64)]);
    let function = module.declare(family, ty);
    let given = call.arguments();
    let middle = if given[1].ty().is_pointer() { given[1] } else { resized(given[1], 32) };
    builder.call_typed(ty, *function, &[given[0], middle, resized(given[2], 64)], "");
    call.erase();
}

/// Removes the attributes of the host's compiler from a body.
fn make_own(function: Function<'_>) {
    function.set_linkage(Linkage::Internal);
    function.remove_text_attributes();
    ["uwtable", "nonlazybind", "memory"].into_iter().for_each(|name| function.remove_attribute(Place::Function, name));
    function.add_attribute(Place::Function, &Attribute::Text("no-builtins".into(), String::new()));
    function.mark("nounwind");
}
