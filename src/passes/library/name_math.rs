//! Replaces every use of a math function by one name: C's functions, LLVM's intrinsics, and `frem`.
//!
//! Functions that a target implements itself become intrinsics, or remain intrinsics. All others become calls of the
//! functions in `math.rs`, with one scalar per call and `f16` as `f32`. A function with C's name and a body is the
//! user's own, and is not changed.

use crate::contract::builtin::intrinsic_name;
use crate::contract::math::{MathFunction, Width};
use crate::llvm::{Builder, Function, Module, Opcode, Type, TypeKind, Value};

/// Whether an intrinsic remains for a function and a kind of float.
pub type KeepsIntrinsic<'k> = dyn Fn(&'static MathFunction, TypeKind) -> bool + 'k;

/// Rewrites all of `module`.
pub fn name_math(module: &Module<'_>, keeps: &KeepsIntrinsic<'_>) {
    name_math_functions(module, keeps);
    name_remainders(module);
}

/// Rewrites declarations and their uses, without reading any function body.
pub fn name_math_functions(module: &Module<'_>, keeps: &KeepsIntrinsic<'_>) {
    for function in module.functions() {
        if function.is_declaration() && function.is_used() {
            if function.is_intrinsic() {
                name_intrinsic(module, function, keeps);
            } else {
                name_c_function(module, function, keeps);
            }
        }
    }
}

fn name_remainders(module: &Module<'_>) {
    for function in module.definitions() {
        let remainders: Vec<_> = function.instructions().filter(|i| i.is(Opcode::FRem)).collect();
        let Some((fmod, _)) = MathFunction::of_c("fmod").filter(|_| !remainders.is_empty()) else { continue };
        for remainder in remainders {
            replace(&MathCall { module, call: remainder, function: fmod }, &remainder.operands());
        }
    }
}

/// Replaces calls of `__offload_intrinsic.llvm.sin.f32` and similar functions, whose types are Rust's, by calls of the
/// intrinsic. The table then decides about the implementation, and not the code generator.
pub fn name_math_by_symbol(module: &Module<'_>) {
    for declared in module.functions() {
        let symbol = declared.name();
        let Some(name) = intrinsic_name(&symbol).filter(|_| declared.is_used()) else { continue };
        let family = name.strip_prefix("llvm.").and_then(|n| n.split('.').next()).unwrap_or_default();
        if MathFunction::of_intrinsic(family).is_none() {
            continue;
        }
        let Ok(intrinsic) = module.intrinsic_of_name(name) else { continue };
        if intrinsic.function_type() == declared.function_type() {
            for call in declared.direct_calls() {
                let value = Builder::before(call).call(intrinsic, &call.arguments(), "");
                call.replace_all_uses_with(value);
                finish(call, value);
            }
        }
        for unused in [declared, intrinsic].into_iter().filter(|f| !f.is_used()) {
            unused.erase_global();
        }
    }
}

/// Replaces a function that is declared with C's name and type, at its calls and all other uses.
fn name_c_function<'c>(module: &Module<'c>, declared: Function<'c>, keeps: &KeepsIntrinsic<'_>) {
    let Some((function, width)) = MathFunction::of_c(&declared.name()) else { return };
    let ty = function.function_type(module, width);
    if declared.function_type() != ty {
        return;
    }
    let float = width.float(module);
    if !function.intrinsic.is_empty() && keeps(function, float.kind()) {
        let intrinsic = module.intrinsic(&format!("llvm.{}", function.intrinsic), &[float]);
        for call in declared.direct_calls() {
            let value = Builder::before(call).call(intrinsic, &call.arguments(), "");
            call.replace_all_uses_with(value);
            finish(call, value);
        }
    }
    declared.replace_all_uses_with(*declare(module, function, width));
}

fn declare<'c>(module: &Module<'c>, function: &MathFunction, width: Width) -> Function<'c> {
    let declared = module.declare(&function.symbol(width), function.function_type(module, width));
    declared.mark("nounwind");
    declared
}

fn name_intrinsic<'c>(module: &Module<'c>, intrinsic: Function<'c>, keeps: &KeepsIntrinsic<'_>) {
    let name = intrinsic.name();
    let family = name.strip_prefix("llvm.").and_then(|n| n.split('.').next()).unwrap_or_default();
    let Some(function) = MathFunction::of_intrinsic(family) else { return };
    let Some(float) = intrinsic.function_type().parameters().first().map(|ty| scalar(*ty)) else { return };
    if keeps(function, float.kind()) {
        return;
    }
    for call in intrinsic.direct_calls() {
        replace(&MathCall { module, call, function }, &call.arguments());
    }
}

