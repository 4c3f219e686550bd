/* The public functions that open and close devices, and those that launch. They find the driver, check the arguments,
 * and call the driver through its table. Streams are in streams.c, memory in memory.c, events in events.c, registration
 * in registration.c, argument packing in arguments.c. */
#define _GNU_SOURCE /* secure_getenv */
#include "own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "device.h"
#include "finish.h"
#include "launch/invariants.h"
#include "trace/ranges.h"
#include "trace/work.h"

/* Opening ------------------------------------------------------------------------------------- */

/* Writes the name of device `index` of `driver`. */
static void write_name(char *text, size_t capacity, const struct offloadrt_driver *driver, unsigned index) {
  snprintf(text, capacity, driver->single ? "%s" : "%s:%u", driver->name, index);
}

/* Whether `name` names device `index` of `driver`. A device has the driver's name with its number, and possibly a
 * second name. Device 0 also has the driver's name without a number, even if the driver can have several devices. */
static int names_device(const char *name, const struct offloadrt_driver *driver, unsigned index) {
  char full[OFFLOADRT_NAME_CAPACITY];
  snprintf(full, sizeof full, "%s:%u", driver->name, index);
  if (strcmp(name, full) == 0 || (index == 0 && strcmp(name, driver->name) == 0))
    return 1;
  return driver->is_called && driver->is_called(index, name);
}

/* Whether `name` begins with the name of the driver: "cuda", "cuda:1". */
static int is_name_of(const char *name, const struct offloadrt_driver *driver) {
  size_t length = strlen(driver->name);
  return strncmp(name, driver->name, length) == 0 && (name[length] == 0 || name[length] == ':');
}

/* Writes the names of all devices to `text`: "`cpu`, `cuda:0`". */
static void list_devices(char *text, size_t capacity) {
  size_t used = 0;
  text[0] = 0;
  for (const struct offloadrt_driver *const *driver = offloadrt_drivers; *driver; driver++) {
    unsigned count = (*driver)->device_count();
    for (unsigned i = 0; i < count && used < capacity; i++) {
      char name[OFFLOADRT_NAME_CAPACITY];
      write_name(name, sizeof name, *driver, i);
      used += (size_t)snprintf(text + used, capacity - used, "%s`%s`", used ? ", " : "", name);
    }
  }
}

/* Returns the reason why the driver that `name` begins with has no devices, or null. */
static const char *absence_of(const char *name) {
  for (const struct offloadrt_driver *const *driver = offloadrt_drivers; *driver; driver++)
    if (is_name_of(name, *driver) && (*driver)->absence && !(*driver)->device_count())
      return (*driver)->absence();
  return NULL;
}

static int no_such_device(const char *name, const char *origin) {
  char list[512];
  list_devices(list, sizeof list);
  const char *absence = absence_of(name);
  if (list[0])
    return offloadrt_fail(OFFLOADRT_NO_DEVICE, "there is no device `%s`%s here%s%s; there is %s", name, origin,
                          absence ? ": " : "", absence ? absence : "", list);
  return offloadrt_fail(OFFLOADRT_NO_DEVICE, "there is no device `%s`%s here, nor any other that an image of this program fits",
                        name, origin);
}

static int open_state(const struct offloadrt_driver *driver, unsigned index, void *context, void **state) {
  return context ? driver->open_in(index, context, state) : driver->open(index, state);
}

