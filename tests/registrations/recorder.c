/* A library with the functions by which objects register with CUDA or HIP. It writes each call to standard error. The
 * program around it is not position-independent, so an address is the value of a symbol.
 *
 * With a library of CUDA's driver (DRIVER), launches run there; without one, they only write their arguments.
 * Compiled with PREFIX, `cuda` or `hip`. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define HIDDEN(name) JOIN(__, PREFIX, name)
#define PUBLIC(name) JOIN(, PREFIX, name)
#define LOG(...) fprintf(stderr, __VA_ARGS__)

struct wrapper {
  uint32_t magic, version;
  const unsigned char *images;
  const void *unused;
};

struct function {
  const void *handle;
  const char *name;
};

static struct function functions[16];
static int function_count;
/* The result of a registration, and the driver's module. */
static struct binary {
  const struct wrapper *wrapper;
  void *module;
} binary;

static uint64_t number(const unsigned char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* The size of a fat binary or a bundle. */
static uint64_t size_of(const unsigned char *images) {
  if (!memcmp(images, "__CLANG_OFFLOAD_BUNDLE__", 24)) {
    uint64_t end = 0, at = 32;
    for (uint64_t i = 0; i < number(images + 24); i++, at += 24 + number(images + at + 16))
      if (number(images + at) + number(images + at + 8) > end)
        end = number(images + at) + number(images + at + 8);
    return end;
  }
  return 16 + number(images + 8);
}

void **HIDDEN(RegisterFatBinary)(struct wrapper *wrapper) {
  uint64_t size = size_of(wrapper->images), sum = 0;
  for (uint64_t i = 0; i < size; i++)
    sum = (sum ^ wrapper->images[i]) * 0x100000001b3;
  LOG("RegisterFatBinary(%x, %u, %" PRIu64 " bytes, sum %" PRIx64 ", %p)\n", wrapper->magic, wrapper->version, size,
      sum, wrapper->unused);
  binary.wrapper = wrapper;
  return (void **)&binary;
}

static const char *ours(void **handle) { return handle == (void **)&binary ? "the binary" : "another binary"; }

int HIDDEN(RegisterFunction)(void **handle, const void *host, const char *device, const char *name, int limit, void *tid,
                             void *bid, void *block, void *grid, int *warp) {
  LOG("RegisterFunction(%s, %p, %s, %s, %d, %p, %p, %p, %p, %p)\n", ours(handle), host, device, name, limit, tid, bid,
      block, grid, (void *)warp);
  functions[function_count++ % 16] = (struct function){host, device};
  return 0;
}

void HIDDEN(RegisterVar)(void **handle, void *host, const char *device, const char *name, int external, size_t size,
                         int constant, int global) {
  LOG("RegisterVar(%s, %p, %s, %s, %d, %zu, %d, %d)\n", ours(handle), host, device, name, external, size, constant,
      global);
}

void HIDDEN(RegisterManagedVar)(void **handle, void *auxiliary, void *host, const char *name, size_t size, unsigned align) {
  LOG("RegisterManagedVar(%s, %p, %p, %s, %zu, %u)\n", ours(handle), auxiliary, host, name, size, align);
}

void HIDDEN(RegisterSurface)(void **handle, void *host, const char *device, const char *name, int type, int external) {
  LOG("RegisterSurface(%s, %p, %s, %s, %d, %d)\n", ours(handle), host, device, name, type, external);
}

void HIDDEN(RegisterTexture)(void **handle, void *host, const char *device, const char *name, int type, int normalized,
                             int external) {
  LOG("RegisterTexture(%s, %p, %s, %s, %d, %d, %d)\n", ours(handle), host, device, name, type, normalized, external);
}

/* LLVM's wrapper declares it for HIP, too, and calls it for CUDA only. */
__attribute__((weak)) void __cudaRegisterFatBinaryEnd(void **handle) { LOG("RegisterFatBinaryEnd(%s)\n", ours(handle)); }

void HIDDEN(UnregisterFatBinary)(void **handle) {
  LOG("UnregisterFatBinary(%s)\n", ours(handle));
  function_count = 0;
}

struct dim3 {
  unsigned x, y, z;
};

/* CUDA's driver, for launches: the names are its own, and 0 is success. */
static void *driver;
static int call_driver(const char *name, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) {
  int (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t) = (int (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))dlsym(driver, name);
  int status = function ? function(a, b, c, d) : -1;
  if (status)
    LOG("%s: %d\n", name, status);
  return status;
}

static int open_driver(void) {
  const char *library = getenv("RECORDER_DRIVER");
  static void *context;
  if (!library || driver)
    return driver != NULL;
  driver = dlopen(library, RTLD_NOW);
  if (!driver || call_driver("cuInit", 0, 0, 0, 0) || call_driver("cuDevicePrimaryCtxRetain", (uintptr_t)&context, 0, 0, 0) ||
      call_driver("cuCtxSetCurrent", (uintptr_t)context, 0, 0, 0) ||
      call_driver("cuModuleLoadData", (uintptr_t)&binary.module, (uintptr_t)binary.wrapper->images, 0, 0))
    exit(4);
  return 1;
}

static int launch(const char *name, struct dim3 grid, struct dim3 block, void **arguments, size_t shared) {
  void *function;
  if (call_driver("cuModuleGetFunction", (uintptr_t)&function, (uintptr_t)binary.module, (uintptr_t)name, 0))
    return 1;
  int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                       void **) = (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                           void *, void **, void **))dlsym(driver, "cuLaunchKernel");
  return launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, NULL, arguments, NULL);
}

int PUBLIC(LaunchKernel)(const void *handle, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                         void *stream) {
  for (int i = 0; i < function_count; i++)
    if (functions[i].handle == handle) {
      LOG("LaunchKernel(%p, %u %u %u, %u %u %u, %zu, %p)\n", handle, grid.x, grid.y, grid.z, block.x, block.y, block.z,
          shared, stream);
      return open_driver() ? launch(functions[i].name, grid, block, arguments, shared) : 0;
    }
  LOG("LaunchKernel: nobody has registered %p\n", handle);
  return 98;
}

int PUBLIC(GetDeviceCount)(int *count) { return *count = 1, 0; }

const char *PUBLIC(GetErrorName)(int error) { return error == 98 ? "invalid function" : "error"; }

int PUBLIC(Malloc)(void **memory, size_t size) {
  if (open_driver())
    return call_driver("cuMemAlloc_v2", (uintptr_t)memory, size, 0, 0);
  *memory = calloc(1, size);
  return 0;
}

int PUBLIC(Free)(void *memory) {
  if (open_driver())
    return call_driver("cuMemFree_v2", (uintptr_t)memory, 0, 0, 0);
  free(memory);
  return 0;
}

int PUBLIC(Memcpy)(void *to, const void *from, size_t size, int kind) {
  (void)kind;
  if (open_driver())
    return call_driver("cuMemcpy", (uintptr_t)to, (uintptr_t)from, size, 0);
  memcpy(to, from, size);
  return 0;
}
