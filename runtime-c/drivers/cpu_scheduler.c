/* The cpu scheduler: it distributes blocks over threads, and allocates shared memory and memory for frames. See
 * cpu_scheduler.h.
 *
 * Each launch creates its threads. The calling thread starts two threads, each of which starts two more, until there
 * are enough or no work is left. All of them take chunks of blocks (cpu_chunks.h). If one block is a small part of the
 * work, or if the grid is small, the calling thread first runs blocks alone for ALONE_NANOSECONDS. It starts other
 * threads when those would save more time than their start takes, if the blocks that are left take as long as the ones
 * before. A launch of a tenth of a millisecond therefore creates no thread. With few large blocks this would be wrong,
 * because the first block may take a second.
 *
 * If a launch has a thread for each core, each thread starts on a separate core. Without this, Linux often starts a
 * thread on the core of the thread that creates it and moves it some milliseconds later, so that a launch of that
 * length takes up to twice the time. Threads may move afterwards, because another program may need the core. With fewer
 * threads than cores, Linux chooses, because the runtime cannot see which cores are free.
 *
 * A pool of waiting threads would save some microseconds in a launch of medium length. But its state would outlive the
 * call: a forked child would lose it, and closing the shared object that contains this code while its threads sleep
 * would be fatal. */
#define _GNU_SOURCE
#include "cpu_scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu_chunks.h"
#include "cpu_stack.h"

enum {
  SHARED_ALIGN = 64,          /* the minimum alignment of shared memory and of frames */
  MOST_SHARED_ALIGN = 4096,   /* the maximum alignment of shared memory */
  DYNAMIC_ALIGN = 16,         /* the alignment of the dynamic part of shared memory */
  ALONE_NANOSECONDS = 20000,  /* after this time it is known how long blocks take */
  START_NANOSECONDS = 50000,  /* the approximate cost of a thread's start and end, higher on a virtual machine */
  CHILDREN = 2,               /* the number of threads that one thread starts */
  MANY_BLOCKS_PER_THREAD = 16, /* from this number on, one block is a small part of the work */
  SMALL_GRID = 1024,          /* kernel threads; with fewer, the work is probably complete before a thread starts */
};

/* One call of offload_cpu_run(). All its threads share this struct. */
struct launch {
  offload_cpu_entry entry;
  const unsigned char *arguments;
  struct offload_launch_state *state;
  struct offload_cpu_check *check; /* of the checker, or null */
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared_bytes;
  size_t static_bytes; /* rounded up to DYNAMIC_ALIGN */
  uint64_t block_count;
  uint64_t most_threads; /* including the calling thread */
  uint64_t begin;        /* the time at which the calling thread began to run blocks alone */
  uint64_t alone;        /* the number of blocks that the calling thread took before there were other threads */
  struct offload_cpu_chunks chunks; /* the blocks after those */
  _Atomic uint64_t threads; /* started threads and those about to start, including the calling thread */
  atomic_int failed; /* the reason why an entry could not continue, or 0 */
  int places_threads;    /* whether each thread starts on a separate core */
  int own_core;          /* the core of the calling thread */
  cpu_set_t cores;       /* the cores that the calling thread may use */
};

/* One thread of a launch. It is on the stack of the thread that starts it; that of the calling thread is on its own. */
struct worker {
  struct offload_cpu_block block; /* the struct that the entry receives */
  struct launch *launch;
  unsigned char *shared; /* from posix_memalign */
  unsigned char *frames; /* from posix_memalign; null until an entry requests it */
  size_t frames_bytes;
  uint64_t part;       /* the part from which it takes chunks */
  uint64_t index, end; /* the blocks that it has taken and not started */
  uint32_t place[3];   /* the position of block `index` in the grid */
  jmp_buf left; /* the target of the jump from an entry that cannot continue; the value is the reason */
};

/* The reason for which a launch continues after an entry was left. The other reasons are results of the launch. */
enum { PANICKED = OFFLOAD_CPU_FAILURES };

/* Memory ---------------------------------------------------------------------------------------- */

/* Allocates memory, also if the size is 0. Returns null if there is not enough memory. */
static void *allocate_aligned(size_t align, size_t bytes) {
  void *address = NULL;
  return posix_memalign(&address, align, bytes ? bytes : 1) ? NULL : address;
}

/* offload_cpu_block.frames. If there is not enough memory, it leaves the entry, because generated code cannot handle
 * the failure. The entry owns nothing that must be freed. */
