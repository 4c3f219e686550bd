/* Tests liboffloadrt-omptarget with the real libomptarget. An image written by hand (omptarget_image.c) is embedded and
 * registered as the compiler's object does it, and its kernels run on the host's device. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "mapping.h"
#include "streams.h"
#include "stress.h"

/* The compiler's output for libomptarget ------------------------------------------------------------ */

struct offload_entry {
  uint64_t reserved;
  uint16_t version;
  uint16_t kind;
  uint32_t flags;
  const void *address;
  const char *symbol_name;
  uint64_t size;
  uint64_t data;
  void *auxiliary_address;
};
struct device_image {
  const void *begin, *end;
  const struct offload_entry *entries_begin, *entries_end;
};
struct bin_desc {
  int32_t image_count;
  const struct device_image *images;
  const struct offload_entry *entries_begin, *entries_end;
};
extern void __tgt_register_lib(const struct bin_desc *);
extern void __tgt_unregister_lib(const struct bin_desc *);

/* Containers as LLVM's own tool writes them: one with the x86 image, one with images for other devices. */
#define EMBED(name, file) \
  __asm__(".section .rodata\n.balign 8\n" #name "_begin:\n.incbin \"" file "\"\n" #name "_end:\n.previous\n"); \
  extern const unsigned char name##_begin[], name##_end[]
EMBED(container, IMAGES "/omptarget_image.bin");
EMBED(foreign, IMAGES "/omptarget_foreign.bin");

static const struct offload_parameter saxpy_rows[] = {{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
                                                      {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                      {16, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                      {24, 8, 8, OFFLOAD_PARAMETER_VALUE}};
static const struct {
  struct offload_parameter rows[4];
  struct offload_extent extents[4];
} known = {{{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
            {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
            {16, 8, 8, OFFLOAD_PARAMETER_POINTER},
            {24, 8, 8, OFFLOAD_PARAMETER_VALUE}},
           {{0}, EXTENT_OF_X, EXTENT_OF_Y, {0}}},
  written = {{{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
              {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
              {16, 8, 8, OFFLOAD_PARAMETER_POINTER},
              {24, 8, 8, OFFLOAD_PARAMETER_VALUE}},
             {{0}, EXTENT_OF_X, {MAPPED * sizeof(float), FROM, 0}, {0}}};
static const struct offload_parameter shape_rows[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                      {8, 1, 1, OFFLOAD_PARAMETER_VALUE}};
static const struct offload_parameter block_rows[] = {{0, 48, 16, OFFLOAD_PARAMETER_BLOCK}};
static const struct offload_parameter wide_rows[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                     {16, 16, 16, OFFLOAD_PARAMETER_VALUE},
                                                     {32, 24, 8, OFFLOAD_PARAMETER_VALUE}};
static const struct offload_parameter pointer_row[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
#define NEXT(n) , {8 * (n - 9), 8, 8, OFFLOAD_PARAMETER_VALUE}
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
static const struct offload_parameter many_rows[] = {
    {0, 8, 8, OFFLOAD_PARAMETER_POINTER} TEN(NEXT, 1) TEN(NEXT, 2) TEN(NEXT, 3) TEN(NEXT, 4)};

PANIC_TEXTS(texts);
static struct offload_descriptor descriptor, foreign_descriptor;
static const struct offload_kernel kernels[] = {
    KERNEL("saxpy", saxpy_rows, 32, .descriptor = &descriptor),
    KERNEL("shape_seen", shape_rows, 16, .descriptor = &descriptor),
    KERNEL("block_seen", block_rows, 48, .descriptor = &descriptor),
    KERNEL("wide_seen", wide_rows, 64, .descriptor = &descriptor),
    KERNEL("reverse", pointer_row, 8, .descriptor = &descriptor),
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION, .name = "nothing", .argument_align = 8},
    KERNEL("many", many_rows, 328, .descriptor = &descriptor),
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION, .name = "panics", .argument_align = 8, .flags = OFFLOAD_KERNEL_TAKES_STATE,
     .descriptor = &descriptor},
    KERNEL("saxpy", known.rows, 32, .descriptor = &descriptor, .flags = OFFLOAD_KERNEL_HAS_EXTENTS),
    KERNEL("saxpy", written.rows, 32, .descriptor = &descriptor, .flags = OFFLOAD_KERNEL_HAS_EXTENTS),
};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels, .panics = &texts.texts, .images_begin = container_begin,
                                                         .images_end = container_end);

#define ENTRY(kernel, symbol) {.version = 1, .kind = 1, .address = &(kernel), .symbol_name = symbol}
static const struct offload_entry entries[] = {
    ENTRY(kernels[0], "saxpy"),   ENTRY(kernels[1], "shape_seen"), ENTRY(kernels[2], "block_seen"),
    ENTRY(kernels[3], "wide_seen"), ENTRY(kernels[4], "reverse"),  ENTRY(kernels[5], "nothing"),
    ENTRY(kernels[6], "many"),    ENTRY(kernels[7], "panics"),     ENTRY(kernels[8], "saxpy"),
    ENTRY(kernels[9], "saxpy"),
};
static struct device_image image = {.entries_begin = entries, .entries_end = entries + 10};
static const struct bin_desc library = {1, &image, entries, entries + 10};

/* An object none of whose images fits a device of this machine. */
static const struct offload_kernel foreign_kernels[] = {KERNEL("foreign", pointer_row, 8, .descriptor = &foreign_descriptor)};
static struct offload_descriptor foreign_descriptor = DESCRIPTOR(foreign_kernels, .images_begin = foreign_begin,
                                                                 .images_end = foreign_end);
static const struct offload_entry foreign_entries[] = {ENTRY(foreign_kernels[0], "foreign")};
static struct device_image foreign_image = {.entries_begin = foreign_entries, .entries_end = foreign_entries + 1};
static const struct bin_desc foreign_library = {1, &foreign_image, foreign_entries, foreign_entries + 1};

/* Reads the position of the image from the container. The compiler writes it as numbers. */
static void set_image(struct device_image *to, const unsigned char *container_address) {
  uint64_t offset_and_size[2];
  memcpy(offset_and_size, container_address + 32 + 24, sizeof offset_and_size);
  to->begin = container_address + offset_and_size[0];
  to->end = container_address + offset_and_size[0] + offset_and_size[1];
}

static void register_objects(void) {
  set_image(&image, container_begin);
  set_image(&foreign_image, foreign_begin);
  __tgt_register_lib(&library);
  offloadrt_register(&descriptor);
  __tgt_register_lib(&foreign_library);
  offloadrt_register(&foreign_descriptor);
}

static void unregister_objects(void) {
  offloadrt_unregister(&foreign_descriptor);
  __tgt_unregister_lib(&foreign_library);
  offloadrt_unregister(&descriptor);
  __tgt_unregister_lib(&library);
}

/* Tests ---------------------------------------------------------------------------------------------- */

static offloadrt_device *device;

static int launch(const char *name, offloadrt_launch_config config, const offloadrt_argument *arguments,
                  size_t count) {
  return offloadrt_launch(device, NULL, offloadrt_find_kernel(name), &config, arguments, count);
}

/* Returns device memory with a copy of `bytes` bytes from `from`. */
static void *on_device(const void *from, size_t bytes) {
  void *address;
  CHECK(offloadrt_allocate(device, bytes, &address) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_copy_to_device(device, NULL, address, from, bytes) == OFFLOADRT_SUCCESS);
  return address;
}

static void back_from_device(void *to, void *address, size_t bytes) {
  CHECK(offloadrt_copy_to_host(device, NULL, to, address, bytes) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_free(device, address) == OFFLOADRT_SUCCESS);
}

static void without_objects_there_is_no_device(void) {
  CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_NO_DEVICE);
  CHECK_TEXT("there is no device `omptarget` here, nor any other that an image of this program fits");
}

static void devices_have_names(void) {
  CHECK(offloadrt_device_open("gpu", &device) == OFFLOADRT_NO_DEVICE);
  CHECK_TEXT("there is no device `gpu` here; there is `omptarget:0`, `omptarget:1`, `omptarget:2`, `omptarget:3`");
  CHECK(offloadrt_device_open("omptarget:3", &device) == OFFLOADRT_SUCCESS);
  CHECK(strcmp(offloadrt_device_name(device), "omptarget:3") == 0);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(strcmp(offloadrt_device_name(device), "omptarget:0") == 0);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_SUCCESS);
}

static void saxpy_runs_again_and_again(void) {
  enum { N = 100000, ROUNDS = 3 };
  static float x[N], y[N];
  for (int i = 0; i < N; i++)
    x[i] = (float)i, y[i] = 1;
  float a = 0.5f;
  float *dx = on_device(x, sizeof x), *dy = on_device(y, sizeof y);
  uint64_t n = N;
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(dx), ARGUMENT(dy), ARGUMENT(n)};
  for (int round = 0; round < ROUNDS; round++)
    CHECK(launch("saxpy", shape((N + 255) / 256, 1, 1, 256, 1, 1), arguments, 4) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_synchronize(device, NULL) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_free(device, dx) == OFFLOADRT_SUCCESS);
  back_from_device(y, dy, sizeof y);
  for (int i = 0; i < N; i++)
    CHECK(y[i] == 1 + ROUNDS * 0.5f * (float)i);
}

static void host_memory_is_mapped(void) {
  static float x[MAPPED], y[MAPPED];
  float a = 2, *to_x = x, *to_y = y;
  uint64_t n = MAPPED;
  const offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y), ARGUMENT(n)};
  mapped_memory_is_counted(device);
  mapped_memory_may_overlap(device);
  mapping_what_cannot_be_is_an_error(device);
  a_stream_of_another_device_maps_nothing(device);
  both_sides_see_the_same(device);
  /* A device that is opened twice has only one table. */
  offloadrt_device *again;
  CHECK(offloadrt_device_open(NULL, &again) == OFFLOADRT_SUCCESS);
  char *early = map_to(device, x, 100, TO);
  CHECK(map_to(again, &x[10], 40, TO) == early + 40);
  void *late = map_to(again, &x[20], 100, TO);
  CHECK(late != early + 80);
  CHECK(offloadrt_unmap(again, NULL, &x[20], 100, 0) == 0 && offloadrt_unmap(again, NULL, &x[10], 40, 0) == 0);
  CHECK(offloadrt_unmap(device, NULL, x, 100, 0) == 0 && offloadrt_device_close(again) == 0);
  launches_map_by_extents(device, &kernels[8], &kernels[0], arguments, x, y);
}

typedef void data_call(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);
extern data_call __tgt_target_data_begin_mapper, __tgt_target_data_end_mapper;

/* Does the call of OpenMP code in another part of the program. */
static void others(data_call *call, void *host, int64_t bytes, int64_t flags) {
  call(NULL, 0, 1, &host, &host, &bytes, &flags, NULL, NULL);
}

static void what_others_have_mapped_counts(void) {
  static float x[MAPPED], y[MAPPED];
  float a = 2, *to_x = x, *to_y = y;
  uint64_t n = MAPPED;
  void *early, *late;
  const offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y), ARGUMENT(n)};
  offloadrt_launch_config config = shape((MAPPED + 63) / 64, 1, 1, 64, 1, 1);
  others(__tgt_target_data_begin_mapper, x, sizeof x, TO);
  others(__tgt_target_data_begin_mapper, y, sizeof y, TO);
  x[3] = 5;
  CHECK(offloadrt_update_to(device, NULL, &x[3], 4) == 0);
  CHECK(offloadrt_launch_mapped(device, NULL, &kernels[0], &config, arguments, 4, 0) == OFFLOADRT_SUCCESS && y[3] == 0);
  CHECK(offloadrt_update_from(device, NULL, &y[3], 4) == 0 && y[3] == 10);
  /* A part of the range is present, and remains for the other code. */
  CHECK(offloadrt_map(device, NULL, &x[10], 40, TO, &early) == 0 && offloadrt_map(device, NULL, x, 40, TO, &late) == 0);
  CHECK((char *)early - (char *)late == 40 && early != &x[10]);
  CHECK(offloadrt_unmap(device, NULL, &x[10], 40, 0) == 0 && offloadrt_unmap(device, NULL, x, 40, 0) == 0);
  others(__tgt_target_data_end_mapper, y, sizeof y, 0);
  CHECK(offloadrt_update_from(device, NULL, &y[3], 4) == OFFLOADRT_INVALID);
  others(__tgt_target_data_end_mapper, x, sizeof x, 0);
  /* A range that overlaps it without lying inside gets its own memory, at either end. */
  others(__tgt_target_data_begin_mapper, &x[100], 400, TO);
  CHECK(offloadrt_map(device, NULL, &x[50], 400, TO, &early) == 0 && offloadrt_map(device, NULL, &x[150], 400, TO, &late) == 0);
  CHECK(offloadrt_update_from(device, NULL, &x[150], 4) == 0 && offloadrt_update_to(device, NULL, &x[50], 4) == 0);
  CHECK(offloadrt_unmap(device, NULL, &x[50], 400, FROM) == 0 && offloadrt_unmap(device, NULL, &x[150], 400, FROM) == 0);
  others(__tgt_target_data_end_mapper, &x[100], 400, 0);
}

