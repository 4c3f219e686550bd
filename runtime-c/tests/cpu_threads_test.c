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

static const struct offload_parameter pointer_row[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
static const struct offload_kernel kernels[] = {KERNEL("count", pointer_row, 8, .cpu_entry = count_entry)};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels);

/* Launches `count` and returns the number of threads that ran blocks. */
static unsigned threads_of(offloadrt_launch_config config) {
  atomic_uint threads = 0, *pointer = &threads;
  offloadrt_argument arguments[] = {ARGUMENT(pointer)};
  counted = 0;
  CHECK(offloadrt_launch(device, NULL, offloadrt_find_kernel("count"), &config, arguments, 1) == OFFLOADRT_SUCCESS);
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

/* What the runtime asks of the C library, which does what it is asked unless `refuses_cores`. */
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
  /* valgrind maps its own memory, so no limit on the address space is suitable. */
  if (!getenv("OFFLOADRT_TEST_VALGRIND") && !getenv("OFFLOADRT_TEST_EMULATOR"))
    RUN(threads_that_cannot_start_are_done_without);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
