/* The public calls that concern memory: they check the arguments and pass them on through the driver's table. */
#define _GNU_SOURCE /* posix_memalign, madvise */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checker.h"
#include "device.h"
#include "trace/work.h"

/* Allocations --------------------------------------------------------------------------------------- */

int offloadrt_allocate_plain(void *device, size_t bytes, void **address) {
  /* The alignment is the least that GPU drivers give; vector loads of any width are aligned then. Large memory is asked
   * for in huge pages: a kernel that streams through it then spends less time on address translation. */
  enum { ALIGN = 256, HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };
  (void)device;
  if (offloadrt_checker) {
    *address = offloadrt_checker->allocate(ALIGN, bytes);
    return *address ? OFFLOADRT_SUCCESS
                    : offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory: the host cannot allocate %zu bytes", bytes);
  }
  int large = bytes >= LARGE;
  if (posix_memalign(address, large ? HUGE_PAGE : ALIGN, bytes))
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory: the host cannot allocate %zu bytes", bytes);
  /* A wish: without huge pages the memory is as good, only slower to reach. */
  if (large)
    (void)madvise(*address, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
  return OFFLOADRT_SUCCESS;
}

int offloadrt_free_plain(void *device, void *address) {
  (void)device;
  if (!offloadrt_checker || !offloadrt_checker->free(address))
    free(address);
  return OFFLOADRT_SUCCESS;
}

static void tell_checker(const void *written, size_t bytes) {
  if (offloadrt_checker)
    offloadrt_checker->written(written, bytes);
}

/* Reports a copy or a fill to the checker. `waits`: the host has waited for it when the call returns. */
static void tell_of_copy(const offloadrt_device *device, const offloadrt_stream *stream, const void *to,
                         const void *from, size_t bytes, int waits) {
  if (!offloadrt_checker || !device->driver->shares_memory)
    return;
  offloadrt_checker->copy(device, stream, to, from, bytes);
  if (waits)
    offloadrt_checker->wait(device, stream, 0);
}

static int allocate(offloadrt_device *device, int (*row)(void *, size_t, void **), size_t bytes, void **address,
                    int host_writes) {
  if (!address)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the allocated address is null");
  *address = NULL;
  /* An empty allocation has an address like any other, so that an empty slice can point to it. Where kernels do not work
   * in host memory, a device may change the 32 bits around an atomic of 8 or 16 bits. All of them are the allocation's,
   * and have a value. */
  enum { WORD = 4 };
  size_t whole = bytes ? bytes : 1;
  if (!device->driver->shares_memory && whole < PTRDIFF_MAX - WORD)
    whole = (whole + WORD - 1) / WORD * WORD;
  int status = row(device->state, whole, address);
  if (!status && host_writes)
    tell_checker(*address, bytes);
  if (status || !bytes || whole == bytes)
    return status;
  unsigned char *rest = (unsigned char *)*address + bytes;
  if (host_writes)
    memset(rest, 0, whole - bytes);
  else
    status = device->driver->submit_fill(device->state, NULL, rest, 0, whole - bytes);
  return status;
}

/* The public pairs, one for each kind of memory. */
#define ALLOCATIONS(name, allocate_row, free_row, kind_of_memory, host_writes)            \
  int offloadrt_allocate##name(offloadrt_device *device, size_t bytes, void **address) {  \
    int status = offloadrt_check_device(device);                                          \
    if (!status)                                                                          \
      OFFLOADRT_TRACED(status, allocate(device, device->driver->allocate_row, bytes, address, host_writes), \
                       .kind = OFFLOADRT_WORK_ALLOCATE, .device = device, .memory = kind_of_memory, .bytes = bytes, \
                       .address = address);                                               \
    return status;                                                                        \
  }                                                                                       \
  int offloadrt_free##name(offloadrt_device *device, void *address) {                     \
    int status = offloadrt_check_device(device);                                          \
    if (!status && address)                                                               \
      OFFLOADRT_TRACED(status, device->driver->free_row(device->state, address), .kind = OFFLOADRT_WORK_FREE, \
                       .device = device, .memory = kind_of_memory, .address = &address);  \
    return status;                                                                        \
  }
