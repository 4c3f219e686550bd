//! Defines a builtin whose body is LLVM IR text, written for the module's own address spaces.

use crate::error::Result;
use crate::llvm::{Linkage, Module};

/// Links `text`, which defines `symbol`, if `module` uses the symbol. The body is internal.
pub fn link_text(module: &Module<'_>, symbol: &str, text: &str) -> Result<()> {
    if !module.function(symbol).is_some_and(|f| f.is_declaration() && f.is_used()) {
        return Ok(());
    }
    module.link_text(text, symbol)?;
    if let Some(function) = module.function(symbol) {
        function.set_linkage(Linkage::Internal);
    }
    Ok(())
}
