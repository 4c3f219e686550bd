//! Parts that the GPU targets share: constructs that none of their code generators can compile, and launch-sized
//! shared memory.
//!
//! The lists contain the constructs on which LLVM 22's back ends abort. They were found by compiling each one;
//! `tests/codegen/gpu_targets.rs` compiles them again.

use super::PROCESSORS;
use super::not_for_kernels::NOT_FOR_KERNELS;
use crate::checks::check_support::{Refusal, is_one_of};
use crate::contract::address_space::AddressSpaceMap;
use crate::contract::builtin::intrinsic_name;
use crate::diagnostics::Code;
use crate::llvm::{Linkage, Module, Opcode, OptLevel, Type, TypeKind, Value, ValueKind};

/// The abilities of one GPU target that others lack.
pub(super) struct Abilities {
    /// Whether the back end expands a math intrinsic, named without `llvm.` and its types, for an argument of this
    /// type, and with sufficient precision.
    pub(super) math: fn(&str, TypeKind) -> bool,
    /// Whether it has conversions between floats and integers of more than 64 bits, other than saturating ones.
    pub(super) wide_conversions: bool,
    /// The prefix of the target's own intrinsics.
    pub(super) intrinsics: &'static str,
}

/// Math intrinsics that need a library on at least one target.
const MATH: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "atan2",
    "canonicalize",
    "cos",
    "cosh",
    "exp",
    "exp10",
    "exp2",
    "llrint",
    "llround",
    "log",
    "log10",
    "log2",
    "lrint",
    "lround",
    "modf",
    "pow",
    "powi",
    "sin",
    "sincos",
    "sincospi",
    "sinh",
    "tan",
    "tanh",
];

/// Intrinsics, without `llvm.` and their types, that no GPU back end compiles, in addition to [`NOT_FOR_KERNELS`].
const REFUSED: &[&str] = &[
    "addressofreturnaddress",
    "adjust.trampoline",
    "clear_cache",
    "eh.dwarf.cfa",
    "eh.return",
    "eh.sjlj",
    "experimental.constrained",
    "frameaddress",
    "get.dynamic.area.offset",
    "get.fpenv",
    "get.fpmode",
    "init.trampoline",
    "pcmarker",
    "reset.fpenv",
    "reset.fpmode",
    "returnaddress",
    "sdiv.fix",
    "set.fpenv",
    "set.fpmode",
    "set.rounding",
    "stackrestore",
    "stacksave",
    "thread.pointer",
    "udiv.fix",
];

/// The back ends lower fewer operations at level 0, where they are rarely used, and abort on ordinary code such as a
/// division and a remainder of the same 16-bit numbers. Unoptimised modules therefore use level 1.
pub(super) fn codegen_level(level: OptLevel) -> u32 {
    level.codegen().max(1)
}

/// The pass pipeline: LLVM's for a whole program whose parts have been simplified. Its code is at least as good as that
/// of the default pipeline, in two thirds of the time. Builtins are inlined and address spaces are inferred before it
/// runs, at each level: devices have no atomic instructions for private memory, and it must be known which access is to
/// it. So is code erased that nothing reaches, which may name functions that are not linked.
pub(super) fn pipeline(level: OptLevel) -> String {
    let rest = match level.pipeline().strip_prefix("default") {
        Some(of) if level != OptLevel::O0 => format!("lto{of}"),
        _ => format!("{},globaldce", level.pipeline()),
    };
    format!("always-inline,function(infer-address-spaces),{rest}")
}

/// Why `instruction` cannot be compiled; none if it can.
pub(super) fn refuse<'c>(module: &Module<'c>, instruction: Value<'c>, abilities: &Abilities) -> Option<Refusal> {
    unsupported_type(instruction).or_else(|| wide_atomic(module, instruction)).or_else(|| match instruction.opcode() {
        Opcode::Call => intrinsic(instruction, abilities),
        Opcode::VAArg => Some(no_code("reads a variable argument".into())),
        Opcode::IndirectBr => Some(no_code("jumps to a computed address".into())),
        Opcode::Alloca if instruction.operand(0).as_u64().is_none() => {
            Some(no_code("reserves stack memory of a size that is only known at run time".into()))
        }
        Opcode::FPToSI | Opcode::FPToUI | Opcode::SIToFP | Opcode::UIToFP if !abilities.wide_conversions => {
            [instruction.ty(), instruction.operand(0).ty()].into_iter().find_map(wide_conversion)
        }
        _ => None,
    })
}

fn no_code(what: String) -> Refusal {
    let help = "write it another way in kernels";
    Refusal { code: Code::NoDeviceCode, what: format!("{what}, which has no device code"), help }
}

