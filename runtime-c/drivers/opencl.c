/* The OpenCL driver: SPIR-V images, built for the device when they are loaded. Device memory is Intel's
 * unified shared memory, or shared virtual memory where there is none; either way an address is what
 * kernels get. A stream is a queue that runs in order.
 *
 * What an image's kernel must look like: one argument for each row of the parameter table (a pointer, or
 * the bytes of a value or a block), and, where it uses launch-sized shared memory, one pointer to local
 * memory more. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct queue {
  struct queue *next;
  cl_command_queue handle;
};

struct device {
  const struct opencl_device_entry *entry;
  unsigned index;
  cl_context context;
  struct queue *queues;    /* all of them; guarded by `lock` */
  struct queue *own_queue; /* the default stream, the last in the list */
  pthread_mutex_t lock;
  /* With shared virtual memory a launch names every allocation that pointers in memory may lead to. */
  void **allocations;
  size_t allocation_count, allocation_capacity;
};

struct function {
  cl_kernel handle;
  pthread_mutex_t lock; /* an OpenCL kernel holds its arguments: one launch at a time sets them */
  cl_uint argument_count;
};

/* Devices ------------------------------------------------------------------------------------------ */

static int failed(const struct device *device, const char *what, cl_int error) {
  int memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
  return offloadrt_fail(memory ? OFFLOADRT_NO_MEMORY : OFFLOADRT_FAILED, "device `opencl:%u` (%s) could not %s: %s (%d)",
                        device->index, device->entry->product, what, offloadrt_opencl_error_name(error), error);
}

/* True when `text` holds `part`, whatever the case. */
static int holds(const char *text, const char *part) {
  size_t length = strlen(part);
  for (; strlen(text) >= length; text++)
    if (strncasecmp(text, part, length) == 0)
      return 1;
  return 0;
}

static int is_called(unsigned index, const char *name) {
  static const char prefix[] = "opencl:";
  const char *part = name + sizeof prefix - 1;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !*part)
    return 0;
  const struct opencl_device_entry *entry = offloadrt_opencl_device(index);
  return holds(entry->vendor, part) || holds(entry->product, part);
}

static void describe(unsigned index, struct offloadrt_description *description) {
  const struct opencl_device_entry *entry = offloadrt_opencl_device(index);
  snprintf(description->arch, sizeof description->arch, "spirv64");
  snprintf(description->product, sizeof description->product, "%s, %s", entry->product, entry->vendor);
}

static int fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity) {
  (void)arch;
  if (strncmp(image->triple, "spirv", strlen("spirv")) != 0)
    return OFFLOADRT_FOREIGN;
  if (image->kind == OFFLOADRT_IMAGE_SPIRV && strncmp(image->triple, "spirv64-", strlen("spirv64-")) == 0)
    return 1;
  snprintf(miss, capacity, "is not SPIR-V for OpenCL on a 64-bit device");
  return 0;
}

static int create_queue(struct device *device, struct queue **created) {
  cl_int error;
  struct queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a queue");
  queue->handle = offloadrt_cl.CreateCommandQueueWithProperties(device->context, device->entry->id, NULL, &error);
  if (!queue->handle) {
    free(queue);
    return failed(device, "create a queue", error);
  }
  pthread_mutex_lock(&device->lock);
  queue->next = device->queues;
  device->queues = queue;
  pthread_mutex_unlock(&device->lock);
  *created = queue;
  return OFFLOADRT_SUCCESS;
}

static void release_queue(struct device *device, struct queue *queue) {
  pthread_mutex_lock(&device->lock);
  struct queue **link = &device->queues;
  while (*link != queue)
    link = &(*link)->next;
  *link = queue->next;
  pthread_mutex_unlock(&device->lock);
  offloadrt_cl.ReleaseCommandQueue(queue->handle);
  free(queue);
}

static void close_device(void *opaque) {
  struct device *device = opaque;
  while (device->queues)
    release_queue(device, device->queues);
  offloadrt_cl.ReleaseContext(device->context);
  pthread_mutex_destroy(&device->lock);
  free(device->allocations);
  free(device);
}

