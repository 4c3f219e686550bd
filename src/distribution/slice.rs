//! A slice: the device code after `validate`, as a file, with all that the job of an arch needs. It is the interface
//! between the two halves of the compiler.
//!
//! The tables of the registration object (texts of panics, bounds of launches) are not in it. No job reads them, and
//! they contain lines of the source, with which a slice would change after each edit of host code.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use clap::Parser;

use super::kernel_fields;
use crate::bundle::Runtime;
use crate::cache::bytes::{Reader, Writer};
use crate::contract::kernel::{ANY_HASH, KernelSet};
use crate::contract::panic_table::PanicCounts;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Failure, Result};
use crate::llvm::{OptLevel, PassPlugin};
use crate::passes::pass::Passes;
use crate::system::identity::{identity, job_compiler, shared_llvm};
use crate::system::tool::Tools;
use crate::targets::{Arch, DeviceJob, DeviceLibrary, Share, TargetOptions};

/// The first bytes of a slice. Their number changes with the layout.
const MAGIC: &[u8] = b"offloadc slice 4\n";
/// zstd's own default. Higher levels cost more time than they save.
const LEVEL: i32 = 3;
/// The most bytes of a module.
const MOST: usize = 2 << 30;

/// The input of the jobs of all archs.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The modules that all archs share: one of all kernels, or one for each part.
    pub modules: Vec<SliceModule>,
    /// The platform of the program.
    pub platform: Platform,
    /// The kernels.
    pub kernels: KernelSet,
    /// The archs that the module was checked for.
    pub archs: Vec<String>,
    /// The options that the module was made with.
    pub options: SliceOptions,
    /// The files of `--device-bitcode`.
    pub libraries: Vec<DeviceLibrary>,
    /// Plugins of the stage `optimize`. A slice in a file has none: they are code of this process.
    pub plugins: Vec<PassPlugin>,
    /// Whether no host object takes part, so that the code for a CPU must be a separate image.
    pub standalone: bool,
}

/// A module of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceModule {
    /// Its kernels, by number, in order.
    pub kernels: Vec<usize>,
    /// The messages and locations of panics in the modules before this one.
    pub before: PanicCounts,
    /// The module, as bitcode.
    pub bitcode: Vec<u8>,
}

/// The options that a module was made with, and with which its jobs must continue.
#[derive(Clone, Debug, Parser)]
#[command(no_binary_name = true)]
pub struct SliceOptions {
    #[arg(short = 'O', value_parser = OptLevel::from_letter)]
    level: OptLevel,
    #[arg(long, value_enum)]
    runtime: Runtime,
    /// The most parts that the module is cut into; none if that follows from the module.
    #[arg(long)]
    pub parts: Option<NonZeroUsize>,
    #[command(flatten)]
    target: TargetOptions,
}

/// Why bytes are no slice for this offloadc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSlice {
    /// They do not begin like one.
    Other,
    /// They begin like one.
    Damaged,
    /// It is of another version.
    Version {
        /// Of which program.
        program: &'static str,
        /// The version that wrote it.
        was: String,
        /// The version here.
        here: String,
    },
}

impl SliceOptions {
    /// The options of a build.
    pub fn new(level: OptLevel, runtime: Runtime, parts: Option<NonZeroUsize>, target: TargetOptions) -> Self {
        Self { level, runtime, parts, target }
    }

    /// The level of optimisation.
    pub fn level(&self) -> OptLevel {
        self.level
    }

    /// The options as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let Self { level, runtime, parts, target } = self;
        let own = [format!("-O{}", level.letter()), format!("--runtime={}", runtime.name())];
        own.into_iter().chain(parts.map(|parts| format!("--parts={parts}"))).chain(target.words()).collect()
    }

    /// The runtime whose entry convention the kernels have.
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// The lanes of a warp on the CPU.
    pub fn cpu_warp_size(&self) -> u32 {
        self.target.cpu_warp_size()
    }

    /// The first option of a command line that differs from these, as a word.
    pub fn differing(&self, own: &TargetOptions) -> Option<String> {
        own.differing_from(&self.target)
    }

    /// These options, with the folders and the library of this machine.
    pub fn on_machine(&self, own: &TargetOptions) -> TargetOptions {
        let mut options = self.target.clone();
        options.take_folders_of(own);
        options
    }
}

impl Slice {
    /// The job of an arch.
    pub fn job<'a>(&'a self, arch: &'a Arch, share: Share, tools: &'a Tools, passes: &'a Passes) -> DeviceJob<'a> {
        let Self { modules: _, platform: _, kernels, archs: _, options, libraries, plugins, standalone } = self;
        let SliceOptions { level, runtime, parts: _, target: _ } = options;
        let (runtime, level, standalone) = (*runtime, *level, *standalone);
        let before = PanicCounts::default();
        let hash = ANY_HASH;
        DeviceJob { arch, kernels, before, runtime, hash, level, share, standalone, libraries, plugins, tools, passes }
    }

    /// The start of all slices of this offloadc: the layout and the versions.
    pub fn start() -> Result<Vec<u8>> {
        let mut to = Writer(MAGIC.to_vec());
        versions()?.iter().for_each(|(_, version)| to.bytes(version.as_bytes()));
        Ok(to.0)
    }

