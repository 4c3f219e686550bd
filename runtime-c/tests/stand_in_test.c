/* Tests the drivers of CUDA and HIP without a GPU: with stand_in.c as the driver's library (stand_in_test cuda), with a
 * library without functions (stand_in_test cuda empty), and without a library (stand_in_test cuda none). */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "streams.h"
#include "container.h"
#include "mapping.h"
#include "faults.h"
#include "stress.h"

static const char *driver;
static char device_name[16];
static offloadrt_device *device;

static const struct offload_parameter rows[] = {{.offset = 0, .size = 4, .align = 4},
                                                {.offset = 4, .size = 4, .align = 4},
                                                {.offset = 8, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
                                                {.offset = 16, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER}};
PANIC_TEXTS(texts);
static const struct {
  struct offload_parameter rows[4];
  struct offload_extent extents[4];
} known = {{{.offset = 0, .size = 4, .align = 4},
            {.offset = 4, .size = 4, .align = 4},
            {.offset = 8, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
            {.offset = 16, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER}},
           {{0}, {0}, EXTENT_OF_X, EXTENT_OF_Y}};
static const struct {
  struct offload_parameter rows[2];
  struct offload_extent extents[2];
} writing = {{{.offset = 0, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
              {.offset = 8, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER}},
             {{4, OFFLOADRT_MAP_TO, 0}, {4, OFFLOADRT_MAP_FROM, 0}}};
static const struct offload_parameter number_row[] = {{.offset = 0, .size = 4, .align = 4}};
static struct offload_descriptor objects[4];
static const struct offload_kernel good[] = {KERNEL("saxpy", rows, 24, .descriptor = &objects[0]),
                                             KERNEL("absent", rows, 24, .descriptor = &objects[0]),
                                             KERNEL("panics", number_row, 4, .flags = OFFLOAD_KERNEL_TAKES_STATE,
                                                    .descriptor = &objects[0]),
                                             KERNEL("saxpy", known.rows, 24, .flags = OFFLOAD_KERNEL_HAS_EXTENTS,
                                                    .descriptor = &objects[0]),
                                             KERNEL("panics", number_row, 4,
                                                    .flags = OFFLOAD_KERNEL_TAKES_STATE | OFFLOAD_KERNEL_NEEDS_HEAP,
                                                    .descriptor = &objects[0]),
                                             {.size = sizeof good[0], .version = OFFLOAD_KERNEL_VERSION, .name = "fails",
                                              .argument_align = 8, .flags = OFFLOAD_KERNEL_TAKES_STATE,
                                              .descriptor = &objects[0]},
                                             KERNEL("writes", writing.rows, 16,
                                                    .flags = OFFLOAD_KERNEL_TAKES_STATE | OFFLOAD_KERNEL_HAS_EXTENTS,
                                                    .descriptor = &objects[0])};
static const struct offload_kernel bad[] = {KERNEL("saxpy", rows, 24, .descriptor = &objects[1])};
static const struct offload_kernel foreign[] = {KERNEL("saxpy", rows, 24, .descriptor = &objects[2])};
static const struct offload_kernel recursive[] = {KERNEL("saxpy", rows, 24, .descriptor = &objects[3])};
static struct offload_descriptor objects[] = {DESCRIPTOR(good, .panics = &texts.texts), DESCRIPTOR(bad, ), DESCRIPTOR(foreign, ),
                                              DESCRIPTOR(recursive, )};
static struct containers images[4];

static int is_cuda(void) { return strcmp(driver, "cuda") == 0; }

/* The functions of the stand-in library for this test. */
static void (*library_fail)(int call, int how);
static const char *(*library_failed)(void);
static int (*library_objects)(void);
static void *(*library_context)(int device);

/* The runtime's allocations of host memory, of which one can fail on demand (tests.mk has the option --wrap). */
static int allocations_left;
static const char *out_of_memory;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);

static int is_out(const char *function) {
  if (!allocations_left || --allocations_left)
    return 0;
  out_of_memory = function;
  return 1;
}

void *__wrap_malloc(size_t bytes) { return is_out("malloc") ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return is_out("calloc") ? NULL : __real_calloc(count, bytes); }

/* The kinds of failures: the three of the library, and that of host memory. */
enum { LIBRARYS_WAYS = 3 };
static void fail(int call, int how) {
  allocations_left = how == LIBRARYS_WAYS ? call : 0;
  out_of_memory = NULL;
  library_fail(allocations_left ? 0 : call, allocations_left ? 0 : how);
}

static const char *what_failed(void) { return out_of_memory ? out_of_memory : library_failed(); }

static void find_library(void) {
  void *library = dlopen(is_cuda() ? "libcuda.so.1" : "libamdhip64.so", RTLD_NOW);
  CHECK(library);
  *(void **)&library_fail = dlsym(library, "stand_in_fail");
  *(void **)&library_failed = dlsym(library, "stand_in_failed");
  *(void **)&library_objects = dlsym(library, "stand_in_objects");
  *(void **)&library_context = dlsym(library, "stand_in_context");
  CHECK(library_fail && library_failed && library_objects && library_context);
}

static void add_with_stack(int object, const char *arch, const char *bytes, const char *stack) {
  add_image_with_stack(&images[object], is_cuda() ? 5 : 1, is_cuda() ? "nvptx64-nvidia-cuda" : "amdgcn-amd-amdhsa", arch,
                       bytes, strlen(bytes), stack);
}

static void add(int object, const char *arch, const char *bytes) { add_with_stack(object, arch, bytes, "0"); }

/* The device is sm_75 or gfx906:sramecc+:xnack-. */
static void register_objects(void) {
  add(0, is_cuda() ? "sm_70" : "gfx9-generic", "bad  one");
  add(0, is_cuda() ? "sm_75" : "gfx906:xnack-", "good one");
  add(0, is_cuda() ? "sm_80" : "gfx906:xnack+", "bad  one");
  /* Machine code is better, and then the driver says that it is not for this GPU. */
  if (is_cuda())
    add_image(&images[0], 3, "nvptx64-nvidia-cuda", "sm_75", "code one", 8);
  add(1, is_cuda() ? "sm_70" : "gfx906", "bad  one");
  add(2, is_cuda() ? "sm_80" : "gfx906:sramecc-", "good one");
  add(2, is_cuda() ? "sm_90a" : "gfx1030", "good one");
  add_with_stack(3, is_cuda() ? "sm_70" : "gfx906", "good rec", "20000");
  for (int i = 0; i < 4; i++) {
    objects[i].images_begin = images[i].begin;
    objects[i].images_end = images[i].begin + images[i].size;
    offloadrt_register(&objects[i]);
  }
}

static int launch(offloadrt_stream *stream, const struct offload_kernel *kernel, uint32_t n, float a, void *x, void *y,
                  uint32_t shared_bytes) {
  const offloadrt_argument arguments[] = {ARGUMENT(n), ARGUMENT(a), ARGUMENT(x), ARGUMENT(y)};
  offloadrt_launch_config config = shape((n + 31) / 32, 1, 1, 32, 1, 1);
  config.dynamic_shared_bytes = shared_bytes;
  return offloadrt_launch(device, stream, kernel, &config, arguments, 4);
}

static void saxpy_on(offloadrt_stream *stream, uint32_t n) {
  float x[200], y[200];
  void *to_x, *to_y;
  for (uint32_t i = 0; i < n; i++)
    x[i] = (float)i, y[i] = 1;
  CHECK(offloadrt_allocate(device, sizeof x, &to_x) == 0 && offloadrt_allocate(device, sizeof y, &to_y) == 0);
  CHECK(offloadrt_copy_to_device(device, stream, to_x, x, n * sizeof *x) == 0);
  CHECK(offloadrt_copy_to_device(device, stream, to_y, y, n * sizeof *y) == 0);
  CHECK(launch(stream, good, n, 2, to_x, to_y, 0) == 0);
  CHECK(offloadrt_synchronize(device, stream) == 0);
  CHECK(offloadrt_copy_to_host(device, stream, y, to_y, n * sizeof *y) == 0);
  for (uint32_t i = 0; i < n; i++)
    CHECK(y[i] == 2 * (float)i + 1);
  CHECK(offloadrt_free(device, to_x) == 0 && offloadrt_free(device, to_y) == 0);
}

static void a_kernel_runs_from_the_best_image(void) { saxpy_on(NULL, 100); }

static void *run_often(void *unused) {
  offloadrt_stream *stream;
  CHECK(offloadrt_stream_create(device, &stream) == 0);
  for (uint32_t i = 1; i < 100; i++)
    saxpy_on(i % 2 ? stream : NULL, i);
  CHECK(offloadrt_stream_destroy(stream) == 0);
  return unused;
}

static void threads_launch_at_once(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, run_often, NULL) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

static void large_shared_memory_is_asked_for(void) {
  uint32_t most = is_cuda() ? 65536 : 49152;
  char wanted[256];
  CHECK(launch(NULL, good, 1, 0, &(float){0}, &(float){0}, most - 100) == 0);
  CHECK(launch(NULL, good, 1, 0, &(float){0}, &(float){0}, most - 99) == OFFLOADRT_INVALID);
  snprintf(wanted, sizeof wanted,
           "kernel `saxpy` is launched with %u bytes of shared memory for each block, beside 100 bytes of its own: %u, and "
           "device `%s` (Stand-in) allows %u",
           most - 99, most + 1, device_name, most);
  CHECK_TEXT(wanted);
}

static void everything_from_many_threads(void) {
  static struct stress stress = {.saxpy = &good[0], .mapped = &good[3], .panics = &good[2], .object = &objects[2]};
  stress.device = device;
  check_stress(&stress);
}

static int launch_shape(const struct offload_kernel *kernel, offloadrt_launch_config config) {
  uint32_t operand = 0;
  const offloadrt_argument arguments[] = {ARGUMENT(operand)};
  return offloadrt_launch(device, NULL, kernel, &config, arguments, 1);
}

static void a_launch_beyond_a_limit_is_refused(void) {
  offloadrt_limits limits = {.size = sizeof limits, .version = OFFLOADRT_LIMITS_VERSION};
  char wanted[300];
  CHECK(offloadrt_device_limits(device, &limits) == 0);
  CHECK(limits.threads_per_block == 1024 && limits.block[2] == 64 && limits.grid[0] == INT32_MAX && limits.grid[1] == 65535);
  CHECK(limits.shared_bytes == (is_cuda() ? 65536 : 49152) && limits.least_lanes == 32 && limits.most_lanes == 32);
  CHECK(limits.compute_units == 6 && limits.memory_bytes == (uint64_t)3 << 30);
  CHECK(launch_shape(&good[2], shape(1, 1, 1, 512, 1, 1)) == 0);
  CHECK(launch_shape(&good[2], shape(1, 1, 1, 513, 1, 1)) == OFFLOADRT_INVALID);
  snprintf(wanted, sizeof wanted,
           "kernel `panics` is launched with blocks of 513 x 1 x 1 threads: 513, and device `%s` (Stand-in) allows 512 of this "
           "kernel; `#[kernel(launch_bounds(513))]` or `#[kernel(max_registers = COUNT)]` may allow more",
           device_name);
  CHECK_TEXT(wanted);
  CHECK(launch_shape(&good[2], shape(1, 1, 1, 1, 1, 65)) == OFFLOADRT_INVALID);
  snprintf(wanted, sizeof wanted,
           "kernel `panics` is launched with a block of 1 x 1 x 65: 65 threads along z, and device `%s` (Stand-in) allows 64",
           device_name);
  CHECK_TEXT(wanted);
  CHECK(launch_shape(&good[2], shape(1, 65536, 1, 1, 1, 1)) == OFFLOADRT_INVALID);
  /* The limits of the device are checked before an image is chosen. */
  CHECK(launch_shape(&foreign[0], shape(1, 1, 1, 1024, 2, 1)) == OFFLOADRT_INVALID);
}

static int panics(offloadrt_stream *stream, uint32_t operand) {
  const offloadrt_argument arguments[] = {ARGUMENT(operand)};
  const offloadrt_launch_config config = shape(4, 1, 1, 32, 1, 1);
  return offloadrt_launch(device, stream, &good[2], &config, arguments, 1);
}

/* Launches do not wait, so the next call that waits reports the first panic, once. The device remains usable. */
static void a_panic_is_reported_to_the_call_that_waits(void) {
  offloadrt_stream *streams[2] = {NULL};
  CHECK(offloadrt_stream_create(device, &streams[1]) == 0);
  for (int i = 0; i < 2; i++) {
    CHECK(panics(streams[i], 0) == 0 && panics(streams[i], 42) == 0 && panics(streams[i], 43) == 0);
    CHECK(offloadrt_synchronize(device, streams[i]) == OFFLOADRT_PANICKED);
    CHECK_TEXT("kernel `panics` panicked at src/lib.rs:23:9: no 42 here (block 2, thread 7)");
    CHECK(offloadrt_synchronize(device, streams[i]) == 0);
    CHECK(panics(streams[i], 0) == 0 && offloadrt_synchronize(device, streams[i]) == 0);
    CHECK(panics(streams[i], 44) == 0 && offloadrt_synchronize(device, NULL) == OFFLOADRT_PANICKED);
    saxpy_on(streams[i], 100);
  }
  CHECK(offloadrt_stream_destroy(streams[1]) == 0);
}

/* A mapped launch always waits. */
static void a_mapped_launch_reports_its_panic(void) {
  uint32_t operand = 42;
  const offloadrt_argument arguments[] = {{NULL, 0}, ARGUMENT(operand)};
  const offloadrt_launch_config config = shape(4, 1, 1, 32, 1, 1);
  CHECK(offloadrt_launch_mapped(device, NULL, &good[2], &config, arguments, 2, 0) == OFFLOADRT_PANICKED);
  CHECK(offloadrt_launch_mapped(device, NULL, &good[5], &config, NULL, 0, 0) == OFFLOADRT_PANICKED);
  CHECK(offloadrt_synchronize(device, NULL) == 0);
  /* The results are copied back, and only earlier mappings remain. */
  static float from = 5, to = 1;
  const float *reads = &from, *writes = &to;
  const offloadrt_argument both[] = {ARGUMENT(reads), ARGUMENT(writes)};
  for (int mapped = 0; mapped < 2; mapped++) {
    if (mapped)
      map_to(device, &to, 4, TO);
    CHECK(offloadrt_launch_mapped(device, NULL, &good[6], &config, both, 2, 0) == OFFLOADRT_PANICKED);
    CHECK(strstr(offloadrt_error_text(), "kernel `writes` panicked") && to == (mapped ? 1 : 5));
    CHECK(offloadrt_update_from(device, NULL, &from, 4) == OFFLOADRT_INVALID);
    to = 1;
  }
  CHECK(offloadrt_unmap(device, NULL, &to, 4, FROM) == 0 && to == 5);
  CHECK(offloadrt_unmap(device, NULL, &to, 4, FROM) == OFFLOADRT_INVALID);
}

/* Each registration is another object. The states of the previous object's launches are reused, including their
 * heaps. */
static void objects_that_come_and_go_leave_nothing(void) {
  uint32_t operand = 0;
  const offloadrt_argument arguments[] = {ARGUMENT(operand)};
  offloadrt_launch_config config = shape(4, 1, 1, 32, 1, 1);
  int held = 0;
  config.heap_bytes = 1 << 16;
  for (int round = 0; round < 100; round++) {
    offloadrt_unregister(&objects[0]);
    offloadrt_register(&objects[0]);
    CHECK(offloadrt_launch(device, NULL, &good[4], &config, arguments, 1) == 0);
    CHECK(panics(NULL, 42) == 0 && offloadrt_synchronize(device, NULL) == OFFLOADRT_PANICKED);
    held = round ? held : library_objects();
    CHECK(library_objects() == held);
  }
}

/* The library checks with which stack size each image was loaded. */
static void a_recursive_image_gets_its_stack(void) {
  CHECK(launch(NULL, recursive, 1, 0, &(float){0}, &(float){0}, 0) == 0);
}

static void failures_carry_the_librarys_words(void) {
  void *address;
  CHECK(launch(NULL, bad, 1, 0, NULL, NULL, 0) == OFFLOADRT_FAILED);
  if (is_cuda())
    CHECK_TEXT("device `cuda:0` could not load the image for sm_70: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed "
               "(218)\nptxas application ptx input, line 3; error: Unknown symbol");
  else
    CHECK_TEXT("device `hip:0` could not load the image for gfx906: hipErrorInvalidImage: device kernel image is invalid (218)");
  CHECK(launch(NULL, &good[1], 1, 0, NULL, NULL, 0) == OFFLOADRT_FAILED);
  CHECK(strstr(offloadrt_error_text(), "could not find kernel `absent` in its image"));
  CHECK(offloadrt_allocate(device, (size_t)1 << 41, &address) == OFFLOADRT_NO_MEMORY && !address);
  CHECK(strstr(offloadrt_error_text(), "could not allocate 2199023255552 bytes"));
}

static void a_wrong_arch_is_reported(void) {
  CHECK(launch(NULL, foreign, 1, 0, NULL, NULL, 0) == OFFLOADRT_NO_IMAGE);
  if (is_cuda())
    CHECK_TEXT("kernel `saxpy` has no code for device `cuda:0` (sm_75) in this program, which has code for sm_80, sm_90a; the "
               "closest is sm_80, which is PTX for compute capability 8.0 and newer; `--offload-arch=sm_75` adds it");
  else
    CHECK_TEXT("kernel `saxpy` has no code for device `hip:0` (gfx906:sramecc+:xnack-) in this program, which has code for "
               "gfx906:sramecc-, gfx1030; the closest is gfx906:sramecc-, which needs sramecc-; `--offload-arch=gfx906` "
               "adds it");
}

/* Checks the error for a driver without a device, and that the program can continue. */
static void check_absence(const char *reason) {
  char wanted[256];
  snprintf(wanted, sizeof wanted, "there is no device `%s` here: %s: %s; there is `cpu`", device_name,
           is_cuda() ? "libcuda.so.1" : "libamdhip64.so", reason);
  CHECK(offloadrt_device_open(device_name, &device) == OFFLOADRT_NO_DEVICE);
  CHECK(strncmp(offloadrt_error_text(), wanted, strlen(wanted)) == 0);
  CHECK(offloadrt_device_open(NULL, &device) == 0 && offloadrt_device_close(device) == 0);
}

static void a_library_without_functions_is_reported(void) {
  check_absence(is_cuda() ? "it has no function `cuInit`, so it is too old or not what it is called"
                          : "it has no function `hipInit`, so it is too old or not what it is called");
}

static void a_missing_library_is_reported(void) {
  void *there = dlopen(is_cuda() ? "libcuda.so.1" : "libamdhip64.so", RTLD_NOW);
  if (there)
    printf("skipped: this machine has %s\n", device_name);
  else
    check_absence("cannot open shared object file: No such file or directory");
}

/* Unified memory is managed memory with CUDA. With HIP it is pinned memory, because the stand-in for HIP does not
 * support concurrent access to managed memory. The library checks that each is freed by the matching function. */
static void kernels_and_host_reach_unified_memory(void) {
  float *x, *y;
  void *too_much;
  CHECK(offloadrt_allocate_unified(device, 100 * sizeof *x, (void **)&x) == 0);
  CHECK(offloadrt_allocate_unified(device, 100 * sizeof *y, (void **)&y) == 0);
  for (int i = 0; i < 100; i++)
    x[i] = (float)i, y[i] = 1;
  CHECK(launch(NULL, good, 100, 2, x, y, 0) == 0 && offloadrt_synchronize(device, NULL) == 0);
  for (int i = 0; i < 100; i++)
    CHECK(y[i] == 2 * (float)i + 1);
  CHECK(offloadrt_free_unified(device, x) == 0 && offloadrt_free_unified(device, y) == 0);
  CHECK(offloadrt_allocate_unified(device, (size_t)1 << 41, &too_much) == OFFLOADRT_NO_MEMORY && !too_much);
  CHECK(strstr(offloadrt_error_text(), "could not allocate 2199023255552 bytes of unified memory"));
  CHECK(offloadrt_allocate_host(device, (size_t)1 << 41, &too_much) == OFFLOADRT_NO_MEMORY && !too_much);
}

/* The library's events are complete after a call has waited for them. Its clock counts calls, in milliseconds. */
static void events_do_not_wait_by_themselves(void) {
  offloadrt_event *events[2];
  int over = 1;
  int64_t took;
  for (int i = 0; i < 2; i++) {
    CHECK(offloadrt_event_create(device, &events[i]) == 0 && offloadrt_event_record(events[i], NULL) == 0);
    CHECK(offloadrt_event_query(events[i], &over) == 0 && !over);
  }
  CHECK(offloadrt_event_elapsed(events[0], events[1], &took) == 0 && took == 1000000);
  CHECK(offloadrt_event_query(events[0], &over) == 0 && over);
  /* A panic remains for the call that waits for the stream. */
  CHECK(panics(NULL, 42) == 0 && offloadrt_event_record(events[0], NULL) == 0);
  CHECK(offloadrt_event_synchronize(events[0]) == 0 && offloadrt_synchronize(device, NULL) == OFFLOADRT_PANICKED);
  CHECK(offloadrt_event_destroy(events[0]) == 0 && offloadrt_event_destroy(events[1]) == 0);
}

static void host_memory_is_mapped(void) {
  mapped_memory_is_counted(device);
  mapped_memory_may_overlap(device);
  mapping_what_cannot_be_is_an_error(device);
  static float x[MAPPED], y[MAPPED];
  float a = 2, *to_x = x, *to_y = y;
  uint32_t n = MAPPED;
  const offloadrt_argument arguments[] = {ARGUMENT(n), ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y)};
  launches_map_by_extents(device, &good[3], &good[0], arguments, x, y);
  a_stream_of_another_device_maps_nothing(device);
  both_sides_see_the_same(device);
  mapped_memory_is_aligned(device);
  /* Closing the device frees the remaining mappings. */
  static int left[4];
  map_to(device, left, sizeof left, TO);
}

static void streams_are_as_on_every_device(void) { check_streams(device); }

static void a_device_is_opened_in_a_context_of_the_program(void) {
  offloadrt_device *opened = NULL;
  void *own = library_context(0), *context = NULL;
  int before = library_objects();
  CHECK(offloadrt_device_adopt("cpu", own, &opened) == OFFLOADRT_UNSUPPORTED && !opened);
  CHECK(offloadrt_device_adopt(device_name, own, NULL) == OFFLOADRT_INVALID);
  if (!is_cuda()) {
    CHECK(offloadrt_device_adopt(device_name, own, &opened) == OFFLOADRT_UNSUPPORTED && !opened);
    return;
  }
  CHECK(offloadrt_device_adopt(device_name, NULL, &opened) == OFFLOADRT_INVALID && !opened);
  CHECK_TEXT("the context is null; help: open `cuda:0` without one");
  CHECK(offloadrt_device_adopt(device_name, library_context(1), &opened) == OFFLOADRT_INVALID && !opened);
  CHECK_TEXT("the context belongs to another device than `cuda:0`");
  CHECK(offloadrt_device_adopt(device_name, own, &opened) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_context(opened, &context) == OFFLOADRT_SUCCESS && context == own);
  /* The context is neither retained nor released. */
  CHECK(library_objects() == before && offloadrt_device_close(opened) == OFFLOADRT_SUCCESS && library_objects() == before);
}

static void every_failing_call_is_reported_and_nothing_is_lost(void) {
  /* A device that is gone takes the program's memory with it, in calls of the trace as well, which the program does not see. */
  int ways = getenv("OFFLOADRT_TRACE") ? 2 : LIBRARYS_WAYS + 1;
  const struct faults faults = {.device = device_name, .saxpy = &good[0], .mapped = &good[3], .panics = &good[2],
                                .heap = &good[4], .fail = fail, .ways = ways, .step = 1, .failed = what_failed,
                                .objects = library_objects};
  check_faults(&faults);
}

/* A process loads the library once. */
static void a_library_that_fails_from_the_start_is_reported(void) {
  for (int call = 1; call < 3; call++) {
    pid_t child = fork();
    if (child == 0) {
      find_library();
      library_fail(call, 0);
      CHECK(offloadrt_device_open(device_name, &device) == OFFLOADRT_NO_DEVICE);
      CHECK(strstr(offloadrt_error_text(), is_cuda() ? "CUDA_ERROR: ?" : "hipError: ?"));
      _Exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

int main(int count, char **words) {
  CHECK(count > 1);
  driver = words[1];
  snprintf(device_name, sizeof device_name, "%s:0", driver);
  if (count > 2 && strcmp(words[2], "empty") == 0) {
    RUN(a_library_without_functions_is_reported);
    return 0;
  }
  if (count > 2) {
    RUN(a_missing_library_is_reported);
    return 0;
  }
  register_objects();
  RUN(a_library_that_fails_from_the_start_is_reported);
  find_library();
  RUN(every_failing_call_is_reported_and_nothing_is_lost);
  CHECK(offloadrt_device_open(driver, &device) == 0);
  RUN(a_device_is_opened_in_a_context_of_the_program);
  RUN(a_kernel_runs_from_the_best_image);
  RUN(threads_launch_at_once);
  RUN(everything_from_many_threads);
  RUN(large_shared_memory_is_asked_for);
  RUN(streams_are_as_on_every_device);
  RUN(host_memory_is_mapped);
  RUN(kernels_and_host_reach_unified_memory);
  RUN(events_do_not_wait_by_themselves);
  RUN(a_launch_beyond_a_limit_is_refused);
  RUN(a_panic_is_reported_to_the_call_that_waits);
  RUN(a_mapped_launch_reports_its_panic);
  RUN(objects_that_come_and_go_leave_nothing);
  RUN(failures_carry_the_librarys_words);
  RUN(a_wrong_arch_is_reported);
  RUN(a_recursive_image_gets_its_stack);
  CHECK(offloadrt_device_close(device) == 0);
  for (int i = 0; i < 4; i++)
    free(images[i].begin);
  return 0;
}
