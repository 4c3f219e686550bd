/* The functions that the drivers of CUDA and HIP share. Every call makes the device current on its thread and then
 * restores the previous device, because the program itself may use CUDA or HIP. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* CU_STREAM_NON_BLOCKING, hipStreamNonBlocking: not ordered with the default stream. */
enum { NON_BLOCKING = 1, ARGUMENTS_ON_STACK = 64 };

static int is_memory_error(int error) { return error == 2; /* CUDA_ERROR_OUT_OF_MEMORY, hipErrorOutOfMemory */ }

int offloadrt_gpu_failed(const struct gpu_device *device, const char *what, int error) {
  char text[256] = "";
  device->interface->describe_error(error, text, sizeof text);
  return offloadrt_fail(is_memory_error(error) ? OFFLOADRT_NO_MEMORY : OFFLOADRT_FAILED, "device `%s:%u` could not %s: %s (%d)",
                        device->interface->name, device->index, what, text, error);
}

unsigned offloadrt_gpu_count_devices(const struct gpu_interface *interface, char *absence, size_t capacity) {
  int found = 0, error = interface->init(0);
  if (!error)
    error = interface->device_count(&found);
  if (error)
    interface->describe_error(error, absence, capacity);
  else if (found <= 0)
    snprintf(absence, capacity, "%s finds no device", interface->people);
  return error || found < 0 ? 0 : (unsigned)found;
}

static int raise_stack(const struct gpu_interface *interface, size_t bytes) {
  enum { STACK_SIZE = 0 }; /* CU_LIMIT_STACK_SIZE, hipLimitStackSize */
  size_t now = 0;
  int error = interface->get_limit(&now, STACK_SIZE);
  return error || now >= bytes ? error : interface->set_limit(STACK_SIZE, bytes);
}

int offloadrt_gpu_reserve_stack(const struct gpu_device *device, const struct offloadrt_image *image) {
  const struct gpu_interface *interface = device->interface;
  int error;
  if (!image->stack_bytes || !interface->get_limit || !interface->set_limit)
    return OFFLOADRT_SUCCESS;
  ON(device, error, raise_stack(interface, image->stack_bytes));
  if (!error)
    return OFFLOADRT_SUCCESS;
  char what[96];
  snprintf(what, sizeof what, "reserve a stack of %zu bytes for each thread", image->stack_bytes);
  return offloadrt_gpu_failed(device, what, error);
}

void offloadrt_gpu_limits(void *opaque, offloadrt_limits *limits) {
  const struct gpu_device *device = opaque;
  const struct gpu_interface *interface = device->interface;
  const struct gpu_attributes *attributes = &interface->attributes;
  size_t memory = 0;
  limits->threads_per_block = offloadrt_gpu_attribute(device, attributes->threads_per_block);
  for (int i = 0; i < 3; i++) {
    limits->block[i] = offloadrt_gpu_attribute(device, attributes->block[i]);
    limits->grid[i] = offloadrt_gpu_attribute(device, attributes->grid[i]);
  }
  uint32_t all = attributes->most_shared_bytes ? offloadrt_gpu_attribute(device, attributes->most_shared_bytes) : 0;
  limits->shared_bytes = all ? all : offloadrt_gpu_attribute(device, attributes->shared_bytes);
  limits->least_lanes = limits->most_lanes = offloadrt_gpu_attribute(device, attributes->lanes);
  limits->compute_units = offloadrt_gpu_attribute(device, attributes->compute_units);
  if (!interface->memory_bytes(&memory, device->number))
    limits->memory_bytes = memory;
}

uint32_t offloadrt_gpu_attribute(const struct gpu_device *device, int which) {
  int value = 0;
  return device->interface->attribute(&value, which, device->number) || value < 0 ? 0 : (uint32_t)value;
}

int offloadrt_gpu_stream_create(void *opaque, void **stream) {
  const struct gpu_device *device = opaque;
  gpu_stream created = NULL;
  int error;
  ON(device, error, device->interface->stream_create(&created, NON_BLOCKING));
  *stream = created;
  return error ? offloadrt_gpu_failed(device, "create a stream", error) : OFFLOADRT_SUCCESS;
}

int offloadrt_gpu_stream_destroy(void *opaque, void *stream) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->stream_destroy(stream));
  return error ? offloadrt_gpu_failed(device, "destroy a stream", error) : OFFLOADRT_SUCCESS;
}

