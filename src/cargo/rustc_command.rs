//! rustc's command line as cargo writes it, as far as `offloadc-rustc` needs it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// A command line of rustc.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RustcCommand {
    /// The words, with those of files of arguments.
    pub(super) words: Vec<OsString>,
    /// Whether the code is for the program, and not for a build script or a procedural macro.
    pub(super) has_target: bool,
    /// Whether rustc only answers a question.
    pub(super) prints: bool,
    /// `--test`.
    pub(super) is_test: bool,
    pub(super) crate_name: String,
    /// The file of the crate's root.
    pub(super) root: PathBuf,
    pub(super) crate_types: Vec<String>,
    /// The kinds of `--emit`, and the path of each that has one.
    emitted: Vec<(String, Option<PathBuf>)>,
    out_dir: PathBuf,
    extra_filename: String,
    /// The files of the crates that this one names.
    pub(super) externs: Vec<PathBuf>,
    /// The same as values of `--extern`.
    named: Vec<String>,
    /// The folders of `-L`, as they were given.
    pub(super) folders: Vec<String>,
    /// The last `--error-format`, and the values of `--json`.
    error_format: String,
    json: Vec<String>,
    /// The last `-C lto`.
    lto: Option<String>,
}

impl RustcCommand {
    /// Parses the words after the program. A file of arguments (`@FILE`) has one on each line.
    pub(super) fn parse(words: &[OsString]) -> std::io::Result<Self> {
        let mut this = Self::default();
        let mut all = Vec::new();
        for word in words {
            match word.as_bytes().strip_prefix(b"@") {
                None => all.push(word.clone()),
                Some(path) => {
                    let bytes = std::fs::read(OsStr::from_bytes(path))?;
                    all.extend(bytes.split(|byte| *byte == b'\n').map(|line| OsString::from_vec(line.to_vec())));
                }
            }
        }
        this.words.clone_from(&all);
        let mut words = all.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            if word == "--test" {
                this.is_test = true;
            } else if let Some(folder) = word.strip_prefix("-L") {
                let next = if folder.is_empty() { words.next() } else { None };
                this.folders.push(next.as_deref().unwrap_or(folder).to_owned());
            } else if let Some(codegen) = word.strip_prefix("-C") {
                let next = if codegen.is_empty() { words.next() } else { None };
                this.codegen(next.as_deref().unwrap_or(codegen));
            } else if let Some((name, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
                this.option(name, value);
            } else if WITH_VALUE.contains(&&*word) {
                this.option(&word, &words.next().unwrap_or_default());
            } else if word.ends_with(".rs") {
                this.root = (*word).into();
            }
        }
        Ok(this)
    }

    fn codegen(&mut self, option: &str) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match &*name.replace('_', "-") {
            "extra-filename" => value.clone_into(&mut self.extra_filename),
            "lto" => self.lto = Some(value.to_owned()),
            "codegen" => self.codegen(value),
            _ => {}
        }
    }

    fn option(&mut self, name: &str, value: &str) {
        match name {
            "--target" => self.has_target = true,
            "--print" => self.prints = true,
            "--crate-name" => value.clone_into(&mut self.crate_name),
            "--crate-type" => self.crate_types.extend(value.split(',').map(str::to_owned)),
            "--out-dir" => self.out_dir = value.into(),
            "--codegen" => self.codegen(value),
            "--emit" => self.emitted.extend(value.split(',').map(|kind| match kind.split_once('=') {
                Some((kind, path)) => (kind.to_owned(), Some(path.into())),
                None => (kind.to_owned(), None),
            })),
            "--extern" => {
                self.externs.extend(value.split_once('=').map(|(_, path)| path.into()));
                self.named.push(value.to_owned());
            }
            "--error-format" => value.clone_into(&mut self.error_format),
            "--json" => self.json.extend(value.split(',').map(str::to_owned)),
            _ => {}
        }
    }

    /// Whether this makes code of the program.
    pub(super) fn makes_code(&self) -> bool {
        self.is_of_program() && self.emits("link")
    }

    /// Whether this checks code of the program, and makes none.
    pub(super) fn only_checks(&self) -> bool {
        self.is_of_program() && self.emits("metadata") && !self.emits("link")
    }

    fn is_of_program(&self) -> bool {
        let of_host = self.crate_types.iter().any(|kind| kind == "proc-macro");
        self.has_target && !self.prints && !of_host
    }

    fn emits(&self, wanted: &str) -> bool {
        self.emitted.iter().any(|(kind, _)| kind == wanted)
    }

    /// Whether rustc prints diagnostics as lines of JSON.
    pub(super) fn speaks_json(&self) -> bool {
        self.error_format == "json"
    }

    /// The form of the text in these lines: that of `--json`.
    pub(super) fn form(&self) -> String {
        let has = |word: &str| self.json.iter().any(|option| option == word);
        let color = if has("diagnostic-rendered-ansi") { "ansi" } else { "plain" };
        if has("diagnostic-short") { format!("{color}-short") } else { color.to_owned() }
    }

    /// The values of `--extern` for the libraries beside the metadata that this names. Cargo names only the metadata to
    /// a check, and rustc needs libraries for a program.
    pub(super) fn libraries_beside_metadata(&self) -> Vec<String> {
        let library = |value: &String| Some(format!("{}.rlib", value.strip_suffix(".rmeta")?));
        let exists = |value: &String| value.split_once('=').is_some_and(|(_, path)| Path::new(path).is_file());
        self.named.iter().filter_map(library).filter(exists).collect()
    }

    /// Whether the crate is a library for Rust programs as a shared object only.
    pub(super) fn is_only_shared(&self) -> bool {
        let is = |wanted: &[&str]| self.crate_types.iter().any(|kind| wanted.contains(&kind.as_str()));
        is(&["dylib"]) && !is(&["lib", "rlib"])
    }

    /// Whether rustc runs the linker.
    pub(super) fn links(&self) -> bool {
        let linked = |kind: &String| ["bin", "dylib", "cdylib"].contains(&&**kind);
        self.is_test || self.crate_types.is_empty() || self.crate_types.iter().any(linked)
    }

    /// Whether other crates may take bodies from this one.
    pub(super) fn is_library(&self) -> bool {
        !self.is_test && self.crate_types.iter().any(|kind| kind == "lib" || kind == "rlib" || kind == "dylib")
    }

    /// Whether the output is a library for rustc only. Others are not compiled again for bodies.
    pub(super) fn is_only_rlib(&self) -> bool {
        !self.is_test && self.crate_types.iter().all(|kind| kind == "lib" || kind == "rlib")
    }

    /// Whether the output is a library for the linkers of other languages.
    pub(super) fn is_static_library(&self) -> bool {
        !self.is_test && self.crate_types.iter().any(|kind| kind == "staticlib")
    }

    /// The path of a library's file.
    pub(super) fn library(&self) -> PathBuf {
        self.out_dir.join(format!("lib{}{}.rlib", self.crate_name, self.extra_filename))
    }

    /// The file in which rustc lists its inputs.
    pub(super) fn dep_info(&self) -> Option<PathBuf> {
        let (_, path) = self.emitted.iter().find(|(kind, _)| kind == "dep-info")?;
        let usual = || self.out_dir.join(format!("{}{}.d", self.crate_name, self.extra_filename));
        Some(path.clone().unwrap_or_else(usual))
    }

    /// The kind of link-time optimisation of the whole program, if there is any.
    pub(super) fn lto(&self) -> Option<&str> {
        match self.lto.as_deref()? {
            "" | "y" | "yes" | "on" | "true" | "fat" => Some("fat"),
            "thin" => Some("thin"),
            _ => None,
        }
    }
}

