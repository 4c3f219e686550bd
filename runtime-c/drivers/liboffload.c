/* The driver of liboffloadrt-liboffload: GPUs through LLVM's liboffload (22.1 and 23.1). Its objects are those of
 * liboffloadrt: this file creates a program of an image, and passes packed arguments. The CPU is offloadrt's own, because
 * liboffload's device for the host has no programs.
 *
 * Every call has completed when it returns, so events are only times. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <offload/OffloadAPI.h>

#include "../copies.h"
#include "../finish.h"
#include "cpu.h"
#include "fit.h"

/* Functions whose parameters liboffload 23 has changed without another name, so that LLVM's header has one form only. */
typedef ol_result_t initialize(const void *choice);
typedef ol_result_t launch_packed(ol_queue_handle_t, ol_device_handle_t, ol_symbol_handle_t, const void *arguments,
                                  size_t size, const ol_kernel_launch_size_args_t *);
typedef ol_result_t launch_pointers(ol_queue_handle_t, ol_device_handle_t, ol_symbol_handle_t,
                                    const ol_kernel_launch_size_args_t *, const void *properties, size_t count,
                                    void **arguments, const size_t *sizes);

/* A function that liboffload has since version 23. */
extern ol_result_t olQueryQueue() __attribute__((weak));

enum { DEVICES = 64 };

struct device {
  ol_device_handle_t handle;
  ol_queue_handle_t queue; /* the default stream */
  ol_platform_backend_t backend;
  unsigned ordinal; /* among the devices of its backend */
};

static struct device devices[DEVICES];
static unsigned count;
static ol_device_handle_t host;
static char failure[256];

static int failed(ol_result_t result, int status, const char *what) {
  const char *details = result->Details ? result->Details : "no details";
  return offloadrt_fail(status, "liboffload could not %s: %s (error %u)", what, details, (unsigned)result->Code);
}

static int status_of(ol_result_t result) {
  return result->Code == OL_ERRC_OUT_OF_RESOURCES ? OFFLOADRT_NO_MEMORY : OFFLOADRT_FAILED;
}

#define TRY(call, what)                                                                                              \
  do {                                                                                                               \
    ol_result_t result_ = (call);                                                                                    \
    if (result_)                                                                                                     \
      return failed(result_, status_of(result_), what);                                                              \
  } while (0)

/* Devices -------------------------------------------------------------------------------------------- */

static bool add_device(ol_device_handle_t handle, void *context) {
  (void)context;
  ol_device_type_t type = OL_DEVICE_TYPE_DEFAULT;
  ol_platform_handle_t platform = NULL;
  ol_platform_backend_t backend = OL_PLATFORM_BACKEND_UNKNOWN;
  if (olGetDeviceInfo(handle, OL_DEVICE_INFO_TYPE, sizeof type, &type) ||
      olGetDeviceInfo(handle, OL_DEVICE_INFO_PLATFORM, sizeof platform, &platform) ||
      olGetPlatformInfo(platform, OL_PLATFORM_INFO_BACKEND, sizeof backend, &backend))
    return true;
  if (type == OL_DEVICE_TYPE_HOST) {
    host = handle;
  } else if (count < DEVICES) {
    unsigned ordinal = 0;
    for (unsigned i = 0; i < count; i++)
      ordinal += devices[i].backend == backend;
    devices[count++] = (struct device){handle, NULL, backend, ordinal};
  }
  return true;
}

