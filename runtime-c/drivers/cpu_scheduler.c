/* The cpu scheduler: it distributes blocks over threads, and allocates shared memory and memory for frames. See
 * cpu_scheduler.h.
 *
 * Each launch creates its threads. The calling thread starts two threads, each of which starts two more, until there
 * are enough or no work is left. All of them take blocks from one counter. If one block is a small part of the work, or
 * if the grid is small, the calling thread first runs blocks alone for ALONE_NANOSECONDS. It starts other threads when
 * those would save more time than their start takes, if the blocks that are left take as long as the ones before. A
 * launch of a tenth of a millisecond therefore creates no thread. With few large blocks this would be wrong, because
 * the first block may take a second.
 *
 * If a launch has a thread for each core, each thread starts on a core of its own. Left to itself, Linux often starts a
 * thread on the core of the thread that creates it and moves it some milliseconds later, so that a launch of that length
 * takes up to twice the time. Threads may move afterwards, because another program may need the core. With fewer threads
 * than cores nothing is known about which cores are free, and Linux chooses.
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

#include "cpu_stack.h"

enum {
  SHARED_ALIGN = 64,          /* the minimum alignment of shared memory and of frames */
  MOST_SHARED_ALIGN = 4096,   /* the maximum alignment of shared memory */
  DYNAMIC_ALIGN = 16,         /* the alignment of the dynamic part of shared memory */
  ALONE_NANOSECONDS = 20000,  /* after this time it is known how long blocks take */
  START_NANOSECONDS = 50000,  /* about what the start and the end of a thread cost a launch, more on a virtual machine */
  CHILDREN = 2,               /* the number of threads that one thread starts */
  CHUNKS_PER_THREAD = 16,     /* threads take blocks in chunks, to reduce contention for the counter */
  MANY_BLOCKS_PER_THREAD = 16, /* from this number on, one block is a small part of the work */
  SMALL_GRID = 1024,          /* kernel threads; with fewer, the work is probably complete before a thread starts */
  MOST_BLOCKS_IN_CHUNK = 256,
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
  uint64_t chunk;        /* the number of blocks in a chunk */
  uint64_t most_threads; /* including the calling thread */
  uint64_t begin;        /* the time at which the calling thread began to run blocks alone */
  _Atomic uint64_t next; /* the first block that no thread has taken */
  _Atomic uint64_t threads; /* started threads and those about to start, including the calling thread */
  atomic_int failed; /* the reason why an entry could not continue, or 0 */
  int places_threads;    /* whether each thread starts on a core of its own */
  int own_core;          /* the core of the calling thread */
  cpu_set_t cores;       /* the cores that the calling thread may use */
};

/* One thread of a launch. It is on the stack of that thread. */
struct worker {
  struct offload_cpu_block block; /* the struct that the entry receives */
  struct launch *launch;
  unsigned char *shared; /* from posix_memalign */
  unsigned char *frames; /* from posix_memalign; null until an entry requests it */
  size_t frames_bytes;
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
 * The entry owns nothing that must be freed. */
static void leave_block(const struct offload_cpu_block *block) {
  struct worker *worker = block->scheduler;
  longjmp(worker->left, PANICKED);
}

/* Returns the alignment of the kernel's static shared memory. The size is a multiple of it. */
static size_t shared_align(size_t static_bytes) {
  size_t power = static_bytes & -static_bytes;
  return power < SHARED_ALIGN ? SHARED_ALIGN : power > MOST_SHARED_ALIGN ? MOST_SHARED_ALIGN : power;
}

static int worker_init(struct worker *worker, struct launch *launch) {
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
              .leave = leave_block,
              .check = launch->check,
          },
      .launch = launch,
      .shared = shared,
  };
  return 0;
}

