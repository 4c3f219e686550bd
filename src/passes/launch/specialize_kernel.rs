//! Replaces parameters of a kernel, and the size of the block, by the values that launches pass.
//!
//! It works on the neutral module, so a value is a constant for every target. The parameters remain, because launches
//! pass all of them, but the code does not read the replaced ones. The simplifier that follows folds the lengths of
//! loops, checks of bounds, and branches.

use super::launch_bounds::promise_block_size;
use super::take_parameters::scalars;
use crate::contract::builtin::{Axis, DeviceBuiltin};
use crate::contract::kernel::{Form, Kernel, KernelSet, ParameterKind, Scalar};
use crate::contract::specialization::{ArgumentPlace, Specialization, Specialized};
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place, Value};
use crate::passes::builtins::fold_query::fold_query;

/// Bytes of the packed argument buffer.
struct Known<'a> {
    offset: u32,
    bytes: &'a [u8],
}

impl Known<'_> {
    fn end(&self) -> u64 {
        u64::from(self.offset) + self.bytes.len() as u64
    }
}

/// Replaces the values, which must be those of kernels of the module. Returns an error if one does not fit.
pub fn specialize_kernel(
    module: &Module<'_>,
    kernels: &KernelSet,
    specializations: &[Specialization],
) -> Option<String> {
    kernels.iter().find_map(|kernel| {
        let values = specializations.iter().filter(|one| one.kernel == kernel.name).map(|one| &one.value);
        let values: Vec<&Specialized> = values.collect();
        let function = module.function(&kernel.name).filter(|_| !values.is_empty())?;
        let why = specialize(module, kernels, (kernel, function), &values).err()?;
        Some(format!("kernel `{}` {why}", kernel.display))
    })
}

fn specialize<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    (kernel, function): (&Kernel, Function<'c>),
    values: &[&Specialized],
) -> Result<(), String> {
    let known = known(kernel, &scalars(function), values)?;
    check_overlaps(&known)?;
    replace_arguments(module, kernel, function, &known)?;
    for value in values {
        let Specialized::BlockDim(size) = value else { continue };
        if kernels.len() > 1 {
            return Err("shares code with others, which have another size of the block: keep it alone".to_owned());
        }
        promise_block_size(function, *size)?;
        for (axis, size) in Axis::ALL.into_iter().zip(*size) {
            fold_query(module, DeviceBuiltin::BlockDim(axis).symbol(), size.into());
        }
    }
    Ok(())
}

/// The known bytes of a kernel's arguments, in order.
fn known<'a>(kernel: &Kernel, scalars: &[Scalar], values: &[&'a Specialized]) -> Result<Vec<Known<'a>>, String> {
    let mut all = Vec::new();
    for value in values {
        let Specialized::Bytes(place, bytes) = value else { continue };
        let known = match *place {
            ArgumentPlace::Offset(offset) => Known { offset, bytes },
            ArgumentPlace::Parameter(number) => {
                let (offset, size) = row(kernel, scalars, number)?;
                let is_whole = bytes.len() == size as usize || is_shorter_by_padding(kernel, number, bytes.len());
                if !is_whole {
                    return Err(format!("has {size} bytes in parameter {number}, and the value has {}", bytes.len()));
                }
                Known { offset, bytes }
            }
        };
        if known.end() > kernel.argument_bytes().into() {
            let bytes = kernel.argument_bytes();
            return Err(format!("has {bytes} bytes of arguments, and a value ends at {}", known.end()));
        }
        all.push(known);
    }
    all.sort_by_key(|known| known.offset);
    Ok(all)
}

/// The offset and size of the parameter with a number; in a block kernel, of the scalar.
fn row(kernel: &Kernel, scalars: &[Scalar], number: usize) -> Result<(u32, u32), String> {
    let (row, what) = match kernel.form {
        Form::Plain => (kernel.parameters.get(number).map(|row| (row.offset, row.size)), "parameter"),
        Form::Block { .. } => (scalars.get(number).map(|row| (row.offset, row.size)), "scalar"),
    };
    row.ok_or_else(|| format!("has no {what} {number}"))
}

/// Whether a launch may pass so many bytes for a parameter of whole words.
fn is_shorter_by_padding(kernel: &Kernel, number: usize, bytes: usize) -> bool {
    let row = kernel.parameters.get(number).filter(|row| row.kind == ParameterKind::Words);
    row.is_some_and(|row| bytes < row.size as usize && bytes + 8 > row.size as usize)
}

