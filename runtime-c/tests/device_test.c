/* Tests a driver on a real device: device_test opencl, device_test cuda. The environment names its library. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "streams.h"
#include "container.h"
#include "mapping.h"
#include "stress.h"

/* The differences between devices. */
struct target {
  const char *driver, *triple, *arch, *images, *broken;
  unsigned kind;
  const char *absent, *unresolved, *no_memory; /* in error texts */
};
static const struct target targets[] = {
    {.driver = "opencl",
     .triple = "spirv64-unknown-unknown",
     .arch = "spirv64",
     .images = IMAGES "/kernels_spirv.spv",
     .broken = IMAGES "/unresolved_spirv.spv",
     .kind = 6,
     .absent = "finds no kernel `absent` in its image: CL_INVALID_KERNEL_NAME (-46)",
     .unresolved = "could not build the SPIR-V image: CL_",
     .no_memory = "cannot allocate 1152921504606846976 bytes: CL_"},
    {.driver = "cuda",
     .triple = "nvptx64-nvidia-cuda",
     .arch = "sm_70",
     .images = IMAGES "/kernels_nvptx.ptx",
     .broken = IMAGES "/unresolved_nvptx.ptx",
     .kind = 5,
     .absent = "could not find kernel `absent` in its image: CUDA_ERROR_NOT_FOUND: ",
     .unresolved = "could not load the image for sm_70: CUDA_ERROR_",
     .no_memory = "could not allocate 1152921504606846976 bytes: CUDA_ERROR_OUT_OF_MEMORY"},
};
static const struct target *target;
static offloadrt_device *device;

static int is_opencl(void) { return target == &targets[0]; }

#define ROW(type, at, what) {.offset = at, .size = sizeof(type), .align = sizeof(type), .kind = OFFLOAD_PARAMETER_##what}
static const struct offload_parameter saxpy_rows[] = {
    ROW(uint32_t, 0, VALUE), ROW(float, 4, VALUE), ROW(void *, 8, POINTER), ROW(void *, 16, POINTER)};
static const struct {
  struct offload_parameter rows[4];
  struct offload_extent extents[4];
} known = {{ROW(uint32_t, 0, VALUE), ROW(float, 4, VALUE), ROW(void *, 8, POINTER), ROW(void *, 16, POINTER)},
           {{0}, {0}, EXTENT_OF_X, EXTENT_OF_Y}};
static const struct offload_parameter pointer_row[] = {ROW(void *, 0, POINTER)};
static const struct offload_parameter block_row[] = {{.size = 16, .align = 8, .kind = OFFLOAD_PARAMETER_BLOCK}};

enum { SAXPY, GRID, BLOCK, INDIRECT, REVERSE, ABSENT, FEWER, KNOWN };
static struct offload_descriptor good;
static const struct offload_kernel kernels[] = {
    [SAXPY] = KERNEL("saxpy", saxpy_rows, 24, .descriptor = &good),
    [GRID] = KERNEL("grid", pointer_row, 8, .descriptor = &good),
    [BLOCK] = KERNEL("block", block_row, 16, .descriptor = &good),
    [INDIRECT] = KERNEL("indirect", pointer_row, 8, .descriptor = &good),
    [REVERSE] = KERNEL("reverse", pointer_row, 8, .descriptor = &good),
    [ABSENT] = KERNEL("absent", pointer_row, 8, .descriptor = &good),
    /* The table has one parameter of four, which hidden arguments cannot explain. */
    [FEWER] = KERNEL("saxpy", pointer_row, 8, .descriptor = &good),
    [KNOWN] = KERNEL("saxpy", known.rows, 24, .descriptor = &good, .flags = OFFLOAD_KERNEL_HAS_EXTENTS),
};
static struct offload_descriptor good = DESCRIPTOR(kernels, );

static struct offload_descriptor bad;
static const struct offload_kernel lost[] = {KERNEL("lost", pointer_row, 8, .descriptor = &bad)};
static struct offload_descriptor bad = DESCRIPTOR(lost, );

static struct offload_descriptor foreign;
static const struct offload_kernel elsewhere[] = {KERNEL("elsewhere", pointer_row, 8, .descriptor = &foreign)};
static struct offload_descriptor foreign = DESCRIPTOR(elsewhere, );

static void give(struct offload_descriptor *object, const struct containers *images) {
  object->images_begin = images->begin;
  object->images_end = images->begin + images->size;
  offloadrt_register(object);
}

