//! Rewrites optimised code into what LLVM's SPIR-V back end translates, and translates rightly.
//!
//! Found by giving the back end every instruction and intrinsic at every type; `tests/codegen/spirv.rs` tries them again.

use super::atomics::lower_atomics;
use super::builtins::{self, Effect, TRAPS};
use super::composites::fit_composites;
use super::loops::leave_loops_whole;
use super::statics::hold_global_addresses;
use super::{ADDRESS_SPACES, LOWERED_MEMOPS, SPIR_KERNEL, WIDEST_COPY};
use crate::contract::builtin::LEAVE;
use crate::error::Result;
use crate::llvm::{Builder, Machine, Module, Opcode, Type, TypeKind, Value};
use crate::passes::expand::expand_arithmetic::expand_arithmetic;
use crate::passes::expand::expand_bitcasts::expand_bitcasts;
use crate::passes::expand::split_aggregates::split_aggregates;
use crate::passes::expand::split_copies::split_copies;
use crate::passes::expand::split_integers::{holds_split, split_integers, split_statics};

/// Hints that only an optimiser reads.
const HINTS: [&str; 7] = [
    "llvm.assume",
    "llvm.debugtrap",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.lifetime",
    "llvm.prefetch",
    "llvm.sideeffect",
];

/// The largest alignment of a local that the back end writes: it makes a byte of it, with a sign.
const LOCAL_ALIGNMENT: u32 = 64;

/// How many elements a vector of SPIR-V can have.
const LENGTHS: [u32; 5] = [2, 3, 4, 8, 16];

/// How many parameters SPIR-V's functions can have.
pub(super) const MOST_PARAMETERS: usize = 255;
/// Those that a function may get beside its own: a result's place, the launch's state, shared memory, a stack and how much of
/// it is used, and whether its thread has left.
pub(super) const ADDED_PARAMETERS: usize = 6;

/// Makes all of `module` legal.
pub(super) fn make_legal(module: &Module<'_>, machine: &Machine) -> Result<()> {
    // The back end gives a `phi` of a struct's fields the struct's type.
    split_aggregates(module);
    let passes = "instsimplify,lower-constant-intrinsics,lower-expect,scalarize-masked-mem-intrin";
    module.run_passes(&format!("function({passes})"), machine)?;
    bodies(module).into_iter().for_each(expand_reductions);
    module.run_passes("function(scalarizer<load-store>)", machine)?;
    for function in bodies(module) {
        erase_calls(function, &HINTS);
        leave_at_traps(function);
        erase_calls(function, &[LEAVE]);
        return_at_dead_ends(function);
        name_library_functions(module, function);
        lower_atomics(module, function);
        align_locals(module, function);
        step_over_unknown_types(module, function);
        load_pointers_as_integers(function);
        join_pointers_as_integers(function);
        split_copies(function, LOWERED_MEMOPS, WIDEST_COPY);
        expand_memory_calls(function);
        expand_arithmetic(function);
        expand_bits(function);
        expand_bitcasts(module, function, &is_unknown_vector);
    }
    if bodies(module).iter().any(|f| f.instructions().any(is_wide_switch)) {
        module.run_passes("function(lower-switch)", machine)?;
    }
    hold_global_addresses(module)?;
    split_statics(module)?;
    fit_composites(module)?;
    for function in bodies(module) {
        split_integers(module, function)?;
    }
    module.run_passes("function(dce),globaldce", machine)?;
    leave_loops_whole(module, machine)?;
    bodies(module).into_iter().for_each(convert_chosen_numbers);
    bodies(module).into_iter().for_each(keep_sums);
    Ok(())
}

/// A sum stays a sum where a comparison asks whether it went round. LLVM's `CodeGenPrepare` would make `OpIAddCarry` of the
/// two, of whose result Intel's OpenCL for processors loses threads' parts at a barrier. A frozen operand is none that
/// it knows, and the back end writes nothing for it.
fn keep_sums(function: Value<'_>) {
    for compare in function.instructions().filter(|i| i.is(Opcode::ICmp)).collect::<Vec<_>>() {
        let [left, right] = [0, 1].map(|index| compare.operand(index));
        for (index, sum, other) in [(0, left, right), (1, right, left)] {
            if tells_carry(sum, other) {
                compare.set_operand(index, Builder::before(compare).freeze(sum, ""));
            }
        }
    }
}

/// Whether to compare `value` with `other` may be to ask for a carry: of the sum that it is, or of one of it with 1 or -1.
fn tells_carry<'c>(value: Value<'c>, other: Value<'c>) -> bool {
    if !value.is_instruction() && !value.is_argument() {
        return false;
    }
    let is_sum = value.is(Opcode::Add) && value.operands().contains(&other);
    let is_step = |user: &Value<'c>| user.is(Opcode::Add) && user.operand(1).is_constant();
    is_sum || (other.is_constant() && value.users().iter().any(is_step))
}

