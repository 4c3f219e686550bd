/* Tests of the cpu driver and its scheduler. The entries are written by hand in the form that the compiler writes: one
 * call runs all threads of one block. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#ifdef __x86_64__
#include "instructions.h"
#endif
#include "streams.h"
#include "stress.h"

static offloadrt_device *device;

/* Argument N of the packed buffer. All arguments of this test are pointers. */
#define POINTER(type, n) (((type *const *)(const void *)arguments)[n])

/* visit: every thread of a three-dimensional grid adds 1 to its cell. */
static void visit_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t *cells = POINTER(uint32_t, 0);
  for (uint32_t z = 0; z < b->block_dim[2]; z++)
    for (uint32_t y = 0; y < b->block_dim[1]; y++)
      for (uint32_t x = 0; x < b->block_dim[0]; x++) {
        size_t gx = b->block_id[0] * b->block_dim[0] + x, gy = b->block_id[1] * b->block_dim[1] + y;
        size_t gz = b->block_id[2] * b->block_dim[2] + z;
        size_t width = b->grid_dim[0] * b->block_dim[0], height = b->grid_dim[1] * b->block_dim[1];
        cells[(gz * height + gy) * width + gx]++;
      }
}

/* reverse: reverses the part of each block through static and dynamic shared memory. There are two loops, as the
 * compiler makes them from the code before and after a barrier. */
static atomic_int misplaced;
static void reverse_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t *cells = POINTER(uint32_t, 0), count = b->block_dim[0];
  uint32_t *part = cells + (size_t)b->block_id[0] * count;
  uint32_t *fixed = (uint32_t *)(void *)b->shared, *sized = (uint32_t *)(void *)b->dynamic_shared;
  if ((uintptr_t)b->shared % 64 || b->dynamic_shared - b->shared != 32 || b->dynamic_shared_bytes != 4 * count)
    misplaced = 1;
  for (uint32_t x = 0; x < count; x++) {
    sized[x] = part[x];
    if (x < 5)
      fixed[x] = x;
  }
  for (uint32_t x = 0; x < count; x++)
    part[x] = sized[count - 1 - x] + fixed[x % 5];
}

/* frames: each thread of a block keeps a value across a barrier in the frames of the block, which are requested twice,
 * the second time with a larger size. */
static void frames_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint64_t *out = POINTER(uint64_t, 0);
  uint32_t count = b->block_dim[0];
  uint64_t *frames = b->frames(b, count * sizeof *frames);
  if ((uintptr_t)frames % 64)
    misplaced = 1;
  for (uint32_t x = 0; x < count; x++)
    frames[x] = (uint64_t)b->block_id[0] * count + x;
  frames = b->frames(b, 3 * count * sizeof *frames);
  frames[3 * count - 1] = 0;
  for (uint32_t x = 0; x < count; x++)
    out[(size_t)b->block_id[0] * count + x] = frames[(x + 1) % count];
}

/* greedy: the last block requests more memory than the machine has. */
static void greedy_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_int *after = POINTER(atomic_int, 0);
  b->frames(b, b->block_id[0] == b->grid_dim[0] - 1 ? SIZE_MAX / 2 : 64);
  if (b->block_id[0] == b->grid_dim[0] - 1)
    ++*after;
}

/* deep: block 7 recurses with frames of half a page until its stack is full. */
static unsigned sum_from(volatile unsigned char *before, unsigned depth) {
  volatile unsigned char frame[2048];
  frame[0] = (unsigned char)(before[0] + depth);
  return depth ? sum_from(frame, depth - 1) + frame[0] : frame[0];
}
static void deep_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  volatile unsigned char first = 0;
  *POINTER(atomic_uint, 0) += sum_from(&first, b->block_id[0] == 7 ? UINT32_MAX : 10) > 0;
}

/* meet: each block waits until all blocks have started. The launch ends only if every block has its own thread. */
static void meet_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_uint *arrived = POINTER(atomic_uint, 0);
  ++*arrived;
  while (*arrived < b->grid_dim[0])
    sched_yield();
}

