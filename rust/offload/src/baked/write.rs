//! Writes the file, in a shared object that `cargo offloadc bake` has compiled and loaded. The images, the tables and
//! the texts of panics are those that this object has registered.

use core::ffi::CStr;
use core::slice;
use std::format;
use std::string::String;
use std::vec::Vec;
use std::{env, eprintln, fs, process};

use crate::abi::{HAS_CPU_CODE, HAS_EXTENTS, HAS_SCALARS, RawDescriptor, RawKernel};
use crate::baked_sets::file::{self, File, Kernel, PARAMETER_BYTES};
use crate::baked_sets::{Baked, BakedKernel, RUSTC};
use crate::layout::{Layout, probe};

/// The variable with the path of the file to write. The command moves it to its place.
const FILE: &str = "OFFLOADC_BAKE_FILE";
/// The variable with the folder of the package whose kernels are written: other packages may have baked kernels, too.
const FOLDER: &str = "OFFLOADC_BAKE_FOLDER";
/// The variable with the inputs of rustc, one a line: `env` or `file`, the name, and a hash.
const READ: &str = "OFFLOADC_BAKE_READ";
/// The variable with the features of the package.
const FEATURES: &str = "OFFLOADC_BAKE_FEATURES";

/// Writes the file and ends the process, if the set is the one that is asked for.
pub(super) fn write_if_asked(set: &Baked) {
    let Ok(path) = env::var(FILE) else { return };
    if env::var(FOLDER).ok().as_deref() != Some(set.folder) {
        return;
    }
    // In such a build, the bytes are the name of the file.
    let place = String::from_utf8_lossy(set.bytes);
    let written = contents(set).and_then(|bytes| {
        fs::write(&path, bytes)
            .and_then(|()| fs::write(std::path::Path::new(&path).with_extension("name"), &*place))
            .map_err(|error| format!("cannot write `{path}`: {error}"))
    });
    match written {
        Ok(()) => process::exit(0),
        Err(text) => {
            eprintln!("error: {text}");
            process::exit(1);
        }
    }
}

fn contents(set: &Baked) -> Result<Vec<u8>, String> {
    check_features(set)?;
    let inputs = inputs(set)?;
    let kernels: Vec<BakedKernel> = set.kernels.iter().map(|kernel| kernel()).collect();
    for kernel in &kernels {
        if let Some(part) = kernel.layout.unknown {
            let name = kernel.name;
            return Err(format!(
                "kernel `{name}` cannot be baked: it takes {part}, whose meaning another program cannot check; help: \
                 take slices, numbers and structs with `#[derive(DeviceCopy)]`"
            ));
        }
    }
    let Some(first) = kernels.first() else {
        return Err("`baked!` lists no kernels".into());
    };
    // SAFETY: a handle points to the descriptor of its object, which has the bytes that it names.
    let (handles, panics, images) = unsafe {
        let descriptor = &*(*first.handle).descriptor.cast::<RawDescriptor>();
        let size = descriptor.images_end.offset_from_unsigned(descriptor.images_begin);
        let panics = descriptor.panics.cast::<u8>();
        let panic_bytes = if panics.is_null() { 0 } else { *descriptor.panics };
        let panics = if panics.is_null() { &[] } else { slice::from_raw_parts(panics, panic_bytes as usize) };
        let handles = slice::from_raw_parts(descriptor.kernels, descriptor.kernel_count as usize);
        (handles, panics, slice::from_raw_parts(descriptor.images_begin, size))
    };
    // The texts of panics name kernels by their position, so all kernels of the object are written. The others have no
    // name, by which a launch could find them.
    let other = BakedKernel { name: "", layout: Layout::default(), handle: core::ptr::null() };
    let listed = |raw: &RawKernel| kernels.iter().find(|kernel| core::ptr::eq(kernel.handle, raw));
    if let Some(kernel) = kernels.iter().find(|kernel| handles.iter().all(|raw| !core::ptr::eq(kernel.handle, raw))) {
        return Err(format!("kernel `{}` is not compiled with the others of the library", kernel.name));
    }
    // SAFETY: these are the handles of kernels.
    let rows = handles.iter().map(|raw| unsafe { row(listed(raw).unwrap_or(&other), raw) }).collect();
    Ok(file::write(&File {
        inputs: &inputs,
        package: set.package,
        version: set.version,
        source: set.source,
        conditions: set.conditions,
        offload: env!("CARGO_PKG_VERSION"),
        rustc: RUSTC,
        probe: &probe(),
        features: set.features.to_vec(),
        kernels: rows,
        panics,
        images,
    }))
}

/// The inputs that decide the code together with the source of the package: the dependencies, which the macro has
/// found, and the inputs of rustc.
fn inputs(set: &Baked) -> Result<String, String> {
    if let Some(line) = set.inputs.lines().find(|line| line.ends_with("\tnone")) {
        let name = line.split('\t').nth(1).unwrap_or_default();
        return Err(format!("cannot find the source of the dependency `{name}` in one place"));
    }
    let read = env::var(READ).unwrap_or_default();
    Ok(set.inputs.lines().chain(read.lines()).collect::<Vec<_>>().join("\n"))
}

/// Every feature may change the kernels, so the macro must know all.
fn check_features(set: &Baked) -> Result<(), String> {
    let declared = env::var(FEATURES).unwrap_or_default();
    let missing = declared.split(',').find(|name| !name.is_empty() && set.features.iter().all(|(own, _)| own != name));
    match missing {
        Some(name) => Err(format!(
            "`baked!` does not list the feature `{name}` of package `{}`; help: `features` lists all features, because \
             each may change the kernels",
            set.package
        )),
        None => Ok(()),
    }
}

/// # Safety
///
/// `raw` must be the kernel's handle.
unsafe fn row<'a>(kernel: &'a BakedKernel, raw: &'a RawKernel) -> Kernel<'a> {
    let rows = if raw.flags & HAS_EXTENTS == 0 { 1 } else { 2 };
    let size = raw.parameter_count as usize * PARAMETER_BYTES * rows;
    // SAFETY: the table has that many parameters, followed by as many extents if the flag says so, and the name is a
    // string.
    let (symbol, parameters) = unsafe {
        let parameters = if size == 0 { &[] } else { slice::from_raw_parts(raw.parameters.cast(), size) };
        (CStr::from_ptr(raw.name).to_str().unwrap_or_default(), parameters)
    };
    Kernel {
        name: kernel.name,
        symbol,
        layout: &kernel.layout.text,
        depends_on_rustc: kernel.layout.depends_on_rustc,
        argument_bytes: raw.argument_bytes,
        argument_align: raw.argument_align,
        shared_bytes: raw.shared_bytes,
        // The list of scalars is not in the file: no code is compiled for values of baked kernels.
        flags: raw.flags & !(HAS_CPU_CODE | HAS_SCALARS),
        threads_per_block: raw.threads_per_block,
        parameter_count: raw.parameter_count,
        parameters,
    }
}
