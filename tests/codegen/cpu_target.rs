//! The CPU target without barriers: grids, parameters, positions, images for libomptarget, and refused code.

use crate::cpu_by_hand::{check, check_warps, compile, kernel, module};
use offloadc::bundle::Runtime;
use offloadc::contract::kernel::Kernel;
use offloadc::contract::kernel::ParameterKind::{Block, Pointer, Value};
use offloadc::llvm::OptLevel;

pub(crate) const SAXPY: &str = "
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

pub(crate) fn saxpy() -> Kernel {
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

/// Warps of all sizes, with fewer lanes in the last warp of a block; also an atomic, a fence and a table of constants.
#[test]
fn lanes_of_a_warp() {
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
  %low = and i64 %ballot, 1023
  %s2 = mul i64 %low, 1000
  %s3 = mul i64 %anyz, 10000000
  %s4 = add i64 %s1, %s2
  %s5 = add i64 %s4, %s3
  %s6 = mul i64 %c, 100000000
  %s7 = add i64 %s5, %s6
  %p = getelementptr i64, ptr %out, i64 %tz
  store i64 %s7, ptr %p
  ret void
}";
    let program = r#"
ENTRY(lanes);
int main(void) {
  enum { THREADS = 70 };
  static int64_t out[THREADS];
  static int counter;
  void *arguments[2] = {out, &counter};
  RUN(lanes, 100, 1, 1, THREADS, 1, 1, 0, arguments);
  for (int i = 0; i < THREADS; i++) {
    int first = i / LANES * LANES, lane = i - first, three = LANES == 1 ? i : first + 3;
    uint64_t odd = 0;
    for (int j = first; j < first + LANES && j < THREADS; j++) odd |= (uint64_t)(j % 2) << (j - first);
    CHECK(out[i] == lane + LANES + three + odd % 1024 * 1000 + (odd ? 10000000 : 0) + (5 + i % 3) * 100000000);
  }
  CHECK(counter == 100 * THREADS);
  return wrong;
}"#;
    for lanes in [1, 32, 64] {
        check_warps(&module(text), &[kernel("lanes", &[(Pointer, 8, 8), (Pointer, 8, 8)])], program, Some(lanes));
    }
}

/// The first diagnostic or error of a module whose only kernel has no parameters.
fn refusal(text: &str) -> String {
    compile(&module(text), &[kernel("k", &[])], OptLevel::O2, "cpu", Runtime::Offloadrt).err().expect("it is refused")
}

#[test]
fn what_cannot_be_done_is_refused() {
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
@tile = internal global [4 x i32] zeroinitializer, section \".offload.shared\", align 8192
define void @k() {
  store i32 1, ptr @tile
  ret void
}";
    assert_eq!(refusal(aligned), "shared static `tile` is aligned to 8192 bytes, and the limit is 4096");
}

#[test]
fn saxpy_is_a_vector_loop() {
    for level in [OptLevel::O2, OptLevel::O3] {
        let compiled = compile(&module(SAXPY), &[saxpy()], level, "cpu", Runtime::Offloadrt).expect("it compiles");
        let text = compiled.optimized;
        assert!(text.contains("fadd <4 x float>") && text.contains("store <4 x float>"), "{text}");
    }
}

#[test]
fn shared_memory_is_aligned_as_its_statics_want() {
    let text = "
@page = internal global [100 x i8] undef, section \".offload.shared\", align 4096
@line = internal global [300 x i8] undef, section \".offload.shared\", align 128
define void @aligned(ptr %out) {
  call void @put(ptr %out, ptr @page)
  %second = getelementptr ptr, ptr %out, i64 1
  call void @put(ptr %second, ptr @line)
  ret void
}
define internal void @put(ptr %out, ptr %what) noinline {
  store volatile ptr %what, ptr %out
  ret void
}";
    let program = r#"
ENTRY(aligned);
int main(void) {
  for (int i = 0; i < 100; i++) {
    char *out[2], **arguments = out;
    char *other = malloc(i * 37);
    RUN(aligned, 1, 1, 1, 1, 1, 1, i, &arguments);
    CHECK((uintptr_t)out[0] % 4096 == 0 && (uintptr_t)out[1] % 128 == 0);
    CHECK(out[1] >= out[0] + 100 || out[0] >= out[1] + 300);
    if (i % 2) free(other);
  }
  return wrong;
}"#;
    check(&module(text), &[kernel("aligned", &[(Pointer, 8, 8)])], program);
}

#[test]
fn a_frame_larger_than_the_guard_does_not_jump_over_it() {
    // Below the thread's stack of 256 KiB is a page without access, and below that 1 MiB that others use.
    let text = "
define void @large(ptr %out) {
  %frame = alloca [524288 x i8]
  call void @touch(ptr %frame, i8 1)
  %value = load i8, ptr %frame
  store i8 %value, ptr %out
  ret void
}
define void @small(ptr %out) {
  %frame = alloca [65536 x i8]
  call void @touch(ptr %frame, i8 1)
  %value = load i8, ptr %frame
  store i8 %value, ptr %out
  ret void
}
define internal void @touch(ptr %frame, i8 %value) noinline {
  store volatile i8 %value, ptr %frame
  ret void
}";
    let program = r#"
#include <pthread.h>
#include <sys/mman.h>
enum { OTHERS = 1 << 20, STACK = 1 << 18 };
ENTRY(large);
ENTRY(small);
static int of_large, of_small;
static char seen;
static void *launch(void *nothing) {
  char *out = &seen;
  of_large = offload_cpu_run(large, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, 0, (unsigned char *)&out, NULL);
  CHECK(!seen);
  of_small = offload_cpu_run(small, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, 0, (unsigned char *)&out, NULL);
  return nothing;
}
int main(void) {
  char *memory = mmap(NULL, OTHERS + 4096 + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED && mprotect(memory + OTHERS, 4096, PROT_NONE) == 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstack(&attributes, memory + OTHERS + 4096, STACK) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, launch, NULL) == 0 && pthread_join(thread, NULL) == 0);
  for (int i = 0; i < OTHERS; i++)
    CHECK(memory[i] == 0);
  CHECK(of_large == OFFLOAD_CPU_STACK_FULL && of_small == 0 && seen == 1);
  return wrong;
}"#;
    check(&module(text), &[kernel("large", &[(Pointer, 8, 8)]), kernel("small", &[(Pointer, 8, 8)])], program);
}
