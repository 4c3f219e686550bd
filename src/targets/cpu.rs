//! The host's own processor as a device: x86-64 or aarch64 code that executes the whole grid.
//!
//! A kernel becomes an *entry* that runs every thread of one block; the scheduler in `runtime-c` calls it once for each
//! block. A kernel without barriers is a loop over the block's threads. A kernel with barriers is split at them into
//! regions, and each region is such a loop. If the kernel contains cross-lane operations, the block is executed warp by
//! warp. See `struct offload_cpu_block` in `runtime-c/offloadrt.h`.

mod abi;
mod count_lines;
mod entries;
mod levels;
mod misfits;
pub(super) mod options;
mod shared;
mod thread;
mod variables;

use crate::bundle::{Image, ImageKind, Runtime};
use crate::contract::address_space::AddressSpaceMap;
use crate::contract::atomic::Scope;
use crate::contract::checker::is_instrumented;
use crate::contract::kernel::KernelSet;
use crate::contract::math::Native;
use crate::contract::platform::Platform;
use crate::contract::profile::is_profiled;
use crate::diagnostics::Diagnostic;
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, FileKind, Machine, Module, Opcode, OptLevel, Ordering, Place, Value};
use crate::passes::builtins::link_text::link_text;
use crate::passes::builtins::lower_builtins::lower_builtins;
use crate::passes::debug::keep_variables::{is_debugged, keep_variables};
use crate::passes::debug::locate_glue::locate_glue;
use crate::passes::expand::hide_low_bytes::hide_low_bytes;
use crate::passes::expand::narrow_word_products::narrow_word_products;
use crate::passes::host::define_host_builtins::PRINT_TEXT;
use crate::passes::panic::hoist_checks::hoist_checks;
use crate::passes::pass::{Passes, pass};
use crate::system::tool::Tools;

use super::{
    Arch, CpuVectorize, DeviceJob, DeviceOutput, HostCode, Limits, PROGRAM, Processor, Stack, Target, TargetFacts, join,
};
use crate::contract::builtin::{CONSTANT_SECTION, DeviceBuiltin, FenceScope, LaneOperation, PRINT, STATIC_SECTION};
use crate::spmd::{
    Reason, VectorOptions, When, convert_phis_to_selects, guard_loop_iterations, hoist_position, hoist_uniform_loads,
    inline_marked, inline_stops, internalize_kernels, keep_mask_panic, link_warp, mark_block_atomics, mark_inlined,
    promote_slots, refusals, relax_block_atomics, release_mask_panic, scan_in_one_pass, speculate_stores,
    split_regions, split_row_ranges, stops, unroll_inner_loops, vectorize, version_low_bits, version_trip_counts,
    version_uniform_branches,
};
use abi::checker::announce_variables;
use abi::host_calls::call_host_directly;
use abi::own_calls::{bound_code, check_callees};
use abi::{omptarget, standalone};
use count_lines::count_lines;
use entries::emit_entries;
use levels::{LEVELS, level, own_level};
use shared::{SharedLayout, keep_shared_bytes, shared_bytes};
use thread::pass_thread;
use variables::show_position;

/// The platform of a host that the user does not name.
const DEFAULT: Platform = Platform::X86_64;

/// One address space for all memory.
const ADDRESS_SPACES: AddressSpaceMap = AddressSpaceMap {
    generic: 0,
    global: 0,
    shared: 0,
    constant: 0,
    private: 0,
    alloca: 0,
    kernel_argument: 0,
    flat: &[0],
};

