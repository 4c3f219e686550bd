/* The checker of kernels: the declarations that its files share. Code that `offloadc --sanitize` compiled calls the
 * functions of the second half.
 *
 * For each word of four bytes that kernels may access, the checker remembers the last thread that wrote and two threads
 * that have read since. An access is a race if it is not ordered after one of these, and at least one of the two
 * writes. Accesses are ordered by the program order of a thread, by barriers, by the order of launches in streams, and
 * by atomic operations that release and acquire (clocks.c). */
#ifndef OFFLOADRT_CHECK_H
#define OFFLOADRT_CHECK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "../checker.h"
#include "../drivers/cpu_scheduler.h"

#pragma GCC visibility push(hidden)

enum check_kind {
  CHECK_RACE,
  CHECK_BOUNDS,
  CHECK_FREED,
  CHECK_MISALIGNED,
  CHECK_BARRIER,
  CHECK_INACTIVE_LANE,
  CHECK_UNINIT,
  CHECK_KINDS
};

/* Whether a kind of error is reported: `OFFLOADRT_SANITIZE=-race,-bounds` switches two kinds off. */
extern int check_is_off[CHECK_KINDS];
static inline int check_is_on(enum check_kind kind) { return !check_is_off[kind]; }
void check_read_switches(void);

/* A place in the source; the compiler writes these constants. */
struct offloadrt_place {
  const char *file; /* "" if it is not known; the function is always known */
  const char *function;
  uint32_t line, column;
  const struct offloadrt_place *inner; /* the place within a library, or null */
};

/* Accesses -------------------------------------------------------------------------------------- */

/* An access that is remembered: 16 bytes, which are loaded and stored together.
 * `when`: the number of the block's run above bit 32, and the tick within the run below.
 * `where`: the address of the place (48 bits), the thread (10 bits), and the flags. */
struct check_access {
  uint64_t when, where;
};

enum {
  CHECK_THREAD_SHIFT = 48,
  CHECK_FLAGS_SHIFT = 58,
  CHECK_ATOMIC = 1,     /* flags: the access is atomic */
  CHECK_OF_BLOCK = 2,   /* its scope is the block, or smaller */
  CHECK_SIZE_SHIFT = 2, /* the binary logarithm of its size; 7: another size */
};

/* The accesses that are remembered of a word, or of a byte in a word of which parts are accessed. */
struct check_cell {
  struct check_access write, read, other_read;
};

static inline uint64_t check_where(const struct offloadrt_place *place, uint32_t thread, unsigned flags) {
  return (uint64_t)(uintptr_t)place | (uint64_t)thread << CHECK_THREAD_SHIFT | (uint64_t)flags << CHECK_FLAGS_SHIFT;
}
static inline uint32_t check_thread_of(uint64_t where) { return (uint32_t)(where >> CHECK_THREAD_SHIFT) & 1023; }
static inline unsigned check_flags_of(uint64_t where) { return (unsigned)(where >> CHECK_FLAGS_SHIFT); }
static inline uint32_t check_run_of(uint64_t when) { return (uint32_t)(when >> 32); }

/* Loads and stores both halves at once, which processors with AVX or FEAT_LSE2 guarantee. Elsewhere a report may name
 * the place of another access. */
typedef long long check_halves __attribute__((vector_size(16), may_alias));

static inline struct check_access check_load(const struct check_access *from) {
  union {
    check_halves both;
    struct check_access access;
  } value = {*(const check_halves *)(const void *)from};
  return value.access;
}
static inline void check_store(struct check_access *to, struct check_access access) {
  *(check_halves *)(void *)to = (check_halves){(long long)access.when, (long long)access.where};
}

/* Shadow memory (shadow.c) ---------------------------------------------------------------------- */

