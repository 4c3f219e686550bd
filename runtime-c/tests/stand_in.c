/* A stand-in for libcuda or libamdhip64 on machines without a GPU. It has one device of an old arch, whose memory is
 * host memory and whose kernels are `saxpy`, `panics`, `fails` and `writes`. It checks the driver: a call without a
 * current device, or an object that still exists at the end, ends the program. It is built as CUDA, or as HIP if HIP is
 * defined. If EMPTY is defined, it has no functions. */
#ifndef EMPTY
#include <pthread.h>
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

enum { INVALID_IMAGE = 218, NO_BINARY = 209, NOT_FOUND = 500, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_READY = 600, INJECTED = 999 };

static _Thread_local int current;
static atomic_int contexts;
/* Contexts that a program has created: on device 0 and on device 1. */
static char created[2];

static void must(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "stand-in: %s\n", what);
  _Exit(3);
}

/* The kinds of objects that exist. */
enum kind { MEMORY, PINNED, EVENT, STREAM, MODULE };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  void *address;
  enum kind kind;
} held[1000];
static int held_count;

static int add_object(void *place, size_t bytes, enum kind kind) {
  void *address = calloc(1, bytes);
  pthread_mutex_lock(&lock);
  must(address && held_count < 1000, "no room");
  held[held_count].address = address;
  held[held_count++].kind = kind;
  pthread_mutex_unlock(&lock);
  memcpy(place, &address, sizeof address);
  return 0;
}

static void take_back(void *address, enum kind kind) {
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < held_count && !(held[i].address == address && held[i].kind == kind))
    i++;
  must(i < held_count, "what was given back is not held, or something else");
  held[i] = held[--held_count];
  pthread_mutex_unlock(&lock);
  free(address);
}

/* Failures on demand: the call with this number fails. FAILS_ONCE: only that call. FAILS_ON: also every later call, as
 * after a fault of a kernel. IS_GONE: only calls that make the device current are counted, and from that one on all of
 * them fail, as if the program had reset the device; its objects no longer exist. Functions that free an object still
 * free it. */
enum { FAILS_ONCE, FAILS_ON, IS_GONE };
static int calls_left, mode;
static const char *failed; /* the first call that failed */

EXPORT const char *stand_in_failed(void) { return failed; }
EXPORT void *stand_in_context(int device) { return &created[device]; }
EXPORT int stand_in_objects(void) { return current + contexts + held_count; }
EXPORT void stand_in_fail(int call, int how) {
  calls_left = call;
  mode = how;
  failed = NULL;
}

static int fails(const char *function) {
  if (!calls_left || --calls_left)
    return 0;
  calls_left = mode != FAILS_ONCE;
  failed = failed ? failed : function;
  return INJECTED;
}

static int fails_to_enter(const char *function) {
  int error = mode == IS_GONE ? fails(function) : 0;
  while (error && held_count)
    take_back(held[0].address, held[0].kind);
  return error;
}

/* The injected error of this call. */
#define INJECTED_ERROR (mode == IS_GONE ? 0 : fails(__func__))
#define GIVES_BACK must(current, __func__)
#define CURRENT              \
  do {                       \
    must(current, __func__); \
    FAIL;                    \
  } while (0)
#define FAIL                      \
  do {                            \
    int error_ = INJECTED_ERROR;  \
    if (error_)                   \
      return error_;              \
  } while (0)

__attribute__((destructor)) static void leave(void) {
  must(!current, "the device was left current");
  must(!stand_in_objects(), "something was not given back");
}