/// The archs with these levels.
const NAMES: [&str; 4] = ["cpu", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"];

/// The arch that the runtime says of the processor, and the name of the highest level of this machine.
pub const OWN_PROCESSOR: (&str, &str) = ("cpu", "cpu:native");

/// Other names than `cpu`, for `--print-targets`.
const VARIANTS: &[(&str, &str)] = &[
    (NAMES[1], "processors since 2009 (SSE4.2)"),
    (NAMES[2], "processors since 2013 (AVX2, FMA)"),
    (NAMES[3], "processors with AVX-512"),
    (OWN_PROCESSOR.1, "the highest of these levels that this machine has"),
    ("cpu:all", "cpu, cpu:x86-64-v3 and cpu:x86-64-v4; the runtime picks one"),
];

/// The target.
pub(super) struct Cpu;

static FACTS: TargetFacts = TargetFacts {
    name: "cpu",
    triple: DEFAULT.triple(),
    archs: &["cpu"],
    address_spaces: ADDRESS_SPACES,
    intrinsics: "",
    stack: Stack::Host,
    kernel_convention: None,
    joins: true,
    exports_variables: false,
    separate_process: false,
    emulator: None,
    debugger: None,
};

impl Target for Cpu {
    fn facts(&self) -> &'static TargetFacts {
        &FACTS
    }

    fn processor(&self, arch: &str) -> Option<Processor> {
        let cpu = match arch.split_once(':') {
            None => (arch == NAMES[0]).then_some(LEVELS[0]),
            Some((name, level)) => LEVELS.into_iter().find(|l| name == NAMES[0] && *l == level),
        };
        Some(Processor { triple: FACTS.triple, cpu: cpu?.to_owned(), features: String::new() })
    }

    fn expand(&self, name: &str) -> Option<Vec<&'static str>> {
        match name {
            "cpu:x86-64" => Some(vec![NAMES[0]]),
            "cpu:all" => Some(vec![NAMES[0], NAMES[2], NAMES[3]]),
            "cpu:native" => Some(vec![NAMES[own_level() - 1]]),
            _ => None,
        }
    }

    fn warp_size(&self, arch: &Arch) -> Option<u32> {
        Some(arch.options.cpu_warp_size())
    }

    fn has_common(&self, name: &str, arch: &Arch) -> bool {
        match name {
            "f64" => true,
            "subgroups" => arch.options.cpu_warp_size() > 1,
            _ => arch.has_llvm_feature("fullfp16") || arch.has_llvm_feature("avx512fp16"),
        }
    }

    fn levels(&self) -> &'static [&'static str] {
        &LEVELS
    }

    /// A level of x86-64 contains the lower ones.
    fn implies(&self, cpu: &str, name: &str) -> Option<bool> {
        if FACTS.archs.contains(&name) {
            return Some(true);
        }
        let place = |name: &str| LEVELS.iter().position(|level| *level == name);
        Some(place(cpu) >= Some(place(name)?))
    }

    fn portable(&self) -> &'static [&'static str] {
        FACTS.archs
    }

    fn variants(&self) -> &'static [(&'static str, &'static str)] {
        VARIANTS
    }

    fn settle(&self, arch: &mut Arch, platform: Platform, runtime: Runtime) -> Result<()> {
        if platform == DEFAULT {
            return Ok(());
        }
        let (name, program) = (&arch.name, platform.name());
        if arch.processor.cpu != LEVELS[0] || *name != FACTS.name {
            return Err(Error::new(format!(
                "`{name}` is a processor of x86-64, and the program is for {program}: name `{}`",
                FACTS.name
            )));
        }
        if runtime == Runtime::Omptarget {
            return Err(Error::new(format!(
                "the image for libomptarget is for x86-64 Linux, and the program is for {program}: omit \
                 `--runtime=omptarget`"
            )));
        }
        arch.processor.triple = platform.triple();
        platform.baseline().clone_into(&mut arch.processor.cpu);
        Ok(())
    }

    fn has_math(&self, native: Native, processor: &Processor) -> bool {
        let level = LEVELS.iter().position(|level| *level == processor.cpu);
        match native {
            Native::Nowhere | Native::OrderedZeros => false,
            Native::Everywhere | Native::Compared => true,
            // SSE4.1 is part of the second level, FMA of the third. Every aarch64 processor has both.
            Native::Rounding => level.is_none_or(|level| level >= 1),
            Native::Fused => level.is_none_or(|level| level >= 2),
        }
    }

    fn validate(&self, module: &Module<'_>, kernels: &KernelSet, limits: &Limits, _: Runtime) -> Vec<Diagnostic> {
        misfits::check(module, kernels, limits)
    }

    fn flavor(&self, module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()> {
        let DeviceJob { passes, kernels, level, .. } = *job;
        let processor = &job.arch.processor;
        let machine = Machine::new(processor.triple, &processor.cpu, &processor.features, 0, true)?;
        pass!(passes, check_callees(module))?;
        if is_profiled(module) {
            pass!(passes, count_lines(module, kernels))?;
        }
        pass!(passes, keep_mask_panic(module))?;
        let lanes = job.arch.options.cpu_warp_size();
        let has_stops = pass!(passes, inline_stops(module, kernels, lanes > 1, &machine)?)?;
        // Unless the checker looks at the steps.
        if level != OptLevel::O0 && !is_instrumented(module) {
            pass!(passes, scan_in_one_pass(module, kernels))?;
        }
        pass!(passes, mark_block_atomics(module))?;
        let layout = SharedLayout::new(module, kernels);
        let position = pass!(passes, pass_thread(module, kernels, &layout, lanes)?)?;
        if is_debugged(module, level) {
            pass!(passes, locate_glue(module, kernels))?;
            pass!(passes, show_position(module, kernels))?;
        }
        let is_fast = matches!(level, OptLevel::O2 | OptLevel::O3) && !is_instrumented(module);
        if is_fast && job.arch.options.cpu_vectorize() != CpuVectorize::Never {
            pass!(passes, mark_inlined(module, kernels))?;
        }
        if has_stops || level != OptLevel::O0 {
            pass!(passes, inline_marked(module, &machine)?)?;
        }
        if !is_instrumented(module) && level != OptLevel::O0 {
            if is_fast {
                pass!(passes, unroll_inner_loops(module, lanes, &machine)?)?;
            }
            pass!(passes, hoist_checks(module, level, ""))?;
        }
        if lanes > 1 && stops::are_called(module) {
            pass!(passes, link_warp(module)?)?;
        }
        pass!(passes, call_host_directly(module))?;
        if is_debugged(module, level) {
            pass!(passes, keep_variables(module))?;
        }
        make_entries(passes, module, job, &layout, position, &machine)?;
        pass!(passes, relax_block_atomics(module))?;
        pass!(passes, release_mask_panic(module))?;
        pass!(passes, link_text(module, PRINT, PRINT_TEXT)?)?;
        pass!(
            passes,
            lower_builtins(module, &|module, builtin, builder, parameters| {
                lower_builtin(module, builtin, builder, parameters, lanes)
            })?
        )?;
        pass!(passes, drop_convergent_attributes(module))?;
        pass!(passes, clear_sections(module))?;
        pass!(passes, probe_stacks(module))?;
        pass!(passes, keep_shared_bytes(module, &layout.bytes))?;
        pass!(passes, drop_unused(module, has_stops, &machine)?)?;
        pass!(passes, announce_variables(module))
    }

    fn scope(&self, scope: Scope) -> &'static str {
        match scope {
            // One thread of the host runs a block.
            Scope::Block | Scope::Warp | Scope::Thread => Scope::Thread.neutral(),
            Scope::System | Scope::Device => Scope::System.neutral(),
        }
    }

    fn finish(&self, module: &Module<'_>, job: &DeviceJob<'_>, _machine: &Machine) -> Result<()> {
        if Platform::of(job.arch.processor.triple) == Some(Platform::X86_64) {
            pass!(job.passes, narrow_word_products(module))?;
            pass!(job.passes, hide_low_bytes(module))?;
        }
        pass!(job.passes, bound_code(module))
    }

    fn codegen(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        machine.emit(module, FileKind::Object)
    }

    /// The text does not show for which platform it is.
    fn assembly(&self, module: &Module<'_>, machine: &Machine) -> Result<Vec<u8>> {
        let mut text = machine.emit(module, FileKind::Assembly)?;
        text.extend(format!("{PROGRAM}{}\n", machine.triple()).bytes());
        Ok(text)
    }

    /// LLVM tunes code for the lowest level as it does for no level in particular, which decides the lengths of the
    /// instructions without effect.
    fn assemble(&self, text: Vec<u8>, machine: &Machine, _tools: &Tools) -> Result<Vec<u8>> {
        let tuned = if machine.cpu() == Platform::X86_64.baseline() { "generic" } else { machine.cpu() };
        Machine::new(&machine.triple(), tuned, machine.features(), 0, true)?.assemble(&text)
    }

    fn join(&self, parts: &[Vec<u8>], job: &DeviceJob<'_>) -> Result<Vec<u8>> {
        join::objects(parts, job)
    }

    fn image(&self, code: Vec<u8>, job: &DeviceJob<'_>) -> Result<DeviceOutput> {
        let shared_bytes = shared_bytes(&code)?;
        let (arch, triple) = (job.arch.name.clone(), job.arch.processor.triple.to_owned());
        let strings = vec![("warp_size".to_owned(), job.arch.options.cpu_warp_size().to_string())];
        let image = |kind, bytes| Image { kind, triple, arch, strings, bytes };
        if job.runtime == Runtime::Omptarget {
            let images = vec![image(ImageKind::Object, omptarget::link(&code, job)?)];
            return Ok(DeviceOutput { images, host_code: None, shared_bytes });
        }
        if job.standalone {
            let images = vec![image(ImageKind::Object, standalone::link(&code, job)?)];
            return Ok(DeviceOutput { images, host_code: None, shared_bytes });
        }
        let image = image(ImageKind::None, Vec::new());
        let host_code = Some(HostCode { level: level(&job.arch.processor), object: code });
        Ok(DeviceOutput { images: vec![image], host_code, shared_bytes })
    }
}

