/* Tests of mapped host memory on a device with its own memory: mappings are counted, bytes are copied only when
 * necessary, and launches map the extents of their kernel. The kernel is a saxpy of at least MAPPED elements, in blocks
 * of 64 threads. */
#ifndef OFFLOADRT_TESTS_MAPPING_H
#define OFFLOADRT_TESTS_MAPPING_H

#include "check.h"

enum { MAPPED = 1000, TO = OFFLOADRT_MAP_TO, FROM = OFFLOADRT_MAP_FROM, ALWAYS = OFFLOADRT_MAP_ALWAYS };

#define EXTENT_OF_X {MAPPED * sizeof(float), TO, 0}
#define EXTENT_OF_Y {MAPPED * sizeof(float), TO | FROM, 0}

static inline void *map_to(offloadrt_device *device, void *host, size_t bytes, unsigned flags) {
  void *address;
  CHECK(offloadrt_map(device, NULL, host, bytes, flags, &address) == 0 && address);
  return address;
}

/* Returns the number at `address` on the device. */
static inline int there(offloadrt_device *device, const void *address) {
  int number;
  CHECK(offloadrt_copy_to_host(device, NULL, &number, address, sizeof number) == 0);
  return number;
}

static inline void mapped_memory_is_counted(offloadrt_device *device) {
  int cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  char *all = map_to(device, cells, sizeof cells, TO | FROM);
  CHECK(all != (char *)cells && there(device, all + 12) == 4);
  /* A part of the range is already present, so only ALWAYS copies it. */
  cells[3] = 40;
  CHECK(map_to(device, &cells[3], 8, TO) == all + 12 && there(device, all + 12) == 4);
  CHECK(map_to(device, &cells[3], 4, TO | ALWAYS) == all + 12 && there(device, all + 12) == 40);
  cells[3] = cells[4] = 50;
  CHECK(offloadrt_update_to(device, NULL, &cells[4], 4) == 0);
  CHECK(there(device, all + 12) == 40 && there(device, all + 16) == 50);
  /* Nothing is copied back before the last mapping ends, except with ALWAYS. */
  CHECK(offloadrt_unmap(device, NULL, &cells[3], 8, FROM) == 0 && cells[3] == 50);
  CHECK(offloadrt_unmap(device, NULL, &cells[3], 4, FROM | ALWAYS) == 0 && cells[3] == 40 && cells[4] == 50);
  cells[0] = cells[1] = 0;
  CHECK(offloadrt_update_from(device, NULL, &cells[1], 4) == 0 && cells[0] == 0 && cells[1] == 2);
  CHECK(offloadrt_unmap(device, NULL, cells, sizeof cells, FROM) == 0 && cells[0] == 1);
  CHECK(offloadrt_unmap(device, NULL, cells, sizeof cells, FROM) == OFFLOADRT_INVALID);
}

static inline void mapped_memory_may_overlap(offloadrt_device *device) {
  int cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  char *early = map_to(device, cells, 20, TO), *late = map_to(device, &cells[3], 20, TO | FROM);
  CHECK(there(device, early + 12) == 4 && there(device, late) == 4 && late != early + 12);
  cells[3] = 0;
  CHECK(offloadrt_unmap(device, NULL, cells, 20, 0) == 0);
  /* A mapping that is present contains the whole range, or a new mapping begins. */
  CHECK(map_to(device, &cells[3], 4, TO) == late);
  CHECK(map_to(device, cells, 8, TO) != early + sizeof cells);
  CHECK(offloadrt_unmap(device, NULL, &cells[3], 20, FROM) == 0 && cells[3] == 0);
  CHECK(offloadrt_unmap(device, NULL, &cells[3], 4, FROM) == 0 && cells[3] == 4);
  CHECK(offloadrt_unmap(device, NULL, cells, 8, 0) == 0);
}

