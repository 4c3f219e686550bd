//! AMD GPUs: code objects of version 6 for the HSA runtimes, linked by LLVM's linker.
//!
//! Archs before `gfx700` are left out: they have no flat addressing, which every generic pointer needs.

mod archs;
mod constants;
mod implicit_arguments;
mod metadata;
mod ocml;
pub(super) mod options;

use crate::contract::triples;
use crate::system::scratch::{self, Scratch};

use self::constants::forget_constants;
use self::implicit_arguments::ImplicitArgument;
use super::gpu::{self, Abilities};
use super::{
    Arch, DeviceJob, DeviceOutput, Emulator, Limits, MathLibrary, Processor, Stack, Target, TargetFacts, TargetOptions,
    join,
};
use crate::bundle::{Image, ImageKind, ImageView, Resources, Runtime};
use crate::checks::check_locals::check_locals;
use crate::checks::check_statics::{Relocations, check_shared_size, check_statics};
use crate::checks::check_support::{check_support, refuse_calls};
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::atomic::Scope;
use crate::contract::builtin::{Axis, DeviceBuiltin, FenceScope, LaneOperation, PRINT, ShuffleMode};
use crate::contract::fast::FastFunction;
use crate::contract::kernel::KernelSet;
use crate::contract::math::{MathFunction, Width};
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Context, Error, Result};
use crate::llvm::{
    Attribute, Builder, FileKind, Function, IntPredicate, Machine, Module, Opcode, OptLevel, Ordering, Place, TypeKind,
    Value,
};
use crate::passes::address_space::align_memory::align_memory;
use crate::passes::address_space::compare_as_numbers::compare_as_numbers;
use crate::passes::address_space::infer_address_spaces::infer_address_spaces;
use crate::passes::address_space::place_allocas::place_allocas;
use crate::passes::address_space::place_globals::place_globals;
use crate::passes::atomics::lower_private_atomics::lower_private_atomics;
use crate::passes::builtins::link_text::link_text;
use crate::passes::builtins::lower_builtins::{define_leave, lower_builtins};
use crate::passes::calls::copy_byval::copy_byval;
use crate::passes::calls::lower_function_pointers::lower_function_pointers;
use crate::passes::calls::lower_recursion::lower_recursion;
use crate::passes::convergence::keep_exit_values::keep_exit_values;
use crate::passes::debug::keep_variables::{is_debugged, keep_variables};
use crate::passes::expand::divide_exactly::divide_exactly;
use crate::passes::expand::freeze_narrow_indices::freeze_narrow_indices;
use crate::passes::expand::hide_byte_products::hide_byte_products;
use crate::passes::expand::hide_sign_bytes::hide_sign_bytes;
use crate::passes::expand::keep_carries::keep_carries;
use crate::passes::expand::keep_product_masks::keep_product_masks;
use crate::passes::expand::keep_zero_signs::keep_zero_signs;
use crate::passes::expand::split_conditions::split_conditions;
use crate::passes::expand::split_copies::split_copies;
use crate::passes::launch::bound_threads::bound_threads;
use crate::passes::launch::launch_bounds::{LaunchBounds, max_registers};
use crate::passes::launch::launch_state::pass_launch_state;
use crate::passes::launch::lower_kernel_abi::{EntryAbi, lower_kernel_abi};
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::passes::library::lower_memory_functions::{LoweredMemops, lower_memory_functions};
use crate::passes::loops::drop_counters::drop_counters;
use crate::passes::loops::merge_exits::merge_exits;
use crate::passes::panic::hoist_checks::hoist_checks;
use crate::passes::panic::join_checks::join_checks;
use crate::passes::panic::leave_as_waves::{Waves, leave_as_waves};
use crate::passes::panic::lift_checks::lift_checks;
use crate::passes::panic::merge_panics::merge_reports;
use crate::passes::panic::require_lanes::require_lanes;
use crate::passes::pass::pass;
use crate::system::tool::Tools;
use std::path::PathBuf;

/// The target.
pub(super) struct Amdgpu;

const TRIPLE: &str = triples::AMD;

