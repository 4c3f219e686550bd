//! Tests of the CPU target without the driver: small neutral modules are compiled into objects, which a C program with
//! the actual scheduler runs.
//!
//! Each C program computes the expected result itself, one thread after another, and returns the number of errors.

use std::process::Command;

use offloadc::bundle::Runtime;
use offloadc::contract::kernel::{Form, FoundBy, Kernel, KernelSet, Parameter, ParameterKind};
use offloadc::contract::panic_table::{DevicePanic, PanicCounts, PanicTable};
use offloadc::llvm::{Context, Machine, Module, OptLevel};
use offloadc::passes::panic::report_masks::report_masks;
use offloadc::passes::pass::Passes;
use offloadc::system::tool::Tools;
use offloadc::targets::{DeviceJob, DeviceOutput, Share, lookup};

use harness::run;

pub(crate) const HASH: &str = "0123456789abcdef";
pub(crate) const LEVELS: [OptLevel; 3] = [OptLevel::O0, OptLevel::O2, OptLevel::O3];

/// A kernel whose parameters have these kinds, sizes and alignments.
pub(crate) fn kernel(name: &str, rows: &[(ParameterKind, u32, u32)]) -> Kernel {
    let mut parameters: Vec<Parameter> = Vec::new();
    for &(kind, size, align) in rows {
        let end = parameters.last().map_or(0, |p| p.offset + p.size);
        parameters.push(Parameter { offset: end.next_multiple_of(align), size, align, kind, extent: None });
    }
    let form = match rows {
        [(ParameterKind::Block, size, align)] => Form::Block { size: *size, align: *align },
        _ => Form::Plain,
    };
    let name = name.to_owned();
    Kernel { symbol: name.clone(), display: name.clone(), name, form, parameters, found_by: FoundBy::Section }
}

pub(crate) struct Compiled {
    pub(crate) product: DeviceOutput,
    /// The module after optimisation.
    pub(crate) optimized: String,
}

pub(crate) fn compile(
    text: &str,
    kernels: &[Kernel],
    level: OptLevel,
    arch: &str,
    runtime: Runtime,
) -> Result<Compiled, String> {
    compile_warps(text, kernels, level, arch, runtime, None)
}

/// The same with this number of lanes in a warp, or with the default.
pub(crate) fn compile_warps(
    text: &str,
    kernels: &[Kernel],
    level: OptLevel,
    arch: &str,
    runtime: Runtime,
    lanes: Option<u32>,
) -> Result<Compiled, String> {
    let mut arch = lookup(arch).map_err(|e| format!("{e:?}"))?;
    arch.options.cpu.cpu_warp_size = lanes;
    let kernels = KernelSet::from(kernels.to_vec());
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "test").expect("the test's IR is valid");
    if let Some(first) = arch.target.validate(&module, &kernels, &arch.limits(), runtime).first() {
        return Err(first.message.clone());
    }
    let mut panics = PanicTable::default();
    let _masked = report_masks(&module, &kernels, DevicePanic::Trap, &mut panics);
    let (target, processor) = (arch.target, &arch.processor);
    let machine = Machine::new(target.triple(), &processor.cpu, &processor.features, level.codegen(), true)
        .expect("this LLVM has the back end");
    module.set_machine(&machine);
    let tools = Tools::new(harness::llvm_tool("ld.lld"), None);
    let passes = Passes::default();
    let device = DeviceJob {
        arch: &arch,
        kernels: &kernels,
        before: PanicCounts::default(),
        runtime,
        hash: HASH,
        level,
        share: Share::Whole,
        standalone: false,
        libraries: &[],
        plugins: &[],
        tools: &tools,
        passes: &passes,
    };
    target.flavor(&module, &device).map_err(|e| e.to_string())?;
    module.verify().unwrap_or_else(|e| panic!("after flavor: {e}\n{}", module.text()));
    module.run_passes(&target.pipeline(level), &machine).expect("LLVM knows the pipeline");
    target.finish(&module, &device, &machine).map_err(|e| e.to_string())?;
    module.verify().unwrap_or_else(|e| panic!("after finish: {e}\n{}", module.text()));
    let optimized = module.text();
    let code = target.codegen(&module, &machine).map_err(|e| e.to_string())?;
    let product = target.image(code, &device).map_err(|e| e.to_string())?;
    Ok(Compiled { product, optimized })
}

