/* The interface between the public functions and a driver: a table for each driver, and the functions of the core that
 * drivers call. It is internal to the runtime.
 *
 * A new driver is a file in drivers/ that defines a table, and a row in the list of drivers of its library
 * (drivers/list.c for liboffloadrt). */
#ifndef OFFLOADRT_DRIVER_H
#define OFFLOADRT_DRIVER_H

#include <limits.h>
#include <string.h>

#include "error.h"
#include "own.h"
#include "trace/trace.h"

#pragma GCC visibility push(hidden)

struct offloadrt_image;

/* The data of a launch, which the core has checked and packed. It is valid only during the call. */
struct offloadrt_launch {
  const struct offload_kernel *kernel;
  const offloadrt_launch_config *config;
  const struct offloadrt_stream *stream; /* for the trace; null: the default stream */
  /* kernel->argument_bytes bytes, aligned to kernel->argument_align. Each parameter is at its offset, and the bytes
   * between parameters are 0. */
  const unsigned char *arguments;
  void *function; /* the result of find(); null if the driver loads no images */
  /* The state of the launch: a device address, or a host address if the driver `waits`. It is null if the kernel takes
   * no state. */
  struct offload_launch_state *state;
  uint64_t heap_bytes; /* the size in the configuration if the kernel needs a heap; otherwise 0 */
  void *check;         /* the launch of the checker, or null */
  const char *linked_panics; /* of the image, if it has linked functions; otherwise null */
};

/* The description of a device, which is known before it is opened. */
struct offloadrt_description {
  char arch[64];     /* as offloadc names it: "cpu", "sm_90", "gfx90a:sramecc+:xnack-", "spirv64" */
  char product[192]; /* the product name */
  char exact[64];    /* the arch that a generic image is finished for; empty: the same as `arch` */
  char driver[64];   /* the version of the driver; empty if it has none */
};

/* A kernel of a loaded image. */
struct offloadrt_function {
  void *state;                /* the data for launch(); null: not found yet */
  uint32_t threads_per_block; /* the largest number; 0: the limit of the device */
  uint32_t shared_bytes;      /* the static shared memory of a block */
};

enum offloadrt_presence { OFFLOADRT_ABSENT, OFFLOADRT_IN_PART, OFFLOADRT_PRESENT };

enum offloadrt_direction { OFFLOADRT_TO_DEVICE, OFFLOADRT_TO_HOST, OFFLOADRT_ON_DEVICE };

/* The operations of a driver. `device` and `stream` are the driver's own pointers; a null stream is the default stream
 * of the device. A function that fails sets the error text with offloadrt_fail() and returns its status. The core has
 * already checked that the arguments are not null. Sizes are in bytes and are never 0. Several threads may call the
 * functions at the same time, except load(), find() and unload() of one module, which are called by one thread at a
 * time. Operations that some drivers lack are in separate tables. No pointer in such a table is null. */

/* Operations of drivers with devices of several archs, which need different images. */
struct offloadrt_arch_operations {
  void (*describe)(unsigned index, struct offloadrt_description *description);
  /* Rates how well `image` fits a device of `arch`. If the result is above 0, the device can run the image, and a
   * larger number is better. If it is 0 or below, the device cannot run it, a larger number is closer, and `miss`
   * contains the reason as a clause about the image. OFFLOADRT_FOREIGN means that the image is for other hardware and
   * is not mentioned. The function does not access a device. */
  int (*fit)(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity);
};

/* Operations on images. An image is loaded at the first launch of one of its kernels. find() is called once for each
 * kernel and returns the data for its launches; release() frees the data before the module is unloaded. */
struct offloadrt_image_operations {
  /* Whether the object of the kernel contains code that the device runs, so that no image is needed. The pointer is null
   * if no object does. */
  int (*is_linked)(const struct offload_kernel *kernel);
  /* OFFLOADRT_NO_IMAGE: the device takes no image of this kind. Another image of the object may be right. */
  int (*load)(void *device, const struct offloadrt_image *image, void **module);
  void (*unload)(void *device, void *module);
  int (*find)(void *device, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function);
  void (*release)(void *device, void *function);
};

/* Mapped host memory, if the driver keeps the table. If two ranges overlap, one lies inside the other. Flags are of
 * enum offloadrt_map_flag. */
struct offloadrt_mapping_operations {
  int (*map)(void *device, void *host, size_t bytes, unsigned flags, void **address);
  int (*unmap)(void *device, void *host, size_t bytes, unsigned flags);
  int (*update)(void *device, void *host, size_t bytes, unsigned direction);
  /* Whether the table contains the range, including mappings of other code. If all of it is present, `address` receives
   * its address. */
  enum offloadrt_presence (*look_up)(void *device, void *host, size_t bytes, void **address);
};

