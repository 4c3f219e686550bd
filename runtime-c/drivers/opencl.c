/* The OpenCL driver: devices and streams. Images and launches are in opencl_launch.c, memory in opencl_memory.c, events
 * in opencl_events.c. A stream is an in-order queue. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Devices ------------------------------------------------------------------------------------------ */

int offloadrt_opencl_failed(const struct opencl_device *device, const char *what, cl_int error) {
  int memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
  return offloadrt_fail(memory ? OFFLOADRT_NO_MEMORY : OFFLOADRT_FAILED, "device `opencl:%u` (%s) could not %s: %s (%d)",
                        device->index, device->entry->product, what, offloadrt_opencl_error_name(error), error);
}

/* Whether `text` contains `part`, without regard to case. */
static int contains(const char *text, const char *part) {
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
  return contains(entry->vendor, part) || contains(entry->product, part);
}

static void describe(unsigned index, struct offloadrt_description *description) {
  const struct opencl_device_entry *entry = offloadrt_opencl_device(index);
  snprintf(description->arch, sizeof description->arch, "spirv64");
  snprintf(description->product, sizeof description->product, "%s, %s", entry->product, entry->vendor);
  snprintf(description->driver, sizeof description->driver, "%s", entry->driver);
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

static void add_queue(struct opencl_device *device, struct opencl_queue *queue) {
  pthread_mutex_lock(&device->lock);
  queue->next = device->queues;
  device->queues = queue;
  pthread_mutex_unlock(&device->lock);
}

static int create_queue(struct opencl_device *device, struct opencl_queue **created) {
  cl_int error;
  struct opencl_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a queue");
  /* Events have a time only if profiling is enabled. */
  static const cl_bitfield properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  queue->handle = offloadrt_cl.CreateCommandQueueWithProperties(device->context, device->entry->id, properties, &error);
  if (!queue->handle) {
    free(queue);
    return offloadrt_opencl_failed(device, "create a queue", error);
  }
  add_queue(device, queue);
  *created = queue;
  return OFFLOADRT_SUCCESS;
}

static void release_queue(struct opencl_device *device, struct opencl_queue *queue) {
  pthread_mutex_lock(&device->lock);
  struct opencl_queue **link = &device->queues;
  while (*link != queue)
    link = &(*link)->next;
  *link = queue->next;
  pthread_mutex_unlock(&device->lock);
  offloadrt_cl.ReleaseCommandQueue(queue->handle);
  free(queue);
}

/* Returns a numeric property of the device; 0 if it is not available. */
static uint64_t number(cl_device_id id, cl_uint property, size_t size) {
  uint64_t value = 0;
  return offloadrt_cl.GetDeviceInfo(id, property, size, &value, NULL) ? 0 : value;
}

static uint32_t at_most(uint64_t value) { return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value; }

/* OpenCL limits the number of threads in the whole grid, by the width of `size_t`, and not the number of blocks. The
 * number of lanes of a warp differs from kernel to kernel. */
static void limits(void *opaque, offloadrt_limits *limits) {
  const struct opencl_device *device = opaque;
  cl_device_id id = device->entry->id;
  size_t sizes[3] = {0};
  offloadrt_cl.GetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
  for (int i = 0; i < 3; i++) {
    limits->block[i] = at_most(sizes[i]);
    limits->grid[i] = UINT32_MAX;
  }
  limits->threads_per_block = at_most(number(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)));
  limits->shared_bytes = at_most(number(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(uint64_t)));
  limits->compute_units = at_most(number(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)));
  limits->memory_bytes = number(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(uint64_t));
}

static void close_device(void *opaque) {
  struct opencl_device *device = opaque;
  while (device->queues)
    release_queue(device, device->queues);
  offloadrt_cl.ReleaseContext(device->context);
  pthread_mutex_destroy(&device->lock);
  free(device->allocations);
  free(device);
}

static int create_context(struct opencl_device *device) {
  const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)device->entry->platform, 0};
  cl_int error;
  device->context = offloadrt_cl.CreateContext(properties, 1, &device->entry->id, NULL, NULL, &error);
  return device->context ? OFFLOADRT_SUCCESS : offloadrt_opencl_failed(device, "create a context", error);
}

/* Uses a context of the program, which may have other devices, too. */
static int retain_context(struct opencl_device *device, cl_context context) {
  size_t bytes = 0;
  cl_int error = offloadrt_cl.GetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
  cl_device_id *ids = calloc(1, bytes + 1);
  if (!ids)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening `opencl:%u`", device->index);
  if (!error)
    error = offloadrt_cl.GetContextInfo(context, CL_CONTEXT_DEVICES, bytes, ids, NULL);
  int has_device = 0;
  for (size_t i = 0; i < bytes / sizeof *ids; i++)
    has_device |= ids[i] == device->entry->id;
  free(ids);
  if (!error && !has_device)
    return offloadrt_fail(OFFLOADRT_INVALID, "the context belongs to another device than `opencl:%u`", device->index);
  if (!error)
    error = offloadrt_cl.RetainContext(context);
  device->context = context;
  return error ? offloadrt_opencl_failed(device, "use the context of the program", error) : OFFLOADRT_SUCCESS;
}

