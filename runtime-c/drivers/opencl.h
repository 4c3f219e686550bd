/* Devices of OpenCL platforms that accept SPIR-V and addresses as kernel arguments. */
#ifndef OFFLOADRT_DRIVERS_OPENCL_H
#define OFFLOADRT_DRIVERS_OPENCL_H

#include <pthread.h>

#include "../driver.h"
#include "opencl_api.h"

#pragma GCC visibility push(hidden)

extern const struct offloadrt_driver offloadrt_opencl_driver;

/* A device that can run offloadc's images. It is found once and never released. */
struct opencl_device_entry {
  cl_platform_id platform;
  cl_device_id id;
  char vendor[64];
  char product[96];
  char driver[64]; /* its version */
  int has_usm;     /* nonzero: unified shared memory; 0: shared virtual memory */
  int lacks_lanes; /* nonzero: Intel's device for CPUs without its vectoriser */
  struct opencl_usm_functions usm;
};

/* The functions of OpenCL. They are valid after an entry was found. */
extern struct opencl_functions offloadrt_cl;

/* Returns the number of usable devices of all platforms. The first call loads the library. */
unsigned offloadrt_opencl_device_count(void);
const struct opencl_device_entry *offloadrt_opencl_device(unsigned index);
/* Returns the reason why there is no device. */
const char *offloadrt_opencl_absence(void);

/* Returns the name of an error, such as `CL_OUT_OF_RESOURCES` for -5; never null. */
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
  struct opencl_queue *queues;    /* all queues, protected by `lock` */
  struct opencl_queue *own_queue; /* the default stream, which is the last in the list */
  pthread_mutex_t lock;
  /* With shared virtual memory, a launch must name every allocation to which pointers in memory may point. */
  void **allocations;
  size_t allocation_count, allocation_capacity;
};

/* Fails with OpenCL's name of the error: "device `opencl:0` (AMD EPYC) could not WHAT: ...". */
int offloadrt_opencl_failed(const struct opencl_device *device, const char *what, cl_int error);

/* Returns the queue of a stream; a null stream is the default queue of the device. */
cl_command_queue offloadrt_opencl_queue(const struct opencl_device *device, void *stream);

/* Waits for all queues that exist when the call begins. */
cl_int offloadrt_opencl_finish_all(struct opencl_device *device);

/* The functions of the driver's tables for memory and for events. */
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
extern const struct offloadrt_mailbox_operations offloadrt_opencl_mailboxes;

/* Builds the program of an image on a device. */
int offloadrt_opencl_build(const struct opencl_device *device, const struct offloadrt_image *image, cl_program *program);

/* The driver's operations on images. `device` is a struct opencl_device. */
extern const struct offloadrt_image_operations offloadrt_opencl_images;
int offloadrt_opencl_launch(void *device, void *stream, const struct offloadrt_launch *launch);

#pragma GCC visibility pop
#endif
