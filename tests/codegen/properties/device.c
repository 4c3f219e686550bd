/* Runs the kernels of a module on the host, one thread each, and prints their results.
 * It defines the functions of the device contract and Rust's panic functions: a thread that ends returns to `main`, and
 * its panic is printed. The numbers of messages and places differ before and after a pass, so they are printed in the
 * order in which they first occur. */

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

// The module's: the kernels, and their number.
typedef void kernel(const u8 *in, u64 *out, u64 n, void *state);
extern kernel *const properties_kernels[];
extern const u32 properties_count;

enum { ROUNDS = 6, STATE_WORDS = 128, HEAP_BYTES = 1 << 22, HEAP_FIELD = 8, UNITS_FIELD = 9, CODES = 64 };

static sigjmp_buf end;
static u64 state[STATE_WORDS];
static u8 heap[HEAP_BYTES] __attribute__((aligned(4096)));
static u8 signal_stack[1 << 16];

static void finish(int how) { siglongjmp(end, how); }

static void caught(int number) {
  (void)number;
  finish(3);
}

// The number of a code, by its first occurrence.
static u32 known[CODES], known_count;
static u32 first_occurrence(u32 code) {
  for (u32 i = 0; i < known_count; i++)
    if (known[i] == code)
      return i;
  if (known_count < CODES)
    known[known_count++] = code;
  return known_count - 1;
}

// The record of a panic, as the launch's state has it.
static void record(u32 message, u32 place, u64 a, u64 b, u64 c) {
  u32 head[4] = {1, message, place, 0};
  memcpy(state, head, sizeof head);
  state[2] = a;
  state[3] = b;
  state[4] = c;
}

// No function unwinds.
int rust_eh_personality(void) { abort(); }

void __offload_leave(void) { finish(1); }

// A barrier of the only thread.
void barrier(u32 threads, u32 scope, u32 ordering) __asm__("_Z22__spirv_ControlBarrierjjj");
void barrier(u32 threads, u32 scope, u32 ordering) { (void)threads, (void)scope, (void)ordering; }

// After which of `count` barriers a thread that leaves goes on: a different one each time. It leaves only once, so
// `count` is the answer if it leaves again.
static u32 resumed, has_resumed;
u32 properties_resume(u32 count) {
  if (has_resumed || !count)
    return count;
  has_resumed = 1;
  return resumed++ % count;
}

void *__offload_launch_state(void) { return state; }

void __offload_panic(u32 message, u32 place, u64 a, u64 b, u64 c) {
  record(message, place, a, b, c);
  finish(1);
}

// Panics of Rust's, whose places are addresses: the line stands for the place.
static u32 line_of(const u8 *place) { return place[16]; }
void rust_bounds(u64 index, u64 length, const u8 *place) __asm__(
    "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE");
void rust_bounds(u64 index, u64 length, const u8 *place) { __offload_panic(1001, line_of(place), index, length, 0); }
void rust_add(const u8 *place) __asm__(
    "_ZN4core9panicking11panic_const24panic_const_add_overflow17h0123456789abcdefE");
void rust_add(const u8 *place) { __offload_panic(1002, line_of(place), 0, 0, 0); }
void rust_text(const u8 *text, u64 length, const u8 *place) __asm__("_ZN4core9panicking5panic17h0123456789abcdefE");
void rust_text(const u8 *text, u64 length, const u8 *place) {
  (void)text;
  __offload_panic(1100 + length, line_of(place), 0, 0, 0);
}
void rust_slice(u64 end, u64 length, const u8 *place) __asm__(
    "_ZN4core5slice5index24slice_end_index_len_fail17h0123456789abcdefE");
void rust_slice(u64 end, u64 length, const u8 *place) { __offload_panic(1003, line_of(place), end, length, 0); }

// A text that `resolve_panics` would number: its first letter and length are its number.
void __offload_panic_text(u32 before, const u8 *text, u64 length, u8 form, u32 place) {
  (void)before, (void)form, (void)text;
  __offload_panic(1100 + length, place, 0, 0, 0);
}

// The position of the only thread.
#define POSITIONS(name, x, y, z)                                                                                       \
  u32 __offload_##name##_x(void) { return x; }                                                                         \
  u32 __offload_##name##_y(void) { return y; }                                                                         \
  u32 __offload_##name##_z(void) { return z; }
POSITIONS(thread_id, 3, 2, 1)
POSITIONS(block_id, 7, 5, 4)
POSITIONS(block_dim, 32, 8, 4)
POSITIONS(grid_dim, 10, 9, 8)

