//! Defines math functions for one target: by an intrinsic, a function of another library, or the portable library.

use super::link_math::link_math;
use super::name_math::name_math;
use crate::contract::math::{self, MathFunction, Native, Width};
use crate::error::Result;
use crate::llvm::{Builder, FastMath, Function, Module};
use crate::passes::legalize::legalize_linked::legalize_linked;

/// The implementation of a math function on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MathBody {
    /// The portable library's function.
    Portable,
    /// An intrinsic such as `llvm.sin`, with the `afn` flag.
    Approximate(String),
    /// A function of another library, with the same type.
    Library(String),
}

/// Lowers all of `module`. Returns the functions of the other library that are declared now.
pub fn lower_math(
    module: &Module<'_>,
    has: &dyn Fn(Native) -> bool,
    body: &dyn Fn(&MathFunction, Width) -> MathBody,
) -> Result<Vec<String>> {
    name_math(module, &|function, _| has(function.native));
    let declared = |f: &Function<'_>| f.is_declaration() && f.is_used();
    let mut needed = Vec::new();
    for function in module.functions().into_iter().filter(declared) {
        let Some((known, width)) = math::of_symbol(&function.name()) else { continue };
        let (callee, fast) = match body(known, width) {
            MathBody::Portable => continue,
            MathBody::Approximate(intrinsic) => (module.intrinsic(&intrinsic, &[width.float(module)]), true),
            MathBody::Library(symbol) => {
                let callee = module.declare(&symbol, function.function_type());
                needed.push(symbol);
                (callee, false)
            }
        };
        define(function, callee, fast);
    }
    legalize_linked(module, &link_math(module)?);
    Ok(needed)
}

/// `return callee(parameters...);`
fn define<'c>(function: Function<'c>, callee: Function<'c>, fast: bool) {
    let builder = Builder::at_end(function.append_block("entry"));
    let value = builder.call(callee, &function.parameters(), "");
    if fast {
        value.allow(FastMath::All);
    }
    builder.ret_result(Some(value));
    function.make_inlined();
}
