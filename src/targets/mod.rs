//! Targets: the kinds of devices that offloadc compiles for. A target is one file here and one row in [`TARGETS`].
//!
//! A target receives the *neutral* (target-independent) device module, which all targets share:
//! - Each kernel of the [`KernelSet`] is a function with the kernel's name: `void`, with the parameters of the host's
//!   IR (a block kernel has one pointer), external linkage and C's calling convention. Nothing else in the module uses
//!   it.
//! - All other functions are internal. Each declaration is an intrinsic, a builtin (`builtin.rs`), or one of the memory
//!   functions `memcpy memmove memset memcmp bcmp strlen`.
//! - Pointers and statics are in address space 0, which is generic. The sections of statics mark their role.
//! - Panics are `llvm.trap` and `unreachable`; nothing unwinds; no attribute names the host.

mod amdgpu;
mod code_sizes;
mod cpu;
mod features;
mod gpu;
pub mod gpu_remarks;
mod join;
mod library;
mod not_for_kernels;
mod nvptx;
mod option_name;
mod options;
mod output;
mod spirv;

use crate::bundle::{ImageView, Resources, Runtime};
use crate::contract::address_space::AddressSpaceMap;
use crate::contract::atomic::Scope;
use crate::contract::fast::FastFunction;
use crate::contract::kernel::KernelSet;
use crate::contract::math::{MathFunction, Native, Width};
use crate::contract::panic_table::PanicCounts;
use crate::contract::platform::Platform;
use crate::contract::triples;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::nearest::nearest;
use crate::error::{Error, Result};
use crate::llvm::{FileKind, Machine, Module, OptLevel, PassPlugin};
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::passes::pass::Passes;
use crate::system::tool::Tools;
pub use code_sizes::code_sizes;
pub use cpu::OWN_PROCESSOR;
pub use cpu::options::CpuVectorize;
pub use features::{COMMON as COMMON_FEATURES, known_features};
pub use library::DeviceLibrary;
pub use options::{Contract, MathLibrary, MathOptions, TargetOptions};
pub use output::{DeviceOutput, HostCode};
use std::path::PathBuf;

/// The constant properties of a target.
#[derive(Debug)]
pub struct TargetFacts {
    /// Its name in messages and in `--print-targets`.
    pub name: &'static str,
    /// The LLVM triple.
    pub triple: &'static str,
    /// The archs a user can ask for, in the order they are listed.
    pub archs: &'static [&'static str],
    /// The address space of each role.
    pub address_spaces: AddressSpaceMap,
    /// The second word in the names of the target's own intrinsics; "" if it has none.
    pub intrinsics: &'static str,
    /// The stack of recursive functions.
    pub stack: Stack,
    /// LLVM's number of the calling convention that marks a kernel (`llvm/IR/CallingConv.h`). None if kernels have C's.
    pub kernel_convention: Option<u32>,
    /// Whether an image has symbols of variables, by which a runtime finds them.
    pub exports_variables: bool,
    /// Whether the code of several parts of a module can be joined ([`Target::join`]).
    pub joins: bool,
    /// Whether LLVM's back end can make code only once in a process. The code of each module then needs its own
    /// process.
    pub separate_process: bool,
    /// The emulator of its devices, if there is one.
    pub emulator: Option<Emulator>,
    /// The vendor's debugger for code on its devices.
    pub debugger: Option<&'static str>,
}

/// A library of `emulators/`, which replaces the driver of a target's devices.
#[derive(Debug)]
pub struct Emulator {
    /// The file name by which the runtime opens it.
    pub library: &'static str,
    /// The runtime's name for its devices, without the number.
    pub device: &'static str,
    /// The archs whose code it executes.
    pub archs: &'static [&'static str],
}

impl dyn Target {
    /// [`TargetFacts::name`].
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// [`TargetFacts::triple`].
    pub fn triple(&self) -> &'static str {
        self.facts().triple
    }

    /// [`TargetFacts::archs`].
    pub fn archs(&self) -> &'static [&'static str] {
        self.facts().archs
    }

    /// [`TargetFacts::address_spaces`].
    pub fn address_spaces(&self) -> &'static AddressSpaceMap {
        &self.facts().address_spaces
    }

    /// [`TargetFacts::stack`].
    pub fn stack(&self) -> Stack {
        self.facts().stack
    }
}

/// A target: its facts and the steps that differ.
pub trait Target: Send + Sync {
    /// Its constant properties.
    fn facts(&self) -> &'static TargetFacts;

