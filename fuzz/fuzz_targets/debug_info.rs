//! Debug information that LLVM's verifier accepts: the places and functions that messages name.
//!
//! The input is the metadata of a module with one inlined call. LLVM's reader of text does not check everything, so
//! the interesting inputs are those that its verifier accepts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use offloadc::analysis::location;
use offloadc::llvm::{Context, Module};

const CODE: &str = "\
define void @k(ptr %p) !dbg !3 {
  store i32 1, ptr %p, !dbg !5
  call void @f(ptr %p), !dbg !6
  ret void, !dbg !7
}
define internal void @f(ptr %p) !dbg !8 {
  store i32 2, ptr %p, !dbg !9
  ret void
}
";

fuzz_target!(|metadata: &str| {
    // Other functions would be about LLVM's reader.
    if metadata.contains("define") || metadata.contains("declare") {
        return;
    }
    let context = Context::create();
    let Ok(module) = Module::from_text(&context, format!("{CODE}{metadata}").as_bytes(), "fuzz") else { return };
    if module.verify().is_err() {
        return;
    }
    for function in module.definitions() {
        let _place = location::function_location(function);
        for instruction in function.instructions() {
            let _frames = instruction.frames();
            let _places = (location::user_location(instruction), location::own_location(instruction));
            let _call = location::call_location(instruction);
        }
    }
});
