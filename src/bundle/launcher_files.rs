//! Files for programs with a launcher of their own: the images of exported kernels, with all that a launch needs to
//! know, as a Rust module, as a header of C, or as files with a table in JSON.

mod c;
mod rust;

use serde_json::{Value, json};

use super::dump::{Contents, kind_name, parameter_json};
use super::kernel_table::KernelView;
use super::{ImageKind, ImageView, Resources};
use crate::contract::kernel::ParameterKind;

/// The form of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A Rust module, and the images beside it.
    Rust,
    /// A header of C with the images.
    C,
    /// The images, and a table in JSON.
    Files,
}

impl Format {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] = [("rust", Self::Rust), ("c", Self::C), ("files", Self::Files)];
}

/// A file: its name, and its bytes.
pub type File = (String, Vec<u8>);

/// The images and kernels that the files are made of.
struct Package<'a> {
    /// The name of the library, which begins the names of files and of C's constants.
    name: &'a str,
    images: Vec<PackageImage<'a>>,
    /// The kernels with plain parameters, in the order of their names.
    kernels: Vec<&'a KernelView<'a>>,
}

/// An image.
struct PackageImage<'a> {
    view: &'a ImageView<'a>,
    /// The name of its file.
    file: String,
    /// The resources of its kernels, where they are known.
    resources: &'a [Resources],
}

impl Contents<'_> {
    /// The files for the library of this name.
    pub fn launcher_files(&self, name: &str, format: Format) -> Vec<File> {
        let package = Package::new(self, name);
        match format {
            Format::Rust => {
                [package.image_files(), vec![(format!("{name}.rs"), rust::module(&package).into_bytes())]].concat()
            }
            Format::C => vec![(format!("{name}.h"), c::header(&package).into_bytes())],
            Format::Files => {
                [package.image_files(), vec![(format!("{name}.json"), package.json().into_bytes())]].concat()
            }
        }
    }

    /// The names of the kernels that other launchers can launch.
    pub fn launchable(&self) -> Vec<String> {
        Package::new(self, "").kernels.iter().map(|kernel| kernel.name.to_owned()).collect()
    }
}

impl<'a> Package<'a> {
    fn new(contents: &'a Contents<'_>, name: &'a str) -> Self {
        let mut images = Vec::new();
        for part in &contents.parts {
            for (at, view) in part.images.iter().enumerate() {
                let resources = part.resources.get(at).map_or(&[][..], Vec::as_slice);
                images.push(PackageImage { view, file: file_name(name, view), resources });
            }
        }
        let tables = contents.parts.iter().flat_map(|part| &part.tables);
        let is_plain = |kernel: &&KernelView<'_>| {
            let plain = [ParameterKind::Value, ParameterKind::Pointer];
            kernel.parameters.iter().all(|parameter| plain.contains(&parameter.kind))
        };
        let mut kernels: Vec<_> = tables.flat_map(|table| &table.kernels).filter(is_plain).collect();
        kernels.sort_by_key(|kernel| kernel.name);
        Self { name, images, kernels }
    }

    fn image_files(&self) -> Vec<File> {
        self.images.iter().map(|image| (image.file.clone(), image.view.bytes.to_vec())).collect()
    }

    /// The table of the kernels and files.
    fn json(&self) -> String {
        let kernels: Vec<Value> = self.kernels.iter().map(|kernel| kernel_json(kernel)).collect();
        let images: Vec<Value> = self.images.iter().map(PackageImage::json).collect();
        format!("{:#}\n", json!({ "library": self.name, "images": images, "kernels": kernels }))
    }
}

impl PackageImage<'_> {
    /// The numbers of a kernel in this image.
    fn resources_of(&self, kernel: &KernelView<'_>) -> Option<&Resources> {
        self.resources.iter().find(|resources| resources.kernel == kernel.name)
    }

    fn json(&self) -> Value {
        let resources = self.resources.iter().map(|resources| {
            let numbers = resources.fields().map(|(name, number)| (name.to_owned(), json!(number)));
            (resources.kernel.clone(), Value::Object(numbers.into_iter().collect()))
        });
        json!({
            "arch": self.view.arch,
            "kind": kind_name(self.view),
            "file": self.file,
            "resources": resources.collect::<serde_json::Map<_, _>>(),
        })
    }
}

fn kernel_json(kernel: &KernelView<'_>) -> Value {
    let parameters: Vec<Value> = kernel.parameters.iter().map(parameter_json).collect();
    json!({
        "name": kernel.name,
        "function": kernel.display,
        "argument_bytes": kernel.argument_bytes,
        "parameters": parameters,
    })
}

/// The name of an image's file.
fn file_name(library: &str, image: &ImageView<'_>) -> String {
    let extension = image.kind.map_or("bin", ImageKind::extension);
    let arch = image.arch.replace(|c: char| !(c.is_ascii_alphanumeric() || "_-+.".contains(c)), "_");
    format!("{library}.{arch}.{extension}")
}

/// A name in capitals.
fn constant_name(name: &str) -> String {
    name.to_ascii_uppercase()
}
