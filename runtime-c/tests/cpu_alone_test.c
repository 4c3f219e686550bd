/* Tests of when the cpu scheduler starts threads. Time passes only in blocks, which say how much. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"

static offloadrt_device *device;

static atomic_ulong now;       /* nanoseconds */
static atomic_uint ran;        /* blocks */
static atomic_uint clock_calls;
static atomic_uint starts;     /* threads */
static unsigned ran_at_start;  /* the blocks that had run when the first thread was started */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  clock_calls++;
  *time = (struct timespec){.tv_sec = (time_t)(now / 1000000000), .tv_nsec = (long)(now % 1000000000)};
  return 0;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  if (starts++ == 0)
    ran_at_start = ran;
  return __real_pthread_create(thread, attributes, run, argument);
}

/* spend: a block takes one time if its number is below a limit, and another one otherwise. */
static void spend_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  const uint64_t *times = (const void *)arguments;
  now += b->block_id[0] < times[0] ? times[1] : times[2];
  ran++;
}

static const struct offload_parameter rows[] = {{0, 8, 8, OFFLOAD_PARAMETER_VALUE},
                                                {8, 8, 8, OFFLOAD_PARAMETER_VALUE},
                                                {16, 8, 8, OFFLOAD_PARAMETER_VALUE}};
static const struct offload_kernel kernels[] = {KERNEL("spend", rows, 24, .cpu_entry = spend_entry)};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels);

/* Launches `blocks` blocks, of which the first ones take `early` nanoseconds each and the others `late`. Returns the
 * number of blocks that had run when a thread was started, or `blocks` if none was. */
static unsigned starts_after(const char *threads, uint32_t blocks, uint64_t first, uint64_t early, uint64_t late) {
  CHECK(setenv("OFFLOADRT_CPU_THREADS", threads, 1) == 0);
  ran = starts = clock_calls = 0;
  offloadrt_argument arguments[] = {ARGUMENT(first), ARGUMENT(early), ARGUMENT(late)};
  offloadrt_launch_config config = shape(blocks, 1, 1, 64, 1, 1);
  CHECK(offloadrt_launch(device, NULL, offloadrt_find_kernel("spend"), &config, arguments, 3) == OFFLOADRT_SUCCESS);
  CHECK(ran == blocks);
  return starts ? ran_at_start : blocks;
}

/* Half of the time that is left after 20 microseconds is compared with 50. */
static void a_launch_starts_threads_if_they_save_time(void) {
  CHECK(starts_after("2", 64, 0, 0, 100) == 64);
  CHECK(starts_after("2", 64, 0, 0, 1600) == 64);
  CHECK(starts_after("2", 64, 0, 0, 4000) == 5);
  CHECK(starts_after("2", 64, 0, 0, 1000000000) == 1);
}

static void more_threads_save_more(void) {
  CHECK(starts_after("2", 64, 0, 0, 1400) == 64);
  CHECK(starts_after("4", 64, 0, 0, 1400) == 15);
}

static void a_slow_first_block_does_not_count(void) { CHECK(starts_after("2", 64, 1, 15000, 500) == 64); }

/* Little work seems to be left until the slow blocks come. Two are a chunk. */
static void slow_blocks_at_the_end_are_shared(void) { CHECK(starts_after("2", 64, 40, 500, 100000) == 42); }

/* The first 200 blocks take 20 microseconds; then a chunk has 32 blocks. */
static void short_blocks_are_not_timed_one_by_one(void) {
  CHECK(starts_after("2", 1024, 0, 0, 100) == 1024);
  CHECK(clock_calls >= 200 && clock_calls < 300);
}

int main(void) {
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  RUN(a_launch_starts_threads_if_they_save_time);
  RUN(more_threads_save_more);
  RUN(a_slow_first_block_does_not_count);
  RUN(slow_blocks_at_the_end_are_shared);
  RUN(short_blocks_are_not_timed_one_by_one);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
