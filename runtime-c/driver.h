/* What stands between the public calls and a device: one table per driver, and the few calls of the
 * core that drivers need. Internal to the runtime; nothing here is seen by programs.
 *
 * A new driver is one file in drivers/ that defines one table, and one row in the list of drivers of
 * the library that holds it (drivers/list.c for liboffloadrt). */
#ifndef OFFLOADRT_DRIVER_H
#define OFFLOADRT_DRIVER_H

#include <limits.h>

#include "offloadrt.h"

#pragma GCC visibility push(hidden)

struct offloadrt_image;

/* Everything a launch needs, checked and packed by the core. All of it is valid during the call only. */
struct offloadrt_launch {
  const struct offload_kernel *kernel;
  const offloadrt_launch_config *config;
  /* kernel->argument_bytes bytes, aligned to kernel->argument_align: every parameter at its offset,
   * zeroes between them. */
  const unsigned char *arguments;
  void *function; /* what find() gave; null where the driver loads no images */
  /* The launch's state: an address for the kernel, or the host's where the driver `waits`; null when the
   * kernel takes none. */
  struct offload_launch_state *state;
  uint64_t heap_bytes; /* of the configuration, where the kernel needs a heap; else 0 */
};

/* What there is to know of a device before it is opened. */
struct offloadrt_description {
  char arch[64];     /* as offloadc names it: "cpu", "sm_90", "gfx90a:sramecc+:xnack-", "spirv64" */
  char product[192]; /* what its maker calls it */
};

/* A kernel of a loaded image. */
struct offloadrt_function {
  void *state;                /* what launch() needs; null: not found yet */
  uint32_t threads_per_block; /* at most; 0: what the device allows */
  uint32_t shared_bytes;      /* static, of a block */
};

enum offloadrt_presence { OFFLOADRT_ABSENT, OFFLOADRT_IN_PART, OFFLOADRT_PRESENT };

enum offloadrt_direction { OFFLOADRT_TO_DEVICE, OFFLOADRT_TO_HOST, OFFLOADRT_ON_DEVICE };

/* What a driver can do. `device` and `stream` are the driver's own; a null stream is the device's default one.
 * A call that fails says why with offloadrt_fail() and returns its status; the core has checked its
 * arguments for null already. Sizes are in bytes and are never 0. Every call may come from several
 * threads at once, but those of one module: load(), find() and unload() are called by one at a time.
 * Operations that some drivers lack are in tables of their own. No pointer in such a table is null. */

/* Devices of several archs. Each arch takes other images. */
struct offloadrt_arch_operations {
  void (*describe)(unsigned index, struct offloadrt_description *description);
  /* How well `image` suits a device of `arch`: above 0 it runs, the more the better; 0 and below it does
   * not, the less the farther off, and `miss` says why in a clause about the image; OFFLOADRT_FOREIGN: it
   * is for other hardware altogether, and nothing is said. Asks no device. */
  int (*fit)(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity);
};

/* Images, loaded when a kernel of theirs is first launched. find() gives what launch() needs of one
 * kernel, once; release() gives it back, before its module is unloaded. */
struct offloadrt_image_operations {
  int (*load)(void *device, const struct offloadrt_image *image, void **module);
  void (*unload)(void *device, void *module);
  int (*find)(void *device, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function);
  void (*release)(void *device, void *function);
};

/* Mapped host memory, in a table that the driver keeps. Ranges that overlap lie one inside the other. Flags are of enum
 * offloadrt_map_flag. */
struct offloadrt_mapping_operations {
  int (*map)(void *device, void *host, size_t bytes, unsigned flags, void **address);
  int (*unmap)(void *device, void *host, size_t bytes, unsigned flags);
  int (*update)(void *device, void *host, size_t bytes, unsigned direction);
  /* Whether the table has the range, whoever mapped it; the whole of it is at `address`. */
  enum offloadrt_presence (*look_up)(void *device, void *host, size_t bytes, void **address);
};

/* Events. All but create() and record() are called for events that were recorded. */
struct offloadrt_event_operations {
  int (*create)(void *device, void **event);
  int (*destroy)(void *device, void *event);
  int (*record)(void *device, void *event, void *stream);
  int (*wait)(void *device, void *event, void *stream);
  int (*synchronize)(void *device, void *event);
  int (*query)(void *device, void *event, int *over);
  int (*elapsed)(void *device, void *from, void *to, int64_t *nanoseconds);
};

/* One driver. */
struct offloadrt_driver {
  const char *name; /* devices are called `name:0`, `name:1` and so on */
  int single;       /* nonzero: there is never more than one, and it is called `name` */
  int waits;        /* nonzero: launch() returns when the kernel has run, and takes its state in host memory */
  int shares_memory; /* nonzero: kernels work in the host's own memory, so nothing is mapped */

  const struct offloadrt_arch_operations *archs; /* null: the core picks no images for this driver's devices */
  const struct offloadrt_image_operations *images; /* null: the code is in the program itself, or another library loads it */
  const struct offloadrt_mapping_operations *mapping; /* null: the core keeps the table */
  const struct offloadrt_event_operations *events; /* null: the driver waits, and the core reads the clock */

  /* How many devices there are; 0 when the driver's library or hardware is absent. */
  unsigned (*device_count)(void);
  /* Why there are none, as a clause; null when it has nothing to say. May be null. */
  const char *(*absence)(void);
  /* True when device `index` goes by `name` as well; null when no device has a second name. */
  int (*is_called)(unsigned index, const char *name);
  int (*open)(unsigned index, void **device);
  void (*close)(void *device);
  /* Fills in what is known, asked once; a limit that stays 0 is not checked here, but by the device. */
  void (*limits)(void *device, offloadrt_limits *limits);