static struct containers images[3];
static void register_objects(void) {
  add_image(&images[0], 1, "amdgcn-amd-amdhsa", "gfx90a", "", 1);
  CHECK(add_file(&images[0], target->kind, target->triple, target->arch, target->images));
  CHECK(add_file(&images[1], target->kind, target->triple, target->arch, target->broken));
  add_image(&images[2], 1, "amdgcn-amd-amdhsa", "gfx90a", "", 1);
  add_image(&images[2], 6, "spirv-unknown-vulkan", "spirv1.6", "", 1);
  give(&good, &images[0]);
  give(&bad, &images[1]);
  give(&foreign, &images[2]);
}

/* Returns device memory with a copy of `bytes` bytes. */
static void *on_device(const void *from, size_t bytes) {
  void *address;
  CHECK(offloadrt_allocate(device, bytes, &address) == 0 && address);
  CHECK(offloadrt_copy_to_device(device, NULL, address, from, bytes) == 0);
  return address;
}

static void back(void *to, void *address, size_t bytes) {
  CHECK(offloadrt_copy_to_host(device, NULL, to, address, bytes) == 0);
  CHECK(offloadrt_free(device, address) == 0);
}

static int launch_one(int which, offloadrt_launch_config config, const void *argument, size_t size) {
  const offloadrt_argument arguments[] = {{argument, size}};
  return offloadrt_launch(device, NULL, &kernels[which], &config, arguments, 1);
}

static void saxpy_on(offloadrt_stream *stream, uint32_t count, float a) {
  float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
  CHECK(x && y);
  for (uint32_t i = 0; i < count; i++)
    x[i] = (float)i, y[i] = 1;
  void *to_x = on_device(x, count * sizeof *x), *to_y = on_device(y, count * sizeof *y);
  const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y)};
  offloadrt_launch_config config = shape((count + 63) / 64, 1, 1, 64, 1, 1);
  CHECK(offloadrt_launch(device, stream, &kernels[SAXPY], &config, arguments, 4) == 0);
  CHECK(offloadrt_copy_to_host(device, stream, y, to_y, count * sizeof *y) == 0);
  for (uint32_t i = 0; i < count; i++)
    CHECK(y[i] == a * (float)i + 1);
  CHECK(offloadrt_free(device, to_x) == 0 && offloadrt_free(device, to_y) == 0);
  free(x);
  free(y);
}

static void values_and_pointers(void) { saxpy_on(NULL, 1001, 2.5f); }

static void host_memory_is_mapped(void) {
  static float x[MAPPED], y[MAPPED];
  float a = 2, *to_x = x, *to_y = y;
  uint32_t count = MAPPED;
  const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y)};
  mapped_memory_is_counted(device);
  mapped_memory_may_overlap(device);
  mapping_what_cannot_be_is_an_error(device);
  a_stream_of_another_device_maps_nothing(device);
  both_sides_see_the_same(device);
  mapped_memory_is_aligned(device);
  launches_map_by_extents(device, &kernels[KNOWN], &kernels[SAXPY], arguments, x, y);
}

static void three_dimensions(void) {
  uint32_t cells[2 * 4 * 6] = {0};
  void *out = on_device(cells, sizeof cells);
  CHECK(launch_one(GRID, shape(3, 1, 2, 2, 4, 1), &out, sizeof out) == 0);
  back(cells, out, sizeof cells);
  for (uint32_t row = 0; row < 8; row++)
    for (uint32_t x = 0; x < 6; x++)
      CHECK(cells[row * 6 + x] == 100 * row + x);
}

static void a_block_by_value(void) {
  uint32_t cells[4] = {1, 2, 3, 4};
  struct {
    void *to;
    uint64_t add;
  } arguments = {on_device(cells, sizeof cells), 40};
  CHECK(launch_one(BLOCK, shape(2, 1, 1, 2, 1, 1), &arguments, sizeof arguments) == 0);
  back(cells, arguments.to, sizeof cells);
  CHECK(cells[0] == 41 && cells[3] == 44);
}

static void an_address_in_memory(void) {
  uint32_t cell = 1;
  void *target = on_device(&cell, sizeof cell), *rows[] = {NULL, target};
  void *table = on_device(rows, sizeof rows);
  CHECK(launch_one(INDIRECT, shape(1, 1, 1, 1, 1, 1), &table, sizeof table) == 0);
  back(&cell, target, sizeof cell);
  CHECK(cell == 7 && offloadrt_free(device, table) == 0);
}

