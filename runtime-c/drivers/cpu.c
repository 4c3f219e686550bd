/* The cpu driver. Device memory is host memory. A launch returns when all blocks have run, so the calls of a stream are
 * in order and nothing ever waits. cpu_scheduler.c distributes the blocks over threads. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu_image.h"
#include "cpu_level.h"
#include "cpu_scheduler.h"
#include "cpu_stack.h"

static unsigned device_count(void) { return 1; }

static void describe(unsigned index, struct offloadrt_description *description) {
  (void)index;
  snprintf(description->arch, sizeof description->arch, "cpu");
  snprintf(description->product, sizeof description->product, "this machine's processor");
  unsigned level = offload_cpu_level();
  snprintf(description->exact, sizeof description->exact, level > 1 ? "cpu:%s" : "cpu", offload_cpu_level_name(level));
}

/* The image only marks that the object contains the code, or it is a shared object that was made of the generic image. */
static int fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity) {
  (void)arch;
  if ((image->kind != OFFLOADRT_IMAGE_NONE && image->kind != OFFLOADRT_IMAGE_ELF) || !offloadrt_is_host(image->triple))
    return OFFLOADRT_FOREIGN;
  if (image->kind == OFFLOADRT_IMAGE_ELF && !offload_cpu_can_load()) {
    snprintf(miss, capacity, "needs a dynamic linker, and the program is linked statically");
    return 0;
  }
  unsigned level = offload_cpu_level_of_arch(image->arch), own = offload_cpu_level();
  if (level <= own)
    return (int)level;
  snprintf(miss, capacity, "this processor does not run: it is %s", offload_cpu_level_name(own));
  return 0;
}

static int open_device(unsigned index, void **device) {
  (void)index;
  *device = NULL;
  int result = offload_cpu_check_level_variable();
  return result ? result : offloadrt_check_threads_variable();
}

static void close_device(void *device) { (void)device; }

static int is_in_process(const void *device) {
  (void)device;
  return 1;
}

static void limits(void *device, offloadrt_limits *limits) {
  (void)device;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  offloadrt_host_limits(limits);
  limits->compute_units = offload_cpu_threads();
  limits->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* Copies in both directions. The ranges may overlap, because device memory is host memory. */
static int copy(void *device, void *stream, void *to, const void *from, size_t bytes) {
  (void)device;
  (void)stream;
  memmove(to, from, bytes);
  return OFFLOADRT_SUCCESS;
}

static int submit_copy(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                       size_t bytes) {
  (void)direction;
  return copy(device, stream, to, from, bytes);
}

static int submit_fill(void *device, void *stream, void *to, unsigned char byte, size_t bytes) {
  (void)device;
  (void)stream;
  memset(to, byte, bytes);
  return OFFLOADRT_SUCCESS;
}

static int launch(void *device, void *stream, const struct offloadrt_launch *launch) {
  (void)device;
  (void)stream;
  const struct offload_kernel *kernel = launch->kernel;
  const offloadrt_launch_config *config = launch->config;
  const struct offload_cpu_function linked = {NULL, kernel->shared_bytes}, *function = launch->function;
  offload_cpu_entry entry = function ? function->entry : offload_cpu_pick_entry(kernel);
  function = function ? function : &linked;
  int result = offload_cpu_run_checked(entry, config->grid, config->block, function->shared_bytes,
                                       config->dynamic_shared_bytes, launch->arguments, launch->state, launch->check);
  if (result == OFFLOAD_CPU_STACK_FULL)
    return offloadrt_fail(OFFLOADRT_FAILED,
                          "kernel `%s` overflowed its stack: its calls go too deep or its local arrays are too large for the "
                          "stack of the thread that launches, or for what `ulimit -s` gives the runtime's own threads",
                          offloadrt_kernel_name(kernel));
  if (result)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY,
                          "out of memory while kernel `%s` ran: its blocks need shared memory or frames for their threads "
                          "(%u + %u bytes of shared memory, %u x %u x %u threads)",
                          offloadrt_kernel_name(kernel), function->shared_bytes, config->dynamic_shared_bytes,
                          config->block[0], config->block[1], config->block[2]);
  return OFFLOADRT_SUCCESS;
}

static const struct offloadrt_arch_operations archs = {.describe = describe, .fit = fit};

const struct offloadrt_driver offloadrt_cpu_driver = {
    .name = "cpu",
    .single = 1,
    .waits = 1,
    .shares_memory = 1,
    .keeps_images = 1,
    .device_count = device_count,
    .archs = &archs,
    .images = &offload_cpu_images,
    .open = open_device,
    .close = close_device,
    .is_in_process = is_in_process,
    .limits = limits,
    .allocate = offloadrt_allocate_plain,
    .free = offloadrt_free_plain,
    .copy_to_device = copy,
    .copy_to_host = copy,
    .submit_copy = submit_copy,
    .submit_fill = submit_fill,
    .allocate_host = offloadrt_allocate_plain,
    .free_host = offloadrt_free_plain,
    .allocate_unified = offloadrt_allocate_plain,
    .free_unified = offloadrt_free_plain,
    .stream_create = offloadrt_no_stream,
    .stream_destroy = offloadrt_nothing_to_wait_for,
    .launch = launch,
    .leave_kernel = offload_cpu_leave_stack,
    .enter_kernel = offload_cpu_enter_stack,
    .synchronize = offloadrt_nothing_to_wait_for,
};