/// `AMDGPUAS` in LLVM's `AMDGPUAddrSpace.h`.
const ADDRESS_SPACES: AddressSpaceMap = AddressSpaceMap {
    generic: 0,
    global: 1,
    shared: 3,
    constant: 4,
    private: 5,
    alloca: 5,
    kernel_argument: 4,
    flat: &[1, 4],
};

/// `CallingConv::AMDGPU_KERNEL`.
const AMDGPU_KERNEL: u32 = 91;
/// `AMDHSA_COV5`, and `AMDHSA_COV6`, which generic archs need and older loaders refuse. Kernels have the same arguments
/// in both.
const CODE_OBJECT_VERSIONS: [u64; 2] = [500, 600];
/// The intrinsic that ends a wave.
const END: &str = "llvm.amdgcn.endpgm";
/// The intrinsic that returns the lanes for which a condition holds.
const BALLOT: &str = "llvm.amdgcn.ballot";
static WAVES: Waves = Waves {
    end: END,
    ballot: BALLOT,
    shared: &[
        "llvm.amdgcn.workgroup.id.",
        "llvm.amdgcn.implicitarg.ptr",
        "llvm.amdgcn.ballot",
        "llvm.amdgcn.readfirstlane",
    ],
};
/// The least number of checks whose code a table must save. The loop of a table has masks of lanes here.
const CHECKS_OF_A_TABLE: usize = 4;
/// The back end expands these into loops over single bytes.
const LOWERED_MEMOPS: LoweredMemops = &["memset"];
/// The size of the widest load and store in bytes.
const WIDEST_COPY: u64 = 16;

/// LLVM can also expand sine, cosine and power of `f32`, but the results are wrong for large arguments.
static ABILITIES: Abilities = Abilities {
    math: |name, ty| match name {
        "exp" | "exp2" | "exp10" | "log" | "log2" | "log10" => ty != TypeKind::Double,
        _ => matches!(name, "canonicalize" | "lrint" | "llrint" | "lround" | "llround"),
    },
    wide_conversions: true,
    intrinsics: "amdgcn",
};

/// Intrinsics, without `llvm.` and their types, that this back end alone does not compile.
const UNCOMPILED: &[&str] = &["arithmetic.fence"];

/// The entry points of kernels.
static ENTRY_ABI: EntryAbi = EntryAbi {
    calling_convention: AMDGPU_KERNEL,
    in_memory: "byref",
    words_in_struct: false,
    smallest: 0,
    widest_integer: 128,
    copies: false,
    protected: true,
    attributes: &[("amdgpu-flat-work-group-size", "1,1024"), ("uniform-work-group-size", "true")],
    address_spaces: &ADDRESS_SPACES,
};

/// The archs whose machine code the emulator knows.
/// The feature without `v_dot4` and its like.
const WITHOUT_BYTE_SUMS: &str = "-dot7-insts";

static EMULATED: &[&str] = &["gfx90a", "gfx1100", "gfx1101", "gfx1102", "gfx1103"];

static FACTS: TargetFacts = TargetFacts {
    name: "amdgpu",
    triple: TRIPLE,
    archs: &archs::NAMES,
    address_spaces: ADDRESS_SPACES,
    intrinsics: ABILITIES.intrinsics,
    stack: Stack::Fixed,
    kernel_convention: Some(AMDGPU_KERNEL),
    joins: true,
    exports_variables: true,
    separate_process: false,
    emulator: Some(Emulator { library: "libamdhip64.so", device: "hip", archs: EMULATED }),
    debugger: Some("rocgdb"),
};