static void reverse_with(uint32_t shared_bytes) {
  uint32_t cells[3 * 32];
  for (uint32_t i = 0; i < 96; i++)
    cells[i] = i;
  void *address = on_device(cells, sizeof cells);
  offloadrt_launch_config config = shape(3, 1, 1, 32, 1, 1);
  config.dynamic_shared_bytes = shared_bytes;
  CHECK(launch_one(REVERSE, config, &address, sizeof address) == 0);
  back(cells, address, sizeof cells);
  for (uint32_t i = 0; i < 96; i++)
    CHECK(cells[i] == i / 32 * 32 + 31 - i % 32);
}

/* CUDA provides more than 48 KiB only on request. Every GPU from sm_75 on has 60 KiB. */
static void launch_sized_shared_memory(void) {
  reverse_with(32 * sizeof(uint32_t));
  reverse_with(60 << 10);
}

static void *run_saxpy_often(void *opaque) {
  offloadrt_stream *stream;
  uint32_t which = *(const uint32_t *)opaque;
  CHECK(offloadrt_stream_create(device, &stream) == 0);
  for (uint32_t i = 0; i < 40; i++)
    saxpy_on(which % 2 ? stream : NULL, 64 + 100 * which + i, (float)which + (float)i / 8);
  CHECK(offloadrt_synchronize(device, which % 2 ? stream : NULL) == 0);
  CHECK(offloadrt_stream_destroy(stream) == 0);
  return NULL;
}

static void launches_from_many_threads(void) {
  pthread_t threads[8];
  uint32_t numbers[8];
  for (uint32_t i = 0; i < 8; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, run_saxpy_often, &numbers[i]) == 0);
  }
  for (uint32_t i = 0; i < 8; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(offloadrt_synchronize(device, NULL) == 0);
}

static void everything_from_many_threads(void) {
  static struct stress stress = {.saxpy = &kernels[SAXPY], .mapped = &kernels[KNOWN], .object = &foreign};
  stress.device = device;
  check_stress(&stress);
}

/* Whether the text of the last error contains all these texts, in order. */
static int says(const char *const *texts) {
  const char *at = offloadrt_error_text();
  for (; *texts && (at = strstr(at, *texts)); texts++)
    ;
  return !*texts;
}
#define CHECK_SAYS(...) CHECK(says((const char *const[]){__VA_ARGS__, NULL}))

static void failures_carry_the_drivers_words(void) {
  void *out = NULL;
  const offloadrt_argument argument[] = {ARGUMENT(out)};
  offloadrt_launch_config one = shape(1, 1, 1, 1, 1, 1);
  CHECK(launch_one(ABSENT, one, &out, sizeof out) == OFFLOADRT_FAILED);
  CHECK_SAYS(target->absent);
  CHECK(offloadrt_launch(device, NULL, lost, &one, argument, 1) == OFFLOADRT_FAILED);
  CHECK_SAYS(target->unresolved, "nowhere");
  CHECK(offloadrt_allocate(device, (size_t)1 << 60, &out) == OFFLOADRT_NO_MEMORY && !out);
  CHECK_SAYS(target->no_memory);
}

static void limits_are_the_devices(void) {
  offloadrt_limits limits = {.size = sizeof limits, .version = OFFLOADRT_LIMITS_VERSION};
  void *out = NULL;
  char number[16];
  CHECK(offloadrt_device_limits(device, &limits) == 0);
  CHECK(limits.threads_per_block >= 256 && limits.block[0] >= 256 && limits.grid[0] >= 65535);
  CHECK(limits.shared_bytes >= 16 << 10 && limits.compute_units && limits.memory_bytes >= 1 << 28);
  CHECK(launch_one(GRID, shape(1, 1, 1, 1 << 20, 1, 1), &out, sizeof out) == OFFLOADRT_INVALID);
  snprintf(number, sizeof number, "%u", limits.block[0]);
  CHECK_SAYS("kernel `grid` is launched with a block of 1048576 x 1 x 1: 1048576 threads along x, and device `", "allows ", number);
  offloadrt_launch_config config = shape(1, 1, 1, 32, 1, 1);
  config.dynamic_shared_bytes = limits.shared_bytes + 1;
  CHECK(launch_one(REVERSE, config, &out, sizeof out) == OFFLOADRT_INVALID);
  CHECK_SAYS("bytes of shared memory for each block, ", "allows ");
}

/* CUDA does not report how many arguments a kernel has. */
static void a_table_that_is_not_the_images_is_refused(void) {
  void *out = NULL;
  CHECK(launch_one(FEWER, shape(1, 1, 1, 1, 1, 1), &out, sizeof out) == OFFLOADRT_FAILED);
  CHECK_TEXT("kernel `saxpy` takes 4 arguments in its image, but 1 in its table");
}