/// The element of a vector type, or the type itself.
fn scalar(ty: Type<'_>) -> Type<'_> {
    if ty.vector_length().is_some() { ty.parts().first().copied().unwrap_or(ty) } else { ty }
}

/// An instruction that is replaced by calls of a function of `math.rs`.
struct MathCall<'a, 'c> {
    module: &'a Module<'c>,
    call: Value<'c>,
    function: &'static MathFunction,
}

/// Replaces an instruction by calls, if the function exists for its width.
fn replace<'c>(site: &MathCall<'_, 'c>, arguments: &[Value<'c>]) {
    let Some(float) = arguments.first().map(|argument| scalar(argument.ty())) else { return };
    let width = match float.kind() {
        TypeKind::Half | TypeKind::Float => Width::Single,
        TypeKind::Double => Width::Double,
        _ => return,
    };
    let callee = declare(site.module, site.function, width);
    let length = arguments[0].ty().vector_length();
    let builder = Builder::before(site.call);
    let index = |i: u32| site.module.types().i32().constant(i.into());
    let Some(length) = length else {
        let value = site.one(&builder, callee, arguments, site.call.ty());
        site.call.replace_all_uses_with(value);
        return finish(site.call, value);
    };
    let lane = |argument: &Value<'c>, i| match argument.ty().vector_length() {
        Some(_) => builder.extract_element(*argument, index(i), ""),
        None => *argument,
    };
    // An intrinsic that returns a struct of vectors: each call returns one element of each field.
    let ty = site.call.ty();
    let fields = if ty.vector_length().is_some() { Vec::new() } else { ty.parts() };
    let one = match fields.iter().map(|field| scalar(*field)).collect::<Vec<_>>() {
        none if none.is_empty() => scalar(ty),
        scalars => ty.types().structure(&scalars),
    };
    let value = (0..length).fold(ty.poison(), |all, i| {
        let lanes: Vec<_> = arguments.iter().map(|argument| lane(argument, i)).collect();
        let value = site.one(&builder, callee, &lanes, one);
        if fields.is_empty() {
            return builder.insert_element(all, value, index(i), "");
        }
        (0..fields.len() as u32).fold(all, |all, field| {
            let lane = builder.extract_value(value, field, "");
            let vector = builder.insert_element(builder.extract_value(all, field, ""), lane, index(i), "");
            builder.insert_value(all, vector, field, "")
        })
    });
    site.call.replace_all_uses_with(value);
    finish(site.call, value);
}

fn finish<'c>(call: Value<'c>, value: Value<'c>) {
    debug_assert!(call != value);
    call.erase();
}

impl<'c> MathCall<'_, 'c> {
    /// One call for one scalar. `ty` is the type of the intrinsic's result for it.
    fn one(&self, builder: &Builder<'c>, callee: Function<'c>, arguments: &[Value<'c>], ty: Type<'c>) -> Value<'c> {
        let types = callee.function_type().parameters();
        let mut values: Vec<_> =
            arguments.iter().zip(&types).map(|(value, wanted)| convert(builder, *value, *wanted)).collect();
        let written: Vec<_> = types[values.len()..].iter().map(|_| self.memory()).collect();
        values.extend(&written);
        let result = builder.call(callee, &values, "");
        if written.is_empty() {
            return convert(builder, result, ty);
        }
        let fields = ty.parts();
        let returned = usize::from(!result.ty().is_void());
        let own = written.iter().enumerate().map(|(i, memory)| {
            let field = fields[returned + i];
            let stored = if field.int_width().is_some() { field.types().i32() } else { types[0] };
            convert(builder, builder.load(stored, *memory, 0, ""), field)
        });
        let first = (returned == 1).then(|| convert(builder, result, fields[0]));
        let all: Vec<_> = first.into_iter().chain(own).collect();
        all.into_iter().enumerate().fold(ty.poison(), |all, (i, v)| builder.insert_value(all, v, i as u32, ""))
    }

    /// An alloca for the result that a function stores. It is in the entry block, so that loops do not allocate again.
    fn memory(&self) -> Value<'c> {
        let memory = Builder::at_start(self.call.function().blocks()[0]).alloca(self.module.types().double(), "");
        memory.set_alignment(8);
        memory
    }
}

/// Converts a float or an integer to another width.
fn convert<'c>(builder: &Builder<'c>, value: Value<'c>, to: Type<'c>) -> Value<'c> {
    let from = value.ty();
    if from == to {
        return value;
    }
    let half = |ty: Type<'_>| ty.kind() == TypeKind::Half;
    let opcode = match (from.int_width(), to.int_width()) {
        (Some(from), Some(to)) if from > to => Opcode::Trunc,
        (Some(_), Some(_)) => Opcode::SExt,
        _ if half(from) => Opcode::FPExt,
        _ => Opcode::FPTrunc,
    };
    builder.cast(opcode, value, to, "")
}