/* panics: thread 2 of every third block leaves the block. The other blocks count themselves. */
static void panics_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_uint *ran = POINTER(atomic_uint, 0);
  if (b->block_id[0] % 3 == 1) {
    struct offload_panic *panic = &b->state->panic;
    if (!__atomic_exchange_n(&panic->claimed, 1, __ATOMIC_RELAXED)) {
      panic->message = panic->place = 1;
      panic->operands[0] = 7;
      panic->block[0] = b->block_id[0];
      panic->thread[1] = 2;
    }
    b->leave(b);
  }
  ++*ran;
}

static atomic_int took_signals;
static void signals_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  int outside = sigismember(&blocked, SIGTERM), fault = sigismember(&blocked, SIGSEGV);
  if (fault || outside == (gettid() == getpid()))
    took_signals = 1;
  meet_entry(b, arguments);
}

/* nest: launches `visit` from a block. */
static int launch_visit(uint32_t *cells, offloadrt_launch_config config);
static void nest_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t *cells = POINTER(uint32_t, 0) + (size_t)b->block_id[0] * 4096;
  CHECK(launch_visit(cells, shape(64, 1, 1, 64, 1, 1)) == OFFLOADRT_SUCCESS);
}

/* saxpy: y += a * x. */
static void saxpy_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t count = *(const uint32_t *)(const void *)arguments;
  float a = *(const float *)(const void *)(arguments + 4), *y = POINTER(float, 2);
  const float *x = POINTER(const float, 1);
  for (uint32_t i = b->block_id[0] * b->block_dim[0]; i < count && i < (b->block_id[0] + 1) * b->block_dim[0]; i++)
    y[i] += a * x[i];
}

