/* A library that stands in for libcuda or libamdhip64 where there is no GPU: one device of an old arch,
 * whose memory is the host's and whose kernels are `saxpy` and `panics`. It watches what a driver does with it: a
 * call without a current device, or anything not given back at the end, ends the program. Built as CUDA
 * or, with HIP defined, as HIP; with EMPTY defined it has no functions at all. */
#ifndef EMPTY
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../offloadrt.h"

#ifdef HIP
#define NAME(cuda, hip) hip
#else
#define NAME(cuda, hip) cuda
#endif
#define EXPORT __attribute__((visibility("default")))

enum { INVALID_IMAGE = 218, NOT_FOUND = 500, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_READY = 600 };

static _Thread_local int current;
static atomic_int contexts, memory, pinned, events, streams, modules, launches;

static void add(atomic_int *counter, int more) { *counter += more; }

static void must(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "stand-in: %s\n", what);
  _Exit(3);
}

#define CURRENT must(current, __func__)

__attribute__((destructor)) static void leave(void) {
  must(!current, "the device was left current");
  must(!contexts && !memory && !pinned && !events && !streams && !modules, "something was not given back");
}

/* Rows of attributes: the numbers of CUDA and of HIP, and the value. */
static int attribute(int which) {
  static const int rows[][3] = {{1, 56, 1024}, {2, 26, 1024},  {3, 27, 1024},  {4, 28, 64},     {5, 29, 2147483647}, {6, 30, 65535},
                                {7, 31, 65535}, {8, 74, 49152}, {10, 87, 32},   {16, 63, 6},     {97, -1, 65536},     {75, -1, 7},
                                {76, -1, 5}, {89, -1, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i][NAME(0, 1)] == which)
      return rows[i][2];
  return 0;
}

#ifdef HIP
EXPORT int hipDeviceGetAttribute(int *value, int which, int device) { return *value = attribute(which), device; }
EXPORT int hipInit(unsigned flags) { return (int)flags; }
EXPORT int hipGetDeviceCount(int *count) { return *count = 1, 0; }
EXPORT int hipGetDevice(int *device) { return *device = current ? 0 : 7, 0; }
EXPORT int hipSetDevice(int device) { return current = device == 0, 0; }
EXPORT const char *hipGetErrorName(int error) { return error == INVALID_IMAGE ? "hipErrorInvalidImage" : "hipError"; }
EXPORT const char *hipGetErrorString(int error) { return error == INVALID_IMAGE ? "device kernel image is invalid" : "?"; }
EXPORT int hipGetDevicePropertiesR0600(char *properties, int device) {
  strcpy(properties, "Stand-in");
  strcpy(properties + 1160, "gfx906:sramecc+:xnack-");
  return device;
}
EXPORT int hipGetDeviceProperties(char *properties, int device) {
  strcpy(properties + 396, "the old layout");
  return device;
}
#else
EXPORT int cuInit(unsigned flags) { return (int)flags; }
EXPORT int cuDeviceGetCount(int *count) { return *count = 1, 0; }
EXPORT int cuDeviceGet(int *device, int index) { return *device = index, 0; }
EXPORT int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, (size_t)size, "Stand-in"), device; }
EXPORT int cuDeviceGetAttribute(int *value, int which, int device) { return *value = attribute(which), device; }
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &contexts, add(&contexts, 1), device; }
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return add(&contexts, -1), device; }
EXPORT int cuCtxPushCurrent_v2(void *context) { return current++, context != &contexts; }
EXPORT int cuCtxPopCurrent_v2(void **context) { return *context = NULL, current--, 0; }
static atomic_int shared_limit = 49152;
EXPORT int cuFuncSetAttribute(void *function, int which, int value) {
  CURRENT;
  shared_limit = value;
  return which != 8 || !function || value > 65536 - 100;
}
EXPORT int cuGetErrorName(int error, const char **name) {
  return *name = error == INVALID_IMAGE ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR", 0;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  return *text = error == INVALID_IMAGE ? "a PTX JIT compilation failed" : "?", 0;
}
#endif

