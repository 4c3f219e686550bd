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

#[test]
fn every_form_of_parameter() {
    let text = "
%pair = type { i64, i64 }
%odd = type { double, float }
define void @plain(i1 %flag, i8 %small, i16 %short, double %d, %pair %slice, %odd %three, ptr byval([40 x i8]) align 8 %large, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %j = zext i32 %t to i64
  ; The thread's own copy: adds to its first word, which another thread must not see.
  %l0 = load i64, ptr %large
  %l0n = add i64 %l0, %j
  store i64 %l0n, ptr %large
  %l4p = getelementptr i8, ptr %large, i64 32
  %l4 = load i64, ptr %l4p
  %l0again = load i64, ptr %large
  %a = zext i1 %flag to i64
  %b = sext i8 %small to i64
  %c = zext i16 %short to i64
  %e = fptosi double %d to i64
  %s0 = extractvalue %pair %slice, 0
  %s1 = extractvalue %pair %slice, 1
  %sp = inttoptr i64 %s0 to ptr
  %sv = load i64, ptr %sp
  %f0 = extractvalue %odd %three, 0
  %f1 = extractvalue %odd %three, 1
  %f0i = bitcast double %f0 to i64
  %f1i = fptosi float %f1 to i64
  %m1 = mul i64 %a, 2
  %m2 = add i64 %m1, %b
  %m3 = add i64 %m2, %c
  %m4 = add i64 %m3, %e
  %m5 = add i64 %m4, %sv
  %m6 = mul i64 %m5, %s1
  %m7 = add i64 %m6, %f1i
  %m8 = xor i64 %m7, %f0i
  %m9 = add i64 %m8, %l0again
  %m10 = add i64 %m9, %l4
  %p = getelementptr i64, ptr %out, i64 %j
  store i64 %m10, ptr %p
  ret void
}
define void @block(ptr noundef %arguments) {
  %t = call i32 @__offload_thread_id_x()
  %j = zext i32 %t to i64
  %out = load ptr, ptr %arguments
  %p = getelementptr i8, ptr %arguments, i64 12
  %v = load i32, ptr %p
  ; Written through the pointer: its own copy again.
  %w = add i32 %v, %t
  store i32 %w, ptr %p
  call void @spin(ptr %p)
  %x = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i64 %j
  store i32 %x, ptr %q
  ret void
}
define internal void @spin(ptr %p) noinline {
  %v = load i32, ptr %p
  %w = mul i32 %v, 3
  store i32 %w, ptr %p
  ret void
}
define void @nothing() {
  ret void
}";
    let plain = [
        (Value, 1, 1),
        (Value, 1, 1),
        (Value, 2, 2),
        (Value, 8, 8),
        (Value, 16, 8),
        (Value, 12, 4),
        (Value, 40, 8),
        (Pointer, 8, 8),
    ];
    let program = r#"
ENTRY(plain); ENTRY(block); ENTRY(nothing);
int main(void) {
  static int64_t out[64], pointee = 77;
  struct { uint8_t flag; int8_t small; uint16_t shrt; double d; int64_t *p; uint64_t n; float f[3]; int64_t large[5];
           int64_t *out; } a = {1, -5, 65535, -3.0, &pointee, 9, {1.5f, -2.25f, 42.0f}, {1000, 1, 2, 3, 4}, out};
  RUN(plain, 1, 1, 1, 64, 1, 1, 0, &a);
  int64_t bits;
  memcpy(&bits, a.f, 8);
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == ((((2 - 5 + 65535 - 3 + 77) * 9 + 42) ^ bits) + 1000 + i + 4));
  a.flag = 0;
  RUN(plain, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == ((((0 - 5 + 65535 - 3 + 77) * 9 + 42) ^ bits) + 1000 + i + 4));
  CHECK(a.large[0] == 1000);
  static int32_t out32[64];
  struct { int32_t *out; int32_t pad, v; } b = {out32, 0, 5};
  RUN(block, 1, 1, 1, 64, 1, 1, 0, &b);
  for (int i = 0; i < 64; i++) CHECK(out32[i] == (5 + i) * 3);
  CHECK(b.v == 5);
  RUN(nothing, 3, 1, 1, 64, 1, 1, 0, 0);
  return wrong;
}"#;
    let kernels = [kernel("plain", &plain), kernel("block", &[(Block, 16, 8)]), kernel("nothing", &[])];
    check(&module(text), &kernels, program);
}