/// The passes that make the code of a thread into loops over the threads of a block.
fn make_entries<'c>(
    passes: &Passes,
    module: &Module<'c>,
    job: &DeviceJob<'_>,
    layout: &SharedLayout<'c>,
    position: Option<Value<'c>>,
    machine: &Machine,
) -> Result<()> {
    let (kernels, lanes) = (job.kernels, job.arch.options.cpu_warp_size());
    let optimize = !matches!(job.level, OptLevel::O0 | OptLevel::Oz) && !is_instrumented(module);
    pass!(passes, internalize_kernels(module, kernels)?)?;
    if optimize {
        pass!(passes, hoist_position(module, machine)?)?;
        pass!(passes, convert_phis_to_selects(module, machine)?)?;
    }
    let has_versions = optimize && position.is_none();
    pass!(passes, split_regions(module, lanes, has_versions)?)?;
    if has_versions {
        pass!(passes, promote_slots(module, machine)?)?;
        pass!(passes, hoist_uniform_loads(module)?)?;
        pass!(passes, speculate_stores(module)?)?;
        pass!(passes, version_uniform_branches(module, machine)?)?;
        pass!(passes, version_low_bits(module)?)?;
        pass!(passes, version_trip_counts(module)?)?;
        pass!(passes, guard_loop_iterations(module)?)?;
        pass!(passes, split_row_ranges(module, machine)?)?;
        pass!(passes, vectorize(module, kernels, passes, options(job))?)?;
    } else {
        let reason = if optimize { Reason::ThroughPointers } else { Reason::NotOptimized };
        passes.remark(|| refusals(module, kernels, &reason));
    }
    pass!(passes, emit_entries(module, job, layout, position)?)
}