static int open_device(unsigned index, void **opened) {
  struct device *device = calloc(1, sizeof *device);
  if (!device)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening `opencl:%u`", index);
  device->entry = offloadrt_opencl_device(index);
  device->index = index;
  const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)device->entry->platform, 0};
  cl_int error;
  device->context = offloadrt_cl.CreateContext(properties, 1, &device->entry->id, NULL, NULL, &error);
  if (!device->context) {
    int status = failed(device, "create a context", error);
    free(device);
    return status;
  }
  pthread_mutex_init(&device->lock, NULL);
  int status = create_queue(device, &device->own_queue);
  if (status)
    close_device(device);
  else
    *opened = device;
  return status;
}

/* Streams ------------------------------------------------------------------------------------------ */

static cl_command_queue queue_of(const struct device *device, void *stream) {
  return ((struct queue *)(stream ? stream : device->own_queue))->handle;
}

static int stream_create(void *device, void **stream) { return create_queue(device, (struct queue **)stream); }

static int stream_destroy(void *device, void *stream) {
  release_queue(device, stream);
  return OFFLOADRT_SUCCESS;
}

/* Waits for every queue there is when the call begins; other threads may make and destroy queues. */
static cl_int finish_all(struct device *device) {
  cl_int first_error = CL_SUCCESS;
  size_t count = 0;
  pthread_mutex_lock(&device->lock);
  for (struct queue *queue = device->queues; queue; queue = queue->next)
    count++;
  cl_command_queue *handles = calloc(count, sizeof *handles);
  count = 0;
  for (struct queue *queue = device->queues; queue && handles; queue = queue->next)
    if (!offloadrt_cl.RetainCommandQueue(queue->handle))
      handles[count++] = queue->handle;
  pthread_mutex_unlock(&device->lock);
  if (!handles)
    return CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; i < count; i++) {
    cl_int error = offloadrt_cl.Finish(handles[i]);
    offloadrt_cl.ReleaseCommandQueue(handles[i]);
    first_error = first_error ? first_error : error;
  }
  free(handles);
  return first_error;
}

static int synchronize(void *opaque, void *stream) {
  struct device *device = opaque;
  cl_int error = stream ? offloadrt_cl.Finish(queue_of(device, stream)) : finish_all(device);
  return error ? failed(device, "run what was submitted to it", error) : OFFLOADRT_SUCCESS;
}

/* Memory ------------------------------------------------------------------------------------------- */

static int remember(struct device *device, void *address) {
  int remembered = 1;
  pthread_mutex_lock(&device->lock);
  if (device->allocation_count == device->allocation_capacity) {
    size_t capacity = device->allocation_capacity ? 2 * device->allocation_capacity : 16;
    void **grown = realloc(device->allocations, capacity * sizeof *grown);
    remembered = grown != NULL;
    if (grown) {
      device->allocations = grown;
      device->allocation_capacity = capacity;
    }
  }
  if (remembered)
    device->allocations[device->allocation_count++] = address;
  pthread_mutex_unlock(&device->lock);
  return remembered;
}

static void forget(struct device *device, const void *address) {
  pthread_mutex_lock(&device->lock);
  for (size_t i = 0; i < device->allocation_count; i++)
    if (device->allocations[i] == address) {
      device->allocations[i] = device->allocations[--device->allocation_count];
      break;
    }
  pthread_mutex_unlock(&device->lock);
}

static void *allocate_svm(struct device *device, size_t bytes, cl_int *error) {
  void *address = offloadrt_cl.SVMAlloc(device->context, CL_MEM_READ_WRITE, bytes, 0);
  if (address && !remember(device, address)) {
    offloadrt_cl.SVMFree(device->context, address);
    address = NULL;
  }
  *error = address ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return address;
}

static int allocate(void *opaque, size_t bytes, void **address) {
  struct device *device = opaque;
  const struct opencl_device_entry *entry = device->entry;
  cl_int error = CL_SUCCESS;
  *address = entry->has_usm ? entry->usm.DeviceMemAllocINTEL(device->context, entry->id, NULL, bytes, 0, &error)
                            : allocate_svm(device, bytes, &error);
  if (!*address)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory: device `opencl:%u` (%s) cannot allocate %zu bytes: %s (%d)",
                          device->index, entry->product, bytes, offloadrt_opencl_error_name(error), error);
  return OFFLOADRT_SUCCESS;
}

