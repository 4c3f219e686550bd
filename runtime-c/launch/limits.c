/* The limits of devices, and checks of launches against them. These checks are the same for every driver. The checks
 * against the limits of the device run before an image is loaded. This file does not launch. */
#define _GNU_SOURCE /* secure_getenv */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

void offloadrt_read_limits(struct offloadrt_device *device) {
  device->limits = (offloadrt_limits){.size = sizeof device->limits, .version = OFFLOADRT_LIMITS_VERSION};
  device->driver->limits(device->state, &device->limits);
}

int offloadrt_device_limits(offloadrt_device *device, offloadrt_limits *limits) {
  if (!device || !limits)
    return offloadrt_fail(OFFLOADRT_INVALID, device ? "the place for the limits is null" : "the device is null");
  if (limits->version != OFFLOADRT_LIMITS_VERSION || limits->size < sizeof *limits)
    return offloadrt_fail(OFFLOADRT_INVALID, "the limits have version %u and size %u; this runtime takes version %d and size %zu",
                          limits->version, limits->size, OFFLOADRT_LIMITS_VERSION, sizeof *limits);
  *limits = device->limits;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_check_threads_variable(void) {
  const char *text = secure_getenv("OFFLOADRT_CPU_THREADS");
  enum { MOST_DIGITS = 9 };
  if (!text || !*text)
    return OFFLOADRT_SUCCESS;
  size_t length = strlen(text);
  if (strspn(text, "0123456789") == length && strspn(text, "0") < length && length <= MOST_DIGITS)
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_INVALID, "`OFFLOADRT_CPU_THREADS` is `%s`, and must be a number above 0", text);
}

/* The name of the device in error texts: `cuda:0` (NVIDIA H200). */
struct called {
  char text[256];
};

static struct called call(const struct offloadrt_device *device) {
  struct called called;
  const char *product = device->description.product;
  snprintf(called.text, sizeof called.text, *product ? "`%s` (%s)" : "`%s`", device->name, product);
  return called;
}

/* Checks three counts: none may be 0, and none may be above its limit if the limit is known. */
static int check_counts(const struct offloadrt_device *device, const char *kernel, const char *what, const char *unit,
                        const uint32_t counts[3], const uint32_t limits[3]) {
  if (!counts[0] || !counts[1] || !counts[2])
    return offloadrt_fail(OFFLOADRT_INVALID, "the %s of kernel `%s` is %u x %u x %u, but no count may be 0", what, kernel,
                          counts[0], counts[1], counts[2]);
  for (int i = 0; i < 3; i++)
    if (limits[i] && counts[i] > limits[i])
      return offloadrt_fail(OFFLOADRT_INVALID,
                            "kernel `%s` is launched with a %s of %u x %u x %u: %u %s along %c, and device %s allows %u",
                            kernel, what, counts[0], counts[1], counts[2], counts[i], unit, "xyz"[i], call(device).text,
                            limits[i]);
  return OFFLOADRT_SUCCESS;
}

/* Saturates. No device allows that many threads. */
static uint64_t product(const uint32_t counts[3]) {
  uint64_t all;
  return __builtin_mul_overflow((uint64_t)counts[0] * counts[1], counts[2], &all) ? UINT64_MAX : all;
}

/* The origin of the limit on the threads of a block. */
enum limited { OF_DEVICE, BY_PROMISE, BY_CODE };

/* Whose limit it is, and which options of a kernel change it. */
struct reason {
  char text[160];
};

static struct reason limited_by(enum limited by, uint32_t limit, uint64_t threads) {
  struct reason why = {""};
  if (by == BY_PROMISE)
    snprintf(why.text, sizeof why.text, " of this kernel; its launch bounds, `#[kernel(launch_bounds(%u))]`, promise no more",
             limit);
  else if (by == BY_CODE)
    snprintf(why.text, sizeof why.text,
             " of this kernel; `#[kernel(launch_bounds(%" PRIu64 "))]` or `#[kernel(max_registers = COUNT)]` may allow more",
             threads);
  return why;
}