// OpenCL's names of the position.
#define OPENCL(name, symbol)                                                                                           \
  u64 name(u32 axis) __asm__(symbol);                                                                                  \
  u64 name(u32 axis) { return axis + 1; }
OPENCL(get_local_id, "_Z12get_local_idj")
OPENCL(get_group_id, "_Z12get_group_idj")

// Intrinsics of devices.
#define INTRINSIC(number, name, symbol)                                                                                \
  u32 name(void) __asm__(symbol);                                                                                      \
  u32 name(void) { return number; }
#define INTRINSICS(name, symbol)                                                                                       \
  INTRINSIC(1, name##_x, symbol ".x")                                                                                  \
  INTRINSIC(2, name##_y, symbol ".y")                                                                                  \
  INTRINSIC(3, name##_z, symbol ".z")
INTRINSICS(group, "amdgcn.workgroup.id")
INTRINSICS(item, "amdgcn.workitem.id")
INTRINSICS(cta, "nvvm.read.ptx.sreg.ctaid")
INTRINSICS(tid, "nvvm.read.ptx.sreg.tid")
void amd_end(void) __asm__("amdgcn.endpgm");
void amd_end(void) { finish(1); }
void nvidia_end(void) __asm__("nvvm.exit");
void nvidia_end(void) { finish(1); }

// A warp of which only lane 0 runs; the others have its values.
u32 __offload_lane_id(void) { return 0; }
u32 __offload_lane_count(void) { return 32; }
u64 __offload_active_mask(void) { return ~0ull; }
u32 __offload_shuffle_xor_sync(u64 mask, u32 value, u32 distance) { return value + (u32)mask * 3 + distance; }
u64 __offload_ballot_sync(u64 mask, u8 bit) { return bit & 1 ? mask & 0xffffffff : 0; }
u64 __offload_ballot(u8 bit) { return bit & 1 ? 0xffffffff : 0; }
u32 __offload_shuffle(u32 value, u32 lane) { return (void)lane, value; }
void __offload_sync_warp(u64 mask) { (void)mask; }

// The contract's atomics, on one thread.
#define UPDATE(operation, name, type, result)                                                                          \
  type __offload_atomic_##operation##_##name(type *at, type b, u32 ordering, u32 scope) {                              \
    (void)ordering, (void)scope;                                                                                       \
    type a = *at;                                                                                                      \
    *at = result;                                                                                                      \
    return a;                                                                                                          \
  }
#define ATOMICS(name, type)                                                                                            \
  UPDATE(add, name, type, (type)((u64)a + (u64)b))                                                                     \
  UPDATE(sub, name, type, (type)((u64)a - (u64)b))                                                                     \
  UPDATE(and, name, type, a & b)                                                                                       \
  UPDATE(or, name, type, a | b)                                                                                        \
  UPDATE(xor, name, type, a ^ b)                                                                                       \
  UPDATE(max, name, type, a > b ? a : b)                                                                               \
  UPDATE(min, name, type, a < b ? a : b)                                                                               \
  UPDATE(exchange, name, type, b)                                                                                      \
  type __offload_atomic_load_##name(type *at, u32 ordering, u32 scope) {                                               \
    (void)ordering, (void)scope;                                                                                       \
    return *at;                                                                                                        \
  }                                                                                                                    \
  type __offload_atomic_compare_exchange_##name(type *at, type expected, type value, u32 yes, u32 no, u32 scope) {     \
    (void)yes, (void)no, (void)scope;                                                                                  \
    type a = *at;                                                                                                      \
    if (a == expected)                                                                                                 \
      *at = value;                                                                                                     \
    return a;                                                                                                          \
  }
ATOMICS(u32, u32)
ATOMICS(u64, u64)
ATOMICS(i32, int32_t)

// Rust's allocator.
void *rust_alloc(u64 size, u64 align) __asm__("_RNvCs2_7___rustc12___rust_alloc");
void *rust_alloc(u64 size, u64 align) { return aligned_alloc(align < 16 ? 16 : align, (size + 127) / 64 * 64); }
void *rust_zeroed(u64 size, u64 align) __asm__("_RNvCs2_7___rustc19___rust_alloc_zeroed");
void *rust_zeroed(u64 size, u64 align) { return memset(rust_alloc(size, align), 0, size); }
void *rust_realloc(void *old, u64 size, u64 align, u64 more) __asm__("_RNvCs2_7___rustc14___rust_realloc");
void *rust_realloc(void *old, u64 size, u64 align, u64 more) { return memcpy(rust_alloc(more, align), old, size); }
void rust_dealloc(void *old, u64 size, u64 align) __asm__("_RNvCs2_7___rustc14___rust_dealloc");
void rust_dealloc(void *old, u64 size, u64 align) { (void)old, (void)size, (void)align; }

