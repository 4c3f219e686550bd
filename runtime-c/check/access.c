/* The checks of single accesses. Most accesses are to aligned words that nobody else has accessed since the last
 * barrier or launch. These take the short way through access_words(). */
#include <pthread.h>

#include "check.h"

static unsigned size_flags(size_t bytes) {
  unsigned size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : bytes == 16 ? 4 : 7;
  return size << CHECK_SIZE_SHIFT;
}

/* Races ----------------------------------------------------------------------------------------- */

/* Whether two atomic accesses agree about their scope: each is in the scope of the other one. */
static int agree(const struct check_run *run, struct check_access before, unsigned flags) {
  unsigned both = check_flags_of(before.where) & flags & CHECK_ATOMIC;
  int of_block = (check_flags_of(before.where) | flags) & CHECK_OF_BLOCK;
  return both && (!of_block || check_run_of(before.when) == run->base >> 32);
}

static int is_of_same_warp(const struct check_run *run, struct check_access before) {
  uint32_t warp = run->thread / run->lanes;
  return before.when - run->base < run->warp_ticks[warp] && check_thread_of(before.where) / run->lanes == warp;
}

/* Whether an access to memory is ordered before the running thread after all. */
static __attribute__((noinline)) int is_ordered(const struct check_run *run, const struct check_page *page,
                                                struct check_access before) {
  uint32_t of = check_run_of(before.when);
  if (of == run->base >> 32)
    return is_of_same_warp(run, before) || check_is_acquired(run, before);
  if (page->of_blocks)
    return 1;
  const struct check_launch *launch = check_launch_of(of);
  if (!launch || (launch != run->launch && check_are_ordered(launch, run->launch)))
    return 1;
  return check_is_acquired(run, before);
}

static __attribute__((noinline)) void report_race(const struct check_run *run, struct check_access before,
                                                  enum check_verb verb_before, struct check_access after,
                                                  enum check_verb verb) {
  struct check_reported both[] = {{verb, after, 0}, {verb_before, before, 0}};
  check_report(CHECK_RACE, run, both, 2, "two threads access the same memory, and nothing orders the accesses");
}

/* Compares an access with one that is remembered. */
static inline void compare(const struct check_run *run, const struct check_page *page, struct check_access before,
                           enum check_verb verb_before, struct check_access after, enum check_verb verb) {
  if (__builtin_expect(check_is_before(run, before), 1) || agree(run, before, check_flags_of(after.where)) ||
      is_ordered(run, page, before))
    return;
  report_race(run, before, verb_before, after, verb);
}

/* Remembers a reader. Two readers of different blocks are kept if there are any, otherwise two of different threads:
 * whoever writes next without being ordered then races with one of them. */
static inline void remember_reader(const struct check_run *run, struct check_cell *cell, struct check_access me) {
  struct check_access read = check_load(&cell->read);
  if (check_is_before(run, read)) {
    if (read.when != me.when || (read.where ^ me.where) >> CHECK_THREAD_SHIFT)
      check_store(&cell->read, me);
    return;
  }
  struct check_access other = check_load(&cell->other_read);
  if (check_is_before(run, other) || (check_run_of(other.when) == check_run_of(read.when) &&
                                      check_run_of(me.when) != check_run_of(read.when))) {
    if (other.when != me.when || (other.where ^ me.where) >> CHECK_THREAD_SHIFT)
      check_store(&cell->other_read, me);
  }
}

static inline void read_cell(const struct check_run *run, const struct check_page *page, struct check_cell *cell,
                             struct check_access me) {
  compare(run, page, check_load(&cell->write), CHECK_WRITES, me, CHECK_READS);
  remember_reader(run, cell, me);
}

static inline void write_cell(const struct check_run *run, const struct check_page *page, struct check_cell *cell,
                              struct check_access me) {
  compare(run, page, check_load(&cell->write), CHECK_WRITES, me, CHECK_WRITES);
  if (cell->read.when)
    compare(run, page, check_load(&cell->read), CHECK_READS, me, CHECK_WRITES);
  if (cell->other_read.when)
    compare(run, page, check_load(&cell->other_read), CHECK_READS, me, CHECK_WRITES);
  check_store(&cell->write, me);
}

static void access_cell(const struct check_run *run, const struct check_page *page, struct check_cell *cell,
                        struct check_access me, enum check_verb verb) {
  if (verb == CHECK_WRITES)
    write_cell(run, page, cell, me);
  else
    read_cell(run, page, cell, me);
}

/* Words and parts of words ------------------------------------------------------------------------ */

