/* The common part of the drivers of CUDA and HIP. The two interfaces have the same functions under different names and
 * with the same parameters, except for contexts, errors, and the loading of modules. */
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
  void *context; /* CUcontext; null for HIP, which manages its contexts itself */
  int is_adopted; /* the context belongs to the program */
  int has_managed; /* unified memory is managed memory; read once, so that it is freed as it was allocated */
};

/* The numbers of the device attributes. */
struct gpu_attributes {
  int threads_per_block, block[3], grid[3];
  int shared_bytes;      /* the size that a block may use without a request */
  int most_shared_bytes; /* the largest size; 0: there is no such attribute */
  int lanes, compute_units;
  int concurrent_managed_access; /* the host may use managed memory while a kernel runs */
};

/* One of the two interfaces. Every function returns 0 or the number of an error. A device address has 8 bytes. */
struct gpu_interface {
  const char *name;   /* the name of the driver */
  const char *people; /* the name in messages */
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
  int (*allocate_managed)(void **address, size_t bytes, unsigned flags); /* null if the library is older */
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
  /* The device is given by its number, and the attribute by its number in this interface. */
  int (*attribute)(int *value, int attribute, int device);
  int (*memory_bytes)(size_t *bytes, int device);
  unsigned coherent; /* the flag for host memory that a running kernel and the host see alike; 0: all of it is */
  struct gpu_attributes attributes;
  int (*function_attribute)(int *value, int attribute, gpu_function function);
  /* For the current device. Limit 0 is the stack of each thread. Null if the library is older. */
  int (*get_limit)(size_t *bytes, int limit);
  int (*set_limit)(int limit, size_t bytes);

  /* Makes the device current on the calling thread, and restores the previous device. */
  int (*enter)(const struct gpu_device *device, intptr_t *before);
  void (*leave)(const struct gpu_device *device, intptr_t before);
  /* Writes the library's description of an error. */
  void (*describe_error)(int error, char *text, size_t capacity);
};

/* The functions of the interface that are found in a vendor's library, in rows: the member of the struct, the names in
 * CUDA's and in HIP's library, and whether an older HIP lacks it. */
#define GPU_FUNCTIONS(ROW)                                               \
  ROW(init, cuInit, hipInit, 0)                                          \
  ROW(device_count, cuDeviceGetCount, hipGetDeviceCount, 0)              \
  ROW(attribute, cuDeviceGetAttribute, hipDeviceGetAttribute, 0)         \
  ROW(memory_bytes, cuDeviceTotalMem_v2, hipDeviceTotalMem, 0)           \
  ROW(function_attribute, cuFuncGetAttribute, hipFuncGetAttribute, 0)    \
  ROW(allocate, cuMemAlloc_v2, hipMalloc, 0)                             \
  ROW(free, cuMemFree_v2, hipFree, 0)                                    \
  ROW(copy_to_device, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync, 0)       \
  ROW(copy_to_host, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync, 0)         \
  ROW(copy_on_device, cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync, 0)       \
  ROW(fill, cuMemsetD8Async, hipMemsetD8Async, 0)                        \
  ROW(allocate_host, cuMemHostAlloc, hipHostMalloc, 0)                   \
  ROW(free_host, cuMemFreeHost, hipHostFree, 0)                          \
  ROW(allocate_managed, cuMemAllocManaged, hipMallocManaged, 1)          \
  ROW(event_create, cuEventCreate, hipEventCreateWithFlags, 0)           \
  ROW(event_destroy, cuEventDestroy_v2, hipEventDestroy, 0)              \
  ROW(event_record, cuEventRecord, hipEventRecord, 0)                    \
  ROW(event_synchronize, cuEventSynchronize, hipEventSynchronize, 0)     \
  ROW(event_query, cuEventQuery, hipEventQuery, 0)                       \
  ROW(event_elapsed, cuEventElapsedTime, hipEventElapsedTime, 0)         \
  ROW(stream_wait, cuStreamWaitEvent, hipStreamWaitEvent, 0)             \
  ROW(stream_create, cuStreamCreate, hipStreamCreateWithFlags, 0)        \
  ROW(stream_destroy, cuStreamDestroy_v2, hipStreamDestroy, 0)           \
  ROW(stream_synchronize, cuStreamSynchronize, hipStreamSynchronize, 0)  \
  ROW(synchronize, cuCtxSynchronize, hipDeviceSynchronize, 0)            \
  ROW(load, cuModuleLoadDataEx, hipModuleLoadDataEx, 0)                  \
  ROW(unload, cuModuleUnload, hipModuleUnload, 0)                        \
  ROW(find, cuModuleGetFunction, hipModuleGetFunction, 0)                \
  ROW(launch, cuLaunchKernel, hipModuleLaunchKernel, 0)                  \
  ROW(get_limit, cuCtxGetLimit, hipDeviceGetLimit, 1)                    \
  ROW(set_limit, cuCtxSetLimit, hipDeviceSetLimit, 1)

