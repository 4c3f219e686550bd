//! SPIR-V kernels for OpenCL and Level Zero, from LLVM's own back end.
//!
//! The version is 1.2, which OpenCL 2.2 supports, or 1.3 for kernels with cross-lane operations. The driver compiles
//! the module again, so it is simplified here, but neither vectorised nor unrolled.
//!
//! Pointers of the host are in address space 0, which is a thread's private memory in SPIR-V, so every pointer is first
//! retyped to generic. If LLVM's back end aborts on a construct, or translates it wrongly, it is refused (`refuse.rs`)
//! or rewritten (`legal.rs`).
//!
//! The parameters of kernels are those of the parameter table, each an argument of its size. A kernel that uses
//! launch-sized shared memory has one more, a pointer to workgroup memory.
//!
//! There is no trap in SPIR-V. A thread that panics stores to address 0, which ends the program on devices that protect
//! memory, and returns from the kernel.

mod assembler;
mod atomics;
mod builtins;
mod calls;
mod composites;
mod lanes;
mod legal;
mod library;
mod loops;
mod print;
mod products;
mod refuse;
mod results;
mod statics;
mod types;
mod validator;
mod words;

use self::builtins::{BARRIER, EXITS, inline_into_kernels, pass_dynamic_shared};
use self::lanes::number_threads;
use self::legal::{erase_fixed_hints, make_legal};
use self::print::{define_print, hide_print};
use self::products::fuse_products;
use super::gpu;
use super::{Arch, Contract, DeviceJob, DeviceOutput, Limits, Processor, Stack, Target, TargetFacts, TargetOptions};
use crate::bundle::{Image, ImageKind, Runtime};
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::atomic::Scope;
use crate::contract::fast::FastFunction;
use crate::contract::kernel::KernelSet;
use crate::contract::math::{MathFunction, Native, Width};
use crate::contract::triples;
use crate::diagnostics::Diagnostic;
use crate::error::Result;
use crate::llvm::{FileKind, Machine, Module, OptLevel};
use crate::passes::address_space::compare_as_numbers::compare_as_numbers;
use crate::passes::address_space::infer_address_spaces::infer_address_spaces;
use crate::passes::address_space::place_allocas::place_allocas;
use crate::passes::address_space::place_globals::place_globals;
use crate::passes::address_space::retype_pointers::retype_pointers;
use crate::passes::atomics::drop_compiler_fences::drop_compiler_fences;
use crate::passes::atomics::lower_private_atomics::lower_private_atomics;
use crate::passes::builtins::lower_builtins::lower_builtins;
use crate::passes::calls::lower_function_pointers::lower_function_pointers;
use crate::passes::calls::lower_recursion::lower_recursion;
use crate::passes::expand::widen_signs::widen_signs;
use crate::passes::launch::launch_bounds::LaunchBounds;
use crate::passes::launch::lower_kernel_abi::{EntryAbi, lower_kernel_abi};
use crate::passes::library::lower_fast_functions::FastBody;
use crate::passes::library::lower_math::MathBody;
use crate::passes::library::lower_memory_functions::{LoweredMemops, lower_memory_functions};
use crate::passes::panic::leave_after_barriers::leave_after_barriers;
use crate::passes::panic::require_lanes::require_lanes;
use crate::passes::pass::pass;
use crate::system::tool::Tools;

/// The target.
pub(super) struct Spirv;

/// The triple of images. LLVM's also has the version.
const IMAGE_TRIPLE: &str = triples::SPIRV;
const TRIPLE: &str = triples::SPIRV_1_2;
/// The first version with cross-lane operations.
const TRIPLE_WITH_LANES: &str = triples::SPIRV_1_3;

/// LLVM's numbers of SPIR-V's storage classes (`SPIRVUtils.h`): Function 0, CrossWorkgroup 1, Workgroup 3, Generic 4.
///
/// Constants are CrossWorkgroup, because a pointer to UniformConstant, 2, cannot be cast to generic. The bytes of an
/// argument are a copy that belongs to the thread.
const ADDRESS_SPACES: AddressSpaceMap = AddressSpaceMap {
    generic: 4,
    global: 1,
    shared: 3,
    constant: 1,
    private: 0,
    alloca: 0,
    kernel_argument: 0,
    flat: &[1],
};

static ARCHS: &[&str] = &["spirv64"];

/// SPIR-V's copies must not overlap, and it has no fills.
const LOWERED_MEMOPS: LoweredMemops = &["memmove", "memset"];
/// The size of the widest load and store of a copy in bytes. Vectors have been split before.
const WIDEST_COPY: u64 = 8;

/// `CallingConv::SPIR_FUNC`.
const SPIR_FUNC: u32 = 75;
/// `CallingConv::SPIR_KERNEL`.
const SPIR_KERNEL: u32 = 76;