/// Sums of tiles: a barrier on both sides of each step of a tree, in launch-sized shared memory.
const REDUCE: &str = "
define internal void @wait() noinline convergent {
  call void @__offload_sync_threads()
  ret void
}
define void @reduce(ptr %in, ptr %sums) convergent {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %m = mul i32 %b, %d
  %i = add i32 %m, %t
  %j = zext i32 %i to i64
  %tile = call ptr @__offload_dynamic_shared()
  %tz = zext i32 %t to i64
  %from = getelementptr i32, ptr %in, i64 %j
  %mine = getelementptr i32, ptr %tile, i64 %tz
  %v = load i32, ptr %from
  store i32 %v, ptr %mine
  call void @wait()
  %h0 = lshr i32 %d, 1
  br label %head
head:
  %half = phi i32 [ %h0, %0 ], [ %hn, %next ]
  %more = icmp ne i32 %half, 0
  br i1 %more, label %body, label %end
body:
  %low = icmp ult i32 %t, %half
  br i1 %low, label %sum, label %next
sum:
  %o = add i32 %t, %half
  %oz = zext i32 %o to i64
  %other = getelementptr i32, ptr %tile, i64 %oz
  %v1 = load i32, ptr %mine
  %v2 = load i32, ptr %other
  %s = add i32 %v1, %v2
  store i32 %s, ptr %mine
  br label %next
next:
  call void @wait()
  %hn = lshr i32 %half, 1
  br label %head
end:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %store, label %out
store:
  %bz = zext i32 %b to i64
  %to = getelementptr i32, ptr %sums, i64 %bz
  %r = load i32, ptr %tile
  store i32 %r, ptr %to
  br label %out
out:
  ret void
}";

#[test]
fn a_barrier_in_a_loop() {
    let program = r#"
ENTRY(reduce);
int main(void) {
  for (int d = 1; d <= 512; d *= 2) {
    int *in = malloc(13 * d * sizeof(int)), out[13] = {0};
    for (int i = 0; i < 13 * d; i++) in[i] = i * i;
    void *arguments[2] = {in, out};
    RUN(reduce, 13, 1, 1, d, 1, 1, d * sizeof(int), arguments);
    for (int b = 0; b < 13; b++) {
      int sum = 0;
      for (int i = 0; i < d; i++) sum += in[b * d + i];
      CHECK(out[b] == sum);
    }
    free(in);
  }
  return wrong;
}"#;
    check(&module(REDUCE), &[kernel("reduce", &[(Pointer, 8, 8), (Pointer, 8, 8)])], program);
}

