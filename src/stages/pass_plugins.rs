//! The plugins of `--load-pass-plugin`: loads them, and checks that each adds passes to the stages that it is for.

use std::path::Path;

use goblin::elf::Elf;

use super::machine::machine_of;
use super::neutral::simplify::simplifying_passes;
use super::work::Ended;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Failure};
use crate::job::{Job, PluginFile};
use crate::llvm::PassPlugin;
use crate::stage::Stage;
use crate::system::identity::{identity, shared_llvm};

/// The loaded plugins of each stage, in the order of the options.
#[derive(Default)]
pub struct Plugins {
    /// Those of `simplify`.
    pub simplify: Vec<PassPlugin>,
    /// Those of `optimize`.
    pub optimize: Vec<PassPlugin>,
}

impl Plugins {
    /// Loads the plugins. One that cannot be used ends the work.
    pub fn load(job: &Job, diagnostics: &mut Diagnostics) -> Result<Self, Failure<Ended>> {
        let mut loaded = Self::default();
        for file in &job.pass_plugins {
            let list = if file.stage == Stage::Simplify { &mut loaded.simplify } else { &mut loaded.optimize };
            match load(file).and_then(|plugin| adds(&plugin, file.stage, job).map(|added| (plugin, added))) {
                Ok((plugin, warnings)) => {
                    diagnostics.extend(warnings);
                    list.push(plugin);
                }
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        }
        if diagnostics.has_errors() { Err(Failure::Reason(Ended)) } else { Ok(loaded) }
    }
}

/// Loads a plugin, if it is for the libLLVM of this process: one for another would bring that into the process as well.
fn load(file: &PluginFile) -> Result<PassPlugin, Box<Diagnostic>> {
    let shown = format!("`{}`", file.path.display());
    if shared_llvm().is_empty() {
        let message = format!("cannot load the pass plugin {shown}: LLVM is a part of this offloadc");
        let help = "plugins need an offloadc that is built with LLVM's shared library, as `make install` does";
        return Err(Box::new(Diagnostic::coded(Code::PassPlugin, message).help(help)));
    }
    let refused = |why: String| {
        let message = format!("cannot load the pass plugin {shown}: {why}");
        Box::new(Diagnostic::coded(Code::PassPlugin, message).help(
            "a plugin is a shared library with `llvmGetPassPluginInfo`, built with the headers of the LLVM that \
             `offloadc --version` names, and linked with its libLLVM or with no LLVM at all",
        ))
    };
    let reading = || format!("cannot read the pass plugin {shown}");
    let unread = |error| Box::new(Diagnostic::from(&error));
    // Without a slash, the name would be looked up in the system's folders.
    let path = file.path.canonicalize().with_context(reading).map_err(unread)?;
    let bytes = std::fs::read(&path).with_context(reading).map_err(unread)?;
    if let Some(why) = needs_another_llvm(&bytes) {
        return Err(refused(why));
    }
    let identity = identity(&path).map_err(unread)?;
    PassPlugin::load(&path, shown.clone(), identity, file.named.clone()).map_err(|error| refused(error.to_string()))
}

/// Why a shared library does not fit the libLLVM of this process.
fn needs_another_llvm(bytes: &[u8]) -> Option<String> {
    let Ok(elf) = Elf::parse(bytes) else { return Some("it is no shared library".to_owned()) };
    let Some(own) = shared_llvm().first().and_then(|path| path.file_name()) else {
        return Some(
            "this offloadc contains LLVM, which plugins cannot use; build it with LLVM's shared library".into(),
        );
    };
    let own = own.to_string_lossy();
    let of_llvm = |name: &&&str| Path::new(name).file_name().is_some_and(|name| is_llvm(&name.to_string_lossy()));
    let other = elf.libraries.iter().find(|name| of_llvm(name) && **name != own)?;
    Some(format!("it needs `{other}`, and this offloadc uses `{own}`"))
}

fn is_llvm(library: &str) -> bool {
    library.starts_with("libLLVM.so") || library.starts_with("libLLVM-")
}

/// Warnings about stages to which a plugin adds nothing; an error if it has no pass of the name that is given.
fn adds(plugin: &PassPlugin, stage: Stage, job: &Job) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let level = job.opt_level;
    let unknown = |error: crate::error::Error| {
        let message = format!("the pass plugin {} cannot run in `{}`: {error}", plugin.name, stage.name());
        Box::new(Diagnostic::coded(Code::PassPlugin, message).help("PASSES are written as for `opt -passes`"))
    };
    let idle = |arch: Option<&str>| {
        let message =
            format!("the pass plugin {} adds no pass to `{}` at `-O{}`", plugin.name, stage.name(), level.letter());
        let warning = Diagnostic::coded(Code::IdlePassPlugin, message);
        let warning = arch.into_iter().fold(warning, Diagnostic::target);
        warning.help("name the passes: `--load-pass-plugin=FILE@STAGE:PASSES`, as for `opt -passes`")
    };
    if stage == Stage::Simplify {
        let adds = plugin.extends(&simplifying_passes(level), None, level).map_err(unknown)?;
        return Ok(if adds { Vec::new() } else { vec![idle(None)] });
    }
    let mut warnings = Vec::new();
    for arch in &job.archs {
        let machine = machine_of(arch, level, &arch.processor.features).map_err(unknown)?;
        if !plugin.extends(&arch.target.pipeline(level), Some(&machine), level).map_err(unknown)? {
            warnings.push(idle(Some(&arch.name)));
        }
    }
    Ok(warnings)
}