static void memory_that_cannot_be_mapped_is_an_error(void) {
  static char start[16];
  void *address;
  CHECK(offloadrt_map(device, NULL, start, (size_t)1 << 46, FROM, &address) == OFFLOADRT_NO_MEMORY && !address);
  CHECK_TEXT("out of memory: device `omptarget:0` cannot allocate 70368744177664 bytes of mapped memory");
  CHECK(offloadrt_unmap(device, NULL, start, (size_t)1 << 46, 0) == OFFLOADRT_INVALID);
}

static void slots_hold_the_shape_and_zero_extended_values(void) {
  uint64_t seen[6] = {0};
  uint64_t *slots = on_device(seen, sizeof seen);
  uint8_t small = 0xfe;
  offloadrt_launch_config config = shape(0x11, 0x80000022, 0x33, 0x4, 0x5, 0x6);
  config.dynamic_shared_bytes = 0x80000077;
  CHECK(launch("shape_seen", config, (offloadrt_argument[]){ARGUMENT(slots), ARGUMENT(small)}, 2) == OFFLOADRT_SUCCESS);
  back_from_device(seen, slots, sizeof seen);
  CHECK(seen[0] == 0x8000002200000011 && seen[1] == 0x0000000400000033);
  CHECK(seen[2] == 0x0000000600000005 && seen[3] == 0x80000077 && seen[4] == 0xfe);
  config.block[1] = 0x55;
  CHECK(launch("shape_seen", config, (offloadrt_argument[]){ARGUMENT(slots), ARGUMENT(small)}, 2) == OFFLOADRT_INVALID);
  CHECK_TEXT("kernel `shape_seen` is launched with blocks of 4 x 85 x 6 threads: 2040, and device `omptarget:0` allows 1024");
}

