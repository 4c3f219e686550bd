/* The CUDA driver, on top of the interface of libcuda. It is part of the display driver, so no toolkit is needed.
 * Machine code is loaded if some fits, otherwise the driver compiles PTX. A device's context is the primary context,
 * which CUDA's runtime uses, too, or one that the program has created. */
#include "cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../library.h"
#include "fit.h"
#include "gpu.h"

/* From the CUDA driver API. */
enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, /* y and z follow */
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,  /* y and z follow */
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_LOG_VERBOSE = 12,
  /* The shared memory that a block may use without a request for more. */
  DEFAULT_SHARED_BYTES = 48 * 1024,
  LOG_BYTES = 8192,
};

static struct gpu_interface interface; /* below */

/* The functions that only CUDA has. */
static struct {
  int (*driver_version)(int *version); /* null: the library has no version */
  int (*device)(int *device, int index);
  int (*device_name)(char *name, int length, int device);
  int (*retain_context)(void **context, int device);
  int (*release_context)(int device);
  int (*push_context)(void *context);
  int (*pop_context)(void **context);
  int (*context_device)(int *device);
  int (*set_function_attribute)(gpu_function function, int attribute, int value);
  int (*error_name)(int error, const char **name);
  int (*error_string)(int error, const char **text);
} cuda;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned count;
static char absence[512];

/* Library and devices ------------------------------------------------------------------------------ */

static void describe_error(int error, char *text, size_t capacity) {
  const char *name = NULL, *words = NULL;
  cuda.error_name(error, &name);
  cuda.error_string(error, &words);
  snprintf(text, capacity, "%s: %s", name ? name : "an error", words ? words : "unknown");
}

static void find_devices(void) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
#define SYMBOL(member, cuda, hip, older_lacks) {#cuda, &interface.member, 0},
  static const struct offloadrt_symbol symbols[] = {
      GPU_FUNCTIONS(SYMBOL)
      {"cuDriverGetVersion", &cuda.driver_version, 1},
      {"cuDeviceGet", &cuda.device, 0},
      {"cuDeviceGetName", &cuda.device_name, 0},
      {"cuDevicePrimaryCtxRetain", &cuda.retain_context, 0},
      {"cuDevicePrimaryCtxRelease_v2", &cuda.release_context, 0},
      {"cuCtxPushCurrent_v2", &cuda.push_context, 0},
      {"cuCtxPopCurrent_v2", &cuda.pop_context, 0},
      {"cuCtxGetDevice", &cuda.context_device, 0},
      {"cuFuncSetAttribute", &cuda.set_function_attribute, 0},
      {"cuGetErrorName", &cuda.error_name, 0},
      {"cuGetErrorString", &cuda.error_string, 0},
  };
  if (offloadrt_open_library(names, symbols, sizeof symbols / sizeof *symbols, absence, sizeof absence))
    count = offloadrt_gpu_count_devices(&interface, absence, sizeof absence);
}

static unsigned device_count(void) {
  pthread_once(&once, find_devices);
  return count;
}

static const char *device_absence(void) { return absence; }

/* Returns an attribute of a device, or -1 if it is not available. */
static int attribute(unsigned index, int which) {
  int device = 0, value = 0;
  if (cuda.device(&device, (int)index) || interface.attribute(&value, which, device))
    return -1;
  return value;
}