/* Opens a device; with `context`, in a context of the program. */
static int open_untraced(const struct offloadrt_driver *driver, unsigned index, void *context, offloadrt_device **device) {
  offloadrt_device *opened = calloc(1, sizeof *opened);
  if (!opened)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening a device of `%s`", driver->name);
  opened->driver = driver;
  write_name(opened->name, sizeof opened->name, driver, index);
  /* A driver's library may wait for the kernel that has called this host function. The cpu has no such library. */
  int status = driver->shares_memory ? OFFLOADRT_SUCCESS : offloadrt_check_name(driver, opened->name);
  if (!status && driver->archs)
    driver->archs->describe(index, &opened->description);
  if (!status && driver->archs && !*opened->description.arch)
    status = offloadrt_fail(OFFLOADRT_FAILED, "device `%s` does not say of what architecture it is", opened->name);
  if (!status && offloadrt_finisher)
    status = offloadrt_finisher->check_variable();
  if (!status && offloadrt_finisher)
    status = offloadrt_check_variants_variable();
  if (!status)
    status = open_state(driver, index, context, &opened->state);
  if (status) {
    free(opened);
    return status;
  }
  offloadrt_read_limits(opened);
  offloadrt_prepare_modules(opened);
  pthread_mutex_init(&opened->states_lock, NULL);
  pthread_mutex_init(&opened->mappings.lock, NULL);
  pthread_mutex_init(&opened->mailboxes.lock, NULL);
  /* libomptarget does not describe its devices. */
  if (driver->archs)
    offloadrt_log("%s: opened: %s, %s", opened->name, opened->description.product, opened->description.arch);
  else
    offloadrt_log("%s: opened", opened->name);
  *device = opened;
  return OFFLOADRT_SUCCESS;
}

static int open_device(const struct offloadrt_driver *driver, unsigned index, void *context, offloadrt_device **device) {
  int status = offloadrt_open_trace();
  offloadrt_open_ranges();
  if (status || !offloadrt_observed_by(~0))
    return status ? status : open_untraced(driver, index, context, device);
  struct offloadrt_work work = {.kind = OFFLOADRT_WORK_OPEN};
  offloadrt_begin_work(&work);
  status = open_untraced(driver, index, context, device);
  if (!status)
    work.device = *device;
  if (!status && offloadrt_is_tracing())
    offloadrt_begin_timeline(*device);
  offloadrt_end_work(&work, status);
  return status;
}

/* Finds the driver of a device, and the device's number. */
static int find_device(const char *name, const struct offloadrt_driver **found, unsigned *index) {
  const char *origin = "", *wanted = secure_getenv("OFFLOADRT_DEVICE");
  if (!name && wanted && *wanted)
    origin = " (from `OFFLOADRT_DEVICE`)", name = wanted;
  if (!name)
    name = offloadrt_drivers[0]->name;
  for (const struct offloadrt_driver *const *driver = offloadrt_drivers; *driver; driver++) {
    /* A driver whose devices have only one name is not initialised for the name of another driver. */
    unsigned count = (*driver)->is_called || is_name_of(name, *driver) ? (*driver)->device_count() : 0;
    for (unsigned i = 0; i < count; i++)
      if (names_device(name, *driver, i)) {
        *found = *driver;
        *index = i;
        return OFFLOADRT_SUCCESS;
      }
  }
  return no_such_device(name, origin);
}

