/* Tests of the threads of the cpu scheduler: their number, and the cores on which they start. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static offloadrt_device *device;

/* count: counts the threads that run blocks, and checks that they block signals from outside. */
static _Thread_local int counted;
static void count_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_uint *threads = *(atomic_uint *const *)(const void *)arguments;
  (void)b;
  if (!counted)
    ++*threads;
  counted = 1;
  nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* chain: each block waits for the one before it, as in a single-pass scan. */
static void chain_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_uint *done = *(atomic_uint *const *)(const void *)arguments;
  while (*done != b->block_id[0])
    sched_yield();
  ++*done;
}

/* late: block 0 waits for all others. */
static void late_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  atomic_uint *done = *(atomic_uint *const *)(const void *)arguments;
  while (b->block_id[0] == 0 && *done != b->grid_dim[0] - 1)
    sched_yield();
  ++*done;
}

static const struct offload_parameter pointer_row[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
static const struct offload_kernel kernels[] = {KERNEL("count", pointer_row, 8, .cpu_entry = count_entry),
                                                KERNEL("chain", pointer_row, 8, .cpu_entry = chain_entry),
                                                KERNEL("late", pointer_row, 8, .cpu_entry = late_entry)};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels);

static int launch(const char *name, atomic_uint *pointer, offloadrt_launch_config config) {
  offloadrt_argument arguments[] = {ARGUMENT(pointer)};
  return offloadrt_launch(device, NULL, offloadrt_find_kernel(name), &config, arguments, 1);
}

/* Launches `count` and returns the number of threads that ran blocks. */
static unsigned threads_of(offloadrt_launch_config config) {
  atomic_uint threads = 0;
  counted = 0;
  CHECK(launch("count", &threads, config) == OFFLOADRT_SUCCESS);
  return threads;
}

static unsigned threads_used(const char *wanted, uint32_t blocks) {
  CHECK(setenv("OFFLOADRT_CPU_THREADS", wanted, 1) == 0);
  unsigned threads = threads_of(shape(blocks, 1, 1, 64, 1, 1));
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
  return threads;
}

static void the_environment_sets_the_number_of_threads(void) {
  CHECK(threads_used("1", 100) == 1);
  CHECK(threads_used("3", 100) <= 3);
  CHECK(threads_used("7", 1000) <= 7);
  CHECK(threads_used("50", 2) <= 2);
  /* A value that is not a number above 0 is an error when the device is opened, and is ignored later. */
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  CHECK(threads_used("0", 64) <= cores && threads_used("many", 64) <= cores && threads_used("", 64) <= cores);
  static const char *const wrong[] = {"0", "00", "many", "-1", "4 ", "4x", "1234567890"};
  offloadrt_device *again;
  char wanted[80];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK(setenv("OFFLOADRT_CPU_THREADS", wrong[i], 1) == 0);
    CHECK(offloadrt_device_open("cpu", &again) == OFFLOADRT_INVALID && !again);
    snprintf(wanted, sizeof wanted, "`OFFLOADRT_CPU_THREADS` is `%s`, and must be a number above 0", wrong[i]);
    CHECK_TEXT(wanted);
  }
  CHECK(setenv("OFFLOADRT_CPU_THREADS", "", 1) == 0);
  CHECK(offloadrt_device_open("cpu", &again) == OFFLOADRT_SUCCESS && offloadrt_device_close(again) == OFFLOADRT_SUCCESS);
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
}

/* The calls of the runtime to the C library. They succeed unless `refuses_cores`. */
static cpu_set_t all;    /* those of this process */
static cpu_set_t placed; /* the cores that threads were started on */
static int placed_twice, refuses_cores;
static unsigned starts, releases;
static pthread_mutex_t placing = PTHREAD_MUTEX_INITIALIZER;
static int own_core; /* the core of the calling thread, as the runtime sees it */

int __real_pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *cores);
int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *cores) {
  if (refuses_cores)
    return EPERM;
  pthread_mutex_lock(&placing);
  if (CPU_COUNT(cores) == 1) {
    cpu_set_t both;
    CPU_AND(&both, &placed, cores);
    placed_twice |= CPU_COUNT(&both) != 0;
    CPU_OR(&placed, &placed, cores);
    starts++;
  } else {
    releases += bytes == sizeof all && CPU_EQUAL(&all, cores);
  }
  pthread_mutex_unlock(&placing);
  return __real_pthread_setaffinity_np(thread, bytes, cores);
}

int __wrap_sched_getcpu(void) { return own_core; }

static atomic_int refused_thread, refused_memory; /* the call that fails, from 1 on, or less */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  return --refused_thread == 0 ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