/// A number that is an address, as those of functions are, and that a choice is kept from folding into its operands: the
/// back end gives it another type than the choice has, unless an instruction makes it.
fn convert_chosen_numbers(function: Value<'_>) {
    for freeze in function.instructions().filter(|i| i.is(Opcode::Freeze)).collect::<Vec<_>>() {
        let constant = freeze.operand(0);
        if constant.constant_opcode() == Some(Opcode::IntToPtr) {
            let number = Builder::before(freeze).freeze(constant.operand(0), "");
            let address = Builder::before(freeze).cast(Opcode::IntToPtr, number, freeze.ty(), "");
            freeze.replace_all_uses_with(address);
            freeze.erase();
        }
    }
}

fn bodies<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    module.functions().into_iter().filter(|f| !f.is_declaration()).collect()
}

fn is_wide_switch(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::Switch) && instruction.operand(0).ty().int_width() > Some(64)
}

/// Whether a type is a vector that no bits can be cast from or to: of single bits, or of a length that SPIR-V lacks.
fn is_unknown_vector(ty: Type<'_>) -> bool {
    ty.vector_length().is_some_and(|n| !LENGTHS.contains(&n) || ty.parts().iter().any(|e| e.int_width() == Some(1)))
}

/// Takes types apart that SPIR-V does not have in memory: steps through them count bytes, and locals are bytes.
fn step_over_unknown_types<'c>(module: &Module<'c>, function: Value<'c>) {
    for instruction in function.instructions().collect::<Vec<_>>() {
        match instruction.opcode() {
            Opcode::GetElementPtr
                if instruction.ty().is_pointer() && lacks_in_memory(instruction.gep_source_type()) =>
            {
                instruction.expand_gep();
            }
            Opcode::Alloca if lacks_in_memory(instruction.allocated_type()) => {
                let ty = instruction.allocated_type();
                let bytes = ty.types().i8().array(ty.alloc_size(module).max(1));
                let new = Builder::before(instruction).alloca(bytes, "");
                new.set_alignment(instruction.alignment());
                instruction.replace_all_uses_with(new);
                instruction.erase();
            }
            _ => {}
        }
    }
}

/// Whether SPIR-V lacks a type, or one inside, as that of memory: arrays without elements, and vectors of single bits, of
/// pointers or of other lengths.
pub(super) fn lacks_in_memory(ty: Type<'_>) -> bool {
    let lacks = ty.array_length() == Some(0) || is_unknown_vector(ty) || is_vector_of_pointers(ty);
    lacks || ty.parts().into_iter().any(lacks_in_memory)
}

fn is_vector_of_pointers(ty: Type<'_>) -> bool {
    ty.vector_length().is_some() && ty.parts().iter().any(|element| element.is_pointer())
}

/// Locals that are aligned to more find their place in larger ones.
fn align_locals<'c>(module: &Module<'c>, function: Value<'c>) {
    let over = |i: &Value<'c>| i.is_fixed_alloca() && i.alignment() > LOCAL_ALIGNMENT;
    for alloca in function.instructions().filter(over).collect::<Vec<_>>() {
        let (builder, align, ty) = (Builder::before(alloca), u64::from(alloca.alignment()), alloca.allocated_type());
        let bytes = ty.alloc_size(module) + align - u64::from(LOCAL_ALIGNMENT);
        let larger = builder.alloca(ty.types().i8().array(bytes), "");
        larger.set_alignment(LOCAL_ALIGNMENT);
        let address = builder.cast(Opcode::PtrToInt, larger, ty.types().i64(), "");
        let below = builder.binary(Opcode::Sub, address.ty().zero(), address, "");
        let step = builder.binary(Opcode::And, below, address.ty().constant(align - 1), "");
        alloca.replace_all_uses_with(builder.gep(ty.types().i8(), larger, &[step], ""));
        alloca.erase();
    }
}

/// Whether a function of SPIR-V can take and give what this one does.
pub(super) fn has_legal_signature(function: Value<'_>) -> bool {
    let ty = function.function_type();
    has_few_parameters(function) && [ty.result()].into_iter().chain(ty.parameters()).all(is_legal_in_signature)
}

/// Whether a function has no more parameters than one of SPIR-V's, whatever is added.
pub(super) fn has_few_parameters(function: Value<'_>) -> bool {
    function.parameters().len() + ADDED_PARAMETERS <= MOST_PARAMETERS
}