static void worker_free(struct worker *worker) {
  if (worker->launch->check)
    worker->launch->check->finish();
  free(worker->shared);
  free(worker->frames);
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

static int work_left(struct launch *launch) {
  return atomic_load_explicit(&launch->next, memory_order_relaxed) < launch->block_count;
}

/* Takes up to `chunk` blocks; returns 0 if none is left. */
static int take_chunk(struct worker *worker, uint64_t chunk) {
  struct launch *launch = worker->launch;
  /* Do not increase the counter beyond the end, so that it cannot wrap around. */
  if (!work_left(launch))
    return 0;
  uint64_t begin = atomic_fetch_add_explicit(&launch->next, chunk, memory_order_relaxed);
  if (begin >= launch->block_count)
    return 0;
  worker->index = begin;
  worker->end = launch->block_count - begin < chunk ? launch->block_count : begin + chunk;
  find_place(worker);
  return 1;
}

/* Runs the blocks that were taken. If a block was left, the next call continues with the block after it. */
static void run_taken(struct worker *worker) {
  while (worker->index < worker->end)
    run_block(worker);
}

/* Called if a block could not continue. After this call, no thread takes another block. */
static void give_up(struct launch *launch, int why) {
  atomic_store_explicit(&launch->failed, why, memory_order_relaxed);
  atomic_store_explicit(&launch->next, launch->block_count, memory_order_relaxed);
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whether other threads would save no more time than their start takes. `elapsed` is the time of the blocks that were
 * taken, all of which have run. */
static int save_little(struct launch *launch, uint64_t elapsed) {
  double done = (double)atomic_load_explicit(&launch->next, memory_order_relaxed);
  double left = (double)elapsed / done * ((double)launch->block_count - done);
  return left - left / (double)launch->most_threads < START_NANOSECONDS;
}

/* Takes more blocks for the calling thread alone; none if other threads should start. Blocks may differ, so the time is
 * looked at again after each chunk. */
static int take_alone(struct worker *worker) {
  struct launch *launch = worker->launch;
  uint64_t elapsed = nanoseconds() - launch->begin;
  if (elapsed < ALONE_NANOSECONDS)
    return take_chunk(worker, 1);
  return save_little(launch, elapsed) && take_chunk(worker, launch->chunk);
}

static int take_more(struct worker *worker, int alone) {
  return alone ? take_alone(worker) : take_chunk(worker, worker->launch->chunk);
}

/* Runs the blocks that were taken, and takes more until none is left, or other threads should start. */
static void run_chunks(struct worker *worker, int alone) {
  struct offload_cpu_stack stack;
  offload_cpu_watch_stack(&stack, &worker->left, OFFLOAD_CPU_STACK_FULL);
  int why = setjmp(worker->left);
  if (why && why != PANICKED) {
    give_up(worker->launch, why);
  } else {
    do
      run_taken(worker);
    while (take_more(worker, alone));
  }
  offload_cpu_forget_stack(&stack);
}

static void run_all_chunks(struct worker *worker) { run_chunks(worker, 0); }

static void run_alone(struct worker *worker) {
  worker->launch->begin = nanoseconds();
  run_chunks(worker, 1);
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

static void *run_thread(void *argument);

/* Decides whether the threads of the launch are placed, and on which cores. */
static void choose_cores(struct launch *launch) {
  if (sched_getaffinity(0, sizeof launch->cores, &launch->cores))
    return;
  launch->own_core = sched_getcpu();
  launch->places_threads = launch->own_core >= 0 && (uint64_t)CPU_COUNT(&launch->cores) == launch->most_threads;
}

/* Returns the core for a thread of the launch, or -1. The calling thread has number 0 and its own core. */
static int core_for(const struct launch *launch, uint64_t number) {
  for (int core = 0; core < CPU_SETSIZE; core++)
    if (core != launch->own_core && CPU_ISSET(core, &launch->cores) && --number == 0)
      return core;
  return -1;
}

/* Starts a thread on one core and then lets it use all cores. */
static int start_on_core(pthread_t *thread, struct launch *launch, int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error)
    return error;
  error = pthread_attr_setaffinity_np(&attributes, sizeof only, &only);
  if (!error)
    error = pthread_create(thread, &attributes, run_thread, launch);
  pthread_attr_destroy(&attributes);
  if (!error)
    pthread_setaffinity_np(*thread, sizeof launch->cores, &launch->cores);
  return error;
}

/* Starts a thread of the launch; Linux chooses the core if the chosen one is refused. */
static int start_thread(pthread_t *thread, struct launch *launch, uint64_t number) {
  int core = launch->places_threads ? core_for(launch, number) : -1;
  if (core >= 0 && !start_on_core(thread, launch, core))
    return 0;
  return pthread_create(thread, NULL, run_thread, launch);
}

/* Starts up to CHILDREN threads and returns their number. A thread that cannot be started is not an error. */
static int start_children(struct launch *launch, pthread_t children[CHILDREN]) {
  int started = 0;
  while (started < CHILDREN && work_left(launch)) {
    uint64_t number = atomic_fetch_add_explicit(&launch->threads, 1, memory_order_relaxed);
    if (number >= launch->most_threads || start_thread(&children[started], launch, number))
      break;
    started++;
  }
  return started;
}

static void join_children(pthread_t children[CHILDREN], int count) {
  for (int i = 0; i < count; i++)
    pthread_join(children[i], NULL);
}

static void *run_thread(void *argument) {
  struct launch *launch = argument;
  pthread_t children[CHILDREN];
  int count = start_children(launch, children);
  struct worker worker;
  struct offload_cpu_signal_stack signals;
  offload_cpu_set_signal_stack(&signals);
  /* If this thread cannot allocate its memory, the other threads do the work. The calling thread already has its
   * memory. */
  if (!worker_init(&worker, launch)) {
    run_all_chunks(&worker);
    worker_free(&worker);
  }
  join_children(children, count);
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
  pthread_t children[CHILDREN];
  sigset_t signals;
  block_signals(&signals);
  choose_cores(worker->launch);
  int count = start_children(worker->launch, children);
  pthread_sigmask(SIG_SETMASK, &signals, NULL);
  run_all_chunks(worker);
  join_children(children, count);
}

static uint64_t chunk_for(uint64_t blocks, uint64_t threads) {
  uint64_t chunk = blocks / threads / CHUNKS_PER_THREAD;
  if (chunk > MOST_BLOCKS_IN_CHUNK)
    return MOST_BLOCKS_IN_CHUNK;
  return chunk ? chunk : 1;
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
  launch->chunk = chunk_for(blocks, launch->most_threads);
  if (launch->most_threads == 1) {
    run_all_chunks(worker);
    return;
  }
  if (tries_alone(launch))
    run_alone(worker);
  if (work_left(launch))
    run_with_others(worker);
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
  if (worker_init(&worker, &launch))
    return OFFLOAD_CPU_OUT_OF_MEMORY;
  run_launch(&worker);
  worker_free(&worker);
  return atomic_load_explicit(&launch.failed, memory_order_relaxed);
}

void offload_cpu_end(int result, const char *kernel) {
  fprintf(stderr, result == OFFLOAD_CPU_STACK_FULL ? "offloadrt: kernel `%s` overflowed its stack\n"
                                                   : "offloadrt: out of memory while kernel `%s` ran\n", kernel);
  abort();
}