static void *grow_frames(const struct offload_cpu_block *block, size_t bytes) {
  struct worker *worker = block->scheduler;
  offload_cpu_reserve_stack();
  if (worker->frames && bytes <= worker->frames_bytes)
    return worker->frames;
  unsigned char *grown = allocate_aligned(SHARED_ALIGN, bytes);
  if (!grown)
    longjmp(worker->left, OFFLOAD_CPU_OUT_OF_MEMORY);
  if (worker->frames)
    memcpy(grown, worker->frames, worker->frames_bytes);
  free(worker->frames);
  worker->frames = grown;
  worker->frames_bytes = bytes;
  return grown;
}

/* offload_cpu_block.leave. The threads of a block run in turn on one stack, so the block ends where one of them panics.
 * The entry owns nothing that must be freed. Debuggers stop at a panic by this name (packaging/gdb/offload.py). */
static void offload_kernel_panic(const struct offload_cpu_block *block) {
  struct worker *worker = block->scheduler;
  longjmp(worker->left, PANICKED);
}

/* Returns the alignment of the kernel's static shared memory. The size is a multiple of it. */
static size_t shared_align(size_t static_bytes) {
  size_t power = static_bytes & -static_bytes;
  return power < SHARED_ALIGN ? SHARED_ALIGN : power > MOST_SHARED_ALIGN ? MOST_SHARED_ALIGN : power;
}

static int worker_init(struct worker *worker, struct launch *launch, uint64_t part) {
  unsigned char *shared = allocate_aligned(shared_align(launch->static_bytes), launch->static_bytes + launch->dynamic_shared_bytes);
  if (!shared)
    return 1;
  *worker = (struct worker){
      .block =
          {
              .grid_dim = {launch->grid[0], launch->grid[1], launch->grid[2]},
              .block_dim = {launch->block[0], launch->block[1], launch->block[2]},
              .dynamic_shared_bytes = launch->dynamic_shared_bytes,
              .shared = shared,
              .dynamic_shared = shared + launch->static_bytes,
              .frames = grow_frames,
              .state = launch->state,
              .scheduler = worker,
              .leave = offload_kernel_panic,
              .check = launch->check,
          },
      .launch = launch,
      .shared = shared,
      .part = part,
  };
  return 0;
}

static void worker_free(struct worker *worker) {
  free(worker->shared);
  free(worker->frames);
}

/* For a thread that has run blocks, and is that thread's last call. */
static void worker_finish(struct worker *worker) {
  if (worker->launch->check)
    worker->launch->check->finish();
  worker_free(worker);
}

/* Blocks ---------------------------------------------------------------------------------------- */

/* Computes the position of the first block of a chunk. A division for each block would cost a small block a tenth of
 * its time. */
static void find_place(struct worker *worker) {
  const uint32_t *grid = worker->launch->grid;
  uint64_t row = worker->index / grid[0];
  worker->place[0] = (uint32_t)(worker->index % grid[0]);
  worker->place[1] = (uint32_t)(row % grid[1]);
  worker->place[2] = (uint32_t)(row / grid[1]);
}

static void step(uint32_t place[3], const uint32_t grid[3]) {
  if (++place[0] < grid[0])
    return;
  place[0] = 0;
  if (++place[1] < grid[1])
    return;
  place[1] = 0;
  place[2]++;
}

/* Advances the worker before it runs the block, because the entry may jump out of this function. */
static void run_block(struct worker *worker) {
  const struct launch *launch = worker->launch;
  memcpy(worker->block.block_id, worker->place, sizeof worker->place);
  worker->index++;
  step(worker->place, launch->grid);
  launch->entry(&worker->block, launch->arguments);
}

static void take_blocks(struct worker *worker, uint64_t begin, uint64_t end) {
  worker->index = begin;
  worker->end = end;
  find_place(worker);
}

static int has_failed(struct launch *launch) { return atomic_load_explicit(&launch->failed, memory_order_relaxed) != 0; }

/* Takes a chunk; returns 0 if none is left, or if no other block should start. */
static int take_chunk(struct worker *worker) {
  uint64_t begin, end;
  if (has_failed(worker->launch) || !offload_cpu_take_chunk(&worker->launch->chunks, worker->part, &begin, &end))
    return 0;
  take_blocks(worker, begin, end);
  return 1;
}