static const struct {
  struct offload_parameter rows[4];
  struct offload_extent extents[4];
} known = {{{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
            {4, 4, 4, OFFLOAD_PARAMETER_VALUE},
            {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
            {16, 8, 8, OFFLOAD_PARAMETER_POINTER}},
           {{0}, {0}, EXTENT_OF_X, EXTENT_OF_Y}};
static const struct offload_parameter pointer_row[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
PANIC_TEXTS(texts);
static struct offload_descriptor descriptor;
static const struct offload_kernel kernels[] = {
    KERNEL("deep", pointer_row, 8, .cpu_entry = deep_entry),
    KERNEL("visit", pointer_row, 8, .cpu_entry = visit_entry),
    KERNEL("reverse", pointer_row, 8, .cpu_entry = reverse_entry, .shared_bytes = 20),
    KERNEL("frames", pointer_row, 8, .cpu_entry = frames_entry),
    KERNEL("greedy", pointer_row, 8, .cpu_entry = greedy_entry),
    KERNEL("meet", pointer_row, 8, .cpu_entry = meet_entry),
    KERNEL("panics", pointer_row, 8, .cpu_entry = panics_entry, .flags = OFFLOAD_KERNEL_TAKES_STATE,
           .descriptor = &descriptor),
    KERNEL("nest", pointer_row, 8, .cpu_entry = nest_entry),
    KERNEL("signals", pointer_row, 8, .cpu_entry = signals_entry),
    KERNEL("saxpy", known.rows, 24, .cpu_entry = saxpy_entry, .flags = OFFLOAD_KERNEL_HAS_EXTENTS),
    KERNEL("hungry", pointer_row, 8, .cpu_entry = visit_entry, .shared_bytes = UINT32_MAX),
};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels, .panics = &texts.texts);

static int launch(const char *name, void *pointer, offloadrt_launch_config config) {
  offloadrt_argument arguments[] = {ARGUMENT(pointer)};
  return offloadrt_launch(device, NULL, offloadrt_find_kernel(name), &config, arguments, 1);
}

static int launch_visit(uint32_t *cells, offloadrt_launch_config config) { return launch("visit", cells, config); }

static uint32_t *new_cells(size_t count) {
  void *cells;
  CHECK(offloadrt_allocate(device, count * sizeof(uint32_t), &cells) == OFFLOADRT_SUCCESS);
  memset(cells, 0, count * sizeof(uint32_t));
  return cells;
}

static void check_all(const uint32_t *cells, size_t count, uint32_t value) {
  for (size_t i = 0; i < count; i++)
    CHECK(cells[i] == value);
}

static void every_thread_of_a_grid_runs_once(void) {
  static const uint32_t grids[][3] = {{1, 1, 1}, {2, 1, 1}, {7, 5, 3}, {1, 1, 33}, {1, 200, 1}, {20000, 1, 1}, {31, 2, 17}};
  static const uint32_t blocks[][3] = {{1, 1, 1}, {32, 1, 1}, {4, 3, 2}};
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
      size_t count = (size_t)grids[g][0] * grids[g][1] * grids[g][2] * blocks[b][0] * blocks[b][1] * blocks[b][2];
      uint32_t *cells = new_cells(count);
      for (int round = 0; round < 3; round++)
        CHECK(launch_visit(cells, shape(grids[g][0], grids[g][1], grids[g][2], blocks[b][0], blocks[b][1],
                                        blocks[b][2])) == OFFLOADRT_SUCCESS);
      check_all(cells, count, 3);
      CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
    }
}

static void blocks_have_shared_memory_of_their_own(void) {
  enum { BLOCKS = 3000, THREADS = 96 };
  uint32_t *cells = new_cells(BLOCKS * THREADS);
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    cells[i] = i;
  offloadrt_launch_config config = shape(BLOCKS, 1, 1, THREADS, 1, 1);
  config.dynamic_shared_bytes = THREADS * 4;
  CHECK(launch("reverse", cells, config) == OFFLOADRT_SUCCESS);
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    CHECK(cells[i] == i / THREADS * THREADS + THREADS - 1 - i % THREADS + i % THREADS % 5);
  CHECK(!misplaced);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
}

static void frames_keep_their_bytes_when_grown(void) {
  enum { BLOCKS = 500, THREADS = 33 };
  uint64_t *out = (uint64_t *)(void *)new_cells(2 * BLOCKS * THREADS);
  CHECK(launch("frames", out, shape(BLOCKS, 1, 1, THREADS, 1, 1)) == OFFLOADRT_SUCCESS);
  for (uint64_t i = 0; i < BLOCKS * THREADS; i++)
    CHECK(out[i] == i / THREADS * THREADS + (i + 1 - i / THREADS * THREADS) % THREADS);
  CHECK(!misplaced);
  CHECK(offloadrt_free(device, out) == OFFLOADRT_SUCCESS);
}

static void running_out_of_memory_is_an_error(void) {
  static const uint32_t grids[] = {1, 2, 500};
  for (int i = 0; i < 3; i++) {
    atomic_int after = 0;
    CHECK(launch("greedy", &after, shape(grids[i], 1, 1, 8, 1, 1)) == OFFLOADRT_NO_MEMORY);
    CHECK(strstr(offloadrt_error_text(), "out of memory while kernel `greedy` ran"));
    CHECK(after == 0);
  }
  /* An emulator of another processor sets no limits. */
  if (getenv("OFFLOADRT_TEST_EMULATOR"))
    return;
  uint32_t cell = 0;
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {1u << 30, 1u << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(launch("hungry", &cell, shape(1, 1, 1, 1, 1, 1)) == OFFLOADRT_NO_MEMORY);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void few_blocks_run_at_the_same_time(void) {
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "12", 1) == 0);
  atomic_uint arrived = 0;
  CHECK(launch("meet", &arrived, shape(12, 1, 1, 256, 1, 1)) == OFFLOADRT_SUCCESS);
  CHECK(arrived == 12);
  arrived = 0;
  CHECK(launch("signals", &arrived, shape(12, 1, 1, 256, 1, 1)) == OFFLOADRT_SUCCESS);
  CHECK(arrived == 12 && !took_signals);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
}

static void short_launches_stay_on_the_calling_thread(void) {
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "12", 1) == 0);
  uint32_t *cells = new_cells(512);
  /* Another process may use the machine for longer than the scheduler waits. */
  int alone = 0;
  for (int round = 0; round < 100; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    CHECK(launch_visit(cells, shape(8, 1, 1, 64, 1, 1)) == OFFLOADRT_SUCCESS);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    alone += end.tv_sec == begin.tv_sec && end.tv_nsec - begin.tv_nsec < 10000;
  }
  CHECK(alone > 0);
  check_all(cells, 512, 100);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
}

