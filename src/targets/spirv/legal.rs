//! Rewrites optimised code into code that LLVM's SPIR-V back end translates, and translates correctly.
//!
//! The rewrites were found by compiling every instruction and intrinsic with every type;
//! `tests/codegen/spirv_probes.rs` compiles them again.

use super::atomics::order_with_barriers;
use super::calls::{self, Effect, TRAPS};
use super::composites::fit_composites;
use super::loops::{drop_loop_hints, leave_loops_whole};
use super::results::{join_pointers_to_bytes, return_pointers_to_bytes};
use super::statics::hold_global_addresses;
use super::types::{is_unknown_vector, lacks_in_memory};
use super::{ADDRESS_SPACES, LOWERED_MEMOPS, SPIR_KERNEL, WIDEST_COPY};
use crate::contract::builtin::LEAVE;
use crate::error::Result;
use crate::llvm::workarounds::WIDEN_INDICES;
use crate::llvm::{Builder, Function, Machine, Module, Opcode, Place, Type, TypeKind, Value};
use crate::passes::expand::expand_arithmetic::expand_arithmetic;
use crate::passes::expand::expand_bitcasts::expand_bitcasts;
use crate::passes::expand::mask_truncations::mask_truncations;
use crate::passes::expand::split_aggregates::split_aggregates;
use crate::passes::expand::split_copies::split_copies_of;
use crate::passes::expand::split_integers::{split_integers, split_statics};
use crate::passes::pass::{Passes, part, pass};

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

/// The largest alignment of a local that the back end can write, because it writes it as a signed byte.
const LOCAL_ALIGNMENT: u32 = 64;

/// Rewrites all of `module`.
pub(super) fn make_legal(passes: &Passes, module: &Module<'_>, machine: &Machine) -> Result<()> {
    // The back end would give a `phi` of a struct's field the type of the struct.
    pass!(passes, split_aggregates(module))?;
    pass!(passes, lower_hints(module, machine)?)?;
    pass!(passes, expand_reductions(module))?;
    pass!(passes, scalarize(module, machine)?)?;
    pass!(passes, legalize_functions(module, passes))?;
    pass!(passes, lower_wide_switches(module, machine)?)?;
    pass!(passes, hold_global_addresses(module)?)?;
    pass!(passes, split_statics(module)?)?;
    pass!(passes, fit_composites(module)?)?;
    pass!(passes, split_integers(module)?)?;
    pass!(passes, drop_dead_code(module, machine)?)?;
    pass!(passes, leave_loops_whole(module, machine)?)?;
    pass!(passes, drop_loop_hints(module))?;
    pass!(passes, mask_truncations(module))?;
    pass!(passes, convert_chosen_numbers(module))?;
    pass!(passes, return_pointers_to_bytes(module))?;
    pass!(passes, join_pointers_to_bytes(module))?;
    pass!(passes, drop_memory_effects(module))?;
    pass!(passes, keep_sums(module))
}

/// Drops the attribute `memory` of functions. The back end would declare a function that does not access memory `Pure`:
/// such a function has the same result for the same arguments. A function that reads its thread's position does not,
/// and a device that trusts the declaration calls the function once for all threads.
fn drop_memory_effects(module: &Module<'_>) {
    module.definitions().for_each(|function| function.remove_attribute(Place::Function, "memory"));
}

/// Makes the instructions of each function legal.
fn legalize_functions(module: &Module<'_>, passes: &Passes) {
    for function in bodies(module) {
        part!(passes, erase_calls(function, &HINTS));
        part!(passes, leave_at_traps(function));
        part!(passes, erase_calls(function, &[LEAVE]));
        part!(passes, return_at_dead_ends(function));
        part!(passes, name_library_functions(module, function));
        part!(passes, order_with_barriers(module, function));
        part!(passes, align_locals(module, function));
        part!(passes, step_over_unknown_types(module, function));
        part!(passes, load_pointers_as_integers(function));
        part!(passes, join_pointers_as_integers(function));
        part!(passes, split_copies_of(function, LOWERED_MEMOPS, WIDEST_COPY));
        part!(passes, expand_memory_calls(module, function));
        part!(passes, expand_arithmetic(function));
        part!(passes, expand_bits(function));
        part!(passes, expand_bitcasts(module, function, &is_unknown_vector));
    }
}