static void describe(unsigned index, struct offloadrt_description *description) {
  int device = 0, major = attribute(index, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  int minor = attribute(index, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (major >= 0 && minor >= 0)
    snprintf(description->arch, sizeof description->arch, "sm_%d%d", major, minor);
  if (!cuda.device(&device, (int)index))
    cuda.device_name(description->product, sizeof description->product, device);
  int version = 0;
  if (cuda.driver_version && !cuda.driver_version(&version))
    snprintf(description->driver, sizeof description->driver, "%d", version);
}

static int enter(const struct gpu_device *device, intptr_t *before) {
  *before = 0;
  return cuda.push_context(device->context);
}

static void leave(const struct gpu_device *device, intptr_t before) {
  void *context;
  (void)device;
  (void)before;
  cuda.pop_context(&context);
}

static struct gpu_interface interface = {
    .attributes = {.threads_per_block = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                   .block = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1,
                             CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2},
                   .grid = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1,
                            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2},
                   .shared_bytes = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                   .most_shared_bytes = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                   .lanes = CU_DEVICE_ATTRIBUTE_WARP_SIZE,
                   .compute_units = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                   .concurrent_managed_access = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
    .name = "cuda", .people = "CUDA", .enter = enter, .leave = leave, .describe_error = describe_error};

/* Whether a context of the program belongs to the device. */
static int check_context(const struct gpu_device *device) {
  int number = -1, error;
  ON(device, error, cuda.context_device(&number));
  if (error)
    return offloadrt_gpu_failed(device, "use the context of the program", error);
  if (number != device->number)
    return offloadrt_fail(OFFLOADRT_INVALID, "the context belongs to another device than `cuda:%u`", device->index);
  return OFFLOADRT_SUCCESS;
}

/* Opens a device in a context of the program; null: in the primary context. */
static int open_in(unsigned index, void *context, void **opened) {
  struct gpu_device *device = calloc(1, sizeof *device);
  if (!device)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while opening `cuda:%u`", index);
  *device = (struct gpu_device){.interface = &interface, .index = index};
  int error = cuda.device(&device->number, (int)index);
  if (!error && !context)
    error = cuda.retain_context(&device->context, device->number);
  int status = error ? offloadrt_gpu_failed(device, "create a context", error) : OFFLOADRT_SUCCESS;
  if (!status && context) {
    device->context = context;
    device->is_adopted = 1;
    status = check_context(device);
  }
  if (status) {
    free(device);
    return status;
  }
  device->has_managed = offloadrt_gpu_has_managed(device);
  *opened = device;
  return OFFLOADRT_SUCCESS;
}

static int open_device(unsigned index, void **opened) { return open_in(index, NULL, opened); }

static void close_device(void *opaque) {
  struct gpu_device *device = opaque;
  if (!device->is_adopted)
    cuda.release_context(device->number);
  free(device);
}

/* Images ------------------------------------------------------------------------------------------- */

/* The messages of the driver's compiler, and the buffers for them. */
struct jit_logs {
  char errors[LOG_BYTES];
  char remarks[LOG_BYTES];
};

static int load_with_logs(const struct gpu_device *device, const void *code, struct jit_logs *logs, gpu_module *module) {
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                   CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  void *values[] = {logs->errors, (void *)(uintptr_t)(LOG_BYTES - 1), logs->remarks, (void *)(uintptr_t)(LOG_BYTES - 1),
                    (void *)(uintptr_t)offloadrt_is_logging()};
  intptr_t before;
  int error = enter(device, &before);
  if (error)
    return error;
  error = interface.load(module, code, sizeof options / sizeof *options, options, values);
  leave(device, before);
  return error;
}

static int load_failed(const struct gpu_device *device, const struct offloadrt_image *image, const struct jit_logs *logs,
                       int error) {
  char text[256];
  describe_error(error, text, sizeof text);
  int status = error == CUDA_ERROR_NO_BINARY_FOR_GPU ? OFFLOADRT_NO_IMAGE : OFFLOADRT_FAILED;
  return offloadrt_fail(status, "device `cuda:%u` could not load the image for %s: %s (%d)%s%s", device->index,
                        image->arch, text, error, *logs->errors ? "\n" : "", logs->errors);
}

/* Copies PTX, because the driver expects a terminated string, and the text in a container is not terminated. */
static int load(void *opaque, const struct offloadrt_image *image, void **module) {
  const struct gpu_device *device = opaque;
  size_t size = (size_t)(image->end - image->begin);
  char *code = malloc(size + 1);
  struct jit_logs *logs = calloc(1, sizeof *logs);
  gpu_module loaded = NULL;
  int status = offloadrt_gpu_reserve_stack(device, image);
  if (status) {
    /* The error text is already set. */
  } else if (code && logs) {
    memcpy(code, image->begin, size);
    code[size] = 0;
    int error = load_with_logs(device, code, logs, &loaded);
    if (*logs->remarks)
      offloadrt_log("cuda:%u: compiler: %s", device->index, logs->remarks);
    status = error ? load_failed(device, image, logs, error) : OFFLOADRT_SUCCESS;
  } else {
    status = offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for an image of %zu bytes", size);
  }
  free(code);
  free(logs);
  *module = loaded;
  return status;
}

/* Allows launches of `function` to use all the shared memory that the device has. More than 48 KiB must be allowed
 * before a launch, and no lock is needed here. A failure is ignored, because the launch that needs the memory then
 * fails with the reason. */
static void allow_shared_memory(const struct gpu_device *device, const struct offloadrt_function *function) {
  uint32_t most = offloadrt_gpu_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  intptr_t before;
  if (most <= DEFAULT_SHARED_BYTES || function->shared_bytes > most || enter(device, &before))
    return;
  cuda.set_function_attribute(function->state, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              (int)(most - function->shared_bytes));
  leave(device, before);
}

static int find(void *device, void *module, const struct offload_kernel *kernel, struct offloadrt_function *function) {
  int status = offloadrt_gpu_find(device, module, kernel, function);
  if (!status)
    allow_shared_memory(device, function);
  return status;
}

static const struct offloadrt_arch_operations archs = {.describe = describe, .fit = offloadrt_cuda_fit};

static const struct offloadrt_image_operations images = {
    .load = load,
    .unload = offloadrt_gpu_unload,
    .find = find,
    .release = offloadrt_gpu_release,
};

const struct offloadrt_driver offloadrt_cuda_driver = {
    .name = "cuda",
    .archs = &archs,
    .images = &images,
    .device_count = device_count,
    .absence = device_absence,
    .open = open_device,
    .open_in = open_in,
    .close = close_device,
    GPU_ROWS,
};