/* Attributes: their numbers in CUDA and in HIP, and their value. */
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
EXPORT int hipDeviceGetAttribute(int *value, int which, int device) { return *value = attribute(which), device + INJECTED_ERROR; }
EXPORT int hipInit(unsigned flags) { return (int)flags + INJECTED_ERROR; }
EXPORT int hipGetDeviceCount(int *count) { return *count = 1, INJECTED_ERROR; }
EXPORT int hipGetDevice(int *device) { return *device = current ? 0 : 7, fails_to_enter(__func__); }
/* Restoring the device of the program does not fail. */
EXPORT int hipSetDevice(int device) {
  if (device == 0 && fails_to_enter(__func__))
    return INJECTED;
  return current = device == 0, 0;
}
EXPORT const char *hipGetErrorName(int error) { return error == INVALID_IMAGE ? "hipErrorInvalidImage" : "hipError"; }
EXPORT const char *hipGetErrorString(int error) { return error == INVALID_IMAGE ? "device kernel image is invalid" : "?"; }
EXPORT int hipGetDevicePropertiesR0600(char *properties, int device) {
  FAIL;
  strcpy(properties, "Stand-in");
  strcpy(properties + 1160, "gfx906:sramecc+:xnack-");
  return device;
}
EXPORT int hipGetDeviceProperties(char *properties, int device) {
  strcpy(properties + 396, "the old layout");
  return device;
}
#else
EXPORT int cuInit(unsigned flags) { return (int)flags + INJECTED_ERROR; }
EXPORT int cuDeviceGetCount(int *count) { return *count = 1, INJECTED_ERROR; }
EXPORT int cuDeviceGet(int *device, int index) { return *device = index, INJECTED_ERROR; }
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  FAIL;
  return snprintf(name, (size_t)size, "Stand-in"), device;
}
EXPORT int cuDeviceGetAttribute(int *value, int which, int device) {
  FAIL;
  return *value = attribute(which), device;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  FAIL;
  contexts++;
  return *context = &contexts, device;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  contexts--;
  return device + INJECTED_ERROR;
}
static _Thread_local void *entered;
EXPORT int cuCtxPushCurrent_v2(void *context) {
  if (fails_to_enter(__func__))
    return INJECTED;
  entered = context;
  return current++, context != &contexts && context != &created[0] && context != &created[1];
}
EXPORT int cuCtxGetDevice(int *device) { return *device = entered == &created[1], INJECTED_ERROR; }
EXPORT int cuCtxPopCurrent_v2(void **context) { return *context = NULL, current--, INJECTED_ERROR; }
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
  FAIL;
  return *bytes = (size_t)3 << 30, device;
}

/* `panics`; `fails`, which always panics; and `writes`, which panics after it has written. */
static int panics_functions[3];

/* `panics` needs so many registers that a block has at most 512 threads. */
EXPORT int NAME(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int which, void *function) {
  CURRENT;
  *value = which == 1 ? 100 : function == &panics_functions[0] ? 512 : 1024;
  return which > 1 || !function;
}

EXPORT int NAME(cuMemAlloc_v2, hipMalloc)(void **address, size_t bytes) {
  CURRENT;
  if (bytes >> 40)
    return OUT_OF_MEMORY;
  return add_object(address, bytes, MEMORY);
}