#[test]
fn barriers_under_nested_uniform_control_flow() {
    // rounds[r] says how often to rotate the block's values and by how much, or to reverse them; a private array and
    // several variables live across the barriers. Two kernels share the function with the barrier.
    let text = "
@tile = internal global [256 x i32] zeroinitializer, section \".offload.shared\", align 16
@other = internal global [7 x double] zeroinitializer, section \".offload.shared\", align 8

define internal i32 @exchange(i32 %value, i32 %to, i32 %from) convergent {
  %a = zext i32 %to to i64
  %b = zext i32 %from to i64
  %pa = getelementptr [256 x i32], ptr @tile, i64 0, i64 %a
  %pb = getelementptr [256 x i32], ptr @tile, i64 0, i64 %b
  call void @__offload_sync_threads()
  store i32 %value, ptr %pa
  call void @__offload_sync_threads()
  %r = load i32, ptr %pb
  ret i32 %r
}
define void @rounds(ptr %rounds, i32 %count, ptr %io) convergent {
entry:
  %history = alloca [4 x i32], align 16
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %dx = call i32 @__offload_block_dim_x()
  %dy = call i32 @__offload_block_dim_y()
  %yr = mul i32 %y, %dx
  %t = add i32 %yr, %x
  %n = mul i32 %dx, %dy
  %tz = zext i32 %t to i64
  %p = getelementptr i32, ptr %io, i64 %tz
  %v0 = load i32, ptr %p
  store i32 %v0, ptr %history
  br label %head
head:
  %r = phi i32 [ 0, %entry ], [ %rn, %latch ]
  %v = phi i32 [ %v0, %entry ], [ %vn, %latch ]
  %go = icmp ult i32 %r, %count
  br i1 %go, label %body, label %end
body:
  %rz = zext i32 %r to i64
  %pr = getelementptr i32, ptr %rounds, i64 %rz
  %what = load i32, ptr %pr
  %positive = icmp sgt i32 %what, 0
  br i1 %positive, label %rotate, label %maybe
rotate:
  %k = phi i32 [ 0, %body ], [ %kn, %rotate ]
  %w = phi i32 [ %v, %body ], [ %wn, %rotate ]
  %to = add i32 %t, 1
  %tom = urem i32 %to, %n
  %wn = call i32 @exchange(i32 %w, i32 %tom, i32 %t)
  %kn = add i32 %k, 1
  %again = icmp slt i32 %kn, %what
  br i1 %again, label %rotate, label %latch
maybe:
  %zero = icmp eq i32 %what, 0
  br i1 %zero, label %latch, label %reverse
reverse:
  %last = sub i32 %n, 1
  %mirror = sub i32 %last, %t
  %vr = call i32 @exchange(i32 %v, i32 %mirror, i32 %t)
  br label %latch
latch:
  %vn = phi i32 [ %wn, %rotate ], [ %v, %maybe ], [ %vr, %reverse ]
  %slot = and i32 %r, 3
  %slotz = zext i32 %slot to i64
  %ph = getelementptr [4 x i32], ptr %history, i64 0, i64 %slotz
  %h = load i32, ptr %ph
  %hn = xor i32 %h, %vn
  store i32 %hn, ptr %ph
  %rn = add i32 %r, 1
  br label %head
end:
  %h0 = load i32, ptr %history
  %res0 = shl i32 %v, 16
  %h0m = and i32 %h0, 65535
  %res = or i32 %res0, %h0m
  store i32 %res, ptr %p
  ret void
}
define void @swap(ptr %io) convergent {
  %t = call i32 @__offload_thread_id_x()
  %tz = zext i32 %t to i64
  %p = getelementptr i32, ptr %io, i64 %tz
  %v = load i32, ptr %p
  store double 1.0, ptr @other
  %o = xor i32 %t, 1
  %r = call i32 @exchange(i32 %v, i32 %t, i32 %o)
  store i32 %r, ptr %p
  ret void
}";
    let program = r#"
ENTRY(rounds); ENTRY(swap);
static void expect(const int *rounds, int count, int n, const int *in, int *out) {
  int v[256], w[256], h[256];
  memcpy(v, in, sizeof v);
  memcpy(h, in, sizeof v);
  for (int r = 0; r < count; r++) {
    for (int k = 0; k < rounds[r]; k++) {
      for (int t = 0; t < n; t++) w[(t + 1) % n] = v[t];
      memcpy(v, w, sizeof v);
    }
    if (rounds[r] < 0) {
      for (int t = 0; t < n; t++) w[n - 1 - t] = v[t];
      memcpy(v, w, sizeof v);
    }
    if (r % 4 == 0) for (int t = 0; t < n; t++) h[t] ^= v[t];
  }
  for (int t = 0; t < n; t++) out[t] = v[t] << 16 | (h[t] & 65535);
}
int main(void) {
  CHECK(rounds_shared == 1024 && swap_shared == 1024 + 56);
  unsigned seed = 1;
  for (int test = 0; test < 50; test++) {
    int list[12], in[256], io[256], want[256], count = test % 13, x = 1 + test % 16, y = 1 + test % 7;
    for (int i = 0; i < 12; i++) seed = seed * 1664525 + 1013904223, list[i] = (int)(seed >> 28) % 5 - 1;
    for (int i = 0; i < 256; i++) io[i] = in[i] = i + 1;
    struct { int *list, count, *io; } a = {list, count, io};
    RUN(rounds, 1, 1, 1, x, y, 1, 0, &a);
    expect(list, count, x * y, in, want);
    for (int i = 0; i < x * y; i++) CHECK(io[i] == want[i]);
    for (int i = x * y; i < 256; i++) CHECK(io[i] == in[i]);
  }
  int io[64], *p = io;
  for (int i = 0; i < 64; i++) io[i] = i;
  RUN(swap, 1, 1, 1, 64, 1, 1, 0, &p);
  for (int i = 0; i < 64; i++) CHECK(io[i] == (i ^ 1));
  return wrong;
}"#;
    let rounds = kernel("rounds", &[(Pointer, 8, 8), (Value, 4, 4), (Pointer, 8, 8)]);
    check(&module(text), &[rounds, kernel("swap", &[(Pointer, 8, 8)])], program);
}