/* Gives each byte of a word its own cell. */
static struct check_cell *split(struct check_page *page, uint32_t word) {
  struct check_cell *bytes = check_byte_cells(page);
  if (!bytes)
    return NULL;
  if (!(page->state[word] & CHECK_SPLIT)) {
    for (int i = 0; i < 4; i++)
      bytes[word * 4 + i] = page->cells[word];
    __atomic_fetch_or(&page->state[word], CHECK_SPLIT, __ATOMIC_RELAXED);
  }
  return bytes + word * 4;
}

/* An access to bytes of one word. */
static void access_in_word(struct check_run *run, uintptr_t at, unsigned bytes, struct check_access me,
                           enum check_verb verb) {
  struct check_page *page = check_page_of(at);
  uint32_t word = (uint32_t)(at % CHECK_PAGE) / 4;
  struct check_cell *cells;
  if (bytes == 4 && !(page->state[word] & CHECK_SPLIT))
    access_cell(run, page, &page->cells[word], me, verb);
  else if ((cells = split(page, word)))
    for (unsigned i = 0; i < bytes; i++)
      access_cell(run, page, &cells[at % 4 + i], me, verb);
}

/* An access of any size. The memory belongs to an allocation. */
static void access_range(struct check_run *run, uintptr_t at, size_t bytes, struct check_access me,
                         enum check_verb verb) {
  if (!check_is_on(CHECK_RACE))
    return;
  while (bytes) {
    unsigned part = 4 - at % 4;
    if (part > bytes)
      part = (unsigned)bytes;
    access_in_word(run, at, part, me, verb);
    at += part;
    bytes -= part;
  }
}

/* Whether the race detector need look at the access: it leads to an allocation. Otherwise it leads to private memory,
 * or is reported, and the block ends. */
static int is_tracked(struct check_run *run, const void *address, size_t bytes, const struct offloadrt_place *place,
                      enum check_verb verb) {
  uintptr_t at = (uintptr_t)address;
  if (!bytes || check_is_on_stack(run, at))
    return 0;
  if (check_are_set(at, bytes, CHECK_VALID))
    return 1;
  if (!check_is_private(run, at, bytes))
    check_wrong_address(run, address, bytes, place, verb);
  return 0;
}

static __attribute__((noinline)) void access_slowly(struct check_run *run, const void *address, size_t bytes,
                                                    const struct offloadrt_place *place, enum check_verb verb) {
  if (!is_tracked(run, address, bytes, place, verb))
    return;
  access_range(run, (uintptr_t)address, bytes, check_access_now(run, place, size_flags(bytes)), verb);
  if (verb == CHECK_WRITES)
    check_set((uintptr_t)address, bytes, CHECK_WRITTEN);
}

/* The same with an address that must be aligned. */
static __attribute__((noinline)) void access_aligned(const void *address, size_t bytes, size_t align,
                                                     const struct offloadrt_place *place, enum check_verb verb) {
  struct check_run *run = check_now;
  if (!run)
    return;
  if (bytes && align > 1 && (uintptr_t)address % align)
    check_misaligned(run, address, bytes, align, place, verb);
  access_slowly(run, address, bytes, place, verb);
}

/* The usual access: whole aligned words that belong to an allocation. */
static inline __attribute__((always_inline)) void access_words(const void *address, unsigned bytes,
                                                               const struct offloadrt_place *place, enum check_verb verb) {
  struct check_run *run = check_now;
  uintptr_t at = (uintptr_t)address;
  if (!run || check_is_on_stack(run, at))
    return;
  struct check_page *page = check_page_of(at);
  uint32_t word = (uint32_t)(at % CHECK_PAGE) / 4;
  int is_usual = page && at % bytes == 0;
  for (unsigned i = 0; is_usual && i < bytes / 4; i++)
    is_usual = verb == CHECK_WRITES ? page->state[word + i] == (CHECK_VALID | CHECK_WRITTEN)
                                    : (page->state[word + i] & (CHECK_VALID | CHECK_SPLIT)) == CHECK_VALID;
  if (__builtin_expect(!is_usual, 0)) {
    access_aligned(address, bytes, bytes, place, verb);
    return;
  }
  struct check_access me = check_access_now(run, place, size_flags(bytes));
  for (unsigned i = 0; i < bytes / 4; i++) {
    if (verb == CHECK_WRITES)
      write_cell(run, page, &page->cells[word + i], me);
    else
      read_cell(run, page, &page->cells[word + i], me);
  }
}

