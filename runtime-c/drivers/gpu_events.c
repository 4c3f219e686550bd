/* Events of CUDA and HIP devices: functions that both drivers use. */
#include "gpu.h"

enum { NOT_READY = 600 }; /* CUDA_ERROR_NOT_READY, hipErrorNotReady */

static int create(void *opaque, void **event) {
  const struct gpu_device *device = opaque;
  gpu_event created = NULL;
  int error;
  ON(device, error, device->interface->event_create(&created, 0));
  *event = created;
  return error ? offloadrt_gpu_failed(device, "create an event", error) : OFFLOADRT_SUCCESS;
}

static int destroy(void *opaque, void *event) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->event_destroy(event));
  return error ? offloadrt_gpu_failed(device, "destroy an event", error) : OFFLOADRT_SUCCESS;
}

static int record(void *opaque, void *event, void *stream) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->event_record(event, stream));
  return error ? offloadrt_gpu_failed(device, "record an event", error) : OFFLOADRT_SUCCESS;
}

static int wait_for(void *opaque, void *event, void *stream) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->stream_wait(stream, event, 0));
  return error ? offloadrt_gpu_failed(device, "make a stream wait for an event", error) : OFFLOADRT_SUCCESS;
}

static int synchronize(void *opaque, void *event) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->event_synchronize(event));
  return error ? offloadrt_gpu_failed(device, "run what was submitted before an event", error) : OFFLOADRT_SUCCESS;
}

static int query(void *opaque, void *event, int *over) {
  const struct gpu_device *device = opaque;
  int error;
  ON(device, error, device->interface->event_query(event));
  *over = !error;
  return error && error != NOT_READY ? offloadrt_gpu_failed(device, "run what was submitted before an event", error)
                                     : OFFLOADRT_SUCCESS;
}

static int elapsed(void *opaque, void *from, void *to, int64_t *nanoseconds) {
  const struct gpu_device *device = opaque;
  float milliseconds = 0;
  int error;
  ON(device, error, device->interface->event_elapsed(&milliseconds, from, to));
  *nanoseconds = (int64_t)((double)milliseconds * 1e6);
  return error ? offloadrt_gpu_failed(device, "say the time between two events", error) : OFFLOADRT_SUCCESS;
}

const struct offloadrt_event_operations offloadrt_gpu_events = {
    .create = create,
    .destroy = destroy,
    .record = record,
    .wait = wait_for,
    .synchronize = synchronize,
    .query = query,
    .elapsed = elapsed,
};