/* Opens a device in a context of the program; null: in a new context. */
static int open_in(unsigned index, void *context, void **opened) {
  struct opencl_device *device = calloc(1, sizeof *device);
  if (!device)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening `opencl:%u`", index);
  device->entry = offloadrt_opencl_device(index);
  device->index = index;
  int status = context ? retain_context(device, context) : create_context(device);
  if (status) {
    free(device);
    return status;
  }
  pthread_mutex_init(&device->lock, NULL);
  status = create_queue(device, &device->own_queue);
  if (status)
    close_device(device);
  else
    *opened = device;
  return status;
}

static int open_device(unsigned index, void **opened) { return open_in(index, NULL, opened); }

/* Streams ------------------------------------------------------------------------------------------ */

cl_command_queue offloadrt_opencl_queue(const struct opencl_device *device, void *stream) {
  return ((struct opencl_queue *)(stream ? stream : device->own_queue))->handle;
}

static int stream_create(void *device, void **stream) { return create_queue(device, (struct opencl_queue **)stream); }

/* The device keeps a reference to the queue. */
static int adopt(void *opaque, void *handle, void **stream) {
  struct opencl_device *device = opaque;
  struct opencl_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while adopting a queue on `opencl:%u`", device->index);
  cl_int error = offloadrt_cl.RetainCommandQueue(handle);
  if (error) {
    free(queue);
    return offloadrt_opencl_failed(device, "use a queue of the program", error);
  }
  queue->handle = handle;
  add_queue(device, queue);
  *stream = queue;
  return OFFLOADRT_SUCCESS;
}

static void release(void *device, void *stream) { release_queue(device, stream); }
static void *handle_of(void *device, void *stream) { return offloadrt_opencl_queue(device, stream); }
static void *context_of(void *device) { return ((const struct opencl_device *)device)->context; }

static const struct offloadrt_handle_operations handles = {
    .adopt = adopt, .release = release, .stream = handle_of, .context = context_of};

static int stream_destroy(void *device, void *stream) {
  release_queue(device, stream);
  return OFFLOADRT_SUCCESS;
}

static void keep_first(cl_int *first, cl_int error) { *first = *first ? *first : error; }

/* Waits for all queues that exist when the call begins. Other threads may create and destroy queues during the call. */
cl_int offloadrt_opencl_finish_all(struct opencl_device *device) {
  cl_int first_error = CL_SUCCESS;
  size_t count = 0;
  pthread_mutex_lock(&device->lock);
  for (struct opencl_queue *queue = device->queues; queue; queue = queue->next)
    count++;
  cl_command_queue *handles = calloc(count, sizeof *handles);
  count = 0;
  /* If a queue cannot be retained, wait for it here, although this blocks other threads: no work may use memory that is
   * about to be freed. */
  for (struct opencl_queue *queue = device->queues; queue; queue = queue->next)
    if (handles && !offloadrt_cl.RetainCommandQueue(queue->handle))
      handles[count++] = queue->handle;
    else
      keep_first(&first_error, offloadrt_cl.Finish(queue->handle));
  pthread_mutex_unlock(&device->lock);
  for (size_t i = 0; i < count; i++) {
    keep_first(&first_error, offloadrt_cl.Finish(handles[i]));
    offloadrt_cl.ReleaseCommandQueue(handles[i]);
  }
  free(handles);
  return first_error;
}

static int synchronize(void *opaque, void *stream) {
  struct opencl_device *device = opaque;
  cl_int error = stream ? offloadrt_cl.Finish(offloadrt_opencl_queue(device, stream)) : offloadrt_opencl_finish_all(device);
  return error ? offloadrt_opencl_failed(device, "run what was submitted to it", error) : OFFLOADRT_SUCCESS;
}

static const struct offloadrt_arch_operations archs = {.describe = describe, .fit = fit};

const struct offloadrt_driver offloadrt_opencl_driver = {
    .name = "opencl",
    .device_count = offloadrt_opencl_device_count,
    .absence = offloadrt_opencl_absence,
    .is_called = is_called,
    .archs = &archs,
    .images = &offloadrt_opencl_images,
    .events = &offloadrt_opencl_events,
    .handles = &handles,
    .mailboxes = &offloadrt_opencl_mailboxes,
    .open = open_device,
    .open_in = open_in,
    .close = close_device,
    .limits = limits,
    .allocate = offloadrt_opencl_allocate,
    .free = offloadrt_opencl_free,
    .copy_to_device = offloadrt_opencl_copy,
    .copy_to_host = offloadrt_opencl_copy,
    .submit_copy = offloadrt_opencl_submit_copy,
    .submit_fill = offloadrt_opencl_submit_fill,
    .allocate_host = offloadrt_opencl_allocate_host,
    .free_host = offloadrt_opencl_free_host,
    .allocate_unified = offloadrt_opencl_allocate_unified,
    .free_unified = offloadrt_opencl_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .launch = offloadrt_opencl_launch,
    .synchronize = synchronize,
};