/// Has LLVM lower the hints that only its optimiser reads.
fn lower_hints(module: &Module<'_>, machine: &Machine) -> Result<()> {
    let passes = "instsimplify,lower-constant-intrinsics,lower-expect,scalarize-masked-mem-intrin";
    module.run_passes(&format!("function({passes})"), machine)
}

/// Takes vectors apart. LLVM's pass leaves volatile accesses as they are.
fn scalarize(module: &Module<'_>, machine: &Machine) -> Result<()> {
    for function in bodies(module) {
        split_volatile_vectors(module, function);
        if !machine.without().lacks(WIDEN_INDICES) {
            widen_indices(function);
        }
    }
    module.run_passes("function(scalarizer<load-store>)", machine)
}

/// Makes the indices of elements at least 32 bits wide. LLVM's pass compares an index with the number of each element
/// in the index's type: for one of 2 bits, element 4 would be another element 0.
fn widen_indices(function: Function<'_>) {
    for instruction in function.instructions().collect::<Vec<_>>() {
        let index = match instruction.opcode() {
            Opcode::ExtractElement => 1,
            Opcode::InsertElement => 2,
            _ => continue,
        };
        let (narrow, i32) = (instruction.operand(index), instruction.types().i32());
        if narrow.ty().int_width() < i32.int_width() {
            let wide = Builder::before(instruction).cast(Opcode::ZExt, narrow, i32, "");
            instruction.set_operand(index, wide);
        }
    }
}

/// Makes branches of switches over wide integers.
fn lower_wide_switches(module: &Module<'_>, machine: &Machine) -> Result<()> {
    if bodies(module).iter().any(|f| f.instructions().any(is_wide_switch)) {
        module.run_passes("function(lower-switch)", machine)?;
    }
    Ok(())
}

/// Drops dead code that the rewrites have left.
fn drop_dead_code(module: &Module<'_>, machine: &Machine) -> Result<()> {
    module.run_passes("function(dce),globaldce", machine)
}

/// Keeps an addition and the comparison for its carry separate. LLVM's `CodeGenPrepare` would combine them into
/// `OpIAddCarry`, whose result Intel's OpenCL for CPUs stores incompletely across a barrier. It does not recognise a
/// frozen operand, for which the back end emits nothing.
fn keep_sums(module: &Module<'_>) {
    let instructions = bodies(module).into_iter().flat_map(Function::instructions);
    for compare in instructions.filter(|i| i.is(Opcode::ICmp)).collect::<Vec<_>>() {
        let [left, right] = [0, 1].map(|index| compare.operand(index));
        for (index, sum, other) in [(0, left, right), (1, right, left)] {
            if tells_carry(sum, other) {
                compare.set_operand(index, Builder::before(compare).freeze(sum, ""));
            }
        }
    }
}

/// Whether a comparison of `value` with `other` may test for a carry: of the sum `value`, or of a sum of it with 1 or
/// -1.
fn tells_carry<'c>(value: Value<'c>, other: Value<'c>) -> bool {
    if !value.is_instruction() && !value.is_argument() {
        return false;
    }
    let is_sum = value.is(Opcode::Add) && value.operands().contains(&other);
    let is_step = |user: &Value<'c>| user.is(Opcode::Add) && user.operand(1).is_constant();
    is_sum || (other.is_constant() && value.users().iter().any(is_step))
}