/* Memory may be freed while kernels that use it still run; both ways wait for them. */
static int release(void *opaque, void *address) {
  struct device *device = opaque;
  if (device->entry->has_usm) {
    cl_int error = device->entry->usm.MemBlockingFreeINTEL(device->context, address);
    return error ? failed(device, "free memory", error) : OFFLOADRT_SUCCESS;
  }
  cl_int error = finish_all(device);
  forget(device, address);
  offloadrt_cl.SVMFree(device->context, address);
  return error ? failed(device, "run what was submitted to it", error) : OFFLOADRT_SUCCESS;
}

static int copy(void *opaque, void *stream, void *to, const void *from, size_t bytes) {
  const struct device *device = opaque;
  cl_command_queue queue = queue_of(device, stream);
  cl_int error = device->entry->has_usm
                     ? device->entry->usm.EnqueueMemcpyINTEL(queue, 1, to, from, bytes, 0, NULL, NULL)
                     : offloadrt_cl.EnqueueSVMMemcpy(queue, 1, to, from, bytes, 0, NULL, NULL);
  return error ? failed(device, "copy memory", error) : OFFLOADRT_SUCCESS;
}

/* Images ------------------------------------------------------------------------------------------- */

/* The device compiler's log: the caller frees it; null when there is none. */
static char *build_log(const struct device *device, cl_program program) {
  size_t size = 0;
  if (offloadrt_cl.GetProgramBuildInfo(program, device->entry->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
    return NULL;
  char *log = calloc(1, size + 1);
  if (log && offloadrt_cl.GetProgramBuildInfo(program, device->entry->id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
    *log = 0;
  return log;
}

static int build_failed(const struct device *device, const char *log, cl_int error) {
  return offloadrt_fail(OFFLOADRT_FAILED, "device `opencl:%u` (%s) could not build the SPIR-V image: %s (%d)%s%s",
                        device->index, device->entry->product, offloadrt_opencl_error_name(error), error, log ? "\n" : "",
                        log ? log : "");
}

static int load(void *opaque, const struct offloadrt_image *image, void **module) {
  const struct device *device = opaque;
  cl_int error;
  cl_program program = offloadrt_cl.CreateProgramWithIL(device->context, image->begin, (size_t)(image->end - image->begin), &error);
  if (!program)
    return build_failed(device, NULL, error);
  error = offloadrt_cl.BuildProgram(program, 1, &device->entry->id, NULL, NULL, NULL);
  char *log = build_log(device, program);
  if (log)
    offloadrt_log("opencl:%u: build log: %s", device->index, log);
  int status = error ? build_failed(device, log, error) : OFFLOADRT_SUCCESS;
  free(log);
  if (error)
    offloadrt_cl.ReleaseProgram(program);
  else
    *module = program;
  return status;
}

static void unload(void *device, void *module) {
  (void)device;
  offloadrt_cl.ReleaseProgram(module);
}

static void release_function(void *device, void *opaque) {
  struct function *function = opaque;
  (void)device;
  offloadrt_cl.ReleaseKernel(function->handle);
  pthread_mutex_destroy(&function->lock);
  free(function);
}

/* Pointers that kernels load from memory may lead to any allocation. */
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

static int find(void *opaque, void *module, const struct offload_kernel *kernel, void **found) {
  const struct device *device = opaque;
  cl_int error;
  struct function *function = calloc(1, sizeof *function);
  if (!function)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for kernel `%s`", kernel->name);
  function->handle = offloadrt_cl.CreateKernel(module, kernel->name, &error);
  if (!function->handle) {
    free(function);
    return offloadrt_fail(OFFLOADRT_FAILED, "device `opencl:%u` (%s) finds no kernel `%s` in its image: %s (%d)",
                          device->index, device->entry->product, kernel->name, offloadrt_opencl_error_name(error), error);
  }
  pthread_mutex_init(&function->lock, NULL);
  error = offloadrt_cl.GetKernelInfo(function->handle, CL_KERNEL_NUM_ARGS, sizeof function->argument_count,
                               &function->argument_count, NULL);
  if (!error && device->entry->has_usm)
    error = allow_indirect_access(function->handle);
  if (!error && function->argument_count - kernel->parameter_count <= 1) {
    *found = function;
    return OFFLOADRT_SUCCESS;
  }
  int status = error ? failed(device, "prepare a kernel", error)
                     : offloadrt_fail(OFFLOADRT_FAILED, "kernel `%s` takes %u arguments in its image, but %u in its table",
                                      kernel->name, function->argument_count, kernel->parameter_count);
  release_function(opaque, function);
  return status;
}

/* Launches ------------------------------------------------------------------------------------------ */

static cl_int set_pointer(const struct device *device, cl_kernel kernel, cl_uint index, const unsigned char *bytes) {
  void *pointer;
  memcpy(&pointer, bytes, sizeof pointer);
  return device->entry->has_usm ? device->entry->usm.SetKernelArgMemPointerINTEL(kernel, index, pointer)
                                : offloadrt_cl.SetKernelArgSVMPointer(kernel, index, pointer);
}

static cl_int set_arguments(struct device *device, const struct function *function, const struct offloadrt_launch *launch) {
  const struct offload_kernel *kernel = launch->kernel;
  cl_int error = CL_SUCCESS;
  for (cl_uint i = 0; i < kernel->parameter_count && !error; i++) {
    const struct offload_parameter *parameter = &kernel->parameters[i];
    const unsigned char *bytes = launch->arguments + parameter->offset;
    /* An argument cannot be empty; a block without fields is one byte. */
    size_t size = parameter->size ? parameter->size : 1;
    error = parameter->kind == OFFLOAD_PARAMETER_POINTER ? set_pointer(device, function->handle, i, bytes)
                                                         : offloadrt_cl.SetKernelArg(function->handle, i, size, bytes);
  }
  if (!error && function->argument_count > kernel->parameter_count) {
    uint32_t bytes = launch->config->dynamic_shared_bytes;
    error = offloadrt_cl.SetKernelArg(function->handle, kernel->parameter_count, bytes ? bytes : 1, NULL);
  }
  if (!error && !device->entry->has_usm) {
    pthread_mutex_lock(&device->lock);
    if (device->allocation_count)
      error = offloadrt_cl.SetKernelExecInfo(function->handle, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                       device->allocation_count * sizeof(void *), device->allocations);
    pthread_mutex_unlock(&device->lock);
  }
  return error;
}

static int launch_failed(const struct device *device, const struct function *function,
                         const struct offloadrt_launch *launch, cl_int error) {
  const uint32_t *block = launch->config->block;
  size_t limit = 0;
  offloadrt_cl.GetKernelWorkGroupInfo(function->handle, device->entry->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
  return offloadrt_fail(OFFLOADRT_FAILED,
                        "device `opencl:%u` (%s) did not launch kernel `%s`: %s (%d); its blocks have %u x %u x %u threads "
                        "and %u bytes of launch-sized shared memory, and the device takes %zu threads",
                        device->index, device->entry->product, launch->kernel->name, offloadrt_opencl_error_name(error), error,
                        block[0], block[1], block[2], launch->config->dynamic_shared_bytes, limit);
}

static int launch(void *opaque, void *stream, const struct offloadrt_launch *launch) {
  struct device *device = opaque;
  struct function *function = launch->function;
  cl_command_queue queue = queue_of(device, stream);
  size_t global[3], local[3];
  for (int i = 0; i < 3; i++) {
    local[i] = launch->config->block[i];
    global[i] = local[i] * launch->config->grid[i];
  }
  pthread_mutex_lock(&function->lock);
  cl_int error = set_arguments(device, function, launch);
  if (!error)
    error = offloadrt_cl.EnqueueNDRangeKernel(queue, function->handle, 3, NULL, global, local, 0, NULL, NULL);
  pthread_mutex_unlock(&function->lock);
  if (!error)
    error = offloadrt_cl.Flush(queue);
  return error ? launch_failed(device, function, launch, error) : OFFLOADRT_SUCCESS;
}

const struct offloadrt_driver offloadrt_opencl_driver = {
    .name = "opencl",
    .device_count = offloadrt_opencl_device_count,
    .absence = offloadrt_opencl_absence,
    .is_called = is_called,
    .describe = describe,
    .fit = fit,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .free = release,
    .copy_to_device = copy,
    .copy_to_host = copy,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .load = load,
    .unload = unload,
    .find = find,
    .release = release_function,
    .launch = launch,
    .synchronize = synchronize,
};