/// When threads are vectorised.
fn when(option: CpuVectorize) -> When {
    match option {
        CpuVectorize::Auto => When::Auto,
        CpuVectorize::Always => When::Always,
        CpuVectorize::Never => When::Never("--cpu-vectorize=never"),
    }
}

/// The options of the vectoriser for a job.
fn options(job: &DeviceJob<'_>) -> VectorOptions {
    // The third level of x86-64 has vectors of 256 bits, and the fourth one those of 512 bits, and scatters.
    let (when, level) = (when(job.arch.options.cpu_vectorize()), level(&job.arch.processor));
    let unrolls = matches!(job.level, OptLevel::O2 | OptLevel::O3);
    let large_warps = "--cpu-warp-size=32";
    VectorOptions {
        when,
        large_warps,
        long_vectors: level >= 3,
        unrolls,
        scatters: level >= 4,
        promised: 0,
        of_warp: false,
    }
}

/// Removes code that is not reached any more, and the empty blocks that are left by a split at stops.
fn drop_unused(module: &Module<'_>, stops: bool, machine: &Machine) -> Result<()> {
    module.run_passes(if stops { "function(simplifycfg,dce),globaldce" } else { "globaldce" }, machine)
}

/// Builtins that do not depend on the thread's position. Cross-lane operations remain only if a warp has one thread.
fn lower_builtin<'c>(
    module: &Module<'c>,
    builtin: DeviceBuiltin,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
    lanes: u32,
) -> Result<Option<Value<'c>>> {
    let int = |bits: u32, value: u64| module.types().int(bits).constant(value);
    Ok(match builtin {
        DeviceBuiltin::LaneId => Some(int(32, 0)),
        DeviceBuiltin::LaneCount => Some(int(32, lanes.into())),
        DeviceBuiltin::Fence(scope) => {
            let scope = if scope == FenceScope::Block { Scope::Thread } else { Scope::System };
            builder.fence(Ordering::SequentiallyConsistent, scope.neutral());
            None
        }
        DeviceBuiltin::Lanes(operation) => {
            // The operand follows the mask, if there is one.
            let value = || parameters[usize::from(operation.is_masked())];
            match operation {
                LaneOperation::Shuffle(..) | LaneOperation::Any(_) | LaneOperation::All(_) => Some(value()),
                LaneOperation::Ballot(_) => Some(builder.cast(Opcode::ZExt, value(), module.types().i64(), "")),
                LaneOperation::ActiveMask => Some(int(64, 1)),
                LaneOperation::SyncWarp => None,
            }
        }
        DeviceBuiltin::ThreadId(_)
        | DeviceBuiltin::BlockId(_)
        | DeviceBuiltin::BlockDim(_)
        | DeviceBuiltin::GridDim(_)
        | DeviceBuiltin::DynamicShared
        | DeviceBuiltin::DynamicSharedSize
        | DeviceBuiltin::SyncThreads => {
            let name = builtin.symbol();
            return Err(Error::internal(format!("`{name}` is still called where the entries of kernels are complete")));
        }
    })
}

/// The threads of a block run one after another, so code may be duplicated and moved as in any program.
fn drop_convergent_attributes(module: &Module<'_>) {
    for function in module.functions() {
        function.remove_attribute(Place::Function, "convergent");
        for call in function.instructions().filter(|i| i.is_call()) {
            call.remove_attribute(Place::Function, "convergent");
            if call.keeps_whole() {
                call.erase();
            }
        }
    }
}

/// Constant memory and a device's statics are ordinary memory, and must not be in sections of the host.
fn clear_sections(module: &Module<'_>) {
    let claimed = |v: &Value<'_>| [CONSTANT_SECTION, STATIC_SECTION].contains(&v.section().as_str());
    for variable in module.variables().into_iter().filter(claimed) {
        variable.set_section("");
    }
}

/// Probes each page of a frame in order, as rustc does on the host. A frame larger than a page could otherwise reach
/// beyond the guard page of a stack into other memory.
fn probe_stacks(module: &Module<'_>) {
    let inline = Attribute::Text("probe-stack".to_owned(), "inline-asm".to_owned());
    for function in module.definitions() {
        function.add_attribute(Place::Function, &inline);
    }
}
