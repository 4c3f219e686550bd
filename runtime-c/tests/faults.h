/* A program that uses all functions of a driver. It runs many times, and each time another call of the driver's library
 * fails: either only that call, or also the calls after it. In each case the runtime must free everything, every error
 * must have its own text, and results without an error must be correct. */
#ifndef OFFLOADRT_TESTS_FAULTS_H
#define OFFLOADRT_TESTS_FAULTS_H

#include "check.h"

/* The kernels, and the functions of the library. */
struct faults {
  const char *device;
  const struct offload_kernel *saxpy, *mapped; /* a count, a factor and two pointers; `mapped` has extents */
  const struct offload_kernel *panics, *heap;  /* these panic with their parameter; null: there are none */
  void (*fail)(int call, int how); /* makes the call with this number fail, and others according to `how`; 0: none */
  int ways;                        /* the number of values of `how` */
  int step;                        /* if others fail as well, only every `step`th call is the first, to save time */
  const char *(*failed)(void); /* returns the call that failed, or null */
  int (*objects)(void); /* returns 0 if no object exists */
};

enum { FAULTY = 1000 };

/* The number of calls of the runtime that failed, and whether more than one call of the library fails. */
static int failures, several_fail;

/* Whether a call succeeded. If it failed, it must have set an error text, which is not the text of an earlier call. */
#define TRY(call) (offloadrt_find_kernel(NULL), tried(call, #call))
static inline int tried(int status, const char *call) {
  if (status && strcmp(offloadrt_error_text(), "the name of a kernel is null") == 0) {
    fprintf(stderr, "no error text of its own: %s\n", call);
    exit(1);
  }
  CHECK(!strstr(offloadrt_error_text(), "has no code"));
  failures += status != 0;
  return status == 0;
}

static inline void *allocate_or_null(offloadrt_device *device, size_t bytes) {
  void *address;
  int went_well = TRY(offloadrt_allocate(device, bytes, &address));
  CHECK(went_well == (address != NULL));
  return address;
}

static inline int launch_faulty(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                                void *x, void *y, int is_mapped) {
  uint32_t count = FAULTY;
  float factor = 2;
  const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(factor), ARGUMENT(x), ARGUMENT(y)};
  const offloadrt_launch_config config = shape((FAULTY + 63) / 64, 1, 1, 64, 1, 1);
  return is_mapped ? TRY(offloadrt_launch_mapped(device, stream, kernel, &config, arguments, 4, 0))
                   : TRY(offloadrt_launch(device, stream, kernel, &config, arguments, 4));
}

static inline void use_copies(const struct faults *faults, offloadrt_device *device, offloadrt_stream *stream) {
  static float x[FAULTY], y[FAULTY];
  int before = failures;
  for (int i = 0; i < FAULTY; i++)
    x[i] = (float)i, y[i] = 1;
  void *to_x = allocate_or_null(device, sizeof x), *to_y = allocate_or_null(device, sizeof y);
  if (to_x && to_y && TRY(offloadrt_copy_to_device(device, stream, to_x, x, sizeof x)) &&
      TRY(offloadrt_copy_to_device(device, stream, to_y, y, sizeof y)) &&
      launch_faulty(device, stream, faults->saxpy, to_x, to_y, 0) && TRY(offloadrt_synchronize(device, stream)) &&
      TRY(offloadrt_copy_to_host(device, stream, y, to_y, sizeof y)))
    for (int i = 0; i < FAULTY; i++)
      CHECK(y[i] == 2 * (float)i + 1);
  else
    CHECK(failures > before);
  TRY(offloadrt_free(device, to_x));
  TRY(offloadrt_free(device, to_y));
}

/* Uses functions that submit fills and copies, pinned memory, and unified memory. */
static inline void use_submitted(offloadrt_device *device, offloadrt_stream *stream) {
  void *memory = allocate_or_null(device, 64), *pinned = NULL, *unified = NULL;
  TRY(offloadrt_allocate_host(device, 64, &pinned));
  TRY(offloadrt_allocate_unified(device, 64, &unified));
  if (memory && pinned && unified && TRY(offloadrt_submit_fill(device, stream, memory, 7, 64)) &&
      TRY(offloadrt_submit_copy(device, stream, unified, memory, 64)) &&
      TRY(offloadrt_submit_copy_to_host(device, stream, pinned, unified, 64)) && TRY(offloadrt_synchronize(device, stream)))
    CHECK(((char *)pinned)[0] == 7 && ((char *)pinned)[63] == 7);
  TRY(offloadrt_synchronize(device, NULL));
  TRY(offloadrt_free_unified(device, unified));
  TRY(offloadrt_free_host(device, pinned));
  TRY(offloadrt_free(device, memory));
}

static inline void use_events(offloadrt_device *device, offloadrt_stream *stream) {
  offloadrt_event *events[2];
  int64_t took;
  int over;
  for (int i = 0; i < 2; i++)
    CHECK(TRY(offloadrt_event_create(device, &events[i])) == (events[i] != NULL));
  if (events[0] && events[1]) {
    TRY(offloadrt_event_record(events[0], stream));
    TRY(offloadrt_event_record(events[1], NULL));
    TRY(offloadrt_stream_wait(stream, events[1]));
    TRY(offloadrt_event_query(events[0], &over));
    TRY(offloadrt_event_synchronize(events[1]));
    TRY(offloadrt_event_elapsed(events[0], events[1], &took));
  }
  for (int i = 0; i < 2; i++)
    TRY(offloadrt_event_destroy(events[i]));
}