static void blocks_and_wide_values_come_by_address(void) {
  unsigned char block[48], seen[48] = {0};
  for (size_t i = 0; i < sizeof block; i++)
    block[i] = (unsigned char)(i * 5);
  unsigned char *out = on_device(seen, sizeof seen);
  memcpy(block, &out, sizeof out);
  CHECK(launch("block_seen", shape(1, 1, 1, 1, 1, 1), (offloadrt_argument[]){ARGUMENT(block)}, 1) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_copy_to_host(device, NULL, seen, out, sizeof seen) == OFFLOADRT_SUCCESS);
  CHECK(memcmp(seen, block, sizeof seen) == 0);
  offloadrt_argument wide[] = {ARGUMENT(out), {block + 8, 16}, {block + 24, 24}};
  CHECK(launch("wide_seen", shape(1, 1, 1, 1, 1, 1), wide, 3) == OFFLOADRT_SUCCESS);
  back_from_device(seen, out, sizeof seen);
  CHECK(memcmp(seen, block + 8, 40) == 0);
}

static void the_image_schedules_its_blocks(void) {
  enum { BLOCKS = 2000, THREADS = 64 };
  static uint32_t cells[BLOCKS * THREADS];
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    cells[i] = i;
  uint32_t *there = on_device(cells, sizeof cells);
  offloadrt_launch_config config = shape(BLOCKS, 1, 1, THREADS, 1, 1);
  config.dynamic_shared_bytes = THREADS * 4;
  CHECK(launch("reverse", config, (offloadrt_argument[]){ARGUMENT(there)}, 1) == OFFLOADRT_SUCCESS);
  back_from_device(cells, there, sizeof cells);
  for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
    CHECK(cells[i] == i / THREADS * THREADS + THREADS - 1 - i % THREADS);
}

