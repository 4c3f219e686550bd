//! Turns the neutral kernels into entry points of a device.
//!
//! An entry point takes over the body, the name and the debug subprogram of its kernel. Only the parameters change, and
//! code at the start of the entry point converts them into the parameters that the body expects. There are two
//! conventions:
//!
//! - *native*: one parameter for each row of the parameter table. Raw pointers are global pointers, a `bool` is a byte,
//!   and aggregates, argument structs and `byval` parameters are bytes in kernel-argument memory.
//! - *slots* (LLVM's libomptarget): six parameters of the runtime, of which the last is the address of the launch
//!   state, and then 8 bytes for each parameter. A slot contains the bits of a value or of a device pointer; for larger
//!   types it contains a device pointer to the bytes.
//!
//! A native entry point that takes the launch state (`launch_state.rs`) has it as an additional last parameter.
//!
//! Before: kernels have the form that `targets/mod.rs` describes. After: the old functions are erased.

use super::launch_bounds::ATTRIBUTES;
use super::launch_state::takes_launch_state;
use crate::analysis::entry_points::EntryPoints;
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::kernel::{Kernel, Parameter, ParameterKind};
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, Function, Module, Opcode, Place, Type, TypeKind, Types, Value};

/// The convention of one target's entry points.
pub struct EntryAbi {
    /// The calling convention's number (`llvm/IR/CallingConv.h`).
    pub calling_convention: u32,
    /// The attribute of a parameter whose bytes are in kernel-argument memory.
    pub in_memory: &'static str,
    /// Whether such a parameter is a struct of words. Otherwise it is an array of bytes.
    pub words_in_struct: bool,
    /// The smallest size of such a parameter in bytes.
    pub smallest: u32,
    /// The width of the widest integer parameter. Wider ones are bytes in memory.
    pub widest_integer: u32,
    /// Whether the code generator copies such a parameter if the body writes to it.
    pub copies: bool,
    /// Whether entry points have protected visibility. Otherwise it is the default.
    pub protected: bool,
    /// String attributes of every entry point.
    pub attributes: &'static [(&'static str, &'static str)],
    /// The target's address spaces.
    pub address_spaces: &'static AddressSpaceMap,
}

/// How the entry points of one module look.
#[derive(Clone, Copy)]
struct Convention {
    /// The part that the target decides.
    of_target: &'static EntryAbi,
    /// Whether the convention is that of slots.
    slots: bool,
}

/// The number of parameters of the slot convention that are the runtime's: a pointer, four integers, and the launch
/// state.
const SLOT_PREFIX: usize = 6;
/// The function attributes that still hold if the parameters change.
const FUNCTION_ATTRIBUTES: &[&str] =
    &["convergent", "minsize", "mustprogress", "nofree", "norecurse", "nounwind", "optsize", "willreturn"];
/// The attributes of a pointer that still hold in another address space.
const POINTER_ATTRIBUTES: &[&str] =
    &["align", "dereferenceable", "dereferenceable_or_null", "noalias", "nonnull", "readnone", "readonly", "writeonly"];

/// How a parameter of the body is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PassMode {
    /// As a device pointer; the body expects a generic one.
    Pointer,
    /// As it is, or as a byte if it has one bit.
    Direct,
    /// The low bits of an 8-byte integer.
    Slot,
    /// As bytes in memory that only this kernel's arguments use; the body expects a pointer to them.
    Bytes,
    /// The same, but the body expects the value.
    LoadedBytes,
}

/// Creates the entry point of every kernel in `kernels`; with `slots`, arguments come as libomptarget passes them.
pub fn lower_kernel_abi<'c>(
    module: &Module<'c>,
    kernels: &[Kernel],
    of_target: &'static EntryAbi,
    slots: bool,
) -> Result<EntryPoints<'c>> {
    let abi = &Convention { of_target, slots };
    let mut entries = EntryPoints::default();
    for kernel in kernels {
        let function = module
            .function(&kernel.name)
            .filter(|f| !f.is_declaration())
            .ok_or_else(|| Error::internal(format!("kernel `{}` has no body in the device module", kernel.name)))?;
        if function.parameters().len() != kernel.parameters.len() {
            return Err(Error::internal(format!("kernel `{}` does not have the parameters of its table", kernel.name)));
        }
        lower(module, kernel, function, abi, &mut entries)?;
    }
    Ok(entries)
}