/* liboffload is never shut down: the program's destructors may still launch kernels. */
static void start(void) {
  /* liboffload 23 takes a choice of platforms, null for all of them. */
  void (*init)(void) = (void (*)(void))olInit;
  ol_result_t result = ((initialize *)init)(NULL);
  if (!result)
    result = olIterateDevices(add_device, NULL);
  if (result)
    snprintf(failure, sizeof failure, "liboffload does not start: %s", result->Details ? result->Details : "no details");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned device_count(void) {
  pthread_once(&once, start);
  return count;
}

static const char *absence(void) { return *failure ? failure : "liboffload has found no GPU"; }

/* The arch of an NVIDIA GPU, for which liboffload has no query: its driver is loaded already. */
static void describe_nvidia(unsigned ordinal, struct offloadrt_description *description) {
  enum { MAJOR = 75, MINOR = 76 };
  void *library = dlopen("libcuda.so", RTLD_LAZY);
  int (*get)(int *, int) = NULL, (*attribute)(int *, int, int) = NULL;
  if (library) {
    *(void **)&get = dlsym(library, "cuDeviceGet");
    *(void **)&attribute = dlsym(library, "cuDeviceGetAttribute");
  }
  int number, major, minor;
  if (get && attribute && !get(&number, (int)ordinal) && !attribute(&major, MAJOR, number) && !attribute(&minor, MINOR, number))
    snprintf(description->arch, sizeof description->arch, "sm_%d%d", major, minor);
  if (library)
    dlclose(library);
}

static void read_text(struct device *device, ol_device_info_t what, char *to, size_t capacity) {
  char text[256];
  size_t size = 0;
  if (olGetDeviceInfoSize(device->handle, what, &size) || size > sizeof text ||
      olGetDeviceInfo(device->handle, what, size, text))
    return;
  snprintf(to, capacity, "%.*s", (int)size, text);
}

static void describe(unsigned index, struct offloadrt_description *description) {
  struct device *device = &devices[index];
  read_text(device, OL_DEVICE_INFO_PRODUCT_NAME, description->product, sizeof description->product);
  if (device->backend == OL_PLATFORM_BACKEND_CUDA)
    describe_nvidia(device->ordinal, description);
  else
    read_text(device, OL_DEVICE_INFO_NAME, description->arch, sizeof description->arch);
}

static int fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity) {
  int is_nvidia = !strncmp(arch, "sm_", 3);
  return (is_nvidia ? offloadrt_cuda_fit : offloadrt_hip_fit)(arch, image, miss, capacity);
}

static int open_device(unsigned index, void **device) {
  struct device *opened = malloc(sizeof *opened);
  if (!opened)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a device");
  *opened = devices[index];
  ol_result_t result = olCreateQueue(opened->handle, &opened->queue);
  if (result) {
    free(opened);
    return failed(result, OFFLOADRT_FAILED, "open the device");
  }
  *device = opened;
  return OFFLOADRT_SUCCESS;
}

static void close_device(void *state) {
  struct device *device = state;
  olDestroyQueue(device->queue);
  free(device);
}

static void limits(void *state, offloadrt_limits *limits) {
  struct device *device = state;
  ol_dimensions_t block = {0, 0, 0};
  uint32_t threads = 0, units = 0;
  uint64_t shared = 0, memory = 0;
  /* A query that fails leaves 0: not known. */
  olGetDeviceInfo(device->handle, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE, sizeof threads, &threads);
  olGetDeviceInfo(device->handle, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION, sizeof block, &block);
  olGetDeviceInfo(device->handle, OL_DEVICE_INFO_NUM_COMPUTE_UNITS, sizeof units, &units);
  olGetDeviceInfo(device->handle, OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE, sizeof shared, &shared);
  olGetDeviceInfo(device->handle, OL_DEVICE_INFO_GLOBAL_MEM_SIZE, sizeof memory, &memory);
  limits->threads_per_block = threads;
  limits->block[0] = block.x;
  limits->block[1] = block.y;
  limits->block[2] = block.z;
  limits->shared_bytes = shared < UINT32_MAX ? (uint32_t)shared : UINT32_MAX;
  limits->compute_units = units;
  limits->memory_bytes = memory;
  limits->least_lanes = limits->most_lanes = device->backend == OL_PLATFORM_BACKEND_CUDA ? 32 : 0;
}

/* Memory --------------------------------------------------------------------------------------------- */

static ol_queue_handle_t queue_of(void *state, void *stream) { return stream ? stream : ((struct device *)state)->queue; }

static int allocate_type(void *state, ol_alloc_type_t type, size_t bytes, void **address) {
  TRY(olMemAlloc(((struct device *)state)->handle, type, bytes, address), "allocate memory");
  return OFFLOADRT_SUCCESS;
}

