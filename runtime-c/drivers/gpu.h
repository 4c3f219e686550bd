/* What the drivers of CUDA and HIP share: the two interfaces have the same functions under different
 * names, with the same parameters, but for contexts, errors and how code becomes a module. */
#ifndef OFFLOADRT_DRIVERS_GPU_H
#define OFFLOADRT_DRIVERS_GPU_H

#include "../driver.h"

#pragma GCC visibility push(hidden)

typedef struct gpu_stream *gpu_stream;     /* CUstream, hipStream_t */
typedef struct gpu_module *gpu_module;     /* CUmodule, hipModule_t */
typedef struct gpu_function *gpu_function; /* CUfunction, hipFunction_t */

typedef struct gpu_event *gpu_event;       /* CUevent, hipEvent_t */

/* An open device. */
struct gpu_device {
  const struct gpu_interface *interface;
  unsigned index;
  int number;    /* CUdevice, or HIP's number */
  void *context; /* CUcontext; null for HIP, whose contexts are its own affair */
  int has_managed; /* unified memory is managed memory; asked once, for it is freed as it was allocated */
};

/* Numbers of a device's attributes. */
struct gpu_attributes {
  int threads_per_block, block[3], grid[3];
  int shared_bytes;      /* what a block may use without being asked */
  int most_shared_bytes; /* what it may use at all; 0: there is no such attribute */
  int lanes, compute_units;
  int concurrent_managed_access; /* the host may use managed memory while a kernel runs */
};

/* One of the two interfaces. Every function gives 0 or an error's number. A device address is 8 bytes. */
struct gpu_interface {
  const char *name;   /* the driver's */
  const char *people; /* what people call it */
  int (*init)(unsigned flags);
  int (*device_count)(int *count);
  int (*allocate)(void **address, size_t bytes);
  int (*free)(void *address);
  int (*copy_to_device)(void *to, const void *from, size_t bytes, gpu_stream stream);
  int (*copy_to_host)(void *to, const void *from, size_t bytes, gpu_stream stream);
  int (*copy_on_device)(void *to, const void *from, size_t bytes, gpu_stream stream);
  int (*fill)(void *to, unsigned char byte, size_t bytes, gpu_stream stream);
  int (*allocate_host)(void **address, size_t bytes, unsigned flags);
  int (*free_host)(void *address);
  int (*allocate_managed)(void **address, size_t bytes, unsigned flags); /* null where the library is older */
  int (*event_create)(gpu_event *event, unsigned flags);
  int (*event_destroy)(gpu_event event);
  int (*event_record)(gpu_event event, gpu_stream stream);
  int (*event_synchronize)(gpu_event event);
  int (*event_query)(gpu_event event);
  int (*event_elapsed)(float *milliseconds, gpu_event from, gpu_event to);
  int (*stream_wait)(gpu_stream stream, gpu_event event, unsigned flags);
  int (*stream_create)(gpu_stream *stream, unsigned flags);
  int (*stream_destroy)(gpu_stream stream);
  int (*stream_synchronize)(gpu_stream stream);
  int (*synchronize)(void);
  int (*load)(gpu_module *module, const void *image, unsigned option_count, int *options, void **values);
  int (*unload)(gpu_module module);
  int (*find)(gpu_function *function, gpu_module module, const char *name);
  int (*launch)(gpu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, gpu_stream stream, void **arguments,
                void **extra);
  /* A device by its number; the attributes are those of the interface. */
  int (*attribute)(int *value, int attribute, int device);
  int (*memory_bytes)(size_t *bytes, int device);
  struct gpu_attributes attributes;
  int (*function_attribute)(int *value, int attribute, gpu_function function);
  /* Of the current device; limit 0 is each thread's stack. Null where the library is older. */
  int (*get_limit)(size_t *bytes, int limit);
  int (*set_limit)(int limit, size_t bytes);

