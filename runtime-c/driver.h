/* What stands between the public calls and a device: one table per driver, and the few calls of the
 * core that drivers need. Internal to the runtime; nothing here is seen by programs.
 *
 * A new driver is one file in drivers/ that defines one table, and one row in the list of drivers of
 * the library that holds it (drivers/list.c for liboffloadrt). */
#ifndef OFFLOADRT_DRIVER_H
#define OFFLOADRT_DRIVER_H

#include "offloadrt.h"

#pragma GCC visibility push(hidden)

/* Everything a launch needs, checked and packed by the core. All of it is valid during the call only. */
struct offloadrt_launch {
  const struct offload_kernel *kernel;
  const offloadrt_launch_config *config;
  /* kernel->argument_bytes bytes, aligned to kernel->argument_align: every parameter at its offset,
   * zeroes between them. */
  const unsigned char *arguments;
};

/* One driver. `device` and `stream` are the driver's own; a null stream is the device's default one.
 * A call that fails says why with offloadrt_fail() and returns its status; the core has checked its
 * arguments for null already. Sizes are in bytes and are never 0. */
struct offloadrt_driver {
  const char *name; /* devices are called `name:0`, `name:1` and so on */
  int single;       /* nonzero: there is never more than one, and it is called `name` */

  /* How many devices there are; 0 when the driver's library or hardware is absent. */
  unsigned (*device_count)(void);
  /* True when device `index` goes by `name` as well; null when no device has a second name. */
  int (*is_called)(unsigned index, const char *name);
  int (*open)(unsigned index, void **device);
  void (*close)(void *device);

  int (*allocate)(void *device, size_t bytes, void **address);
  int (*free)(void *device, void *address);
  int (*copy_to_device)(void *device, void *stream, void *to, const void *from, size_t bytes);
  int (*copy_to_host)(void *device, void *stream, void *to, const void *from, size_t bytes);

  int (*stream_create)(void *device, void **stream);
  int (*stream_destroy)(void *device, void *stream);

  int (*launch)(void *device, void *stream, const struct offloadrt_launch *launch);
  int (*synchronize)(void *device, void *stream);
};

/* The drivers of this library, ended by null; the first one's device 0 is the default device. */
extern const struct offloadrt_driver *const offloadrt_drivers[];

/* Sets the calling thread's error text and returns `status`. The text is cut at its buffer's end. */
int offloadrt_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True when an object is registered. */
int offloadrt_has_objects(void);

/* True when `kernel` is a handle in a registered object; reads nothing behind the pointer. */
int offloadrt_is_registered(const struct offload_kernel *kernel);

/* One image of an object. */
struct offloadrt_image {
  unsigned kind;      /* LLVM's ImageKind: 0 none (the code is in the object itself), 1 ELF, 5 PTX, ... */
  const char *triple; /* never null */
  const char *arch;   /* never null */
  const unsigned char *begin;
  const unsigned char *end;
};

/* Reads the image at `*position` (at first descriptor->images_begin) and moves on; 0 at the end. */
int offloadrt_next_image(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image);

/* Fails with OFFLOADRT_NO_IMAGE: the text says which images the kernel's object has. */
int offloadrt_no_image(const struct offload_kernel *kernel, const char *device);

/* Checks `arguments` against the kernel's parameter table, count and sizes. */
int offloadrt_check_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments, size_t count);

/* Writes checked arguments to `buffer`, which has kernel->argument_bytes bytes. */
void offloadrt_pack_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                              unsigned char *buffer);

#pragma GCC visibility pop
#endif