enum {
  CHECK_PAGE_BITS = 16,
  CHECK_PAGE = 1 << CHECK_PAGE_BITS, /* bytes of memory that one page of shadow memory describes */
  CHECK_WORDS = CHECK_PAGE / 4,
  CHECK_ADDRESS_BITS = 47,
  /* The state of a word. */
  CHECK_VALID = 0xf,    /* one bit for each byte that belongs to an allocation */
  CHECK_WRITTEN = 0xf0, /* one bit for each byte that was written since the allocation */
  CHECK_SPLIT = 0x100,  /* parts of the word are accessed, so each byte has a cell */
  CHECK_WAS_FREED = 0x200,
};

enum check_memory { CHECK_DEVICE, CHECK_SHARED_BY_BLOCK, CHECK_MAPPED, CHECK_STATIC };

struct check_page {
  _Alignas(16) struct check_cell cells[CHECK_WORDS];
  uint16_t state[CHECK_WORDS];
  struct check_cell *_Atomic bytes; /* a cell for each byte, if a word is split */
  int of_blocks;                    /* workgroup memory, which each block finds new */
};

/* A range of memory that kernels may access. */
struct check_region {
  uintptr_t begin;
  size_t bytes;
  enum check_memory memory;
  const char *name; /* of a static, or null */
};

extern struct check_page **check_pages;

/* Reserves the table of pages; returns 0 if it cannot. */
int check_reserve(void);
static inline struct check_page *check_page_of(uintptr_t address) {
  return address >> CHECK_ADDRESS_BITS ? NULL : check_pages[address >> CHECK_PAGE_BITS];
}
/* Adds a range and forgets the earlier accesses there; removes one. */
void check_add_region(uintptr_t begin, size_t bytes, enum check_memory memory, const char *name);
void check_remove_region(uintptr_t begin);
/* Finds the range that contains an address, or else the closest range; returns 0 if there is none. */
int check_find_region(uintptr_t address, struct check_region *found);
/* Sets which bytes belong to an allocation, or were written. `bits` is CHECK_VALID, CHECK_WRITTEN or both. */
void check_set(uintptr_t begin, size_t bytes, unsigned bits);
void check_clear(uintptr_t begin, size_t bytes, unsigned bits);
/* Whether the word has the flag. */
int check_has_flag(uintptr_t address, unsigned flag);
void check_set_flag(uintptr_t begin, size_t bytes, unsigned flag, int value);
/* Whether all bytes belong to allocations, or were written. */
int check_are_set(uintptr_t begin, size_t bytes, unsigned bits);
/* The cells of the bytes of a page. */
struct check_cell *check_byte_cells(struct check_page *page);
/* Forgets all accesses to a range. */
void check_forget(uintptr_t begin, size_t bytes);

/* Launches (launches.c) ------------------------------------------------------------------------- */

enum { CHECK_STREAMS = 32, CHECK_TICKS = 32 };

struct check_launch {
  struct offload_cpu_check scheduler; /* the functions that the scheduler calls */
  uint64_t first_run, run_count; /* each block that runs has a number */
  uint32_t number;               /* from 1, in the order of the launches of the process */
  const struct offload_kernel *kernel; /* null: a copy */
  uint32_t grid[3], block[3];
  uint32_t stream, sequence;       /* the stream's number, and the number of this work in the stream */
  uint32_t seen[CHECK_STREAMS];    /* of each stream, the last work that was complete before */
  uint64_t floor;                  /* `when` of the first run that is not known to be complete before */
  const unsigned char *arguments;
  size_t argument_bytes;
  atomic_int left; /* a block was ended by a wrong access */
  atomic_int has_ended;
  int is_forgotten; /* an object has left the program since, which may contain the places of the launch's accesses */
};

/* The launch of a run, or null if it is forgotten. */
const struct check_launch *check_launch_of(uint32_t run);
/* Whether all accesses of one launch are ordered before all of the other one, or the reverse. */
void check_forget_ended(void);
int check_are_ordered(const struct check_launch *one, const struct check_launch *other);
extern const struct offloadrt_checker check_core;
/* The accesses of a copy or a fill (access.c). */
void check_copy(struct check_launch *work, const void *to, const void *from, size_t bytes);

