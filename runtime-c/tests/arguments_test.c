/* The errors of the public functions for invalid arguments, and their texts. Every launch is checked against the
 * kernel's parameter table before a driver receives it. */
#include <pthread.h>

#include "check.h"

static const struct offload_parameter saxpy_rows[] = {{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
                                                      {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                      {16, 8, 8, OFFLOAD_PARAMETER_POINTER},
                                                      {24, 8, 8, OFFLOAD_PARAMETER_VALUE}};
static const struct offload_parameter block_rows[] = {{0, 48, 16, OFFLOAD_PARAMETER_BLOCK}};
static const struct offload_parameter word_rows[] = {{0, 16, 8, OFFLOAD_PARAMETER_WORDS}, {16, 8, 8, OFFLOAD_PARAMETER_WORDS}};
static const struct offload_parameter empty_rows[] = {{0, 0, 1, OFFLOAD_PARAMETER_BLOCK}, {0, 4, 4, OFFLOAD_PARAMETER_VALUE},
                                                      {4, 0, 1, OFFLOAD_PARAMETER_BLOCK}};
static const struct offload_parameter outside_rows[] = {{4, 8, 8, OFFLOAD_PARAMETER_VALUE}};

static unsigned char seen[32];
static void see_arguments(const struct offload_cpu_block *block, const unsigned char *arguments) {
  (void)block;
  memcpy(seen, arguments, sizeof seen);
}

static struct offload_launch_state given;
static void see_state(const struct offload_cpu_block *block, const unsigned char *arguments) {
  (void)arguments;
  given = *block->state;
  memset(given.heap, 1, 16 * (size_t)given.heap_units);
  block->state->heap_used = given.heap_units;
}

static const struct offload_kernel kernels[] = {
    KERNEL("saxpy", saxpy_rows, 32, .cpu_entry = see_arguments),
    KERNEL("block", block_rows, 48, ),
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION, .name = "none", .argument_align = 8},
    KERNEL("outside", outside_rows, 8, .cpu_entry = see_arguments),
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION + 1, .name = "later"},
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION, .name = "heap", .argument_align = 8, .cpu_entry = see_state,
     .flags = OFFLOAD_KERNEL_TAKES_STATE | OFFLOAD_KERNEL_NEEDS_HEAP},
    KERNEL("words", word_rows, 32, .cpu_entry = see_arguments),
    KERNEL("empty", empty_rows, 32, .cpu_entry = see_arguments),
};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels, );
static offloadrt_device *device;

static float a = 1.5f;
static double wide = 2.5;
static float *x = (float *)0x1122334455667788, *y = (float *)0x99aabbccddeeff00;
static uint64_t n = 77;

static int launch(const struct offload_kernel *kernel, const offloadrt_argument *arguments, size_t count) {
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  return offloadrt_launch(device, NULL, kernel, &config, arguments, count);
}

static void arguments_are_packed_at_their_offsets(void) {
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(x), ARGUMENT(y), ARGUMENT(n)};
  memset(seen, 0xff, sizeof seen);
  CHECK(launch(&kernels[0], arguments, 4) == OFFLOADRT_SUCCESS);
  CHECK(memcmp(seen, &a, 4) == 0 && memcmp(seen + 4, "\0\0\0", 4) == 0);
  CHECK(memcmp(seen + 8, &x, 8) == 0 && memcmp(seen + 16, &y, 8) == 0 && memcmp(seen + 24, &n, 8) == 0);
}

static void values_without_a_size_are_passed_over(void) {
  offloadrt_argument no = {NULL, 0};
  offloadrt_argument arguments[] = {no, ARGUMENT(a), ARGUMENT(x), no, no, ARGUMENT(y), ARGUMENT(n), no};
  memset(seen, 0xff, sizeof seen);
  CHECK(launch(&kernels[0], arguments, 8) == OFFLOADRT_SUCCESS);
  CHECK(memcmp(seen, &a, 4) == 0 && memcmp(seen + 16, &y, 8) == 0 && memcmp(seen + 24, &n, 8) == 0);
  CHECK(launch(&kernels[0], arguments, 6) == OFFLOADRT_MISMATCH);
  arguments[0] = arguments[1];
  CHECK(launch(&kernels[0], arguments, 8) == OFFLOADRT_MISMATCH);
}