#[test]
fn threads_that_return_early_and_threads_apart() {
    // `early`: behind the barrier some threads return at once, the others go on without one. `apart`: threads leave a
    // loop of barriers at different times, which GPUs forbid; here those that are left go on.
    let text = "
define void @early(ptr %io) convergent {
  %t = call i32 @__offload_thread_id_x()
  %tz = zext i32 %t to i64
  %p = getelementptr i32, ptr %io, i64 %tz
  %v = load i32, ptr %p
  call void @__offload_sync_threads()
  %o = xor i32 %t, 1
  %oz = zext i32 %o to i64
  %q = getelementptr i32, ptr %io, i64 %oz
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %out, label %on
on:
  store i32 %v, ptr %q
  br label %out
out:
  ret void
}
define void @apart(ptr %io) convergent {
entry:
  %t = call i32 @__offload_thread_id_x()
  %tz = zext i32 %t to i64
  %p = getelementptr i32, ptr %io, i64 %tz
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %old = load i32, ptr %io
  call void @__offload_sync_threads()
  %new = load i32, ptr %p
  %sum = add i32 %new, 1
  store i32 %sum, ptr %p
  call void @__offload_sync_threads()
  %n = add i32 %i, 1
  %c = icmp ule i32 %n, %t
  br i1 %c, label %loop, label %out
out:
  ret void
}";
    let program = r#"
ENTRY(early); ENTRY(apart);
int main(void) {
  int io[64], *p = io;
  for (int i = 0; i < 64; i++) io[i] = i;
  RUN(early, 1, 1, 1, 64, 1, 1, 0, &p);
  for (int i = 0; i < 64; i++) CHECK(io[i] == (i | 1));
  for (int i = 0; i < 64; i++) io[i] = 0;
  RUN(apart, 1, 1, 1, 64, 1, 1, 0, &p);
  for (int i = 0; i < 64; i++) CHECK(io[i] == i + 1);
  return wrong;
}"#;
    let kernels = [kernel("early", &[(Pointer, 8, 8)]), kernel("apart", &[(Pointer, 8, 8)])];
    check(&module(text), &kernels, program);
}