static inline void mapping_what_cannot_be_is_an_error(offloadrt_device *device) {
  int cell = 1;
  void *address = &cell;
  CHECK(offloadrt_map(device, NULL, NULL, 0, TO, &address) == 0);
  CHECK(offloadrt_map(device, NULL, NULL, 4, TO, &address) == OFFLOADRT_INVALID);
  CHECK_TEXT("the host memory to map is null");
  CHECK(offloadrt_map(device, NULL, &cell, 4, 8, &address) == OFFLOADRT_INVALID);
  CHECK_TEXT("0x8 is no set of `enum offloadrt_map_flag`");
  CHECK(offloadrt_map(device, NULL, &cell, 4, TO, NULL) == OFFLOADRT_INVALID);
  CHECK(offloadrt_update_to(device, NULL, &cell, 4) == OFFLOADRT_INVALID);
  CHECK(strstr(offloadrt_error_text(), "the 4 bytes at 0x") && strstr(offloadrt_error_text(), " are not mapped to `"));
  CHECK(offloadrt_unmap(NULL, NULL, &cell, 4, 0) == OFFLOADRT_INVALID);
  /* Sizes that are impossible, including those whose end would wrap around. */
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 3, (size_t)1 << 63};
  for (size_t i = 0; i < 3; i++) {
    CHECK(offloadrt_map(device, NULL, &cell, sizes[i], FROM, &address) == OFFLOADRT_INVALID);
    CHECK(strstr(offloadrt_error_text(), "no memory of the host has ") && offloadrt_update_to(device, NULL, &cell, sizes[i]));
  }
}

/* A stream of another device is refused before anything happens. The mapping does not change. */
static inline void a_stream_of_another_device_maps_nothing(offloadrt_device *device) {
  int cells[4] = {1, 2, 3, 4};
  offloadrt_device *other;
  offloadrt_stream *its;
  void *address;
  CHECK(offloadrt_device_open(offloadrt_device_name(device), &other) == 0 && offloadrt_stream_create(other, &its) == 0);
  CHECK(offloadrt_map(device, its, cells, 16, FROM, &address) == OFFLOADRT_INVALID);
  CHECK(offloadrt_update_from(device, NULL, cells, 16) == OFFLOADRT_INVALID);
  map_to(device, cells, 16, TO);
  CHECK(offloadrt_unmap(device, its, cells, 16, 0) == OFFLOADRT_INVALID);
  CHECK(offloadrt_update_from(device, its, cells, 16) == OFFLOADRT_INVALID);
  CHECK(offloadrt_unmap(device, NULL, cells, 16, 0) == 0);
  CHECK(offloadrt_stream_destroy(its) == 0 && offloadrt_device_close(other) == 0);
}

/* A part of a range has the same alignment on the device as on the host. */
static inline void mapped_memory_is_aligned(offloadrt_device *device) {
  static _Alignas(16) char bytes[64];
  for (size_t i = 1; i < 16; i++) {
    map_to(device, &bytes[i], 40, TO);
    CHECK((uintptr_t)map_to(device, &bytes[16], 16, TO) % 16 == 0);
    CHECK(offloadrt_unmap(device, NULL, &bytes[16], 16, FROM) == 0 && offloadrt_unmap(device, NULL, &bytes[i], 40, FROM) == 0);
  }
}

/* Maps and unmaps random ranges: nested, overlapping and equal ones. The contents of both sides after each call are the
 * same on every device, including libomptarget with its own table. They are combined into one number. */
enum { RANDOM_CELLS = 64, RANDOM_RANGES = 32 };
struct random_mappings {
  offloadrt_device *device;
  uint64_t seed, seen;
  int cells[RANDOM_CELLS], count;
  struct {
    uint32_t first, count;
    int *address;
  } ranges[RANDOM_RANGES];
};

static inline uint32_t random_below(struct random_mappings *random, uint32_t bound) {
  random->seed = random->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random->seed >> 33) % bound;
}

static inline void see(struct random_mappings *random, const int *cells, size_t count) {
  for (size_t i = 0; i < count; i++)
    random->seen = (random->seen ^ (uint32_t)cells[i]) * 0x100000001b3;
}

static inline void map_at_random(struct random_mappings *random, uint32_t first, uint32_t count, unsigned flags) {
  int seen[RANDOM_CELLS];
  if (random->count == RANDOM_RANGES)
    return;
  int *address = map_to(random->device, &random->cells[first], 4 * count, flags);
  CHECK(offloadrt_copy_to_host(random->device, NULL, seen, address, 4 * count) == 0);
  see(random, seen, count);
  random->ranges[random->count].first = first;
  random->ranges[random->count].count = count;
  random->ranges[random->count++].address = address;
}