  int (*allocate)(void *device, size_t bytes, void **address);
  int (*free)(void *device, void *address);
  int (*copy_to_device)(void *device, void *stream, void *to, const void *from, size_t bytes);
  int (*copy_to_host)(void *device, void *stream, void *to, const void *from, size_t bytes);
  /* These two are submitted, and need not be over when the call returns. */
  int (*submit_copy)(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from, size_t bytes);
  int (*submit_fill)(void *device, void *stream, void *to, unsigned char byte, size_t bytes);

  /* Pinned memory of the host, or plain; and memory that the host and kernels both reach. */
  int (*allocate_host)(void *device, size_t bytes, void **address);
  int (*free_host)(void *device, void *address);
  int (*allocate_unified)(void *device, size_t bytes, void **address);
  int (*free_unified)(void *device, void *address);

  int (*stream_create)(void *device, void **stream);
  int (*stream_destroy)(void *device, void *stream);
  int (*launch)(void *device, void *stream, const struct offloadrt_launch *launch);
  int (*synchronize)(void *device, void *stream);
};

enum { OFFLOADRT_FOREIGN = INT_MIN };

/* The drivers of this library, ended by null; the first one's device 0 is the default device. */
extern const struct offloadrt_driver *const offloadrt_drivers[];

/* Sets the calling thread's error text and returns `status`. The text is cut at its buffer's end. */
int offloadrt_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Host memory as it comes, aligned to 256, which free() gives back; for rows of drivers. */
int offloadrt_allocate_plain(void *device, size_t bytes, void **address);
int offloadrt_free_plain(void *device, void *address);

/* For open() of a driver whose kernels run on the host's processor: whether OFFLOADRT_CPU_THREADS is a number above 0, where
 * it is set. The scheduler itself has no way to say that it is not. */
int offloadrt_check_threads_variable(void);

/* With OFFLOADRT_LOG=1 in the environment, writes a line to standard error. */
void offloadrt_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
int offloadrt_is_logging(void);

/* True when an object is registered. */
int offloadrt_has_objects(void);

/* Whether any image of any object that is registered now uses lanes. */
int offloadrt_any_image_uses_lanes(void);

/* True while the object whose registration got this number is registered. */
int offloadrt_is_live(uint64_t serial);

/* Sets how many lanes warps have on the host's processor, by what the registered objects' images for it say. */
void offloadrt_host_lanes(offloadrt_limits *limits);

/* True when `kernel` is a handle in a registered object of this runtime's version; reads nothing behind the pointer. */
int offloadrt_is_registered(const struct offload_kernel *kernel);

/* The version of the registered object that contains the handle `kernel`, if that version differs from this runtime's; else 0.
 * For null, the version of the first object with another version. Reads nothing behind the pointer. */
uint32_t offloadrt_other_version(const struct offload_kernel *kernel);

/* LLVM's ImageKind, as far as the runtime knows it. */
enum offloadrt_image_kind {
  OFFLOADRT_IMAGE_NONE = 0, /* the code is in the object itself */
  OFFLOADRT_IMAGE_ELF = 1,
  OFFLOADRT_IMAGE_CUBIN = 3,
  OFFLOADRT_IMAGE_PTX = 5,
  OFFLOADRT_IMAGE_SPIRV = 6
};

/* One image of an object. */
struct offloadrt_image {
  unsigned kind;      /* enum offloadrt_image_kind, or another number */
  const char *triple; /* never null */
  const char *arch;   /* never null */
  const char *options; /* for the driver's compiler; never null */
  size_t stack_bytes;  /* of each thread, where kernels' own need is not known; else 0 */
  int uses_lanes;      /* SPIR-V with kernels that use the lanes of a warp */
  uint32_t lanes;      /* of a warp, where the image says it; else 0 */
  const unsigned char *begin;
  const unsigned char *end;
};

/* Reads the image at `*position` (at first descriptor->images_begin) and moves on; 0 at the end. */
int offloadrt_next_image(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image);

/* The image among those in `begin` to `end` that suits a device of `arch` best, the first of equals; 0 when
 * none does. */
int offloadrt_pick_image(const struct offloadrt_driver *driver, const char *arch, const unsigned char *begin,
                         const unsigned char *end, struct offloadrt_image *best);

/* Fails with OFFLOADRT_NO_IMAGE. The text says what images the kernel's object has, which comes closest,
 * and what would add the missing one. `driver` and `arch` are null where the core picks no images. */
int offloadrt_no_image(const struct offloadrt_driver *driver, const char *arch, const struct offload_kernel *kernel,
                       const char *device);

/* What people call a kernel, where its object has that beside what its panics say; else its symbol. */
const char *offloadrt_kernel_name(const struct offload_kernel *kernel);

/* Fails with what a kernel's panic says. */
int offloadrt_panicked(const struct offload_kernel *kernel, const struct offload_panic *panic);

/* Checks `arguments` against the kernel's parameter table, count and sizes. */
int offloadrt_check_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments, size_t count);

/* Writes to `ordered` for each parameter the checked argument that is for it: those without bytes may be left out. */
void offloadrt_order_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                               offloadrt_argument *ordered);

/* Writes checked arguments to `buffer`, which has kernel->argument_bytes bytes. */
void offloadrt_pack_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                              unsigned char *buffer);

#pragma GCC visibility pop
#endif