#[test]
fn position_in_recursive_and_indirect_functions() {
    let text = "
@table = internal constant [2 x ptr] [ptr @once, ptr @twice]
@offset = internal global [64 x i32] zeroinitializer, section \".offload.shared\"
define internal i32 @depth(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %base, label %more
base:
  %x = call i32 @__offload_thread_id_x()
  ret i32 %x
more:
  %m = sub i32 %n, 1
  %r = call i32 @depth(i32 %m)
  %s = add i32 %r, 100
  ret i32 %s
}
define internal i32 @once(i32 %v) {
  %y = call i32 @__offload_thread_id_y()
  %s = add i32 %v, %y
  ret i32 %s
}
define internal i32 @twice(i32 %v) {
  %p = call ptr @__offload_dynamic_shared()
  %d = load i32, ptr %p
  %x = call i32 @__offload_thread_id_x()
  %s = mul i32 %v, %d
  %r = add i32 %s, %x
  ret i32 %r
}
define void @deep(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %dx = call i32 @__offload_block_dim_x()
  %yr = mul i32 %y, %dx
  %t = add i32 %yr, %x
  %tz = zext i32 %t to i64
  %shared = call ptr @__offload_dynamic_shared()
  store i32 7, ptr %shared
  %odd = and i32 %t, 1
  %oddz = zext i32 %odd to i64
  %pf = getelementptr [2 x ptr], ptr @table, i64 0, i64 %oddz
  %f = load ptr, ptr %pf
  %d = call i32 @depth(i32 %y)
  %r = call i32 %f(i32 %d)
  call void @__offload_sync_threads()
  ; The thread-local position must be right after a barrier too.
  %r2 = call i32 %f(i32 %r)
  %p = getelementptr i32, ptr %out, i64 %tz
  store i32 %r2, ptr %p
  ret void
}
define void @pointer_to_builtin(ptr %out) {
  %f = call ptr @choose()
  %v = call i32 %f()
  %vz = zext i32 %v to i64
  %p = getelementptr i32, ptr %out, i64 %vz
  store i32 %v, ptr %p
  ret void
}
define internal ptr @choose() noinline {
  ret ptr @__offload_thread_id_x
}";
    let program = r#"
ENTRY(deep); ENTRY(pointer_to_builtin);
static int f(int odd, int v, int x, int y) { return odd ? v * 7 + x : v + y; }
int main(void) {
  static int out[15 * 4], *p = out;
  RUN(deep, 1, 1, 1, 15, 4, 1, 4, &p);
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 15; x++) {
      int t = y * 15 + x, v = f(t & 1, 100 * y + x, x, y);
      CHECK(out[t] == f(t & 1, v, x, y));
    }
  memset(out, -1, sizeof out);
  RUN(pointer_to_builtin, 1, 1, 1, 60, 1, 1, 4, &p);
  for (int i = 0; i < 60; i++) CHECK(out[i] == i);
  return wrong;
}"#;
    let kernels = [kernel("deep", &[(Pointer, 8, 8)]), kernel("pointer_to_builtin", &[(Pointer, 8, 8)])];
    check(&module(text), &kernels, program);
}

