//! `cargo offloadc bake`: compiles the kernels that a library lists in `offload::baked!`, and writes their images into
//! a file of the package.
//!
//! The library becomes a shared object, because the types and names of instances exist only in compiled code. The
//! `offload` crate, compiled with a separate `cfg`, then writes the file in a constructor. So any program that loads
//! the shared object runs the constructor, and no package must be made for that.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;

use super::described::Described;
use super::{Request, bake_inputs, cargo, output};
use crate::error::{Context as _, Error, Failure, Result};
use crate::job::UsageError;
use crate::targets::{NATIVE, PORTABLE};

pub(super) const DESCRIBED: Described = Described {
    name: "bake",
    does: "Writes GPU code of a library's kernels into its package, for plain cargo",
    usage: "--offload-arch LIST [OPTIONS] [CARGO'S OPTIONS]",
    options: "  \
  --offload-arch LIST      archs of GPUs to compile kernels for
  --check                  write nothing, and fail if the file would change
  -p, --package NAME       the package [default: that of the current folder]
",
    notes: "The kernels are those that the library lists in `offload::baked!`. All other options are those of `cargo \
            offloadc rustc`. The default profile is `release`.\n",
    example: "bake --offload-arch=sm_80,gfx90a",
};

/// The flag with which the crate writes the file.
pub(super) const FLAG: &str = "--cfg=offload_bake";
/// The variables of `rust/offload/src/baked/write.rs`.
const FILE: &str = "OFFLOADC_BAKE_FILE";
const FOLDER: &str = "OFFLOADC_BAKE_FOLDER";
const FEATURES: &str = "OFFLOADC_BAKE_FEATURES";
const READ: &str = "OFFLOADC_BAKE_READ";
/// The variable of `rust/offload-macros/src/inputs.rs`.
const DEPENDENCIES: &str = "OFFLOADC_BAKE_DEPENDENCIES";
/// The package of the crate `offload`.
const OFFLOAD: &str = "offload-kernels";

/// Runs `bake`, and returns the text for standard output.
pub fn bake(arguments: &[OsString]) -> Result<String, Failure<UsageError>> {
    let is_check = |word: &OsString| word == "--check";
    let words: Vec<_> = arguments.iter().filter(|word| !is_check(word)).cloned().collect();
    let mut request = Request::parse(words).map_err(Failure::Reason)?;
    // The runtime that plain cargo builds with the crate has no decoder of zstd.
    request.options.push("--offloadc=--compress=none".to_owned());
    check_archs(&request).map_err(Failure::Reason)?;
    let package = Package::find(&request.words)?;
    package.check_dependencies()?;
    let bytes = package.compile(request)?;
    let at = package.folder.join(&bytes.name);
    let place = at.display();
    let old = std::fs::read(&at).ok();
    let size = bytes.content.len();
    if old.as_ref() == Some(&bytes.content) {
        return Ok(format!("`{place}` is up to date: {size} bytes\n"));
    }
    if arguments.iter().any(is_check) {
        let text =
            format!("`{place}` is not what `bake` would write; help: run `cargo offloadc bake` without `--check`");
        return Err(Error::new(text).into());
    }
    replace(&at, &bytes.content)?;
    Ok(format!("wrote {size} bytes to `{place}`\n"))
}

/// The code of the processor is the program's own, so only GPUs have images.
fn check_archs(request: &Request) -> Result<(), UsageError> {
    let archs: Vec<_> = request.archs().collect();
    let has_processor = || ["cpu", NATIVE, PORTABLE].iter().any(|name| archs.contains(name));
    let text = match archs[..] {
        [] => "`bake` needs the archs of GPUs",
        _ if has_processor() => "there is no code for `cpu` to bake: a program that plain cargo builds has it",
        _ => return Ok(()),
    };
    Err(UsageError::new(text).help("`--offload-arch` takes a list; `offloadc --print-targets` shows the archs"))
}

/// Replaces a file as a whole.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let written = std::fs::write(&name, bytes).and_then(|()| std::fs::rename(&name, path));
    written.with_context(|| format!("cannot write `{}`", path.display()))
}

/// The file that was written.
struct Baked {
    /// Its path in the package, as the macro names it.
    name: String,
    content: Vec<u8>,
}

/// The package with the library, in `cargo metadata`.
pub(super) struct Package {
    metadata: Value,
    pub(super) id: String,
    folder: PathBuf,
}