fn check_overlaps(known: &[Known<'_>]) -> Result<(), String> {
    let overlaps = known.windows(2).any(|pair| pair[0].end() > pair[1].offset.into());
    if overlaps { Err("has two values for the same bytes".to_owned()) } else { Ok(()) }
}

/// Replaces the parameters whose bytes are known.
fn replace_arguments<'c>(
    module: &Module<'c>,
    kernel: &Kernel,
    function: Function<'c>,
    known: &[Known<'_>],
) -> Result<(), String> {
    for (number, (row, parameter)) in (0..).zip(kernel.parameters.iter().zip(function.parameters())) {
        let (start, end) = (row.offset, u64::from(row.offset) + u64::from(row.size));
        let mut own =
            known.iter().filter(|known| u64::from(known.offset) < end && known.end() > start.into()).peekable();
        if own.peek().is_none() {
            continue;
        }
        let is_block = row.kind == ParameterKind::Block;
        let is_in_memory = is_block || function.byval_type(number).is_some();
        if is_in_memory {
            let own: Vec<_> = own.collect();
            if own.iter().any(|known| known.offset < start || known.end() > end) {
                return Err(format!("has a value that is partly in parameter {number}"));
            }
            let bytes = own.into_iter().map(|known| (known.offset - start, known.bytes));
            replace_memory(module, parameter, (row.size, row.align), &bytes.collect::<Vec<_>>());
            continue;
        }
        if row.kind == ParameterKind::Pointer {
            return Err(format!("takes an address as parameter {number}, which differs between launches"));
        }
        let whole = own.next().filter(|known| known.offset == start && known.end() <= end && own.peek().is_none());
        let is_words = row.kind == ParameterKind::Words;
        let whole = whole.filter(|known| known.end() == end || (is_words && known.end() + 8 > end));
        let whole =
            whole.ok_or_else(|| format!("has a value for a part of parameter {number}: give all of its bytes"))?;
        let mut bytes = whole.bytes.to_vec();
        bytes.resize(row.size as usize, 0);
        replace_value(module, parameter, row.align, &bytes);
    }
    Ok(())
}

/// The bytes as a constant in memory.
fn constant<'c>(module: &Module<'c>, bytes: &[u8], align: u32) -> Value<'c> {
    let variable = module.add_bytes("offload.specialized", bytes);
    variable.set_linkage(Linkage::Private);
    variable.set_constant_global(true);
    variable.set_alignment(align);
    variable
}

/// Replaces a parameter in registers.
fn replace_value<'c>(module: &Module<'c>, parameter: Value<'c>, align: u32, bytes: &[u8]) {
    if !parameter.is_used() {
        return;
    }
    let builder = Builder::at_start(parameter.function().blocks()[0]);
    let from = constant(module, bytes, align);
    parameter.replace_all_uses_with(builder.load(parameter.ty(), from, align, ""));
}

/// Replaces a pointer to arguments by one to a copy of them, with the known bytes.
fn replace_memory<'c>(module: &Module<'c>, parameter: Value<'c>, (size, align): (u32, u32), known: &[(u32, &[u8])]) {
    if !parameter.is_used() {
        return;
    }
    let builder = Builder::at_start(parameter.function().blocks()[0]);
    let copy = builder.alloca(module.types().i8().array(size.into()), "");
    copy.set_alignment(align);
    // The copy is made after the uses are replaced, because it is one.
    parameter.replace_all_uses_with(copy);
    copy_bytes(module, &builder, (copy, align), (parameter, align), size);
    for (offset, bytes) in known {
        let to = builder.byte_offset(copy, (*offset).into(), "");
        // A power of two that divides the offset and the alignment of the whole.
        let align = 1 << (offset | align).trailing_zeros();
        let from = constant(module, bytes, align);
        copy_bytes(module, &builder, (to, align), (from, align), bytes.len() as u32);
    }
}

fn copy_bytes<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    (to, to_align): (Value<'c>, u32),
    (from, from_align): (Value<'c>, u32),
    size: u32,
) {
    let types = module.types();
    let copy = module.intrinsic("llvm.memcpy", &[to.ty(), from.ty(), types.i64()]);
    let call = builder.call(copy, &[to, from, types.i64().constant(size.into()), types.i1().constant(0)], "");
    for (number, align) in [(0, to_align), (1, from_align)] {
        call.add_attribute(Place::Parameter(number), &Attribute::Enum("align", align.into()));
    }
}