fn lower<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    function: Function<'c>,
    abi: &Convention,
    entries: &mut EntryPoints<'c>,
) -> Result<()> {
    let passings: Vec<PassMode> =
        (0..kernel.parameters.len()).map(|i| passing(module, kernel, function, i, abi)).collect();
    if !abi.slots {
        check_offsets(module, kernel, function, &passings)?;
    }
    let prefix = if abi.slots { SLOT_PREFIX } else { 0 };
    let entry = declare_entry(module, kernel, function, abi, &passings);
    entry.take_body(function);
    let start = entry.blocks()[0];
    let builder = Builder::at_start(start);
    for (i, old) in function.parameters().into_iter().enumerate() {
        let new = entry.parameters()[prefix + i];
        new.set_name(&old.name());
        let arrival = ArgumentLowering { module, builder: &builder, abi, row: &kernel.parameters[i], new, old };
        old.replace_all_uses_with(arrival.value(passings[i]));
        if matches!(passings[i], PassMode::Bytes | PassMode::LoadedBytes) {
            entries.arguments.push(new);
        }
    }
    ask_for_state(module, (function, entry), &builder, abi)?;
    entries.functions.push(entry);
    function.erase_global();
    Ok(())
}

/// Replaces calls of `__offload_launch_state` in the entry point by the launch state.
fn ask_for_state<'c>(
    module: &Module<'c>,
    (kernel, entry): (Function<'c>, Function<'c>),
    builder: &Builder<'c>,
    abi: &Convention,
) -> Result<()> {
    let Some(state) = module.function(LAUNCH_STATE) else { return Ok(()) };
    let calls: Vec<_> = state.users().into_iter().filter(|u| u.function() == entry).collect();
    if calls.is_empty() {
        return Ok(());
    }
    // Without the mark, the last parameter would be one of the user's.
    if !abi.slots && !takes_launch_state(kernel) {
        return Err(Error::internal(format!(
            "kernel `{}` asks for a launch state that it does not take",
            entry.name()
        )));
    }
    let parameters = entry.parameters();
    let at = if abi.slots { SLOT_PREFIX - 1 } else { parameters.len() - 1 };
    parameters[at].set_name("launch_state");
    let address = builder.address_space_cast(parameters[at], state.function_type().result(), "");
    for call in calls {
        call.replace_all_uses_with(address);
        call.erase();
    }
    Ok(())
}

/// Checks that the code generator puts native parameters at the offsets in the parameter table, which the runtime uses.
/// Their offsets follow from the sizes and alignments of their types.
fn check_offsets<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    function: Function<'c>,
    passings: &[PassMode],
) -> Result<()> {
    let mut end = 0_u32;
    for ((row, passing), old) in kernel.parameters.iter().zip(passings).zip(function.parameters()) {
        let (size, align) = match passing {
            PassMode::Bytes | PassMode::LoadedBytes => (row.size, row.align),
            _ => (old.ty().alloc_size(module) as u32, old.ty().alignment(module)),
        };
        let offset = end.next_multiple_of(align);
        if offset != row.offset {
            let (name, wanted) = (&kernel.name, row.offset);
            return Err(Error::internal(format!("a parameter of `{name}` is at {offset}, not {wanted} on the device")));
        }
        end = offset + size;
    }
    Ok(())
}

/// How parameter `index` of the body is passed.
fn passing<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    function: Function<'c>,
    index: usize,
    abi: &Convention,
) -> PassMode {
    let row = &kernel.parameters[index];
    let ty = function.parameters()[index].ty();
    if row.kind == ParameterKind::Block || function.byval_type(index as u32).is_some() {
        PassMode::Bytes
    } else if ty.is_pointer() {
        PassMode::Pointer
    } else if abi.slots && row.size <= 8 {
        PassMode::Slot
    } else if abi.slots || !is_simple(ty, abi.of_target.widest_integer) || !matches_row(module, ty, row) {
        PassMode::LoadedBytes
    } else {
        PassMode::Direct
    }
}

