//! The entry of a neutral module in the cache.
//!
//! The key is taken before the stages that make the module. It contains neither debug information nor the lines of
//! panics, so an edit above a kernel does not change it. If the module turns out to depend on a line (`Location::line`,
//! the place of a panic in a library), its entry records this, and the module is looked up again by a key with all
//! lines.

use super::kept_module::{self as kept, Kept};
use super::options::NeutralOptions;
use super::types::Made;
use crate::analysis::source_locations::source_locations;
use crate::cache::{Cache, Key, Subject};
use crate::contract::builtin::{BUILTINS, Builtin};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::SourceLocation;
use crate::error::Result;
use crate::llvm::{Module, PassPlugin, Value};

/// Where the neutral module of a source is in the cache.
pub(super) struct Entry {
    /// The key of the code alone.
    without_lines: Key,
    /// The key of the code together with all lines, and the names that contain hashes of them.
    with_lines: Key,
    /// The locations of the source, with the lines that they have now.
    places: Vec<SourceLocation>,
    /// The number of kernels.
    kernels: usize,
}

/// The contents of an entry.
pub(super) enum Found {
    /// A neutral module.
    Module(Kept),
    /// The stages have reported something about the source.
    Findings,
}

/// The contents of the entry without lines, if the code depends on them.
const DEPENDS_ON_LINES: &[u8] = b"with lines";
/// The contents of the entry of a source with findings.
const FINDINGS: &[u8] = b"findings";

impl Entry {
    /// The entry of a source, of which this is a copy; none if there can be none.
    pub(super) fn of(
        copy: Module<'_>,
        kernels: &KernelSet,
        options: &NeutralOptions<'_>,
        cache: &Cache,
    ) -> Option<Self> {
        let found = source_locations(&copy);
        let names: Vec<_> = found.iter().map(|(variable, _)| variable.name()).collect();
        let (variables, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let is_traced = copy.has_debug_information();
        let mut frames = Vec::new();
        if is_traced && !options.debug && !needs_debug_information(&copy) {
            // Places of panics may begin with lines of these.
            frames = copy.bitcode();
            copy.strip_debug();
        }
        hide_locations(&copy, &variables);
        let keys = key(&copy.bitcode(), kernels, options, is_traced).map(|without_lines| {
            let lines: Vec<_> = names.iter().zip(&places).collect();
            let with_lines = without_lines.and("lines", format!("{lines:?}").as_bytes());
            (with_lines.and("frames", &frames), without_lines)
        });
        let kept = keys.map_err(|error| cache.has_trouble(error.to_string())).ok();
        kept.map(|(with_lines, without_lines)| Self { without_lines, with_lines, places, kernels: kernels.len() })
    }

    /// The contents.
    pub(super) fn get(&self, cache: &Cache) -> Option<Found> {
        let get = |key| cache.get(key, Subject::Module);
        let mut contents = get(&self.without_lines)?;
        if contents == FINDINGS {
            return Some(Found::Findings);
        }
        if contents == DEPENDS_ON_LINES {
            contents = get(&self.with_lines)?;
        }
        let kept = kept::read(&contents, &self.places, self.kernels);
        if kept.is_none() {
            cache.has_trouble(format!("the entry of {} has other contents", Subject::Module));
        }
        kept.map(Found::Module)
    }

    /// Keeps a module about which nothing was reported.
    pub(super) fn keep(&self, cache: &Cache, made: &Made<'_>) {
        let contents = kept::write(made, &self.places);
        if made.depends_on_lines || kept::has_other_places(&made.validated.panics, &self.places) {
            cache.put(&self.without_lines, DEPENDS_ON_LINES);
            cache.put(&self.with_lines, &contents);
        } else {
            cache.put(&self.without_lines, &contents);
        }
    }

    /// Keeps that something was reported.
    pub(super) fn keep_findings(&self, cache: &Cache) {
        cache.put(&self.without_lines, FINDINGS);
    }
}

/// Whether the module needs its debug information, although the output has none: `report_masks` takes the locations of
/// operations with a mask from it.
pub(super) fn needs_debug_information(module: &Module<'_>) -> bool {
    let has_mask = |builtin: &Builtin| builtin.is_masked() && module.function(builtin.name).is_some();
    BUILTINS.iter().any(has_mask)
}

/// The key of a source without lines. With debug information in the output, its lines are in it. A source whose code
/// `is_traced` to lines has other panics than one without lines.
fn key(bitcode: &[u8], kernels: &KernelSet, options: &NeutralOptions<'_>, is_traced: bool) -> Result<Key> {
    let NeutralOptions {
        archs,
        generic,
        runtime,
        device_panic,
        device_print,
        sanitize,
        profile_lines,
        level,
        debug,
        numbering,
        libraries,
        plugins,
    } = options;
    let options = format!(
        "{runtime:?} {device_panic:?} {device_print} {sanitize} {profile_lines} {level:?} {debug} {numbering:?} \
         {is_traced}"
    );
    let kernels = format!("{:?}", kernels.iter().collect::<Vec<_>>());
    let parts = [("device code", bitcode), ("kernels", kernels.as_bytes()), ("options", options.as_bytes())];
    let named: Vec<_> = libraries.iter().map(|library| format!("device bitcode of {:?}", library.arch)).collect();
    let files = named.iter().zip(*libraries).map(|(name, library)| (&name[..], &library.bitcode[..]));
    let plugins: Vec<_> = plugins.iter().map(PassPlugin::deciding).collect();
    let plugins = plugins.iter().map(|plugin| ("pass plugin", &plugin[..]));
    let portable = format!("generic: {:?}", generic.map(|generic| &generic.portable));
    let parts = parts.into_iter().chain([("generic", portable.as_bytes())]);
    let checked = archs.iter().chain(generic.iter().flat_map(|generic| &generic.checked));
    Key::of_module(checked, &parts.chain(files).chain(plugins).collect::<Vec<_>>())
}

/// Removes from a copy the lines and columns of locations, and the names of their statics, which are hashes of these.
fn hide_locations(copy: &Module<'_>, variables: &[Value<'_>]) {
    for variable in variables {
        let Some(location) = variable.initializer() else { continue };
        variable.set_name("");
        let length = location.element(1).constant_bytes().map(|bytes| bytes[..8].to_vec()).unwrap_or_default();
        let (types, bytes) = (copy.types(), [length, vec![0; 8]].concat());
        let bytes: Vec<_> = bytes.iter().map(|byte| types.i8().constant((*byte).into())).collect();
        let fields = [location.element(0), types.i8().constant_array(&bytes)];
        variable.set_initializer(Some(location.ty().structure_constant(&fields)));
    }
}