/* A stream is its handle. */
static int adopt(void *device, void *handle, void **stream) {
  (void)device;
  *stream = handle;
  return OFFLOADRT_SUCCESS;
}

static void release(void *device, void *stream) {
  (void)device;
  (void)stream;
}

static void *handle_of(void *device, void *stream) {
  (void)device;
  return stream;
}

/* HIP's devices have none. */
static void *context_of(void *device) { return ((const struct gpu_device *)device)->context; }

const struct offloadrt_handle_operations offloadrt_gpu_handles = {
    .adopt = adopt, .release = release, .stream = handle_of, .context = context_of};

int offloadrt_gpu_synchronize(void *opaque, void *stream) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, stream ? device->interface->stream_synchronize(stream) : device->interface->synchronize());
  return error ? offloadrt_gpu_failed(device, "run what was submitted to it", error) : OFFLOADRT_SUCCESS;
}

/* A failure here repeats the failure of a launch, which was already reported. */
void offloadrt_gpu_unload(void *opaque, void *module) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->unload(module));
  (void)error;
}

static int find(const struct gpu_interface *interface, gpu_module module, const char *name,
                struct offloadrt_function *function) {
  /* CU_FUNC_ATTRIBUTE_..., HIP_FUNC_ATTRIBUTE_... */
  enum { MAX_THREADS_PER_BLOCK = 0, SHARED_SIZE_BYTES = 1 };
  gpu_function found = NULL;
  int threads = 0, shared = 0, error = interface->find(&found, module, name);
  if (!error && !interface->function_attribute(&threads, MAX_THREADS_PER_BLOCK, found) && threads > 0)
    function->threads_per_block = (uint32_t)threads;
  if (!error && !interface->function_attribute(&shared, SHARED_SIZE_BYTES, found) && shared > 0)
    function->shared_bytes = (uint32_t)shared;
  function->state = error ? NULL : found;
  return error;
}

int offloadrt_gpu_find(void *opaque, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, find(device->interface, module, kernel->name, function));
  if (!error)
    return OFFLOADRT_SUCCESS;
  char what[2048];
  snprintf(what, sizeof what, "find kernel `%s` in its image", kernel->name);
  return offloadrt_gpu_failed(device, what, error);
}

/* Does nothing: a module frees its functions. */
void offloadrt_gpu_release(void *device, void *function) {
  (void)device;
  (void)function;
}

static int launch_with(const struct gpu_device *device, gpu_stream stream, const struct offloadrt_launch *launch,
                       void **arguments) {
  const offloadrt_launch_config *config = launch->config;
  const uint32_t *grid = config->grid, *block = config->block;
  /* CUDA reads a byte of an empty argument, which can be at the end of the others. */
  static const char empty = 0;
  for (uint32_t i = 0; i < launch->kernel->parameter_count; i++) {
    const struct offload_parameter *row = &launch->kernel->parameters[i];
    arguments[i] = (void *)(uintptr_t)(row->size == 0 ? &empty : (const char *)launch->arguments + row->offset);
  }
  arguments[launch->kernel->parameter_count] = (void *)(uintptr_t)&launch->state;
  int error;
  ON(device, error,
     device->interface->launch(launch->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                               config->dynamic_shared_bytes, stream, arguments, NULL));
  if (!error)
    return OFFLOADRT_SUCCESS;
  char what[2048];
  snprintf(what, sizeof what,
           "launch kernel `%s` with a grid of %u x %u x %u, blocks of %u x %u x %u, and %u bytes of launch-sized shared memory",
           offloadrt_kernel_name(launch->kernel), grid[0], grid[1], grid[2], block[0], block[1], block[2],
           config->dynamic_shared_bytes);
  return offloadrt_gpu_failed(device, what, error);
}

int offloadrt_gpu_launch(void *device, void *stream, const struct offloadrt_launch *launch) {
  void *on_stack[ARGUMENTS_ON_STACK], **arguments = on_stack;
  uint32_t count = launch->kernel->parameter_count + 1;
  if (count > ARGUMENTS_ON_STACK && !(arguments = calloc(count, sizeof *arguments)))
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %u arguments of kernel `%s`", count,
                          offloadrt_kernel_name(launch->kernel));
  int status = launch_with(device, stream, launch, arguments);
  if (arguments != on_stack)
    free(arguments);
  return status;
}
