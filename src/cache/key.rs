//! Keys: a hash of all that decides the bytes of an output.
//!
//! A device job is a function of the neutral module and of its [`DeviceJob`]. Each struct of the job is destructured
//! with all of its fields, here and next to the options of targets, so a new option does not compile until its author
//! has decided whether it decides bytes. Programs and libraries count by their contents and not by their paths.

use std::num::NonZeroUsize;
use std::path::Path;

use blake3::{Hash, Hasher};

use crate::error::Result;
use crate::system::identity::{identity, identity_of_running, shared_llvm};
use crate::targets::{Arch, DeviceJob, DeviceLibrary, MathLibrary, Share};

/// The part with the kind of an output: [`IMAGE`], [`PART`], [`OBJECT`] or [`MODULE`].
const KIND: &str = "kind";
/// The image of an arch.
pub(super) const IMAGE: &str = "image";
/// The code of a part of an image.
pub(super) const PART: &str = "part";
/// The object of a host module.
pub(super) const OBJECT: &str = "object";
/// The module that all archs share.
pub(super) const MODULE: &str = "module";
/// The part with the arch of an image.
const ARCH: &str = "arch";

/// All that decides the bytes of an output, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    parts: Vec<(String, Hash)>,
}

impl Key {
    /// The key of the output of a device job for the neutral module `slice`, as bitcode, or for a part of it. `parts`
    /// is the number of parts that the module is cut into, if it does not follow from the module. `compiler` is the
    /// program that does the job.
    pub fn of_image(slice: &[u8], job: &DeviceJob<'_>, parts: Option<NonZeroUsize>, compiler: &Path) -> Result<Self> {
        // `passes` prints and verifies. With `hash` symbols are named, and it is the same for all objects.
        let DeviceJob {
            arch,
            kernels,
            before,
            runtime,
            hash,
            level,
            share,
            standalone,
            libraries,
            plugins,
            tools,
            passes: _,
        } = job;
        let mut key = Key { parts: Vec::new() };
        key.add(KIND, if *share == Share::Part { PART } else { IMAGE }.as_bytes());
        if *share == Share::Whole && arch.target.facts().joins {
            key.add("parts", format!("{parts:?}").as_bytes());
        }
        key.add("device code", slice);
        key.add("kernels", format!("{:?}", kernels.iter().collect::<Vec<_>>()).as_bytes());
        key.add("options", format!("{runtime:?} {hash} {level:?} {before:?} {standalone}").as_bytes());
        key.add_arch(arch)?;
        // The path of a file has no effect on the code that it adds.
        DeviceLibrary::of(libraries, arch).iter().for_each(|library| key.add("device bitcode", &library.bitcode));
        plugins.iter().for_each(|plugin| key.add("pass plugin", &plugin.deciding()));
        key.add_compiler(compiler)?;
        // A program that is missing is reported where it is run, and then there is no output that needs it.
        let (lld, ptxas) = tools.programs();
        key.add("linker", &identity(lld).unwrap_or_default());
        ptxas.iter().for_each(|path| key.add("assembler", &identity(path).unwrap_or_default()));
        Ok(key)
    }

    /// The key of the object of a host module. `parts` decide the object, together with offloadc and LLVM.
    pub fn of_object(parts: &[(&str, &[u8])]) -> Result<Self> {
        let mut key = Key { parts: Vec::new() };
        key.add(KIND, OBJECT.as_bytes());
        parts.iter().for_each(|(name, bytes)| key.add(name, bytes));
        key.add_compiler(Path::new("/proc/self/exe"))?;
        Ok(key)
    }

    /// The key of the module that all these archs share. `parts` decide it, together with the archs, offloadc and LLVM.
    pub fn of_module<'a>(archs: impl IntoIterator<Item = &'a Arch>, parts: &[(&str, &[u8])]) -> Result<Self> {
        let mut key = Key { parts: Vec::new() };
        key.add(KIND, MODULE.as_bytes());
        parts.iter().for_each(|(name, bytes)| key.add(name, bytes));
        archs.into_iter().try_for_each(|arch| key.add_arch(arch))?;
        key.add_compiler(Path::new("/proc/self/exe"))?;
        Ok(key)
    }

    /// This key with one more part.
    pub fn and(&self, name: &str, bytes: &[u8]) -> Self {
        let mut key = self.clone();
        key.add(name, bytes);
        key
    }

    fn add_compiler(&mut self, compiler: &Path) -> Result<()> {
        self.add("offloadc", &identity_of_running(compiler)?);
        shared_llvm().iter().try_for_each(|library| {
            self.add("LLVM", &identity_of_running(library)?);
            Ok(())
        })
    }

    fn add_arch(&mut self, arch: &Arch) -> Result<()> {
        let Arch { target, name, processor, options } = arch;
        self.add(ARCH, format!("{} {name:?} {processor:?}", target.name()).as_bytes());
        self.add("target options", options.deciding().as_bytes());
        let math = &options.math;
        self.add("math options", math.deciding().as_bytes());
        if let Some(path) = target.vendor_math(options).filter(|_| math.library == MathLibrary::Vendor) {
            self.add("math library", &identity(&path)?);
        }
        Ok(())
    }

    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.parts.push((name.to_owned(), blake3::hash(bytes)));
    }

    /// The parts in order, with the hash of each.
    pub(super) fn parts(&self) -> &[(String, Hash)] {
        &self.parts
    }

    /// The key of which these are the parts.
    pub(super) fn from_parts(parts: Vec<(String, Hash)>) -> Self {
        Key { parts }
    }

    /// The hash of all parts.
    pub fn hash(&self) -> Hash {
        let mut hasher = Hasher::new();
        for (name, hash) in &self.parts {
            // The length separates a name from the hash before it.
            let _ = hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(hash.as_bytes());
        }
        hasher.finalize()
    }

    /// Whether another key is of the same kind, and if they are of images, of the same arch.
    pub(super) fn has_subject_of(&self, other: &Key) -> bool {
        self.part(KIND) == other.part(KIND) && self.part(ARCH) == other.part(ARCH)
    }

    /// Whether the output is of this kind.
    pub(super) fn is_of(&self, kind: &str) -> bool {
        self.part(KIND) == Some(blake3::hash(kind.as_bytes()))
    }

    fn part(&self, name: &str) -> Option<Hash> {
        self.parts.iter().find(|(part, _)| part == name).map(|(_, hash)| *hash)
    }

    /// The names of the parts in which this key differs from an earlier one.
    pub fn differences<'a>(&'a self, earlier: &'a Key) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let lacks = |one: &Key, part: &(String, Hash)| !one.parts.contains(part);
        let all = self.parts.iter().filter(|part| lacks(earlier, part));
        for (name, _) in all.chain(earlier.parts.iter().filter(|part| lacks(self, part))) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}
