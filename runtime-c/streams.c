/* The public calls that concern streams. The work of a stream runs in the order of the calls, and the call that waits
 * for the stream reports a panic. */
#include <stdlib.h>

#include "checker.h"
#include "device.h"
#include "trace/work.h"

int offloadrt_no_stream(void *device, void **stream) {
  (void)device;
  *stream = NULL;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_nothing_to_wait_for(void *device, void *stream) {
  (void)device;
  (void)stream;
  return OFFLOADRT_SUCCESS;
}

/* `stream` is the driver's; null: all its work, which is that of `traced`, or of all streams if that is null. */
static int wait_for(offloadrt_device *device, void *stream, const offloadrt_stream *traced) {
  /* A launch counts before it is submitted, and both happen under this lock: the wait covers all that are counted. */
  pthread_mutex_lock(&device->states_lock);
  uint64_t launches = offloadrt_begin_wait(device);
  pthread_mutex_unlock(&device->states_lock);
  int status = device->driver->synchronize(device->state, stream);
  if (!status)
    offloadrt_end_wait(device, stream, launches);
  if (!status && offloadrt_is_tracing())
    offloadrt_trace_done(device, traced);
  return status ? status : offloadrt_check_states(device, stream, !stream);
}

int offloadrt_wait_for(offloadrt_device *device, offloadrt_stream *stream) {
  int status;
  OFFLOADRT_TRACED(status, wait_for(device, offloadrt_stream_state(stream), stream), .kind = OFFLOADRT_WORK_WAIT,
                   .device = device, .stream = stream, .is_wait_for_all = !stream);
  return status;
}

static void tell_checker(const offloadrt_device *device, const offloadrt_stream *stream, int all) {
  if (offloadrt_checker)
    offloadrt_checker->wait(device, stream, all);
}

/* Creates a stream; without `handle`, with a new queue. */
static int create(offloadrt_device *device, void *handle, offloadrt_stream **stream) {
  if (!stream)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the created stream is null");
  *stream = NULL;
  offloadrt_stream *created = calloc(1, sizeof *created);
  if (!created)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while creating a stream on `%s`", device->name);
  created->device = device;
  created->adopted = handle != NULL;
  created->number = __atomic_add_fetch(&device->stream_count, 1, __ATOMIC_RELAXED);
  int status = handle ? device->driver->handles->adopt(device->state, handle, &created->state)
                      : device->driver->stream_create(device->state, &created->state);
  if (status) {
    free(created);
    return status;
  }
  if (offloadrt_checker)
    offloadrt_checker->add_stream(device, created);
  *stream = created;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_stream_create(offloadrt_device *device, offloadrt_stream **stream) {
  int status = offloadrt_check_device(device);
  return status ? status : create(device, NULL, stream);
}

/* Checks that the library of the device has handles. */
static int check_handles(const offloadrt_device *device, const void *result) {
  int status = offloadrt_check_device(device);
  if (!status && !result)
    status = offloadrt_fail(OFFLOADRT_INVALID, "the place for the result is null");
  if (!status && !device->driver->handles)
    status = offloadrt_fail(OFFLOADRT_UNSUPPORTED, "device `%s` has no handles of a vendor's library", device->name);
  return status;
}

int offloadrt_stream_adopt(offloadrt_device *device, void *handle, offloadrt_stream **stream) {
  int status = check_handles(device, stream);
  if (!status)
    *stream = NULL;
  if (!status && !handle)
    status = offloadrt_fail(OFFLOADRT_INVALID, "the handle is null; help: use the default stream of `%s`", device->name);
  return status ? status : create(device, handle, stream);
}

int offloadrt_stream_handle(offloadrt_device *device, offloadrt_stream *stream, void **handle) {
  int status = check_handles(device, handle);
  if (!status)
    status = offloadrt_check_stream(device, stream);
  if (!status)
    *handle = device->driver->handles->stream(device->state, offloadrt_stream_state(stream));
  return status;
}

int offloadrt_device_context(offloadrt_device *device, void **context) {
  int status = check_handles(device, context);
  if (status)
    return status;
  *context = device->driver->handles->context(device->state);
  return *context ? OFFLOADRT_SUCCESS
                  : offloadrt_fail(OFFLOADRT_UNSUPPORTED, "device `%s` has no context", device->name);
}

int offloadrt_stream_destroy(offloadrt_stream *stream) {
  if (!stream)
    return OFFLOADRT_SUCCESS;
  offloadrt_device *device = stream->device;
  int status = offloadrt_check_caller(device);
  if (status)
    return status;
  status = offloadrt_wait_for(device, stream);
  tell_checker(device, stream, 0);
  if (offloadrt_checker)
    offloadrt_checker->remove_stream(device, stream);
  offloadrt_free_states(device, stream->state);
  /* On devices without several queues, every stream is the default one, which stays. */
  if (stream->state)
    offloadrt_free_mailboxes(device, stream->state);
  int destroyed = OFFLOADRT_SUCCESS;
  if (stream->adopted)
    device->driver->handles->release(device->state, stream->state);
  else
    destroyed = device->driver->stream_destroy(device->state, stream->state);
  free(stream);
  return status ? status : destroyed;
}

int offloadrt_synchronize(offloadrt_device *device, offloadrt_stream *stream) {
  int status = offloadrt_check_stream(device, stream);
  if (!status)
    tell_checker(device, stream, !stream);
  return status ? status : offloadrt_wait_for(device, stream);
}