static void a_missing_image_is_reported(void) {
  void *out = NULL;
  const offloadrt_argument argument[] = {ARGUMENT(out)};
  offloadrt_launch_config one = shape(1, 1, 1, 1, 1, 1);
  CHECK(offloadrt_launch(device, NULL, elsewhere, &one, argument, 1) == OFFLOADRT_NO_IMAGE);
  CHECK_TEXT("kernel `elsewhere` has no code for device `opencl:0` (spirv64) in this program, which has code for gfx90a, "
             "spirv1.6; the closest is spirv1.6, which is not SPIR-V for OpenCL on a 64-bit device; "
             "`--offload-arch=spirv64` adds it");
}

static void devices_have_names(void) {
  static const char *const names[] = {"opencl:intel", "opencl:INTEL", "opencl", "opencl:0"};
  offloadrt_device *same;
  for (size_t i = 0; i < 4; i++) {
    CHECK(offloadrt_device_open(names[i], &same) == 0);
    CHECK(strcmp(offloadrt_device_name(same), "opencl:0") == 0);
    CHECK(offloadrt_device_close(same) == 0);
  }
  CHECK(setenv("OFFLOADRT_DEVICE", "opencl:none", 1) == 0);
  CHECK(offloadrt_device_open(NULL, &same) == OFFLOADRT_NO_DEVICE && !same);
  CHECK_SAYS("there is no device `opencl:none` (from `OFFLOADRT_DEVICE`) here; there is `cpu`, ", "`opencl:0`");
  CHECK(setenv("OFFLOADRT_DEVICE", "opencl:intel", 1) == 0);
}

/* A process loads the library once. */
static void a_variable_that_is_not_understood_is_reported(void) {
  offloadrt_device *none;
  pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("OFFLOADRT_OPENCL_MEMORY", "usm", 1) == 0);
    CHECK(offloadrt_device_open("opencl", &none) == OFFLOADRT_NO_DEVICE);
    CHECK_SAYS("there is no device `opencl` here: `OFFLOADRT_OPENCL_MEMORY` is `usm`, and can be `svm` or nothing; there is");
    _Exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void kernels_and_host_reach_unified_memory(void) {
  enum { COUNT = 1000 };
  uint32_t count = COUNT;
  float a = 3, *x, *y;
  CHECK(offloadrt_allocate_unified(device, COUNT * sizeof *x, (void **)&x) == 0);
  CHECK(offloadrt_allocate_unified(device, COUNT * sizeof *y, (void **)&y) == 0);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t i = 0; i < COUNT; i++)
      x[i] = (float)(i + round), y[i] = 1;
    const offloadrt_argument arguments[] = {ARGUMENT(count), ARGUMENT(a), ARGUMENT(x), ARGUMENT(y)};
    offloadrt_launch_config config = shape((COUNT + 63) / 64, 1, 1, 64, 1, 1);
    CHECK(offloadrt_launch(device, NULL, &kernels[SAXPY], &config, arguments, 4) == 0);
    CHECK(offloadrt_synchronize(device, NULL) == 0);
    for (uint32_t i = 0; i < COUNT; i++)
      CHECK(y[i] == 3 * (float)(i + round) + 1);
  }
  CHECK(offloadrt_free_unified(device, x) == 0 && offloadrt_free_unified(device, y) == 0);
}

static void streams_are_as_on_every_device(void) { check_streams(device); }

int main(int count, char **words) {
  for (size_t i = 0; i < sizeof targets / sizeof *targets && !target; i++)
    target = count == 2 && strcmp(words[1], targets[i].driver) == 0 ? &targets[i] : NULL;
  CHECK(target);
  register_objects();
  if (is_opencl()) {
    RUN(a_variable_that_is_not_understood_is_reported);
    RUN(devices_have_names);
  }
  CHECK(offloadrt_device_open(target->driver, &device) == 0);
  RUN(values_and_pointers);
  RUN(host_memory_is_mapped);
  RUN(three_dimensions);
  RUN(a_block_by_value);
  RUN(an_address_in_memory);
  RUN(launch_sized_shared_memory);
  RUN(launches_from_many_threads);
  RUN(everything_from_many_threads);
  RUN(streams_are_as_on_every_device);
  RUN(kernels_and_host_reach_unified_memory);
  RUN(limits_are_the_devices);
  RUN(failures_carry_the_drivers_words);
  if (is_opencl()) {
    RUN(a_table_that_is_not_the_images_is_refused);
    RUN(a_missing_image_is_reported);
  }
  CHECK(offloadrt_device_close(device) == 0);
  for (int i = 0; i < 3; i++)
    free(images[i].begin);
  return 0;
}
