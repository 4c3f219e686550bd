//! Defines the contract's approximate functions for one target: by an instruction, by other functions of the target, or
//! as the exact function.
//!
//! The bodies are internal and always inlined. Exact functions come from the portable library. Precondition: other math
//! functions are lowered, because the instruction of an approximate one may be an intrinsic that means an exact one
//! elsewhere.

use super::link_math::link_math;
use crate::contract::builtin::{BUILTINS, BuiltinId};
use crate::contract::fast::FastFunction;
use crate::contract::math::{MathFunction, Width};
use crate::error::Result;
use crate::llvm::{Builder, FastMath, Function, Module, Opcode, Place, Value};
use crate::passes::legalize::legalize_linked::legalize_linked;

/// The implementation of an approximate function on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastBody {
    /// The exact function.
    Exact,
    /// The target's own intrinsic. The name has no types.
    Intrinsic(&'static str),
    /// The same, with the type `f32` in its name.
    OfFloat(&'static str),
    /// An intrinsic such as `llvm.sin`, with the `afn` flag.
    Approximate(&'static str),
    /// A division with the `afn` flag.
    Quotient,
    /// An instruction with one result and one operand, in the target's assembly.
    Assembly(&'static str),
    /// A function of another library.
    Library(&'static str),
    /// Made of other approximate functions: all but the sine, the cosine, the power and logarithm of 2, the reciprocal
    /// and the square roots can be.
    Made,
}

/// Defines every such function that `module` declares.
pub fn lower_fast_functions(module: &Module<'_>, body: &dyn Fn(FastFunction) -> FastBody) -> Result<()> {
    for builtin in BUILTINS {
        let BuiltinId::Fast(fast) = builtin.id else { continue };
        let Some(function) = module.function(builtin.name).filter(|f| f.is_declaration()) else { continue };
        if function.is_used() {
            define(module, function, fast, body);
        } else {
            function.erase_global();
        }
    }
    legalize_linked(module, &link_math(module)?);
    Ok(())
}

/// The value of the exact function, which has this name.
pub fn exact<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    fast: FastFunction,
    parameters: &[Value<'c>],
    name: &dyn Fn(&MathFunction) -> String,
) -> Value<'c> {
    let float = module.types().float();
    let quotient = |left, right| builder.binary(Opcode::FDiv, left, right, "");
    let root = |of| builder.call(module.intrinsic("llvm.sqrt", &[float]), &[of], "");
    let Some((function, width)) = fast.c_name().and_then(MathFunction::of_c) else {
        return match fast {
            FastFunction::Div => quotient(parameters[0], parameters[1]),
            FastFunction::Rcp => quotient(float.real(1.0), parameters[0]),
            FastFunction::Rsqrt => quotient(float.real(1.0), root(parameters[0])),
            _ => root(parameters[0]),
        };
    };
    let callee = module.declare(&name(function), function.function_type(module, width));
    callee.mark("nounwind");
    builder.call(callee, parameters, "")
}

fn define<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    fast: FastFunction,
    body: &dyn Fn(FastFunction) -> FastBody,
) {
    function.make_inlined();
    // LLVM derives the effects from the body.
    function.remove_attribute(Place::Function, "memory");
    let builder = Builder::at_end(function.append_block("entry"));
    let (float, parameters) = (module.types().float(), function.parameters());
    let value = match body(fast) {
        FastBody::Exact => exact(module, &builder, fast, &parameters, &|f| f.symbol(Width::Single)),
        FastBody::Quotient => {
            let value = exact(module, &builder, fast, &parameters, &|f| f.symbol(Width::Single));
            value.allow(FastMath::Approximate);
            value
        }
        FastBody::Intrinsic(name) => builder.call(module.intrinsic(name, &[]), &parameters, ""),
        FastBody::OfFloat(name) => builder.call(module.intrinsic(name, &[float]), &parameters, ""),
        FastBody::Approximate(name) => {
            let value = builder.call(module.intrinsic(name, &[float]), &parameters, "");
            value.allow(FastMath::Approximate);
            value
        }
        FastBody::Assembly(text) => builder.pure_assembly(float, text, "=f,f", &parameters),
        FastBody::Library(name) => builder.call(module.declare(name, function.function_type()), &parameters, ""),
        FastBody::Made => Maker { module, builder: &builder, body }.make(fast, &parameters),
    };
    builder.ret_result(Some(value));
}

/// Makes a function of others.
struct Maker<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    body: &'a dyn Fn(FastFunction) -> FastBody,
}

impl<'c> Maker<'_, 'c> {
    fn make(&self, fast: FastFunction, parameters: &[Value<'c>]) -> Value<'c> {
        use FastFunction::{Cos, Div, Exp, Exp2, Exp10, Log, Log2, Log10, Pow, Rcp, Rsqrt, Sin, Sqrt, Tan, Tanh};
        let x = parameters[0];
        match fast {
            Exp => self.call(Exp2, &[self.times(x, std::f64::consts::LOG2_E)]),
            Exp10 => self.call(Exp2, &[self.times(x, std::f64::consts::LOG2_10)]),
            Log => self.times(self.call(Log2, &[x]), std::f64::consts::LN_2),
            Log10 => self.times(self.call(Log2, &[x]), std::f64::consts::LOG10_2),
            Pow => self.call(Exp2, &[self.product(parameters[1], self.call(Log2, &[x]))]),
            Div => self.product(x, self.call(Rcp, &[parameters[1]])),
            Tan => self.call(Div, &[self.call(Sin, &[x]), self.call(Cos, &[x])]),
            Tanh => {
                // 1 - 2 / (exp(2 x) + 1), which is also right where the power is infinite.
                let float = x.ty();
                let power = self.call(Exp, &[self.times(x, 2.0)]);
                let sum = self.builder.binary(Opcode::FAdd, power, float.real(1.0), "");
                let twice = self.times(self.call(Rcp, &[sum]), 2.0);
                self.builder.binary(Opcode::FSub, float.real(1.0), twice, "")
            }
            Cos | Exp2 | Log2 | Rcp | Rsqrt | Sin | Sqrt => {
                unreachable!("a target has an instruction for `{}`", fast.symbol())
            }
        }
    }

    fn product(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.builder.binary(Opcode::FMul, left, right, "")
    }

    fn times(&self, value: Value<'c>, factor: f64) -> Value<'c> {
        self.product(value, value.ty().real(factor))
    }

    /// A call of another function, which may need a definition.
    fn call(&self, fast: FastFunction, arguments: &[Value<'c>]) -> Value<'c> {
        let (module, types) = (self.module, arguments.iter().map(|value| value.ty()).collect::<Vec<_>>());
        let function = module.declare(fast.symbol(), module.types().float().function(&types));
        if function.is_declaration() {
            define(module, function, fast, self.body);
        }
        self.builder.call(function, arguments, "")
    }
}
