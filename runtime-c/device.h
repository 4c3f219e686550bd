/* The core's data of an open device. */
#ifndef OFFLOADRT_DEVICE_H
#define OFFLOADRT_DEVICE_H

#include <pthread.h>

#include "driver.h"
#include "launch/host_calls.h"

enum { OFFLOADRT_NAME_CAPACITY = 48 };

struct offloadrt_device;
struct offloadrt_mapping;

/* The beginning of a structure with code that is loaded for an object. */
struct offloadrt_loaded {
  struct offloadrt_loaded *next;
  uint64_t serial; /* the number of the object's registration */
  void (*unload)(struct offloadrt_device *device, struct offloadrt_loaded *loaded); /* also frees the structure */
};

/* The loaded code, the newest first. */
struct offloadrt_modules {
  pthread_mutex_t lock;
  unsigned loading; /* how many threads load or unload without the lock */
  struct offloadrt_loaded *images;   /* of objects (modules.c) */
  struct offloadrt_loaded *variants; /* of kernels (variants.c) */
  struct offloadrt_loaded *linked;   /* kernels with functions of other objects (linked.c) */
};

/* The code of one kernel in a separate image. */
struct offloadrt_code {
  void *module; /* of the driver; null: it is not loaded */
  struct offloadrt_function function;
};

/* The mapped ranges of host memory, in the order of mapping. */
struct offloadrt_mappings {
  pthread_mutex_t lock;
  struct offloadrt_mapping *first;
};

struct offloadrt_device {
  const struct offloadrt_driver *driver;
  void *state; /* the driver's data */
  char name[OFFLOADRT_NAME_CAPACITY];
  struct offloadrt_description description; /* empty if the driver has none */
  offloadrt_limits limits;
  struct offloadrt_modules own_modules;
  struct offloadrt_modules *modules; /* the loaded images: its own, or those that the driver keeps */
  pthread_mutex_t states_lock;
  struct offloadrt_states *states; /* states of launches that are not waited for yet; null if the driver waits */
  uint64_t launch_count;           /* the number of launches with a state */
  struct offloadrt_mappings mappings;
  struct offloadrt_mailboxes mailboxes;
  unsigned stream_count; /* how many streams were created */
  struct offloadrt_timeline *timeline; /* the state of the trace (work.c); null: there is no trace */
};

struct offloadrt_stream {
  struct offloadrt_device *device;
  void *state; /* the driver's data */
  int adopted; /* nonzero: the program has created its queue */
  unsigned number; /* from 1, in the order of creation */
};

#pragma GCC visibility push(hidden)

/* Check the device and its use in the calling thread, and the stream, which must be null or belong to the device. */
int offloadrt_check_device(const struct offloadrt_device *device);
int offloadrt_check_stream(const struct offloadrt_device *device, const struct offloadrt_stream *stream);

static inline void *offloadrt_stream_state(const struct offloadrt_stream *stream) { return stream ? stream->state : NULL; }

/* Waits for a stream (null: the device), and returns the error of a panic that is found. */
int offloadrt_wait_for(struct offloadrt_device *device, struct offloadrt_stream *stream);

/* Performs all checks of a launch that are possible before its work begins. */
int offloadrt_check_launch(const struct offloadrt_device *device, const struct offloadrt_stream *stream,
                           const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                           const offloadrt_argument *arguments, size_t argument_count);

/* Finds the data of `kernel` with the driver's find(), and loads the image of its object if necessary. The result is
 * all 0 if the driver loads no images. */
int offloadrt_find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                            struct offloadrt_function *function);

/* Reads the limits of the device from the driver. */
void offloadrt_read_limits(struct offloadrt_device *device);

/* The first function checks the configuration of a launch, also against the limits of the device. The second checks it
 * against the limits of the kernel's function, which is known later. */
int offloadrt_check_config(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                           const offloadrt_launch_config *config);
int offloadrt_check_function(const struct offloadrt_device *device, const struct offload_kernel *kernel,
                             const offloadrt_launch_config *config, const struct offloadrt_function *function);

/* Prepares the lists; and unloads all images, except those that the driver keeps. No launch may be running. */
void offloadrt_prepare_modules(struct offloadrt_device *device);
void offloadrt_unload_modules(struct offloadrt_device *device);

/* Unloads the code of objects that have left the program. The caller holds the lock, which is released meanwhile if the
 * driver keeps images. */