/* Returns the number of devices after the library was loaded. If there are none, `absence` receives the reason. */
unsigned offloadrt_gpu_count_devices(const struct gpu_interface *interface, char *absence, size_t capacity);

/* Fails with the library's description of the error: "device `cuda:0` could not WHAT: ...". */
int offloadrt_gpu_failed(const struct gpu_device *device, const char *what, int error);

/* Raises the size of each thread's stack to the size that an image requests. The size remains for other images. */
int offloadrt_gpu_reserve_stack(const struct gpu_device *device, const struct offloadrt_image *image);

/* Runs `call` while the device is current, and sets `error` to its result. */
#define ON(device, error, call)                             \
  do {                                                      \
    intptr_t before_;                                       \
    error = (device)->interface->enter((device), &before_); \
    if (!error) {                                           \
      error = (call);                                       \
      (device)->interface->leave((device), before_);        \
    }                                                       \
  } while (0)

/* Returns an attribute of the device by its number in the interface; 0 if it is not known. */
uint32_t offloadrt_gpu_attribute(const struct gpu_device *device, int which);

/* Whether unified memory can be managed memory. */
int offloadrt_gpu_has_managed(const struct gpu_device *device);

extern const struct offloadrt_handle_operations offloadrt_gpu_handles;

/* The functions of a driver's table that both drivers use. `device` is a struct gpu_device. */
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
extern const struct offloadrt_mailbox_operations offloadrt_gpu_mailboxes;
extern const struct offloadrt_event_operations offloadrt_gpu_events;
int offloadrt_gpu_stream_create(void *device, void **stream);
int offloadrt_gpu_stream_destroy(void *device, void *stream);
int offloadrt_gpu_synchronize(void *device, void *stream);
void offloadrt_gpu_unload(void *device, void *module);
int offloadrt_gpu_find(void *device, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function);
void offloadrt_gpu_release(void *device, void *function);
int offloadrt_gpu_launch(void *device, void *stream, const struct offloadrt_launch *launch);

/* The initialisers of these functions in a table. */
#define GPU_ROWS                                                                                                     \
  .limits = offloadrt_gpu_limits, .allocate = offloadrt_gpu_allocate, .free = offloadrt_gpu_free,                    \
  .copy_to_device = offloadrt_gpu_copy_to_device, .copy_to_host = offloadrt_gpu_copy_to_host,                        \
  .submit_copy = offloadrt_gpu_submit_copy, .submit_fill = offloadrt_gpu_submit_fill,                                \
  .allocate_host = offloadrt_gpu_allocate_host, .free_host = offloadrt_gpu_free_host,                                \
  .allocate_unified = offloadrt_gpu_allocate_unified, .free_unified = offloadrt_gpu_free_unified,                    \
  .events = &offloadrt_gpu_events, .handles = &offloadrt_gpu_handles,                                       \
  .mailboxes = &offloadrt_gpu_mailboxes, .stream_create = offloadrt_gpu_stream_create,                               \
  .stream_destroy = offloadrt_gpu_stream_destroy, .launch = offloadrt_gpu_launch, .synchronize = offloadrt_gpu_synchronize

#pragma GCC visibility pop
#endif
