/* A kernel for the tests of the checker (check/). Threads and blocks take turns as the test says, and it makes the calls
 * that `offloadc --sanitize` inserts. Reports are read from the file that the checker appends them to. */
#ifndef OFFLOADRT_TESTS_CHECKER_H
#define OFFLOADRT_TESTS_CHECKER_H

#define _GNU_SOURCE
#include <setjmp.h>
#include <unistd.h>

#include "../check/check.h"
#include "check.h"

/* The order and the scope of an atomic operation, as the compiler numbers them. */
enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, BOTH = 4 };
enum { SYSTEM, DEVICE, BLOCK };
enum { LANES = 4 };

static const struct offload_kernel kernel = {.name = "kernel", .argument_bytes = 16};
static const int device;
static struct offload_cpu_block *block; /* in a frame above those of the tests, as the scheduler has it */
static struct check_launch *launch;
static jmp_buf left;
static char report_file[] = "/tmp/offloadrt-checker-XXXXXX";
/* Words of device memory; the first ones are those of the data. */
static uint32_t *data, *flag, *other_flag;

/* Places, by their lines. */
static struct offloadrt_place places[64];
static inline const struct offloadrt_place *line(uint32_t number) {
  places[number] = (struct offloadrt_place){"src/main.rs", "main::run", number, 5, NULL};
  return &places[number];
}

/* The reports since the last call. */
static inline char *reports(void) {
  static char text[1 << 16];
  FILE *file = fopen(report_file, "r");
  size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[bytes] = 0;
  if (file)
    fclose(file);
  CHECK(truncate(report_file, 0) == 0);
  check_forget_reports();
  return text;
}

static inline int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part))
    count++;
  return count;
}

#define CHECK_REPORTED(kind)                                                             \
  do {                                                                                   \
    const char *found = reports();                                                       \
    if (count_of(found, "\n") != 1 || !strstr(found, "{\"kind\": \"" kind "\"")) {       \
      fprintf(stderr, "%s:%d: wanted one %s, not: %s\n", __FILE__, __LINE__, kind, found); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

#define CHECK_CLEAN()                                                          \
  do {                                                                         \
    const char *found = reports();                                             \
    if (*found) {                                                              \
      fprintf(stderr, "%s:%d: reported: %s\n", __FILE__, __LINE__, found);     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* Whether the block ends within the call. */
#define LEAVES(call) (setjmp(left) ? 1 : ((call), 0))
static inline void leave(const struct offload_cpu_block *ended) {
  CHECK(ended == block);
  longjmp(left, 1);
}

/* The kernel ----------------------------------------------------------------------------------- */

static inline void run_block(uint32_t number) {
  static const uint64_t no_statics[] = {LANES, 0};
  block->block_id[0] = number;
  offloadrt_check_block(block, no_statics);
}

/* Begins a launch of three blocks of eight threads, with its first block. */
static inline void begin(const void *stream) {
  offloadrt_launch_config config = shape(3, 1, 1, 8, 1, 1);
  static const unsigned char arguments[16];
  struct offloadrt_launch described = {.kernel = &kernel, .config = &config, .arguments = arguments};
  launch = check_core.begin(&device, stream, &described);
  CHECK(launch);
  memcpy(block->grid_dim, config.grid, sizeof config.grid);
  memcpy(block->block_dim, config.block, sizeof config.block);
  block->check = launch;
  run_block(0);
}

static inline int end(void) {
  struct offloadrt_launch described = {.kernel = &kernel};
  check_finish();
  return check_core.end(launch, &described, OFFLOADRT_SUCCESS);
}

/* Ends a launch, after which the host waits. */
static inline void finish(void) {
  CHECK(end() == OFFLOADRT_SUCCESS);
  check_core.wait(&device, NULL, 1);
}

static inline void thread(uint32_t number) { offloadrt_check_thread(number); }
static inline void write_at(uint32_t number, uint32_t *at) { offloadrt_check_write4(at, line(number)); }
static inline void read_at(uint32_t number, const uint32_t *at) { offloadrt_check_read4(at, line(number)); }

static inline void barrier(void) {
  for (uint32_t i = 0; i < 8; i++) {
    thread(i);
    offloadrt_check_barrier(line(60));
  }
}

/* Calls the tests between the start of the checker and the end of its memory. */
static inline void run_all(void (*tests)(void)) {
  static const uint64_t no_frames[64]; /* of the scheduler's thread */
  struct offload_cpu_block above = {.leave = leave, .scheduler = (void *)(uintptr_t)no_frames};
  block = &above;
  int file = mkstemp(report_file);
  CHECK(file >= 0 && close(file) == 0 && !setenv("OFFLOADRT_SANITIZE_REPORT", report_file, 1));
  CHECK(check_reserve());
  data = check_core.allocate(64, 4096);
  CHECK(data);
  flag = data + 64;
  other_flag = data + 65;
  check_core.written(data, 4096);
  tests();
  CHECK(check_core.free(data));
  CHECK(unlink(report_file) == 0);
}

#endif
