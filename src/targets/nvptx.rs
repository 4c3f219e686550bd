//! NVIDIA GPUs: PTX text, and also machine code if there is a `ptxas`.
//!
//! PTX has the lowest version that the arch and the code need, so that old drivers load it. Archs before `sm_50` are
//! not supported, because no assembler that reads PTX 6.0 for today's machines accepts them.

mod arguments;
mod assembler;
mod atomics;
mod branches;
mod join;
mod lanes;
mod libdevice;
mod limits;
mod lines;
mod needs;
pub(super) mod options;
mod private_atomics;
mod ptx;
mod sums;

use self::atomics::strengthen_atomics;
use self::join::name_locals_apart;
use self::limits::keep_limits_apart;
use self::lines::{emit, keep_line_directives};
use self::options::NvptxImage;
use self::private_atomics::branch_to_private;
use self::sums::add_disjoint;
use super::gpu::{self, Abilities};
use super::options::{Contract, MathLibrary, TargetOptions};
use super::{Arch, DeviceJob, DeviceOutput, Emulator, Limits, Processor, Share, Stack, Target, TargetFacts};
use crate::bundle::{Image, ImageKind, ImageView, Resources, Runtime};
use crate::checks::check_arguments::check_arguments;
use crate::checks::check_locals::check_locals;
use crate::checks::check_stack_size::check_stack_size;
use crate::checks::check_statics::{Relocations, check_constant_size, check_shared_size, check_statics};
use crate::checks::check_support::{Refusal, check_support};
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::atomic::Scope;
use crate::contract::builtin::{Axis, DeviceBuiltin, FenceScope, PRINT};
use crate::contract::fast::FastFunction;
use crate::contract::kernel::KernelSet;
use crate::contract::math::{MathFunction, Width};
use crate::contract::triples;
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, Function, Machine, Module, OptLevel, Place, Type, TypeKind, Value};
use crate::passes::address_space::align_memory::align_memory;
use crate::passes::address_space::compare_as_numbers::compare_as_numbers;
use crate::passes::address_space::infer_address_spaces::infer_address_spaces;
use crate::passes::address_space::keep_null::keep_null;
use crate::passes::address_space::place_globals::place_globals;
use crate::passes::atomics::drop_compiler_fences::drop_compiler_fences;
use crate::passes::atomics::lower_private_atomics::lower_private_atomics;
use crate::passes::atomics::order_with_fences::order_with_fences;
use crate::passes::builtins::link_text::link_text;
use crate::passes::builtins::lower_builtins::{define_leave, lower_builtins};
use crate::passes::calls::lower_function_pointers::lower_function_pointers;
use crate::passes::calls::lower_recursion::lower_recursion;
use crate::passes::convergence::mask_operations::{Masks, mask_operations};
use crate::passes::debug::keep_variables::{is_debugged, keep_variables};
use crate::passes::expand::drop_shift_flags::drop_shift_flags;
use crate::passes::expand::freeze_guarded_shifts::freeze_guarded_shifts;
use crate::passes::expand::freeze_narrow_indices::freeze_narrow_indices;
use crate::passes::expand::split_conditions::split_conditions;
use crate::passes::expand::split_copies::split_copies;
use crate::passes::launch::bound_threads::bound_threads;
use crate::passes::launch::compare_indices::compare_indices;
use crate::passes::launch::launch_bounds::{LaunchBounds, max_registers};
use crate::passes::launch::launch_state::pass_launch_state;
use crate::passes::launch::lower_kernel_abi::{EntryAbi, lower_kernel_abi};
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::passes::library::lower_memory_functions::{LoweredMemops, lower_memory_functions};
use crate::passes::loops::merge_exits::merge_exits;
use crate::passes::loops::simplify_counts::simplify_counts;
use crate::passes::panic::hoist_checks::hoist_checks;
use crate::passes::panic::join_checks::join_checks;
use crate::passes::panic::merge_panics::merge_reports;
use crate::passes::panic::report_masks::forget_unused;
use crate::passes::panic::require_lanes::require_lanes;
use crate::passes::pass::pass;
use crate::system::tool::Tools;
use std::path::PathBuf;

/// The target.
pub(super) struct Nvptx;