impl Target for Amdgpu {
    fn facts(&self) -> &'static TargetFacts {
        &FACTS
    }

    fn processor(&self, arch: &str) -> Option<Processor> {
        let (cpu, features) = archs::parse(arch)?;
        let features: Vec<String> = features.iter().map(|(name, sign)| format!("{sign}{name}")).collect();
        Some(Processor { triple: TRIPLE, cpu: cpu.to_owned(), features: features.join(",") })
    }

    fn choose(&self, arch: &mut Arch, options: &TargetOptions, _tools: &Tools) -> std::result::Result<(), String> {
        if options.math.library == MathLibrary::Vendor && ocml::find(options).is_none() {
            let name = &arch.name;
            return Err(format!(
                "AMD's math functions for `{name}` need ocml; name the folder of ROCm with `--rocm-path`"
            ));
        }
        Ok(())
    }

    fn math_body(&self, function: &MathFunction, width: Width, options: &TargetOptions) -> MathBody {
        ocml::body(function, width, options)
    }

    fn fast_body(&self, function: FastFunction, _processor: &Processor) -> FastBody {
        ocml::fast_body(function)
    }

    fn vendor_math(&self, options: &TargetOptions) -> Option<PathBuf> {
        ocml::find(options)
    }

    fn link_vendor_math(&self, module: &Module<'_>, job: &DeviceJob<'_>, symbols: &[String]) -> Result<()> {
        ocml::link(module, &job.arch.options, &job.arch.processor.cpu, symbols)
    }

    /// The generic archs, and those of GPUs for computing that no generic arch covers.
    fn portable(&self) -> &'static [&'static str] {
        &archs::PORTABLE
    }

    fn warp_size(&self, arch: &Arch) -> Option<u32> {
        Some(if arch.has_llvm_feature("wavefrontsize64") { 64 } else { 32 })
    }

    fn has_common(&self, name: &str, arch: &Arch) -> bool {
        name != "f16" || arch.has_llvm_feature("16-bit-insts")
    }

    fn arch_number(&self, cpu: &str) -> u32 {
        archs::number(cpu)
    }

    fn limits(&self, arch: &Arch) -> Limits {
        let lanes = self.warp_size(arch).unwrap_or(64);
        Limits {
            shared_bytes: archs::shared_bytes(&arch.processor.cpu),
            local_bytes: archs::scratch_bytes(&arch.processor.cpu) / u64::from(lanes),
            ..Limits::default()
        }
    }

    fn validate(&self, module: &Module<'_>, kernels: &KernelSet, limits: &Limits, _: Runtime) -> Vec<Diagnostic> {
        let refuse = |i| gpu::refuse(module, i, &ABILITIES).or_else(|| refuse_calls(i, UNCOMPILED));
        let mut found = check_support(module, kernels, &refuse);
        found.extend(check_statics(module, Relocations::Any));
        found.extend(check_shared_size(module, kernels, limits.shared_bytes));
        found.extend(check_locals(module, kernels, Code::MemoryLimit, limits.local_bytes));
        found
    }

    fn flavor(&self, module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()> {
        let passes = job.passes;
        // Nothing on the device detects a stack overflow, in which a thread would overwrite another one's stack. So the
        // back end must know the stack size of every call.
        pass!(passes, lower_function_pointers(module))?;
        pass!(passes, lower_recursion(module, job.kernels, job.arch.options.stack_bytes()))?;
        if is_debugged(module, job.level) {
            pass!(passes, keep_variables(module))?;
        }
        pass!(passes, set_code_object_version(module, &job.arch.processor.cpu))?;
        pass!(passes, require_lanes(module, job.kernels)?)?;
        pass!(passes, lower_memory_functions(module, LOWERED_MEMOPS)?)?;
        pass!(passes, link_text(module, PRINT, include_str!("amdgpu/print_text.ll"))?)?;
        pass!(
            passes,
            lower_builtins(module, &|module, builtin, builder, parameters| {
                Lowering { module, builder, parameters, job }.builtin(builtin)
            })?
        )?;
        // All lanes of the wave end. A launch in which a thread panics fails as a whole.
        pass!(passes, define_leave(module, END))?;
        pass!(passes, pass_launch_state(module, job.kernels, ADDRESS_SPACES.shared))?;
        pass!(passes, bound_threads(module, job.kernels, false))?;
        pass!(passes, drop_counters(module))?;
        pass!(passes, hoist_checks(module, job.level, BALLOT))?;
        // A kernel that calls a function sets up a stack, and keeps the numbers of its block for the function.
        pass!(passes, merge_reports(module, true))?;
        pass!(passes, join_checks(module, job.kernels, CHECKS_OF_A_TABLE))?;
        pass!(passes, lift_checks(module))?;
        let entries = pass!(passes, lower_kernel_abi(module, job.kernels, &ENTRY_ABI, job.has_slots())?)?;
        pass!(passes, bound_launches(module, job.kernels, &job.arch.processor.cpu))?;
        pass!(passes, place_globals(module, &ADDRESS_SPACES, Role::Constant))?;
        pass!(passes, copy_byval(module, &entries.functions))?;
        pass!(passes, place_allocas(module, &ADDRESS_SPACES))?;
        pass!(passes, infer_address_spaces(module, &ADDRESS_SPACES, &entries))
    }

    /// LLVM's pipelines end with `amdgpu-attributor`, but for the one of the lowest level. Without it, a kernel has all
    /// 17 scalar registers with inputs, and its descriptor may ask for 16.
    fn pipeline(&self, level: OptLevel) -> String {
        let more = if level == OptLevel::O0 { ",amdgpu-attributor" } else { "" };
        gpu::pipeline(level) + more
    }

    fn scope(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::Device => "agent",
            Scope::Warp => "wavefront",
            scope => scope.neutral(),
        }
    }

    fn codegen_level(&self, level: OptLevel) -> u32 {
        gpu::codegen_level(level)
    }

    fn finish(&self, module: &Module<'_>, job: &DeviceJob<'_>, machine: &Machine) -> Result<()> {
        pass!(job.passes, compare_as_numbers(module, &ADDRESS_SPACES))?;
        pass!(job.passes, lower_private_atomics(module, &ADDRESS_SPACES))?;
        pass!(job.passes, align_memory(module, &ADDRESS_SPACES, false))?;
        pass!(job.passes, split_copies(module, LOWERED_MEMOPS, WIDEST_COPY))?;
        pass!(job.passes, split_conditions(module))?;
        pass!(job.passes, keep_zero_signs(module))?;
        pass!(job.passes, divide_exactly(module))?;
        pass!(job.passes, keep_carries(module, machine))?;
        pass!(job.passes, keep_product_masks(module))?;
        pass!(job.passes, hide_byte_products(module, machine.features(), WITHOUT_BYTE_SUMS))?;
        pass!(job.passes, hide_sign_bytes(module))?;
        pass!(job.passes, freeze_narrow_indices(module))?;
        pass!(job.passes, merge_exits(module))?;
        let lanes = self.warp_size(job.arch).unwrap_or(32);
        pass!(job.passes, leave_as_waves(module, &WAVES, lanes))?;
        pass!(job.passes, keep_exit_values(module, machine))
    }

    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        Ok(forget_constants(machine.emit(module, FileKind::Object)?, machine))
    }

    fn assemble(&self, text: Vec<u8>, machine: &Machine, _tools: &Tools) -> Result<Vec<u8>> {
        Ok(forget_constants(machine.assemble(&text)?, machine))
    }

    fn join(&self, parts: &[Vec<u8>], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
        join::objects(parts, job)
    }

    fn image(&self, code: Vec<u8>, job: &DeviceJob<'_>) -> Result<DeviceOutput> {
        let bytes = link(&code, job)?;
        let arch = archs::canonical(&job.arch.name);
        let image = Image { kind: ImageKind::Object, triple: TRIPLE.to_owned(), arch, strings: Vec::new(), bytes };
        Ok(DeviceOutput { images: vec![image], ..DeviceOutput::default() })
    }

    fn resources(&self, image: &ImageView<'_>, _tools: &Tools) -> Result<Vec<Resources>> {
        Ok(metadata::resources(&image.bytes))
    }
}

