/* libmgpu-offloadrt: the functions that code of MLIR calls (`gpu-to-llvm` and the translation of `gpu.launch_func`, LLVM
 * 22), over liboffloadrt. A program of MLIR then runs on the devices of offloadrt: PTX on `cuda`, SPIR-V on `opencl`.
 *
 * The device is the one in OFFLOADRT_DEVICE, or else that of the first module's images with the number from
 * mgpuSetDefaultDevice. The functions return no status, so an error ends the program. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

#define EXPORTED __attribute__((visibility("default")))

static void fail(const char *what, const char *why) {
  fflush(NULL);
  fprintf(stderr, "error: %s: %s\n", what, why);
  _exit(1);
}

#define TRY(call)                                                                                                    \
  do {                                                                                                               \
    if (call)                                                                                                        \
      fail(__func__, offloadrt_error_text());                                                                        \
  } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static offloadrt_device *opened;
static int32_t number;

static offloadrt_device *device(void) {
  pthread_mutex_lock(&lock);
  if (!opened) {
    char name[64];
    int chosen = !getenv("OFFLOADRT_DEVICE") && mgpu_driver();
    if (chosen)
      snprintf(name, sizeof name, "%s:%d", mgpu_driver(), number);
    if (offloadrt_device_open(chosen ? name : NULL, &opened))
      fail("the device of the `mgpu` functions", offloadrt_error_text());
  }
  pthread_mutex_unlock(&lock);
  return opened;
}

EXPORTED void mgpuSetDefaultDevice(int32_t index) {
  if (opened && index != number)
    fail(__func__, "the device is already in use");
  number = index;
}

/* Modules -------------------------------------------------------------------------------------------- */

static struct mgpu_module *load(const char *what, const void *image, size_t size) {
  struct mgpu_module *module = NULL;
  const char *wrong = mgpu_load(image, size, &module);
  if (wrong)
    fail(what, wrong);
  return module;
}

EXPORTED void *mgpuModuleLoad(void *image, size_t size) { return load(__func__, image, size); }

/* MLIR 22 passes no size, and PTX only, which ends in a zero byte. MLIR 23 passes SPIR-V, too, with a size that
 * includes a zero byte after its words. */
EXPORTED void *mgpuModuleLoadJIT(void *code, int level, size_t size) {
  (void)level; /* the driver's compiler chooses its level */
  return load(__func__, code, strncmp(code, "\x03\x02\x23\x07", 4) ? 0 : size / 4 * 4);
}

EXPORTED void mgpuModuleUnload(void *module) {
  if (module)
    mgpu_unload(module);
}

EXPORTED void *mgpuModuleGetFunction(void *module, const char *name) {
  const struct offload_kernel *kernel = module ? mgpu_find(module, name) : NULL;
  if (!kernel) {
    char why[256];
    snprintf(why, sizeof why, "the module has no kernel `%s`", name);
    fail(__func__, why);
  }
  return (void *)(uintptr_t)kernel;
}

/* Launches ------------------------------------------------------------------------------------------- */

static uint32_t count_of(const char *what, intptr_t count) {
  if (count < 0 || count > UINT32_MAX)
    fail(what, "a size of the launch does not fit in 32 bits");
  return (uint32_t)count;
}

static void launch(const char *what, const struct offload_kernel *kernel, const intptr_t shape[6], int32_t shared,
                   void *stream, void **parameters, size_t count) {
  offloadrt_launch_config config = {.size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION};
  for (int i = 0; i < 3; i++) {
    config.grid[i] = count_of(what, shape[i]);
    config.block[i] = count_of(what, shape[3 + i]);
  }
  config.dynamic_shared_bytes = count_of(what, shared);
  offloadrt_argument *arguments = calloc(count + 1, sizeof *arguments);
  if (!arguments)
    fail(what, "out of memory");
  for (size_t i = 0; i < count && i < kernel->parameter_count; i++)
    arguments[i] = (offloadrt_argument){parameters[i], kernel->parameters[i].size};
  if (offloadrt_launch(device(), stream, kernel, &config, arguments, count))
    fail(what, offloadrt_error_text());
  free(arguments);
}

EXPORTED void mgpuLaunchKernel(void *kernel, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                               intptr_t block_y, intptr_t block_z, int32_t shared, void *stream, void **parameters,
                               void **extra, size_t count) {
  if (extra)
    fail(__func__, "extra arguments are not supported");
  const intptr_t shape[6] = {grid_x, grid_y, grid_z, block_x, block_y, block_z};
  launch(__func__, kernel, shape, shared, stream, parameters, count);
}

EXPORTED void mgpuLaunchClusterKernel(void *kernel, intptr_t cluster_x, intptr_t cluster_y, intptr_t cluster_z,
                                      intptr_t grid_x, intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                                      intptr_t block_y, intptr_t block_z, int32_t shared, void *stream,
                                      void **parameters, void **extra) {
  if (cluster_x != 1 || cluster_y != 1 || cluster_z != 1 || extra)
    fail(__func__, "clusters of more than one block are not supported");
  const intptr_t shape[6] = {grid_x, grid_y, grid_z, block_x, block_y, block_z};
  launch(__func__, kernel, shape, shared, stream, parameters, ((const struct offload_kernel *)kernel)->parameter_count);
}

/* Streams and events --------------------------------------------------------------------------------- */