    /// LLVM's processor for an arch with the user's name `arch`; none if it is not an arch of this target.
    fn processor(&self, arch: &str) -> Option<Processor>;

    /// The archs that a name of this target stands for, if it is no arch itself.
    fn expand(&self, _name: &str) -> Option<Vec<&'static str>> {
        None
    }

    /// The archs of the target whose code runs on most of its devices.
    fn portable(&self) -> &'static [&'static str];

    /// Names of processors that `--print-targets` lists in addition to [`TargetFacts::archs`], with their meanings.
    fn variants(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The number that distinguishes a processor from the target's others in `__offload_arch()`: 24 bits, see
    /// docs/intrinsics.md.
    fn arch_number(&self, _cpu: &str) -> u32 {
        0
    }

    /// The lanes of a warp in an arch's code, if they are known before the launch.
    fn warp_size(&self, _arch: &Arch) -> Option<u32> {
        None
    }

    /// Whether every device of an arch has one of the features that have the same name on each target.
    fn has_common(&self, name: &str, arch: &Arch) -> bool;

    /// Levels of processors that are features, besides the archs.
    fn levels(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a device that runs code for a processor runs code for the arch or level `name`; none if that is neither.
    fn implies(&self, cpu: &str, name: &str) -> Option<bool> {
        self.facts().archs.contains(&name).then_some(cpu == name)
    }

    /// Whether LLVM's names of features are the target's.
    fn lists_features(&self) -> bool {
        true
    }

    /// Whether a processor does not have one of the target's own intrinsics.
    fn lacks_intrinsic(&self, _name: &str, _cpu: &str) -> bool {
        false
    }

    /// Whether LLVM's code for a math intrinsic is exact and needs no library.
    fn has_math(&self, native: Native, _processor: &Processor) -> bool {
        native != Native::Nowhere
    }

    /// The implementation of a math function, if the command line leaves the choice to the target.
    fn math_body(&self, _function: &MathFunction, _width: Width, _options: &TargetOptions) -> MathBody {
        MathBody::Portable
    }

    /// The implementation of an approximate function.
    fn fast_body(&self, _function: FastFunction, _processor: &Processor) -> FastBody {
        FastBody::Exact
    }

    /// Links functions of the target's own math library.
    fn link_vendor_math(&self, _module: &Module<'_>, _job: &DeviceJob<'_>, _symbols: &[String]) -> Result<()> {
        Ok(())
    }

    /// The path of the vendor's math library; none if the target has no such library, or it is not found.
    fn vendor_math(&self, _options: &TargetOptions) -> Option<PathBuf> {
        None
    }

    /// The listed arch in a name, which may have features or a kind of image as a suffix.
    fn base<'a>(&self, arch: &'a str) -> &'a str {
        arch.split(':').next().unwrap_or(arch)
    }

    /// Makes the arch one for programs of a platform; the error says why there is none. Only the processor of a host
    /// differs between platforms.
    fn settle(&self, _arch: &mut Arch, _platform: Platform, _runtime: Runtime) -> Result<()> {
        Ok(())
    }

    /// Applies the target's options to an arch; the error is a usage error.
    fn choose(&self, _arch: &mut Arch, _options: &TargetOptions, _tools: &Tools) -> std::result::Result<(), String> {
        Ok(())
    }

    /// The features for code generation, if the optimised code needs others than the arch's.
    fn late_features(&self, _module: &Module<'_>, _arch: &Arch) -> Result<Option<String>> {
        Ok(None)
    }

    /// The resources of each kernel in an image of this target; empty if they are unknown.
    fn resources(&self, image: &ImageView<'_>, _tools: &Tools) -> Result<Vec<Resources>> {
        Ok(Resources::recorded(image))
    }

    /// Reports everything in a device module that this target's arch cannot run.
    ///
    /// It runs on the neutral module, before any transformation for the target. Of the arch it knows the limits only,
    /// so that a generic image, which is checked for all archs, is checked once for those that have the same.
    fn validate(
        &self,
        _module: &Module<'_>,
        _kernels: &KernelSet,
        _limits: &Limits,
        _runtime: Runtime,
    ) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// The limits of an arch.
    fn limits(&self, arch: &Arch) -> Limits {
        Limits { stack_bytes: arch.options.stack_bytes(), warp_size: arch.options.cpu_warp_size(), ..Limits::default() }
    }

    /// Turns the neutral module, which already has the target's triple and data layout, into a module for the target:
    /// address spaces, entry points, builtins.
    fn flavor(&self, module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()>;

    /// The name of an atomic scope in LLVM's back end, or of a wider scope if the back end lacks it.
    fn scope(&self, scope: Scope) -> &'static str {
        scope.neutral()
    }

    /// The target machine's level of code generation, 0 to 3.
    fn codegen_level(&self, level: OptLevel) -> u32 {
        level.codegen()
    }

    /// The pass pipeline that runs after `flavor`.
    fn pipeline(&self, level: OptLevel) -> String {
        level.pipeline().to_owned()
    }

    /// Transformations that need optimised code. They run between the pipeline and code generation.
    fn finish(&self, _module: &Module<'_>, _job: &DeviceJob<'_>, _machine: &Machine) -> Result<()> {
        Ok(())
    }

    /// The code of an optimised module: PTX text or an object.
    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>>;

    /// The same code as text.
    fn assembly(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        machine.emit(module, FileKind::Assembly)
    }

    /// The code that `codegen` makes, from the text of `assembly`.
    fn assemble(&self, text: Vec<u8>, machine: &Machine, _tools: &Tools) -> Result<Vec<u8>> {
        machine.assemble(&text)
    }

    /// The code of a module from that of its parts. Only called if the facts say that the target can do it.
    fn join(&self, _parts: &[Vec<u8>], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
        Err(Error::internal(format!("the code for `{}` has parts", job.arch.name)))
    }

    /// The target's part of the bundle, from the code.
    fn image(&self, code: Vec<u8>, job: &DeviceJob<'_>) -> Result<DeviceOutput>;
}