/// The value of an option in cargo's words.
pub(super) fn value_of<'a>(words: &'a [OsString], names: &[&str]) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(i, word)| {
        let text = word.to_str()?;
        if names.contains(&text) {
            return words.get(i + 1)?.to_str();
        }
        let (name, value) = text.split_once('=')?;
        names.contains(&name).then_some(value)
    })
}

impl Package {
    pub(super) fn find(words: &[OsString]) -> Result<Self> {
        let mut command = Command::new(cargo());
        let _ = command.args(["metadata", "--format-version=1"]);
        for name in ["--manifest-path", "--features", "-F"] {
            if let Some(value) = value_of(words, &[name]) {
                let _ = command.args([name, value]);
            }
        }
        let flags = ["--all-features", "--no-default-features", "--offline", "--locked", "--frozen"];
        let _ = command.args(words.iter().filter(|word| flags.iter().any(|flag| word == flag)));
        let metadata: Value =
            serde_json::from_str(&output(&mut command)?).map_err(|e| Error::new(format!("`cargo metadata`: {e}")))?;
        let found = match value_of(words, &["-p", "--package"]) {
            Some(name) => each(&metadata["packages"]).find(|package| package["name"] == name),
            None => each(&metadata["packages"]).find(|package| package["id"] == metadata["resolve"]["root"]),
        };
        let package =
            found.ok_or_else(|| Error::new("there is no such package here; help: name one with `--package`"))?;
        let manifest = Path::new(text(&package["manifest_path"]));
        let folder = manifest.parent().unwrap_or(Path::new("")).to_owned();
        let id = text(&package["id"]).to_owned();
        Ok(Self { metadata, id, folder })
    }

    fn package(&self, id: &str) -> &Value {
        each(&self.metadata["packages"]).find(|package| package["id"] == id).unwrap_or(&Value::Null)
    }