static void a_launch_does_not_ask_for_the_processor(void) {
#ifdef __x86_64__
  uint32_t *cells = new_cells(8);
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "1", 1) == 0);
  check_launch_instructions(device, visit_entry, cells);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
  check_all(cells, 8, 2);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
#endif
}

static void a_block_can_launch(void) {
  enum { BLOCKS = 24 };
  uint32_t *cells = new_cells(BLOCKS * 4096);
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "4", 1) == 0);
  CHECK(launch("nest", cells, shape(BLOCKS, 1, 1, 1, 1, 1)) == OFFLOADRT_SUCCESS);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
  check_all(cells, BLOCKS * 4096, 1);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
}

static void *launch_many(void *unused) {
  (void)unused;
  uint32_t *cells = new_cells(100 * 64);
  for (int i = 0; i < 40; i++)
    CHECK(launch_visit(cells, shape(10, 10, 1, 8, 8, 1)) == OFFLOADRT_SUCCESS);
  check_all(cells, 100 * 64, 40);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
  return NULL;
}

static void threads_launch_at_once(void) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_create(&threads[t], NULL, launch_many, NULL) == 0);
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_join(threads[t], NULL) == 0);
}

static void a_panic_ends_its_block_and_the_launch_says_so(void) {
  for (uint32_t blocks = 2; blocks < 5000; blocks = blocks * 3 + 1) {
    atomic_uint ran = 0;
    CHECK(launch("panics", &ran, shape(blocks, 1, 1, 4, 4, 1)) == OFFLOADRT_PANICKED);
    CHECK(strncmp(offloadrt_error_text(), "kernel `panics` panicked at src/lib.rs:23:9: no 7 here (block ", 62) == 0);
    CHECK(strstr(offloadrt_error_text(), ", thread (0, 2, 0))") != NULL);
    CHECK(ran == blocks - (blocks + 1) / 3);
  }
  atomic_uint ran = 0;
  CHECK(launch("panics", &ran, shape(1, 1, 1, 1, 1, 1)) == OFFLOADRT_SUCCESS && ran == 1);
}

static void a_launch_beyond_a_limit_is_refused(void) {
  offloadrt_limits limits = {.size = sizeof limits, .version = OFFLOADRT_LIMITS_VERSION};
  uint32_t *cells = new_cells(1024);
  CHECK(offloadrt_device_limits(device, &limits) == OFFLOADRT_SUCCESS);
  CHECK(limits.threads_per_block == 1024 && limits.compute_units && limits.memory_bytes && limits.most_lanes == 32);
  CHECK(launch_visit(cells, shape(1, 1, 1, 32, 32, 1)) == OFFLOADRT_SUCCESS);
  CHECK(launch_visit(cells, shape(1, 1, 1, 33, 32, 1)) == OFFLOADRT_INVALID);
  CHECK_TEXT("kernel `visit` is launched with blocks of 33 x 32 x 1 threads: 1056, and device `cpu` (this machine's processor) "
             "allows 1024");
  CHECK(launch_visit(cells, shape(1, 1, 1, 1 << 20, 1, 1)) == OFFLOADRT_INVALID);
  limits.version++;
  CHECK(offloadrt_device_limits(device, &limits) == OFFLOADRT_INVALID);
  CHECK(offloadrt_free(device, cells) == OFFLOADRT_SUCCESS);
}

static void memory_is_the_hosts(void) {
  void *cells;
  CHECK(offloadrt_allocate_unified(device, 64 * sizeof(uint32_t), &cells) == OFFLOADRT_SUCCESS);
  memset(cells, 0, 64 * sizeof(uint32_t));
  CHECK(launch_visit(cells, shape(2, 1, 1, 32, 1, 1)) == OFFLOADRT_SUCCESS);
  check_all(cells, 64, 1);
  CHECK(offloadrt_free_unified(device, cells) == OFFLOADRT_SUCCESS);
}