/// The start of the line that names the triple in assembly for the processor of a program.
pub const PROGRAM: &str = "# target triple: ";

/// An arch with the user's name and its target.
#[derive(Clone)]
pub struct Arch {
    /// The target.
    pub target: &'static dyn Target,
    /// The user's name, such as `gfx90a:xnack+`.
    pub name: String,
    /// LLVM's name.
    pub processor: Processor,
    /// The options for it.
    pub options: TargetOptions,
}

/// The limits that decide whether an arch of a target can run code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most static workgroup memory of a kernel, in bytes.
    pub shared_bytes: u64,
    /// The most bytes of a kernel's arguments.
    pub argument_bytes: u64,
    /// Whether atomic operations reach the whole system.
    pub has_system_atomics: bool,
    /// The bytes of a thread's stack.
    pub stack_bytes: u32,
    /// The most bytes of a thread's local variables on a GPU.
    pub local_bytes: u64,
    /// The lanes of a warp on the CPU.
    pub warp_size: u32,
}

/// The second words in the names of intrinsics that belong to one family of processors, except those of hosts.
const PROCESSORS: &[&str] = &[
    "amdgcn",
    "amdgpu",
    "arm",
    "bpf",
    "dx",
    "hexagon",
    "loongarch",
    "mips",
    "nvvm",
    "ppc",
    "r600",
    "riscv",
    "s390",
    "spv",
    "ve",
    "wasm",
    "xcore",
];

/// The same for the intrinsics of hosts, which no device has.
const HOST_INTRINSICS: [&str; 2] = ["aarch64", "x86"];

impl Arch {
    /// The result of `__offload_arch()`. The highest byte is the index of the target, from 1; the host's is 0.
    pub fn number(&self) -> u32 {
        let place = TARGETS.iter().position(|t| t.name() == self.target.name()).map_or(0, |at| at as u32 + 1);
        (place << 24) | self.target.arch_number(&self.processor.cpu)
    }

    /// Whether an option means this arch by a name: the arch's own, or its name without features and kinds of images.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.target.base(&self.name) == name
    }

    /// The limits by which its target refuses code.
    pub fn limits(&self) -> Limits {
        self.target.limits(self)
    }

    /// Whether an intrinsic belongs to the target, or to no target.
    pub fn has_intrinsic(&self, name: &str) -> bool {
        let family = name.split('.').nth(1).unwrap_or_default();
        let anybodys = !HOST_INTRINSICS.contains(&family) && !PROCESSORS.contains(&family);
        anybodys
            || (family == self.target.facts().intrinsics && !self.target.lacks_intrinsic(name, &self.processor.cpu))
    }
}

/// A processor and its features, as LLVM's target machine takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Its triple, which differs from the target's only for the processor of a host.
    pub triple: &'static str,
    /// Such as `gfx90a`.
    pub cpu: String,
    /// Such as `+xnack`.
    pub features: String,
}

