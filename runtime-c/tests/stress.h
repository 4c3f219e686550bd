/* Many threads use one device and all its functions: their own streams and a common one; mappings of one array that
 * overlap, contain each other or are equal, and end in another order; events of other streams; and devices, streams
 * and objects that exist only for a short time. The results of each thread must be correct, and a panic must be
 * reported. */
#ifndef OFFLOADRT_TESTS_STRESS_H
#define OFFLOADRT_TESTS_STRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "mapping.h"

/* `saxpy` and `mapped` have the parameters count, factor and two pointers; `mapped` has the extents of mapping.h.
 * `panics` panics with its parameter unless it is 0. Null means that there is no such kernel. `object` is a registered
 * object whose kernels are never launched. */
struct stress {
  offloadrt_device *device;
  offloadrt_stream *shared;
  const struct offload_kernel *saxpy, *mapped, *panics;
  struct offload_descriptor *object;
  float x[MAPPED];
  atomic_int number, panicked, reported;
};

/* Whether a call that waits succeeded. It may report a panic of another thread. */
static inline int waited(struct stress *stress, int status) {
  stress->reported += status == OFFLOADRT_PANICKED;
  return status == OFFLOADRT_SUCCESS || (stress->panics && status == OFFLOADRT_PANICKED);
}

static inline void stress_launches(struct stress *stress, offloadrt_stream *stream, float a) {
  offloadrt_device *device = stress->device;
  if (!stress->saxpy)
    return;
  uint32_t count = MAPPED;
  void *x, *y;
  float seen[MAPPED];
  offloadrt_launch_config config = shape((MAPPED + 63) / 64, 1, 1, 64, 1, 1);
  CHECK(offloadrt_allocate(device, sizeof seen, &x) == 0 && offloadrt_allocate(device, sizeof seen, &y) == 0);
  CHECK(offloadrt_submit_copy_to_device(device, stream, x, stress->x, sizeof seen) == 0);
  CHECK(offloadrt_submit_fill(device, stream, y, 0, sizeof seen) == 0);
  const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(a), ARGUMENT(x), ARGUMENT(y)};
  CHECK(offloadrt_launch(device, stream, stress->saxpy, &config, arguments, 4) == 0);
  if (stress->panics && (int)a % 4 == 0) {
    uint32_t operand = 42;
    const offloadrt_argument number[] = {ARGUMENT(operand)};
    stress->panicked++;
    CHECK(offloadrt_launch(device, stream, stress->panics, &config, number, 1) == 0);
  }
  CHECK(waited(stress, offloadrt_copy_to_host(device, stream, seen, y, sizeof seen)));
  for (int i = 0; i < MAPPED; i++)
    CHECK(seen[i] == a * (float)i);
  CHECK(offloadrt_free(device, x) == 0 && offloadrt_free(device, y) == 0);
}

/* Each thread maps other parts, so the order of the copies is random. All threads must see the same values. */
static inline void stress_mappings(struct stress *stress, offloadrt_stream *stream, uint32_t seed) {
  offloadrt_device *device = stress->device;
  struct {
    size_t first, count;
  } ranges[4];
  float first;
  void *address, *others;
  for (uint32_t i = 0; i < 4; i++) {
    ranges[i].first = (seed * 7 + i * 131) % (MAPPED - 1);
    ranges[i].count = 1 + (seed * 13 + i * 57) % (MAPPED - ranges[i].first);
    CHECK(waited(stress, offloadrt_map(device, stream, &stress->x[ranges[i].first], 4 * ranges[i].count, TO, &address)));
    CHECK(waited(stress, offloadrt_copy_to_host(device, stream, &first, address, sizeof first)));
    CHECK(first == (float)ranges[i].first);
    CHECK(offloadrt_map(device, stream, stress->x, 0, TO, &others) == 0);
  }
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t which = (seed + i * 3) % 4;
    CHECK(waited(stress, offloadrt_unmap(device, stream, &stress->x[ranges[which].first], 4 * ranges[which].count, 0)));
  }
}