const TRIPLE: &str = triples::NVIDIA;

/// `NVPTXAS::AddressSpace` in LLVM's `NVPTXAddrSpace.h`. An argument in memory (`byval`) is a generic pointer.
const ADDRESS_SPACES: AddressSpaceMap = AddressSpaceMap {
    generic: 0,
    global: 1,
    shared: 3,
    constant: 4,
    private: 5,
    alloca: 0,
    kernel_argument: 0,
    flat: &[1],
};

static ARCHS: &[&str] = &[
    "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87",
    "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103",
    "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a",
    "sm_121f",
];

/// The suffix of an arch, as in CMake: machine code only.
const REAL: &str = "-real";
/// The same for PTX only.
const VIRTUAL: &str = "-virtual";

/// `CallingConv::PTX_Kernel`.
const PTX_KERNEL: u32 = 71;

/// The largest static workgroup memory of a block on every arch, in bytes; only the launch-sized part can be larger.
const SHARED_BYTES: u64 = 48 * 1024;
/// The constant memory of a module in bytes.
const CONSTANT_BYTES: u64 = 64 * 1024;
/// The local memory of a thread on every arch, in bytes.
const LOCAL_BYTES: u32 = 512 * 1024;
/// The first arch whose loads and stores have acquire and release orderings.
const MEMORY_MODEL: u32 = 70;
/// The first arch with one program counter for each thread.
const OWN_PROGRAM_COUNTERS: u32 = 70;

/// The least number of checks whose code a table must save.
const CHECKS_OF_A_TABLE: usize = 2;

/// The back end expands these into loops over single bytes.
const LOWERED_MEMOPS: LoweredMemops = &["memcpy", "memmove", "memset"];
/// The size of the widest load and store in bytes.
const WIDEST_COPY: u64 = 16;

static ABILITIES: Abilities = Abilities {
    math: |name, ty| match name {
        "exp2" => ty != TypeKind::Double,
        "canonicalize" => ty != TypeKind::Half,
        _ => false,
    },
    wide_conversions: false,
    intrinsics: "nvvm",
};

/// More copies of the bodies of loops whose number of iterations is a constant. LLVM's level 2 permits half as many as
/// its level 3, which are too few of loops around two loads and a product. Short loops whose number is not known would
/// become slower.
const MORE_COPIES: &str = "loop-unroll<O3;partial;no-peeling;no-runtime;no-upperbound>,early-cse,";

/// The entry points of kernels.
static ENTRY_ABI: EntryAbi = EntryAbi {
    calling_convention: PTX_KERNEL,
    in_memory: "byval",
    words_in_struct: false,
    // An array of no bytes is an incomplete one for ptxas.
    smallest: 1,
    widest_integer: 128,
    copies: true,
    protected: false,
    attributes: &[],
    address_spaces: &ADDRESS_SPACES,
};

static FACTS: TargetFacts = TargetFacts {
    name: "nvptx",
    triple: TRIPLE,
    archs: ARCHS,
    address_spaces: ADDRESS_SPACES,
    intrinsics: ABILITIES.intrinsics,
    stack: Stack::Fixed,
    kernel_convention: Some(PTX_KERNEL),
    joins: true,
    exports_variables: true,
    separate_process: false,
    // The emulator requires independent thread scheduling, which starts with the seventh arch.
    emulator: Some(Emulator { library: "libcuda.so.1", device: "cuda", archs: ARCHS.split_at(6).1 }),
    debugger: Some("cuda-gdb"),
};

