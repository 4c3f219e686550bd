//! Barriers on the CPU target: in loops, in uniform control flow, and where threads diverge.

use crate::cpu_by_hand::{check, compile, kernel, module};
use offloadc::bundle::Runtime;
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};
use offloadc::llvm::OptLevel;

/// Sums of tiles: a barrier before and after each step of a tree, in launch-sized shared memory.
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
    // rounds[r] has the number and the distance of rotations of the block's values, or reverses them; a private array
    // and several variables live across the barriers. Two kernels share the function with the barrier.
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
  %last_of_history = getelementptr [4 x i32], ptr %history, i64 0, i64 3
  store i32 %t, ptr %last_of_history
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
  %h0only = load i32, ptr %history
  %h3 = load i32, ptr %last_of_history
  %h0 = xor i32 %h0only, %h3
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
  int v[256], w[256], h[256], l[256];
  memcpy(v, in, sizeof v);
  memcpy(h, in, sizeof v);
  for (int t = 0; t < n; t++) l[t] = t;
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
    if (r % 4 == 3) for (int t = 0; t < n; t++) l[t] ^= v[t];
  }
  for (int t = 0; t < n; t++) out[t] = v[t] << 16 | ((h[t] ^ l[t]) & 65535);
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
    // `early`: after the barrier some threads return at once, the others go on without one. `apart`: threads leave a
    // loop of barriers at different times, which GPUs forbid; here the remaining threads go on.
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

/// A kernel with two barriers in each step, which rotates the block's values by one. Every tenth step has another
/// barrier that threads reach on two paths.
fn turns(steps: usize) -> String {
    let mut text = "
define void @turn(i32 %n, ptr %out) convergent {
  %t = call i32 @__offload_thread_id_x()
  %d = call i32 @__offload_block_dim_x()
  %tile = call ptr @__offload_dynamic_shared()
  %tz = zext i32 %t to i64
  %mine = getelementptr i32, ptr %tile, i64 %tz
  %u = add i32 %t, 1
  %w = urem i32 %u, %d
  %wz = zext i32 %w to i64
  %next = getelementptr i32, ptr %tile, i64 %wz
  %some = icmp ne i32 %n, 0
  br label %step0
step0:
  %v0 = add i32 %t, 0\n"
        .to_owned();
    for step in 0..steps {
        text += &format!("  store i32 %v{step}, ptr %mine\n");
        if step % 10 == 0 {
            text += &format!("  br i1 %some, label %wait{step}, label %read{step}\nwait{step}:\n");
            text += &format!("  call void @__offload_sync_threads()\n  br label %read{step}\nread{step}:\n");
        }
        text += "  call void @__offload_sync_threads()\n";
        text += &format!("  %r{step} = load i32, ptr %next\n  call void @__offload_sync_threads()\n");
        text += &format!("  %v{} = add i32 %r{step}, 3\n", step + 1);
    }
    text += &format!("  %to = getelementptr i32, ptr %out, i64 %tz\n  store i32 %v{steps}, ptr %to\n  ret void\n}}\n");
    module(&text)
}

/// Kernels with many barriers have loops in separate functions, and those with more barriers share a loop.
#[test]
fn many_barriers() {
    let program = |steps: usize| {
        let program = r#"
ENTRY(turn);
int main(void) {
  for (int n = 0; n < 2; n++) {
    int out[37];
    void *arguments[2] = {(void *)(long)n, out};
    RUN(turn, 1, 1, 1, 37, 1, 1, 37 * sizeof(int), arguments);
    for (int t = 0; t < 37; t++) CHECK(out[t] == (t + STEPS) % 37 + 3 * STEPS);
  }
  return wrong;
}"#;
        format!("enum {{ STEPS = {steps} }};\n{program}")
    };
    for steps in [60, 500] {
        check(&turns(steps), &[kernel("turn", &[(Value, 4, 4), (Pointer, 8, 8)])], &program(steps));
    }
}

/// The size of the code is linear in the number of barriers.
#[test]
fn code_grows_with_the_barriers() {
    let lines = |steps: usize| {
        let kernels = [kernel("turn", &[(Value, 4, 4), (Pointer, 8, 8)])];
        let compiled = compile(&turns(steps), &kernels, OptLevel::O2, "cpu", Runtime::Offloadrt).expect("it compiles");
        compiled.optimized.lines().count()
    };
    let (few, many) = (lines(100), lines(400));
    assert!(many < 5 * few, "{few} lines for 100 steps, {many} for 400");
}