static int check_threads(const struct offloadrt_device *device, const char *kernel, const uint32_t block[3], uint32_t limit,
                         enum limited by) {
  uint64_t threads = product(block);
  if (threads <= (limit ? limit : INT32_MAX))
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_INVALID,
                        "kernel `%s` is launched with blocks of %u x %u x %u threads: %" PRIu64 ", and device %s allows %u%s",
                        kernel, block[0], block[1], block[2], threads, call(device).text, limit ? limit : INT32_MAX,
                        limited_by(by, limit, threads).text);
}

/* `fixed` is the size of the kernel's static shared memory. */
static int check_shared(const struct offloadrt_device *device, const char *kernel, uint32_t sized, uint32_t fixed) {
  uint32_t limit = device->limits.shared_bytes;
  if (!limit || (uint64_t)sized + fixed <= limit)
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_INVALID,
                        "kernel `%s` is launched with %u bytes of shared memory for each block, beside %u bytes of its own: %" PRIu64
                        ", and device %s allows %u",
                        kernel, sized, fixed, (uint64_t)sized + fixed, call(device).text, limit);
}

static int check_version(const char *kernel, const offloadrt_launch_config *config) {
  if (!config)
    return offloadrt_fail(OFFLOADRT_INVALID, "the launch configuration of kernel `%s` is null", kernel);
  /* Version 1 ends before the field `heap_bytes`. */
  size_t least = config->version == 1 ? offsetof(offloadrt_launch_config, heap_bytes) : sizeof *config;
  if (!config->version || config->version > OFFLOADRT_LAUNCH_VERSION || config->size < least)
    return offloadrt_fail(OFFLOADRT_INVALID,
                          "the launch configuration of kernel `%s` has version %u and size %u; this runtime takes version %d "
                          "and size %zu",
                          kernel, config->version, config->size, OFFLOADRT_LAUNCH_VERSION, sizeof *config);
  if (config->flags & ~(uint32_t)OFFLOADRT_KEEP_HEAP || config->panic_record)
    return offloadrt_fail(OFFLOADRT_INVALID, "a reserved field in the launch configuration of kernel `%s` is not zero",
                          kernel);
  return OFFLOADRT_SUCCESS;
}

int offloadrt_check_config(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                           const offloadrt_launch_config *config) {
  const offloadrt_limits *limits = &device->limits;
  const char *name = offloadrt_kernel_name(kernel);
  int status = check_version(name, config);
  if (!status)
    status = check_counts(device, name, "grid", "blocks", config->grid, limits->grid);
  if (!status && product(config->grid) > INT64_MAX)
    status = offloadrt_fail(OFFLOADRT_INVALID, "the grid of kernel `%s`, %u x %u x %u, is too large", name, config->grid[0],
                            config->grid[1], config->grid[2]);
  if (!status)
    status = check_counts(device, name, "block", "threads", config->block, limits->block);
  if (!status)
    status = check_threads(device, name, config->block, limits->threads_per_block, OF_DEVICE);
  /* Compilers for GPUs assign registers by the launch bounds. Other devices check the bounds too, so that a program
   * that runs on them also runs on GPUs. */
  if (!status && kernel->threads_per_block)
    status = check_threads(device, name, config->block, kernel->threads_per_block, BY_PROMISE);
  return status ? status : check_shared(device, name, config->dynamic_shared_bytes, 0);
}

int offloadrt_check_function(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                             const offloadrt_launch_config *config, const struct offloadrt_function *function) {
  const char *name = offloadrt_kernel_name(kernel);
  int status = OFFLOADRT_SUCCESS;
  if (function->threads_per_block)
    status = check_threads(device, name, config->block, function->threads_per_block, BY_CODE);
  return status ? status : check_shared(device, name, config->dynamic_shared_bytes, function->shared_bytes);
}
