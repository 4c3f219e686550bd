/* Devices of an OpenCL that takes SPIR-V and kernel arguments that are addresses. */
#ifndef OFFLOADRT_DRIVERS_OPENCL_H
#define OFFLOADRT_DRIVERS_OPENCL_H

#include <pthread.h>

#include "../driver.h"
#include "opencl_api.h"

#pragma GCC visibility push(hidden)

extern const struct offloadrt_driver offloadrt_opencl_driver;

/* A device that can run what offloadc makes; found once, never given back. */
struct opencl_device_entry {
  cl_platform_id platform;
  cl_device_id id;
  char vendor[64];
  char product[96];
  int has_usm;     /* else its memory is shared virtual memory */
  int lacks_lanes; /* Intel's for processors, whose vectoriser is off */
  struct opencl_usm_functions usm;
};

/* OpenCL's functions; valid once there is an entry. */
extern struct opencl_functions offloadrt_cl;

/* Loads the library at the first call, and gives every usable device of every platform. */
unsigned offloadrt_opencl_device_count(void);
const struct opencl_device_entry *offloadrt_opencl_device(unsigned index);
/* Why there is none. */
const char *offloadrt_opencl_absence(void);

/* `CL_OUT_OF_RESOURCES` for -5, and so on; never null. */
const char *offloadrt_opencl_error_name(cl_int error);

/* A stream. */
struct opencl_queue {
  struct opencl_queue *next;
  cl_command_queue handle;
};

/* An open device. */
struct opencl_device {
  const struct opencl_device_entry *entry;
  unsigned index;
  cl_context context;
  struct opencl_queue *queues;    /* all of them; guarded by `lock` */
  struct opencl_queue *own_queue; /* the default stream, the last in the list */
  pthread_mutex_t lock;
  /* With shared virtual memory a launch names every allocation that pointers in memory may lead to. */
  void **allocations;
  size_t allocation_count, allocation_capacity;
};

/* Fails with OpenCL's name for the error: "device `opencl:0` (AMD EPYC) could not WHAT: ...". */
int offloadrt_opencl_failed(const struct opencl_device *device, const char *what, cl_int error);

/* The queue of a stream; a null stream is the device's own queue. */
cl_command_queue offloadrt_opencl_queue(const struct opencl_device *device, void *stream);

/* Waits for every queue there is when the call begins. */
cl_int offloadrt_opencl_finish_all(struct opencl_device *device);

/* The rows of the driver's table for memory and for events. */
int offloadrt_opencl_allocate(void *device, size_t bytes, void **address);
int offloadrt_opencl_free(void *device, void *address);
int offloadrt_opencl_allocate_host(void *device, size_t bytes, void **address);
int offloadrt_opencl_free_host(void *device, void *address);
int offloadrt_opencl_allocate_unified(void *device, size_t bytes, void **address);
int offloadrt_opencl_copy(void *device, void *stream, void *to, const void *from, size_t bytes);
int offloadrt_opencl_submit_copy(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                                 size_t bytes);
int offloadrt_opencl_submit_fill(void *device, void *stream, void *to, unsigned char byte, size_t bytes);

extern const struct offloadrt_event_operations offloadrt_opencl_events;

/* The driver's images and launches. `device` is a struct opencl_device. */
extern const struct offloadrt_image_operations offloadrt_opencl_images;
int offloadrt_opencl_launch(void *device, void *stream, const struct offloadrt_launch *launch);

#pragma GCC visibility pop
#endif