ALLOCATIONS(, allocate, free, "device", 0)
ALLOCATIONS(_host, allocate_host, free_host, "pinned", 1)
ALLOCATIONS(_unified, allocate_unified, free_unified, "unified", 1)

/* Copies -------------------------------------------------------------------------------------------- */

static int check_copy(const offloadrt_device *device, const offloadrt_stream *stream, const void *to, const void *from,
                      size_t bytes) {
  int status = offloadrt_check_stream(device, stream);
  if (!status && bytes && (!to || !from))
    return offloadrt_fail(OFFLOADRT_INVALID, "a copy of %zu bytes %s null", bytes, to ? "from" : "to");
  return status;
}

int offloadrt_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                             size_t bytes) {
  int status = check_copy(device, stream, to, from, bytes);
  if (status || !bytes)
    return status;
  tell_of_copy(device, stream, to, NULL, bytes, 1);
  OFFLOADRT_TRACED(status, device->driver->copy_to_device(device->state, offloadrt_stream_state(stream), to, from, bytes),
                   .kind = OFFLOADRT_WORK_COPY, .device = device, .stream = stream, .direction = OFFLOADRT_TO_DEVICE,
                   .bytes = bytes, .is_over = 1);
  return status;
}

int offloadrt_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                           size_t bytes) {
  int status = check_copy(device, stream, to, from, bytes);
  if (status || !bytes)
    return status;
  tell_of_copy(device, stream, NULL, from, bytes, 1);
  OFFLOADRT_TRACED(status, device->driver->copy_to_host(device->state, offloadrt_stream_state(stream), to, from, bytes),
                   .kind = OFFLOADRT_WORK_COPY, .device = device, .stream = stream, .direction = OFFLOADRT_TO_HOST,
                   .bytes = bytes, .is_over = 1);
  /* The copy has waited for the stream. The bytes are copied even if a kernel has panicked. */
  return status ? status : offloadrt_check_states(device, offloadrt_stream_state(stream), 0);
}

static int submit_copy(offloadrt_device *device, offloadrt_stream *stream, enum offloadrt_direction direction, void *to,
                       const void *from, size_t bytes) {
  int status = check_copy(device, stream, to, from, bytes);
  if (status || !bytes)
    return status;
  tell_of_copy(device, stream, direction == OFFLOADRT_TO_HOST ? NULL : to, direction == OFFLOADRT_TO_DEVICE ? NULL : from,
               bytes, 0);
  OFFLOADRT_TRACED(status, device->driver->submit_copy(device->state, offloadrt_stream_state(stream), direction, to, from, bytes),
                   .kind = OFFLOADRT_WORK_COPY, .device = device, .stream = stream, .direction = (int)direction,
                   .bytes = bytes);
  return status;
}

int offloadrt_submit_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                    size_t bytes) {
  return submit_copy(device, stream, OFFLOADRT_TO_DEVICE, to, from, bytes);
}

int offloadrt_submit_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                  size_t bytes) {
  return submit_copy(device, stream, OFFLOADRT_TO_HOST, to, from, bytes);
}

int offloadrt_submit_copy(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes) {
  return submit_copy(device, stream, OFFLOADRT_ON_DEVICE, to, from, bytes);
}

int offloadrt_submit_fill(offloadrt_device *device, offloadrt_stream *stream, void *to, unsigned char byte, size_t bytes) {
  int status = offloadrt_check_stream(device, stream);
  if (status || !bytes)
    return status;
  if (!to)
    return offloadrt_fail(OFFLOADRT_INVALID, "a fill of %zu bytes to null", bytes);
  tell_of_copy(device, stream, to, NULL, bytes, 0);
  OFFLOADRT_TRACED(status, device->driver->submit_fill(device->state, offloadrt_stream_state(stream), to, byte, bytes),
                   .kind = OFFLOADRT_WORK_COPY, .device = device, .stream = stream, .direction = OFFLOADRT_FILL,
                   .bytes = bytes);
  return status;
}