static inline void stress_mapped_launch(struct stress *stress, offloadrt_stream *stream, float a) {
  static _Thread_local float y[MAPPED];
  float *x = stress->x, *to_y = y;
  uint32_t count = MAPPED;
  const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(a), ARGUMENT(x), ARGUMENT(to_y)};
  offloadrt_launch_config config = shape((MAPPED + 63) / 64, 1, 1, 64, 1, 1);
  memset(y, 0, sizeof y);
  if (!stress->mapped)
    return;
  CHECK(waited(stress, offloadrt_launch_mapped(stress->device, stream, stress->mapped, &config, arguments, 4, 0)));
  for (int i = 0; i < MAPPED; i++)
    CHECK(y[i] == a * (float)i);
}

/* Destroys events before they are complete, and after the stream in which they were recorded. */
static inline void stress_events(struct stress *stress, offloadrt_stream *stream) {
  offloadrt_stream *gone;
  offloadrt_event *events[3];
  int64_t took;
  int over;
  CHECK(offloadrt_stream_create(stress->device, &gone) == 0);
  for (int i = 0; i < 3; i++)
    CHECK(offloadrt_event_create(stress->device, &events[i]) == 0);
  CHECK(offloadrt_event_record(events[0], gone) == 0 && offloadrt_stream_wait(stream, events[0]) == 0);
  CHECK(offloadrt_event_record(events[1], stream) == 0 && offloadrt_stream_wait(gone, events[1]) == 0);
  CHECK(offloadrt_event_record(events[2], gone) == 0 && offloadrt_event_destroy(events[1]) == 0);
  CHECK(waited(stress, offloadrt_stream_destroy(gone)));
  CHECK(offloadrt_event_query(events[2], &over) == 0 && offloadrt_event_synchronize(events[0]) == 0);
  CHECK(offloadrt_event_elapsed(events[0], events[2], &took) == 0 && took >= 0);
  CHECK(offloadrt_event_destroy(events[2]) == 0 && offloadrt_event_destroy(events[0]) == 0);
}

static inline void stress_others(struct stress *stress) {
  offloadrt_device *again;
  CHECK(offloadrt_device_open(offloadrt_device_name(stress->device), &again) == 0);
  offloadrt_unregister(stress->object);
  offloadrt_register(stress->object);
  CHECK(!offloadrt_find_kernel("none"));
  CHECK(offloadrt_device_close(again) == 0);
  CHECK(offloadrt_synchronize(NULL, NULL) == OFFLOADRT_INVALID);
  CHECK_TEXT("the device is null");
}

static inline void *stress_thread(void *opaque) {
  struct stress *stress = opaque;
  uint32_t number = (uint32_t)++stress->number;
  offloadrt_stream *own;
  CHECK(offloadrt_stream_create(stress->device, &own) == 0);
  for (uint32_t round = 0; round < 12; round++) {
    offloadrt_stream *streams[] = {own, stress->shared, NULL};
    offloadrt_stream *stream = streams[(round + number) % 3];
    stress_launches(stress, stream, (float)(number + round));
    stress_mappings(stress, stream, number * 31 + round);
    stress_mapped_launch(stress, stream, (float)(number * round));
    stress_events(stress, stream);
    if (round % 4 == number % 4)
      stress_others(stress);
  }
  CHECK(waited(stress, offloadrt_stream_destroy(own)));
  return NULL;
}

static inline void check_stress(struct stress *stress) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  for (int i = 0; i < MAPPED; i++)
    stress->x[i] = (float)i;
  CHECK(offloadrt_stream_create(stress->device, &stress->shared) == 0);
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_create(&threads[t], NULL, stress_thread, stress) == 0);
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_join(threads[t], NULL) == 0);
  CHECK(waited(stress, offloadrt_stream_destroy(stress->shared)) && waited(stress, offloadrt_synchronize(stress->device, NULL)));
  CHECK(stress->reported <= stress->panicked && (stress->reported > 0) == (stress->panicked > 0));
}

#endif
