//! The registration with the functions that code of MLIR calls, `mgpuModuleLoad` and others
//! (`mlir/lib/ExecutionEngine/` of LLVM 22): a constructor loads the images as one module, and a destructor unloads it.
//!
//! A library has these functions for one vendor's devices, and the module is in the form that this vendor's driver
//! loads: a fat binary of CUDA, a bundle of HIP, or SPIR-V. The module is in the descriptor of the object, where
//! offloadrt has its list. A program calls `mgpuModuleGetFunction` with the module and the name in a kernel's handle.

use std::mem::offset_of;

use super::calls::{Argument, Call};
use super::registration::{Registration, RuntimeHooks, RuntimeInputs};
use super::relocatable::{Record, Relocatable, Section};
use super::symbol::Symbol;
use super::{Image, ImageKind, fatbinary, hip_bundle};
use crate::contract::abi::Descriptor;
use crate::error::{Error, Result};

/// Whether an image is part of the module.
pub(super) fn reads(image: &Image) -> bool {
    image.kind == ImageKind::Spirv || fatbinary::holds(image) || hip_bundle::holds(image)
}

/// Adds the module to the object. Returns the calls that load and unload it.
pub(super) fn place(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
    descriptor: Symbol,
) -> Result<RuntimeHooks> {
    let (address, size) = place_module(registration, object, parts)?;
    let module = (descriptor, offset_of!(Descriptor, next));
    let arguments = vec![address, Argument::Number(size as i64)];
    let load = Call { callee: "mgpuModuleLoad", arguments, result: Some(module) };
    let arguments = vec![Argument::Loaded(module.0, module.1)];
    let unload = Call { callee: "mgpuModuleUnload", arguments, result: None };
    Ok(RuntimeHooks { at_load: vec![load], at_unload: vec![unload] })
}

/// The address and the size of the module's bytes.
fn place_module(
    registration: &Registration<'_>,
    object: &mut Relocatable<'_>,
    parts: &RuntimeInputs,
) -> Result<(Argument, usize)> {
    let images = registration.images.images();
    check_vendor(images)?;
    let symbol = format!("__offload_mgpu_module.{}", registration.hash);
    let (bytes, section) = if images.iter().any(fatbinary::holds) {
        (fatbinary::write(images)?, Section::Fatbinary)
    } else if images.iter().any(hip_bundle::holds) {
        (hip_bundle::write(images), Section::HipBundle)
    } else {
        return Ok(spirv_module(images, parts));
    };
    let (symbol, size) = (object.local(symbol), bytes.len());
    object.define(symbol, section, Record::of(bytes))?;
    Ok((Argument::Address(symbol, 0), size))
}

/// Refuses images of several vendors, or of no GPU.
fn check_vendor(images: &[Image]) -> Result<()> {
    let mut loaded: Vec<&Image> = images.iter().filter(|image| reads(image)).collect();
    // A driver takes one module of SPIR-V.
    loaded.dedup_by(|a, b| a.triple == b.triple && a.kind != ImageKind::Spirv);
    match &loaded[..] {
        [_] => Ok(()),
        [] => Err(Error::new(
            "`--runtime=mgpu` has no image to load: name the archs of one vendor's GPUs with `--offload-arch`",
        )),
        [first, .., last] => Err(Error::new(format!(
            "`--runtime=mgpu` loads one module, and `{}` and `{}` need two: name the archs of one vendor's GPUs, or one \
             of SPIR-V",
            first.arch, last.arch
        ))),
    }
}

/// The module that is in the containers.
fn spirv_module(images: &[Image], parts: &RuntimeInputs) -> (Argument, usize) {
    let contained = images.iter().filter(|image| !fatbinary::holds(image) && !hip_bundle::holds(image));
    let found = contained.zip(&parts.images).find(|(image, _)| image.kind == ImageKind::Spirv);
    match (parts.containers, found) {
        (Some(containers), Some((_, range))) => (Argument::Address(containers, range.start), range.len()),
        _ => (Argument::Number(0), 0),
    }
}