/// A type of an operand or result that the device does not have.
fn unsupported_type(instruction: Value<'_>) -> Option<Refusal> {
    let operands = instruction.operands();
    if operands.iter().any(|o| o.kind() == ValueKind::BlockAddress) {
        return Some(no_code("takes the address of a block of code".into()));
    }
    let ty = [instruction.ty()].into_iter().chain(operands.iter().map(|o| o.ty())).find_map(find_unsupported)?;
    let what = format!("uses the type `{}`, which the device does not have", ty.text());
    Some(Refusal { code: Code::UnsupportedType, what, help: "use `f32` or `f64` in kernels" })
}

fn find_unsupported(ty: Type<'_>) -> Option<Type<'_>> {
    match ty.kind() {
        TypeKind::FP128
        | TypeKind::X86Fp80
        | TypeKind::PpcFp128
        | TypeKind::BFloat
        | TypeKind::X86Amx
        | TypeKind::TargetExt
        | TypeKind::ScalableVector => Some(ty),
        TypeKind::Struct | TypeKind::Array | TypeKind::Vector => ty.parts().into_iter().find_map(find_unsupported),
        _ => None,
    }
}

/// An atomic access to more than 8 bytes.
fn wide_atomic<'c>(module: &Module<'c>, instruction: Value<'c>) -> Option<Refusal> {
    let ty = match instruction.opcode() {
        Opcode::Load if instruction.is_atomic() => instruction.ty(),
        Opcode::Store if instruction.is_atomic() => instruction.operand(0).ty(),
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg => instruction.operand(1).ty(),
        _ => return None,
    };
    let bytes = ty.store_size(module);
    let what = format!("accesses {bytes} bytes atomically, and the limit is 8");
    (bytes > 8).then_some(Refusal { code: Code::UnsupportedAtomic, what, help: "use narrower atomics in kernels" })
}

fn wide_conversion(ty: Type<'_>) -> Option<Refusal> {
    let scalar = if ty.kind() == TypeKind::Vector { *ty.parts().first()? } else { ty };
    let wide = scalar.int_width().is_some_and(|width| width > 64);
    wide.then(|| {
        no_code(format!("converts between a float and an integer of {} bits", scalar.int_width().unwrap_or(0)))
    })
}

/// An intrinsic without device code.
fn intrinsic(call: Value<'_>, abilities: &Abilities) -> Option<Refusal> {
    let callee = call.called_function()?;
    let symbol = callee.name();
    let full = intrinsic_name(&symbol).or_else(|| callee.is_intrinsic().then_some(symbol.as_str()))?;
    let name = full.strip_prefix("llvm.")?;
    let family = name.split('.').next().unwrap_or(name);
    if MATH.contains(&family) {
        return math(call, family, full, abilities);
    }
    if name.starts_with("fptosi.sat") || name.starts_with("fptoui.sat") {
        return wide_conversion(call.ty());
    }
    // An intrinsic that the user named is reported elsewhere, with its call path.
    let foreign = callee.is_intrinsic() && PROCESSORS.contains(&family) && family != abilities.intrinsics;
    (is_one_of(name, REFUSED) || is_one_of(name, NOT_FOR_KERNELS) || foreign)
        .then(|| no_code(format!("calls `{full}`")))
}

fn math(call: Value<'_>, name: &str, full: &str, abilities: &Abilities) -> Option<Refusal> {
    let ty = call.operand(0).ty();
    let scalar = if ty.kind() == TypeKind::Vector { *ty.parts().first()? } else { ty };
    // A constant power becomes multiplications.
    let expanded = name == "powi" && call.arguments().get(1).is_some_and(|power| power.as_u64().is_some());
    if expanded || (abilities.math)(name, scalar.kind()) {
        return None;
    }
    let what = format!("calls the math function `{name}` (`{full}`), which has no device code yet");
    Some(Refusal { code: Code::NoDeviceCode, what, help: "compute it on the host, or write it with basic arithmetic" })
}

/// The launch-sized part of workgroup memory, as a generic pointer: an array without a size, `extern __shared__
/// __align__(16) char name[]` in CUDA, which follows all other shared memory.
pub(super) fn dynamic_shared<'c>(module: &Module<'c>, address_spaces: &AddressSpaceMap) -> Value<'c> {
    let bytes = module.types().i8().array(0);
    let variable = module.add_variable("__offload_dynamic_shared_bytes", bytes, address_spaces.shared);
    variable.set_linkage(Linkage::External);
    variable.set_alignment(16);
    variable.constant_address_space_cast(module.types().ptr(address_spaces.generic))
}
