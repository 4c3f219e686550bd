/* The public calls that concern streams. The work of a stream runs in the order of the calls, and the call that waits
 * for the stream reports a panic. */
#include <stdlib.h>

#include "checker.h"
#include "device.h"

int offloadrt_wait_for(offloadrt_device *device, void *stream) {
  int status = device->driver->synchronize(device->state, stream);
  return status ? status : offloadrt_check_states(device, stream, !stream);
}

static void tell_checker(const offloadrt_device *device, const offloadrt_stream *stream, int all) {
  if (offloadrt_checker)
    offloadrt_checker->wait(device, stream, all);
}

int offloadrt_stream_create(offloadrt_device *device, offloadrt_stream **stream) {
  int status = offloadrt_check_device(device);
  if (status)
    return status;
  if (!stream)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the created stream is null");
  *stream = NULL;
  offloadrt_stream *created = calloc(1, sizeof *created);
  if (!created)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while creating a stream on `%s`", device->name);
  created->device = device;
  status = device->driver->stream_create(device->state, &created->state);
  if (status) {
    free(created);
    return status;
  }
  if (offloadrt_checker)
    offloadrt_checker->add_stream(device, created);
  *stream = created;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_stream_destroy(offloadrt_stream *stream) {
  if (!stream)
    return OFFLOADRT_SUCCESS;
  offloadrt_device *device = stream->device;
  int status = offloadrt_wait_for(device, stream->state);
  tell_checker(device, stream, 0);
  if (offloadrt_checker)
    offloadrt_checker->remove_stream(device, stream);
  offloadrt_free_states(device, stream->state);
  int destroyed = device->driver->stream_destroy(device->state, stream->state);
  free(stream);
  return status ? status : destroyed;
}

int offloadrt_synchronize(offloadrt_device *device, offloadrt_stream *stream) {
  int status = offloadrt_check_stream(device, stream);
  if (!status)
    tell_checker(device, stream, !stream);
  return status ? status : offloadrt_wait_for(device, offloadrt_stream_state(stream));
}