/// Converts constant addresses, such as those of functions, in a `select` or `phi` that is not folded. The back end
/// gives them another type than the instruction's, unless an instruction converts them.
fn convert_chosen_numbers(module: &Module<'_>) {
    let instructions = bodies(module).into_iter().flat_map(Function::instructions);
    for freeze in instructions.filter(|i| i.is(Opcode::Freeze)).collect::<Vec<_>>() {
        let constant = freeze.operand(0);
        if constant.constant_opcode() == Some(Opcode::IntToPtr) {
            let number = Builder::before(freeze).freeze(constant.operand(0), "");
            let address = Builder::before(freeze).cast(Opcode::IntToPtr, number, freeze.ty(), "");
            freeze.replace_all_uses_with(address);
            freeze.erase();
        }
    }
}

fn bodies<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    module.definitions().collect()
}

fn is_wide_switch(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::Switch) && instruction.operand(0).ty().int_width() > Some(64)
}

/// Replaces types that SPIR-V does not have in memory: pointer arithmetic on them is in bytes, and locals are arrays of
/// bytes.
fn step_over_unknown_types<'c>(module: &Module<'c>, function: Function<'c>) {
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

/// Makes one access for each element of volatile accesses to vectors that SPIR-V does not have.
fn split_volatile_vectors<'c>(module: &Module<'c>, function: Function<'c>) {
    let is_access = |i: &Value<'c>| matches!(i.opcode(), Opcode::Load | Opcode::Store) && i.is_volatile();
    for access in function.instructions().filter(is_access).collect::<Vec<_>>() {
        let ty = if access.is(Opcode::Load) { access.ty() } else { access.operand(0).ty() };
        if ty.vector_length().is_some() && lacks_in_memory(ty) {
            split_volatile(module, access, ty);
        }
    }
}

/// The same for one access to a vector. Elements that are not whole bytes have no addresses.
fn split_volatile<'c>(module: &Module<'c>, access: Value<'c>, ty: Type<'c>) {
    let (Some(length), Some(element)) = (ty.vector_length(), ty.parts().first().copied()) else { return };
    if element.int_width().is_some_and(|width| !width.is_multiple_of(8)) {
        return;
    }
    let (builder, size) = (Builder::before(access), element.store_size(module));
    let place = |pointer, i: u32| {
        let offset = u64::from(i) * size;
        let align =
            if i == 0 { access.alignment() } else { access.alignment().min(1 << offset.trailing_zeros().min(31)) };
        (builder.byte_offset(pointer, offset, ""), align)
    };
    let index = |i: u32| ty.types().i32().constant(i.into());
    if access.is(Opcode::Load) {
        let vector = (0..length).fold(ty.poison(), |vector, i| {
            let (address, align) = place(access.operand(0), i);
            let value = builder.load(element, address, align, "");
            value.set_volatile();
            builder.insert_element(vector, value, index(i), "")
        });
        access.replace_all_uses_with(vector);
    } else {
        for i in 0..length {
            let (address, align) = place(access.operand(1), i);
            builder.volatile_store(builder.extract_element(access.operand(0), index(i), ""), address, align);
        }
    }
    access.erase();
}

/// Replaces locals with a larger alignment by larger locals, and computes an aligned address in them.
fn align_locals<'c>(module: &Module<'c>, function: Function<'c>) {
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

/// Erases hints whose declarations fix the host's pointer types.
pub(super) fn erase_fixed_hints(module: &Module<'_>) {
    bodies(module).into_iter().for_each(|f| erase_calls(f, &["llvm.invariant."]));
    let unused = |f: &Function<'_>| f.name().starts_with("llvm.invariant.") && !f.is_used();
    module.functions().into_iter().filter(unused).for_each(|f| f.erase_global());
}

