/* The calls of the core to the checker of kernels (check/), if the program contains instrumented kernels. */
#ifndef OFFLOADRT_CHECKER_H
#define OFFLOADRT_CHECKER_H

#include "driver.h"

#pragma GCC visibility push(hidden)

/* Devices, streams and events are only compared. A null stream is the default stream of its device. */
struct offloadrt_checker {
  /* Device memory with a margin on both sides. free() returns 0 if the address is not from allocate(). */
  void *(*allocate)(size_t align, size_t bytes);
  int (*free)(void *address);
  /* A mapped range, which may contain values of the host; and its end. */
  void (*share)(const void *address, size_t bytes, int is_written);
  void (*unshare)(const void *address);
  /* Around a launch. The first result is passed to the blocks and to end(), which returns the status of the launch. */
  void *(*begin)(const void *device, const void *stream, const struct offloadrt_launch *launch);
  int (*end)(void *launch, const struct offloadrt_launch *described, int status);
  /* The host has written memory of a device. */
  void (*written)(const void *address, size_t bytes);
  /* A copy or a fill in a stream. An address is null if it is the host's, or if there is none. */
  void (*copy)(const void *device, const void *stream, const void *to, const void *from, size_t bytes);
  void (*add_stream)(const void *device, const void *stream);
  void (*remove_stream)(const void *device, const void *stream);
  /* The heap of a launch, from which kernels have not allocated yet. */
  void (*empty_heap)(const void *heap, size_t bytes);
  /* The host has waited for a stream, or for the device. */
  void (*wait)(const void *device, const void *stream, int all);
  void (*record)(const void *event, const void *device, const void *stream);
  void (*wait_for_event)(const void *event, const void *device, const void *stream);
  void (*synchronize_event)(const void *event);
};

/* Null if the program contains no instrumented kernel. */
extern const struct offloadrt_checker *offloadrt_checker;

#pragma GCC visibility pop
#endif
