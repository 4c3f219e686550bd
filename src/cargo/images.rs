//! `cargo offloadc images`: compiles the exported kernels of a library for programs with a launcher of their own.
//!
//! Plain cargo compiles the library, with bitcode beside it and in its dependencies. offloadc then makes an object of
//! that bitcode for no runtime, and the files are made of the object.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::bake::{Package, replace, value_of};
use super::configuration::Configuration;
use super::described::Described;
use super::{Request, cargo, conditions, host_triple, join_flags, rustc, sibling_program};
use crate::bundle::Contents;
use crate::bundle::launcher_files::{File, Format};
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;
use crate::system::tool::Tools;
use crate::targets::{self, NATIVE, PORTABLE};

pub(super) const DESCRIBED: Described = Described {
    name: "images",
    does: "Writes GPU code of exported kernels for programs with their own launcher",
    usage: "--offload-arch LIST --out DIR [OPTIONS] [CARGO'S OPTIONS]",
    options: "  \
  --offload-arch LIST      archs of GPUs to compile kernels for
  --out DIR                the folder for the files
  --format FORM            rust: a module of constants; c: a header; files: images and a table in JSON [default: rust]
  --check                  write nothing, and fail if a file would change
  -p, --package NAME       the package [default: that of the current folder]
  --offloadc=OPTION        any other option of offloadc
",
    notes: "The kernels are those with `#[kernel(export = ..)]`. A panic in them is a trap. All other options are those of \
            `cargo rustc`. The default profile is `release`.\n",
    example: "images --offload-arch=sm_80,gfx90a --out=src/kernels",
};

/// What the command line asks for.
struct Asked {
    request: Request,
    format: Format,
    folder: PathBuf,
    checks: bool,
}

/// Runs `images`, and returns the text for standard output.
pub fn images(arguments: &[OsString]) -> Result<String, Failure<UsageError>> {
    let asked = Asked::parse(arguments).map_err(Failure::Reason)?;
    let files = asked.files()?;
    let differs = |(name, bytes): &&File| std::fs::read(asked.folder.join(name)).ok().as_ref() != Some(bytes);
    let different: Vec<_> = files.iter().filter(differs).collect();
    if let (true, Some((name, _))) = (asked.checks, different.first()) {
        let place = asked.folder.join(name);
        let text =
            format!("`{}` is not what `images` would write; help: run the command without `--check`", place.display());
        return Err(Error::new(text).into());
    }
    if different.is_empty() {
        return Ok(format!("the files in `{}` are up to date\n", asked.folder.display()));
    }
    let failed = || format!("cannot write to `{}`", asked.folder.display());
    std::fs::create_dir_all(&asked.folder).with_context(failed)?;
    for (name, bytes) in &different {
        replace(&asked.folder.join(name), bytes)?;
    }
    let names: Vec<_> = different.iter().map(|(name, _)| format!("`{name}`")).collect();
    Ok(format!("wrote {} to `{}`\n", names.join(", "), asked.folder.display()))
}