/// Sets the version of the code object that the arch needs.
fn set_code_object_version(module: &Module<'_>, cpu: &str) {
    module.set_flag("amdhsa_code_object_version", CODE_OBJECT_VERSIONS[usize::from(cpu.ends_with("-generic"))]);
}

/// Adds the attributes for the launch bounds of each entry point.
fn bound_launches(module: &Module<'_>, kernels: &KernelSet, cpu: &str) {
    kernels.functions(module).for_each(|entry| bound_launches_of(entry, cpu));
}

fn bound_launches_of(entry: Function<'_>, cpu: &str) {
    let bounds = LaunchBounds::of(entry);
    let set = |name: &str, value: String| {
        entry.add_attribute(Place::Function, &Attribute::Text(name.to_owned(), value));
    };
    if let Some(count) = max_registers(entry) {
        set("amdgpu-num-vgpr", count);
    }
    let most = bounds.most_threads();
    if most == 0 {
        return;
    }
    // No `reqd_work_group_size`: AMD's driver launches blocks of another shape, too.
    set("amdgpu-flat-work-group-size", format!("1,{most}"));
    if bounds.blocks != 0 {
        let wave = if archs::number(cpu) & 0xffff < 0x1000 { 64 } else { 32 };
        let waves = bounds.blocks * most.div_ceil(wave);
        set("amdgpu-waves-per-eu", waves.div_ceil(UNITS).clamp(1, MOST_WAVES).to_string());
    }
}