static inline void unmap_at_random(struct random_mappings *random, int which, unsigned flags) {
  int *host = &random->cells[random->ranges[which].first];
  CHECK(offloadrt_unmap(random->device, NULL, host, 4 * random->ranges[which].count, flags) == 0);
  random->ranges[which] = random->ranges[--random->count];
}

static inline void step_at_random(struct random_mappings *random) {
  uint32_t first = random_below(random, RANDOM_CELLS), count = 1 + random_below(random, RANDOM_CELLS - first);
  uint32_t what = random_below(random, 6), flags = (random_below(random, 2) ? FROM : 0) | (random_below(random, 3) ? 0 : ALWAYS);
  int which = random->count ? (int)random_below(random, (uint32_t)random->count) : -1;
  int number = (int)random_below(random, 1000000);
  int *host = &random->cells[first];
  if (what < 2)
    map_at_random(random, first, count, TO | flags);
  else if (what == 2 && which >= 0)
    unmap_at_random(random, which, flags);
  else if (what == 3)
    random->seen += (uint64_t)offloadrt_update_to(random->device, NULL, host, 4 * count);
  else if (what == 4)
    random->seen += (uint64_t)offloadrt_update_from(random->device, NULL, host, 4 * count);
  else if (which >= 0)
    CHECK(offloadrt_copy_to_device(random->device, NULL, random->ranges[which].address, &number, 4) == 0);
  *host += (int)what;
  see(random, random->cells, RANDOM_CELLS);
}

static inline void both_sides_see_the_same(offloadrt_device *device) {
  static struct random_mappings random;
  memset(&random, 0, sizeof random);
  random.device = device;
  for (int run = 0; run < 100; run++) {
    for (int step = 0; step < 60; step++)
      step_at_random(&random);
    while (random.count)
      unmap_at_random(&random, random.count - 1, FROM);
    CHECK(offloadrt_update_from(device, NULL, random.cells, 4) == OFFLOADRT_INVALID);
  }
  see(&random, random.cells, RANDOM_CELLS);
  CHECK(random.seen == UINT64_C(0x8d580767d9eb0dba));
}

/* `kernel` has extents for its pointers `x` and `y`, which are among the arguments; `plain` has none. */
static inline void launches_map_by_extents(offloadrt_device *device, const struct offload_kernel *kernel,
                                           const struct offload_kernel *plain, const offloadrt_argument *arguments,
                                           float *x, float *y) {
  offloadrt_launch_config config = shape((MAPPED + 63) / 64, 1, 1, 64, 1, 1);
  for (int i = 0; i < MAPPED; i++)
    x[i] = (float)i, y[i] = 1;
  for (int round = 0; round < 2; round++)
    CHECK(offloadrt_launch_mapped(device, NULL, kernel, &config, arguments, 4, 0) == 0);
  for (int i = 0; i < MAPPED; i++)
    CHECK(x[i] == (float)i && y[i] == 1 + 4 * (float)i);
  CHECK(offloadrt_update_from(device, NULL, x, 4) == OFFLOADRT_INVALID);
  CHECK(offloadrt_launch_mapped(device, NULL, plain, &config, arguments, 4, 0) == OFFLOADRT_MISMATCH);
  CHECK(strstr(offloadrt_error_text(), "of kernel `saxpy` points to memory of the host whose size is not known"));
  map_to(device, x, MAPPED * sizeof *x, TO);
  map_to(device, y, MAPPED * sizeof *y, TO);
  CHECK(offloadrt_launch_mapped(device, NULL, plain, &config, arguments, 4, 0) == 0 && y[10] == 41);
  CHECK(offloadrt_unmap(device, NULL, x, MAPPED * sizeof *x, 0) == 0);
  CHECK(offloadrt_unmap(device, NULL, y, MAPPED * sizeof *y, FROM) == 0 && y[10] == 61);
  /* An argument without bytes has no parameter, but callers may pass it. */
  offloadrt_argument spaced[] = {arguments[0], arguments[1], {NULL, 0}, arguments[2], arguments[3], {NULL, 0}};
  CHECK(offloadrt_launch_mapped(device, NULL, kernel, &config, spaced, 6, 0) == 0 && y[10] == 81);
  CHECK(offloadrt_launch_mapped(device, NULL, kernel, &config, arguments, 3, 0) == OFFLOADRT_MISMATCH);
  CHECK(offloadrt_launch_mapped(device, NULL, kernel, &config, arguments, 4, 2) == OFFLOADRT_INVALID);
}

#endif
