/* Tests of the order in which the checker sees accesses: by barriers, launches and atomics; and of threads that do not
 * arrive where others wait. */
#include "checker.h"

static const int other_stream;

/* Barriers and launches ------------------------------------------------------------------------ */

static void only_unordered_accesses_race(void) {
  begin(NULL);
  thread(0);
  write_at(1, data);
  read_at(2, data);
  CHECK_CLEAN();
  thread(1);
  read_at(3, data);
  CHECK_REPORTED("data-race");
  barrier();
  thread(2);
  write_at(4, data);
  CHECK_CLEAN();
  barrier();
  thread(1);
  read_at(5, data);
  thread(0);
  write_at(6, data);
  CHECK_REPORTED("data-race");
  barrier();
  for (uint32_t i = 0; i < 8; i++) {
    thread(i);
    read_at(5, data);
  }
  CHECK_CLEAN();
  thread(0);
  write_at(6, data);
  CHECK_REPORTED("data-race");
  /* A barrier of one block orders nothing for another one. */
  run_block(1);
  barrier();
  thread(0);
  read_at(7, data);
  CHECK_REPORTED("data-race");
  finish();
}

static void a_barrier_of_a_warp_orders_its_lanes(void) {
  for (uint32_t reader = LANES - 1; reader <= LANES; reader++) {
    begin(NULL);
    thread(0);
    write_at(1, data);
    for (uint32_t i = 0; i < 8; i++) {
      thread(i);
      offloadrt_check_warp(UINT64_MAX, line(2));
    }
    for (uint32_t i = 0; i < 8; i++)
      thread(i);
    thread(reader);
    read_at(3, data);
    if (reader < LANES)
      CHECK_CLEAN();
    else
      CHECK_REPORTED("data-race");
    finish();
  }
}

/* Two launches, each of which writes a word; the first one is in the default stream. */
static void write_from_both(const void *stream, void (*between)(void)) {
  begin(NULL);
  write_at(1, data);
  CHECK(end() == OFFLOADRT_SUCCESS);
  between();
  begin(stream);
  write_at(2, data);
  CHECK(end() == OFFLOADRT_SUCCESS);
}

static const int event;
static void nothing(void) {}
static void wait_for_default(void) { check_core.wait(&device, NULL, 0); }
static void wait_for_other(void) { check_core.wait(&device, &other_stream, 0); }
static void record_only(void) { check_core.record(&event, &device, NULL); }
static void record_and_wait(void) {
  record_only();
  check_core.wait_for_event(&event, &device, &other_stream);
}
static void record_and_synchronize(void) {
  record_only();
  check_core.synchronize_event(&event);
}

static void streams_events_and_the_host_order_launches(void) {
  static void (*const orders[])(void) = {wait_for_default, record_and_wait, record_and_synchronize};
  static void (*const others[])(void) = {nothing, wait_for_other, record_only};
  check_core.add_stream(&device, &other_stream);
  for (size_t i = 0; i < 3; i++) {
    write_from_both(&other_stream, orders[i]);
    CHECK_CLEAN();
    finish();
    write_from_both(&other_stream, others[i]);
    CHECK_REPORTED("data-race");
    finish();
  }
  write_from_both(NULL, nothing);
  CHECK_CLEAN();
  finish();
  /* A copy is work like a launch. */
  begin(NULL);
  write_at(1, data);
  CHECK(end() == OFFLOADRT_SUCCESS);
  check_core.copy(&device, &other_stream, NULL, data, 4);
  CHECK_REPORTED("data-race");
  finish();
  check_core.remove_stream(&device, &other_stream);
}

static void threads_at_different_barriers_are_reported(void) {
  begin(NULL);
  for (uint32_t i = 0; i < 8; i++) {
    thread(i);
    offloadrt_check_barrier(line(i < 5 ? 1 : 2));
  }
  CHECK_CLEAN();
  thread(0);
  CHECK_REPORTED("barrier");
  for (uint32_t i = 1; i < 8; i++) {
    thread(i);
    if (i < 6)
      offloadrt_check_exit(line(3));
    else
      offloadrt_check_barrier(line(4));
  }
  thread(6);
  const char *text = reports();
  CHECK(count_of(text, "\n") == 1 && strstr(text, "2 of 8 threads reach a barrier, and the others have returned"));
  CHECK(strstr(text, "\"access\": \"return\", \"file\": \"src/main.rs\", \"line\": 3"));
  finish();
}

