//! The Rust module. It needs no crate.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Package, PackageImage, constant_name};
use crate::bundle::dump::kind_name;
use crate::bundle::kernel_table::KernelView;
use crate::contract::kernel::ParameterKind;

/// The types of the module.
const TYPES: &str = "
/// Code of all kernels for one arch.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The arch, such as `sm_80`.
    pub arch: &'static str,
    /// `ptx`, `cubin`, `object` (a code object of AMD) or `spirv`.
    pub kind: &'static str,
    /// The code.
    pub bytes: &'static [u8],
    /// What each kernel needs, where it is known before the code is loaded.
    pub resources: &'static [Resources],
}

/// What a kernel of an image needs.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The 32-bit registers of a thread.
    pub registers: u32,
    /// The bytes of shared memory of a block. They are the kernel's own: a launch adds none for them.
    pub shared_bytes: u32,
    /// The bytes of the stack of a thread.
    pub stack_bytes: u32,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name in the images.
    pub name: &'static str,
    /// The path of its function.
    pub function: &'static str,
    /// Its parameters, in order.
    pub parameters: &'static [Parameter],
    /// The size of all arguments together.
    pub argument_bytes: u32,
}

/// A parameter: its bytes among those of all arguments.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Where its bytes begin.
    pub offset: u32,
    /// The number of bytes.
    pub size: u32,
    /// Whether it is an address of the device.
    pub is_pointer: bool,
}

/// The image for an arch.
pub fn image(arch: &str) -> Option<&'static Image> {
    IMAGES.iter().find(|image| image.arch == arch)
}
";

pub(super) fn module(package: &Package<'_>) -> String {
    let mut text = format!(
        "// The kernels of `{}` for other launchers. `cargo offloadc images` wrote this file.\n{TYPES}",
        package.name
    );
    let mut taken = BTreeSet::from(["IMAGES".to_owned(), "KERNELS".to_owned()]);
    let mut names = Vec::new();
    for kernel in &package.kernels {
        let mut name = constant_name(kernel.name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let _ = write!(text, "\n/// `{}`.\npub const {name}: Kernel = {};\n", kernel.display, of_kernel(kernel));
        names.push(name);
    }
    let _ = write!(text, "\n/// All kernels, by name.\npub const KERNELS: &[Kernel] = &[{}];\n", names.join(", "));
    text += "\n/// All images.\npub const IMAGES: &[Image] = &[\n";
    package.images.iter().for_each(|image| text += &of_image(image, package));
    text + "];\n"
}

fn of_kernel(kernel: &KernelView<'_>) -> String {
    let parameters = kernel.parameters.iter().map(|parameter| {
        let is_pointer = parameter.kind == ParameterKind::Pointer;
        let (offset, size) = (parameter.offset, parameter.size);
        format!("        Parameter {{ offset: {offset}, size: {size}, is_pointer: {is_pointer} }},\n")
    });
    format!(
        "Kernel {{\n    name: {:?},\n    function: {:?},\n    parameters: &[\n{}    ],\n    argument_bytes: {},\n}}",
        kernel.name,
        kernel.display,
        parameters.collect::<String>(),
        kernel.argument_bytes,
    )
}

fn of_image(image: &PackageImage<'_>, package: &Package<'_>) -> String {
    let rows = package.kernels.iter().filter_map(|kernel| image.resources_of(kernel)).map(|resources| {
        format!(
            "            Resources {{ kernel: {:?}, registers: {}, shared_bytes: {}, stack_bytes: {} }},\n",
            resources.kernel, resources.registers, resources.shared_bytes, resources.stack_bytes
        )
    });
    format!(
        "    Image {{\n        arch: {:?},\n        kind: {:?},\n        bytes: include_bytes!({:?}),\n        \
         resources: &[\n{}        ],\n    }},\n",
        image.view.arch,
        kind_name(image.view),
        image.file,
        rows.collect::<String>(),
    )
}