/* The usual access to a part of a word: parts of it were accessed before. */
static inline __attribute__((always_inline)) void access_part(const void *address, unsigned bytes,
                                                              const struct offloadrt_place *place, enum check_verb verb) {
  struct check_run *run = check_now;
  uintptr_t at = (uintptr_t)address;
  struct check_page *page = run ? check_page_of(at) : NULL;
  unsigned mask = ((1u << bytes) - 1) << at % 4;
  unsigned wanted = (verb == CHECK_WRITES ? mask | mask << 4 : mask) | CHECK_SPLIT;
  if (!page || at % bytes || (page->state[at % CHECK_PAGE / 4] & wanted) != wanted) {
    access_aligned(address, bytes, bytes, place, verb);
    return;
  }
  struct check_cell *cells = atomic_load_explicit(&page->bytes, memory_order_relaxed) + at % CHECK_PAGE;
  struct check_access me = check_access_now(run, place, size_flags(bytes));
  for (unsigned i = 0; i < bytes; i++)
    access_cell(run, page, &cells[i], me, verb);
}

#define ACCESS(bytes, way)                                                                     \
  void offloadrt_check_read##bytes(const void *address, const struct offloadrt_place *place) { \
    way(address, bytes, place, CHECK_READS);                                                   \
  }                                                                                            \
  void offloadrt_check_write##bytes(void *address, const struct offloadrt_place *place) {      \
    way(address, bytes, place, CHECK_WRITES);                                                  \
  }
ACCESS(1, access_part)
ACCESS(2, access_part)
ACCESS(4, access_words)
ACCESS(8, access_words)
ACCESS(16, access_words)

void offloadrt_check_read_range(const void *address, uint64_t bytes, uint64_t align, const struct offloadrt_place *place) {
  access_aligned(address, bytes, align, place, CHECK_READS);
}

void offloadrt_check_write_range(void *address, uint64_t bytes, uint64_t align, const struct offloadrt_place *place) {
  access_aligned(address, bytes, align, place, CHECK_WRITES);
}

void offloadrt_check_local(const void *address, const void *object, uint64_t size, uint64_t bytes,
                           const struct offloadrt_place *place) {
  uint64_t offset = (uint64_t)((uintptr_t)address - (uintptr_t)object);
  if (__builtin_expect((offset > size || bytes > size - offset) && bytes && check_now, 0))
    check_wrong_address(check_now, address, bytes, place, CHECK_READS);
}

/* Copies ------------------------------------------------------------------------------------------ */

static const struct offloadrt_place copies = {.file = "", .function = "a copy between the host and the device"};

void check_copy(struct check_launch *work, const void *to, const void *from, size_t bytes) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static struct check_run run; /* of one thread */
  pthread_mutex_lock(&lock);
  run.base = work->first_run << CHECK_TICKS;
  run.floor = work->floor;
  run.launch = work;
  run.tick = run.thread_count = run.lanes = 1;
  struct check_access me = check_access_now(&run, &copies, size_flags(bytes));
  if (from && check_are_set((uintptr_t)from, bytes, CHECK_VALID))
    access_range(&run, (uintptr_t)from, bytes, me, CHECK_READS);
  if (to && check_are_set((uintptr_t)to, bytes, CHECK_VALID))
    access_range(&run, (uintptr_t)to, bytes, me, CHECK_WRITES);
  pthread_mutex_unlock(&lock);
}

/* Atomics ----------------------------------------------------------------------------------------- */

void offloadrt_check_atomic(void *address, uint32_t bytes, uint32_t how, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  enum check_verb verb = how & CHECK_HOW_WRITES ? CHECK_WRITES : CHECK_READS;
  if (!run || !is_tracked(run, address, bytes, place, verb))
    return;
  int of_block = check_scope_is_block(how);
  unsigned flags = CHECK_ATOMIC | (of_block ? CHECK_OF_BLOCK : 0) | size_flags(bytes);
  access_range(run, (uintptr_t)address, bytes, check_access_now(run, place, flags), verb);
  struct check_thread *thread = &run->threads[run->thread];
  if (!(how & CHECK_HOW_WRITES))
    return;
  check_set((uintptr_t)address, bytes, CHECK_WRITTEN);
  if (check_releases(how))
    check_release(run, (uintptr_t)address, run->tick, of_block);
  else if (thread->fenced)
    check_release(run, (uintptr_t)address, thread->fenced - 1, of_block | thread->fence_of_block);
}

void offloadrt_check_atomic_done(void *address, uint32_t bytes, uint32_t how, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  (void)bytes;
  (void)place;
  if (run && how & CHECK_HOW_READS)
    check_acquire(run, (uintptr_t)address, check_scope_is_block(how), !check_acquires(how));
}

void offloadrt_check_fence(uint32_t how) {
  struct check_run *run = check_now;
  if (!run)
    return;
  struct check_thread *thread = &run->threads[run->thread];
  if (check_acquires(how))
    check_acquire_read(run, check_scope_is_block(how));
  if (check_releases(how)) {
    thread->fenced = ++run->tick;
    thread->fence_of_block = (uint8_t)check_scope_is_block(how);
  }
}
