/* The OpenCL driver's images and launches. An image is SPIR-V, built for the device when it is loaded.
 *
 * The form of a kernel in an image: one argument for each row of the parameter table (a pointer, or the bytes of a
 * value or a block), one for the launch's state where it takes one, and, where it uses launch-sized shared memory, one
 * pointer to local memory more, which the size of this memory follows where it takes that. A kernel with lanes computes
 * the position of a thread from its number in the block and the block's extents: src/targets/spirv/lanes.rs. */
#include "opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DYNAMIC_SHARED_ARGUMENTS = 2 }; /* the address and the size of launch-sized shared memory */

struct module {
  cl_program program;
  char kernels_with_lanes[]; /* their names, one a line */
};

struct function {
  cl_kernel handle;
  pthread_mutex_t lock; /* an OpenCL kernel contains its arguments, so only one launch at a time may set them */
  cl_uint argument_count;
  int uses_lanes; /* its blocks have one row, and it takes their extents as the global offset */
};

/* Images ------------------------------------------------------------------------------------------- */

static int load(void *opaque, const struct offloadrt_image *image, void **result) {
  const struct opencl_device *device = opaque;
  if (image->uses_lanes && device->entry->lacks_lanes)
    return offloadrt_fail(OFFLOADRT_UNSUPPORTED,
                          "device `opencl:%u` (%s) has lanes only where `CL_CONFIG_USE_VECTORIZER=True` is in the environment "
                          "when OpenCL is loaded, and kernels of this image use them",
                          device->index, device->entry->product);
  struct module *module = malloc(sizeof *module + strlen(image->kernels_with_lanes) + 1);
  if (!module)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for an image of device `opencl:%u`", device->index);
  strcpy(module->kernels_with_lanes, image->kernels_with_lanes);
  int status = offloadrt_opencl_build(device, image, &module->program);
  if (status)
    free(module);
  else
    *result = module;
  return status;
}

static void unload(void *device, void *opaque) {
  struct module *module = opaque;
  (void)device;
  offloadrt_cl.ReleaseProgram(module->program);
  free(module);
}

static void release(void *device, void *opaque) {
  struct function *function = opaque;
  (void)device;
  offloadrt_cl.ReleaseKernel(function->handle);
  pthread_mutex_destroy(&function->lock);
  free(function);
}

/* Declares that pointers that kernels load from memory may point to any allocation. */
static cl_int allow_indirect_access(cl_kernel kernel) {
  static const cl_uint kinds[] = {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                  CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                  CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL};
  const cl_uint yes = 1;
  cl_int error = CL_SUCCESS;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !error; i++)
    error = offloadrt_cl.SetKernelExecInfo(kernel, kinds[i], sizeof yes, &yes);
  return error;
}

/* Returns the minimum number of arguments of a kernel in an image. */
static cl_uint argument_count(const struct offload_kernel *kernel) {
  return kernel->parameter_count + (kernel->flags & OFFLOAD_KERNEL_TAKES_STATE ? 1 : 0);
}

/* Reads the limits of the compiled kernel. Dynamic shared memory is not set yet, so it is not included. */
static void read_limits(cl_device_id id, cl_kernel kernel, struct offloadrt_function *found) {
  size_t threads = 0;
  uint64_t shared = 0;
  if (!offloadrt_cl.GetKernelWorkGroupInfo(kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads, NULL))
    found->threads_per_block = threads < UINT32_MAX ? (uint32_t)threads : 0;
  if (!offloadrt_cl.GetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL))
    found->shared_bytes = shared < UINT32_MAX ? (uint32_t)shared : 0;
}

/* Whether `name` is one of the lines. */
static int is_line(const char *lines, const char *name) {
  size_t length = strlen(name);
  for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
    if ((size_t)(end - lines) == length && memcmp(lines, name, length) == 0)
      return 1;
  return 0;
}

static int find(void *opaque, void *loaded, const struct offload_kernel *kernel, struct offloadrt_function *found) {
  const struct opencl_device *device = opaque;
  const struct module *module = loaded;
  cl_int error;
  struct function *function = calloc(1, sizeof *function);
  if (!function)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for kernel `%s`", kernel->name);
  function->handle = offloadrt_cl.CreateKernel(module->program, kernel->name, &error);
  if (!function->handle) {
    free(function);
    return offloadrt_fail(OFFLOADRT_FAILED, "device `opencl:%u` (%s) finds no kernel `%s` in its image: %s (%d)",
                          device->index, device->entry->product, kernel->name, offloadrt_opencl_error_name(error), error);
  }
  function->uses_lanes = is_line(module->kernels_with_lanes, kernel->name);
  pthread_mutex_init(&function->lock, NULL);
  error = offloadrt_cl.GetKernelInfo(function->handle, CL_KERNEL_NUM_ARGS, sizeof function->argument_count,
                               &function->argument_count, NULL);
  if (!error && device->entry->has_usm)
    error = allow_indirect_access(function->handle);
  if (!error && function->argument_count - argument_count(kernel) <= DYNAMIC_SHARED_ARGUMENTS) {
    found->state = function;
    read_limits(device->entry->id, function->handle, found);
    return OFFLOADRT_SUCCESS;
  }
  int status = error ? offloadrt_opencl_failed(device, "prepare a kernel", error)
                     : offloadrt_fail(OFFLOADRT_FAILED, "kernel `%s` takes %u arguments in its image, but %u in its table",
                                      offloadrt_kernel_name(kernel), function->argument_count, argument_count(kernel));
  release(opaque, function);
  return status;
}

