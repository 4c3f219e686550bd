//! The header of C. Its names begin with that of the library, so that several headers fit into one file.

use std::fmt::Write as _;

use super::{Package, PackageImage, constant_name};
use crate::bundle::dump::kind_name;
use crate::bundle::kernel_table::KernelView;
use crate::contract::kernel::ParameterKind;

/// The numbers in a line of an array.
const NUMBERS: usize = 24;

pub(super) fn header(package: &Package<'_>) -> String {
    let library = identifier(package.name);
    let guard = format!("{}_KERNELS_H", constant_name(&library));
    let mut text = format!(
        "/* The kernels of {} for other launchers. `cargo offloadc images` wrote this file. */\n#ifndef {guard}\n\
         #define {guard}\n\n#include <stddef.h>\n\n{}",
        package.name,
        types(&library)
    );
    for kernel in &package.kernels {
        text += &of_parameters(&library, kernel);
    }
    let rows = package.kernels.iter().map(|kernel| of_kernel(&library, kernel));
    text += &array(&format!("struct {library}_kernel {library}_kernels"), rows);
    for (number, image) in package.images.iter().enumerate() {
        text += &of_bytes(&library, number, image);
        let rows = package.kernels.iter().filter_map(|kernel| image.resources_of(kernel)).map(|resources| {
            let (registers, shared, stack) = (resources.registers, resources.shared_bytes, resources.stack_bytes);
            format!("{{\"{}\", {registers}, {shared}, {stack}}}", resources.kernel)
        });
        text += &array(&format!("struct {library}_resources {library}_resources_{number}"), rows);
    }
    let rows = package.images.iter().enumerate().map(|(number, image)| of_image(&library, number, image, package));
    text += &array(&format!("struct {library}_image {library}_images"), rows);
    text + &format!("#endif /* {guard} */\n")
}

fn types(library: &str) -> String {
    format!(
        "struct {library}_parameter {{\n  unsigned offset, size; /* of its bytes among those of all arguments */\n  \
         int is_pointer; /* whether it is an address of the device */\n}};\n\n\
         struct {library}_kernel {{\n  const char *name;\n  const struct {library}_parameter *parameters;\n  \
         unsigned parameter_count, argument_bytes;\n}};\n\n\
         struct {library}_resources {{\n  const char *kernel;\n  unsigned registers; /* of 32 bits, of a thread */\n  \
         unsigned shared_bytes; /* of a block: its own, a launch adds none for them */\n  \
         unsigned stack_bytes; /* of a thread */\n}};\n\n\
         struct {library}_image {{\n  const char *arch; /* such as sm_80 */\n  \
         const char *kind; /* as `offloadc inspect` names it */\n  \
         const unsigned char *bytes; /* a NUL follows them */\n  size_t size;\n  \
         const struct {library}_resources *resources; /* where they are known before the code is loaded */\n  \
         unsigned resource_count;\n}};\n\n"
    )
}

/// An array with these rows. C has no empty arrays, so there is one more row of zeros.
fn array(declaration: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: String = rows.map(|row| format!("  {row},\n")).collect();
    format!("static const {declaration}[] = {{\n{rows}  {{0}},\n}};\n\n")
}

fn of_parameters(library: &str, kernel: &KernelView<'_>) -> String {
    let rows = kernel.parameters.iter().map(|parameter| {
        let is_pointer = u8::from(parameter.kind == ParameterKind::Pointer);
        format!("{{{}, {}, {is_pointer}}}", parameter.offset, parameter.size)
    });
    array(&format!("struct {library}_parameter {library}_parameters_of_{}", kernel.name), rows)
}

fn of_kernel(library: &str, kernel: &KernelView<'_>) -> String {
    let (name, count) = (kernel.name, kernel.parameters.len());
    let bytes = kernel.argument_bytes;
    format!("{{\"{name}\", {library}_parameters_of_{name}, {count}, {bytes}}}")
}

fn of_bytes(library: &str, number: usize, image: &PackageImage<'_>) -> String {
    let mut text = format!("static const unsigned char {library}_bytes_{number}[] = {{");
    for (at, byte) in image.view.bytes.iter().chain(&[0]).enumerate() {
        let _ = write!(text, "{}{byte},", if at % NUMBERS == 0 { "\n  " } else { "" });
    }
    text + "\n};\n\n"
}

fn of_image(library: &str, number: usize, image: &PackageImage<'_>, package: &Package<'_>) -> String {
    let (arch, kind, size) = (&image.view.arch, kind_name(image.view), image.view.bytes.len());
    let count = package.kernels.iter().filter_map(|kernel| image.resources_of(kernel)).count();
    format!("{{\"{arch}\", \"{kind}\", {library}_bytes_{number}, {size}, {library}_resources_{number}, {count}}}")
}

/// A name with letters, digits and `_`.
fn identifier(name: &str) -> String {
    name.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_")
}