static int allocate(void *state, size_t bytes, void **address) {
  return allocate_type(state, OL_ALLOC_TYPE_DEVICE, bytes, address);
}

static int allocate_host(void *state, size_t bytes, void **address) {
  return allocate_type(state, OL_ALLOC_TYPE_HOST, bytes, address);
}

static int allocate_unified(void *state, size_t bytes, void **address) {
  return allocate_type(state, OL_ALLOC_TYPE_MANAGED, bytes, address);
}

static int release(void *state, void *address) {
  (void)state;
  TRY(olMemFree(address), "free memory");
  return OFFLOADRT_SUCCESS;
}

static const struct offloadrt_mailbox_operations mailboxes = {.allocate = allocate_host, .free = release};

static int copy(void *state, void *stream, void *to, ol_device_handle_t to_device, const void *from,
                ol_device_handle_t from_device, size_t bytes) {
  TRY(olMemcpy(queue_of(state, stream), to, to_device, from, from_device, bytes), "copy memory");
  TRY(olSyncQueue(queue_of(state, stream)), "copy memory");
  return OFFLOADRT_SUCCESS;
}

static int copy_to_device(void *state, void *stream, void *to, const void *from, size_t bytes) {
  return copy(state, stream, to, ((struct device *)state)->handle, from, host, bytes);
}

static int copy_to_host(void *state, void *stream, void *to, const void *from, size_t bytes) {
  return copy(state, stream, to, host, from, ((struct device *)state)->handle, bytes);
}

static int submit_copy(void *state, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                       size_t bytes) {
  ol_device_handle_t own = ((struct device *)state)->handle;
  return copy(state, stream, to, direction == OFFLOADRT_TO_HOST ? host : own, from,
              direction == OFFLOADRT_TO_DEVICE ? host : own, bytes);
}

static int submit_fill(void *state, void *stream, void *to, unsigned char byte, size_t bytes) {
  TRY(olMemFill(queue_of(state, stream), to, 1, &byte, bytes), "fill memory");
  TRY(olSyncQueue(queue_of(state, stream)), "fill memory");
  return OFFLOADRT_SUCCESS;
}

static int stream_create(void *state, void **stream) {
  ol_queue_handle_t queue;
  TRY(olCreateQueue(((struct device *)state)->handle, &queue), "create a stream");
  *stream = queue;
  return OFFLOADRT_SUCCESS;
}

static int stream_destroy(void *state, void *stream) {
  (void)state;
  TRY(olDestroyQueue(stream), "destroy a stream");
  return OFFLOADRT_SUCCESS;
}

static int synchronize(void *state, void *stream) {
  TRY(olSyncQueue(queue_of(state, stream)), "wait for a stream");
  return OFFLOADRT_SUCCESS;
}

/* Images and launches -------------------------------------------------------------------------------- */

static int load(void *state, const struct offloadrt_image *image, void **module) {
  ol_program_handle_t program;
  char what[128];
  snprintf(what, sizeof what, "load the image for %s", image->arch);
  TRY(olCreateProgram(((struct device *)state)->handle, image->begin, (size_t)(image->end - image->begin), &program), what);
  *module = program;
  return OFFLOADRT_SUCCESS;
}

static void unload(void *state, void *module) {
  (void)state;
  /* It complains about PTX, which it cannot read as an ELF file, when all is done. */
  olDestroyProgram(module);
}

static int find(void *state, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function) {
  (void)state;
  ol_symbol_handle_t symbol;
  TRY(olGetSymbol(module, kernel->name, OL_SYMBOL_KIND_KERNEL, &symbol), "find a kernel in its image");
  function->state = symbol;
  return OFFLOADRT_SUCCESS;
}

static void forget(void *state, void *function) { (void)state, (void)function; }

/* The arguments of a launch in both forms. liboffload 22 takes the bytes as a kernel has them: those in `arguments`,
 * followed by the address of the launch's state. liboffload 23 takes the address and the size of each. */
struct packed {
  unsigned char *bytes;
  size_t size;
  void **addresses;
  size_t *sizes;
  size_t count;
};