/// The start of every C program.
pub(crate) const PRELUDE: &str = r#"
#include "drivers/cpu_scheduler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ENTRY(name) void name(const struct offload_cpu_block *, const unsigned char *) \
  __asm__("__offload_cpu" LEVEL ".0123456789abcdef." #name)
#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); wrong++; } } while (0)
#define RUN(name, gx, gy, gz, bx, by, bz, dynamic, arguments) \
  CHECK(offload_cpu_run(name, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, name##_shared, dynamic, \
                        (const unsigned char *)(arguments), NULL) == 0)
static int wrong;
"#;

/// Compiles at every level, links with `program` and the scheduler, and runs the program.
pub(crate) fn check(text: &str, kernels: &[Kernel], program: &str) {
    check_warps(text, kernels, program, None);
}

/// The same with this number of lanes in a warp, or with the default. It is `LANES` in the program.
pub(crate) fn check_warps(text: &str, kernels: &[Kernel], program: &str, lanes: Option<u32>) {
    check_at(&LEVELS, text, kernels, program, lanes);
}

/// The same at some levels.
pub(crate) fn check_at(levels: &[OptLevel], text: &str, kernels: &[Kernel], program: &str, lanes: Option<u32>) {
    check_for(("cpu", ""), levels, text, kernels, program, lanes);
}

/// The same for an arch of this machine, with the part of its symbols that names the level of x86-64.
pub(crate) fn check_for(
    (arch, symbols): (&str, &str),
    levels: &[OptLevel],
    text: &str,
    kernels: &[Kernel],
    program: &str,
    lanes: Option<u32>,
) {
    let program = format!("enum {{ LANES = {} }};\n{program}", lanes.unwrap_or(32));
    for level in levels.iter().copied() {
        let compiled = compile_warps(text, kernels, level, arch, Runtime::Offloadrt, lanes);
        let compiled = compiled.expect("the kernel compiles");
        let folder = harness::scratch();
        let file = |name: &str| folder.path().join(name);
        let shared = kernels.iter().zip(&compiled.product.shared_bytes);
        let shared: String = shared.map(|(k, n)| format!("enum {{ {}_shared = {n} }};\n", k.name)).collect();
        std::fs::write(file("main.c"), format!("#define LEVEL {symbols:?}\n{PRELUDE}{shared}{program}"))
            .expect("the folder is ours");
        let code = &compiled.product.host_code.as_ref().expect("the cpu gives host code").object;
        std::fs::write(file("kernel.o"), code).expect("the folder is ours");
        let runtime = harness::root().join("runtime-c");
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Werror", "-pthread", "-I"]).arg(&runtime);
        cc.arg(file("main.c"))
            .arg(file("kernel.o"))
            .args(["scheduler", "chunks", "stack"].map(|name| runtime.join(format!("drivers/cpu_{name}.c"))));
        run(cc.arg("-lm").arg("-o").arg(file("program"))).success();
        let outcome = run(&mut Command::new(file("program")));
        assert_eq!(outcome.code(), 0, "at {level:?}:\n{}\n{}", outcome.report(), compiled.optimized);
    }
}

/// Declarations that the tests' modules need.
pub(crate) const BUILTINS: &str = "
declare i32 @__offload_thread_id_x() memory(none)
declare i32 @__offload_thread_id_y() memory(none)
declare i32 @__offload_thread_id_z() memory(none)
declare i32 @__offload_block_id_x() memory(none)
declare i32 @__offload_block_id_y() memory(none)
declare i32 @__offload_block_id_z() memory(none)
declare i32 @__offload_block_dim_x() memory(none)
declare i32 @__offload_block_dim_y() memory(none)
declare i32 @__offload_block_dim_z() memory(none)
declare i32 @__offload_grid_dim_x() memory(none)
declare i32 @__offload_grid_dim_y() memory(none)
declare i32 @__offload_grid_dim_z() memory(none)
declare i32 @__offload_lane_id()
declare i32 @__offload_lane_count()
declare i32 @__offload_shuffle(i32, i32) convergent
declare i32 @__offload_shuffle_xor(i32, i32) convergent
declare i32 @__offload_shuffle_up(i32, i32) convergent
declare i32 @__offload_shuffle_down(i32, i32) convergent
declare i64 @__offload_ballot(i1) convergent
declare i1 @__offload_any(i1) convergent
declare i1 @__offload_all(i1) convergent
declare i64 @__offload_active_mask() convergent
declare i32 @__offload_shuffle_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_up_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_down_sync(i64, i32, i32) convergent
declare i64 @__offload_ballot_sync(i64, i1) convergent
declare i1 @__offload_any_sync(i64, i1) convergent
declare i1 @__offload_all_sync(i64, i1) convergent
declare void @__offload_sync_warp(i64) convergent
declare void @__offload_fence_device()
declare void @__offload_sync_threads() convergent
declare ptr @__offload_dynamic_shared() memory(none)
";

pub(crate) fn module(text: &str) -> String {
    format!("{BUILTINS}{text}")
}