// The fields of its block that an entry reads, see `struct offload_cpu_block`.
struct block {
  u32 grid_dim[3], block_dim[3], block_id[3], dynamic_bytes;
  u8 *shared, *dynamic;
  void *(*frames)(const struct block *block, size_t bytes);
  void *state, *scheduler;
  void (*leave)(const struct block *block);
  void *check;
};

static u8 slots[1 << 20] __attribute__((aligned(64)));
static void *frames(const struct block *block, size_t bytes) {
  (void)block;
  if (bytes > sizeof slots)
    abort();
  return slots;
}

static void leave_block(const struct block *block) {
  (void)block;
  finish(1);
}

// Runs two blocks of threads, which have different numbers or the same ones, and folds their results into the first.
void properties_run_blocks(void (*entry)(const struct block *, const void *), const u8 *in, u64 *out, u64 n) {
  enum { MOST_THREADS = 64, WORDS = 600 };
  static const u32 shapes[ROUNDS][3] = {{1, 1, 1}, {8, 1, 1}, {20, 1, 1}, {16, 2, 1}, {9, 3, 2}, {64, 1, 1}};
  static u32 launches;
  static u64 words[WORDS], results[MOST_THREADS];
  static u8 shared[1 << 14] __attribute__((aligned(4096)));
  u32 round = launches++ % ROUNDS;
  for (u32 i = 0; i < WORDS; i++) {
    memcpy(&words[i], in + i % 32 * 8, 8);
    words[i] += round % 3 ? i / 32 * 77 + (i & 1) : 0;
  }
  memset(results, 0, sizeof results);
  for (u32 id = 0; id < 2; id++) {
    memset(shared, 0, sizeof shared);
    struct block block = {{2, 1, 1}, {0}, {id, 0, 0}, 0, shared, shared, frames, state, NULL, leave_block, NULL};
    memcpy(block.block_dim, shapes[round], sizeof block.block_dim);
    struct {
      u64 *in, *out, n;
    } arguments = {words, results, n};
    entry(&block, &arguments);
  }
  for (u32 i = 0; i < MOST_THREADS; i++)
    out[0] = (out[0] ^ out[0] >> 29) * 6364136223846793005ull + results[i];
}

static void print(u32 kernel, u32 round, int how, const u64 *out) {
  u32 head[4];
  memcpy(head, state, sizeof head);
  printf("k%u %u: %016llx", kernel, round, (unsigned long long)out[0]);
  if (how == 3)
    printf(" trap");
  else if (head[0])
    printf(" panic %u at %u: %llu %llu %llu", first_occurrence(head[1]), first_occurrence(head[2] + 100000),
           (unsigned long long)state[2], (unsigned long long)state[3], (unsigned long long)state[4]);
  else if (how == 1)
    printf(" left");
  printf("\n");
}

int main(void) {
  static u64 in[32], out[64];
  stack_t other = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  sigaltstack(&other, NULL);
  struct sigaction action = {.sa_handler = caught, .sa_flags = SA_ONSTACK | SA_NODEFER};
  for (int number = 1; number < 32; number++)
    if (number == SIGILL || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGTRAP)
      sigaction(number, &action, NULL);
  u64 random = 88172645463325252ull;
  for (volatile u32 k = 0; k < properties_count; k++)
    for (volatile u32 round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < 32; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        // Some inputs have few bits, so that comparisons and edges meet.
        in[i] = round % 2 ? random : random & (u64)0x80000000000000ff;
      }
      memset(out, 0, sizeof out);
      memset(state, 0, sizeof state);
      for (int i = 32; i < STATE_WORDS; i++)
        state[i] = 1000 + i;
      u8 *first = heap;
      memcpy(&state[HEAP_FIELD], &first, sizeof first);
      state[UNITS_FIELD] = HEAP_BYTES / 16;
      has_resumed = 0;
      int how = sigsetjmp(end, 1);
      if (how == 0)
        properties_kernels[k]((const u8 *)in, out, random >> (round * 9), state);
      print(k, round, how, out);
    }
  return 0;
}