static void pack(struct packed *packed, const struct offloadrt_launch *launch) {
  const struct offload_kernel *kernel = launch->kernel;
  packed->size = kernel->argument_bytes;
  memcpy(packed->bytes, launch->arguments, packed->size);
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    packed->addresses[i] = packed->bytes + kernel->parameters[i].offset;
    packed->sizes[i] = kernel->parameters[i].size;
  }
  packed->count = kernel->parameter_count;
  if (kernel->flags & OFFLOAD_KERNEL_TAKES_STATE) {
    const struct offload_parameter *last = kernel->parameters + kernel->parameter_count - 1;
    size_t end = kernel->parameter_count ? (size_t)last->offset + last->size : 0, at = (end + 7) / 8 * 8;
    memcpy(packed->bytes + at, &launch->state, sizeof launch->state);
    packed->size = at + sizeof launch->state;
    packed->addresses[packed->count] = packed->bytes + at;
    packed->sizes[packed->count++] = sizeof launch->state;
  }
}

static int launch_with(struct device *device, void *stream, const struct offloadrt_launch *launch,
                       const struct packed *packed) {
  const offloadrt_launch_config *config = launch->config;
  const ol_kernel_launch_size_args_t shape = {
      .Dimensions = 3,
      .NumGroups = {config->grid[0], config->grid[1], config->grid[2]},
      .GroupSize = {config->block[0], config->block[1], config->block[2]},
      .DynSharedMemory = config->dynamic_shared_bytes,
  };
  char what[256];
  snprintf(what, sizeof what, "run kernel `%s`", offloadrt_kernel_name(launch->kernel));
  void (*run)(void) = (void (*)(void))olLaunchKernel;
  ol_queue_handle_t queue = queue_of(device, stream);
  if (olQueryQueue)
    TRY(((launch_pointers *)run)(queue, device->handle, launch->function, &shape, NULL, packed->count, packed->addresses,
                                 packed->sizes), what);
  else
    TRY(((launch_packed *)run)(queue, device->handle, launch->function, packed->size ? packed->bytes : NULL, packed->size,
                               &shape), what);
  TRY(olSyncQueue(queue), what);
  return OFFLOADRT_SUCCESS;
}

static int launch(void *state, void *stream, const struct offloadrt_launch *launch) {
  /* One more argument than parameters: the state. */
  size_t count = (size_t)launch->kernel->parameter_count + 1, bytes = (size_t)launch->kernel->argument_bytes + 16;
  void **room = calloc(1, count * (sizeof(void *) + sizeof(size_t)) + bytes);
  if (!room)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for the arguments of kernel `%s`",
                          offloadrt_kernel_name(launch->kernel));
  size_t *sizes = (size_t *)(room + count);
  struct packed packed = {.bytes = (unsigned char *)(sizes + count), .addresses = room, .sizes = sizes};
  pack(&packed, launch);
  int status = launch_with(state, stream, launch, &packed);
  free(room);
  return status;
}

static const struct offloadrt_arch_operations archs = {.describe = describe, .fit = fit};
static const struct offloadrt_image_operations images = {.load = load, .unload = unload, .find = find, .release = forget};

static const struct offloadrt_driver liboffload_driver = {
    .name = "liboffload",
    .archs = &archs,
    .images = &images,
    .mailboxes = &mailboxes,
    .device_count = device_count,
    .absence = absence,
    .open = open_device,
    .close = close_device,
    .limits = limits,
    .allocate = allocate,
    .free = release,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .submit_copy = submit_copy,
    .submit_fill = submit_fill,
    .allocate_host = allocate_host,
    .free_host = release,
    .allocate_unified = allocate_unified,
    .free_unified = release,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .launch = launch,
    .synchronize = synchronize,
};

const struct offloadrt_driver *const offloadrt_drivers[] = {&offloadrt_cpu_driver, &liboffload_driver, NULL};

/* Generic images are not finished. */
const struct offloadrt_finisher *const offloadrt_finisher = NULL;

OFFLOADRT_NOTE("offloadrt-liboffload");