/// Whether a function of SPIR-V can take and give this type. The back end mistakes pointers inside structs for others.
pub(super) fn is_legal_in_signature(ty: Type<'_>) -> bool {
    let known = ty.vector_length().map(|length| LENGTHS.contains(&length) && !is_vector_of_pointers(ty));
    !holds_split(ty) && known.unwrap_or(ty.parts().is_empty())
}

/// Erases hints whose types LLVM fixes to the host's pointers.
pub(super) fn erase_fixed_hints(module: &Module<'_>) {
    bodies(module).into_iter().for_each(|f| erase_calls(f, &["llvm.invariant."]));
    let unused = |f: &Value<'_>| f.name().starts_with("llvm.invariant.") && !f.is_used();
    module.functions().into_iter().filter(unused).for_each(Value::erase_global);
}

/// Erases the calls of functions whose names begin so.
fn erase_calls(function: Value<'_>, names: &[&str]) {
    for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
        let hint = call.called_function().is_some_and(|f| names.iter().any(|name| f.name().starts_with(name)));
        if hint {
            if !call.ty().is_void() {
                call.replace_all_uses_with(call.ty().poison());
            }
            call.erase();
        }
    }
}

/// `*(volatile global char *)0 = 0; return;` for every trap.
fn leave_at_traps(function: Value<'_>) {
    for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
        let trap = call.called_function().is_some_and(|f| TRAPS.contains(&f.name().as_str()));
        if !trap {
            continue;
        }
        let builder = Builder::before(call);
        let byte = call.types().i8();
        builder.volatile_store(byte.zero(), byte.types().ptr(ADDRESS_SPACES.global).zero(), 1);
        call.erase();
    }
}

/// Ends with a return what LLVM knows to be never reached, or to lie behind a trap: not every driver takes `OpUnreachable`
/// in the middle of a kernel.
fn return_at_dead_ends(function: Value<'_>) {
    for end in function.blocks().into_iter().filter_map(|b| b.terminator()) {
        if !end.is(Opcode::Unreachable) {
            continue;
        }
        let builder = Builder::before(end);
        let result = function.function_type().result();
        debug_assert!(result.is_void() || function.calling_convention() != SPIR_KERNEL);
        builder.ret_result((!result.is_void()).then(|| result.zero()));
        end.erase();
    }
}

/// A pointer that is loaded comes as an integer: from the type of a load the back end concludes what the memory is, and so
/// makes a whole local array no larger than one pointer.
fn load_pointers_as_integers(function: Value<'_>) {
    for load in function.instructions().filter(|i| i.is(Opcode::Load) && i.ty().is_pointer()).collect::<Vec<_>>() {
        let builder = Builder::before(load);
        let number = builder.load(load.types().i64(), load.operand(0), load.alignment(), "");
        if load.is_volatile() {
            number.set_volatile();
        }
        load.replace_all_uses_with(builder.cast(Opcode::IntToPtr, number, load.ty(), ""));
        load.erase();
    }
}

/// Pointers into a thread's own memory meet as integers in phis and selects: Intel's OpenCL for processors vectorises over
/// threads, and takes one thread's pointer for that of all. So do constants, whose pointers the back end gives another
/// type, and which LLVM's inference of address spaces loses.
fn join_pointers_as_integers<'c>(function: Value<'c>) {
    let constant = |i: &Value<'c>| i.operands().iter().any(|from| from.ty() == i.ty() && from.is_constant());
    let own = |i: &Value<'c>| {
        let space = i.ty().is_pointer().then(|| i.ty().address_space());
        space == Some(ADDRESS_SPACES.private) || (space == Some(ADDRESS_SPACES.generic) && constant(i))
    };
    let joins = |opcode| function.instructions().filter(own).filter(|i| i.is(opcode)).collect::<Vec<_>>();
    let number = |at: Value<'c>| at.types().i64();
    for select in joins(Opcode::Select) {
        let builder = Builder::before(select);
        let [then, or_else] = [1, 2].map(|i| builder.cast(Opcode::PtrToInt, select.operand(i), number(select), ""));
        let chosen = builder.select(select.operand(0), then, or_else, "");
        select.replace_all_uses_with(builder.cast(Opcode::IntToPtr, chosen, select.ty(), ""));
        select.erase();
    }
    let phis = joins(Opcode::Phi);
    let numbers: Vec<_> = phis.iter().map(|phi| Builder::before(*phi).phi(number(*phi), "")).collect();
    for (phi, number) in phis.iter().zip(&numbers) {
        let builder = Builder::at_start(phi.block());
        phi.replace_all_uses_with(builder.cast(Opcode::IntToPtr, *number, phi.ty(), ""));
    }
    for (phi, number) in phis.iter().zip(&numbers) {
        for (value, block) in phi.incoming() {
            // A switch may lead here twice, and then both values must be one.
            let known = number.incoming().into_iter().find(|(_, from)| *from == block).map(|(value, _)| value);
            let end = block.terminator().expect("every block of a valid function has one");
            let cast = || Builder::before(end).cast(Opcode::PtrToInt, value, number.ty(), "");
            number.add_incoming(known.unwrap_or_else(cast), block);
        }
    }
    phis.into_iter().for_each(Value::erase);
}