/// The entry points of kernels.
static ENTRY_ABI: EntryAbi = EntryAbi {
    calling_convention: SPIR_KERNEL,
    in_memory: "byval",
    words_in_struct: true,
    smallest: 1,
    widest_integer: 64,
    copies: true,
    protected: false,
    attributes: &[],
    address_spaces: &ADDRESS_SPACES,
};

static FACTS: TargetFacts = TargetFacts {
    name: "spirv",
    triple: TRIPLE,
    archs: ARCHS,
    address_spaces: ADDRESS_SPACES,
    intrinsics: "spv",
    stack: Stack::Fixed,
    kernel_convention: Some(SPIR_KERNEL),
    joins: false,
    exports_variables: false,
    separate_process: true,
    emulator: None,
    debugger: None,
};

impl Target for Spirv {
    fn facts(&self) -> &'static TargetFacts {
        &FACTS
    }

    fn processor(&self, arch: &str) -> Option<Processor> {
        ARCHS.contains(&arch).then(|| Processor { triple: TRIPLE, cpu: String::new(), features: String::new() })
    }

    fn portable(&self) -> &'static [&'static str] {
        ARCHS
    }

    /// A device need not have floats of 16 and 64 bits, and chooses how many lanes its subgroups have.
    fn has_common(&self, _name: &str, _arch: &Arch) -> bool {
        false
    }

    fn implies(&self, _cpu: &str, name: &str) -> Option<bool> {
        ARCHS.contains(&name).then_some(true)
    }

    fn fast_body(&self, function: FastFunction, _processor: &Processor) -> FastBody {
        library::fast_body(function)
    }

    fn math_body(&self, function: &MathFunction, width: Width, _options: &TargetOptions) -> MathBody {
        library::body(function, width)
    }

    fn lacks_intrinsic(&self, name: &str, _cpu: &str) -> bool {
        refuse::lacks(name)
    }

    fn has_math(&self, native: Native, _processor: &Processor) -> bool {
        // OpenCL does not specify the order of zeros, and has no other minimum and maximum.
        !matches!(native, Native::Nowhere | Native::OrderedZeros | Native::Compared)
    }

    fn validate(&self, module: &Module<'_>, kernels: &KernelSet, _: &Limits, _: Runtime) -> Vec<Diagnostic> {
        let own = module.duplicate();
        lower_function_pointers(&own);
        refuse::refuse(&own, kernels)
    }

    fn flavor(&self, module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()> {
        let DeviceJob { passes, kernels, .. } = *job;
        if job.arch.options.math.contract() == Contract::Fast {
            pass!(passes, allow_contraction(module))?;
        }
        pass!(passes, strip_debug(module))?;
        pass!(passes, lower_function_pointers(module))?;
        pass!(passes, lower_recursion(module, kernels, job.arch.options.stack_bytes()))?;
        pass!(passes, scalarize_masked_accesses(module)?)?;
        pass!(passes, require_lanes(module, kernels)?)?;
        pass!(passes, drop_compiler_fences(module))?;
        pass!(passes, erase_fixed_hints(module))?;
        pass!(passes, lower_memory_functions(module, LOWERED_MEMOPS)?)?;
        pass!(passes, hide_print(module))?;
        pass!(passes, lower_builtins(module, &|m, builtin, b, p| Ok(builtins::lower(m, builtin, b, p)))?)?;
        pass!(passes, inline_into_kernels(module, kernels)?)?;
        pass!(passes, number_threads(module, kernels))?;
        pass!(passes, leave_after_barriers(module, kernels, BARRIER, &EXITS))?;
        pass!(passes, retype_pointers(module, &ADDRESS_SPACES))?;
        let entries = pass!(passes, lower_kernel_abi(module, kernels, &ENTRY_ABI, job.has_slots())?)?;
        pass!(passes, bound_launches(module, kernels))?;
        pass!(passes, place_globals(module, &ADDRESS_SPACES, Role::Constant))?;
        pass!(passes, place_allocas(module, &ADDRESS_SPACES))?;
        pass!(passes, infer_address_spaces(module, &ADDRESS_SPACES, &entries))?;
        pass!(passes, pass_dynamic_shared(module, kernels))?;
        pass!(passes, set_conventions(module))
    }

    fn scope(&self, scope: Scope) -> &'static str {
        match scope {
            // OpenCL has no scope of a single thread, and a scope of a subgroup only on devices with subgroups.
            Scope::Warp | Scope::Thread => Scope::Block.neutral(),
            scope => scope.neutral(),
        }
    }

    fn pipeline(&self, level: OptLevel) -> String {
        let Some(simplified) = level.simplification() else { return gpu::pipeline(level) };
        format!("always-inline,function(infer-address-spaces),{simplified},function(infer-address-spaces),globaldce")
    }

    fn codegen_level(&self, level: OptLevel) -> u32 {
        gpu::codegen_level(level)
    }

    fn finish(&self, module: &Module<'_>, job: &DeviceJob<'_>, machine: &Machine) -> Result<()> {
        if job.arch.options.math.contract() != Contract::Fast {
            pass!(job.passes, fuse_products(module))?;
        }
        pass!(job.passes, compare_as_numbers(module, &ADDRESS_SPACES))?;
        pass!(job.passes, lower_private_atomics(module, &ADDRESS_SPACES))?;
        pass!(job.passes, widen_signs(module))?;
        make_legal(job.passes, module, machine)?;
        pass!(job.passes, define_print(module)?)
    }

    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        emit(module, machine, FileKind::Object)
    }

    fn assembly(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        let code = emit(&module.duplicate(), machine, FileKind::Object)?;
        assembler::with_head(&code, emit(module, machine, FileKind::Assembly)?)
    }

    fn assemble(&self, text: Vec<u8>, _machine: &Machine, tools: &Tools) -> Result<Vec<u8>> {
        assembler::assemble(&text, tools)
    }

    fn image(&self, code: Vec<u8>, job: &DeviceJob<'_>) -> Result<DeviceOutput> {
        validator::validate(&code, job.kernels)?;
        let (triple, arch) = (IMAGE_TRIPLE.to_owned(), job.arch.name.clone());
        // Flushing of subnormals cannot be expressed in instructions, so it is an option for the driver's compiler.
        let flush = job.arch.options.math.ftz.then(|| ("options".to_owned(), "-cl-denorms-are-zero".to_owned()));
        let lanes = lanes::uses_lanes(&code).then(|| ("uses-lanes".to_owned(), "yes".to_owned()));
        let numbered = lanes.as_ref().map(|_| ("kernels-with-lanes".to_owned(), lanes::kernels_with_lanes(&code)));
        let strings = flush.into_iter().chain(lanes).chain(numbered).collect();
        let image = Image { kind: ImageKind::Spirv, triple, arch, strings, bytes: code };
        Ok(DeviceOutput { images: vec![image], ..DeviceOutput::default() })
    }
}