    /// The file with these bytes.
    pub fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        let checksum = blake3::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        bytes
    }

    /// The file.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut to = Writer(Self::start()?);
        let packed = |code: &[u8]| zstd::bulk::compress(code, LEVEL).context("cannot compress the slice");
        self.write_fields(&mut to, |to, code| {
            to.number(code.len() as u64);
            packed(code).map(|code| to.bytes(&code))
        })?;
        Ok(Self::with_checksum(to.0))
    }

    /// All that is known of the code. `write_code` writes the code.
    pub(super) fn write_fields(
        &self,
        to: &mut Writer,
        write_code: impl Fn(&mut Writer, &[u8]) -> Result<()>,
    ) -> Result<()> {
        for texts in [&self.options.words(), &self.archs] {
            to.number(texts.len() as u64);
            texts.iter().for_each(|text| to.bytes(text.as_bytes()));
        }
        to.bytes(self.platform.triple().as_bytes());
        kernel_fields::write(to, &self.kernels);
        [self.code(), self.library_bytes()].iter().try_for_each(|code| write_code(to, code))
    }

    /// The modules as bytes.
    pub fn code(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.number(self.modules.len() as u64);
        for SliceModule { kernels, before, bitcode } in &self.modules {
            to.number(kernels.len() as u64);
            kernels.iter().for_each(|kernel| to.number(*kernel as u64));
            [before.messages, before.places].into_iter().for_each(|count| to.number(count.into()));
            to.bytes(bitcode);
        }
        to.0
    }

    fn library_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.number(self.libraries.len() as u64);
        for DeviceLibrary { arch, name, bitcode } in &self.libraries {
            to.number(arch.is_some().into());
            [arch.as_deref().unwrap_or_default(), name].into_iter().for_each(|text| to.bytes(text.as_bytes()));
            to.bytes(bitcode);
        }
        to.0
    }

    /// The slice in a file.
    pub fn read(file: &[u8]) -> Result<Self, Failure<NotSlice>> {
        let rest = file.strip_prefix(MAGIC).ok_or(Failure::Reason(NotSlice::Other))?;
        let damaged = || Failure::Reason(NotSlice::Damaged);
        let end = rest.len().checked_sub(blake3::OUT_LEN).ok_or_else(damaged)?;
        let (fields, checksum) = rest.split_at(end);
        if blake3::hash(&file[..MAGIC.len() + end]).as_bytes() != checksum {
            return Err(damaged());
        }
        let mut from = Reader(fields);
        for (program, here) in versions()? {
            let was = from.text().ok_or_else(damaged)?;
            if was != here {
                return Err(Failure::Reason(NotSlice::Version { program, was, here }));
            }
        }
        let fields = read_fields(&mut from, |from| compressed(from, &[]).map(Cow::Owned));
        fields.filter(|_| from.0.is_empty()).ok_or_else(damaged)
    }
}

pub(super) fn read_fields<'a>(
    from: &mut Reader<'a>,
    read_code: impl Fn(&mut Reader<'a>) -> Option<Cow<'a, [u8]>>,
) -> Option<Slice> {
    let mut texts = || (0..from.count()?).map(|_| from.text()).collect::<Option<Vec<String>>>();
    let (words, archs) = (texts()?, texts()?);
    let options = SliceOptions::try_parse_from(words).ok()?;
    let platform = Platform::of(&from.text()?)?;
    let kernels = kernel_fields::read(from)?;
    let modules = read_modules(&mut Reader(&read_code(from)?), kernels.len())?;
    let libraries = read_libraries(&mut Reader(&read_code(from)?))?;
    let plugins = Vec::new();
    let standalone = false;
    Some(Slice { modules, platform, kernels, archs, options, libraries, plugins, standalone })
}

/// Bytes that are compressed, after their size. The dictionary is the one that they were compressed with.
pub(super) fn compressed(from: &mut Reader<'_>, dictionary: &[u8]) -> Option<Vec<u8>> {
    let size = usize::try_from(from.number()?).ok().filter(|size| *size <= MOST)?;
    let mut decompressor = zstd::bulk::Decompressor::with_dictionary(dictionary).ok()?;
    decompressor.decompress(from.bytes()?, size).ok().filter(|code| code.len() == size)
}

fn read_libraries(from: &mut Reader<'_>) -> Option<Vec<DeviceLibrary>> {
    let one = |from: &mut Reader<'_>| {
        let named = from.flag()?;
        let (arch, name) = (from.text()?, from.text()?);
        Some(DeviceLibrary { arch: named.then_some(arch), name, bitcode: from.bytes()?.to_vec() })
    };
    let libraries = (0..from.count()?).map(|_| one(from)).collect::<Option<_>>()?;
    from.0.is_empty().then_some(libraries)
}

