/* The block that a thread of the host runs, and the threads of the block: which one runs, and where they wait. A block
 * runs on one thread of the host, so nothing here needs a lock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

_Thread_local struct check_run *check_now __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t runs;

/* The run of a thread of the host, with the range of its stack. */
struct own_run {
  struct check_run run;
  uintptr_t stack_end;
  unsigned char *shared; /* the workgroup memory that was announced */
  size_t shared_bytes;
};

static void free_run(void *own) {
  struct own_run *run = own;
  if (run->shared)
    check_remove_region((uintptr_t)run->shared);
  check_forget_known(&run->run);
  free(run);
}

static void make_key(void) { pthread_key_create(&runs, free_run); }

static void find_stack(struct own_run *own) {
  pthread_attr_t attributes;
  void *low;
  size_t bytes;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return;
  if (!pthread_attr_getstack(&attributes, &low, &bytes)) {
    own->run.stack_low = (uintptr_t)low;
    own->stack_end = (uintptr_t)low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

static struct own_run *own_run(void) {
  pthread_once(&once, make_key);
  struct own_run *own = pthread_getspecific(runs);
  if (own)
    return own;
  own = calloc(1, sizeof *own);
  if (!own)
    return NULL;
  find_stack(own);
  pthread_setspecific(runs, own);
  return own;
}

/* Blocks ---------------------------------------------------------------------------------------- */

/* Announces the workgroup memory of the block. `shared` has the number of lanes and that of the kernel's statics, then
 * the offset and the size of each. */
static void announce_shared(struct own_run *own, const struct offload_cpu_block *block, const uint64_t *shared) {
  uintptr_t begin = (uintptr_t)block->shared;
  size_t bytes = (size_t)(block->dynamic_shared - block->shared) + block->dynamic_shared_bytes;
  if (own->shared && (own->shared != block->shared || own->shared_bytes != bytes)) {
    check_remove_region((uintptr_t)own->shared);
    own->shared = NULL;
  }
  if (!bytes)
    return;
  if (!own->shared) {
    check_add_region(begin, bytes, CHECK_SHARED_BY_BLOCK, NULL);
    own->shared = block->shared;
    own->shared_bytes = bytes;
  }
  check_clear(begin, bytes, CHECK_VALID | CHECK_WRITTEN);
  for (uint64_t i = 0; i < shared[1]; i++)
    check_set(begin + shared[2 + 2 * i], shared[3 + 2 * i], CHECK_VALID);
  check_set((uintptr_t)block->dynamic_shared, block->dynamic_shared_bytes, CHECK_VALID);
}

void check_finish(void) {
  pthread_once(&once, make_key);
  struct own_run *own = pthread_getspecific(runs);
  check_now = NULL;
  if (own && own->shared)
    check_remove_region((uintptr_t)own->shared);
  if (own)
    own->shared = NULL;
}

static uint64_t number_of(const struct offload_cpu_block *block) {
  return block->block_id[0] +
         (uint64_t)block->grid_dim[0] * (block->block_id[1] + (uint64_t)block->grid_dim[1] * block->block_id[2]);
}

void offloadrt_check_block(const struct offload_cpu_block *block, const uint64_t *shared) {
  struct check_launch *launch = block->check;
  struct own_run *own = launch ? own_run() : NULL;
  check_now = NULL;
  if (!own)
    return;
  struct check_run *run = &own->run;
  check_forget_known(run);
  memset(run->threads, 0, sizeof *run->threads * run->thread_count);
  memset(run->warp_ticks, 0, sizeof *run->warp_ticks * run->thread_count);
  run->launch = launch;
  run->block = block;
  /* The frames of kernels are below the scheduler's, which contains the block. Above are those of the host, which may
   * have mapped its locals. A thread that only runs blocks has no such frames, and its first block may be in the frame
   * of the thread that has started it: its whole stack is private then, and nothing else. */
  uintptr_t at = (uintptr_t)block;
  run->stack_high = at >= run->stack_low && at < own->stack_end ? at : own->stack_end;
  run->base = (launch->first_run + number_of(block)) << CHECK_TICKS;
  run->floor = launch->floor;
  run->barrier = 0;
  run->tick = 1;
  run->thread = 0;
  run->thread_count = block->block_dim[0] * block->block_dim[1] * block->block_dim[2];
  run->lanes = (uint32_t)shared[0];
  run->arrived = run->returned = 0;
  run->first_place = run->other_place = run->returned_place = NULL;
  announce_shared(own, block, shared);
  if (run->thread_count <= CHECK_THREADS)
    check_now = run;
}

int check_is_private(const struct check_run *run, uintptr_t address, size_t bytes) {
  uintptr_t arguments = (uintptr_t)run->launch->arguments;
  if (check_is_on_stack(run, address) ||
      (address - arguments < run->launch->argument_bytes && bytes <= run->launch->argument_bytes))
    return 1;
  size_t frame_bytes;
  uintptr_t frames = (uintptr_t)offload_cpu_frames(run->block, &frame_bytes);
  return address - frames < frame_bytes;
}

/* Barriers -------------------------------------------------------------------------------------- */

static struct check_reported waiting(const struct check_run *run, enum check_verb verb, uint32_t thread,
                                     const struct offloadrt_place *place) {
  struct check_access access = {run->base | run->tick, check_where(place, thread, 0)};
  return (struct check_reported){verb, access, 0};
}

/* Reports a barrier that some threads have not reached when the others go on. */
static void check_agreement(const struct check_run *run) {
  if (!run->first_place)
    return;
  struct check_reported both[2] = {waiting(run, CHECK_WAITS, run->first_arrived, run->first_place)};
  if (run->other_place) {
    both[1] = waiting(run, CHECK_WAITS, run->other_arrived, run->other_place);
    check_report(CHECK_BARRIER, run, both, 2, "threads of one block wait at different barriers");
  } else if (run->returned) {
    both[1] = waiting(run, CHECK_RETURNS, run->first_returned, run->returned_place);
    check_report(CHECK_BARRIER, run, both, 2, "%u of %u threads reach a barrier, and the others have returned",
                 run->arrived, run->thread_count);
  }
}

/* The first thread that goes on after a barrier: all earlier accesses of all threads are complete. */
static void pass_barrier(struct check_run *run) {
  check_agreement(run);
  run->barrier = ++run->tick;
  run->arrived = 0;
  run->first_place = run->other_place = NULL;
  check_share_known(run);
}

/* Shuffles -------------------------------------------------------------------------------------- */

/* The first lane that goes on after a shuffle: the lanes that wait there have executed it together. */
static void pass_shuffle(struct check_run *run, const struct offloadrt_place *place) {
  uint32_t begin = run->thread - run->thread % run->lanes, end = begin + run->lanes;
  if (end > run->thread_count)
    end = run->thread_count;
  for (uint32_t lane = begin; lane < end; lane++) {
    const struct check_thread *thread = &run->threads[lane];
    uint32_t source = begin + thread->source;
    if (thread->waits != CHECK_AT_SHUFFLE || thread->shuffle != place || source >= end)
      continue;
    if (run->threads[source].waits == CHECK_AT_SHUFFLE && run->threads[source].shuffle == place)
      continue;
    struct check_reported shuffle = waiting(run, CHECK_SHUFFLES, lane, place);
    check_report(CHECK_INACTIVE_LANE, run, &shuffle, 1,
                 "lane %u reads the value of lane %u, which does not execute the shuffle", lane - begin, thread->source);
  }
  for (uint32_t lane = begin; lane < end; lane++)
    if (run->threads[lane].waits == CHECK_AT_SHUFFLE && run->threads[lane].shuffle == place)
      run->threads[lane].waits = CHECK_RUNS;
}

/* Returns the lane whose value a shuffle reads; without such a lane, its own. */
static uint32_t source_of(uint32_t mode, uint32_t lane, uint32_t argument, uint32_t lanes) {
  enum { INDEX, XOR, UP, DOWN };
  uint32_t source = mode == INDEX ? argument % lanes : mode == XOR ? lane ^ argument : mode == UP ? lane - argument : lane + argument;
  return source < lanes ? source : lane;
}

void offloadrt_check_shuffle(uint32_t mode, uint32_t argument, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  if (!run || run->lanes < 2)
    return;
  struct check_thread *thread = &run->threads[run->thread];
  thread->waits = CHECK_AT_SHUFFLE;
  thread->shuffle = place;
  thread->source = source_of(mode, run->thread % run->lanes, argument, run->lanes);
}

/* A thread goes on: at the start of the kernel, or after it has waited. */
void offloadrt_check_thread(uint64_t number) {
  struct check_run *run = check_now;
  if (!run)
    return;
  run->thread = (uint32_t)number;
  struct check_thread *thread = &run->threads[number];
  if (!thread->waits)
    return;
  uint32_t *warp = &run->warp_ticks[run->thread / run->lanes];
  if (thread->waits == CHECK_AT_BARRIER && thread->waits_since >= run->barrier)
    pass_barrier(run);
  else if (thread->waits == CHECK_AT_WARP_BARRIER && thread->waits_since >= *warp)
    *warp = ++run->tick;
  else if (thread->waits == CHECK_AT_SHUFFLE)
    pass_shuffle(run, thread->shuffle);
  thread->waits = CHECK_RUNS;
}

void offloadrt_check_barrier(const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  if (!run)
    return;
  struct check_thread *thread = &run->threads[run->thread];
  thread->waits = CHECK_AT_BARRIER;
  thread->waits_since = run->tick;
  run->arrived++;
  if (!run->first_place) {
    run->first_place = place;
    run->first_arrived = run->thread;
  } else if (run->first_place != place && !run->other_place) {
    run->other_place = place;
    run->other_arrived = run->thread;
  }
}

void offloadrt_check_warp(uint64_t mask, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  (void)mask;
  (void)place;
  if (!run)
    return;
  run->threads[run->thread].waits = CHECK_AT_WARP_BARRIER;
  run->threads[run->thread].waits_since = run->tick;
}

void offloadrt_check_exit(const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  if (!run)
    return;
  if (!run->returned++) {
    run->first_returned = run->thread;
    run->returned_place = place;
  }
}