/* Operations on events. All functions except create() and record() are called only for events that were recorded. */
struct offloadrt_event_operations {
  int (*create)(void *device, void **event);
  int (*destroy)(void *device, void *event);
  int (*record)(void *device, void *event, void *stream);
  int (*wait)(void *device, void *event, void *stream);
  int (*synchronize)(void *device, void *event);
  int (*query)(void *device, void *event, int *over);
  int (*elapsed)(void *device, void *from, void *to, int64_t *nanoseconds);
};

/* Handles of the driver's library. */
struct offloadrt_handle_operations {
  /* Makes a stream of a queue that the program has created. release() forgets the stream, and leaves the queue to the
   * program. */
  int (*adopt)(void *device, void *handle, void **stream);
  void (*release)(void *device, void *stream);
  /* Returns the library's handle of a stream, which is null for the default stream of some libraries. */
  void *(*stream)(void *device, void *stream);
  /* Returns the context of the device; null if the library has none. */
  void *(*context)(void *device);
};

/* Memory of mailboxes, through which kernels call the host. */
struct offloadrt_mailbox_operations {
  /* Allocates memory, aligned to 128, that the host and a running kernel access at the same time, at one address. */
  int (*allocate)(void *device, size_t bytes, void **address);
  int (*free)(void *device, void *address);
};

/* One driver. */
struct offloadrt_driver {
  const char *name; /* devices are called `name:0`, `name:1` and so on */
  int single;       /* nonzero: there is at most one device, with the name `name` */
  int waits;        /* nonzero: launch() returns when the kernel has run, and its state is in host memory */
  int shares_memory; /* nonzero: kernels access host memory, so nothing is mapped */
  int keeps_images;  /* nonzero: loaded images and their statics remain until the program ends */

  const struct offloadrt_arch_operations *archs; /* null: the core chooses no images for the devices */
  const struct offloadrt_image_operations *images; /* null: the code is in the program, or another library loads it */
  const struct offloadrt_mapping_operations *mapping; /* null: the core keeps the table of mappings */
  const struct offloadrt_event_operations *events; /* null: the driver waits, and the core reads the host's clock */
  const struct offloadrt_handle_operations *handles; /* null: there are none that a program could use */
  const struct offloadrt_mailbox_operations *mailboxes; /* null: kernels of all devices run in this process */

  /* Returns the number of devices; 0 if the driver's library or its hardware is absent. */
  unsigned (*device_count)(void);
  /* Returns the reason why there are no devices, as a clause, or null. The pointer may be null. */
  const char *(*absence)(void);
  /* Whether `name` is another name of device `index`. The pointer is null if no device has a second name. */
  int (*is_called)(unsigned index, const char *name);
  int (*open)(unsigned index, void **device);
  /* The same in a context that the program has created. The pointer is null if the driver takes none. */
  int (*open_in)(unsigned index, void *context, void **device);
  void (*close)(void *device);
  /* Whether kernels of an open device run in this process: they call the host's functions without a mailbox. Null: not
   * those of any device. */
  int (*is_in_process)(const void *device);
  /* Fills in the known limits; it is called once. A limit that remains 0 is checked by the device, not by the core. */
  void (*limits)(void *device, offloadrt_limits *limits);

  int (*allocate)(void *device, size_t bytes, void **address);
  int (*free)(void *device, void *address);
  int (*copy_to_device)(void *device, void *stream, void *to, const void *from, size_t bytes);
  int (*copy_to_host)(void *device, void *stream, void *to, const void *from, size_t bytes);
  /* These two functions submit work and may return before it is complete. */
  int (*submit_copy)(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from, size_t bytes);
  int (*submit_fill)(void *device, void *stream, void *to, unsigned char byte, size_t bytes);

  /* Host memory, which is pinned if possible; and memory that both the host and kernels access. */
  int (*allocate_host)(void *device, size_t bytes, void **address);
  int (*free_host)(void *device, void *address);
  int (*allocate_unified)(void *device, size_t bytes, void **address);
  int (*free_unified)(void *device, void *address);

  int (*stream_create)(void *device, void **stream);
  int (*stream_destroy)(void *device, void *stream);
  int (*launch)(void *device, void *stream, const struct offloadrt_launch *launch);
  /* If a thread that runs a kernel calls a function of the host: leave_kernel() comes before it, and enter_kernel() with
   * the result of leave_kernel() after it. The pointers may be null. */
  void *(*leave_kernel)(void);
  void (*enter_kernel)(void *kernel);
  int (*synchronize)(void *device, void *stream);
};

enum { OFFLOADRT_FOREIGN = INT_MIN };

/* The drivers of this library, terminated by null. Device 0 of the first one is the default device. */
extern const struct offloadrt_driver *const offloadrt_drivers[];

