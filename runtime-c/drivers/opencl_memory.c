/* The OpenCL driver's memory: Intel's unified shared memory, or shared virtual memory if the extension is missing. In
 * both cases, kernels receive addresses. */
#include <pthread.h>
#include <stdlib.h>

#include "opencl.h"

static int remember(struct opencl_device *device, void *address) {
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

static void forget(struct opencl_device *device, const void *address) {
  pthread_mutex_lock(&device->lock);
  for (size_t i = 0; i < device->allocation_count; i++)
    if (device->allocations[i] == address) {
      device->allocations[i] = device->allocations[--device->allocation_count];
      break;
    }
  pthread_mutex_unlock(&device->lock);
}

static void *allocate_svm(struct opencl_device *device, cl_bitfield flags, size_t bytes, cl_int *error) {
  void *address = offloadrt_cl.SVMAlloc(device->context, CL_MEM_READ_WRITE | flags, bytes, 0);
  if (address && !remember(device, address)) {
    offloadrt_cl.SVMFree(device->context, address);
    address = NULL;
  }
  *error = address ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return address;
}

static int allocated(const struct opencl_device *device, const void *address, size_t bytes, const char *kind, cl_int error) {
  if (address)
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory: device `opencl:%u` (%s) cannot allocate %zu bytes%s: %s (%d)",
                        device->index, device->entry->product, bytes, kind, offloadrt_opencl_error_name(error), error);
}

int offloadrt_opencl_allocate(void *opaque, size_t bytes, void **address) {
  struct opencl_device *device = opaque;
  const struct opencl_device_entry *entry = device->entry;
  cl_int error = CL_SUCCESS;
  *address = entry->has_usm ? entry->usm.DeviceMemAllocINTEL(device->context, entry->id, NULL, bytes, 0, &error)
                            : allocate_svm(device, 0, bytes, &error);
  return allocated(device, *address, bytes, "", error);
}

/* A program may free memory while kernels still use it. Both kinds of memory wait for these kernels. */
int offloadrt_opencl_free(void *opaque, void *address) {
  struct opencl_device *device = opaque;
  if (device->entry->has_usm) {
    cl_int error = device->entry->usm.MemBlockingFreeINTEL(device->context, address);
    return error ? offloadrt_opencl_failed(device, "free memory", error) : OFFLOADRT_SUCCESS;
  }
  /* From here on, no launch names the allocation. */
  forget(device, address);
  cl_int error = offloadrt_opencl_finish_all(device);
  offloadrt_cl.SVMFree(device->context, address);
  return error ? offloadrt_opencl_failed(device, "run what was submitted to it", error) : OFFLOADRT_SUCCESS;
}

/* Allocates memory for the host and kernels. If the device allows both to use it at the same time, it is memory that
 * moves to the processor that uses it. Otherwise it is host memory, which is read over the bus. */
static void *allocate_usm_unified(const struct opencl_device *device, size_t bytes, cl_int *error) {
  const struct opencl_device_entry *entry = device->entry;
  cl_bitfield abilities = 0;
  if (!offloadrt_cl.GetDeviceInfo(entry->id, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, sizeof abilities,
                                  &abilities, NULL) &&
      (abilities & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL))
    return entry->usm.SharedMemAllocINTEL(device->context, entry->id, NULL, bytes, 0, error);
  return entry->usm.HostMemAllocINTEL(device->context, NULL, bytes, 0, error);
}

static int has_fine_svm(cl_device_id id) {
  cl_bitfield abilities = 0;
  return !offloadrt_cl.GetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES, sizeof abilities, &abilities, NULL) &&
         (abilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
}

int offloadrt_opencl_allocate_unified(void *opaque, size_t bytes, void **address) {
  struct opencl_device *device = opaque;
  cl_int error = CL_SUCCESS;
  if (device->entry->has_usm)
    *address = allocate_usm_unified(device, bytes, &error);
  else if (has_fine_svm(device->entry->id))
    *address = allocate_svm(device, CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, &error);
  else
    return offloadrt_fail(OFFLOADRT_UNSUPPORTED,
                          "device `opencl:%u` (%s) has no memory that kernels and the host both reach: neither unified shared "
                          "memory nor fine-grained shared virtual memory",
                          device->index, device->entry->product);
  return allocated(device, *address, bytes, " of unified memory", error);
}