static void no_and_many_arguments(void) {
  CHECK(launch("nothing", shape(1, 1, 1, 1, 1, 1), NULL, 0) == OFFLOADRT_SUCCESS);
  uint64_t sum = 0, values[40], wanted = 0;
  uint64_t *there = on_device(&sum, sizeof sum);
  offloadrt_argument arguments[41] = {ARGUMENT(there)};
  for (uint64_t i = 0; i < 40; i++) {
    wanted += values[i] = (i + 1) * (i + 1) << i % 30;
    arguments[i + 1] = (offloadrt_argument)ARGUMENT(values[i]);
  }
  CHECK(launch("many", shape(1, 1, 1, 1, 1, 1), arguments, 41) == OFFLOADRT_SUCCESS);
  back_from_device(&sum, there, sizeof sum);
  CHECK(sum == wanted);
}

static void *launch_many(void *unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) {
    blocks_and_wide_values_come_by_address();
    slots_hold_the_shape_and_zero_extended_values();
  }
  return NULL;
}

static void threads_launch_at_once(void) {
  pthread_t threads[6];
  for (int t = 0; t < 6; t++)
    CHECK(pthread_create(&threads[t], NULL, launch_many, NULL) == 0);
  for (int t = 0; t < 6; t++)
    CHECK(pthread_join(threads[t], NULL) == 0);
}

