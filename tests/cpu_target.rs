//! The cpu target by hand: small neutral modules become objects, which a C program with the real scheduler runs.
//!
//! Each C program computes the expected result itself, one thread after another, and returns how much is wrong.

mod harness;

use harness::run;
use offloadc::bundle::{ImageKind, Runtime};
use offloadc::kernel::{Form, FoundBy, Kernel, Parameter, ParameterKind};
use offloadc::llvm::{Context, Machine, Module, OptLevel};
use offloadc::targets::{Device, Product, lookup};
use offloadc::tool::Tools;
use std::process::Command;

use ParameterKind::{Block, Pointer, Value};

const HASH: &str = "0123456789abcdef";
const LEVELS: [OptLevel; 3] = [OptLevel::O0, OptLevel::O2, OptLevel::O3];

/// A kernel whose parameters have these kinds, sizes and alignments.
fn kernel(name: &str, rows: &[(ParameterKind, u32, u32)]) -> Kernel {
    let mut parameters: Vec<Parameter> = Vec::new();
    for &(kind, size, align) in rows {
        let end = parameters.last().map_or(0, |p| p.offset + p.size);
        parameters.push(Parameter { offset: end.next_multiple_of(align), size, align, kind });
    }
    let form = match rows {
        [(Block, size, align)] => Form::Block { size: *size, align: *align },
        _ => Form::Plain,
    };
    let name = name.to_owned();
    Kernel { symbol: name.clone(), display: name.clone(), name, form, parameters, found_by: FoundBy::Section }
}

struct Compiled {
    product: Product,
    /// The module after optimisation.
    optimized: String,
}

fn compile(text: &str, kernels: &[Kernel], level: OptLevel, arch: &str, runtime: Runtime) -> Result<Compiled, String> {
    let arch = lookup(arch).map_err(|e| format!("{e:?}"))?;
    let kernels = kernels.to_vec();
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "test").expect("the test's IR is valid");
    if let Some(first) = arch.target.validate(&module, &kernels).first() {
        return Err(first.message.clone());
    }
    let (target, processor) = (arch.target, &arch.processor);
    let machine = Machine::new(target.triple(), &processor.cpu, &processor.features, level.codegen(), true)
        .expect("this LLVM has the back end");
    module.set_machine(&machine);
    let tools = Tools::new(harness::llvm_tool("ld.lld"), None);
    let device = Device { arch: &arch, kernels: &kernels, runtime, hash: HASH, level, tools: &tools };
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