impl Target for Nvptx {
    fn facts(&self) -> &'static TargetFacts {
        &FACTS
    }

    fn processor(&self, arch: &str) -> Option<Processor> {
        let cpu = self.base(arch);
        number(cpu)?;
        Some(Processor { triple: TRIPLE, cpu: cpu.to_owned(), features: ptx::minimum(cpu)?.feature() })
    }

    fn base<'a>(&self, arch: &'a str) -> &'a str {
        [REAL, VIRTUAL].iter().find_map(|suffix| arch.strip_suffix(suffix)).unwrap_or(arch)
    }

    fn choose(&self, arch: &mut Arch, options: &TargetOptions, tools: &Tools) -> std::result::Result<(), String> {
        let cpu = &arch.processor.cpu;
        let image = match &arch.name {
            name if name.ends_with(REAL) => Some(NvptxImage::Cubin),
            name if name.ends_with(VIRTUAL) => Some(NvptxImage::Ptx),
            _ => options.nvptx.nvptx_image,
        };
        if tools.ptxas.is_none() && image.is_some_and(|image| image != NvptxImage::Ptx) {
            return Err(format!("machine code for `{cpu}` needs NVIDIA's assembler; name it with `--ptxas`"));
        }
        if tools.ptxas.is_none() && !options.nvptx.ptxas_arg.is_empty() {
            return Err("`--ptxas-arg` needs NVIDIA's assembler; name it with `--ptxas`".to_owned());
        }
        if let Some((pinned, lowest)) = options.nvptx.ptx_version.zip(ptx::minimum(cpu)) {
            if pinned < lowest {
                return Err(format!("PTX {pinned} does not support `{cpu}`; the lowest version that does is {lowest}"));
            }
            arch.processor.features = pinned.feature();
        }
        if options.math.library == MathLibrary::Vendor && libdevice::find(options).is_none() {
            return Err(format!(
                "NVIDIA's math functions for `{cpu}` need libdevice; name the folder of CUDA with `--cuda-path`"
            ));
        }
        arch.options = options.clone();
        arch.options.nvptx.nvptx_image = image;
        Ok(())
    }

    fn math_body(&self, function: &MathFunction, width: Width, options: &TargetOptions) -> MathBody {
        libdevice::body(function, width, options)
    }

    fn fast_body(&self, function: FastFunction, processor: &Processor) -> FastBody {
        libdevice::fast_body(function, number(&processor.cpu))
    }

    fn vendor_math(&self, options: &TargetOptions) -> Option<PathBuf> {
        libdevice::find(options)
    }

    fn link_vendor_math(&self, module: &Module<'_>, job: &DeviceJob<'_>, symbols: &[String]) -> Result<()> {
        libdevice::link(module, &job.arch.options, symbols)
    }

    fn late_features(&self, module: &Module<'_>, arch: &Arch) -> Result<Option<String>> {
        let pinned = arch.options.nvptx.ptx_version;
        let needs = needs::version(module, pinned).into_iter().chain(arguments::version(module, arch)?);
        let Some((what, needed)) = needs.max_by_key(|(_, version)| *version) else { return Ok(None) };
        let lowest = ptx::minimum(&arch.processor.cpu).unwrap_or(needed);
        match pinned {
            Some(pinned) if pinned < needed => {
                Err(Error::new(format!("{what} needs PTX {needed}, but `--ptx-version` asks for {pinned}")))
            }
            None if needed > lowest => Ok(Some(needed.feature())),
            _ => Ok(None),
        }
    }

    fn lacks_intrinsic(&self, name: &str, cpu: &str) -> bool {
        needs::arch(name).is_some_and(|needed| number(cpu).is_some_and(|number| number < needed))
    }

    fn resources(&self, image: &ImageView<'_>, tools: &Tools) -> Result<Vec<Resources>> {
        match (image.kind, &tools.ptxas) {
            (Some(ImageKind::Ptx), Some(ptxas)) => assembler::measure(&image.bytes, &image.arch, ptxas, tools),
            _ => Ok(Resources::recorded(image)),
        }
    }

    /// PTX that drivers compile for their devices. GPUs before `sm_60` have no atomics for the whole system, and those
    /// before `sm_70` one program counter for a warp; today's drivers and assemblers are about to drop both.
    fn portable(&self) -> &'static [&'static str] {
        &["sm_70-virtual"]
    }

    fn warp_size(&self, _arch: &Arch) -> Option<u32> {
        Some(32)
    }

    fn has_common(&self, name: &str, arch: &Arch) -> bool {
        name != "f16" || number(&arch.processor.cpu) >= Some(53)
    }

    /// Each arch runs code for older ones. Code for `sm_90a` or `sm_100f` runs on no newer arch.
    fn implies(&self, cpu: &str, name: &str) -> Option<bool> {
        let wanted = number(name).filter(|_| FACTS.archs.contains(&name))?;
        let letter = |name: &str| name.chars().next_back().filter(char::is_ascii_lowercase);
        let own = number(cpu).unwrap_or(0);
        Some(match letter(name) {
            None => own >= wanted,
            // The code for one arch may use all that the code for its family may use.
            Some('f') => own == wanted && letter(cpu).is_some(),
            Some(_) => cpu == name,
        })
    }

    /// LLVM's features are the archs and versions of PTX. The version is chosen after all code is known.
    fn lists_features(&self) -> bool {
        false
    }

    fn arch_number(&self, cpu: &str) -> u32 {
        let suffix = cpu.bytes().next_back().filter(u8::is_ascii_lowercase).unwrap_or(0);
        (u32::from(suffix) << 16) | number(cpu).unwrap_or(0)
    }

    fn limits(&self, arch: &Arch) -> Limits {
        Limits {
            shared_bytes: SHARED_BYTES,
            argument_bytes: arguments::most_bytes(arch),
            has_system_atomics: number(&arch.processor.cpu).is_some_and(atomics::have_scopes),
            stack_bytes: arch.options.stack_bytes(),
            local_bytes: LOCAL_BYTES.into(),
            ..Limits::default()
        }
    }

    fn validate(&self, module: &Module<'_>, kernels: &KernelSet, limits: &Limits, runtime: Runtime) -> Vec<Diagnostic> {
        let atomic = |i| if limits.has_system_atomics { None } else { atomics::refuse(i) };
        let refuse = |i| gpu::refuse(module, i, &ABILITIES).or_else(|| atomic(i)).or_else(|| one_bit_over(i));
        let mut found = check_support(module, kernels, &refuse);
        found.extend(check_statics(module, Relocations::Simple));
        found.extend(check_shared_size(module, kernels, limits.shared_bytes));
        found.extend(check_constant_size(module, CONSTANT_BYTES));
        found.extend(check_locals(module, kernels, Code::MemoryLimit, limits.local_bytes));
        found.extend(check_stack_size(module, kernels, limits.stack_bytes, LOCAL_BYTES));
        if runtime != Runtime::Omptarget {
            found.extend(check_arguments(kernels, limits.argument_bytes));
        }
        found
    }

    fn flavor(&self, module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()> {
        let passes = job.passes;
        // The size of the hardware's stack is fixed, and an overflow of it is not always detected. Kernels with
        // recursive functions and barriers also gave wrong results on an H200 with driver 580, with each form of the
        // barrier.
        pass!(passes, lower_function_pointers(module))?;
        pass!(passes, lower_recursion(module, job.kernels, job.arch.options.stack_bytes()))?;
        // The assembler refuses variables of optimised code, and of old versions.
        let pinned = job.arch.options.nvptx.ptx_version;
        match is_debugged(module, job.level) && pinned.is_none_or(|version| version >= needs::DEBUG_SECTIONS) {
            true => pass!(passes, keep_variables(module))?,
            false => pass!(passes, keep_line_directives(module))?,
        }
        pass!(passes, drop_compiler_fences(module))?;
        if number(&job.arch.processor.cpu).is_some_and(|n| n < MEMORY_MODEL) {
            pass!(passes, order_with_fences(module))?;
        }
        let together = number(&job.arch.processor.cpu).is_some_and(|n| n < OWN_PROGRAM_COUNTERS);
        if together {
            pass!(passes, require_lanes(module, job.kernels)?)?;
        }
        pass!(passes, forget_unused(module))?;
        let masks = if together { Masks::Active } else { Masks::Ballots };
        pass!(passes, mask_operations(module, job.kernels, masks, needs::is_own)?)?;
        pass!(passes, lower_memory_functions(module, LOWERED_MEMOPS)?)?;
        pass!(passes, link_text(module, PRINT, include_str!("nvptx/print_text.ll"))?)?;
        pass!(passes, lower_builtins(module, &|m, builtin, b, p| Ok(lower_builtin(m, builtin, b, p)))?)?;
        pass!(passes, define_leave(module, "llvm.nvvm.exit"))?;
        pass!(passes, pass_launch_state(module, job.kernels, ADDRESS_SPACES.shared))?;
        pass!(passes, bound_threads(module, job.kernels, true))?;
        pass!(passes, compare_indices(module))?;
        pass!(passes, simplify_counts(module))?;
        pass!(passes, hoist_checks(module, job.level, ""))?;
        pass!(passes, merge_reports(module, false))?;
        pass!(passes, join_checks(module, job.kernels, CHECKS_OF_A_TABLE))?;
        let entries = pass!(passes, lower_kernel_abi(module, job.kernels, &ENTRY_ABI, job.has_slots())?)?;
        pass!(passes, bound_launches(module, job.kernels))?;
        // Constant memory has 64 KiB, and is slow if lanes read different addresses, so only statics in its section are
        // there.
        pass!(passes, place_globals(module, &ADDRESS_SPACES, Role::Global))?;
        pass!(passes, infer_address_spaces(module, &ADDRESS_SPACES, &entries))
    }

    fn pipeline(&self, level: OptLevel) -> String {
        // The queries of libdevice must be folded before anything is inlined.
        // LLVM's back end infers address spaces before anything else. It is done here, so that `keep_null` sees the
        // casts of null that result.
        let more = if matches!(level, OptLevel::O2 | OptLevel::O3) { MORE_COPIES } else { "" };
        format!("nvvm-reflect,{},function({more}infer-address-spaces)", gpu::pipeline(level))
    }

    fn scope(&self, scope: Scope) -> &'static str {
        atomics::scope(scope)
    }

    fn codegen_level(&self, level: OptLevel) -> u32 {
        gpu::codegen_level(level)
    }

    fn finish(&self, module: &Module<'_>, job: &DeviceJob<'_>, _machine: &Machine) -> Result<()> {
        let number = number(&job.arch.processor.cpu).unwrap_or(0);
        let passes = job.passes;
        pass!(passes, compare_as_numbers(module, &ADDRESS_SPACES))?;
        pass!(passes, keep_null(module, &ADDRESS_SPACES))?;
        pass!(passes, align_memory(module, &ADDRESS_SPACES, true))?;
        pass!(passes, split_copies(module, LOWERED_MEMOPS, WIDEST_COPY))?;
        pass!(passes, branch_to_private(module))?;
        pass!(passes, lower_private_atomics(module, &ADDRESS_SPACES))?;
        pass!(passes, strengthen_atomics(module, number))?;
        pass!(passes, split_conditions(module))?;
        pass!(passes, merge_exits(module))?;
        pass!(passes, keep_limits_apart(module))?;
        pass!(passes, add_disjoint(module))?;
        pass!(passes, drop_shift_flags(module))?;
        pass!(passes, freeze_guarded_shifts(module))?;
        pass!(passes, freeze_narrow_indices(module))?;
        if let (Share::Part, Some(first)) = (job.share, job.kernels.first()) {
            pass!(passes, name_locals_apart(module, &first.name))?;
        }
        Ok(())
    }

    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        emit(module, machine)
    }

    fn assembly(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        self.codegen(module, machine)
    }

    fn assemble(&self, text: Vec<u8>, machine: &Machine, _tools: &Tools) -> Result<Vec<u8>> {
        let (is, wanted) = (ptx::target_of(&text), machine.cpu());
        match is {
            Some(is) if is == wanted => Ok(text),
            Some(is) => Err(Error::new(format!("it is PTX for `{is}`"))),
            None => Err(Error::new("it is no PTX: no line begins with `.target`")),
        }
    }

    fn join(&self, parts: &[Vec<u8>], _job: &DeviceJob<'_>) -> Result<Vec<u8>> {
        join::texts(parts)
    }

    fn image(&self, code: Vec<u8>, job: &DeviceJob<'_>) -> Result<DeviceOutput> {
        let (cpu, tools) = (&job.arch.processor.cpu, job.tools);
        let wanted = job.arch.options.nvptx.nvptx_image;
        let image = |kind, strings, bytes| Image { kind, triple: TRIPLE.to_owned(), arch: cpu.clone(), strings, bytes };
        let mut images = Vec::new();
        if let Some(ptxas) = tools.ptxas.as_ref().filter(|_| wanted != Some(NvptxImage::Ptx)) {
            let options = assembler::Options {
                level: job.level.codegen(),
                fuses: job.arch.options.math.contract() != Contract::Off,
                arguments: &job.arch.options.nvptx.ptxas_arg,
            };
            let cubin = assembler::assemble(&code, cpu, options, ptxas, tools)?;
            images.extend(cubin.map(|cubin| image(ImageKind::Cubin, cubin.strings, cubin.bytes)));
        }
        if wanted != Some(NvptxImage::Cubin) {
            images.push(image(ImageKind::Ptx, ptx::describe(&code), code));
        }
        Ok(DeviceOutput { images, ..DeviceOutput::default() })
    }
}