static void blocks_without_bytes_may_be_omitted(void) {
  offloadrt_argument no = {NULL, 0};
  const offloadrt_argument lists[][4] = {{ARGUMENT(a)}, {no, ARGUMENT(a)}, {ARGUMENT(a), no}, {no, ARGUMENT(a), no},
                                         {no, no, ARGUMENT(a), no}};
  const size_t counts[] = {1, 2, 2, 3, 4};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    memset(seen, 0xff, sizeof seen);
    CHECK(launch(&kernels[7], lists[i], counts[i]) == OFFLOADRT_SUCCESS);
    CHECK(memcmp(seen, &a, 4) == 0 && memcmp(seen + 4, "\0\0\0", 4) == 0);
  }
  CHECK(launch(&kernels[7], NULL, 0) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `empty` takes 3 arguments (block of 0 bytes, 4 bytes, block of 0 bytes), but 0 were given");
  CHECK(launch(&kernels[7], (offloadrt_argument[]){ARGUMENT(a), ARGUMENT(a)}, 2) == OFFLOADRT_MISMATCH);
  CHECK(launch(&kernels[7], (offloadrt_argument[]){ARGUMENT(a), ARGUMENT(a), no}, 3) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("argument 1 of kernel `empty` is a block of 0 bytes, but 4 were given");
  CHECK(launch(&kernels[7], (offloadrt_argument[]){no, no, no}, 3) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("argument 2 of kernel `empty` is a value of 4 bytes, but 0 were given");
}

/* The convention of AArch64 fills the last word of a struct. */
static void a_value_in_words_may_end_before_them(void) {
  static const unsigned char bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  static const size_t sizes[][3] = {{16, 8, 1}, {9, 1, 1}, {12, 5, 1}, {8, 8, 0}, {17, 8, 0}, {16, 9, 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    offloadrt_argument arguments[] = {{bytes, sizes[i][0]}, {bytes, sizes[i][1]}};
    unsigned char wanted[24] = {0};
    memset(seen, 0xff, sizeof seen);
    CHECK(launch(&kernels[6], arguments, 2) == (sizes[i][2] ? OFFLOADRT_SUCCESS : OFFLOADRT_MISMATCH));
    if (!sizes[i][2])
      continue;
    memcpy(wanted, bytes, sizes[i][0]);
    memcpy(wanted + 16, bytes, sizes[i][1]);
    CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  }
  CHECK_TEXT("argument 2 of kernel `words` is a value of 8 bytes, but 9 were given");
}

static void a_wrong_count_is_reported_with_the_table(void) {
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(x), ARGUMENT(y)};
  CHECK(launch(&kernels[0], arguments, 3) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `saxpy` takes 4 arguments (4 bytes, pointer, pointer, 8 bytes), but 3 were given");
  CHECK(launch(&kernels[1], arguments, 0) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `block` takes 1 argument (block of 48 bytes), but 0 were given");
  CHECK(launch(&kernels[2], arguments, 1) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `none` takes 0 arguments, but 1 was given");
}

static void a_wrong_size_is_reported_with_its_place(void) {
  offloadrt_argument arguments[] = {ARGUMENT(wide), ARGUMENT(x), ARGUMENT(y), ARGUMENT(n)};
  CHECK(launch(&kernels[0], arguments, 4) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("argument 1 of kernel `saxpy` is a value of 4 bytes, but 8 were given");
  arguments[0].size = 4;
  arguments[2].size = 1;
  CHECK(launch(&kernels[0], arguments, 4) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("argument 3 of kernel `saxpy` is a pointer of 8 bytes, but 1 was given");
  arguments[2] = (offloadrt_argument){NULL, 8};
  CHECK(launch(&kernels[0], arguments, 4) == OFFLOADRT_INVALID);
  CHECK_TEXT("the address of argument 3 of kernel `saxpy` is null; give the address of the value, also for a pointer");
  CHECK(launch(&kernels[0], NULL, 4) == OFFLOADRT_INVALID);
  CHECK_TEXT("the arguments of kernel `saxpy` are null");
  CHECK(launch(&kernels[3], (offloadrt_argument[]){ARGUMENT(n)}, 1) == OFFLOADRT_FAILED);
  CHECK_TEXT("the program is damaged: parameter 1 of kernel `outside` is not where it belongs");
}

static void what_is_no_handle_is_refused_unread(void) {
  CHECK(launch(NULL, NULL, 0) == OFFLOADRT_INVALID);
  CHECK_TEXT("the kernel is null");
  CHECK(launch((const struct offload_kernel *)(uintptr_t)16, NULL, 0) == OFFLOADRT_INVALID);
  CHECK_TEXT("0x10 is not the handle of a registered kernel; a handle comes from `__offload_kernel` or "
             "`offloadrt_find_kernel`");
  CHECK(launch((const struct offload_kernel *)((const char *)&kernels[0] + 8), NULL, 0) == OFFLOADRT_INVALID);
  CHECK(launch(&kernels[4], NULL, 0) == OFFLOADRT_FAILED);
  CHECK_TEXT("the kernel was compiled for version 4 of the interface to the runtime, and this runtime has version 3; build the "
             "program with the offloadc that this runtime belongs to");
  offloadrt_unregister(&descriptor);
  CHECK(launch(&kernels[2], NULL, 0) == OFFLOADRT_INVALID);
  offloadrt_register(&descriptor);
}

static void a_kernel_without_cpu_code_says_so(void) {
  CHECK(launch(&kernels[2], NULL, 0) == OFFLOADRT_NO_IMAGE);
  CHECK_TEXT("kernel `none` has no code for device `cpu` in this program; `--offload-arch=cpu` adds it");
}

static int launch_shape(offloadrt_launch_config config) {
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(x), ARGUMENT(y), ARGUMENT(n)};
  return offloadrt_launch(device, NULL, &kernels[0], &config, arguments, 4);
}

static void shapes_are_checked(void) {
  CHECK(launch_shape(shape(4, 0, 1, 32, 1, 1)) == OFFLOADRT_INVALID);
  CHECK_TEXT("the grid of kernel `saxpy` is 4 x 0 x 1, but no count may be 0");
  CHECK(launch_shape(shape(4, 1, 1, 32, 1, 0)) == OFFLOADRT_INVALID);
  CHECK_TEXT("the block of kernel `saxpy` is 32 x 1 x 0, but no count may be 0");
  CHECK(launch_shape(shape(UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, 1, 1)) == OFFLOADRT_INVALID);
  CHECK_TEXT("the grid of kernel `saxpy`, 4294967295 x 4294967295 x 4294967295, is too large");
  CHECK(launch_shape(shape(UINT32_MAX, UINT32_MAX, 1, 1, 1, 1)) == OFFLOADRT_INVALID);
  CHECK(launch_shape(shape(1, 1, 1, 65536, 32768, 1)) == OFFLOADRT_INVALID);
  CHECK_TEXT("kernel `saxpy` is launched with a block of 65536 x 32768 x 1: 65536 threads along x, and device `cpu` (this machine's "
             "processor) allows 1024");
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  config.version = 0;
  CHECK(launch_shape(config) == OFFLOADRT_INVALID);
  CHECK_TEXT("the launch configuration of kernel `saxpy` has version 0 and size 56; this runtime takes version 2 and size "
             "56");
  config = shape(1, 1, 1, 1, 1, 1);
  config.panic_record = &config;
  CHECK(launch_shape(config) == OFFLOADRT_INVALID);
  CHECK_TEXT("a reserved field in the launch configuration of kernel `saxpy` is not zero");
  CHECK(offloadrt_launch(device, NULL, &kernels[0], NULL, NULL, 0) == OFFLOADRT_INVALID);
  CHECK_TEXT("the launch configuration of kernel `saxpy` is null");
}

static int launch_heap(offloadrt_launch_config config) {
  return offloadrt_launch(device, NULL, &kernels[5], &config, NULL, 0);
}

static void a_kernel_that_allocates_needs_a_heap(void) {
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  CHECK(launch_heap(config) == OFFLOADRT_MISMATCH);
  CHECK_TEXT("kernel `heap` allocates memory (`Box`, `Vec`, `String`), and the launch has no heap; help: launch with "
             "`grid.with_heap_bytes(65536)`, or with what all threads need together (in C: `heap_bytes` of the configuration)");
  config.heap_bytes = 1000;
  for (int i = 0; i < 2; i++) {
    CHECK(launch_heap(config) == OFFLOADRT_SUCCESS);
    CHECK(given.heap_units == 62 && !given.heap_used && (uintptr_t)given.heap % 16 == 0);
  }
  /* The next launch would get the same memory if it were freed. */
  config.flags = OFFLOADRT_KEEP_HEAP;
  CHECK(launch_heap(config) == OFFLOADRT_SUCCESS);
  unsigned char *kept = given.heap;
  CHECK(launch_heap(config) == OFFLOADRT_SUCCESS && given.heap != (void *)kept && kept[0] == 1);
  free(kept);
  free(given.heap);
  config.flags = 2;
  CHECK(launch_heap(config) == OFFLOADRT_INVALID);
  config.flags = 0;
  config.heap_bytes = UINT64_MAX;
  CHECK(launch_heap(config) == OFFLOADRT_INVALID);
  CHECK_TEXT("the launch of kernel `heap` has 18446744073709551615 heap bytes, and the limit is 68719476720");
  /* Version 1 ends before the size of the heap, so the bytes there have another meaning. */
  config.version = 1;
  config.size = 48;
  CHECK(launch_heap(config) == OFFLOADRT_MISMATCH);
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(x), ARGUMENT(y), ARGUMENT(n)};
  CHECK(offloadrt_launch(device, NULL, &kernels[0], &config, arguments, 4) == OFFLOADRT_SUCCESS);
  config.version = 2;
  CHECK(launch_heap(config) == OFFLOADRT_INVALID);
}

static void devices_and_streams_are_checked(void) {
  offloadrt_device *other = device;
  CHECK(offloadrt_device_open("gpu", &other) == OFFLOADRT_NO_DEVICE && !other);
  CHECK_TEXT("there is no device `gpu` here; there is `cpu`");
  CHECK(offloadrt_device_open("cpu:1", &other) == OFFLOADRT_NO_DEVICE);
  CHECK(offloadrt_device_open("cpu:0", &other) == OFFLOADRT_SUCCESS && !strcmp(offloadrt_device_name(other), "cpu"));
  CHECK(offloadrt_device_close(other) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_open("cpu", NULL) == OFFLOADRT_INVALID);
  CHECK(offloadrt_device_open(NULL, &other) == OFFLOADRT_SUCCESS);
  CHECK(strcmp(offloadrt_device_name(other), "cpu") == 0);
  offloadrt_stream *stream;
  CHECK(offloadrt_stream_create(other, &stream) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_synchronize(other, stream) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_synchronize(device, stream) == OFFLOADRT_INVALID);
  CHECK_TEXT("the stream belongs to device `cpu`, not to `cpu`");
  CHECK(offloadrt_stream_destroy(stream) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_close(other) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_stream_destroy(NULL) == OFFLOADRT_SUCCESS && offloadrt_device_close(NULL) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_synchronize(NULL, NULL) == OFFLOADRT_INVALID);
  CHECK_TEXT("the device is null");
}

static void memory_is_allocated_copied_and_freed(void) {
  void *address = NULL, *nothing = NULL;
  char there[300], back[300];
  memset(there, 'x', sizeof there);
  CHECK(offloadrt_allocate(device, sizeof there, &address) == OFFLOADRT_SUCCESS && (uintptr_t)address % 256 == 0);
  CHECK(offloadrt_copy_to_device(device, NULL, address, there, sizeof there) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_copy_to_host(device, NULL, back, address, sizeof back) == OFFLOADRT_SUCCESS);
  CHECK(memcmp(there, back, sizeof there) == 0);
  CHECK(offloadrt_copy_to_host(device, NULL, NULL, address, 3) == OFFLOADRT_INVALID);
  CHECK_TEXT("a copy of 3 bytes to null");
  CHECK(offloadrt_copy_to_device(device, NULL, address, NULL, 3) == OFFLOADRT_INVALID);
  CHECK_TEXT("a copy of 3 bytes from null");
  CHECK(offloadrt_copy_to_device(device, NULL, NULL, NULL, 0) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_allocate(device, 0, &nothing) == OFFLOADRT_SUCCESS && nothing);
  CHECK(offloadrt_free(device, nothing) == OFFLOADRT_SUCCESS && offloadrt_free(device, address) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_free(device, NULL) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_allocate(device, SIZE_MAX / 2, &address) == OFFLOADRT_NO_MEMORY && !address);
  CHECK_TEXT("out of memory: the host cannot allocate 9223372036854775807 bytes");
}

static void *fail_elsewhere(void *unused) {
  (void)unused;
  CHECK_TEXT("");
  CHECK(offloadrt_free(NULL, NULL) == OFFLOADRT_INVALID);
  CHECK_TEXT("the device is null");
  return NULL;
}

static void error_text_is_per_thread(void) {
  pthread_t thread;
  CHECK(!offloadrt_find_kernel("absent"));
  CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
  CHECK_TEXT("no registered object has a kernel `absent`");
  char name[5000];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  CHECK(!offloadrt_find_kernel(name));
  CHECK(strlen(offloadrt_error_text()) == 4095 && strcmp(offloadrt_error_text() + 4092, "...") == 0);
}

int main(void) {
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  RUN(arguments_are_packed_at_their_offsets);
  RUN(values_without_a_size_are_passed_over);
  RUN(blocks_without_bytes_may_be_omitted);
  RUN(a_value_in_words_may_end_before_them);
  RUN(a_wrong_count_is_reported_with_the_table);
  RUN(a_wrong_size_is_reported_with_its_place);
  RUN(what_is_no_handle_is_refused_unread);
  RUN(a_kernel_without_cpu_code_says_so);
  RUN(shapes_are_checked);
  RUN(a_kernel_that_allocates_needs_a_heap);
  RUN(devices_and_streams_are_checked);
  RUN(memory_is_allocated_copied_and_freed);
  RUN(error_text_is_per_thread);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