/* A mapping is counted, or the range is not mapped. After it has ended it does not exist, even if the function
 * failed. */
static inline void use_mappings(const struct faults *faults, offloadrt_device *device, offloadrt_stream *stream) {
  static float x[FAULTY], y[FAULTY];
  void *address;
  for (int i = 0; i < FAULTY; i++)
    x[i] = (float)i, y[i] = 1;
  if (launch_faulty(device, stream, faults->mapped, x, y, 1))
    for (int i = 0; i < FAULTY; i++)
      CHECK(y[i] == 2 * (float)i + 1);
  CHECK(offloadrt_update_to(device, stream, x, 4) == OFFLOADRT_INVALID && offloadrt_update_to(device, stream, y, 4) == OFFLOADRT_INVALID);
  int all = TRY(offloadrt_map(device, stream, x, sizeof x, OFFLOADRT_MAP_TO, &address));
  int part = TRY(offloadrt_map(device, stream, &x[10], 40, OFFLOADRT_MAP_TO | OFFLOADRT_MAP_ALWAYS, &address));
  int aside = TRY(offloadrt_map(device, stream, y, 400, OFFLOADRT_MAP_TO, &address));
  TRY(offloadrt_update_to(device, stream, x, 4));
  TRY(offloadrt_update_from(device, stream, y, 4));
  if (all)
    TRY(offloadrt_unmap(device, stream, x, sizeof x, OFFLOADRT_MAP_FROM));
  if (part)
    TRY(offloadrt_unmap(device, stream, &x[10], 40, OFFLOADRT_MAP_FROM | OFFLOADRT_MAP_ALWAYS));
  if (aside)
    TRY(offloadrt_unmap(device, stream, y, 400, 0));
  CHECK(offloadrt_update_to(device, stream, &x[10], 4) == OFFLOADRT_INVALID);
  CHECK(offloadrt_update_to(device, stream, y, 4) == OFFLOADRT_INVALID);
}

static inline int launch_with_number(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                                     uint32_t number, uint64_t heap_bytes) {
  const offloadrt_argument arguments[] = {ARGUMENT(number)};
  offloadrt_launch_config config = shape(4, 1, 1, 32, 1, 1);
  config.heap_bytes = heap_bytes;
  return TRY(offloadrt_launch(device, stream, kernel, &config, arguments, 1));
}

/* The first successful call that waits reports a panic, once. A launch that does not panic must not report it again. */
static inline void use_panics(const struct faults *faults, offloadrt_device *device, offloadrt_stream *stream) {
  int panics = 0, before = failures;
  int launched = launch_with_number(device, stream, faults->panics, 42, 0);
  for (int round = 0; round < 3; round++) {
    offloadrt_find_kernel(NULL);
    int status = offloadrt_synchronize(device, stream);
    panics += status == OFFLOADRT_PANICKED;
    failures += status && status != OFFLOADRT_PANICKED;
    CHECK(status != OFFLOADRT_PANICKED || strstr(offloadrt_error_text(), "no 42 here"));
    if (round == 1)
      launch_with_number(device, stream, faults->panics, 0, 0);
  }
  CHECK(panics == 1 || (panics == 0 && failures > before && (!launched || several_fail)));
  launch_with_number(device, stream, faults->heap, 0, 1000);
  launch_with_number(device, stream, faults->heap, 0, 5000);
  TRY(offloadrt_synchronize(device, stream));
}

static inline void use_device(const struct faults *faults) {
  offloadrt_device *device;
  offloadrt_stream *stream;
  CHECK(TRY(offloadrt_device_open(faults->device, &device)) == (device != NULL));
  if (!device)
    return;
  CHECK(TRY(offloadrt_stream_create(device, &stream)) == (stream != NULL));
  use_copies(faults, device, stream);
  use_submitted(device, stream);
  use_events(device, stream);
  use_mappings(faults, device, stream);
  if (faults->panics)
    use_panics(faults, device, stream);
  TRY(offloadrt_stream_destroy(stream));
  TRY(offloadrt_device_close(device));
}

static inline void check_faults(const struct faults *faults) {
  /* A process loads the library once. */
  use_device(faults);
  for (int how = 0; how < faults->ways; how++) {
    int call = 1, step = how ? faults->step : 1;
    for (;; call += step) {
      failures = 0;
      several_fail = how;
      faults->fail(call, how);
      use_device(faults);
      if (faults->objects()) {
        fprintf(stderr, "something was not given back after call %d, %s, failed (%d)\n", call, faults->failed(), how);
        exit(1);
      }
      if (!faults->failed())
        break;
    }
    CHECK(failures == 0);
    printf("   in %d runs another call failed (%d)\n", (call - 1) / step, how);
  }
  faults->fail(0, 0);
}

#endif