static void a_lane_that_is_elsewhere_is_reported(void) {
  enum { INDEX, XOR };
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    begin(NULL);
    for (uint32_t i = 0; i < LANES; i++) {
      thread(i);
      if (i != 3 || is_whole)
        offloadrt_check_shuffle(XOR, 1, line(1));
    }
    thread(0);
    if (is_whole)
      CHECK_CLEAN();
    else
      CHECK_REPORTED("inactive-lane");
    finish();
  }
}

/* Atomics -------------------------------------------------------------------------------------- */

static void atomic(uint32_t *at, uint32_t kind, uint32_t ordering, uint32_t scope) {
  uint32_t how = kind | scope << CHECK_HOW_SCOPE | ordering << CHECK_HOW_ORDERING;
  offloadrt_check_atomic(at, 4, how, line(61));
  offloadrt_check_atomic_done(at, 4, how, line(61));
}
static void store(uint32_t *at, uint32_t ordering, uint32_t scope) { atomic(at, CHECK_HOW_WRITES, ordering, scope); }
static void load(uint32_t *at, uint32_t ordering, uint32_t scope) { atomic(at, CHECK_HOW_READS, ordering, scope); }
static void fence(uint32_t ordering, uint32_t scope) {
  offloadrt_check_fence(CHECK_HOW_READS | CHECK_HOW_WRITES | scope << CHECK_HOW_SCOPE | ordering << CHECK_HOW_ORDERING);
}

/* Thread 0 writes a word and then the flag; thread `reader` reads the flag and then the word, in the block `reads_in`.
 * Returns whether this is a race. */
struct message {
  uint32_t store, load, scope, load_scope, reads_in;
};
static int races(struct message m) {
  begin(NULL);
  thread(0);
  write_at(1, data);
  store(flag, m.store, m.scope);
  if (m.reads_in)
    run_block(m.reads_in);
  thread(5);
  load(flag, m.load, m.load_scope);
  read_at(2, data);
  finish();
  int count = count_of(reports(), "\"line\": 2");
  CHECK(count < 2);
  return count;
}

static void a_release_and_an_acquire_order(void) {
  CHECK(!races((struct message){RELEASE, ACQUIRE, DEVICE, DEVICE, 0}));
  CHECK(!races((struct message){BOTH, BOTH, SYSTEM, SYSTEM, 1}));
  CHECK(races((struct message){RELAXED, ACQUIRE, DEVICE, DEVICE, 0}));
  CHECK(races((struct message){RELEASE, RELAXED, DEVICE, DEVICE, 0}));
  CHECK(races((struct message){RELAXED, RELAXED, DEVICE, DEVICE, 1}));
}

static void a_scope_ends_at_the_block(void) {
  CHECK(!races((struct message){RELEASE, ACQUIRE, BLOCK, BLOCK, 0}));
  CHECK(!races((struct message){RELEASE, ACQUIRE, DEVICE, DEVICE, 1}));
  CHECK(races((struct message){RELEASE, ACQUIRE, BLOCK, DEVICE, 1}));
  CHECK(races((struct message){RELEASE, ACQUIRE, DEVICE, BLOCK, 1}));
}

static void atomics_race_with_plain_accesses_and_beyond_their_scope(void) {
  for (uint32_t scope = DEVICE; scope <= BLOCK; scope++) {
    begin(NULL);
    thread(0);
    store(flag, RELAXED, scope);
    thread(1);
    store(flag, RELAXED, scope);
    CHECK_CLEAN();
    run_block(1);
    store(flag, RELAXED, scope);
    if (scope == DEVICE)
      CHECK_CLEAN();
    else
      CHECK_REPORTED("data-race");
    thread(1);
    read_at(1, flag);
    CHECK_REPORTED("data-race");
    finish();
  }
}

static void an_access_after_the_release_is_not_ordered(void) {
  begin(NULL);
  thread(0);
  store(flag, RELEASE, DEVICE);
  write_at(1, data);
  thread(1);
  load(flag, ACQUIRE, DEVICE);
  read_at(2, data);
  CHECK_REPORTED("data-race");
  finish();
  /* An access of another thread is not ordered either, nor is one that was released at another address. */
  begin(NULL);
  thread(2);
  write_at(1, data);
  thread(0);
  store(flag, RELEASE, DEVICE);
  thread(2);
  store(other_flag, RELEASE, DEVICE);
  thread(1);
  load(flag, ACQUIRE, DEVICE);
  read_at(2, data);
  CHECK_REPORTED("data-race");
  finish();
}

