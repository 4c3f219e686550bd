/* Reports of this library's calls and of the devices' work to the trace and to profilers (work.c). */
#ifndef OFFLOADRT_WORK_H
#define OFFLOADRT_WORK_H

#include "../device.h"
#include "trace.h"

#pragma GCC visibility push(hidden)

enum offloadrt_work_kind {
  OFFLOADRT_WORK_OPEN,
  OFFLOADRT_WORK_LAUNCH, /* the call of the host */
  OFFLOADRT_WORK_KERNEL, /* the run of the kernel */
  OFFLOADRT_WORK_COPY,
  OFFLOADRT_WORK_WAIT,
  OFFLOADRT_WORK_WAIT_FOR_EVENT,
  OFFLOADRT_WORK_ALLOCATE,
  OFFLOADRT_WORK_FREE,
  OFFLOADRT_WORK_LOAD,
  OFFLOADRT_WORK_COMPILE,
  OFFLOADRT_WORK_HOST_CALL,
};

/* The directions of copies are those of enum offloadrt_direction, and this one. */
enum { OFFLOADRT_FILL = 3 };

/* The number of a wait for all streams. */
enum { OFFLOADRT_ALL_STREAMS = -1 };

/* The fields that the kind has in trace.h; the others are 0. */
struct offloadrt_work {
  enum offloadrt_work_kind kind;
  const struct offloadrt_device *device;
  const struct offloadrt_stream *stream;
  int is_wait_for_all;
  const struct offload_kernel *kernel;
  const offloadrt_launch_config *config;
  int direction;
  uint64_t bytes;
  const char *memory;
  void *const *address; /* where the address is when the work is done */
  const char *arch;
  uint64_t number;
  int is_over; /* the call waits for the work */
  /* Of work.c. */
  int64_t begin;
  void *first; /* the event of the driver before the work; null: the clock of the host serves */
  int has_range;
};

/* Does `call`, whose result is `status`, and reports it as the work that the further arguments describe. */
#define OFFLOADRT_TRACED(status, call, ...)       \
  do {                                            \
    if (!offloadrt_observed_by(~0)) {             \
      status = (call);                            \
      break;                                      \
    }                                             \
    struct offloadrt_work work_ = {__VA_ARGS__};  \
    offloadrt_begin_work(&work_);                 \
    status = (call);                              \
    offloadrt_end_work(&work_, status);           \
  } while (0)

__attribute__((cold)) void offloadrt_begin_work(struct offloadrt_work *work);
__attribute__((cold)) void offloadrt_end_work(struct offloadrt_work *work, int status);

/* Traces the error of a panic. */
void offloadrt_trace_panic(const struct offload_kernel *kernel, const char *message);

/* Prepares a device that is opened; and writes its remaining work, and frees the trace's state of it. No work remains
 * if the caller has waited. */
void offloadrt_begin_timeline(struct offloadrt_device *device);
void offloadrt_end_timeline(struct offloadrt_device *device);

/* Writes the work of a stream (null: of all streams), for which the caller has waited. */
void offloadrt_trace_done(const struct offloadrt_device *device, const struct offloadrt_stream *stream);

#pragma GCC visibility pop
#endif
