//! Makes the functions of kernels internal: an entry calls the code of a thread.

use super::code_table::{self, Argument, KernelCode};
use super::position::PARAMETERS;
use super::types::Regions;
use super::versions::{Code, Version};
use crate::contract::kernel::{Kernel, KernelSet, ParameterKind};
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place};

/// Makes each kernel's function internal, and copies its in-memory arguments if it may write to them. Adds the table
/// of the kernels' code.
pub(crate) fn internalize_kernels(module: &Module<'_>, kernels: &KernelSet) -> Result<()> {
    let all = kernels.iter().map(|kernel| internalize(module, kernel)).collect::<Result<Vec<_>>>()?;
    code_table::write(module, &all);
    Ok(())
}

fn internalize<'c>(module: &Module<'c>, kernel: &Kernel) -> Result<KernelCode<'c>> {
    let Some(body) = module.function(&kernel.name) else {
        return Err(Error::internal(format!("kernel `{}` is not in the device module", kernel.name)));
    };
    if body.parameters().len() != kernel.parameters.len() + PARAMETERS {
        let message = format!("kernel `{}` does not have the parameters of its table", kernel.name);
        return Err(Error::internal(message));
    }
    body.set_linkage(Linkage::Internal);
    body.set_name(&format!("{}.thread", kernel.name));
    let types = body.function_type().parameters();
    let mut arguments = Vec::new();
    for (index, row) in kernel.parameters.iter().enumerate() {
        let place = Place::Parameter(index as u32);
        let by_address = row.kind == ParameterKind::Block || body.byval_type(index as u32).is_some();
        arguments.push(Argument { offset: row.offset, align: row.align, ty: (!by_address).then_some(types[index]) });
        body.remove_attribute(place, "byval");
        if !by_address {
            continue;
        }
        if is_only_read(body, place) {
            describe_argument(body, place, row.size.into());
        } else {
            copy_argument(module, body, index, row.size.into(), row.align);
        }
    }
    Ok(KernelCode {
        name: kernel.name.clone(),
        arguments,
        argument_bytes: kernel.argument_bytes(),
        argument_align: kernel.argument_align(),
        regions: Regions::One(Version::Code(Code::new(body, Vec::new()))),
    })
}

fn is_only_read(body: Function<'_>, place: Place) -> bool {
    ["readonly", "readnone"].into_iter().any(|name| body.has_attribute(place, name))
}

/// Says of the address of an argument that the memory belongs to the launch and does not change.
fn describe_argument(body: Function<'_>, place: Place, size: u64) {
    let size = Attribute::Enum("dereferenceable", size);
    [Attribute::Enum("noalias", 0), size].iter().for_each(|known| body.add_attribute(place, known));
}

/// The same of all arguments of a kernel that are in memory and that it only reads.
pub(crate) fn describe_arguments(function: Function<'_>, kernel: &Kernel) {
    for (index, row) in (0..).zip(&kernel.parameters) {
        let by_address = row.kind == ParameterKind::Block || function.byval_type(index).is_some();
        if by_address && is_only_read(function, Place::Parameter(index)) {
            describe_argument(function, Place::Parameter(index), row.size.into());
        }
    }
}

/// Copies an argument, because each thread may change its own: `T copy = *argument;`.
fn copy_argument<'c>(module: &Module<'c>, body: Function<'c>, index: usize, size: u64, align: u32) {
    let argument = body.parameters()[index];
    let builder = Builder::at_start(body.blocks()[0]);
    let types = module.types();
    let (i1, i8, i64) = (types.i1(), types.i8(), types.i64());
    let copy = builder.alloca(i8.array(size), "");
    copy.set_alignment(align);
    argument.replace_all_uses_with(copy);
    let memcpy = module.intrinsic("llvm.memcpy", &[argument.ty(), argument.ty(), i64]);
    builder.call(memcpy, &[copy, argument, i64.constant(size), i1.zero()], "");
}
