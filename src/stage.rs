//! The stages of a compilation. `--emit`, `--save-temps` and `--time-trace` use their names.
//!
//! The enum has the order of the work; `driver.rs` runs the stages.

/// A stage, in the order of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Files are read; their IR is one host module.
    Read,
    /// The list of kernels is found, and fixed.
    Kernels,
    /// What the kernels reach becomes the device module.
    Split,
    /// Bodies that the device module lacks are brought in.
    Resolve,
    /// What only a host understands is taken out.
    Legalize,
    /// What all targets share is optimised once.
    Simplify,
    /// What no device can run is reported.
    Validate,
    /// The device module becomes that of one arch.
    Flavor,
    /// That module is optimised.
    Optimize,
    /// That module becomes assembly.
    Codegen,
    /// That module becomes an image.
    Image,
    /// The host module becomes host code.
    Host,
    /// The images become one container.
    Bundle,
    /// Host code, cpu code and container become the host object.
    Object,
    /// A whole program is linked.
    Exe,
}

/// What is known of a stage without running it.
struct Row {
    stage: Stage,
    name: &'static str,
    /// Of the file that `--emit` and `--save-temps` write.
    extension: &'static str,
    /// Whether there is one such file for each arch.
    per_arch: bool,
    /// What that file holds.
    gives: &'static str,
}

const fn row(stage: Stage, name: &'static str, extension: &'static str, per_arch: bool, gives: &'static str) -> Row {
    Row { stage, name, extension, per_arch, gives }
}

/// By stage, so that a stage's number is its row.
#[rustfmt::skip]
const ROWS: [Row; 15] = [
    row(Stage::Read,     "read",     "ll",  false, "the inputs as one host module, as IR text"),
    row(Stage::Kernels,  "kernels",  "txt", false, "the kernels, how each was found, and its parameters"),
    row(Stage::Split,    "split",    "ll",  false, "the device module: everything that the kernels reach, and nothing else"),
    row(Stage::Resolve,  "resolve",  "ll",  false, "the device module with the bodies that it lacked"),
    row(Stage::Legalize, "legalize", "ll",  false, "the device module without anything that only a host understands"),
    row(Stage::Simplify, "simplify", "ll",  false, "the device module, optimised as far as all targets agree"),
    row(Stage::Validate, "validate", "ll",  false, "the device module, once every target accepts it"),
    row(Stage::Flavor,   "flavor",   "ll",  true,  "the device module of one arch"),
    row(Stage::Optimize, "optimize", "ll",  true,  "the device module of one arch, optimised"),
    row(Stage::Codegen,  "codegen",  "s",   true,  "the assembly of one arch"),
    row(Stage::Image,    "image",    "img", true,  "the device image of one arch"),
    row(Stage::Host,     "host",     "o",   false, "the host code alone"),
    row(Stage::Bundle,   "bundle",   "bin", false, "all images in one container"),
    row(Stage::Object,   "object",   "o",   false, "the host object: host code, images, registration (the default)"),
    row(Stage::Exe,      "exe",      "exe", false, "a whole program, linked with Rust's standard library"),
];

impl Stage {
    /// Every stage, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.stage)
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|stage| stage.name() == name)
    }

    /// The stage's one name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Extension of the file that holds what the stage gives, without the dot. A target may have a better one for its
    /// assembly or image (`ptx`); see [`Self::file_name_with`].
    pub fn extension(self) -> &'static str {
        self.row().extension
    }

    /// Whether the stage gives one file for each arch.
    pub fn per_arch(self) -> bool {
        self.row().per_arch
    }

    /// What the stage gives, in one line.
    pub fn gives(self) -> &'static str {
        self.row().gives
    }

    /// The file of this stage: `<stem>.<stage>[.<arch>].<ext>`.
    pub fn file_name(self, stem: &str, arch: Option<&str>) -> String {
        self.file_name_with(stem, arch, self.extension())
    }

    /// The same with the extension that a target gave.
    pub fn file_name_with(self, stem: &str, arch: Option<&str>, extension: &str) -> String {
        let arch = arch.map_or(String::new(), |arch| format!(".{}", file_safe(arch)));
        format!("{stem}.{}{arch}.{extension}", self.name())
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// An arch as part of a file name: `:` is `@`, anything else unusual its number; no two archs become one.
fn file_safe(arch: &str) -> String {
    let mut safe = String::new();
    for c in arch.chars() {
        match c {
            ':' => safe.push('@'),
            c if c.is_ascii_alphanumeric() || "-+_".contains(c) => safe.push(c),
            c => safe += &format!("%{:x}%", c as u32),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_its_own_row() {
        for (number, row) in ROWS.iter().enumerate() {
            assert_eq!(row.stage as usize, number);
            assert_eq!(Stage::from_name(row.name), Some(row.stage));
        }
        assert_eq!(Stage::from_name("ptx"), None);
    }

    #[test]
    fn file_names_are_safe_and_distinct() {
        let name = |arch| Stage::Image.file_name("app", Some(arch));
        assert_eq!(name("gfx90a:xnack+"), "app.image.gfx90a@xnack+.img");
        assert_eq!(name("gfx90a:xnack-"), "app.image.gfx90a@xnack-.img");
        assert_eq!(name("a/b"), "app.image.a%2f%b.img");
        assert_eq!(Stage::Split.file_name("app", None), "app.split.ll");
        assert_eq!(Stage::Codegen.file_name_with("a", Some("sm_80"), "ptx"), "a.codegen.sm_80.ptx");
    }
}