impl Asked {
    fn parse(arguments: &[OsString]) -> Result<Self, UsageError> {
        let own = ["--out", "--format"];
        let named = |name: &str| value_of(arguments, &[name]);
        let mut words = Vec::new();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if own.iter().any(|name| text == *name) {
                let _value = rest.next();
            } else if text != "--check" && !own.iter().any(|name| text.starts_with(&format!("{name}="))) {
                words.push(word.clone());
            }
        }
        let request = Request::parse(words)?;
        let folder = named("--out").filter(|folder| !folder.is_empty());
        let folder = folder.ok_or_else(|| UsageError::new("`images` needs a folder for the files: `--out=DIR`"))?;
        let form = named("--format").unwrap_or("rust");
        let found = Format::ALL.into_iter().find(|(name, _)| *name == form);
        let (_, format) = found.ok_or_else(|| {
            UsageError::new(format!("`--format={form}` is unknown: the forms are `rust`, `c` and `files`"))
        })?;
        check_archs(&request)?;
        if request.options.iter().any(|option| option.ends_with("--device-panic=report")) {
            let error = UsageError::new("a panic in an image is a trap, because its launcher has no record of panics");
            return Err(error.help("omit `--device-panic`"));
        }
        let checks = arguments.iter().any(|word| word == "--check");
        Ok(Self { request, format, folder: folder.into(), checks })
    }

    /// The files, in memory.
    fn files(&self) -> Result<Vec<File>> {
        let library = self.compile()?;
        let object = library.bitcode.with_extension("o");
        let mut command = Command::new(sibling_program("offloadc")?);
        let _ = command.arg(&library.bitcode).arg("-L").arg(&library.folder).arg("-o").arg(&object);
        let _ = command.args(["--runtime=none", "--compress=none"]);
        let options = self.request.options.iter().map(|option| option.strip_prefix("--offloadc=").unwrap_or(option));
        let status = command.args(options).stdin(Stdio::null()).status().context("cannot run offloadc")?;
        if !status.success() {
            return Err(Error::new("the kernels were not compiled"));
        }
        let reading = || format!("cannot read `{}`", object.display());
        let bytes = std::fs::read(&object).with_context(reading)?;
        let mut contents = Contents::read(&bytes).with_context(reading)?;
        let tools = Tools::new(PathBuf::new(), None);
        contents.find_resources(&|image| targets::resources(image, &tools)).with_context(reading)?;
        if contents.launchable().is_empty() {
            return Err(Error::new(format!(
                "`{}` exports no kernel; help: name them, as in `#[kernel(export = \"scale_f32\")]`",
                library.name
            )));
        }
        Ok(contents.launcher_files(&library.name, self.format))
    }

    /// Compiles the library to bitcode.
    fn compile(&self) -> Result<Library> {
        let (words, settings) = (&self.request.words, &self.request.settings);
        let package = Package::find(words)?;
        let triple = match &self.request.triple {
            Some(triple) => triple.clone(),
            None => host_triple(&rustc(&["-vV"])?)?,
        };
        let folder = self.request.target_folder()?.join("images");
        let folder = std::path::absolute(folder).context("cannot find the target folder")?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot write to `{}`", folder.display()))?;
        let bitcode = folder.join("kernels.bc");
        let configuration = Configuration::read(settings, &triple, || conditions(&triple));
        let mut command = Command::new(cargo());
        let _ = command.args(["rustc", "--lib", "--crate-type=lib", "--message-format=json-render-diagnostics"]);
        let _ = command.arg("--target").arg(&triple).arg("--target-dir").arg(&folder);
        let has_profile = words.iter().any(|word| word.to_str().is_some_and(|word| word.starts_with("--profile")));
        let _ = command.args((!has_profile).then_some("--release")).args(words);
        let _ = command.args(settings.iter().flat_map(|setting| ["--config", setting]));
        join_flags(&mut command, &configuration, &triple, "rustflags", &["-Cembed-bitcode=yes".to_owned()]);
        let _ = command.arg("--").arg(format!("--emit=llvm-bc={}", bitcode.display()));
        let _ = command
            .args(["-Ccodegen-units=1", "-Cno-prepopulate-passes"])
            .args(self.request.program_words.iter().skip(1));
        let built = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        if !built.status.success() {
            return Err(Error::new("the library was not compiled"));
        }
        Library::of(&package.id, &String::from_utf8_lossy(&built.stdout), bitcode)
    }
}

/// The compiled library.
struct Library {
    name: String,
    /// The folder with the libraries that it depends on.
    folder: PathBuf,
    bitcode: PathBuf,
}

impl Library {
    /// Finds the library of a package in cargo's messages.
    fn of(package: &str, messages: &str, bitcode: PathBuf) -> Result<Self> {
        let mut messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_library = |message: &Value| {
            let mut kinds = message["target"]["kind"].as_array().into_iter().flatten().filter_map(Value::as_str);
            message["package_id"] == package && kinds.any(|kind| kind.ends_with("lib"))
        };
        let artifact = messages.find(is_library).unwrap_or(Value::Null);
        let files = artifact["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str).map(Path::new);
        let library = files.into_iter().find(|file| file.extension() == Some(OsStr::new("rlib")));
        let folder = library.and_then(Path::parent).map(Path::to_owned);
        let name = artifact["target"]["name"].as_str().map(|name| name.replace('-', "_"));
        match (name, folder) {
            (Some(name), Some(folder)) => Ok(Self { name, folder, bitcode }),
            _ => Err(Error::new("the package has no library")),
        }
    }
}

/// The processor has no launcher of its own.
fn check_archs(request: &Request) -> Result<(), UsageError> {
    let archs: Vec<_> = request.archs().collect();
    let is_machine = |arch: &&str| arch.split(':').next() == Some("cpu") || [NATIVE, PORTABLE].contains(arch);
    let text = match archs.iter().find(|arch| is_machine(arch)) {
        _ if archs.is_empty() => "`images` needs the archs of GPUs".to_owned(),
        Some(arch) => format!("`images` is for GPUs, whose archs must be named, and not for `{arch}`"),
        None => return Ok(()),
    };
    Err(UsageError::new(text).help("`--offload-arch` takes a list; `offloadc --print-targets` shows the archs"))
}
