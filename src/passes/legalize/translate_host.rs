//! Translates code for the host's processor into code with the same meaning on a device, if there is one.
//!
//! - Assembly that only computes a value becomes the intrinsic or operation with the same meaning. Assembly without an
//!   instruction becomes its operands.
//! - Intrinsics that only compute, of instructions that every host has, are defined (`define_host_intrinsics.rs`).
//! - `cpuid` and `xgetbv` return that there are no optional features. Crates call them before they enter code that was
//!   compiled for such features. A function with such features that contains assembly or intrinsics of the host is
//!   therefore never entered and becomes a trap. If a kernel calls it without a check (`feature_guards.rs`), it is an
//!   error.
//!   On AArch64, crates ask `getauxval` instead, which returns the same.
//! - Instructions that wait or order memory become a fence, or nothing.
//!
//! `check_device` reports the rest. The meaning of the instructions is from Intel's and AMD's manuals. rustc writes
//! Intel's syntax, with the destination first.

use std::collections::BTreeSet;

use super::define_host_intrinsics::define_host_intrinsics;
use super::empty_assembly::{is_empty_assembly, value_of_empty};
use crate::analysis::feature_guards::unguarded_functions;
use crate::contract::kernel::KernelSet;
use crate::contract::platform::{Platform, host_intrinsic};
use crate::error::Result;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Ordering, Place, Value};
use crate::rust_std::feature_detection::{NO_FEATURES, is_feature_cache};

/// C's function for a value that the system passes to a program, among them the features of the processor.
const AUXILIARY_VALUE: &str = "getauxval";

/// Rewrites `module`, which still has the attributes of the host.
pub fn translate_host(module: &Module<'_>, kernels: &KernelSet) -> Result<()> {
    for function in module.definitions() {
        let calls: Vec<_> = function.instructions().filter(|i| i.is(Opcode::Call)).collect();
        for call in calls {
            if call.calls_inline_asm() {
                translate_assembly(module, call);
            } else if let Some(name) = intrinsic_of_host(call) {
                translate_intrinsic(call, &name);
            }
        }
    }
    trap_optional(module, kernels);
    answer_detection(module);
    answer_auxiliary_values(module);
    define_host_intrinsics(module)
}

/// Gives `std_detect` the cache of a processor without features, so that no kernel executes `cpuid`.
fn answer_detection(module: &Module<'_>) {
    for words in module.variables().into_iter().filter(|v| is_feature_cache(&v.name())) {
        let word = module.types().i64();
        let ty = word.array(words.value_type().alloc_size(module) / 8);
        let asked = vec![word.constant(NO_FEATURES); (words.value_type().alloc_size(module) / 8) as usize];
        let new = module.add_variable("offload.features", ty, 0);
        new.set_initializer(Some(word.constant_array(&asked)));
        new.set_constant_global(true);
        new.set_linkage(Linkage::Internal);
        new.set_alignment(8);
        words.replace_all_uses_with(new);
        words.erase_global();
    }
}

/// On AArch64, crates ask the system for the processor's features. A device has none of them.
fn answer_auxiliary_values(module: &Module<'_>) {
    let Some(question) = module.function(AUXILIARY_VALUE).filter(|f| f.is_declaration()) else { return };
    for call in question.calls().into_iter().filter(|call| call.is_plain_call_of(question)) {
        call.replace_all_uses_with(call.ty().zero());
        call.erase();
    }
    if !question.is_used() {
        question.erase_global();
    }
}

fn intrinsic_of_host(call: Value<'_>) -> Option<String> {
    host_intrinsic(&call.called_function()?.name()).map(str::to_owned)
}

fn translate_intrinsic(call: Value<'_>, name: &str) {
    match name {
        "xgetbv" => call.replace_all_uses_with(call.ty().zero()),
        "sse2.pause" | "isb" | "hint" => {}
        "sse2.mfence" | "sse2.lfence" | "sse.sfence" | "dmb" | "dsb" => {
            let ordering = Ordering::SequentiallyConsistent;
            Builder::before(call).fence(ordering, "");
        }
        _ => return,
    }
    call.erase();
}

