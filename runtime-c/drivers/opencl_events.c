/* The OpenCL driver's events: markers in a queue that records times. OpenCL creates a new event for each marker, so an
 * event of the runtime contains the last marker. */
#include <pthread.h>
#include <stdlib.h>

#include "opencl.h"

struct event {
  pthread_mutex_t lock;
  cl_event marker;
};

static int create(void *device, void **event) {
  struct event *created = calloc(1, sizeof *created);
  (void)device;
  if (!created)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for an event");
  pthread_mutex_init(&created->lock, NULL);
  *event = created;
  return OFFLOADRT_SUCCESS;
}

static int destroy(void *device, void *opaque) {
  struct event *event = opaque;
  (void)device;
  if (event->marker)
    offloadrt_cl.ReleaseEvent(event->marker);
  pthread_mutex_destroy(&event->lock);
  free(event);
  return OFFLOADRT_SUCCESS;
}

/* Returns the last marker with a reference, because another thread may record the event again. */
static cl_event retain_marker(struct event *event) {
  pthread_mutex_lock(&event->lock);
  cl_event marker = event->marker;
  offloadrt_cl.RetainEvent(marker);
  pthread_mutex_unlock(&event->lock);
  return marker;
}

static int record(void *opaque, void *place, void *stream) {
  const struct opencl_device *device = opaque;
  struct event *event = place;
  cl_command_queue queue = offloadrt_opencl_queue(device, stream);
  cl_event marker = NULL;
  cl_int error = offloadrt_cl.EnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
  if (error)
    return offloadrt_opencl_failed(device, "record an event", error);
  pthread_mutex_lock(&event->lock);
  cl_event before = event->marker;
  event->marker = marker;
  pthread_mutex_unlock(&event->lock);
  if (before)
    offloadrt_cl.ReleaseEvent(before);
  /* Flush the queue, because another queue may wait for the marker. */
  error = offloadrt_cl.Flush(queue);
  return error ? offloadrt_opencl_failed(device, "record an event", error) : OFFLOADRT_SUCCESS;
}

static int wait_for(void *opaque, void *event, void *stream) {
  const struct opencl_device *device = opaque;
  cl_event marker = retain_marker(event);
  cl_int error = offloadrt_cl.EnqueueBarrierWithWaitList(offloadrt_opencl_queue(device, stream), 1, &marker, NULL);
  offloadrt_cl.ReleaseEvent(marker);
  return error ? offloadrt_opencl_failed(device, "make a stream wait for an event", error) : OFFLOADRT_SUCCESS;
}

static int synchronize(void *opaque, void *event) {
  const struct opencl_device *device = opaque;
  cl_event marker = retain_marker(event);
  cl_int error = offloadrt_cl.WaitForEvents(1, &marker);
  offloadrt_cl.ReleaseEvent(marker);
  return error ? offloadrt_opencl_failed(device, "run what was submitted before an event", error) : OFFLOADRT_SUCCESS;
}

static int query(void *opaque, void *event, int *over) {
  const struct opencl_device *device = opaque;
  cl_int state = CL_COMPLETE;
  cl_event marker = retain_marker(event);
  cl_int error = offloadrt_cl.GetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  offloadrt_cl.ReleaseEvent(marker);
  *over = state <= CL_COMPLETE;
  /* If work before the marker failed, its error is the state of the marker. */
  error = error || state > CL_COMPLETE ? error : state;
  return error ? offloadrt_opencl_failed(device, "run what was submitted before an event", error) : OFFLOADRT_SUCCESS;
}

static cl_int time_of(struct event *event, uint64_t *nanoseconds) {
  cl_event marker = retain_marker(event);
  cl_int error = offloadrt_cl.GetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof *nanoseconds, nanoseconds, NULL);
  offloadrt_cl.ReleaseEvent(marker);
  return error;
}

static int elapsed(void *opaque, void *from, void *to, int64_t *nanoseconds) {
  const struct opencl_device *device = opaque;
  uint64_t begin = 0, end = 0;
  cl_int error = time_of(from, &begin);
  if (!error)
    error = time_of(to, &end);
  *nanoseconds = (int64_t)(end - begin);
  return error ? offloadrt_opencl_failed(device, "say the time between two events", error) : OFFLOADRT_SUCCESS;
}

const struct offloadrt_event_operations offloadrt_opencl_events = {
    .create = create,
    .destroy = destroy,
    .record = record,
    .wait = wait_for,
    .synchronize = synchronize,
    .query = query,
    .elapsed = elapsed,
};