void offloadrt_unload_retired(struct offloadrt_device *device);

/* Stand around calls of the driver that load and unload code, or look for it. The caller holds the lock (loaded.c). */
void offloadrt_begin_loading(struct offloadrt_device *device);
void offloadrt_end_loading(struct offloadrt_device *device);

/* Loads an image for a launch of a kernel, between the calls above. */
int offloadrt_load_image(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         const struct offloadrt_image *image, void **module);

/* Loads an image of one kernel, between the calls above. Discards one: the caller holds the lock. */
int offloadrt_load_code(struct offloadrt_device *device, const struct offload_kernel *kernel,
                        const struct offloadrt_image *image, struct offloadrt_code *code);
void offloadrt_discard_code(struct offloadrt_device *device, struct offloadrt_code *code);

/* Unloads it; for functions that unload the code in a list. */
void offloadrt_unload_code(struct offloadrt_device *device, struct offloadrt_code *code);

/* Variants of kernels (variants.c). The first function replaces the function of a launch by the code for its values, if
 * that is loaded, and otherwise has it compiled; it returns the number of the variant, and 0 for the general code. The
 * second one fails if OFFLOADRT_VARIANTS is not valid. */
unsigned offloadrt_use_variant(struct offloadrt_device *device, const struct offloadrt_launch *launch,
                               struct offloadrt_function *function);
int offloadrt_check_variants_variable(void);

/* Returns the first value among the arguments for which the kernel asks for code, or the next one; null: there is none. */
const struct offload_scalar *offloadrt_first_marked(const struct offload_kernel *kernel);
const struct offload_scalar *offloadrt_next_marked(const struct offload_kernel *kernel, const struct offload_scalar *row);

/* Kernels with functions of other objects (linked.c). If the arguments of a launch contain the number of such a function,
 * the function finds code of the kernel that is linked with the objects of these functions, and waits for the
 * compiler if there is none yet, and sets `linked_panics` of the launch; otherwise `function` stays as it is, and
 * `is_linked` is 0. */
int offloadrt_find_linked(struct offloadrt_device *device, struct offloadrt_launch *launch,
                          struct offloadrt_function *function, int *is_linked);

/* The image that a device gets of an object. */
struct offloadrt_choice {
  int fit;                      /* of the best image that was compiled ahead of time; 0: there is none */
  struct offloadrt_image image; /* that image */
  struct offloadrt_finish_job *job; /* makes an image of the generic one; null: it is not wanted or not possible */
  int is_first;                 /* nonzero: the job's image is for the first launch */
  char reason[512];             /* why the generic image does not serve; empty if there is none */
};

/* Chooses, from the images that fit less well than `below` and the generic image (choice.c). */
int offloadrt_choose_image(struct offloadrt_device *device, const struct offload_descriptor *object, int below,
                           struct offloadrt_choice *choice);

/* Whether a generic image can be finished for the device; otherwise `reason` says why not. */
int offloadrt_can_finish(const struct offloadrt_device *device, const struct offloadrt_image *generic, char *reason,
                         size_t capacity);

/* The arch for which images are made for exactly this device. */
const char *offloadrt_exact_arch(const struct offloadrt_device *device);

/* Finds the job that makes an image of the generic one, with further words for the command line (null: none), and gives it
 * the generic image if it has to be compiled. */
int offloadrt_find_job(const struct offloadrt_device *device, const struct offload_descriptor *object,
                       struct offloadrt_image *generic, const char *const *words, struct offloadrt_finish_job **job);

/* Launches through the driver, with a state if the kernel takes one. If the driver waits, the function returns the
 * error of a panic. */
int offloadrt_launch_with_state(struct offloadrt_device *device, void *stream, struct offloadrt_launch *launch);

/* Returns the error of the first panic since the last call, of a launch in `stream` or in any stream. The caller has
 * waited for these launches. */
int offloadrt_check_states(struct offloadrt_device *device, void *stream, int any);

/* Frees the states of a stream (null: of all streams). The caller has waited for the launches. */
void offloadrt_free_states(struct offloadrt_device *device, void *stream);

/* Finds the device address of mapped host memory; returns 0 if it is not mapped. The address of null is null. */
int offloadrt_find_mapped(struct offloadrt_device *device, const void *host, void **address);

/* Removes all remaining mappings without copying. The caller has waited for the device. */
void offloadrt_forget_mappings(struct offloadrt_device *device);

#pragma GCC visibility pop
#endif