static void fences_make_relaxed_operations_order(void) {
  for (int fences = 0; fences < 4; fences++) {
    begin(NULL);
    thread(0);
    write_at(1, data);
    if (fences & 1)
      fence(RELEASE, DEVICE);
    store(flag, RELAXED, DEVICE);
    run_block(1);
    load(flag, RELAXED, DEVICE);
    if (fences & 2)
      fence(ACQUIRE, DEVICE);
    read_at(2, data);
    if (fences == 3)
      CHECK_CLEAN();
    else
      CHECK_REPORTED("data-race");
    finish();
  }
  begin(NULL);
  thread(0);
  write_at(1, data);
  fence(RELEASE, BLOCK);
  store(flag, RELAXED, DEVICE);
  run_block(1);
  load(flag, ACQUIRE, DEVICE);
  read_at(2, data);
  CHECK_REPORTED("data-race");
  finish();
}

/* Thread 0 of block 0 releases a flag. A thread of block `middle` acquires it, and releases another flag, which a thread
 * of block `last` acquires. Returns whether the last thread's read races with the first one's write. */
struct chain {
  uint32_t scope, middle, last_scope, last, load_scope;
};
static int chain_races(struct chain chain) {
  begin(NULL);
  thread(0);
  write_at(1, data);
  store(flag, RELEASE, chain.scope);
  if (chain.middle)
    run_block(chain.middle);
  thread(1);
  load(flag, ACQUIRE, chain.scope);
  store(other_flag, RELEASE, chain.last_scope);
  if (chain.last != chain.middle)
    run_block(chain.last);
  thread(2);
  load(other_flag, ACQUIRE, chain.load_scope);
  read_at(2, data);
  finish();
  return count_of(reports(), "\"line\": 2");
}

static void what_was_acquired_is_released_again(void) {
  CHECK(!chain_races((struct chain){DEVICE, 0, DEVICE, 0, DEVICE}));
  CHECK(!chain_races((struct chain){DEVICE, 1, DEVICE, 2, DEVICE}));
  /* The scope of each step is enough for its own two threads. */
  CHECK(!chain_races((struct chain){BLOCK, 0, DEVICE, 1, DEVICE}));
  CHECK(!chain_races((struct chain){DEVICE, 1, BLOCK, 1, DEVICE}));
  CHECK(!chain_races((struct chain){DEVICE, 1, DEVICE, 1, BLOCK}));
  CHECK(chain_races((struct chain){BLOCK, 1, DEVICE, 1, DEVICE}));
  CHECK(chain_races((struct chain){DEVICE, 1, BLOCK, 2, DEVICE}));
  CHECK(chain_races((struct chain){DEVICE, 0, BLOCK, 1, DEVICE}));
  CHECK(chain_races((struct chain){DEVICE, 1, DEVICE, 2, BLOCK}));
}

static void barriers_pass_on_what_threads_know(void) {
  begin(NULL);
  thread(3);
  write_at(1, data);
  barrier();
  thread(0);
  store(flag, RELEASE, DEVICE);
  run_block(1);
  load(flag, ACQUIRE, DEVICE);
  barrier();
  thread(6);
  read_at(2, data);
  CHECK_CLEAN();
  finish();
  /* Without the barrier in the second block, the acquire orders only its own thread. */
  begin(NULL);
  thread(3);
  write_at(1, data);
  barrier();
  thread(0);
  store(flag, RELEASE, DEVICE);
  run_block(1);
  load(flag, ACQUIRE, DEVICE);
  thread(6);
  read_at(2, data);
  CHECK_REPORTED("data-race");
  finish();
}

/* ---------------------------------------------------------------------------------------------- */

static void all(void) {
  RUN(only_unordered_accesses_race);
  RUN(a_barrier_of_a_warp_orders_its_lanes);
  RUN(streams_events_and_the_host_order_launches);
  RUN(threads_at_different_barriers_are_reported);
  RUN(a_lane_that_is_elsewhere_is_reported);
  RUN(a_release_and_an_acquire_order);
  RUN(a_scope_ends_at_the_block);
  RUN(atomics_race_with_plain_accesses_and_beyond_their_scope);
  RUN(an_access_after_the_release_is_not_ordered);
  RUN(fences_make_relaxed_operations_order);
  RUN(what_was_acquired_is_released_again);
  RUN(barriers_pass_on_what_threads_know);
}

int main(void) {
  run_all(all);
  return 0;
}
