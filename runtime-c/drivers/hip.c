/* The HIP driver, on top of the module interface of libamdhip64. Code objects are loaded without changes. HIP passes
 * arguments according to the metadata of the code object, so this file does not depend on its layout. */
#include "hip.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../library.h"
#include "fit.h"
#include "gpu.h"

/* hipDeviceProp_t has two layouts: that of ROCm 6 and later, whose function has another name, and the older one. Both
 * begin with the product name. The arch is at ARCH_AT or OLD_ARCH_AT. */
enum { PROPERTIES_BYTES = 8192, ARCH_AT = 1160, OLD_ARCH_AT = 396 };

/* hipDeviceAttribute_t, since ROCm 5. */
enum {
  CONCURRENT_MANAGED_ACCESS = 9,
  MAX_BLOCK_DIM_X = 26, /* y and z follow */
  MAX_GRID_DIM_X = 29,  /* y and z follow */
  MAX_THREADS_PER_BLOCK = 56,
  MULTIPROCESSOR_COUNT = 63,
  MAX_SHARED_MEMORY_PER_BLOCK = 74,
  WARP_SIZE = 87,
};

/* hipHostMallocCoherent: the host and a running kernel see each other's writes, whatever HIP_HOST_COHERENT says. */
enum { HOST_MALLOC_COHERENT = 0x40000000 };

static struct gpu_interface interface; /* below */

/* The functions that only HIP has. */
static struct {
  int (*driver_version)(int *version); /* null: the library has no version */
  int (*runtime_version)(int *version);
  int (*properties)(void *properties, int device);
  int (*old_properties)(void *properties, int device);
  int (*get_device)(int *device);
  int (*set_device)(int device);
  const char *(*error_name)(int error);
  const char *(*error_string)(int error);
} hip;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned count;
static char absence[512];

static void describe_error(int error, char *text, size_t capacity) {
  snprintf(text, capacity, "%s: %s", hip.error_name(error), hip.error_string(error));
}

static void find_devices(void) {
  /* The first is for development files; ROCm 7, 6 and 5 install the others. */
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
#define SYMBOL(member, cuda, hip, older_lacks) {#hip, &interface.member, older_lacks},
  static const struct offloadrt_symbol symbols[] = {
      GPU_FUNCTIONS(SYMBOL)
      {"hipDriverGetVersion", &hip.driver_version, 1},
      {"hipRuntimeGetVersion", &hip.runtime_version, 1},
      {"hipGetDevicePropertiesR0600", &hip.properties, 1},
      {"hipGetDeviceProperties", &hip.old_properties, 1},
      {"hipGetDevice", &hip.get_device, 0},
      {"hipSetDevice", &hip.set_device, 0},
      {"hipGetErrorName", &hip.error_name, 0},
      {"hipGetErrorString", &hip.error_string, 0},
  };
  if (offloadrt_open_library(names, symbols, sizeof symbols / sizeof *symbols, absence, sizeof absence))
    count = offloadrt_gpu_count_devices(&interface, absence, sizeof absence);
}

static unsigned device_count(void) {
  pthread_once(&once, find_devices);
  return count;
}

static const char *device_absence(void) { return absence; }

static void describe(unsigned index, struct offloadrt_description *description) {
  char *properties = calloc(1, PROPERTIES_BYTES);
  int (*ask)(void *, int) = hip.properties ? hip.properties : hip.old_properties;
  if (properties && ask && !ask(properties, (int)index)) {
    const char *arch = properties + (hip.properties ? ARCH_AT : OLD_ARCH_AT);
    snprintf(description->product, sizeof description->product, "%s", properties);
    snprintf(description->arch, sizeof description->arch, "%.*s", (int)sizeof description->arch - 1, arch);
  }
  free(properties);
  int driver = 0, runtime = 0;
  if (hip.driver_version && hip.runtime_version && !hip.driver_version(&driver) && !hip.runtime_version(&runtime))
    snprintf(description->driver, sizeof description->driver, "%d, %d", driver, runtime);
}

static int enter(const struct gpu_device *device, intptr_t *before) {
  int current = 0, error = hip.get_device(&current);
  *before = current;
  return error ? error : hip.set_device((int)device->index);
}

static void leave(const struct gpu_device *device, intptr_t before) {
  if ((unsigned)before != device->index)
    hip.set_device((int)before);
}

static struct gpu_interface interface = {
    .coherent = HOST_MALLOC_COHERENT,
    .attributes = {.threads_per_block = MAX_THREADS_PER_BLOCK,
                   .block = {MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_X + 1, MAX_BLOCK_DIM_X + 2},
                   .grid = {MAX_GRID_DIM_X, MAX_GRID_DIM_X + 1, MAX_GRID_DIM_X + 2},
                   .shared_bytes = MAX_SHARED_MEMORY_PER_BLOCK,
                   .lanes = WARP_SIZE,
                   .compute_units = MULTIPROCESSOR_COUNT,
                   .concurrent_managed_access = CONCURRENT_MANAGED_ACCESS},
    .name = "hip", .people = "HIP", .enter = enter, .leave = leave, .describe_error = describe_error};

static int open_device(unsigned index, void **opened) {
  struct gpu_device *device = calloc(1, sizeof *device);
  if (!device)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening `hip:%u`", index);
  *device = (struct gpu_device){.interface = &interface, .index = index, .number = (int)index};
  device->has_managed = offloadrt_gpu_has_managed(device);
  *opened = device;
  return OFFLOADRT_SUCCESS;
}

static int load(void *opaque, const struct offloadrt_image *image, void **module) {
  const struct gpu_device *device = opaque;
  gpu_module loaded = NULL;
  intptr_t before;
  *module = NULL;
  int status = offloadrt_gpu_reserve_stack(device, image);
  if (status)
    return status;
  int error = enter(device, &before);
  if (!error) {
    error = interface.load(&loaded, image->begin, 0, NULL, NULL);
    leave(device, before);
  }
  *module = loaded;
  if (!error)
    return OFFLOADRT_SUCCESS;
  char what[96];
  snprintf(what, sizeof what, "load the image for %s", image->arch);
  return offloadrt_gpu_failed(device, what, error);
}

static const struct offloadrt_arch_operations archs = {.describe = describe, .fit = offloadrt_hip_fit};

static const struct offloadrt_image_operations images = {
    .load = load,
    .unload = offloadrt_gpu_unload,
    .find = offloadrt_gpu_find,
    .release = offloadrt_gpu_release,
};

const struct offloadrt_driver offloadrt_hip_driver = {
    .name = "hip",
    .archs = &archs,
    .images = &images,
    .device_count = device_count,
    .absence = device_absence,
    .open = open_device,
    .close = free,
    GPU_ROWS,
};