/// An integer that the back end would split into integers of 128 bits and one of a single bit, for which it has no
/// code.
fn one_bit_over(instruction: Value<'_>) -> Option<Refusal> {
    let types = [instruction.ty()].into_iter().chain(instruction.operands().into_iter().map(Value::ty));
    let over = |ty: &Type<'_>| ty.int_width().is_some_and(|width| width > 128 && width % 128 == 1);
    let what = format!("uses the type `{}`, which the device does not have", types.into_iter().find(over)?.text());
    Some(Refusal { code: Code::UnsupportedType, what, help: "use an integer of another width in kernels" })
}

/// Adds the attributes for the launch bounds of each entry point.
fn bound_launches(module: &Module<'_>, kernels: &KernelSet) {
    kernels.functions(module).for_each(bound_launches_of);
}

fn bound_launches_of(entry: Function<'_>) {
    let bounds = LaunchBounds::of(entry);
    let set = |name: &str, value: String| {
        entry.add_attribute(Place::Function, &Attribute::Text(name.to_owned(), value));
    };
    match bounds.size_text() {
        Some(size) => set("nvvm.reqntid", size),
        None if bounds.threads != 0 => set("nvvm.maxntid", bounds.threads.to_string()),
        None => {}
    }
    if bounds.blocks != 0 {
        set("nvvm.minctasm", bounds.blocks.to_string());
    }
    if let Some(count) = max_registers(entry) {
        set("nvvm.maxnreg", count);
    }
}