/// The number of units of a compute unit that execute waves.
const UNITS: u32 = 4;
/// The number of waves that a unit of every arch can hold.
const MOST_WAVES: u32 = 8;

/// Builds the body of a builtin.
struct Lowering<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    parameters: &'a [Value<'c>],
    job: &'a DeviceJob<'a>,
}

impl<'c> Lowering<'_, 'c> {
    fn builtin(&self, builtin: DeviceBuiltin) -> Result<Option<Value<'c>>> {
        let of_axis = |name: &str, axis: Axis| Some(self.call(&format!("llvm.amdgcn.{name}.{}", axis.letter()), &[]));
        Ok(match builtin {
            DeviceBuiltin::ThreadId(axis) => of_axis("workitem.id", axis),
            DeviceBuiltin::BlockId(axis) => of_axis("workgroup.id", axis),
            DeviceBuiltin::BlockDim(axis) => Some(self.implicit(implicit_arguments::group_size(axis))),
            DeviceBuiltin::GridDim(axis) => Some(self.implicit(implicit_arguments::block_count(axis))),
            DeviceBuiltin::LaneId => Some(self.lane_id()),
            DeviceBuiltin::LaneCount => Some(self.call("llvm.amdgcn.wavefrontsize", &[])),
            DeviceBuiltin::SyncThreads => self.barrier(),
            DeviceBuiltin::Fence(scope) => {
                let scope = match scope {
                    FenceScope::Block => "workgroup",
                    FenceScope::Device => "agent",
                    FenceScope::System => "",
                };
                self.fence(Ordering::SequentiallyConsistent, scope)
            }
            DeviceBuiltin::Lanes(operation) => self.lanes(operation)?,
            DeviceBuiltin::DynamicShared => Some(gpu::dynamic_shared(self.module, &ADDRESS_SPACES)),
            DeviceBuiltin::DynamicSharedSize => Some(self.implicit(implicit_arguments::DYNAMIC_LDS_SIZE)),
        })
    }

    fn lanes(&self, operation: LaneOperation) -> Result<Option<Value<'c>>> {
        let (mask, operands) = match self.parameters {
            [mask, operands @ ..] if operation.is_masked() => (Some(*mask), operands),
            operands => (None, operands),
        };
        Ok(match operation {
            LaneOperation::Shuffle(mode, _) => Some(self.shuffle(mode, mask, operands[0], operands[1])?),
            LaneOperation::Ballot(_) => Some(self.vote(mask, operands[0])),
            LaneOperation::Any(_) => Some(self.is_not_zero(self.vote(mask, operands[0]))),
            LaneOperation::All(_) => {
                let one = operands[0].ty().constant(1);
                let not = self.vote(mask, self.builder.binary(Opcode::Xor, operands[0], one, ""));
                Some(self.builder.icmp(IntPredicate::Eq, not, not.ty().zero(), ""))
            }
            LaneOperation::ActiveMask => Some(self.ballot(self.module.types().i1().constant(1))),
            LaneOperation::SyncWarp => self.sync_warp(),
        })
    }

    fn call(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        self.builder.call(self.module.intrinsic(name, &[]), arguments, "")
    }

    fn i32(&self, value: u64) -> Value<'c> {
        self.module.types().i32().constant(value)
    }

    fn implicit(&self, argument: ImplicitArgument) -> Value<'c> {
        argument.load(self.module, self.builder, self.call("llvm.amdgcn.implicitarg.ptr", &[]))
    }

    /// The number of lanes of the wave with a lower number.
    fn lane_id(&self) -> Value<'c> {
        let all = self.i32(0xffff_ffff);
        let low = self.call("llvm.amdgcn.mbcnt.lo", &[all, self.i32(0)]);
        self.call("llvm.amdgcn.mbcnt.hi", &[all, low])
    }

    fn fence(&self, ordering: Ordering, scope: &str) -> Option<Value<'c>> {
        self.builder.fence(ordering, scope);
        None
    }

    /// Writes before the barrier are visible to all threads of the block after it.
    fn barrier(&self) -> Option<Value<'c>> {
        self.fence(Ordering::Release, "workgroup");
        self.call("llvm.amdgcn.s.barrier", &[]);
        self.fence(Ordering::Acquire, "workgroup")
    }

    fn ballot(&self, condition: Value<'c>) -> Value<'c> {
        let i64 = self.module.types().i64();
        self.builder.call(self.module.intrinsic(BALLOT, &[i64]), &[condition], "")
    }

    /// The lanes for which a condition holds. If there is a mask, it restricts them to its lanes, which are all active
    /// (`require_lanes`).
    fn vote(&self, mask: Option<Value<'c>>, condition: Value<'c>) -> Value<'c> {
        let ballot = self.ballot(condition);
        mask.map_or(ballot, |mask| self.builder.binary(Opcode::And, ballot, mask, ""))
    }

    fn is_not_zero(&self, value: Value<'c>) -> Value<'c> {
        self.builder.icmp(IntPredicate::Ne, value, value.ty().zero(), "")
    }

    /// The lanes of a wave run in lockstep, so a write of one lane is visible to the others if the compiler moves no
    /// access across this.
    fn sync_warp(&self) -> Option<Value<'c>> {
        self.fence(Ordering::Release, "wavefront");
        self.call("llvm.amdgcn.wave.barrier", &[]);
        self.fence(Ordering::Acquire, "wavefront")
    }

    /// The value of another lane. Lane numbers wrap around. If the distance leads out of the wave, or the mask lacks
    /// the other lane, the result is the lane's own value.
    fn shuffle(
        &self,
        mode: ShuffleMode,
        mask: Option<Value<'c>>,
        value: Value<'c>,
        operand: Value<'c>,
    ) -> Result<Value<'c>> {
        if self.job.arch.processor.cpu.starts_with("gfx7") {
            return Err(Error::new(format!("`{}` cannot move values between lanes", self.job.arch.name)));
        }
        let builder = self.builder;
        let count = self.call("llvm.amdgcn.wavefrontsize", &[]);
        let binary = |opcode, left, right| builder.binary(opcode, left, right, "");
        let own = self.lane_id();
        let last = binary(Opcode::Sub, count, self.i32(1));
        // Distances are modulo the number of lanes, as on hardware that only reads their low bits.
        let operand = binary(Opcode::And, operand, last);
        let inside_or_own = |lane, predicate, limit| {
            let inside = builder.icmp(predicate, lane, limit, "");
            builder.select(inside, lane, own, "")
        };
        let lane = match mode {
            ShuffleMode::Index => operand,
            ShuffleMode::Xor => binary(Opcode::Xor, own, operand),
            ShuffleMode::Up => inside_or_own(binary(Opcode::Sub, own, operand), IntPredicate::Ule, own),
            ShuffleMode::Down => inside_or_own(binary(Opcode::Add, own, operand), IntPredicate::Ule, last),
        };
        let address = binary(Opcode::Shl, lane, self.i32(2));
        let other = self.call("llvm.amdgcn.ds.bpermute", &[address, value]);
        let Some(mask) = mask else { return Ok(other) };
        let bit = binary(Opcode::LShr, mask, builder.cast(Opcode::ZExt, lane, mask.ty(), ""));
        let named = builder.cast(Opcode::Trunc, bit, mask.types().i1(), "named");
        Ok(builder.select(named, other, value, ""))
    }
}

/// Links a relocatable object into a code object; empty if tools are only shown.
fn link(code: &[u8], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
    let scratch = Scratch::new()?;
    let (from, to) = (scratch.file_with("device.o", code)?, scratch.file("device.out"));
    let options = ["-shared", "--no-undefined", "-o"].map(AsRef::as_ref);
    let arguments = options.into_iter().chain([to.as_os_str(), from.as_os_str()]);
    let ran = job.tools.link(arguments);
    let ran = ran.with_context(|| format!("cannot link the code object for `{}`", job.arch.name))?;
    if ran { scratch::read(&to) } else { Ok(Vec::new()) }
}
