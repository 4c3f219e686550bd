/* Memory of CUDA and HIP devices: functions that both drivers use. */
#include <stdio.h>

#include "gpu.h"

enum {
  HOST_PORTABLE = 1, /* CU_MEMHOSTALLOC_PORTABLE, hipHostMallocPortable: pinned for every device */
  HOST_MAPPED = 2,   /* CU_MEMHOSTALLOC_DEVICEMAP, hipHostMallocMapped: kernels can access it */
  ATTACH_GLOBAL = 1, /* CU_MEM_ATTACH_GLOBAL, hipMemAttachGlobal: for every stream */
};

static int allocated(const struct gpu_device *device, int error, size_t bytes, const char *kind, void **address) {
  if (!error)
    return OFFLOADRT_SUCCESS;
  char what[96];
  *address = NULL;
  snprintf(what, sizeof what, "allocate %zu bytes%s", bytes, kind);
  return offloadrt_gpu_failed(device, what, error);
}

int offloadrt_gpu_allocate(void *opaque, size_t bytes, void **address) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->allocate(address, bytes));
  return allocated(device, error, bytes, "", address);
}

int offloadrt_gpu_free(void *opaque, void *address) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->free(address));
  return error ? offloadrt_gpu_failed(device, "free memory", error) : OFFLOADRT_SUCCESS;
}

int offloadrt_gpu_allocate_host(void *opaque, size_t bytes, void **address) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->allocate_host(address, bytes, HOST_PORTABLE));
  return allocated(device, error, bytes, " of pinned memory", address);
}

int offloadrt_gpu_free_host(void *opaque, void *address) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->free_host(address));
  return error ? offloadrt_gpu_failed(device, "free pinned memory", error) : OFFLOADRT_SUCCESS;
}

/* Whether unified memory is managed memory, which moves to the processor that uses it. If the host and kernels may not
 * use managed memory at the same time, not even different parts of it, unified memory is host memory that is read over
 * the bus. */
int offloadrt_gpu_has_managed(const struct gpu_device *device) {
  const struct gpu_interface *interface = device->interface;
  return interface->allocate_managed && offloadrt_gpu_attribute(device, interface->attributes.concurrent_managed_access);
}

int offloadrt_gpu_allocate_unified(void *opaque, size_t bytes, void **address) {
  const struct gpu_device *device = opaque;
  const struct gpu_interface *interface = device->interface;
  int error;
  if (device->has_managed)
    ON(device, error, interface->allocate_managed(address, bytes, ATTACH_GLOBAL));
  else
    ON(device, error, interface->allocate_host(address, bytes, HOST_PORTABLE | HOST_MAPPED));
  return allocated(device, error, bytes, " of unified memory", address);
}

int offloadrt_gpu_free_unified(void *opaque, void *address) {
  const struct gpu_device *device = opaque;
  return device->has_managed ? offloadrt_gpu_free(opaque, address) : offloadrt_gpu_free_host(opaque, address);
}

/* Mailboxes are host memory, which kernels reach over the bus at the address that it has on the host. */
static int allocate_mailbox(void *opaque, size_t bytes, void **address) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error,
     device->interface->allocate_host(address, bytes, HOST_PORTABLE | HOST_MAPPED | device->interface->coherent));
  return allocated(device, error, bytes, " of pinned memory", address);
}

const struct offloadrt_mailbox_operations offloadrt_gpu_mailboxes = {
    .allocate = allocate_mailbox, .free = offloadrt_gpu_free_host};

/* Copies --------------------------------------------------------------------------------------------- */

int offloadrt_gpu_submit_copy(void *opaque, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                              size_t bytes) {
  static const char *const what[] = {"copy memory to it", "copy memory from it", "copy its memory"};
  const struct gpu_device *device = opaque;
  int (*const copies[])(void *, const void *, size_t, gpu_stream) = {
      device->interface->copy_to_device, device->interface->copy_to_host, device->interface->copy_on_device};
  int error;
  ON(device, error, copies[direction](to, from, bytes, stream));
  return error ? offloadrt_gpu_failed(device, what[direction], error) : OFFLOADRT_SUCCESS;
}

int offloadrt_gpu_submit_fill(void *opaque, void *stream, void *to, unsigned char byte, size_t bytes) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->fill(to, byte, bytes, stream));
  return error ? offloadrt_gpu_failed(device, "fill memory", error) : OFFLOADRT_SUCCESS;
}

/* Waits for the copy. The host memory may be pinned, and the copy would then still use it after the call. */
static int finish_copy(const struct gpu_device *device, gpu_stream stream, int error) {
  return error ? error : device->interface->stream_synchronize(stream);
}

int offloadrt_gpu_copy_to_device(void *opaque, void *stream, void *to, const void *from, size_t bytes) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, finish_copy(device, stream, device->interface->copy_to_device(to, from, bytes, stream)));
  return error ? offloadrt_gpu_failed(device, "copy memory to it", error) : OFFLOADRT_SUCCESS;
}

int offloadrt_gpu_copy_to_host(void *opaque, void *stream, void *to, const void *from, size_t bytes) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, finish_copy(device, stream, device->interface->copy_to_host(to, from, bytes, stream)));
  return error ? offloadrt_gpu_failed(device, "copy memory from it", error) : OFFLOADRT_SUCCESS;
}