EXPORT int NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device) {
  return *bytes = (size_t)3 << 30, device;
}

/* `panics` needs so many registers that 512 threads are the most. */
EXPORT int NAME(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int which, void *function) {
  CURRENT;
  *value = which == 1 ? 100 : function == &memory ? 512 : 1024;
  return which > 1 || !function;
}

EXPORT int NAME(cuMemAlloc_v2, hipMalloc)(void **address, size_t bytes) {
  CURRENT;
  if (bytes >> 40)
    return OUT_OF_MEMORY;
  *address = malloc(bytes);
  return add(&memory, 1), 0;
}

EXPORT int NAME(cuMemFree_v2, hipFree)(void *address) {
  CURRENT;
  free(address);
  return add(&memory, -1), 0;
}

EXPORT int NAME(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void *to, const void *from, size_t bytes, void *stream) {
  CURRENT;
  (void)stream;
  return memcpy(to, from, bytes), 0;
}

EXPORT int NAME(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *to, const void *from, size_t bytes, void *stream) {
  CURRENT;
  (void)stream;
  return memcpy(to, from, bytes), 0;
}

EXPORT int NAME(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(void *to, const void *from, size_t bytes, void *stream) {
  CURRENT;
  (void)stream;
  return memcpy(to, from, bytes), 0;
}

EXPORT int NAME(cuMemsetD8Async, hipMemsetD8Async)(void *to, unsigned char byte, size_t bytes, void *stream) {
  CURRENT;
  (void)stream;
  return memset(to, byte, bytes), 0;
}

/* Pinned, for every device, and for HIP's unified memory mapped as well. */
EXPORT int NAME(cuMemHostAlloc, hipHostMalloc)(void **address, size_t bytes, unsigned flags) {
  CURRENT;
  must(flags == 1 || (NAME(0, 1) && flags == 3), "odd flags for pinned memory");
  if (bytes >> 40)
    return OUT_OF_MEMORY;
  *address = malloc(bytes);
  return add(&pinned, 1), 0;
}

EXPORT int NAME(cuMemFreeHost, hipHostFree)(void *address) {
  CURRENT;
  free(address);
  return add(&pinned, -1), 0;
}

EXPORT int NAME(cuMemAllocManaged, hipMallocManaged)(void **address, size_t bytes, unsigned flags) {
  must(flags == 1 && !NAME(0, 1), "managed memory where the host could not use it");
  return NAME(cuMemAlloc_v2, hipMalloc)(address, bytes);
}

/* An event is over once somebody has waited for it. */
struct event {
  int recorded, waited_for, at;
};
static atomic_int clock_ticks;

EXPORT int NAME(cuEventCreate, hipEventCreateWithFlags)(struct event **event, unsigned flags) {
  CURRENT;
  *event = calloc(1, sizeof **event);
  return add(&events, 1), (int)flags;
}

EXPORT int NAME(cuEventDestroy_v2, hipEventDestroy)(struct event *event) {
  CURRENT;
  free(event);
  return add(&events, -1), 0;
}

EXPORT int NAME(cuEventRecord, hipEventRecord)(struct event *event, void *stream) {
  CURRENT;
  (void)stream;
  *event = (struct event){.recorded = 1, .at = ++clock_ticks};
  return 0;
}

EXPORT int NAME(cuEventSynchronize, hipEventSynchronize)(struct event *event) {
  CURRENT;
  must(event->recorded, "an event that was not recorded");
  return event->waited_for = 1, 0;
}

EXPORT int NAME(cuEventQuery, hipEventQuery)(struct event *event) {
  CURRENT;
  must(event->recorded, "an event that was not recorded");
  return event->waited_for ? 0 : NOT_READY;
}

EXPORT int NAME(cuEventElapsedTime, hipEventElapsedTime)(float *milliseconds, struct event *from, struct event *to) {
  CURRENT;
  *milliseconds = (float)(to->at - from->at);
  return from->waited_for && to->waited_for ? 0 : NOT_READY;
}

EXPORT int NAME(cuStreamWaitEvent, hipStreamWaitEvent)(void *stream, struct event *event, unsigned flags) {
  CURRENT;
  must(stream && event->recorded, "an odd wait");
  return (int)flags;
}

EXPORT int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned flags) {
  CURRENT;
  *stream = malloc(1);
  return add(&streams, 1), flags != 1;
}