static void everything_from_many_threads(void) {
  static struct offload_descriptor nothing = {.size = sizeof nothing, .version = OFFLOAD_DESCRIPTOR_VERSION};
  static struct stress stress = {.object = &nothing};
  stress.device = device;
  stress.saxpy = stress.mapped = offloadrt_find_kernel("saxpy");
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "4", 1) == 0);
  check_stress(&stress);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
}

static void launch_deep(void) {
  atomic_uint ran = 0;
  CHECK(launch("deep", &ran, shape(64, 1, 1, 1, 1, 1)) == OFFLOADRT_FAILED);
  CHECK(strstr(offloadrt_error_text(), "kernel `deep` overflowed its stack"));
  CHECK(launch("deep", &ran, shape(7, 1, 1, 1, 1, 1)) == OFFLOADRT_SUCCESS && ran >= 7);
}

static void *launch_deep_there(void *nothing) {
  launch_deep();
  return nothing;
}

/* Fills the stack of the calling thread, of threads of the runtime, and of a thread that the program has started,
 * several times. */
static void a_full_stack_is_an_error(void) {
  static const char *const counts[] = {"1", "4"};
  for (int i = 0; i < 6; i++) {
    CHECK(setenv("OFFLOADRT_CPU_THREADS", counts[i % 2], 1) == 0);
    launch_deep();
    pthread_t other;
    CHECK(pthread_create(&other, NULL, launch_deep_there, NULL) == 0 && pthread_join(other, NULL) == 0);
  }
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
}

/* A child that writes to unmapped memory, outside of kernels or in a kernel, with its own handler or without. */
static void exit_with_7(int signal) {
  (void)signal;
  _exit(7);
}

static int end_of_child(int in_kernel, int with_handler) {
  pid_t child = fork();
  if (child == 0) {
    /* Write no core file. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (with_handler)
      signal(SIGSEGV, exit_with_7);
    uint32_t cell = 0;
    CHECK(launch_visit(&cell, shape(1, 1, 1, 1, 1, 1)) == OFFLOADRT_SUCCESS);
    if (in_kernel)
      launch_visit((uint32_t *)64, shape(1, 1, 1, 1, 1, 1));
    *(volatile int *)64 = 0;
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void other_faults_are_what_they_were(void) {
  for (int in_kernel = 0; in_kernel < 2; in_kernel++) {
    int status = end_of_child(in_kernel, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    status = end_of_child(in_kernel, 1);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}

static void streams_are_as_on_every_device(void) { check_streams(device); }

int main(void) {
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_SUCCESS);
  RUN(every_thread_of_a_grid_runs_once);
  RUN(blocks_have_shared_memory_of_their_own);
  RUN(frames_keep_their_bytes_when_grown);
  RUN(running_out_of_memory_is_an_error);
  /* valgrind does not support the end of a stack, and a sanitizer reports other faults with its own messages. */
  if (!getenv("OFFLOADRT_TEST_VALGRIND")) {
    RUN(other_faults_are_what_they_were);
    RUN(a_full_stack_is_an_error);
  }
  RUN(few_blocks_run_at_the_same_time);
  /* Under valgrind and in an emulator, a launch takes longer than the scheduler waits. */
  if (!getenv("OFFLOADRT_TEST_VALGRIND") && !getenv("OFFLOADRT_TEST_EMULATOR"))
    RUN(short_launches_stay_on_the_calling_thread);
  /* Neither valgrind nor an emulator traps after each instruction. */
  if (!getenv("OFFLOADRT_TEST_VALGRIND") && !getenv("OFFLOADRT_TEST_EMULATOR"))
    RUN(a_launch_does_not_ask_for_the_processor);
  RUN(a_panic_ends_its_block_and_the_launch_says_so);
  RUN(streams_are_as_on_every_device);
  RUN(memory_is_the_hosts);
  RUN(a_launch_beyond_a_limit_is_refused);
  RUN(a_block_can_launch);
  RUN(everything_from_many_threads);
  RUN(threads_launch_at_once);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
