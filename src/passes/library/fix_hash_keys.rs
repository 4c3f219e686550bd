//! Gives the hash maps of `std` fixed keys on devices, which have no random numbers of an operating system and no
//! thread-locals.
//!
//! When a thread makes its first map, `RandomState::new` reads two numbers from the operating system and stores them in
//! a thread-local. It increments one of them for each map. rustc 1.90 to 1.101 use the two names below; rustc may
//! inline the functions between them. This pass replaces the operating system's numbers by 0, and each address of the
//! thread-local by the address of new memory. The bytes of this memory are 0, which is the initial value of the
//! thread-local in these versions: it means that the numbers have not been read yet. If 0 meant in a later version that
//! they have been read, the numbers would be 0, too.

use crate::error::Result;
use crate::llvm::{Builder, Function, Module, Value};
use crate::rust_std::owner::path_in_rusts_library;

/// The path of the thread-local; a closure's and a variable's name follow.
const KEYS: &str = "std::hash::random::RandomState::new::KEYS::";
/// The function that asks the operating system: the beginning and the end of its path.
const RANDOM_KEYS: (&str, &str) = ("std::sys::random::", "::hashmap_random_keys");

/// See `hash_keys.ll`.
const TEXT: &str = include_str!("hash_keys.ll");
/// The function in it, and the largest thread-local that its memory can replace, in bytes.
const NEW_KEYS: (&str, u64) = ("__offload_hash_keys", 64);

/// Replaces the numbers and the thread-local in `module`.
pub fn fix_hash_keys(module: &Module<'_>) -> Result<()> {
    module.functions().into_iter().filter(|f| is_random_keys(*f)).for_each(answer_zero);
    let keys: Vec<_> = module.variables().into_iter().filter(|v| is_keys(module, *v)).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let function = module.declare(NEW_KEYS.0, module.types().ptr(0).function(&[]));
    keys.into_iter().for_each(|variable| renew(variable, function));
    if function.is_used() {
        module.link_text(TEXT, "the keys of hash maps")
    } else {
        function.erase_global();
        Ok(())
    }
}

/// Whether a function returns two random words of the operating system.
fn is_random_keys(function: Function<'_>) -> bool {
    let Some(path) = path_in_rusts_library(&function.name()) else { return false };
    let result = function.function_type().result();
    let words = result.parts().len() == 2 && result.parts().iter().all(|part| part.int_width() == Some(64));
    path.starts_with(RANDOM_KEYS.0) && path.ends_with(RANDOM_KEYS.1) && words
}

fn answer_zero(function: Function<'_>) {
    if !function.is_declaration() {
        function.delete_body();
    }
    let builder = Builder::at_end(function.append_block("entry"));
    builder.ret(function.function_type().result().zero());
}

/// Whether a variable is the thread-local. Its path is `<std::hash::random::RandomState>::new` in newer mangling.
fn is_keys<'c>(module: &Module<'c>, variable: Value<'c>) -> bool {
    let Some(path) = path_in_rusts_library(&variable.name()) else { return false };
    let path = path.replace(['<', '>'], "");
    variable.is_thread_local() && path.starts_with(KEYS) && variable.value_type().alloc_size(module) <= NEW_KEYS.1
}

/// Replaces each result of `llvm.threadlocal.address` by the address of new memory.
fn renew<'c>(variable: Value<'c>, function: Function<'c>) {
    let address = |user: &Value<'c>| {
        user.is_call() && user.called_function().is_some_and(|f| f.name().starts_with("llvm.threadlocal.address"))
    };
    for call in variable.users().into_iter().filter(address) {
        call.replace_all_uses_with(Builder::before(call).call(function, &[], ""));
        call.erase();
    }
    if !variable.is_used() {
        variable.erase_global();
    }
}