  /* Makes the device the calling thread's current one, and the one that was before current again. */
  int (*enter)(const struct gpu_device *device, intptr_t *before);
  void (*leave)(const struct gpu_device *device, intptr_t before);
  /* The library's own words for an error. */
  void (*describe_error)(int error, char *text, size_t capacity);
};

/* The number of devices, once the library's functions are known. If there are none, `absence` says why. */
unsigned offloadrt_gpu_count_devices(const struct gpu_interface *interface, char *absence, size_t capacity);

/* Fails with the library's own words: "device `cuda:0` could not WHAT: ...". */
int offloadrt_gpu_failed(const struct gpu_device *device, const char *what, int error);

/* Gives threads at least the stack that an image asks for; it stays so for other images. */
int offloadrt_gpu_reserve_stack(const struct gpu_device *device, const struct offloadrt_image *image);

/* Runs `call` with the device current; `error` becomes what it gave. */
#define ON(device, error, call)                             \
  do {                                                      \
    intptr_t before_;                                       \
    error = (device)->interface->enter((device), &before_); \
    if (!error) {                                           \
      error = (call);                                       \
      (device)->interface->leave((device), before_);        \
    }                                                       \
  } while (0)

/* An attribute of the device, by the interface's number for it; 0 when it is not known. */
uint32_t offloadrt_gpu_attribute(const struct gpu_device *device, int which);

/* Whether unified memory can be managed memory. */
int offloadrt_gpu_has_managed(const struct gpu_device *device);

/* The rows of a driver's table that are the same for both. `device` is a struct gpu_device. */
void offloadrt_gpu_limits(void *device, offloadrt_limits *limits);
int offloadrt_gpu_allocate(void *device, size_t bytes, void **address);
int offloadrt_gpu_free(void *device, void *address);
int offloadrt_gpu_copy_to_device(void *device, void *stream, void *to, const void *from, size_t bytes);
int offloadrt_gpu_copy_to_host(void *device, void *stream, void *to, const void *from, size_t bytes);
int offloadrt_gpu_submit_copy(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                              size_t bytes);
int offloadrt_gpu_submit_fill(void *device, void *stream, void *to, unsigned char byte, size_t bytes);
int offloadrt_gpu_allocate_host(void *device, size_t bytes, void **address);
int offloadrt_gpu_free_host(void *device, void *address);
int offloadrt_gpu_allocate_unified(void *device, size_t bytes, void **address);
int offloadrt_gpu_free_unified(void *device, void *address);
extern const struct offloadrt_event_operations offloadrt_gpu_events;
int offloadrt_gpu_stream_create(void *device, void **stream);
int offloadrt_gpu_stream_destroy(void *device, void *stream);
int offloadrt_gpu_synchronize(void *device, void *stream);
void offloadrt_gpu_unload(void *device, void *module);
int offloadrt_gpu_find(void *device, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function);
void offloadrt_gpu_release(void *device, void *function);
int offloadrt_gpu_launch(void *device, void *stream, const struct offloadrt_launch *launch);

/* Those rows in a table. */
#define GPU_ROWS                                                                                                     \
  .limits = offloadrt_gpu_limits, .allocate = offloadrt_gpu_allocate, .free = offloadrt_gpu_free,                    \
  .copy_to_device = offloadrt_gpu_copy_to_device, .copy_to_host = offloadrt_gpu_copy_to_host,                        \
  .submit_copy = offloadrt_gpu_submit_copy, .submit_fill = offloadrt_gpu_submit_fill,                                \
  .allocate_host = offloadrt_gpu_allocate_host, .free_host = offloadrt_gpu_free_host,                                \
  .allocate_unified = offloadrt_gpu_allocate_unified, .free_unified = offloadrt_gpu_free_unified,                    \
  .events = &offloadrt_gpu_events, .stream_create = offloadrt_gpu_stream_create,                                     \
  .stream_destroy = offloadrt_gpu_stream_destroy, .launch = offloadrt_gpu_launch, .synchronize = offloadrt_gpu_synchronize

#pragma GCC visibility pop
#endif