const struct offloadrt_image_operations offloadrt_opencl_images = {
    .load = load,
    .unload = unload,
    .find = find,
    .release = release,
};

/* Launches ------------------------------------------------------------------------------------------ */

static cl_int set_pointer(const struct opencl_device *device, cl_kernel kernel, cl_uint index, const unsigned char *bytes) {
  void *pointer;
  memcpy(&pointer, bytes, sizeof pointer);
  return device->entry->has_usm ? device->entry->usm.SetKernelArgMemPointerINTEL(kernel, index, pointer)
                                : offloadrt_cl.SetKernelArgSVMPointer(kernel, index, pointer);
}

static cl_int set_arguments(const struct opencl_device *device, const struct function *function, const struct offloadrt_launch *launch) {
  const struct offload_kernel *kernel = launch->kernel;
  cl_int error = CL_SUCCESS;
  for (cl_uint i = 0; i < kernel->parameter_count && !error; i++) {
    const struct offload_parameter *parameter = &kernel->parameters[i];
    const unsigned char *bytes = launch->arguments + parameter->offset;
    /* An argument cannot be empty, so a block without fields is one byte. */
    size_t size = parameter->size ? parameter->size : 1;
    error = parameter->kind == OFFLOAD_PARAMETER_POINTER ? set_pointer(device, function->handle, i, bytes)
                                                         : offloadrt_cl.SetKernelArg(function->handle, i, size, bytes);
  }
  if (!error && launch->state)
    error = set_pointer(device, function->handle, kernel->parameter_count, (const unsigned char *)&launch->state);
  cl_uint more = function->argument_count - argument_count(kernel);
  uint32_t bytes = launch->config->dynamic_shared_bytes;
  if (!error && more)
    error = offloadrt_cl.SetKernelArg(function->handle, argument_count(kernel), bytes ? bytes : 1, NULL);
  if (!error && more == DYNAMIC_SHARED_ARGUMENTS)
    error = offloadrt_cl.SetKernelArg(function->handle, argument_count(kernel) + 1, sizeof bytes, &bytes);
  return error;
}

/* With shared virtual memory, a launch names the allocations to which pointers in memory may point. These must not be
 * freed before the launch is in the queue; a free waits for the queue. */
static cl_int enqueue(struct opencl_device *device, const struct function *function, cl_command_queue queue,
                      const size_t *offset, const size_t global[3], const size_t local[3]) {
  cl_int error = CL_SUCCESS;
  int names = !device->entry->has_usm;
  if (names)
    pthread_mutex_lock(&device->lock);
  if (names && device->allocation_count)
    error = offloadrt_cl.SetKernelExecInfo(function->handle, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                           device->allocation_count * sizeof(void *), device->allocations);
  if (!error)
    error = offloadrt_cl.EnqueueNDRangeKernel(queue, function->handle, 3, offset, global, local, 0, NULL, NULL);
  if (names)
    pthread_mutex_unlock(&device->lock);
  return error;
}

static int launch_failed(const struct opencl_device *device, const struct function *function,
                         const struct offloadrt_launch *launch, cl_int error) {
  const uint32_t *block = launch->config->block;
  size_t limit = 0;
  offloadrt_cl.GetKernelWorkGroupInfo(function->handle, device->entry->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
  return offloadrt_fail(OFFLOADRT_FAILED,
                        "device `opencl:%u` (%s) did not launch kernel `%s`: %s (%d); its blocks have %u x %u x %u threads "
                        "and %u bytes of launch-sized shared memory, and the device takes %zu threads",
                        device->index, device->entry->product, offloadrt_kernel_name(launch->kernel),
                        offloadrt_opencl_error_name(error), error, block[0], block[1], block[2],
                        launch->config->dynamic_shared_bytes, limit);
}

int offloadrt_opencl_launch(void *opaque, void *stream, const struct offloadrt_launch *launch) {
  struct opencl_device *device = opaque;
  struct function *function = launch->function;
  cl_command_queue queue = offloadrt_opencl_queue(device, stream);
  size_t global[3], local[3], extents[3];
  for (int i = 0; i < 3; i++)
    local[i] = extents[i] = launch->config->block[i];
  /* An OpenCL implementation may begin a warp at each row of a block. */
  int has_one_row = function->uses_lanes && (local[1] > 1 || local[2] > 1);
  if (has_one_row) {
    local[0] *= local[1] * local[2];
    local[1] = local[2] = 1;
  }
  for (int i = 0; i < 3; i++)
    global[i] = local[i] * launch->config->grid[i];
  pthread_mutex_lock(&function->lock);
  cl_int error = set_arguments(device, function, launch);
  if (!error)
    error = enqueue(device, function, queue, has_one_row ? extents : NULL, global, local);
  pthread_mutex_unlock(&function->lock);
  if (!error)
    error = offloadrt_cl.Flush(queue);
  return error ? launch_failed(device, function, launch, error) : OFFLOADRT_SUCCESS;
}