/// Replaces a call of assembly with a single instruction that does not access memory.
fn translate_assembly<'c>(module: &Module<'c>, call: Value<'c>) {
    let (text, constraints) = (call.inline_asm_text(), call.inline_asm_constraints());
    if call.ty().is_void() {
        if is_empty_assembly(call) {
            call.erase();
        }
        return;
    }
    let value = if is_empty_assembly(call) {
        value_of_empty(call)
    } else if text.lines().any(|line| line.trim() == "cpuid") {
        Some(call.ty().zero())
    } else {
        let operands = Operands::of(call, &constraints);
        let one = operands.and_then(|operands| computed(module, call, &text, &operands));
        one.or_else(|| divided(call, &text, &constraints))
    };
    if let Some(value) = value {
        call.replace_all_uses_with(value);
        call.erase();
    }
}

/// The value that an instruction writes to its first operand.
fn computed<'c>(module: &Module<'c>, call: Value<'c>, text: &str, operands: &Operands<'c>) -> Option<Value<'c>> {
    let text = text.trim();
    let (mnemonic, names) = text.split_once(char::is_whitespace)?;
    let names: Vec<_> = names.split(',').map(str::trim).collect();
    // The instruction does not read and write a whole register that holds another type, such as a vector.
    let types = [("sd", call.types().double()), ("ss", call.types().float())];
    let scalar = types.iter().any(|(end, ty)| mnemonic.ends_with(end) && call.ty() == *ty);
    let values: Vec<_> = names.iter().map(|name| operands.numbered(name)).collect::<Option<_>>()?;
    let numbers = scalar && !text.contains('\n') && values.iter().all(|value| value.ty() == call.ty());
    if !numbers || operands.index(names.first()?) != Some(0) {
        return None;
    }
    let (name, order): (_, &[usize]) = match mnemonic.trim_end_matches(['s', 'd']) {
        "sqrt" => ("llvm.sqrt", &[1]),
        "vfmadd132" => ("llvm.fma", &[0, 2, 1]),
        "vfmadd213" => ("llvm.fma", &[1, 0, 2]),
        "vfmadd231" => ("llvm.fma", &[1, 2, 0]),
        // AMD's instructions have four operands.
        "vfma" => ("llvm.fma", &[1, 2, 3]),
        _ => return None,
    };
    let arguments: Vec<_> = order.iter().map(|at| values.get(*at).copied()).collect::<Option<_>>()?;
    Some(Builder::before(call).call(module.intrinsic(name, &[call.ty()]), &arguments, ""))
}

/// The remainder and the quotient of `div`, which divides the two words in `dx` and `ax` by a third. On the host, it
/// faults if the quotient needs more than one word; in a kernel, the result is the lower word.
fn divided<'c>(call: Value<'c>, text: &str, constraints: &str) -> Option<Value<'c>> {
    let fields = call.ty().parts();
    let width = fields.first()?.int_width().filter(|width| [32, 64].contains(width))?;
    let divisor: usize = text.trim().strip_prefix("div $")?.trim_matches(['{', '}']).split(':').next()?.parse().ok()?;
    let constraints: Vec<_> = constraints.split(',').filter(|c| !c.starts_with('~')).collect();
    let outputs = constraints.iter().filter(|c| c.starts_with('=')).count();
    let place =
        |register: &str| constraints[..outputs].iter().position(|c| c.trim_start_matches(['=', '&']) == register);
    let (high, low) = (place("{dx}")?, place("{ax}")?);
    let argument = |constraint: String| {
        let at = constraints[outputs..].iter().position(|c| *c == constraint)?;
        call.arguments().get(at).copied()
    };
    let dividend = [argument(high.to_string())?, argument(low.to_string())?];
    let divisor = *call.arguments().get(divisor.checked_sub(outputs)?)?;
    let word = fields[0];
    if outputs != 2 || fields[1] != word || divisor.ty() != word || dividend.iter().any(|half| half.ty() != word) {
        return None;
    }
    let (builder, wide) = (Builder::before(call), word.types().int(2 * width));
    let [high_half, low_half, by] =
        [dividend[0], dividend[1], divisor].map(|half| builder.cast(Opcode::ZExt, half, wide, ""));
    let shifted = builder.binary(Opcode::Shl, high_half, wide.constant(width.into()), "");
    let whole = builder.binary(Opcode::Or, shifted, low_half, "");
    let results = [(high, Opcode::URem), (low, Opcode::UDiv)].into_iter();
    Some(results.fold(call.ty().poison(), |sum, (at, opcode)| {
        let result = builder.cast(Opcode::Trunc, builder.binary(opcode, whole, by, ""), word, "");
        builder.insert_value(sum, result, at as u32, "")
    }))
}