EXPORTED void *mgpuStreamCreate(void) {
  offloadrt_stream *stream;
  TRY(offloadrt_stream_create(device(), &stream));
  return stream;
}

EXPORTED void mgpuStreamDestroy(void *stream) { TRY(offloadrt_stream_destroy(stream)); }
EXPORTED void mgpuStreamSynchronize(void *stream) { TRY(offloadrt_synchronize(device(), stream)); }
EXPORTED void mgpuStreamWaitEvent(void *stream, void *event) { TRY(offloadrt_stream_wait(stream, event)); }

EXPORTED void *mgpuEventCreate(void) {
  offloadrt_event *event;
  TRY(offloadrt_event_create(device(), &event));
  return event;
}

EXPORTED void mgpuEventDestroy(void *event) { TRY(offloadrt_event_destroy(event)); }
EXPORTED void mgpuEventSynchronize(void *event) { TRY(offloadrt_event_synchronize(event)); }
EXPORTED void mgpuEventRecord(void *event, void *stream) { TRY(offloadrt_event_record(event, stream)); }

/* Memory: a copy gets no direction, so allocations are known by their addresses ------------------------- */

struct allocation {
  struct allocation *next;
  char *begin;
  size_t size;
  int is_unified;
};

static struct allocation *allocations;

static int is_on_device(const void *address) {
  pthread_mutex_lock(&lock);
  struct allocation *one = allocations;
  while (one && ((char *)address < one->begin || (char *)address >= one->begin + one->size))
    one = one->next;
  pthread_mutex_unlock(&lock);
  return one && !one->is_unified;
}

EXPORTED void *mgpuMemAlloc(uint64_t size, void *stream, bool is_shared) {
  (void)stream;
  if (size == 0)
    return NULL;
  struct allocation *one = calloc(1, sizeof *one);
  if (!one)
    fail(__func__, "out of memory");
  void *address;
  TRY(is_shared ? offloadrt_allocate_unified(device(), size, &address) : offloadrt_allocate(device(), size, &address));
  pthread_mutex_lock(&lock);
  *one = (struct allocation){allocations, address, size, is_shared};
  allocations = one;
  pthread_mutex_unlock(&lock);
  return address;
}

EXPORTED void mgpuMemFree(void *address, void *stream) {
  (void)stream;
  if (!address)
    return;
  pthread_mutex_lock(&lock);
  struct allocation **link = &allocations, *one;
  while ((one = *link) && one->begin != (char *)address)
    link = &one->next;
  if (one)
    *link = one->next;
  pthread_mutex_unlock(&lock);
  if (!one)
    fail(__func__, "the memory is not of `mgpuMemAlloc`");
  /* Work that uses the memory may still run. */
  TRY(offloadrt_synchronize(device(), stream));
  TRY(one->is_unified ? offloadrt_free_unified(device(), address) : offloadrt_free(device(), address));
  free(one);
}

EXPORTED void mgpuMemcpy(void *to, void *from, size_t size, void *stream) {
  if (size == 0)
    return;
  int to_device = is_on_device(to), from_device = is_on_device(from);
  if (to_device && from_device)
    TRY(offloadrt_submit_copy(device(), stream, to, from, size));
  else if (to_device)
    TRY(offloadrt_copy_to_device(device(), stream, to, from, size));
  else if (from_device)
    TRY(offloadrt_copy_to_host(device(), stream, to, from, size));
  else {
    TRY(offloadrt_synchronize(device(), stream));
    memcpy(to, from, size);
  }
}

/* Fills `count` elements of `bytes` bytes. */
static void fill(const char *what, void *to, const void *value, size_t bytes, size_t count, void *stream) {
  const unsigned char *element = value;
  int is_one_byte = 1;
  for (size_t i = 1; i < bytes; i++)
    is_one_byte &= element[i] == element[0];
  if (count == 0)
    return;
  if (is_one_byte && is_on_device(to)) {
    if (offloadrt_submit_fill(device(), stream, to, element[0], bytes * count))
      fail(what, offloadrt_error_text());
    return;
  }
  char *filled = count <= SIZE_MAX / bytes ? malloc(bytes * count) : NULL;
  if (!filled)
    fail(what, "out of memory");
  for (size_t i = 0; i < count; i++)
    memcpy(filled + i * bytes, value, bytes);
  mgpuMemcpy(to, filled, bytes * count, stream);
  free(filled);
}

EXPORTED void mgpuMemset32(void *to, unsigned value, size_t count, void *stream) {
  uint32_t element = value;
  fill(__func__, to, &element, sizeof element, count, stream);
}

EXPORTED void mgpuMemset16(void *to, unsigned short value, size_t count, void *stream) {
  uint16_t element = value;
  fill(__func__, to, &element, sizeof element, count, stream);
}

static const char not_registered[] =
    "memory of the host cannot be registered; use `gpu.alloc host_shared`, which kernels and host access";

EXPORTED void mgpuMemHostRegister(void *address, uint64_t size) {
  (void)address, (void)size;
  fail(__func__, not_registered);
}

EXPORTED void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor, int64_t element_size) {
  (void)rank, (void)descriptor, (void)element_size;
  fail(__func__, not_registered);
}

EXPORTED void mgpuMemHostUnregister(void *address) { (void)address; }

EXPORTED void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor, int64_t element_size) {
  (void)rank, (void)descriptor, (void)element_size;
}