/* Blocks (run.c) -------------------------------------------------------------------------------- */

enum { CHECK_THREADS = 1024 };

struct check_known;

/* Where a thread waits. */
enum check_waits { CHECK_RUNS, CHECK_AT_BARRIER, CHECK_AT_WARP_BARRIER, CHECK_AT_SHUFFLE };

/* A thread of the block that runs. */
struct check_thread {
  uint32_t waits_since;     /* the tick at which it arrived at a barrier or a barrier of its warp */
  uint8_t waits;            /* enum check_waits */
  uint8_t has_returned;
  uint8_t fence_of_block;   /* the scope of `fenced` */
  uint32_t fenced;          /* the tick of its last releasing fence; 0: none */
  uint32_t source;          /* the lane whose value its shuffle reads */
  const struct offloadrt_place *shuffle;
  struct check_known *known;   /* acquired since the last barrier */
  struct check_known *read;    /* read by relaxed operations, for an acquiring fence */
};

/* The block that a thread of the host runs. */
struct check_run {
  uint64_t base;    /* the number of the run, above bit 32 */
  uint64_t floor;   /* runs below are complete */
  uint64_t barrier; /* the tick of the last barrier: all accesses of the block with a lower tick are complete */
  uint32_t tick;
  uint32_t thread; /* the thread that runs */
  uint32_t thread_count, lanes;
  struct check_launch *launch;
  const struct offload_cpu_block *block;
  uintptr_t stack_low, stack_high; /* of the kernel's frames */
  uint32_t arrived;                            /* threads at the barrier */
  uint32_t first_arrived, other_arrived;       /* two of them, at different places */
  uint32_t first_returned;
  const struct offloadrt_place *first_place, *other_place, *returned_place;
  uint32_t returned;
  uint32_t warp_ticks[CHECK_THREADS];
  struct check_known *known; /* acquired by all threads */
  struct check_thread threads[CHECK_THREADS];
};

extern _Thread_local struct check_run *check_now __attribute__((tls_model("initial-exec")));

static inline struct check_access check_access_now(const struct check_run *run, const struct offloadrt_place *place,
                                                   unsigned flags) {
  return (struct check_access){run->base | run->tick, check_where(place, run->thread, flags)};
}

/* Whether barriers, the thread's own order or complete launches order an access before the thread that runs. */
static inline int check_is_before(const struct check_run *run, struct check_access access) {
  uint64_t since = access.when - run->base;
  return access.when < run->floor || since < run->barrier ||
         (since <= UINT32_MAX && check_thread_of(access.where) == run->thread);
}

/* Forgets the workgroup memory of the calling thread, which the scheduler frees. */
void check_finish(void);

static inline int check_is_on_stack(const struct check_run *run, uintptr_t address) {
  return address - run->stack_low < run->stack_high - run->stack_low;
}

/* Whether memory is private to the threads of the block: stacks, frames and arguments. */
int check_is_private(const struct check_run *run, uintptr_t address, size_t bytes);

/* Synchronisation by atomics (clocks.c) --------------------------------------------------------- */

/* Whether the running thread has acquired a release that orders the access before it. */
int check_is_acquired(const struct check_run *run, struct check_access access);
void check_release(struct check_run *run, uintptr_t address, uint32_t tick, int of_block);
void check_acquire(struct check_run *run, uintptr_t address, int of_block, int is_relaxed);
/* An acquiring fence of the running thread; a barrier of the block; the end of the block. */
void check_acquire_read(struct check_run *run, int of_block);
void check_share_known(struct check_run *run);
void check_forget_known(struct check_run *run);

/* Reports (report.c) ---------------------------------------------------------------------------- */

/* The word for an access in a report. */
enum check_verb {
  CHECK_READS,
  CHECK_WRITES,
  CHECK_FREES,
  CHECK_WAITS,
  CHECK_RETURNS,
  CHECK_SHUFFLES,
  CHECK_BRANCHES,
  CHECK_ADDRESSES
};