/// Whether a parameter may have this type: no integer is wider than `widest`, and a vector has several elements. LLVM's
/// back end for SPIR-V has no code for parameters that are vectors of one.
fn is_simple(ty: Type<'_>, widest: u32) -> bool {
    let element = if ty.kind() == TypeKind::Vector { ty.parts()[0] } else { ty };
    element.int_width() <= Some(widest) && ty.vector_length() != Some(1)
}

/// Whether a type has the size and alignment of its row. In the table, aggregates end with their last field, and some
/// devices align wide integers and vectors differently from the host.
fn matches_row<'c>(module: &Module<'c>, ty: Type<'c>, row: &Parameter) -> bool {
    let scalar = !matches!(ty.kind(), TypeKind::Struct | TypeKind::Array);
    scalar && ty.alloc_size(module) == u64::from(row.size) && ty.alignment(module) == row.align
}

/// Creates the entry point without a body, with the name of the kernel.
fn declare_entry<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    function: Function<'c>,
    abi: &Convention,
    passings: &[PassMode],
) -> Function<'c> {
    let types = module.types();
    let (global, i64) = (types.ptr(abi.of_target.address_spaces.of(Role::Global)), types.i64());
    let mut parameters =
        if abi.slots { [vec![global], vec![i64; SLOT_PREFIX - 2], vec![global]].concat() } else { vec![] };
    for (passing, old) in passings.iter().zip(function.parameters()) {
        parameters.push(match passing {
            PassMode::Pointer => global,
            PassMode::Slot => i64,
            PassMode::Direct if old.ty().int_width() == Some(1) => types.i8(),
            PassMode::Direct => old.ty(),
            PassMode::Bytes | PassMode::LoadedBytes if abi.slots => global,
            PassMode::Bytes | PassMode::LoadedBytes => types.ptr(abi.of_target.address_spaces.of(Role::KernelArgument)),
        });
    }
    if takes_launch_state(function) && !abi.slots {
        parameters.push(global);
    }
    function.set_name("");
    let entry = module.add_function(&kernel.name, types.void().function(&parameters));
    entry.set_calling_convention(abi.of_target.calling_convention);
    if abi.of_target.protected {
        entry.set_protected()
    } else {
        entry.set_default_visibility()
    }
    entry.copy_attributes(Place::Function, function, Place::Function, FUNCTION_ATTRIBUTES);
    for name in ATTRIBUTES {
        let Some(text) = function.text_attribute(Place::Function, name) else { continue };
        entry.add_attribute(Place::Function, &Attribute::Text(name.to_owned(), text));
    }
    for (name, value) in abi.of_target.attributes {
        entry.add_attribute(Place::Function, &Attribute::Text((*name).to_owned(), (*value).to_owned()));
    }
    for (i, passing) in passings.iter().enumerate() {
        attribute_parameter(entry, function, i, *passing, &kernel.parameters[i], abi);
    }
    entry
}

fn attribute_parameter(
    entry: Function<'_>,
    function: Function<'_>,
    index: usize,
    passing: PassMode,
    row: &Parameter,
    abi: &Convention,
) {
    let from = Place::Parameter(index as u32);
    let to = Place::Parameter((index + if abi.slots { SLOT_PREFIX } else { 0 }) as u32);
    match passing {
        PassMode::Pointer => entry.copy_attributes(to, function, from, POINTER_ATTRIBUTES),
        PassMode::Bytes | PassMode::LoadedBytes => {
            if !abi.slots {
                entry.add_type_attribute(to, abi.of_target.in_memory, memory_type(function.types(), row, abi));
            }
            entry.add_attribute(to, &Attribute::Enum("align", row.align.into()));
        }
        PassMode::Direct | PassMode::Slot => {}
    }
}