/// The number in an arch's name.
fn number(arch: &str) -> Option<u32> {
    arch.strip_prefix("sm_")?.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()
}

/// The body of a builtin.
fn lower_builtin<'c>(
    module: &Module<'c>,
    builtin: DeviceBuiltin,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
) -> Option<Value<'c>> {
    let i32 = module.types().i32();
    let call = |name: &str, arguments: &[Value<'c>]| Some(builder.call(module.intrinsic(name, &[]), arguments, ""));
    let register = |name: &str| call(&format!("llvm.nvvm.read.ptx.sreg.{name}"), &[]);
    let of_axis = |name: &str, axis: Axis| register(&format!("{name}.{}", axis.letter()));
    match builtin {
        DeviceBuiltin::ThreadId(axis) => of_axis("tid", axis),
        DeviceBuiltin::BlockId(axis) => of_axis("ctaid", axis),
        DeviceBuiltin::BlockDim(axis) => of_axis("ntid", axis),
        DeviceBuiltin::GridDim(axis) => of_axis("nctaid", axis),
        DeviceBuiltin::LaneId => register("laneid"),
        DeviceBuiltin::LaneCount => register("warpsize"),
        DeviceBuiltin::SyncThreads => call("llvm.nvvm.barrier.cta.sync.aligned.all", &[i32.zero()]),
        DeviceBuiltin::Fence(FenceScope::Block) => call("llvm.nvvm.membar.cta", &[]),
        DeviceBuiltin::Fence(FenceScope::Device) => call("llvm.nvvm.membar.gl", &[]),
        DeviceBuiltin::Fence(FenceScope::System) => call("llvm.nvvm.membar.sys", &[]),
        DeviceBuiltin::Lanes(operation) => lanes::lower(module, operation, builder, parameters),
        DeviceBuiltin::DynamicShared => Some(gpu::dynamic_shared(module, &ADDRESS_SPACES)),
        DeviceBuiltin::DynamicSharedSize => register("dynamic_smem_size"),
    }
}