/// Allows contraction. Otherwise LLVM's back end marks the code so that the driver must not contract operations.
fn allow_contraction(module: &Module<'_>) {
    module.add_named_metadata("opencl.enable.FP_CONTRACT");
}

/// Strips debug information: LLVM's back end does not write line tables for kernels.
fn strip_debug(module: &Module<'_>) {
    module.strip_debug();
}

/// Expands masked accesses. The types in their names fix the address space of pointers.
fn scalarize_masked_accesses(module: &Module<'_>) -> Result<()> {
    if module.functions().iter().any(|f| f.name().starts_with("llvm.masked.")) {
        module.run_neutral_passes("function(scalarize-masked-mem-intrin)")?;
    }
    Ok(())
}

/// Adds the required block size to each entry point, unless the runtime launches it with one row for each block.
fn bound_launches(module: &Module<'_>, kernels: &KernelSet) {
    let with_lanes = builtins::reaching_lanes(module);
    for entry in kernels.functions(module) {
        let size = LaunchBounds::of(entry).size;
        let has_rows = size[1] > 1 || size[2] > 1;
        if size != [0; 3] && !(has_rows && with_lanes.contains(&entry)) {
            entry.set_metadata_numbers("reqd_work_group_size", &size);
        }
    }
}

/// Emits code for the module's SPIR-V version.
fn emit(module: &Module<'_>, machine: &Machine, kind: FileKind) -> Result<Vec<u8>> {
    let triple = if builtins::exchanges_between_lanes(module) { TRIPLE_WITH_LANES } else { TRIPLE };
    // Above level 0, blocks are merged and emptied, so that a loop's hint could be before a switch.
    let level = if loops::are_left_whole(module) { 0 } else { 1 };
    if (triple, level) == (TRIPLE, 1) {
        return machine.emit(module, kind);
    }
    let other = Machine::new(triple, "", "", level, true)?.without_workarounds(machine.without());
    let other = other.in_separate_process(FACTS.separate_process);
    module.set_machine(&other);
    other.emit(module, kind)
}

/// Sets the calling convention of SPIR-V functions for everything but kernels.
fn set_conventions(module: &Module<'_>) {
    let with_lanes = builtins::reaching_lanes(module);
    for function in module.functions().into_iter().filter(|f| !f.is_intrinsic()) {
        match function.calling_convention() {
            // Intel's compiler for CPUs vectorises over threads, and compiles some kernels wrongly. It does not
            // vectorise kernels with the vector type hint; for other drivers the hint has no effect. But its subgroups
            // need vectorisation, so kernels with cross-lane operations have no such hint.
            SPIR_KERNEL if with_lanes.contains(&function) => {}
            SPIR_KERNEL => function.hint_vectors(),
            _ => function.set_calling_convention(SPIR_FUNC),
        }
        for call in function.instructions().filter(|i| i.is_call()) {
            if call.called_function().is_some_and(|callee| !callee.is_intrinsic()) {
                call.set_calling_convention(SPIR_FUNC);
            }
        }
    }
}