EXPORT int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *stream) {
  CURRENT;
  free(stream);
  return add(&streams, -1), 0;
}

EXPORT int NAME(cuStreamSynchronize, hipStreamSynchronize)(void *stream) {
  CURRENT;
  (void)stream;
  return 0;
}

EXPORT int NAME(cuCtxSynchronize, hipDeviceSynchronize)(void) {
  CURRENT;
  return 0;
}

static size_t stack_limit = 1024;
EXPORT int NAME(cuCtxGetLimit, hipDeviceGetLimit)(size_t *bytes, int limit) {
  CURRENT;
  return *bytes = stack_limit, limit;
}

EXPORT int NAME(cuCtxSetLimit, hipDeviceSetLimit)(int limit, size_t bytes) {
  CURRENT;
  stack_limit = bytes;
  return limit;
}

/* An image is good when it begins with "good". CUDA's is a string, and gets a log. */
EXPORT int NAME(cuModuleLoadDataEx, hipModuleLoadDataEx)(void **module, const char *image, unsigned count, int *options,
                                                         void **values) {
  CURRENT;
#ifndef HIP
  must(strlen(image) == 8, "PTX without an end");
#endif
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 5 && strncmp(image, "good", 4) != 0)
      strcpy(values[i], "ptxas application ptx input, line 3; error: Unknown symbol");
  if (strncmp(image, "good", 4) != 0)
    return INVALID_IMAGE;
  must(stack_limit == (strncmp(image, "good rec", 8) == 0 ? 20000 : 1024), "another stack than the image asks for");
  *module = malloc(1);
  return add(&modules, 1), 0;
}

EXPORT int NAME(cuModuleUnload, hipModuleUnload)(void *module) {
  CURRENT;
  free(module);
  return add(&modules, -1), 0;
}

EXPORT int NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *module, const char *name) {
  CURRENT;
  *function = strcmp(name, "panics") ? module : (void *)&memory;
  return strcmp(name, "saxpy") && strcmp(name, "panics") ? NOT_FOUND : 0;
}

/* Every thread of block 2 panics with what it is given, unless that is 0. */
static void panics(uint32_t operand, struct offload_launch_state *state) {
  must(state != NULL, "a launch without its state");
  if (operand && !state->panic.claimed)
    state->panic = (struct offload_panic){.claimed = 1, .message = 1, .place = 1, .operands = {operand}, .block = {2}, .thread = {7}};
}

static void saxpy(uint32_t n, float a, const float *x, float *y, uint32_t threads) {
  for (uint32_t i = 0; i < n && i < threads; i++)
    y[i] += a * x[i];
}

EXPORT int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                                       unsigned by, unsigned bz, unsigned shared, void *stream,
                                                       void **arguments, void **extra) {
  CURRENT;
  (void)stream;
  must(function && gy == 1 && gz == 1 && by == 1 && bz == 1 && !extra, "an odd launch");
#ifndef HIP
  if ((int)shared > shared_limit)
    return INVALID_VALUE;
#else
  (void)shared;
#endif
  add(&launches, 1);
  if (function == &memory)
    return panics(*(uint32_t *)arguments[0], *(void **)arguments[1]), 0;
  saxpy(*(uint32_t *)arguments[0], *(float *)arguments[1], *(const float **)arguments[2], *(float **)arguments[3], gx * bx);
  return 0;
}
#endif
