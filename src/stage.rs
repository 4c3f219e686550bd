//! The stages of a compilation, in the order in which `driver.rs` runs them. `--emit`, `--save-temps` and
//! `--time-trace` use their names.

/// A stage. The variants are in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Files are read, and their modules are linked into one host module.
    Read,
    /// The list of kernels is determined.
    Kernels,
    /// The code that kernels reach becomes the device module.
    Split,
    /// Bodies that the device module lacks are linked from libraries.
    Resolve,
    /// Constructs that only a host understands are removed.
    Legalize,
    /// The optimisations that all targets share are run.
    Simplify,
    /// Code that no requested device can run is reported.
    Validate,
    /// The device module, with all that the jobs of archs need, becomes a file.
    Slice,
    /// The device module becomes a module for one arch.
    Flavor,
    /// The module of the arch is optimised.
    Optimize,
    /// The module of the arch becomes assembly.
    Codegen,
    /// The module of the arch becomes an image.
    Image,
    /// Each host module becomes host code.
    Host,
    /// The images are put into containers.
    Bundle,
    /// Host code, device code for the CPU and containers become the host object.
    Object,
    /// A program is linked.
    Exe,
}

/// The properties of a stage.
struct Row {
    stage: Stage,
    name: &'static str,
    /// The extension of the file that `--emit` and `--save-temps` write.
    extension: &'static str,
    /// Whether there is one such file for each arch.
    per_arch: bool,
    /// The action of the stage: the verb in the forms after "cannot" and after "while", and the object.
    action: [&'static str; 3],
    /// The contents of that file.
    gives: &'static str,
}

const fn row(
    stage: Stage,
    name: &'static str,
    extension: &'static str,
    per_arch: bool,
    action: [&'static str; 3],
    gives: &'static str,
) -> Row {
    Row { stage, name, extension, per_arch, action, gives }
}

/// One row for each stage, in the order of [`Stage`], so that a stage's number is the index of its row.
#[rustfmt::skip]
const ROWS: [Row; 16] = [
    row(Stage::Read,     "read",     "ll",  false, ["read", "reading", "the input"], "the inputs as one host module, as IR text"),
    row(Stage::Kernels,  "kernels",  "txt", false, ["find", "finding", "the kernels"], "the kernels, how each was found, and its parameters"),
    row(Stage::Split,    "split",    "ll",  false, ["separate", "separating", "device code from host code"], "the device module: everything that the kernels reach, and nothing else"),
    row(Stage::Resolve,  "resolve",  "ll",  false, ["resolve", "resolving", "the functions that kernels call"], "the device module with the bodies that it lacked"),
    row(Stage::Legalize, "legalize", "ll",  false, ["legalize", "legalizing", "the device module"], "the device module without anything that only a host understands"),
    row(Stage::Simplify, "simplify", "ll",  false, ["simplify", "simplifying", "the device module"], "the device module, optimised as far as all targets agree"),
    row(Stage::Validate, "validate", "ll",  false, ["validate", "validating", "the device module"], "the device module, once every target accepts it"),
    row(Stage::Slice,    "slice",    "bin",   false, ["write", "writing", "the slice"], "the same with all that `offloadc job` needs, as one binary file"),
    row(Stage::Flavor,   "flavor",   "ll",  true,  ["lower", "lowering", "the device module"], "the device module of one arch"),
    row(Stage::Optimize, "optimize", "ll",  true,  ["optimize", "optimizing", "the device module"], "the device module of one arch, optimised"),
    row(Stage::Codegen,  "codegen",  "s",   true,  ["generate", "generating", "code"], "the assembly of one arch"),
    row(Stage::Image,    "image",    "img", true,  ["make", "making", "the image"], "the device image of one arch"),
    row(Stage::Host,     "host",     "o",   false, ["compile", "compiling", "the host code"], "the host code alone"),
    row(Stage::Bundle,   "bundle",   "bin", false, ["bundle", "bundling", "the images"], "all images in one container"),
    row(Stage::Object,   "object",   "o",   false, ["make", "making", "the host object"], "the host object: host code, images, registration (the default)"),
    row(Stage::Exe,      "exe",      "exe", false, ["link", "linking", "the program"], "a whole program, linked with Rust's standard library"),
];

impl Stage {
    /// Every stage, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.stage)
    }

    /// The stage with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|stage| stage.name() == name)
    }

    /// The name of the stage.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The extension of the stage's output file, without the dot. A target may have a better one for its assembly or
    /// image, such as `ptx`; see [`Self::file_name_with`].
    pub fn extension(self) -> &'static str {
        self.row().extension
    }

    /// Whether the stage writes one file for each arch.
    pub fn per_arch(self) -> bool {
        self.row().per_arch
    }

    /// The words after "cannot" when the stage fails: "generate code for sm_80".
    pub fn to_do(self, arch: Option<&str>) -> String {
        let [verb, _, object] = self.row().action;
        format!("{verb} {object}{}", for_arch(arch))
    }

    /// The words after "while" when the stage crashes: "generating code for sm_80".
    pub fn doing(self, arch: Option<&str>) -> String {
        let [_, verb, object] = self.row().action;
        format!("{verb} {object}{}", for_arch(arch))
    }

    /// The stage's output, in one line.
    pub fn gives(self) -> &'static str {
        self.row().gives
    }

    /// The file name of the stage's output: `<stem>.<stage>[.<arch>].<ext>`.
    pub fn file_name(self, stem: &str, arch: Option<&str>) -> String {
        self.file_name_with(stem, arch, self.extension())
    }

    /// The same file name with another extension.
    pub fn file_name_with(self, stem: &str, arch: Option<&str>, extension: &str) -> String {
        let arch = arch.map_or(String::new(), |arch| format!(".{}", file_safe(arch)));
        format!("{stem}.{}{arch}.{extension}", self.name())
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

fn for_arch(arch: Option<&str>) -> String {
    arch.map_or(String::new(), |arch| format!(" for {arch}"))
}

/// An arch as part of a file name. `:` becomes `@`, and other unusual characters become their numbers, so different
/// archs have different names.
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
    fn messages_say_what_a_stage_does() {
        assert_eq!(Stage::Codegen.to_do(Some("sm_80")), "generate code for sm_80");
        assert_eq!(Stage::Read.doing(None), "reading the input");
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