/// The type of an argument in memory: it has the size of its row, and its alignment if the size allows it. An empty
/// struct contains a byte, as in the runtime, if the device has no empty parameters.
fn memory_type<'c>(types: Types<'c>, row: &Parameter, abi: &Convention) -> Type<'c> {
    let size = row.size.max(abi.of_target.smallest);
    if !abi.of_target.words_in_struct {
        return types.i8().array(size.into());
    }
    let word = [8, 4, 2].into_iter().find(|word| row.align >= *word && size.is_multiple_of(*word)).unwrap_or(1);
    types.structure(&[types.int(8 * word).array((size / word).into())])
}

/// The conversion of one parameter from the entry point's form to the body's.
struct ArgumentLowering<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    abi: &'a Convention,
    row: &'a Parameter,
    new: Value<'c>,
    old: Value<'c>,
}

impl<'c> ArgumentLowering<'_, 'c> {
    /// The value that replaces the old parameter in the body.
    fn value(&self, passing: PassMode) -> Value<'c> {
        let (new, ty) = (self.new, self.old.ty());
        match passing {
            PassMode::Pointer => self.generic(new),
            PassMode::Direct if new.ty() == ty => new,
            PassMode::Direct => self.builder.cast(Opcode::Trunc, new, ty, ""),
            PassMode::Slot => self.read_slot(),
            PassMode::LoadedBytes => self.builder.load(ty, new, self.row.align, ""),
            PassMode::Bytes if self.may_be_read_in_place() => self.generic(new),
            PassMode::Bytes => self.generic(self.private_copy()),
        }
    }

    fn generic(&self, pointer: Value<'c>) -> Value<'c> {
        let generic = pointer.types().ptr(self.abi.of_target.address_spaces.of(Role::Generic));
        self.builder.address_space_cast(pointer, generic, "")
    }

    /// The value in the first bytes of the slot.
    fn read_slot(&self) -> Value<'c> {
        let (new, ty) = (self.new, self.old.ty());
        match ty.int_width() {
            Some(64) => new,
            Some(_) => self.builder.cast(Opcode::Trunc, new, ty, ""),
            None => {
                let memory = self.builder.alloca(new.ty(), "");
                self.builder.store(new, memory, 8);
                self.builder.load(ty, memory, 8, "")
            }
        }
    }

    /// Whether the body only reads the bytes, so that it does not need its own copy.
    fn may_be_read_in_place(&self) -> bool {
        let natively_copied = self.abi.of_target.copies && !self.abi.slots;
        let function = self.old.function();
        let index = function.parameters().iter().position(|p| *p == self.old).unwrap_or(0) as u32;
        natively_copied || function.has_attribute(Place::Parameter(index), "readonly") || only_loads(self.old)
    }

    /// Copies the bytes into an alloca.
    fn private_copy(&self) -> Value<'c> {
        let bytes = self.new.types().i8().array(self.row.size.into());
        let memory = self.builder.alloca(bytes, "");
        memory.set_alignment(self.row.align);
        let count = self.new.types().i64().constant(self.row.size.into());
        let copy = self.module.intrinsic("llvm.memcpy", &[memory.ty(), self.new.ty(), count.ty()]);
        let call = self.builder.call(copy, &[memory, self.new, count, count.types().i1().zero()], "");
        for place in [Place::Parameter(0), Place::Parameter(1)] {
            call.add_attribute(place, &Attribute::Enum("align", self.row.align.into()));
        }
        memory
    }
}

/// Whether the pointer is only used for loads in this function.
fn only_loads(pointer: Value<'_>) -> bool {
    pointer.users().into_iter().all(|user| match user.is_instruction().then(|| user.opcode()) {
        Some(Opcode::Load) => true,
        Some(Opcode::GetElementPtr) => only_loads(user),
        Some(Opcode::Call) => {
            let copies = user.called_function().is_some_and(|f| f.name().starts_with("llvm.memcpy."));
            copies && user.arguments()[0] != pointer
        }
        _ => false,
    })
}