static void everything_from_many_threads(void) {
  static struct stress stress = {.object = &foreign_descriptor};
  stress.device = device;
  check_stress(&stress);
}

static void what_cannot_be_done_is_an_error(void) {
  void *address = NULL;
  CHECK(launch("saxpy", shape(1, 1, 1, 1, 1, 1), NULL, 3) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `saxpy` takes 4 arguments (4 bytes, pointer, pointer, 8 bytes), but 3 were given");
  CHECK(launch("foreign", shape(1, 1, 1, 1, 1, 1), (offloadrt_argument[]){ARGUMENT(address)}, 1) == OFFLOADRT_NO_IMAGE);
  CHECK_TEXT("kernel `foreign` has no code for device `omptarget:0` in this program, which has code for sm_80, gfx90a");
  CHECK(offloadrt_allocate(device, SIZE_MAX, &address) == OFFLOADRT_NO_MEMORY && !address);
  CHECK(offloadrt_allocate(device, INT64_MAX, &address) == OFFLOADRT_NO_MEMORY && !address);
  CHECK_TEXT("out of memory: device `omptarget:0` cannot allocate 9223372036854775807 bytes");
}

/* Memory that the kernel only writes is copied to the device if the kernel may leave some of it unchanged, and not if
 * it writes all of it. */
static void what_is_written_is_copied_back(void) {
  static float x[MAPPED], y[MAPPED];
  float a = 2, *to_x = x, *to_y = y;
  uint64_t half = MAPPED / 2;
  const offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(to_x), ARGUMENT(to_y), ARGUMENT(half)};
  offloadrt_launch_config config = shape(MAPPED, 1, 1, 1, 1, 1);
  y[0] = y[MAPPED - 1] = x[0] = 3;
  CHECK(offloadrt_launch_mapped(device, NULL, &kernels[9], &config, arguments, 4, 0) == OFFLOADRT_SUCCESS);
  CHECK(y[0] == 9 && y[MAPPED - 1] == 3);
  CHECK(offloadrt_launch_mapped(device, NULL, &kernels[9], &config, arguments, 4, OFFLOADRT_WRITES_ALL) == OFFLOADRT_SUCCESS);
}