/* Runs the blocks that were taken. If a block was left, the next call continues with the block after it. */
static void run_taken(struct worker *worker) {
  while (worker->index < worker->end)
    run_block(worker);
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whether other threads would save no more time than their start takes. `elapsed` is the time of the blocks that were
 * taken, all of which have run. */
static int save_little(const struct launch *launch, uint64_t elapsed) {
  double done = (double)launch->alone;
  double left = (double)elapsed / done * ((double)launch->block_count - done);
  return left - left / (double)launch->most_threads < START_NANOSECONDS;
}

/* Takes blocks for the calling thread alone; none if other threads should start. Blocks may differ, so the time is
 * looked at again after each chunk. */
static int take_alone(struct worker *worker) {
  struct launch *launch = worker->launch;
  uint64_t left = launch->block_count - launch->alone, count = 1, elapsed = nanoseconds() - launch->begin;
  if (elapsed >= ALONE_NANOSECONDS) {
    if (!save_little(launch, elapsed))
      return 0;
    count = offload_cpu_chunk_size(launch->block_count, launch->most_threads);
  }
  if (count > left)
    count = left;
  if (count == 0)
    return 0;
  take_blocks(worker, launch->alone, launch->alone + count);
  launch->alone += count;
  return 1;
}

/* Runs the blocks that were taken, and takes more until none is left, or other threads should start. */
static void run_blocks(struct worker *worker, int alone) {
  struct offload_cpu_stack stack;
  offload_cpu_watch_stack(&stack, &worker->left, OFFLOAD_CPU_STACK_FULL);
  int why = setjmp(worker->left);
  /* If a block could not continue, no thread takes another one. */
  if (why && why != PANICKED) {
    atomic_store_explicit(&worker->launch->failed, why, memory_order_relaxed);
  } else {
    do
      run_taken(worker);
    while (alone ? take_alone(worker) : take_chunk(worker));
  }
  offload_cpu_forget_stack(&stack);
}

/* Threads --------------------------------------------------------------------------------------- */

static unsigned usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (unsigned)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

/* Returns the value of OFFLOADRT_CPU_THREADS if it is a number above 0; otherwise the number of cores that this process
 * may use. */
unsigned offload_cpu_threads(void) {
  const char *text = secure_getenv("OFFLOADRT_CPU_THREADS");
  if (text) {
    char *end;
    errno = 0;
    long count = strtol(text, &end, 10);
    if (!errno && end != text && !*end && count > 0)
      return count < 4096 ? (unsigned)count : 4096;
  }
  return usable_cores();
}

/* A thread that another one starts. */
struct child {
  pthread_t thread;
  struct worker worker;
};

static void *run_thread(void *argument);

/* Decides whether the threads of the launch are placed, and on which cores. */
static void choose_cores(struct launch *launch) {
  if (sched_getaffinity(0, sizeof launch->cores, &launch->cores))
    return;
  launch->own_core = sched_getcpu();
  launch->places_threads = launch->own_core >= 0 && (uint64_t)CPU_COUNT(&launch->cores) == launch->most_threads;
}

/* Returns the part of a thread. The parts are in the order of the cores, so that a core has the same part, whichever
 * thread of the program launches. */
static uint64_t part_for(const struct launch *launch, uint64_t number) {
  if (launch->chunks.part_count == 1)
    return 0;
  uint64_t own = 0;
  for (int core = 0; core < launch->own_core; core++)
    own += CPU_ISSET(core, &launch->cores) != 0;
  return number == 0 ? own : number - (number <= own);
}

/* Returns the core for a thread of the launch, or -1. The calling thread has number 0 and its own core. */
static int core_for(const struct launch *launch, uint64_t number) {
  for (int core = 0; core < CPU_SETSIZE; core++)
    if (core != launch->own_core && CPU_ISSET(core, &launch->cores) && --number == 0)
      return core;
  return -1;
}

/* Moves a thread of the launch to its core, which it may leave afterwards. An attribute of the thread would do the first
 * step, but musl has no function for it. */
static void place_thread(pthread_t thread, const struct launch *launch, uint64_t number) {
  int core = core_for(launch, number);
  if (core < 0)
    return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  /* The system may refuse the core; the thread then runs where it is. */
  if (!pthread_setaffinity_np(thread, sizeof only, &only))
    pthread_setaffinity_np(thread, sizeof launch->cores, &launch->cores);
}

/* Starts thread `number` of the launch. Its memory is allocated before, so that a thread that starts runs blocks. */
static int start_child(struct child *child, struct launch *launch, uint64_t number) {
  if (worker_init(&child->worker, launch, part_for(launch, number)))
    return 1;
  if (pthread_create(&child->thread, NULL, run_thread, &child->worker)) {
    worker_free(&child->worker);
    return 1;
  }
  if (launch->places_threads)
    place_thread(child->thread, launch, number);
  return 0;
}

/* Starts up to CHILDREN threads and returns their number. If one cannot be started, which is not an error, the worker
 * takes the chunks of all parts in order, because nobody might begin that thread's. */
static int start_children(struct worker *worker, struct child children[CHILDREN]) {
  struct launch *launch = worker->launch;
  int started = 0;
  while (started < CHILDREN && offload_cpu_chunks_left(&launch->chunks)) {
    uint64_t number = atomic_fetch_add_explicit(&launch->threads, 1, memory_order_relaxed);
    if (number >= launch->most_threads)
      break;
    if (start_child(&children[started], launch, number)) {
      worker->part = OFFLOAD_CPU_ALL_PARTS;
      break;
    }
    started++;
  }
  return started;
}

/* Runs the worker's part of the launch, on its thread, and that of the threads that it started. */
static void run_with(struct worker *worker, struct child children[CHILDREN], int count) {
  run_blocks(worker, 0);
  worker_finish(worker);
  for (int i = 0; i < count; i++)
    pthread_join(children[i].thread, NULL);
}

static void *run_thread(void *argument) {
  struct worker *worker = argument;
  struct child children[CHILDREN];
  int count = start_children(worker, children);
  struct offload_cpu_signal_stack signals;
  offload_cpu_set_signal_stack(&signals);
  run_with(worker, children, count);
  offload_cpu_reset_signal_stack(&signals);
  return NULL;
}

/* Blocks signals, because signals from outside are for the program's own threads. Signals that report a fault are not
 * blocked: a blocked one would end the program without calling its handler. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t outside;
  sigfillset(&outside);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&outside, faults[i]);
  pthread_sigmask(SIG_BLOCK, &outside, before);
}

/* Runs the calling thread's part of a launch with several threads. */
static void run_with_others(struct worker *worker) {
  struct launch *launch = worker->launch;
  choose_cores(launch);
  offload_cpu_chunks_start(&launch->chunks, launch->block_count, launch->alone, launch->most_threads,
                           launch->places_threads ? launch->most_threads : 1);
  worker->part = part_for(launch, 0);
  struct child children[CHILDREN];
  sigset_t signals;
  block_signals(&signals);
  int count = start_children(worker, children);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
  run_with(worker, children, count);
  offload_cpu_chunks_end(&launch->chunks);
}

/* Runs all blocks on the calling thread. */
static void run_on_one(struct worker *worker) {
  take_blocks(worker, 0, worker->launch->block_count);
  run_blocks(worker, 0);
  worker_finish(worker);
}

/* Whether the calling thread first runs blocks alone, to find out how long the work takes. */
static int tries_alone(const struct launch *launch) {
  uint64_t block_threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
  return launch->block_count / launch->most_threads >= MANY_BLOCKS_PER_THREAD ||
         (block_threads < SMALL_GRID && launch->block_count * block_threads < SMALL_GRID);
}

static void run_launch(struct worker *worker) {
  struct launch *launch = worker->launch;
  uint64_t blocks = launch->block_count;
  uint64_t threads = blocks > 1 ? offload_cpu_threads() : 1;
  launch->most_threads = threads < blocks ? threads : blocks;
  if (launch->most_threads == 1) {
    run_on_one(worker);
    return;
  }
  if (tries_alone(launch)) {
    launch->begin = nanoseconds();
    run_blocks(worker, 1);
  }
  if (launch->alone < launch->block_count && !has_failed(launch))
    run_with_others(worker);
  else
    worker_finish(worker);
}

void *offload_cpu_frames(const struct offload_cpu_block *block, size_t *bytes) {
  const struct worker *worker = block->scheduler;
  *bytes = worker->frames_bytes;
  return worker->frames;
}

int offload_cpu_run(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                    struct offload_launch_state *state) {
  return offload_cpu_run_checked(entry, grid, block, static_shared_bytes, dynamic_shared_bytes, arguments, state, NULL);
}

int offload_cpu_run_checked(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                            uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                            struct offload_launch_state *state, struct offload_cpu_check *check) {
  struct launch launch = {
      .entry = entry,
      .arguments = arguments,
      .state = state,
      .check = check,
      .grid = {grid[0], grid[1], grid[2]},
      .block = {block[0], block[1], block[2]},
      .dynamic_shared_bytes = dynamic_shared_bytes,
      .static_bytes = ((size_t)static_shared_bytes + DYNAMIC_ALIGN - 1) / DYNAMIC_ALIGN * DYNAMIC_ALIGN,
      .block_count = (uint64_t)grid[0] * grid[1] * grid[2],
      .threads = 1,
  };
  struct worker worker;
  if (worker_init(&worker, &launch, 0))
    return OFFLOAD_CPU_OUT_OF_MEMORY;
  run_launch(&worker);
  return atomic_load_explicit(&launch.failed, memory_order_relaxed);
}

void offload_cpu_end(int result, const char *kernel) {
  fprintf(stderr, result == OFFLOAD_CPU_STACK_FULL ? "offloadrt: kernel `%s` overflowed its stack\n"
                                                   : "offloadrt: out of memory while kernel `%s` ran\n", kernel);
  abort();
}