    /// The packages whose code may be in the kernels: those that the library depends on, without procedural macros, and
    /// without those of the crate `offload`.
    fn dependencies(&self) -> Vec<&Value> {
        let mut found: Vec<&str> = vec![&self.id];
        let mut next = 0;
        while let Some(id) = found.get(next) {
            next += 1;
            let node = each(&self.metadata["resolve"]["nodes"]).find(|node| node["id"] == *id);
            for dependency in node.into_iter().flat_map(|node| each(&node["deps"])) {
                let is_normal = each(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
                let id = text(&dependency["pkg"]);
                let package = self.package(id);
                let is_macro = each(&package["targets"]).any(|target| each(&target["kind"]).any(|k| k == "proc-macro"));
                if is_normal && !is_macro && !found.contains(&id) && !self.is_offload(found[next - 1]) {
                    found.push(id);
                }
            }
        }
        found[1..].iter().map(|id| self.package(id)).collect()
    }

    fn is_offload(&self, id: &str) -> bool {
        self.package(id)["name"] == OFFLOAD
    }

    /// A program that depends on the library may have other versions of its dependencies, and their code may be in the
    /// kernels. Cargo compares versions only if the package requires exactly one.
    fn check_dependencies(&self) -> Result<()> {
        let own = self.package(&self.id);
        // The file contains the version of the crate `offload`.
        for dependency in self.dependencies().into_iter().filter(|package| package["name"] != OFFLOAD) {
            let (name, version) = (text(&dependency["name"]), text(&dependency["version"]));
            let wanted = format!("={version}");
            let is_exact = |required: &Value| required["name"] == name && required["req"] == wanted.as_str();
            if !each(&own["dependencies"]).any(is_exact) {
                return Err(Error::new(format!(
                    "the kernels of `{}` may contain code of `{name}` {version}, and a program that depends on it may have \
                     another version; help: add `{name} = \"{wanted}\"` to its `[dependencies]`",
                    text(&own["name"])
                )));
            }
        }
        Ok(())
    }

    /// The names of all features, of which `default` is only a list.
    fn features(&self) -> String {
        let features = self.package(&self.id)["features"].as_object();
        let names = features.into_iter().flat_map(|features| features.keys()).map(String::as_str);
        names.filter(|name| *name != "default").collect::<Vec<_>>().join(",")
    }

    /// Compiles the library, and lets it write the file.
    fn compile(&self, mut request: Request) -> Result<Baked, Failure<UsageError>> {
        let words = std::mem::take(&mut request.words);
        let has_profile = words.iter().any(|word| word.to_str().is_some_and(|word| word.starts_with("--profile")));
        let release = (!has_profile).then_some("--release");
        let own = ["rustc", "--lib", "--crate-type=cdylib", "--message-format=json-render-diagnostics"];
        let words = own.into_iter().chain(release).map(OsString::from).chain(words);
        request.words = words.collect();
        request.baked = true;
        let folder = request.target_folder()?;
        let mut command = request.into_whole_command()?;
        let _ = command.env(DEPENDENCIES, self.named_dependencies());
        let library = self.build(command)?;
        let read = self.inputs(&folder)?;
        let file = std::path::absolute(folder.join("baked")).context("cannot find the target folder")?;
        Ok(self.run(&library, &file, &read)?)
    }

    /// The dependencies as the macro finds their sources: the name of the library and the version.
    fn named_dependencies(&self) -> String {
        let library = |package: &Value| {
            let is_library = |target: &&Value| each(&target["kind"]).any(|kind| text(kind).ends_with("lib"));
            let target = each(&package["targets"]).find(is_library)?;
            Some(format!("{} {}", text(&target["name"]).replace('-', "_"), text(&package["version"])))
        };
        let mut names: Vec<_> = self.dependencies().into_iter().filter_map(library).collect();
        names.sort();
        names.join("\n")
    }

    /// The inputs of rustc for the library, by the newest of its lists below the target folder.
    fn inputs(&self, folder: &Path) -> Result<String> {
        let is_library = |target: &&Value| each(&target["kind"]).any(|kind| text(kind).ends_with("lib"));
        let target = each(&self.package(&self.id)["targets"]).find(is_library);
        let library = target.map(|target| text(&target["name"]).replace('-', "_")).unwrap_or_default();
        let mut lists = Vec::new();
        find_lists(folder, &library, &mut lists);
        lists.sort();
        let (_, list) = lists.pop().ok_or_else(|| Error::new("cannot find the list of what rustc has read"))?;
        let list = std::fs::read_to_string(&list).with_context(|| format!("cannot read `{}`", list.display()))?;
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        let working = Path::new(text(&self.metadata["workspace_root"]));
        Ok(bake_inputs::lines(&list, &folder, working).join("\n"))
    }

    /// Runs cargo, and returns the shared object.
    fn build(&self, mut command: Command) -> Result<PathBuf> {
        let built = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        if !built.status.success() {
            return Err(Error::new("the library was not compiled"));
        }
        let messages = String::from_utf8_lossy(&built.stdout);
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let own = messages.filter(|message| message["package_id"] == self.id.as_str());
        let files: Vec<_> = own.flat_map(|message| each(&message["filenames"]).cloned().collect::<Vec<_>>()).collect();
        let library = files.iter().map(text).map(PathBuf::from).find(|file| file.extension() == Some(OsStr::new("so")));
        library.ok_or_else(|| Error::new("the package has no library"))
    }

    fn run(&self, library: &Path, file: &Path, read: &str) -> Result<Baked> {
        let name = file.with_extension("name");
        for file in [file, &name] {
            let _ = std::fs::remove_file(file);
        }
        let mut command = Command::new("true");
        let _ = command.env("LD_PRELOAD", library).env(FILE, file).env(FOLDER, &self.folder);
        let _ = command.env(FEATURES, self.features()).env(READ, read).stdin(Stdio::null());
        let status = command.status().context("cannot run `true`")?;
        if !status.success() {
            return Err(Error::new("the kernels were not baked"));
        }
        let read = |file: &Path| std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()));
        if !file.exists() {
            return Err(Error::new("the library has no `offload::baked!`, which lists the kernels and names the file"));
        }
        Ok(Baked { name: String::from_utf8_lossy(&read(&name)?).into_owned(), content: read(file)? })
    }
}

/// Finds the lists of rustc for a library in the folders of cargo, with their times. Cargo's own lists, which are
/// beside the library for users, name no variables.
fn find_lists(folder: &Path, library: &str, found: &mut Vec<(SystemTime, PathBuf)>) {
    let prefix = format!("{library}-");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let is_list = name == format!("{library}.d") || (name.starts_with(&prefix) && name.ends_with(".d"));
        match entry.metadata() {
            Ok(facts) if facts.is_dir() && name != "incremental" => find_lists(&path, library, found),
            Ok(facts) if is_list => found.extend(facts.modified().ok().map(|time| (time, path))),
            _ => {}
        }
    }
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