/// The modules in these bytes, if each kernel is in one of them.
fn read_modules(from: &mut Reader<'_>, kernels: usize) -> Option<Vec<SliceModule>> {
    let small = |number: u64| u32::try_from(number).ok();
    let mut of = vec![0; kernels];
    let mut modules = Vec::new();
    for _ in 0..from.count()? {
        let own: Vec<usize> = (0..from.count()?).map(|_| from.count()).collect::<Option<_>>()?;
        own.iter().try_for_each(|kernel| of.get_mut(*kernel).map(|count| *count += 1))?;
        let before = PanicCounts { messages: small(from.number()?)?, places: small(from.number()?)? };
        modules.push(SliceModule { kernels: own, before, bitcode: from.bytes()?.to_vec() });
    }
    (from.0.is_empty() && !modules.is_empty() && of.iter().all(|count| *count == 1)).then_some(modules)
}

/// The programs that read a slice, and their versions: the number, and a hash of their bytes.
fn versions() -> Result<[(&'static str, String); 2]> {
    let mut llvm = blake3::Hasher::new();
    for library in shared_llvm() {
        let _ = llvm.update(&identity(library)?);
    }
    let compiler = blake3::hash(&identity(&job_compiler()?)?);
    let version = |number: &str, hash: blake3::Hash| format!("{number}, build {}", &hash.to_hex()[..16]);
    Ok([
        ("offloadc", version(env!("CARGO_PKG_VERSION"), compiler)),
        ("LLVM", version(env!("OFFLOADC_LLVM_VERSION"), llvm.finalize())),
    ])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::llvm::Without;

    fn refused(file: &[u8]) -> NotSlice {
        match Slice::read(file) {
            Err(Failure::Reason(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn module(number: u32) -> SliceModule {
        let before = PanicCounts { messages: number, places: 7 };
        SliceModule { kernels: Vec::new(), before, bitcode: vec![7; 300] }
    }

    fn library(arch: Option<&str>) -> DeviceLibrary {
        DeviceLibrary { arch: arch.map(str::to_owned), name: "`f.bc`".to_owned(), bitcode: vec![9; 100] }
    }

    pub(in super::super) fn slice() -> Slice {
        let mut target = TargetOptions { device_stack: Some(4096), ..TargetOptions::default() };
        target.cpu.cpu_warp_size = Some(64);
        let options = SliceOptions::new(OptLevel::Os, Runtime::Omptarget, NonZeroUsize::new(3), target);
        Slice {
            modules: vec![module(1), module(2)],
            platform: Platform::Aarch64,
            kernels: KernelSet::new(),
            archs: vec!["cpu".to_owned()],
            options,
            libraries: vec![library(Some("cpu")), library(None)],
            plugins: Vec::new(),
            standalone: false,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let slice = slice();
        let again = Slice::read(&slice.write().unwrap()).unwrap();
        assert_eq!(again.options.words(), slice.options.words());
        assert_eq!(again.archs, slice.archs);
        assert_eq!(again.platform, slice.platform);
        assert_eq!((again.modules, again.kernels), (slice.modules, slice.kernels));
        assert_eq!(again.libraries, slice.libraries);
    }

    #[test]
    fn options_are_words_that_name_every_choice() {
        let words = [
            "-Os",
            "--runtime=omptarget",
            "--parts=3",
            "--device-stack=4096",
            "--cpu-warp-size=64",
            "--cpu-vectorize=auto",
        ];
        assert_eq!(slice().options.words(), [&words[..], &["--math=portable", "--fp-contract=off"]].concat());
        let mut fast = slice().options;
        fast.target.without_workaround = Some(Without::parse("keep_null,codegen_level").unwrap());
        fast.target.math.fast_math = true;
        fast.target.math.ftz = true;
        let words = fast.words();
        assert_eq!(words[6], "--without-workaround=codegen_level,keep_null");
        assert_eq!(&words[8..], ["--fp-contract=fast", "--fast-math", "--ftz"]);
        assert_eq!(SliceOptions::try_parse_from(words.clone()).unwrap().words(), words);
    }

    #[test]
    fn any_damage_is_seen() {
        let good = slice().write().unwrap();
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            let wrong = if at < MAGIC.len() { NotSlice::Other } else { NotSlice::Damaged };
            assert_eq!(refused(&bytes), wrong, "byte {at}");
            let _short = refused(&good[..at]);
        }
    }

    #[test]
    fn wrong_fields_behind_a_right_checksum_are_seen() {
        let (start, good) = (Slice::start().unwrap(), slice().write().unwrap());
        let fields = &good[start.len()..good.len() - blake3::OUT_LEN];
        for end in 0..fields.len() {
            let file = Slice::with_checksum([&start, &fields[..end]].concat());
            assert_eq!(refused(&file), NotSlice::Damaged, "the first {end} bytes");
        }
        let file = Slice::with_checksum([&start, fields, &[0]].concat());
        assert_eq!(refused(&file), NotSlice::Damaged);
        assert!(Slice::read(&Slice::with_checksum([&start, fields].concat())).is_ok());
    }

    #[test]
    fn another_version_is_named() {
        let mut to = Writer(MAGIC.to_vec());
        to.bytes(b"0.0.1, build 00");
        let error = refused(&Slice::with_checksum(to.0));
        assert!(matches!(error, NotSlice::Version { program: "offloadc", was, .. } if was == "0.0.1, build 00"));
    }
}