EXPORT int NAME(cuMemFree_v2, hipFree)(void *address) {
  GIVES_BACK;
  take_back(address, MEMORY);
  return INJECTED_ERROR;
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

/* The flags must be those of pinned memory for every device, and for HIP's unified memory also those of mapped
 * memory. */
EXPORT int NAME(cuMemHostAlloc, hipHostMalloc)(void **address, size_t bytes, unsigned flags) {
  CURRENT;
  must(flags == 1 || ((NAME(0, 1) || failed) && flags == 3), "odd flags for pinned memory");
  if (bytes >> 40)
    return OUT_OF_MEMORY;
  return add_object(address, bytes, PINNED);
}

EXPORT int NAME(cuMemFreeHost, hipHostFree)(void *address) {
  GIVES_BACK;
  take_back(address, PINNED);
  return INJECTED_ERROR;
}

EXPORT int NAME(cuMemAllocManaged, hipMallocManaged)(void **address, size_t bytes, unsigned flags) {
  must(flags == 1 && !NAME(0, 1), "managed memory where the host could not use it");
  return NAME(cuMemAlloc_v2, hipMalloc)(address, bytes);
}

/* An event is complete after a call has waited for it, or for its stream. */
struct event {
  int recorded, waited_for, at;
};
static atomic_int clock_ticks, waited_until;
static int is_over(const struct event *event) { return event->waited_for || event->at <= waited_until; }

EXPORT int NAME(cuEventCreate, hipEventCreateWithFlags)(struct event **event, unsigned flags) {
  CURRENT;
  return add_object(event, sizeof **event, EVENT) + (int)flags;
}

EXPORT int NAME(cuEventDestroy_v2, hipEventDestroy)(struct event *event) {
  GIVES_BACK;
  take_back(event, EVENT);
  return INJECTED_ERROR;
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
  return is_over(event) ? 0 : NOT_READY;
}

EXPORT int NAME(cuEventElapsedTime, hipEventElapsedTime)(float *milliseconds, struct event *from, struct event *to) {
  CURRENT;
  *milliseconds = (float)(to->at - from->at);
  return is_over(from) && is_over(to) ? 0 : NOT_READY;
}

EXPORT int NAME(cuStreamWaitEvent, hipStreamWaitEvent)(void *stream, struct event *event, unsigned flags) {
  CURRENT;
  (void)stream;
  must(event->recorded, "a wait for an event that was not recorded");
  return (int)flags;
}

EXPORT int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned flags) {
  CURRENT;
  return add_object(stream, 1, STREAM) + (flags != 1);
}

EXPORT int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *stream) {
  GIVES_BACK;
  take_back(stream, STREAM);
  return INJECTED_ERROR;
}

EXPORT int NAME(cuStreamSynchronize, hipStreamSynchronize)(void *stream) {
  CURRENT;
  (void)stream;
  waited_until = clock_ticks;
  return 0;
}

EXPORT int NAME(cuCtxSynchronize, hipDeviceSynchronize)(void) {
  CURRENT;
  waited_until = clock_ticks;
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

/* An image is valid if it begins with "good". One that begins with "code" is for another GPU. For CUDA, it is a string, and there is a log. */
EXPORT int NAME(cuModuleLoadDataEx, hipModuleLoadDataEx)(void **module, const char *image, unsigned count, int *options,
                                                         void **values) {
  CURRENT;
#ifndef HIP
  must(strlen(image) == 8, "PTX without an end");
#endif
  if (strncmp(image, "code", 4) == 0)
    return NO_BINARY;
  for (unsigned i = 0; i < count; i++)
    if (options[i] == 5 && strncmp(image, "good", 4) != 0)
      strcpy(values[i], "ptxas application ptx input, line 3; error: Unknown symbol");
  if (strncmp(image, "good", 4) != 0)
    return INVALID_IMAGE;
  must(stack_limit == (strncmp(image, "good rec", 8) == 0 ? 20000 : 1024), "another stack than the image asks for");
  return add_object(module, 1, MODULE);
}

EXPORT int NAME(cuModuleUnload, hipModuleUnload)(void *module) {
  GIVES_BACK;
  take_back(module, MODULE);
  return INJECTED_ERROR;
}

EXPORT int NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *module, const char *name) {
  CURRENT;
  int which = !strcmp(name, "panics") ? 1 : !strcmp(name, "fails") ? 2 : !strcmp(name, "writes") ? 3 : 0;
  *function = which ? &panics_functions[which - 1] : module;
  return which || !strcmp(name, "saxpy") ? 0 : NOT_FOUND;
}

/* Every thread of block 2 panics with `operand`, unless it is 0. */
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
  if (function == &panics_functions[0])
    return panics(*(uint32_t *)arguments[0], *(void **)arguments[1]), 0;
  if (function == &panics_functions[1])
    return panics(7, *(void **)arguments[0]), 0;
  if (function == &panics_functions[2])
    return **(float **)arguments[1] = **(float **)arguments[0], panics(7, *(void **)arguments[2]), 0;
  saxpy(*(uint32_t *)arguments[0], *(float *)arguments[1], *(const float **)arguments[2], *(float **)arguments[3], gx * bx);
  return 0;
}
#endif