static int check_place(offloadrt_device **device) {
  if (!device)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the opened device is null");
  *device = NULL;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_device_open(const char *name, offloadrt_device **device) {
  const struct offloadrt_driver *driver = NULL;
  unsigned index = 0;
  int status = check_place(device);
  if (!status)
    status = find_device(name, &driver, &index);
  return status ? status : open_device(driver, index, NULL, device);
}

int offloadrt_device_adopt(const char *name, void *context, offloadrt_device **device) {
  const struct offloadrt_driver *driver = NULL;
  unsigned index = 0;
  char full[OFFLOADRT_NAME_CAPACITY];
  int status = check_place(device);
  if (!status)
    status = find_device(name, &driver, &index);
  if (status)
    return status;
  write_name(full, sizeof full, driver, index);
  if (!driver->open_in)
    return offloadrt_fail(OFFLOADRT_UNSUPPORTED, "device `%s` cannot be opened in a context of the program", full);
  if (!context)
    return offloadrt_fail(OFFLOADRT_INVALID, "the context is null; help: open `%s` without one", full);
  return open_device(driver, index, context, device);
}

int offloadrt_device_close(offloadrt_device *device) {
  if (!device)
    return OFFLOADRT_SUCCESS;
  int status = offloadrt_check_caller(device);
  if (status)
    return status;
  status = offloadrt_wait_for(device, NULL);
  offloadrt_end_timeline(device);
  offloadrt_free_states(device, NULL);
  offloadrt_free_mailboxes(device, NULL);
  offloadrt_forget_mappings(device);
  offloadrt_unload_modules(device);
  device->driver->close(device->state);
  pthread_mutex_destroy(&device->states_lock);
  pthread_mutex_destroy(&device->mappings.lock);
  pthread_mutex_destroy(&device->mailboxes.lock);
  free(device);
  return status;
}

/* Launches -------------------------------------------------------------------------------------- */

static int wrong_version(uint32_t version, uint32_t own) {
  return offloadrt_fail(OFFLOADRT_FAILED,
                        "the kernel was compiled for version %u of the interface to the runtime, and this runtime has version "
                        "%u; build the program with the offloadc that this runtime belongs to",
                        version, own);
}

/* Checks a handle before any field of it is read. A caller may pass the address of a function by mistake. */
static int check_kernel(const struct offload_kernel *kernel) {
  if (!kernel)
    return offloadrt_fail(OFFLOADRT_INVALID, "the kernel is null");
  if (!offloadrt_is_registered(kernel)) {
    uint32_t version = offloadrt_other_version(kernel);
    if (version)
      return wrong_version(version, OFFLOAD_DESCRIPTOR_VERSION);
    return offloadrt_fail(OFFLOADRT_INVALID,
                          "%p is not the handle of a registered kernel; a handle comes from `__offload_kernel` or "
                          "`offloadrt_find_kernel`",
                          (const void *)kernel);
  }
  if (kernel->version != OFFLOAD_KERNEL_VERSION || kernel->size < sizeof *kernel)
    return wrong_version(kernel->version, OFFLOAD_KERNEL_VERSION);
  return OFFLOADRT_SUCCESS;
}

/* The number of units is a 32-bit field. */
#define MOST_HEAP_BYTES ((uint64_t)OFFLOAD_HEAP_UNIT * UINT32_MAX)

/* The heap of an instrumented kernel whose launch has none. */
enum { CHECKED_HEAP_BYTES = 1 << 24 };

/* A size to begin with: 1 KiB for each thread, as a power of two, within 64 KiB and 1 GiB. */
static uint64_t proposed_heap(const offloadrt_launch_config *config) {
  uint64_t threads = 1, bytes = 1 << 16;
  for (int i = 0; i < 3; i++)
    threads = threads > 1 << 20 ? threads : threads * config->grid[i];
  for (int i = 0; i < 3; i++)
    threads = threads > 1 << 20 ? threads : threads * config->block[i];
  while (bytes < 1 << 30 && bytes >> 10 < threads)
    bytes *= 2;
  return bytes;
}

/* Computes the size of the heap. It is an error if the kernel names a function that allocates and the launch has none. */
static int find_heap(const struct offload_kernel *kernel, const offloadrt_launch_config *config, uint64_t *bytes) {
  *bytes = 0;
  if (!(kernel->flags & (OFFLOAD_KERNEL_NEEDS_HEAP | OFFLOAD_KERNEL_MAY_ALLOCATE)))
    return OFFLOADRT_SUCCESS;
  *bytes = config->version > 1 ? config->heap_bytes : 0;
  /* An instrumented kernel keeps the allocations that the optimiser would remove. */
  if (!*bytes && offloadrt_checker)
    *bytes = CHECKED_HEAP_BYTES;
  if (!*bytes && kernel->flags & OFFLOAD_KERNEL_NEEDS_HEAP)
    return offloadrt_fail(OFFLOADRT_MISMATCH,
                          "kernel `%s` allocates memory (`Box`, `Vec`, `String`), and the launch has no heap; help: launch with "
                          "`grid.with_heap_bytes(%" PRIu64 ")`, or with what all threads need together (in C: `heap_bytes` of "
                          "the configuration)",
                          offloadrt_kernel_name(kernel), proposed_heap(config));
  if (*bytes > MOST_HEAP_BYTES)
    return offloadrt_fail(OFFLOADRT_INVALID, "the launch of kernel `%s` has %" PRIu64 " heap bytes, and the limit is %" PRIu64,
                          offloadrt_kernel_name(kernel), *bytes, MOST_HEAP_BYTES);
  return OFFLOADRT_SUCCESS;
}

/* `variant` is the number of the kernel's variant that runs, or 0. */
static void log_launch(const offloadrt_device *device, const struct offload_kernel *kernel,
                       const offloadrt_launch_config *config, const unsigned char *arguments, unsigned variant,
                       int is_linked) {
  char which[32] = "";
  if (!offloadrt_is_logging())
    return;
  offloadrt_note_launch(kernel, config, arguments);
  if (is_linked)
    snprintf(which, sizeof which, ", linked");
  if (variant)
    snprintf(which, sizeof which, ", variant %u", variant);
  offloadrt_log("%s: launching `%s`: grid %u x %u x %u, block %u x %u x %u, %u bytes of shared memory%s", device->name,
                offloadrt_kernel_name(kernel), config->grid[0], config->grid[1], config->grid[2], config->block[0], config->block[1],
                config->block[2], config->dynamic_shared_bytes, which);
}

/* Finds the code of a launch: the code that is linked with functions of other objects if the arguments have one,
 * otherwise the code for the values of the launch if there is some, and otherwise the general code. */
static int find_code(offloadrt_device *device, struct offloadrt_launch *launch) {
  struct offloadrt_function function = {.state = NULL};
  unsigned variant = 0;
  int is_linked = 0, status = offloadrt_find_linked(device, launch, &function, &is_linked);
  if (!status && !is_linked)
    status = offloadrt_find_function(device, launch->kernel, &function);
  if (!status)
    status = offloadrt_check_function(device, launch->kernel, launch->config, &function);
  if (status)
    return status;
  if (!is_linked)
    variant = offloadrt_use_variant(device, launch, &function);
  launch->function = function.state;
  log_launch(device, launch->kernel, launch->config, launch->arguments, variant, is_linked);
  return OFFLOADRT_SUCCESS;
}

static int launch_packed(offloadrt_device *device, offloadrt_stream *stream, struct offloadrt_launch *launch) {
  int status = find_code(device, launch);
  if (status)
    return status;
  if (offloadrt_checker && device->driver->shares_memory)
    launch->check = offloadrt_checker->begin(device, stream, launch);
  status = offloadrt_launch_with_state(device, offloadrt_stream_state(stream), launch);
  return launch->check ? offloadrt_checker->end(launch->check, launch, status) : status;
}

static int pack_and_launch(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                           const offloadrt_launch_config *config, const offloadrt_argument *arguments) {
  struct offloadrt_launch launch = {.kernel = kernel, .config = config, .stream = stream};
  int status = find_heap(kernel, config, &launch.heap_bytes);
  if (status)
    return status;
  /* The arguments of nearly every launch fit in this buffer. Larger ones are allocated. */
  _Alignas(64) unsigned char small[1024];
  unsigned char *buffer = small;
  void *large = NULL;
  if (kernel->argument_bytes > sizeof small || kernel->argument_align > 64) {
    size_t align = kernel->argument_align > 64 ? kernel->argument_align : 64;
    if (posix_memalign(&large, align, kernel->argument_bytes))
      return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %u bytes of arguments of kernel `%s`",
                            kernel->argument_bytes, offloadrt_kernel_name(kernel));
    buffer = large;
  }
  offloadrt_pack_arguments(kernel, arguments, buffer);
  launch.arguments = buffer;
  status = launch_packed(device, stream, &launch);
  free(large);
  return status;
}

int offloadrt_check_launch(const offloadrt_device *device, const offloadrt_stream *stream,
                           const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                           const offloadrt_argument *arguments, size_t argument_count) {
  int status = offloadrt_check_stream(device, stream);
  if (!status)
    status = check_kernel(kernel);
  if (!status)
    status = offloadrt_check_config(device, kernel, config);
  if (!status)
    status = offloadrt_check_calls(kernel);
  return status ? status : offloadrt_check_arguments(kernel, arguments, argument_count);
}

int offloadrt_launch(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                     const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                     size_t argument_count) {
  int status = offloadrt_check_launch(device, stream, kernel, config, arguments, argument_count);
  if (!status)
    OFFLOADRT_TRACED(status, pack_and_launch(device, stream, kernel, config, arguments), .kind = OFFLOADRT_WORK_LAUNCH,
                     .device = device, .stream = stream, .kernel = kernel, .config = config);
  return status;
}