/* Allocates plain host memory, aligned to 256, which free() frees; for tables of drivers. */
int offloadrt_allocate_plain(void *device, size_t bytes, void **address);
int offloadrt_free_plain(void *device, void *address);

/* For drivers whose functions return when their work is complete: a stream that needs no state, and success. */
int offloadrt_no_stream(void *device, void **stream);
int offloadrt_nothing_to_wait_for(void *device, void *stream);

/* For open() of a driver whose kernels run on the host's CPU: fails if OFFLOADRT_CPU_THREADS is set and is not a number
 * above 0. The scheduler cannot report this error. */
int offloadrt_check_threads_variable(void);

/* Whether an object is registered. */
int offloadrt_has_objects(void);

/* Whether an image of a registered object uses the lanes of a warp. */
int offloadrt_any_image_uses_lanes(void);

/* Whether the object with this registration number is still registered. */
int offloadrt_is_live(uint64_t serial);

/* Returns the number of functions of the host that kernels of the object call; 0 for null. */
uint64_t offloadrt_host_function_count(const struct offload_descriptor *object);

/* Returns the function of the host with this number in the object with this registration number; null if there is
 * none. */
offload_host_function offloadrt_host_function(uint64_t serial, uint64_t number);

/* The functions that the program of an object passes as values to kernels. */
struct offloadrt_functions {
  const struct offload_descriptor *object; /* null: there is none */
  int is_ambiguous;                        /* another object has the number, and other code */
};

/* Finds the registered object that has a function with this number. The numbers depend on the names and
 * the code of the functions, but not on code of other crates that they call. The first object is found. */
struct offloadrt_functions offloadrt_find_functions(uint64_t number);

/* Whether the function with this number is one of the object. */
int offloadrt_has_function(const struct offload_descriptor *object, uint64_t number);

/* Whether an image with this triple is for the host's CPU. */
int offloadrt_is_host(const char *triple);

/* Sets the limits of launches on the host's CPU, and the numbers of lanes of a warp there, from the images of the
 * registered objects. The CPU itself has no limit. The size of a block is limited to the number that every GPU accepts: a
 * program that runs here then also runs on GPUs, and no launch needs the frames of a million threads. The number of blocks
 * depends on the amount of work, and the sizes of shared memory of GPUs differ too much for a common limit. */
void offloadrt_host_limits(offloadrt_limits *limits);

/* The handle with this number in an object, and the number of a handle. Handles with code for several levels of a
 * processor are larger than a struct offload_kernel. */
static inline const struct offload_kernel *offloadrt_kernel_at(const struct offload_descriptor *object, uint64_t index) {
  return (const struct offload_kernel *)((const char *)object->kernels + index * object->kernels->size);
}

static inline uint64_t offloadrt_index_of(const struct offload_kernel *kernel) {
  const struct offload_kernel *first = kernel->descriptor->kernels;
  return (uint64_t)((const char *)kernel - (const char *)first) / first->size;
}

/* Whether `kernel` is a handle in a registered object of this runtime's version. The function does not dereference the
 * pointer. */
int offloadrt_is_registered(const struct offload_kernel *kernel);

/* The version of the registered object that contains the handle `kernel`, if that version differs from this runtime's;
 * else 0. For null, the version of the first object with another version. Does not read the memory that the pointer
 * refers to. */
uint32_t offloadrt_other_version(const struct offload_kernel *kernel);

/* The values of LLVM's ImageKind that the runtime supports. */
enum offloadrt_image_kind {
  OFFLOADRT_IMAGE_NONE = 0, /* the object contains the code */
  OFFLOADRT_IMAGE_ELF = 1,
  OFFLOADRT_IMAGE_BITCODE = 2,
  OFFLOADRT_IMAGE_CUBIN = 3,
  OFFLOADRT_IMAGE_PTX = 5,
  OFFLOADRT_IMAGE_SPIRV = 6
};

/* Whether statics that kernels write are those of constants that the program sets: with the values in the code, kernels do
 * not write them. */
enum offloadrt_late_constants { OFFLOADRT_LATE_NONE, OFFLOADRT_LATE_SOME, OFFLOADRT_LATE_ONLY };