int __real_posix_memalign(void **memory, size_t align, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t align, size_t bytes) {
  return --refused_memory == 0 ? ENOMEM : __real_posix_memalign(memory, align, bytes);
}

/* Launches blocks that are enough for all threads, and returns the number of threads that were started on a core. */
static unsigned starts_with(const char *wanted) {
  CPU_ZERO(&placed);
  placed_twice = 0;
  starts = releases = 0;
  unsigned used = threads_used(wanted, 400);
  CHECK(used >= 1 && !placed_twice && releases == starts);
  return starts;
}

/* If there is a thread for each core, no two of them start on one core, and later they may use all cores. */
static void each_thread_starts_on_a_core_of_its_own(void) {
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  unsigned cores = (unsigned)CPU_COUNT(&all);
  if (cores == 1)
    return;
  for (own_core = 0; own_core < CPU_SETSIZE; own_core++)
    if (CPU_ISSET(own_core, &all)) {
      unsigned started = starts_with("");
      CHECK(started >= 1 && started < cores && !CPU_ISSET(own_core, &placed));
    }
  own_core = -1;
  CHECK(starts_with("") == 0);
  own_core = 0;
  char wanted[20];
  for (unsigned other = cores - 1; other <= cores + 1; other += 2) {
    snprintf(wanted, sizeof wanted, "%u", other);
    CHECK(starts_with(wanted) == 0);
  }
  refuses_cores = 1;
  CHECK(starts_with("") == 0 && threads_used("", 4000) > 1);
  refuses_cores = 0;
}

/* However many threads there are, and wherever they start, no block waits for one that no thread takes. */
static void a_block_may_wait_for_the_blocks_before_it(void) {
  enum { BLOCKS = 3000 };
  (void)alarm(60);
  static const char *const threads[] = {"", "1", "2", "3", "7"};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
    for (int refused = 0; refused < 12; refused++) {
      CHECK(setenv("OFFLOADRT_CPU_THREADS", threads[i], 1) == 0);
      refused_thread = refused < 6 ? refused : 0;
      refused_memory = refused < 6 ? 0 : refused - 5;
      own_core = refused % 2;
      int no_memory = refused_memory == 1;
      atomic_uint done = 0;
      int result = launch("chain", &done, shape(BLOCKS, 1, 1, 1, 1, 1));
      CHECK(no_memory ? result == OFFLOADRT_NO_MEMORY && done == 0 : result == OFFLOADRT_SUCCESS && done == BLOCKS);
    }
  refused_thread = refused_memory = 0;
  CHECK(unsetenv("OFFLOADRT_CPU_THREADS") == 0);
  (void)alarm(0);
}

/* A thread whose own chunks are taken takes those of the others. There are as many blocks as chunks. */
static void no_chunk_waits_for_a_thread_that_is_busy(void) {
  unsigned threads = (unsigned)CPU_COUNT(&all), blocks = 15 * threads;
  if (threads == 1)
    return;
  (void)alarm(60);
  for (own_core = -1; own_core < 2; own_core++) {
    atomic_uint done = 0;
    CHECK(launch("late", &done, shape(blocks, 1, 1, 1024, 1, 1)) == OFFLOADRT_SUCCESS && done == blocks);
  }
  (void)alarm(0);
}

/* A child without room for the stack of another thread still runs its blocks. It is also a forked child, in which the
 * threads of a pool would be missing. */
static void threads_that_cannot_start_are_done_without(void) {
  pid_t child = fork();
  if (child == 0) {
    struct rlimit stack = {64u << 20, RLIM_INFINITY}, space = {48u << 20, 48u << 20};
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, stack.rlim_cur) == 0);
    CHECK(pthread_setattr_default_np(&attributes) == 0 && setrlimit(RLIMIT_AS, &space) == 0);
    CHECK(setenv("OFFLOADRT_CPU_THREADS", "4", 1) == 0);
    CHECK(threads_of(shape(10, 1, 1, 1, 1, 1)) == 1);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_SUCCESS);
  RUN(the_environment_sets_the_number_of_threads);
  RUN(each_thread_starts_on_a_core_of_its_own);
  RUN(a_block_may_wait_for_the_blocks_before_it);
  RUN(no_chunk_waits_for_a_thread_that_is_busy);
  /* valgrind maps its own memory, so no limit on the address space is suitable. */
  if (!getenv("OFFLOADRT_TEST_VALGRIND") && !getenv("OFFLOADRT_TEST_EMULATOR"))
    RUN(threads_that_cannot_start_are_done_without);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