/// Erases the calls of functions with these prefixes.
fn erase_calls(function: Function<'_>, names: &[&str]) {
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

/// Replaces every trap by `*(volatile global char *)0 = 0; return;`.
fn leave_at_traps(function: Function<'_>) {
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

/// Replaces `unreachable`, and code after a trap, by a return. Not every driver accepts `OpUnreachable` in the middle
/// of a kernel.
fn return_at_dead_ends(function: Function<'_>) {
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

/// Loads pointers as integers. The back end derives the type of memory from the type of a load, and would give a whole
/// local array the size of a single pointer.
fn load_pointers_as_integers(function: Function<'_>) {
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

/// Replaces phis and selects of pointers to private memory by phis and selects of integers. Intel's OpenCL for CPUs
/// vectorises over threads, and would use one thread's pointer for all. Constant pointers are replaced, too: the back
/// end gives them another type, and LLVM's inference of address spaces loses them.
fn join_pointers_as_integers<'c>(function: Function<'c>) {
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
            // If a switch has two edges to this block, both values must be the same instruction.
            let known = number.incoming().into_iter().find(|(_, from)| *from == block).map(|(value, _)| value);
            let end = block.terminator().expect("every block of a valid function has one");
            let cast = || Builder::before(end).cast(Opcode::PtrToInt, value, number.ty(), "");
            number.add_incoming(known.unwrap_or_else(cast), block);
        }
    }
    phis.into_iter().for_each(Value::erase);
}

/// Erases empty copies, which SPIR-V does not have. Expands moves into loops, because SPIR-V's copies must not overlap,
/// and fills, because the back end would copy a constant with the size of the fill. Makes ordinary copies of those that
/// must not be calls.
fn expand_memory_calls<'c>(module: &Module<'c>, function: Function<'c>) {
    for call in function.instructions().filter(|i| i.is(Opcode::Call)).collect::<Vec<_>>() {
        let Some(callee) = call.called_intrinsic() else { continue };
        let name = callee.name();
        let [copies, moves, fills] = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].map(|n| name.starts_with(n));
        if !(copies || moves || fills) {
            continue;
        }
        if call.arguments()[2].as_u64() == Some(0) {
            call.erase();
        } else if moves || fills {
            call.expand_memory_call(ADDRESS_SPACES.generic);
        } else if name.starts_with("llvm.memcpy.inline.") {
            // The back end has no code for this form. The other one is an instruction, which calls nothing either.
            let [to, from, bytes] = [0, 1, 2].map(|index| call.arguments()[index].ty());
            call.set_callee(module.intrinsic("llvm.memcpy", &[to, from, bytes]));
        }
    }
}

/// Replaces math intrinsics that the back end does not know by functions of OpenCL's library, or by other intrinsics.
fn name_library_functions<'c>(module: &Module<'c>, function: Function<'c>) {
    for call in function.instructions().filter(|i| i.is(Opcode::Call)).collect::<Vec<_>>() {
        let Some(callee) = call.called_intrinsic() else { continue };
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
        calls::call(module, &builder, (&name, Effect::None), call.ty(), &arguments)
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

/// Expands reductions of vectors, before the vectors are split.
fn expand_reductions(module: &Module<'_>) {
    let reduces = |f: Function<'_>| f.is_intrinsic() && f.name().starts_with("llvm.vector.reduce.");
    let instructions = bodies(module).into_iter().flat_map(Function::instructions);
    let calls = instructions.filter(|i| i.is(Opcode::Call) && i.called_function().is_some_and(reduces));
    calls.collect::<Vec<_>>().into_iter().for_each(Value::expand_reduction);
}

/// Expands arithmetic on single bits, which SPIR-V's booleans do not have.
fn expand_bits(function: Function<'_>) {
    for instruction in function.instructions().filter(|i| i.ty().int_width() == Some(1)).collect::<Vec<_>>() {
        let builder = Builder::before(instruction);
        let operand = |index| instruction.operand(index);
        let value = match instruction.opcode() {
            Opcode::Add | Opcode::Sub => builder.binary(Opcode::Xor, operand(0), operand(1), ""),
            Opcode::Mul => builder.binary(Opcode::And, operand(0), operand(1), ""),
            // A division by 0, or a shift by 1, which is the width, is undefined.
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
