//! An object with definitions of functions that are never called. rustc lists the exports of crates in a separate
//! object, among them the stand-ins for the contract's builtins. Where that object cannot be changed, its names must be
//! defined. The functions are hidden, and in a section without references to it.

use std::collections::BTreeSet;

use crate::contract::platform::Platform;
use crate::error::Result;
use crate::llvm::{Context, FileKind, Machine, Module, OptLevel};

/// The object.
pub fn absent_functions(names: &BTreeSet<String>, platform: Platform) -> Result<Vec<u8>> {
    let context = Context::create();
    let machine = Machine::new(platform.triple(), platform.baseline(), "", OptLevel::O0.codegen(), true)?;
    let function = |name: &String| {
        format!("define hidden void @\"{name}\"() section \".text.offload.absent\" {{\n  unreachable\n}}\n")
    };
    let text = format!("target triple = \"{}\"\n{}", platform.triple(), names.iter().map(function).collect::<String>());
    let module = Module::from_text(&context, text.as_bytes(), "absent functions")?;
    module.set_machine(&machine);
    machine.emit(&module, FileKind::Object)
}
