/* The kernel of each object of copies_test, `cells[i] += number * FACTOR`, and calls through the object's own copy of
 * the runtime. */
#ifndef OFFLOADRT_TESTS_COPIES_PLUGIN_H
#define OFFLOADRT_TESTS_COPIES_PLUGIN_H

#include "check.h"

/* The functions of an object, which its symbol `object_calls` points to. */
struct object_calls {
  const struct offload_kernel *kernel;
  int (*open)(const char *name, offloadrt_device **device);
  int (*close)(offloadrt_device *device);
  /* Launches a kernel on one cell, which was 0, and returns the status. */
  int (*launch)(offloadrt_device *device, const struct offload_kernel *kernel, uint32_t *cell);
  const struct offload_kernel *(*find)(const char *name);
  const char *(*error_text)(void);
};

static int launch_one(offloadrt_device *device, const struct offload_kernel *kernel, uint32_t *cell) {
  struct {
    void *address;
    uint64_t number;
  } block = {NULL, 1};
  const offloadrt_argument arguments[] = {ARGUMENT(block)};
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  *cell = 0;
  int status = offloadrt_allocate(device, sizeof *cell, &block.address);
  if (!status)
    status = offloadrt_copy_to_device(device, NULL, block.address, cell, sizeof *cell);
  if (!status)
    status = offloadrt_launch(device, NULL, kernel, &config, arguments, 1);
  if (!status)
    status = offloadrt_copy_to_host(device, NULL, cell, block.address, sizeof *cell);
  int freed = offloadrt_free(device, block.address);
  return status ? status : freed;
}

/* Defines the kernel of an object and its calls. */
#define OBJECT(kernel_name, FACTOR)                                                                             \
  static void entry(const struct offload_cpu_block *b, const unsigned char *arguments) {                       \
    (void)b;                                                                                                    \
    uint32_t *cells = *(uint32_t *const *)(const void *)arguments;                                              \
    cells[0] += *(const uint32_t *)(const void *)(arguments + 8) * (FACTOR);                                    \
  }                                                                                                             \
  static const struct offload_parameter row[] = {{.size = 16, .align = 8, .kind = OFFLOAD_PARAMETER_BLOCK}};   \
  static struct offload_descriptor object;                                                                      \
  static const struct offload_kernel kernels[] = {                                                              \
      KERNEL(kernel_name, row, 16, .cpu_entry = entry, .descriptor = &object)};                                 \
  static struct offload_descriptor object = DESCRIPTOR(kernels, );                                              \
  __attribute__((constructor)) static void enter(void) { offloadrt_register(&object); }                         \
  __attribute__((destructor)) static void leave(void) { offloadrt_unregister(&object); }                        \
  __attribute__((visibility("default"))) const struct object_calls object_calls = {kernels,    offloadrt_device_open, offloadrt_device_close,         \
                                            launch_one, offloadrt_find_kernel, offloadrt_error_text}

#endif