/// The operands of assembly with one result, before it is executed.
struct Operands<'c> {
    /// The first one is the operand in the result's register, if there is one.
    values: Vec<Option<Value<'c>>>,
}

impl<'c> Operands<'c> {
    /// None if the assembly has effects that its operands do not show. `=&x,0,x,~{flags}` is a result in the same
    /// register as the first input, another input, and a register that is overwritten.
    fn of(call: Value<'c>, constraints: &str) -> Option<Self> {
        let mut arguments = call.arguments().into_iter();
        let mut values = Vec::new();
        for (at, constraint) in constraints.split(',').filter(|c| !c.is_empty()).enumerate() {
            match constraint {
                "~{memory}" => return None,
                other if other.starts_with("~") => {}
                result if result.starts_with('=') && at == 0 && !result.contains('*') => values.push(None),
                "0" => {
                    let value = arguments.next()?;
                    *values.first_mut()? = Some(value);
                    values.push(Some(value));
                }
                input if !input.contains(['=', '*', '+']) => values.push(Some(arguments.next()?)),
                _ => return None,
            }
        }
        Some(Operands { values })
    }

    /// The number in `$1` and `${1:x}`.
    fn index(&self, name: &str) -> Option<usize> {
        let name = name.strip_prefix('$')?.trim_matches(['{', '}']);
        name.split(':').next()?.parse().ok()
    }

    fn numbered(&self, name: &str) -> Option<Value<'c>> {
        *self.values.get(self.index(name)?)?
    }
}

/// Replaces a function by a trap if it contains code for optional features and is called only under feature guards.
/// Code must not depend on a check for features that every processor has, so an instruction of them that cannot be
/// translated is an error in kernels.
fn trap_optional(module: &Module<'_>, kernels: &KernelSet) {
    let roots: Vec<_> = kernels.functions(module).collect();
    let called = unguarded_functions(&roots);
    let platform = Platform::of(&module.triple()).unwrap_or_default();
    let common = platform.baseline_features().iter().map(|feature| (*feature).to_owned());
    let baseline: BTreeSet<String> = roots.into_iter().flat_map(features).chain(common).collect();
    let trap = module.intrinsic("llvm.trap", &[]);
    for function in module.definitions() {
        let of_host = |i: Value<'_>| i.is_call() && (i.calls_inline_asm() || intrinsic_of_host(i).is_some());
        let common = called.contains(&function) || features(function).iter().all(|f| baseline.contains(f));
        if common || !function.instructions().any(of_host) {
            continue;
        }
        function.delete_body();
        let builder = Builder::at_end(function.append_block("entry"));
        builder.call(trap, &[], "");
        builder.unreachable();
        function.set_linkage(Linkage::Internal);
    }
    if !trap.is_used() {
        trap.erase_global();
    }
}

/// The features of the host's processor that a function was compiled for.
fn features(function: Function<'_>) -> Vec<String> {
    let text = function.text_attribute(Place::Function, "target-features").unwrap_or_default();
    text.split(',').filter(|feature| feature.starts_with('+')).map(str::to_owned).collect()
}