int offloadrt_opencl_allocate_host(void *opaque, size_t bytes, void **address) {
  const struct opencl_device *device = opaque;
  cl_int error = CL_SUCCESS;
  if (!device->entry->has_usm)
    return offloadrt_allocate_plain(opaque, bytes, address);
  *address = device->entry->usm.HostMemAllocINTEL(device->context, NULL, bytes, 0, &error);
  return allocated(device, *address, bytes, " of pinned memory", error);
}

int offloadrt_opencl_free_host(void *opaque, void *address) {
  const struct opencl_device *device = opaque;
  return device->entry->has_usm ? offloadrt_opencl_free(opaque, address) : offloadrt_free_plain(opaque, address);
}

/* Mailboxes: host memory that a running kernel and the host see alike. */
static int allocate_mailbox(void *opaque, size_t bytes, void **address) {
  struct opencl_device *device = opaque;
  const struct opencl_device_entry *entry = device->entry;
  const cl_bitfield fine = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
  cl_bitfield abilities = 0;
  cl_int error = CL_SUCCESS;
  cl_uint which = entry->has_usm ? CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL : CL_DEVICE_SVM_CAPABILITIES;
  if (offloadrt_cl.GetDeviceInfo(entry->id, which, sizeof abilities, &abilities, NULL))
    abilities = 0;
  if (entry->has_usm && abilities & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL)
    *address = entry->usm.HostMemAllocINTEL(device->context, NULL, bytes, 128, &error);
  else if (!entry->has_usm && (abilities & fine) == fine)
    *address = allocate_svm(device, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes, &error);
  else
    return offloadrt_fail(OFFLOADRT_UNSUPPORTED,
                          "kernels on device `opencl:%u` (%s) cannot call functions of the host: the device has no memory that "
                          "a running kernel and the host access at the same time",
                          device->index, entry->product);
  return allocated(device, *address, bytes, " for calls of the host", error);
}

const struct offloadrt_mailbox_operations offloadrt_opencl_mailboxes = {
    .allocate = allocate_mailbox, .free = offloadrt_opencl_free};

/* Copies --------------------------------------------------------------------------------------------- */

static int enqueue_copy(const struct opencl_device *device, cl_command_queue queue, cl_uint waits, void *to, const void *from,
                        size_t bytes) {
  cl_int error = device->entry->has_usm
                     ? device->entry->usm.EnqueueMemcpyINTEL(queue, waits, to, from, bytes, 0, NULL, NULL)
                     : offloadrt_cl.EnqueueSVMMemcpy(queue, waits, to, from, bytes, 0, NULL, NULL);
  if (!error && !waits)
    error = offloadrt_cl.Flush(queue);
  return error ? offloadrt_opencl_failed(device, "copy memory", error) : OFFLOADRT_SUCCESS;
}

int offloadrt_opencl_copy(void *device, void *stream, void *to, const void *from, size_t bytes) {
  return enqueue_copy(device, offloadrt_opencl_queue(device, stream), 1, to, from, bytes);
}

int offloadrt_opencl_submit_copy(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                                 size_t bytes) {
  (void)direction;
  return enqueue_copy(device, offloadrt_opencl_queue(device, stream), 0, to, from, bytes);
}

int offloadrt_opencl_submit_fill(void *opaque, void *stream, void *to, unsigned char byte, size_t bytes) {
  const struct opencl_device *device = opaque;
  cl_command_queue queue = offloadrt_opencl_queue(device, stream);
  cl_int error = device->entry->has_usm
                     ? device->entry->usm.EnqueueMemFillINTEL(queue, to, &byte, sizeof byte, bytes, 0, NULL, NULL)
                     : offloadrt_cl.EnqueueSVMMemFill(queue, to, &byte, sizeof byte, bytes, 0, NULL, NULL);
  if (!error)
    error = offloadrt_cl.Flush(queue);
  return error ? offloadrt_opencl_failed(device, "fill memory", error) : OFFLOADRT_SUCCESS;
}
