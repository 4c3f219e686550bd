/* The cpu scheduler: blocks over threads, shared memory, memory for frames. See cpu_scheduler.h.
 *
 * Threads are made for each launch. The calling thread starts two, each of which starts two more, until
 * there are enough or no work is left; all of them take blocks from one counter. Where one block is a
 * small part of the work, or the whole grid is small, the calling thread runs blocks alone at first and
 * starts others only if there is still work after ALONE_NANOSECONDS: a short launch makes no thread. With
 * few large blocks that would be wrong, as the first one alone may take a second. A pool of waiting threads would save some microseconds on a launch of middling length, but
 * it would be state that outlives the call: lost in a forked child, and fatal when the shared object
 * that holds this code is closed while its threads sleep. */
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
  SHARED_ALIGN = 64,          /* of shared memory and of frames, at least */
  MOST_SHARED_ALIGN = 4096,   /* of shared memory */
  DYNAMIC_ALIGN = 16,         /* of the launch-sized part of shared memory */
  ALONE_NANOSECONDS = 20000,  /* about what starting a thread costs */
  CHILDREN = 2,               /* threads that one thread starts */
  CHUNKS_PER_THREAD = 16,     /* blocks are taken in chunks, so that the counter is not fought over */
  MANY_BLOCKS_PER_THREAD = 16, /* from here on one block is a small part of the work */
  SMALL_GRID = 1024,          /* kernel threads; below, the work is likely done before a thread starts */
  MOST_BLOCKS_IN_CHUNK = 256,
};

/* One call of offload_cpu_run; every thread of it has a pointer to this. */
struct launch {
  offload_cpu_entry entry;
  const unsigned char *arguments;
  struct offload_launch_state *state;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared_bytes;
  size_t static_bytes; /* rounded up to DYNAMIC_ALIGN */
  uint64_t block_count;
  uint64_t chunk;        /* blocks taken at once by the threads */
  uint64_t most_threads; /* the calling one included */
  _Atomic uint64_t next; /* the first block that nobody has taken */
  _Atomic uint64_t threads; /* started or about to be, the calling one included */
  atomic_int failed; /* why an entry could not go on, or 0 */
};

/* One thread of a launch, on that thread's stack. */
struct worker {
  struct offload_cpu_block block; /* what the entry sees */
  struct launch *launch;
  unsigned char *shared; /* from posix_memalign */
  unsigned char *frames; /* likewise; null until an entry asks */
  size_t frames_bytes;
  uint64_t index, end; /* what it has taken and not begun */
  uint32_t place[3];   /* where block `index` stands in the grid */
  jmp_buf left; /* where an entry is left that cannot go on; the value says why */
};

/* Why an entry was left, where the launch goes on; else it is what the launch returns. */
enum { PANICKED = OFFLOAD_CPU_FAILURES };

/* Memory ---------------------------------------------------------------------------------------- */

/* Never null for want of size: an empty piece has an address too. Null when memory is out. */
static void *allocate_aligned(size_t align, size_t bytes) {
  void *address = NULL;
  return posix_memalign(&address, align, bytes ? bytes : 1) ? NULL : address;
}

/* offload_cpu_block.frames. Does not return when memory is out: generated code has no way to fail, so
 * the entry is left where it stands; it owns nothing that would have to be given back. */
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

/* offload_cpu_block.leave. Threads of a block run in turns on one stack, so that the block ends where one
 * of them panics; like above, nothing has to be given back. */
static void leave_block(const struct offload_cpu_block *block) {
  struct worker *worker = block->scheduler;
  longjmp(worker->left, PANICKED);
}

/* What the kernel's static shared memory is aligned to: its size is a multiple of that. */
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
          },
      .launch = launch,
      .shared = shared,
  };
  return 0;
}

static void worker_free(struct worker *worker) {
  free(worker->shared);
  free(worker->frames);
}

/* Blocks ---------------------------------------------------------------------------------------- */

/* Begins a chunk. Dividing once for each block would cost a small block a tenth of its time. */
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

/* The worker stands behind the block before it runs, as the entry may be left. */
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

/* Takes up to `chunk` blocks; 0 when none was left. */
static int take_chunk(struct worker *worker, uint64_t chunk) {
  struct launch *launch = worker->launch;
  /* Past the end the counter is not moved, so that it cannot wrap. */
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

/* Runs what was taken. Where a block was left the next call goes on with the one behind it. */
static void run_taken(struct worker *worker) {
  while (worker->index < worker->end)
    run_block(worker);
}

/* A block could not go on: no thread takes another one. */
static void give_up(struct launch *launch, int why) {
  atomic_store_explicit(&launch->failed, why, memory_order_relaxed);
  atomic_store_explicit(&launch->next, launch->block_count, memory_order_relaxed);
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Takes the next chunk; before a time, single blocks, and none later. */
static int take_more(struct worker *worker, uint64_t until) {
  if (!until)
    return take_chunk(worker, worker->launch->chunk);
  return nanoseconds() < until && take_chunk(worker, 1);
}

/* Runs what was taken, and more until there is no more to take. */
static void run_chunks(struct worker *worker, uint64_t until) {
  struct offload_cpu_stack stack;
  offload_cpu_watch_stack(&stack, &worker->left, OFFLOAD_CPU_STACK_FULL);
  int why = setjmp(worker->left);
  if (why && why != PANICKED) {
    give_up(worker->launch, why);
  } else {
    do
      run_taken(worker);
    while (take_more(worker, until));
  }
  offload_cpu_forget_stack(&stack);
}

static void run_all_chunks(struct worker *worker) { run_chunks(worker, 0); }

/* Runs single blocks until starting threads is worth its price. */
static void run_alone(struct worker *worker) { run_chunks(worker, nanoseconds() + ALONE_NANOSECONDS); }

/* Threads --------------------------------------------------------------------------------------- */

static unsigned usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (unsigned)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

/* OFFLOADRT_CPU_THREADS if that is a number above 0, else the cores this process may run on. */
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

/* Starts up to CHILDREN threads; returns how many. A thread that cannot be started is done without. */
static int start_children(struct launch *launch, pthread_t children[CHILDREN]) {
  int started = 0;
  while (started < CHILDREN && work_left(launch)) {
    if (atomic_fetch_add_explicit(&launch->threads, 1, memory_order_relaxed) >= launch->most_threads)
      break;
    if (pthread_create(&children[started], NULL, run_thread, launch))
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
  /* Without memory of its own this thread leaves the work to the others: the calling one has its. */
  if (!worker_init(&worker, launch)) {
    run_all_chunks(&worker);
    worker_free(&worker);
  }
  join_children(children, count);
  offload_cpu_reset_signal_stack(&signals);
  return NULL;
}

/* Signals from outside belong to the program's own threads; those that report a fault stay open, as a
 * blocked one ends the program without asking it. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t outside;
  sigfillset(&outside);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&outside, faults[i]);
  pthread_sigmask(SIG_BLOCK, &outside, before);
}

/* The calling thread's part of a launch that is worth several. */
static void run_with_others(struct worker *worker) {
  pthread_t children[CHILDREN];
  sigset_t signals;
  block_signals(&signals);
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

/* Whether the calling thread should see first how long the work takes. */
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

int offload_cpu_run(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                    struct offload_launch_state *state) {
  struct launch launch = {
      .entry = entry,
      .arguments = arguments,
      .state = state,
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