/// Options whose value is the next word.
const WITH_VALUE: [&str; 10] = [
    "--target",
    "--print",
    "--crate-name",
    "--crate-type",
    "--out-dir",
    "--codegen",
    "--emit",
    "--extern",
    "--error-format",
    "--json",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> RustcCommand {
        RustcCommand::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn cargos_command_is_understood() {
        let command = parse(
            "--crate-name app src/main.rs --crate-type bin --emit=dep-info,link -C opt-level=3 -C lto=thin --target t \
             -C extra-filename=-12 --out-dir /d --extern priv:gpu=/d/libgpu-3.rmeta --extern proc_macro",
        );
        assert!(command.makes_code() && command.links() && !command.is_library());
        assert_eq!(command.externs, [PathBuf::from("/d/libgpu-3.rmeta")]);
        assert_eq!(command.dep_info().unwrap(), PathBuf::from("/d/app-12.d"));
        assert_eq!(command.library(), PathBuf::from("/d/libapp-12.rlib"));
        assert_eq!(command.lto(), Some("thin"));
        assert_eq!(command.root, PathBuf::from("src/main.rs"));
        assert_eq!(parse("-C lto=fat -Clto=off").lto(), None);
        assert_eq!(parse("-Clto").lto(), Some("fat"));
    }

    #[test]
    fn what_makes_no_code_of_the_program_is_known() {
        let code = |line: &str| parse(line).makes_code();
        assert!(code("--target=t --emit dep-info,metadata,link --crate-type lib"));
        assert!(!code("--target=t --emit=dep-info,metadata --crate-type lib"), "a check");
        assert!(!code("--emit=link --crate-type bin"), "a build script");
        assert!(!code("--target=t --emit=link --crate-type proc-macro"));
        assert!(!code("-vV") && !code("- --crate-name ___ --print=file-names --target t --crate-type bin"));
        assert!(parse("--test --crate-name a").links() && !parse("--crate-type lib").links());
    }

    #[test]
    fn a_check_and_its_form_are_known() {
        let check = parse(
            "--error-format=json --json=diagnostic-rendered-ansi,artifacts --json diagnostic-short --target t \
             --emit=dep-info,metadata --crate-type bin -L dependency=/d -L/e",
        );
        assert!(check.only_checks() && !check.makes_code() && check.speaks_json());
        assert_eq!(check.form(), "ansi-short");
        assert_eq!(check.folders, ["dependency=/d", "/e"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("liba-1");
        std::fs::write(path.with_extension("rlib"), "").unwrap();
        let path = path.display();
        let line = format!("--extern priv:a={path}.rmeta --extern b={path}-2.rmeta --extern c --crate-type dylib");
        assert_eq!(parse(&line).libraries_beside_metadata(), [format!("priv:a={path}.rlib")]);
        assert!(parse(&line).is_only_shared() && !parse("--crate-type dylib,rlib").is_only_shared());
        assert!(!parse("--target t --emit=metadata --crate-type proc-macro").only_checks());
        assert_eq!(parse("--json artifacts").form(), "plain");
    }

    #[test]
    fn arguments_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("args");
        std::fs::write(&path, "--crate-name\na\n--target\nt\n--emit=link\n").unwrap();
        assert!(parse(&format!("@{}", path.display())).makes_code());
    }
}
