/* Events: positions in the work of a stream. With a driver that waits, all work of the stream is complete when an event
 * is recorded, so the event is only a time. The other drivers have their own events. */
#include <stdatomic.h>
#include <stdlib.h>

#include "checker.h"
#include "device.h"
#include "trace/work.h"

struct offloadrt_event {
  offloadrt_device *device;
  void *state;         /* the event of the driver; null if the driver has no events */
  atomic_int recorded; /* whether it was recorded at least once */
  _Atomic int64_t at;  /* the time in nanoseconds, if the driver has no events */
};

static int check_event(const offloadrt_event *event) {
  return event ? OFFLOADRT_SUCCESS : offloadrt_fail(OFFLOADRT_INVALID, "the event is null");
}

/* Whether the driver need not be called: it has no events, or the event was never recorded. */
static int is_idle(const offloadrt_event *event) { return !event->device->driver->events || !event->recorded; }

int offloadrt_event_create(offloadrt_device *device, offloadrt_event **event) {
  int status = offloadrt_check_device(device);
  if (status)
    return status;
  if (!event)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the created event is null");
  *event = NULL;
  offloadrt_event *created = calloc(1, sizeof *created);
  if (!created)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while creating an event on `%s`", device->name);
  created->device = device;
  if (device->driver->events)
    status = device->driver->events->create(device->state, &created->state);
  if (status)
    free(created);
  else
    *event = created;
  return status;
}

int offloadrt_event_destroy(offloadrt_event *event) {
  if (!event)
    return OFFLOADRT_SUCCESS;
  const offloadrt_device *device = event->device;
  int status = device->driver->events ? device->driver->events->destroy(device->state, event->state) : OFFLOADRT_SUCCESS;
  free(event);
  return status;
}

int offloadrt_event_record(offloadrt_event *event, offloadrt_stream *stream) {
  int status = check_event(event);
  if (!status)
    status = offloadrt_check_stream(event->device, stream);
  if (status)
    return status;
  const offloadrt_device *device = event->device;
  if (device->driver->events)
    status = device->driver->events->record(device->state, event->state, offloadrt_stream_state(stream));
  else
    event->at = offloadrt_clock();
  if (!status && offloadrt_checker)
    offloadrt_checker->record(event, device, stream);
  if (!status)
    event->recorded = 1;
  return status;
}

int offloadrt_stream_wait(offloadrt_stream *stream, offloadrt_event *event) {
  int status = check_event(event);
  if (!status)
    status = offloadrt_check_stream(event->device, stream);
  if (!status && offloadrt_checker)
    offloadrt_checker->wait_for_event(event, event->device, stream);
  if (status || is_idle(event))
    return status;
  return event->device->driver->events->wait(event->device->state, event->state, offloadrt_stream_state(stream));
}

int offloadrt_event_synchronize(offloadrt_event *event) {
  int status = check_event(event);
  if (!status)
    status = offloadrt_check_caller(event->device);
  if (!status && offloadrt_checker)
    offloadrt_checker->synchronize_event(event);
  if (status || is_idle(event))
    return status;
  OFFLOADRT_TRACED(status, event->device->driver->events->synchronize(event->device->state, event->state),
                   .kind = OFFLOADRT_WORK_WAIT_FOR_EVENT, .device = event->device);
  return status;
}

int offloadrt_event_query(offloadrt_event *event, int *over) {
  int status = check_event(event);
  if (status)
    return status;
  if (!over)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for an event's state is null");
  *over = 1;
  /* On the CPU, every event is complete. */
  if (offloadrt_checker)
    offloadrt_checker->synchronize_event(event);
  return is_idle(event) ? OFFLOADRT_SUCCESS : event->device->driver->events->query(event->device->state, event->state, over);
}

int offloadrt_event_elapsed(offloadrt_event *from, offloadrt_event *to, int64_t *nanoseconds) {
  if (!from || !to || !nanoseconds)
    return offloadrt_fail(OFFLOADRT_INVALID, nanoseconds ? "an event is null" : "the place for the time is null");
  if (from->device != to->device)
    return offloadrt_fail(OFFLOADRT_INVALID, "there is no time between an event of `%s` and one of `%s`", from->device->name,
                          to->device->name);
  if (!from->recorded || !to->recorded)
    return offloadrt_fail(OFFLOADRT_INVALID, "an event of `%s` that was never recorded has no time", from->device->name);
  if (!from->device->driver->events) {
    *nanoseconds = to->at - from->at;
    return OFFLOADRT_SUCCESS;
  }
  int status = offloadrt_event_synchronize(from);
  if (!status)
    status = offloadrt_event_synchronize(to);
  if (status)
    return status;
  return from->device->driver->events->elapsed(from->device->state, from->state, to->state, nanoseconds);
}