/// The input of a target's steps, in addition to the module.
pub struct DeviceJob<'a> {
    /// The arch.
    pub arch: &'a Arch,
    /// The kernels.
    pub kernels: &'a KernelSet,
    /// The messages and locations of panics in the parts of the device code before this one.
    pub before: PanicCounts,
    /// The runtime whose entry convention the kernels have.
    pub runtime: Runtime,
    /// 16 hex digits that make the symbols of this object unique within a program.
    pub hash: &'a str,
    /// The optimisation level.
    pub level: OptLevel,
    /// How much of the image the module is.
    pub share: Share,
    /// Whether no host object takes part, so that the code for a CPU must be a separate image.
    pub standalone: bool,
    /// Bodies for functions that the module declares, for this arch and for others.
    pub libraries: &'a [DeviceLibrary],
    /// Plugins that extend the optimisation.
    pub plugins: &'a [PassPlugin],
    /// External tools.
    pub tools: &'a Tools,
    /// Runs the passes.
    pub passes: &'a Passes,
}

/// How much of an image a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All of it. The image may be made of parts.
    Whole,
    /// One of several parts: its kernels, and copies of the functions and variables that they reach.
    Part,
}

impl DeviceJob<'_> {
    /// Whether kernels receive their arguments in slots, as libomptarget passes them.
    pub fn has_slots(&self) -> bool {
        self.runtime == Runtime::Omptarget
    }
}

/// The stack on which a thread's calls have their frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// The host's stack, as for any code of the program.
    Host,
    /// A stack of the kernel's own size. For recursive functions, the compiler allocates one within it.
    Fixed,
}

/// Every target, in the order in which images are created.
pub static TARGETS: &[&dyn Target] = &[&cpu::Cpu, &nvptx::Nvptx, &amdgpu::Amdgpu, &spirv::Spirv];

/// The calling conventions of kernels of all targets.
pub fn kernel_conventions() -> Vec<u32> {
    TARGETS.iter().filter_map(|target| target.facts().kernel_convention).collect()
}

/// Why no arch has a name.
#[derive(Debug, PartialEq, Eq)]
pub enum LookupError {
    /// No target has such an arch; the nearest names.
    Unknown(Vec<String>),
    /// A target has archs of this form, but this LLVM lacks the processor; the nearest names.
    Missing(Vec<String>),
}

/// The resources of the kernels in an image with this triple; empty if no target has it.
pub fn resources(image: &ImageView<'_>, tools: &Tools) -> Result<Vec<Resources>> {
    let target = TARGETS.iter().find(|target| triples::family(target.triple()) == triples::family(image.triple));
    target.map_or(Ok(Vec::new()), |target| target.resources(image, tools))
}

/// The name of the image that is for no device, and of which images for every arch can be made.
pub const GENERIC: &str = "generic";
/// The name for the devices of the machine that compiles.
pub const NATIVE: &str = "native";
/// The name for the archs whose code runs on most devices.
pub const PORTABLE: &str = "portable";

/// The archs whose code runs on most devices.
pub fn portable() -> Vec<&'static str> {
    TARGETS.iter().flat_map(|target| target.portable()).copied().collect()
}

/// Every listed arch that this LLVM can compile for, in the order of the list.
pub fn all_archs() -> impl Iterator<Item = Arch> {
    TARGETS.iter().flat_map(|target| target.archs()).filter_map(|name| lookup(name).ok())
}

/// The archs with the user's name `name`: several if it stands for some.
pub fn lookup_all(name: &str) -> std::result::Result<Vec<Arch>, LookupError> {
    let expanded = match name {
        PORTABLE => Some(portable()),
        _ => TARGETS.iter().find_map(|target| target.expand(name)),
    };
    match expanded {
        Some(names) => names.into_iter().map(lookup).collect(),
        None => Ok(vec![lookup(name)?]),
    }
}

/// The arch with the user's name `name`.
pub fn lookup(name: &str) -> std::result::Result<Arch, LookupError> {
    let known: Vec<&str> = TARGETS.iter().flat_map(|t| t.archs().iter().copied()).collect();
    let base = name.split(':').next().unwrap_or(name);
    for target in TARGETS {
        if let Some(processor) = target.processor(name) {
            if target.archs().contains(&target.base(name)) {
                let options = TargetOptions::default();
                return Ok(Arch { target: *target, name: name.to_owned(), processor, options });
            }
            return Err(LookupError::Missing(nearest(target.base(name), target.archs())));
        }
    }
    Err(LookupError::Unknown(nearest(base, &known)))
}