struct check_reported {
  enum check_verb verb;
  struct check_access access;
  size_t bytes; /* 0: the size in the flags */
};

/* Reports an error once for each pair of places. The kernel is that of the running block. */
void check_report(enum check_kind kind, const struct check_run *run, const struct check_reported *accesses, int count,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Forgets which pairs of places were reported. */
void check_forget_reports(void);

/* Reports an access outside of all allocations, and ends the block. The second function reports an access whose address
 * is not aligned as the code promises. */
void check_wrong_address(struct check_run *run, const void *address, size_t bytes, const struct offloadrt_place *place,
                         enum check_verb verb);
void check_misaligned(struct check_run *run, const void *address, size_t bytes, size_t align,
                      const struct offloadrt_place *place, enum check_verb verb);

#pragma GCC visibility pop

/* Called by instrumented code ------------------------------------------------------------------- */

#pragma GCC visibility push(default)
struct check_object;
/* When an object is loaded, and when it leaves the program. */
void offloadrt_check_start(const struct check_object *object);
void offloadrt_check_stop(const struct check_object *object);
void offloadrt_check_block(const struct offload_cpu_block *block, const uint64_t *shared);
void offloadrt_check_thread(uint64_t number);
void offloadrt_check_barrier(const struct offloadrt_place *place);
void offloadrt_check_warp(uint64_t mask, const struct offloadrt_place *place);
void offloadrt_check_shuffle(uint32_t mode, uint32_t argument, const struct offloadrt_place *place);
void offloadrt_check_exit(const struct offloadrt_place *place);
void offloadrt_check_fence(uint32_t how);
#define CHECK_ACCESS(bytes)                                                               \
  void offloadrt_check_read##bytes(const void *address, const struct offloadrt_place *place); \
  void offloadrt_check_write##bytes(void *address, const struct offloadrt_place *place);
CHECK_ACCESS(1)
CHECK_ACCESS(2)
CHECK_ACCESS(4)
CHECK_ACCESS(8)
CHECK_ACCESS(16)
#undef CHECK_ACCESS
void offloadrt_check_read_range(const void *address, uint64_t bytes, uint64_t align, const struct offloadrt_place *place);
void offloadrt_check_write_range(void *address, uint64_t bytes, uint64_t align, const struct offloadrt_place *place);
void offloadrt_check_local(const void *address, const void *object, uint64_t size, uint64_t bytes,
                           const struct offloadrt_place *place);
void offloadrt_check_allocated(void *address, uint64_t bytes, uint32_t is_written);
void offloadrt_check_freed(void *address, uint64_t bytes, const struct offloadrt_place *place);
/* The bits of up to 8 bytes that were not written since their allocation; and a branch or an address that may depend on
 * such a bit. */
uint64_t offloadrt_check_unwritten(const void *address, uint64_t bytes);
void offloadrt_check_decision(uint32_t is_unwritten, uint32_t is_address, const struct offloadrt_place *place);
/* Before and after an atomic access; `how` has the bits below, the number of the scope, and that of the ordering. */
void offloadrt_check_atomic(void *address, uint32_t bytes, uint32_t how, const struct offloadrt_place *place);
void offloadrt_check_atomic_done(void *address, uint32_t bytes, uint32_t how, const struct offloadrt_place *place);
#pragma GCC visibility pop

enum { CHECK_HOW_READS = 1, CHECK_HOW_WRITES = 2, CHECK_HOW_SCOPE = 4, CHECK_HOW_ORDERING = 8 };
static inline int check_scope_is_block(uint32_t how) { return (how >> CHECK_HOW_SCOPE & 15) >= 2; }
/* The orderings are those of C's memory_order: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent. */
static inline int check_acquires(uint32_t how) {
  uint32_t ordering = how >> CHECK_HOW_ORDERING;
  return (how & CHECK_HOW_READS) && ordering && ordering != 3;
}
static inline int check_releases(uint32_t how) { return (how & CHECK_HOW_WRITES) && how >> CHECK_HOW_ORDERING >= 3; }

#endif
