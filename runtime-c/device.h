/* An open device, as the core knows it. */
#ifndef OFFLOADRT_DEVICE_H
#define OFFLOADRT_DEVICE_H

#include <pthread.h>

#include "driver.h"

enum { OFFLOADRT_NAME_CAPACITY = 48 };

struct offloadrt_module;

struct offloadrt_device {
  const struct offloadrt_driver *driver;
  void *state; /* the driver's own */
  char name[OFFLOADRT_NAME_CAPACITY];
  struct offloadrt_description description; /* empty where the driver has none */
  pthread_mutex_t modules_lock;
  struct offloadrt_module *modules; /* the images that are loaded */
};

#pragma GCC visibility push(hidden)

/* What the driver's find() gives for `kernel`; its object's image is loaded first, where it is not. Null
 * where the driver loads no images. */
int offloadrt_find_function(struct offloadrt_device *device, const struct offload_kernel *kernel, void **function);

/* Unloads every image; no launch may be on its way. */
void offloadrt_unload_modules(struct offloadrt_device *device);

#pragma GCC visibility pop
#endif