/* One image of an object. */
struct offloadrt_image {
  unsigned kind;      /* enum offloadrt_image_kind, or another number */
  const char *triple; /* never null */
  const char *arch;   /* never null */
  const char *options; /* for the driver's compiler; never null */
  size_t stack_bytes;  /* the stack of each thread if the compiler cannot compute each kernel's need; otherwise 0 */
  int uses_lanes;      /* SPIR-V with kernels that use the lanes of a warp */
  const char *kernels_with_lanes; /* their names, one a line, if they take the extents of a block as the global offset */
  uint32_t lanes;      /* the number of lanes of a warp if the image contains it; otherwise 0 */
  int is_compressed;   /* the bytes are in the object's content, which offloadrt_open_image() decompresses */
  uint64_t content_offset;
  uint64_t content_size;
  const unsigned char *begin; /* empty until then */
  const unsigned char *end;
  /* Of the generic image; see finish.h. */
  uint32_t generic_version; /* of its layout */
  const char *compiler;     /* the compiler's version: `offloadc 0.1.0, LLVM 22.1.8`; never null */
  const char *identity;     /* a hash of its bytes; never null */
  int writes_statics;       /* kernels write statics, of which each image has its own copy; also of a finished image */
  enum offloadrt_late_constants late_constants;
  int calls_stored; /* kernels call functions whose addresses are in memory, and each image has its own addresses */
  const char *not_linkable; /* the functions that kernels of other objects cannot be linked with; never null; see linked.c */
  /* Of an image that was made from it. */
  const char *shared_bytes; /* for the CPU, the static shared memory of each kernel: `0,2048`; never null */
  const char *linked_panics; /* the texts of panics of linked functions; never null; see panics.c */
};

/* The triple of generic images. */
#define OFFLOADRT_GENERIC_TRIPLE "offload-generic-image"

static inline int offloadrt_is_generic(const struct offloadrt_image *image) {
  return strcmp(image->triple, OFFLOADRT_GENERIC_TRIPLE) == 0;
}

/* The compressed content of an object: all its images together. */
struct offloadrt_packed {
  const unsigned char *begin;
  size_t bytes;
  uint64_t content_size; /* the size of the content, as the object states it */
};

/* Returns the size of an image, which may be compressed. */
static inline uint64_t offloadrt_image_bytes(const struct offloadrt_image *image) {
  return image->is_compressed ? image->content_size : (uint64_t)(image->end - image->begin);
}

/* Reads the image at `*position` (at first descriptor->images_begin) and advances; returns 0 at the end. */
int offloadrt_next_image(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image);

/* Finds the compressed content in the containers of one object; returns 0 if there is none. */
int offloadrt_find_packed(const unsigned char *begin, const unsigned char *end, struct offloadrt_packed *packed);

/* Makes the bytes of an object's image available: the first call for an object decompresses its content. They are valid
 * while the object is registered. */
int offloadrt_open_image(const struct offload_descriptor *object, struct offloadrt_image *image);

/* Frees the content of an object that has left the program. */
void offloadrt_forget_content(uint64_t serial);

/* Decompresses a zstd frame that has the checksum of its content. Returns 0 if it is damaged, or if its content does not
 * have exactly `size` bytes. */
int offloadrt_decompress(void *to, size_t size, const void *frame, size_t frame_bytes);

/* Finds the image from `begin` to `end` that fits a device of `arch` best, and the first of several equal ones, of those
 * that fit less well than `below`. Returns how well it fits, and 0 if none does. */
int offloadrt_pick_image(const struct offloadrt_driver *driver, const char *arch, const unsigned char *begin,
                         const unsigned char *end, int below, struct offloadrt_image *best);

/* Finds the generic image of an object; returns 0 if there is none. */
int offloadrt_find_generic(const struct offload_descriptor *object, struct offloadrt_image *image);

/* Fails with OFFLOADRT_NO_IMAGE. The text lists the images of the kernel's object, names the closest one, and says how
 * to add an image for the device. `driver` and `arch` are null if the core chooses no images. `unfinished` is the reason
 * why the generic image is not finished; null if there is none, or if this library finishes no images. */
int offloadrt_no_image(const struct offloadrt_driver *driver, const char *arch, const struct offload_kernel *kernel,
                       const char *device, const char *unfinished);

/* Returns the display name of a kernel if its object contains it with the texts of its panics; otherwise its symbol. */
const char *offloadrt_kernel_name(const struct offload_kernel *kernel);

/* Fails with the message of a kernel's panic. `linked` has the texts of panics of functions of other objects that the kernel
 * is linked with, or is null. `host_panic` is the message of a panic in a function of the host that the kernel called, or
 * "". */
int offloadrt_panicked(const struct offload_kernel *kernel, const struct offload_panic *panic, const char *linked,
                       const char *host_panic);

/* Checks the number and the sizes of `arguments` against the kernel's parameter table. */
int offloadrt_check_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments, size_t count);

/* Writes to `ordered` the checked argument for each parameter, because callers may omit arguments without bytes. */
void offloadrt_order_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                               offloadrt_argument *ordered);

/* Writes checked arguments to `buffer`, which has kernel->argument_bytes bytes. */
void offloadrt_pack_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                              unsigned char *buffer);

#pragma GCC visibility pop
#endif
