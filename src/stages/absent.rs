//! An object that defines functions which nothing calls. rustc lists the exports of crates in an object of its own,
//! among them the stand-ins for the contract's builtins, and where that object cannot be changed, its names must be
//! defined. The functions are hidden and in a section that nothing refers to.

use std::collections::BTreeSet;

use super::host::TRIPLE;
use crate::error::Result;
use crate::llvm::{Context, FileKind, Machine, Module, OptLevel};

/// The object.
pub fn absent_functions(names: &BTreeSet<String>) -> Result<Vec<u8>> {
    let context = Context::create();
    let machine = Machine::new(TRIPLE, "x86-64", "", OptLevel::O0.codegen(), true)?;
    let function = |name: &String| {
        format!("define hidden void @\"{name}\"() section \".text.offload.absent\" {{\n  unreachable\n}}\n")
    };
    let text = format!("target triple = \"{TRIPLE}\"\n{}", names.iter().map(function).collect::<String>());
    let module = Module::from_text(&context, text.as_bytes(), "absent functions")?;
    module.set_machine(&machine);
    machine.emit(&module, FileKind::Object)
}