/// Copies of nothing go, because SPIR-V has none. Moves become loops, because its copies may not overlap; so do fills,
/// which the back end makes copies of a constant of that size.
fn expand_memory_calls(function: Value<'_>) {
    for call in function.instructions().filter(|i| i.is(Opcode::Call)).collect::<Vec<_>>() {
        let Some(callee) = call.called_function().filter(|f| f.is_intrinsic()) else { continue };
        let name = callee.name();
        let [copies, moves, fills] = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].map(|n| name.starts_with(n));
        if !(copies || moves || fills) {
            continue;
        }
        if call.arguments()[2].as_u64() == Some(0) {
            call.erase();
        } else if moves || fills {
            call.expand_memory_call(ADDRESS_SPACES.generic);
        }
    }
}

/// Calls of math intrinsics that the back end does not know become calls of the functions of OpenCL's library that it
/// does, or of other intrinsics.
fn name_library_functions<'c>(module: &Module<'c>, function: Value<'c>) {
    for call in function.instructions().filter(|i| i.is(Opcode::Call)).collect::<Vec<_>>() {
        let Some(callee) = call.called_function().filter(|f| f.is_intrinsic()) else { continue };
        let name = callee.name();
        let family = name.strip_prefix("llvm.").and_then(|n| n.split('.').next()).unwrap_or_default().to_owned();
        if let Some(value) = library_call(module, call, &family) {
            call.replace_all_uses_with(value);
            call.erase();
        }
    }
}

fn library_call<'c>(module: &Module<'c>, call: Value<'c>, family: &str) -> Option<Value<'c>> {
    let (builder, arguments) = (Builder::before(call), call.arguments());
    let letter = match arguments.first()?.ty().kind() {
        TypeKind::Half => "Dh",
        TypeKind::Float => "f",
        TypeKind::Double => "d",
        _ => return None,
    };
    let library = |name: &str| {
        let name = format!("_Z{}{name}{letter}", name.len());
        let name = if arguments.len() == 2 { name + "i" } else { name };
        builtins::call(module, &builder, (&name, Effect::None), call.ty(), &arguments)
    };
    let intrinsic = |name: &str| builder.call(module.intrinsic(name, &[arguments[0].ty()]), &arguments, "");
    Some(match family {
        "exp10" => library("exp10"),
        "ldexp" => library("ldexp"),
        "maximumnum" => intrinsic("llvm.maxnum"),
        "minimumnum" => intrinsic("llvm.minnum"),
        "llrint" | "lrint" => builder.cast(Opcode::FPToSI, intrinsic("llvm.rint"), call.ty(), ""),
        _ => return None,
    })
}

/// Sums and the like over vectors, which are about to be taken apart.
fn expand_reductions(function: Value<'_>) {
    let reduces = |f: Value<'_>| f.is_intrinsic() && f.name().starts_with("llvm.vector.reduce.");
    let calls = function.instructions().filter(|i| i.is(Opcode::Call) && i.called_function().is_some_and(reduces));
    calls.collect::<Vec<_>>().into_iter().for_each(Value::expand_reduction);
}

/// Arithmetic on single bits, which SPIR-V's booleans do not have.
fn expand_bits(function: Value<'_>) {
    for instruction in function.instructions().filter(|i| i.ty().int_width() == Some(1)).collect::<Vec<_>>() {
        let builder = Builder::before(instruction);
        let operand = |index| instruction.operand(index);
        let value = match instruction.opcode() {
            Opcode::Add | Opcode::Sub => builder.binary(Opcode::Xor, operand(0), operand(1), ""),
            Opcode::Mul => builder.binary(Opcode::And, operand(0), operand(1), ""),
            // Dividing by 0 or shifting by 1, a bit's width, has no value.
            Opcode::UDiv | Opcode::SDiv | Opcode::Shl | Opcode::LShr | Opcode::AShr => operand(0),
            Opcode::URem | Opcode::SRem => instruction.ty().zero(),
            Opcode::FPToSI | Opcode::FPToUI => {
                let wide = builder.cast(instruction.opcode(), operand(0), instruction.types().i32(), "");
                builder.cast(Opcode::Trunc, wide, instruction.ty(), "")
            }
            _ => continue,
        };
        instruction.replace_all_uses_with(value);
        instruction.erase();
    }
}
