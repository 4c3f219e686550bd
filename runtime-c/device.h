/* An open device, as the core knows it. */
#ifndef OFFLOADRT_DEVICE_H
#define OFFLOADRT_DEVICE_H

#include <pthread.h>

#include "driver.h"

enum { OFFLOADRT_NAME_CAPACITY = 48 };

struct offloadrt_mapping;
struct offloadrt_module;

/* Host memory that is on a device, the oldest first. */
struct offloadrt_mappings {
  pthread_mutex_t lock;
  struct offloadrt_mapping *first;
};

struct offloadrt_device {
  const struct offloadrt_driver *driver;
  void *state; /* the driver's own */
  char name[OFFLOADRT_NAME_CAPACITY];
  struct offloadrt_description description; /* empty where the driver has none */
  offloadrt_limits limits;
  pthread_mutex_t modules_lock;
  struct offloadrt_module *modules; /* the images that are loaded */
  pthread_mutex_t states_lock;
  struct offloadrt_states *states; /* of launches that are not waited for yet; null where the driver waits */
  uint64_t launch_count;           /* of those that took a state */
  struct offloadrt_mappings mappings;
};

struct offloadrt_stream {
  struct offloadrt_device *device;
  void *state; /* the driver's own */
};

#pragma GCC visibility push(hidden)

/* What every call takes: a device, and a stream that is null or the device's. */
int offloadrt_check_device(const struct offloadrt_device *device);
int offloadrt_check_stream(const struct offloadrt_device *device, const struct offloadrt_stream *stream);

static inline void *offloadrt_stream_state(const struct offloadrt_stream *stream) { return stream ? stream->state : NULL; }

/* Waits for a stream (null: the device), and reports a panic that becomes known. */
int offloadrt_wait_for(struct offloadrt_device *device, void *stream);

/* Everything about a launch that can be checked before anything is done for it. */
int offloadrt_check_launch(const struct offloadrt_device *device, const struct offloadrt_stream *stream,
                           const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                           const offloadrt_argument *arguments, size_t argument_count);

/* What the driver's find() gives for `kernel`; its object's image is loaded first, where it is not. All 0
 * where the driver loads no images. */
int offloadrt_find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                            struct offloadrt_function *function);

/* Asks the driver what the device allows. */
void offloadrt_ask_limits(struct offloadrt_device *device);

/* Checks a launch's configuration by itself and against the device's limits; then, once it is found, against
 * those of the kernel's function. */
int offloadrt_check_config(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                           const offloadrt_launch_config *config);
int offloadrt_check_function(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                             const offloadrt_launch_config *config, const struct offloadrt_function *function);

/* Unloads every image; no launch may be on its way. */
void offloadrt_unload_modules(struct offloadrt_device *device);

/* Launches through the driver, with a state where the kernel takes one. Where the driver waits, a panic is
 * this call's error. */
int offloadrt_launch_with_state(struct offloadrt_device *device, void *stream, struct offloadrt_launch *launch);

/* The panic of a launch of `stream`, or of any stream, since the last call, if there was one. It has been
 * waited for. */
int offloadrt_check_states(struct offloadrt_device *device, void *stream, int any);

/* Frees the states of a stream (null: all); they have been waited for. */
void offloadrt_free_states(struct offloadrt_device *device, void *stream);

/* Where memory of the host that is mapped is on the device; 0 when it is not. Null is null everywhere. */
int offloadrt_find_mapped(struct offloadrt_device *device, const void *host, void **address);

/* Drops the mappings that nobody has ended; nothing is copied, and the device has been waited for. */
void offloadrt_forget_mappings(struct offloadrt_device *device);

#pragma GCC visibility pop
#endif