/// What every C program starts with.
const PRELUDE: &str = r#"
#include "drivers/cpu_scheduler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ENTRY(name) void name(const struct offload_cpu_block *, const unsigned char *) \
  __asm__("__offload_cpu.0123456789abcdef." #name)
#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); wrong++; } } while (0)
#define RUN(name, gx, gy, gz, bx, by, bz, dynamic, arguments) \
  CHECK(offload_cpu_run(name, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, name##_shared, dynamic, \
                        (const unsigned char *)(arguments)) == 0)
static int wrong;
"#;

/// Compiles at every level, links with `program` and the scheduler, and runs.
fn check(text: &str, kernels: &[Kernel], program: &str) {
    for level in LEVELS {
        let compiled = compile(text, kernels, level, "cpu", Runtime::Offloadrt).expect("the kernel compiles");
        let folder = harness::scratch();
        let file = |name: &str| folder.path().join(name);
        let shared = kernels.iter().zip(&compiled.product.shared_bytes);
        let shared: String = shared.map(|(k, n)| format!("enum {{ {}_shared = {n} }};\n", k.name)).collect();
        std::fs::write(file("main.c"), format!("{PRELUDE}{shared}{program}")).expect("the folder is ours");
        let code = compiled.product.host_code.as_deref().expect("the cpu gives host code");
        std::fs::write(file("kernel.o"), code).expect("the folder is ours");
        let runtime = harness::root().join("runtime-c");
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Werror", "-pthread", "-I"]).arg(&runtime);
        cc.arg(file("main.c")).arg(file("kernel.o")).arg(runtime.join("drivers/cpu_scheduler.c"));
        run(cc.arg("-lm").arg("-o").arg(file("program"))).success();
        let outcome = run(&mut Command::new(file("program")));
        assert_eq!(outcome.code(), 0, "at {level:?}:\n{}\n{}", outcome.report(), compiled.optimized);
    }
}

/// Declarations that the tests' modules need.
const BUILTINS: &str = "
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
declare i64 @__offload_ballot(i1) convergent
declare i1 @__offload_any(i1) convergent
declare void @__offload_fence_device()
declare void @__offload_sync_threads() convergent
declare ptr @__offload_dynamic_shared() memory(none)
";

fn module(text: &str) -> String {
    format!("{BUILTINS}{text}")
}

const SAXPY: &str = "
define void @saxpy(i32 %n, float %a, ptr %x, ptr %y) {
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %t = call i32 @__offload_thread_id_x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %c = icmp ult i32 %i, %n
  br i1 %c, label %in, label %out
in:
  %j = zext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %j
  %py = getelementptr inbounds float, ptr %y, i64 %j
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %p = fmul float %vx, %a
  %s = fadd float %p, %vy
  store float %s, ptr %py, align 4
  br label %out
out:
  ret void
}";

fn saxpy() -> Kernel {
    kernel("saxpy", &[(Value, 4, 4), (Value, 4, 4), (Pointer, 8, 8), (Pointer, 8, 8)])
}

#[test]
fn saxpy_over_several_blocks() {
    let program = r#"
ENTRY(saxpy);
int main(void) {
  enum { N = 1000 };
  static float x[N + 100], y[N + 100];
  for (int i = 0; i < N + 100; i++) x[i] = i, y[i] = 2 * i + 1;
  struct { uint32_t n; float a; float *x, *y; } arguments = {N, 3, x, y};
  RUN(saxpy, 9, 1, 1, 128, 1, 1, 0, &arguments);
  for (int i = 0; i < N + 100; i++) CHECK(y[i] == (i < N ? 3 * x[i] : 0) + 2 * i + 1);
  return wrong;
}"#;
    check(&module(SAXPY), &[saxpy()], program);
}

#[test]
fn the_product_is_what_the_bundle_expects() {
    let compiled = compile(&module(SAXPY), &[saxpy()], OptLevel::O2, "cpu", Runtime::Offloadrt).expect("it compiles");
    let [image] = &compiled.product.images[..] else { panic!("one image") };
    assert_eq!((image.kind, image.triple.as_str()), (ImageKind::None, "x86_64-unknown-linux-gnu"));
    assert_eq!((image.arch.as_str(), image.bytes.len()), ("cpu", 0));
    assert_eq!(compiled.product.shared_bytes, [0]);
    let code = compiled.product.host_code.expect("the cpu gives host code");
    let elf = goblin::elf::Elf::parse(&code).expect("it is an object");
    assert_eq!(elf.header.e_type, goblin::elf::header::ET_REL);
    let globals: Vec<_> = elf.syms.iter().filter(|s| s.st_bind() != goblin::elf::sym::STB_LOCAL).collect();
    let names: Vec<_> = globals.iter().filter_map(|s| elf.strtab.get_at(s.st_name)).collect();
    assert_eq!(names, ["__offload_cpu.0123456789abcdef.saxpy"]);
    assert_eq!(globals[0].st_visibility(), goblin::elf::sym::STV_HIDDEN);
}

#[test]
fn a_grid_in_three_dimensions() {
    let kernel_text = "
define internal i32 @ordinal(i32 %i, i32 %d, i32 %rest) noinline memory(none) {
  %m = mul i32 %rest, %d
  %s = add i32 %m, %i
  ret i32 %s
}
define internal i32 @bump(i32 %v) noinline memory(none) {
  %x = call i32 @__offload_thread_id_x()
  %s = add i32 %v, %x
  ret i32 %s
}
define void @grid(ptr %out) {
  %tx = call i32 @__offload_thread_id_x()
  %ty = call i32 @__offload_thread_id_y()
  %tz = call i32 @__offload_thread_id_z()
  %bx = call i32 @__offload_block_id_x()
  %by = call i32 @__offload_block_id_y()
  %bz = call i32 @__offload_block_id_z()
  %dx = call i32 @__offload_block_dim_x()
  %dy = call i32 @__offload_block_dim_y()
  %dz = call i32 @__offload_block_dim_z()
  %gx = call i32 @__offload_grid_dim_x()
  %gy = call i32 @__offload_grid_dim_y()
  %o1 = call i32 @ordinal(i32 %by, i32 %gy, i32 %bz)
  %o2 = call i32 @ordinal(i32 %bx, i32 %gx, i32 %o1)
  %o3 = call i32 @ordinal(i32 %tz, i32 %dz, i32 %o2)
  %o4 = call i32 @ordinal(i32 %ty, i32 %dy, i32 %o3)
  %o5 = call i32 @ordinal(i32 %tx, i32 %dx, i32 %o4)
  %j = zext i32 %o5 to i64
  %p = getelementptr i32, ptr %out, i64 %j
  %gz = call i32 @__offload_grid_dim_z()
  %v = mul i32 %o5, %gz
  %w = call i32 @bump(i32 %v)
  store i32 %w, ptr %p
  ret void
}";
    let program = r#"
ENTRY(grid);
int main(void) {
  static int out[2 * 3 * 4 * 5 * 6 * 7];
  int *arguments = out;
  RUN(grid, 2, 3, 4, 5, 6, 7, 0, &arguments);
  for (int i = 0; i < 2 * 3 * 4 * 5 * 6 * 7; i++) CHECK(out[i] == i * 4 + i % 5);
  return wrong;
}"#;
    check(&module(kernel_text), &[kernel("grid", &[(Pointer, 8, 8)])], program);
}