/* Returns the report of LIBOMPTARGET_INFO for this program when it only runs saxpy. */
static char *report_of_saxpy(void) {
  static char report[1 << 16];
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    setenv("LIBOMPTARGET_INFO", "-1", 1);
    execl("/proc/self/exe", "omptarget_test", "saxpy", (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t got; (got = read(ends[0], report + used, sizeof report - 1 - used)) > 0;)
    used += (size_t)got;
  close(ends[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return report;
}

static int count_of(const char *text, const char *wanted) {
  int count = 0;
  for (; (text = strstr(text, wanted)); text++)
    count++;
  return count;
}

static void info_shows_launches_and_copies(void) {
  const char *report = report_of_saxpy();
  CHECK(count_of(report, "Entering OpenMP kernel at offloadrt:0:0 with 9 arguments:") == 5);
  CHECK(count_of(report, "firstprivate(grid xy)[8]") == 5);
  CHECK(count_of(report, "Launching kernel saxpy with ") == 5);
  CHECK(count_of(report, "Copying data from host to device, ") == 2 + 2 + 1);
  CHECK(count_of(report, "Copying data from device to host, ") == 1 + 1 + 1);
  CHECK(count_of(report, "tofrom(mapped)[4000]") == 2 && count_of(report, " from(mapped)[4000]") == 2);
  CHECK(count_of(report, "Size=400000") == 3);
}

static void a_panic_is_the_launchs_error(void) {
  CHECK(launch("panics", shape(5, 1, 1, 4, 1, 1), NULL, 0) == OFFLOADRT_PANICKED);
  CHECK_TEXT("kernel `panics` panicked at src/lib.rs:23:9: no 42 here (block 0, thread 3)");
  saxpy_runs_again_and_again();
}

static void kernels_and_host_reach_unified_memory(void) {
  uint32_t *cells;
  offloadrt_launch_config config = shape(1, 1, 1, 8, 1, 1);
  CHECK(offloadrt_allocate_unified(device, 8 * sizeof *cells, (void **)&cells) == OFFLOADRT_SUCCESS);
  for (uint32_t i = 0; i < 8; i++)
    cells[i] = i;
  config.dynamic_shared_bytes = 8 * sizeof *cells;
  CHECK(launch("reverse", config, (offloadrt_argument[]){ARGUMENT(cells)}, 1) == OFFLOADRT_SUCCESS);
  for (uint32_t i = 0; i < 8; i++)
    CHECK(cells[i] == 7 - i);
  CHECK(offloadrt_free_unified(device, cells) == OFFLOADRT_SUCCESS);
}

static void streams_are_as_on_every_device(void) { check_streams(device); }

int main(int count, char **words) {
  if (count == 2 && strcmp(words[1], "saxpy") == 0) {
    register_objects();
    CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_SUCCESS);
    saxpy_runs_again_and_again();
    what_is_written_is_copied_back();
    unregister_objects();
    return 0;
  }
  RUN(without_objects_there_is_no_device);
  register_objects();
  RUN(devices_have_names);
  RUN(saxpy_runs_again_and_again);
  RUN(streams_are_as_on_every_device);
  RUN(kernels_and_host_reach_unified_memory);
  RUN(host_memory_is_mapped);
  RUN(what_others_have_mapped_counts);
  RUN(memory_that_cannot_be_mapped_is_an_error);
  RUN(slots_hold_the_shape_and_zero_extended_values);
  RUN(blocks_and_wide_values_come_by_address);
  RUN(the_image_schedules_its_blocks);
  RUN(no_and_many_arguments);
  RUN(a_panic_is_the_launchs_error);
  RUN(threads_launch_at_once);
  RUN(everything_from_many_threads);
  RUN(what_cannot_be_done_is_an_error);
  RUN(info_shows_launches_and_copies);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  unregister_objects();
  RUN(without_objects_there_is_no_device);
  return 0;
}