#[test]
fn a_warp_is_one_thread() {
    let text = "
@constant = internal constant [3 x i64] [i64 5, i64 6, i64 7], section \".offload.constant\"
@counter = internal global i32 0
define void @lanes(ptr %out, ptr %counter) {
  %t = call i32 @__offload_thread_id_x()
  %tz = zext i32 %t to i64
  %lane = call i32 @__offload_lane_id()
  %count = call i32 @__offload_lane_count()
  %value = call i32 @__offload_shuffle(i32 %t, i32 3)
  %odd = trunc i32 %t to i1
  %ballot = call i64 @__offload_ballot(i1 %odd)
  %any = call i1 @__offload_any(i1 %odd)
  %anyz = zext i1 %any to i64
  call void @__offload_fence_device()
  %before = atomicrmw add ptr %counter, i32 1 syncscope(\"agent\") monotonic
  %own = atomicrmw add ptr @counter, i32 1 monotonic
  %third = urem i64 %tz, 3
  %pc = getelementptr [3 x i64], ptr @constant, i64 0, i64 %third
  %c = load i64, ptr %pc
  %lc = add i32 %lane, %count
  %s0 = add i32 %lc, %value
  %s1 = zext i32 %s0 to i64
  %s2 = mul i64 %ballot, 1000
  %s3 = mul i64 %anyz, 10000
  %s4 = add i64 %s1, %s2
  %s5 = add i64 %s4, %s3
  %s6 = mul i64 %c, 100000
  %s7 = add i64 %s5, %s6
  %p = getelementptr i64, ptr %out, i64 %tz
  store i64 %s7, ptr %p
  ret void
}";
    let program = r#"
ENTRY(lanes);
int main(void) {
  static int64_t out[64];
  static int counter;
  void *arguments[2] = {out, &counter};
  RUN(lanes, 100, 1, 1, 64, 1, 1, 0, arguments);
  for (int i = 0; i < 64; i++) CHECK(out[i] == 1 + i + i % 2 * 11000 + (5 + i % 3) * 100000);
  CHECK(counter == 6400);
  return wrong;
}"#;
    check(&module(text), &[kernel("lanes", &[(Pointer, 8, 8), (Pointer, 8, 8)])], program);
}

/// The first diagnostic or error of a module whose one kernel takes nothing.
fn refusal(text: &str) -> String {
    compile(&module(text), &[kernel("k", &[])], OptLevel::O2, "cpu", Runtime::Offloadrt).err().expect("it is refused")
}

#[test]
fn what_cannot_be_done_is_refused() {
    let recursive = "
define internal void @again(i32 %n) {
  call void @__offload_sync_threads()
  %m = sub i32 %n, 1
  %z = icmp eq i32 %m, 0
  br i1 %z, label %out, label %more
more:
  call void @again(i32 %m)
  br label %out
out:
  ret void
}
define void @k() {
  call void @again(i32 3)
  ret void
}";
    assert_eq!(refusal(recursive), "`again` reaches a barrier and calls itself");
    let indirect = "
@pointer = internal global ptr @waits
define internal void @waits() {
  call void @__offload_sync_threads()
  ret void
}
define void @k() {
  %f = load ptr, ptr @pointer
  call void %f()
  ret void
}";
    assert_eq!(refusal(indirect), "`waits` reaches a barrier and its address is taken");
    let held = "
@tile = internal global [4 x i32] zeroinitializer, section \".offload.shared\"
@pointer = internal global ptr getelementptr (i8, ptr @tile, i64 4)
define void @k() {
  %p = load ptr, ptr @pointer
  store i32 1, ptr %p
  ret void
}";
    assert_eq!(refusal(held), "static `pointer` is initialised with the address of shared static `tile`");
    let aligned = "
@tile = internal global [4 x i32] zeroinitializer, section \".offload.shared\", align 128
define void @k() {
  store i32 1, ptr @tile
  ret void
}";
    assert_eq!(refusal(aligned), "shared static `tile` is aligned to 128 bytes, and the most is 64");
}

#[test]
fn levels_of_the_psabi_are_archs() {
    let saxpy = |arch: &str| compile(&module(SAXPY), &[saxpy()], OptLevel::O3, arch, Runtime::Offloadrt);
    assert!(saxpy("cpu:x86-64-v3").expect("it compiles").optimized.contains("<8 x float>"));
    assert!(saxpy("cpu:haswell").is_err());
}

#[test]
fn an_image_for_libomptarget_brings_its_scheduler() {
    let text = "
@tile = internal global [64 x i64] zeroinitializer, section \".offload.shared\"
%large = type { i64, i64 }
define void @shift(i1 %flag, i16 %add, float %f, %large %large, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_z()
  %y = call i32 @__offload_block_id_y()
  %gy = call i32 @__offload_grid_dim_y()
  %by = mul i32 %b, %gy
  %row = add i32 %by, %y
  %d = call i32 @__offload_block_dim_x()
  %rd = mul i32 %row, %d
  %i = add i32 %rd, %t
  %n = add i32 %t, 1
  %nm = urem i32 %n, %d
  %tz = zext i32 %t to i64
  %nz = zext i32 %nm to i64
  %iz = zext i32 %i to i64
  %mine = getelementptr i64, ptr @tile, i64 %tz
  %next = getelementptr i64, ptr @tile, i64 %nz
  store i64 %iz, ptr %mine
  call void @__offload_sync_threads()
  %v = load i64, ptr %next
  %a = zext i1 %flag to i64
  %s = sext i16 %add to i64
  %fi = fptosi float %f to i64
  %l1 = extractvalue %large %large, 1
  %s1 = add i64 %v, %a
  %s2 = add i64 %s1, %s
  %s3 = add i64 %s2, %fi
  %s4 = add i64 %s3, %l1
  %p = getelementptr i64, ptr %out, i64 %iz
  store i64 %s4, ptr %p
  ret void
}
define void @block(ptr readonly %a) {
  %p = load ptr, ptr %a
  %q = getelementptr i8, ptr %a, i64 8
  %v = load i32, ptr %q
  store i32 %v, ptr %p
  ret void
}";
    let shift = kernel("shift", &[(Value, 1, 1), (Value, 2, 2), (Value, 4, 4), (Value, 16, 8), (Pointer, 8, 8)]);
    let kernels = [shift, kernel("block", &[(Block, 16, 8)])];
    let program = r#"
#include <dlfcn.h>
int main(int count, char **words) {
  void *image = dlopen(words[count - 1], RTLD_NOW | RTLD_LOCAL);
  if (!image) return puts(dlerror()), 1;
  CHECK(!dlsym(image, "offload_cpu_run"));
  void (*shift)() = dlsym(image, "shift"), (*block)() = dlsym(image, "block");
  static int64_t out[3 * 2 * 64], large[2] = {1, 5000};
  float f = 70;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  struct { int32_t *p, v; } a = {(int32_t[]){0}, 42};
  shift((void *)0, 1ull | 2ull << 32, 3ull | 64ull << 32, 1ull | 1ull << 32, 0ull, 1ull, 0xffffull, (uint64_t)bits,
        (uint64_t)(uintptr_t)large, out);
  for (int i = 0; i < 3 * 2 * 64; i++) CHECK(out[i] == i / 64 * 64 + (i + 1) % 64 + 1 - 1 + 70 + 5000);
  block((void *)0, 1ull | 1ull << 32, 1ull | 1ull << 32, 1ull | 1ull << 32, 0ull, &a);
  CHECK(*a.p == 42);
  return wrong;
}"#;
    for level in LEVELS {
        let compiled = compile(&module(text), &kernels, level, "cpu", Runtime::Omptarget).expect("the kernel compiles");
        assert!(compiled.product.host_code.is_none());
        let [image] = &compiled.product.images[..] else { panic!("one image") };
        assert_eq!(image.kind, ImageKind::Object);
        let elf = goblin::elf::Elf::parse(&image.bytes).expect("it is a shared object");
        assert_eq!(elf.header.e_type, goblin::elf::header::ET_DYN);
        assert!(elf.libraries.is_empty(), "{:?}", elf.libraries);
        let folder = harness::scratch();
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("image.so"), &image.bytes).expect("the folder is ours");
        std::fs::write(file("main.c"), format!("{PRELUDE}{program}")).expect("the folder is ours");
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-pthread", "-I"]).arg(harness::root().join("runtime-c"));
        run(cc.arg(file("main.c")).args(["-ldl", "-o"]).arg(file("program"))).success();
        let outcome = run(Command::new(file("program")).arg(file("image.so")));
        assert_eq!(outcome.code(), 0, "at {level:?}:\n{}\n{}", outcome.report(), compiled.optimized);
    }
}
