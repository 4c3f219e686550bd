/* The OpenCL driver's programs. Each open device has a context, to which its programs belong, and a device can be opened
 * many times. The second program from the same SPIR-V is therefore made from the binary of the first: Intel's compiler
 * takes seconds for a large image. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A binary, and all that it depends on. It does not belong to a context. */
struct built {
  struct built *next;
  cl_device_id id;
  size_t source_bytes, binary_bytes;
  char options[128];
  unsigned char bytes[]; /* the SPIR-V, and after it the binary */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct built *all; /* protected by `lock`; an entry never changes */

/* Calls nothing of OpenCL, which can be unloaded already. */
static __attribute__((destructor)) void free_all(void) {
  while (all) {
    struct built *next = all->next;
    free(all);
    all = next;
  }
}

/* Whether the device can round division and square root of floats correctly. OpenCL does this only if the program
 * requests it. */
static int rounds_correctly(cl_device_id id) {
  cl_bitfield abilities = 0;
  return !offloadrt_cl.GetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof abilities, &abilities, NULL) &&
         (abilities & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
}

/* Returns the log of the device compiler, which the caller frees, or null. */
static char *build_log(cl_device_id id, cl_program program) {
  size_t size = 0;
  if (offloadrt_cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
    return NULL;
  char *log = calloc(1, size + 1);
  if (log && offloadrt_cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
    *log = 0;
  return log;
}

static int build_failed(const struct opencl_device *device, const char *log, cl_int error) {
  return offloadrt_fail(OFFLOADRT_FAILED, "device `opencl:%u` (%s) could not build the SPIR-V image: %s (%d)%s%s",
                        device->index, device->entry->product, offloadrt_opencl_error_name(error), error, log ? "\n" : "",
                        log ? log : "");
}

/* Returns the binary of an earlier program from the same SPIR-V, or null. */
static const struct built *find(cl_device_id id, const char *options, const void *source, size_t bytes) {
  pthread_mutex_lock(&lock);
  const struct built *built = all;
  while (built && !(built->id == id && built->source_bytes == bytes && !strcmp(built->options, options) &&
                    !memcmp(built->bytes, source, bytes)))
    built = built->next;
  pthread_mutex_unlock(&lock);
  return built;
}

/* Keeps the binary of a program. Without memory, or if OpenCL does not give it, the next program is compiled. */
static void keep(cl_program program, cl_device_id id, const char *options, const void *source, size_t bytes) {
  size_t binary_bytes = 0;
  if (offloadrt_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_bytes, &binary_bytes, NULL) || !binary_bytes)
    return;
  struct built *built = malloc(sizeof *built + bytes + binary_bytes);
  if (!built)
    return;
  *built = (struct built){.id = id, .source_bytes = bytes, .binary_bytes = binary_bytes};
  snprintf(built->options, sizeof built->options, "%s", options);
  memcpy(built->bytes, source, bytes);
  unsigned char *binary = built->bytes + bytes;
  if (offloadrt_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)) {
    free(built);
    return;
  }
  pthread_mutex_lock(&lock);
  built->next = all;
  all = built;
  pthread_mutex_unlock(&lock);
}

/* Makes a program from a binary; null if the device refuses it. */
static cl_program from_binary(const struct opencl_device *device, const struct built *built) {
  cl_int error;
  const unsigned char *binary = built->bytes + built->source_bytes;
  cl_program program = offloadrt_cl.CreateProgramWithBinary(device->context, 1, &device->entry->id, &built->binary_bytes,
                                                            &binary, NULL, &error);
  if (program && offloadrt_cl.BuildProgram(program, 1, &device->entry->id, built->options, NULL, NULL)) {
    offloadrt_cl.ReleaseProgram(program);
    program = NULL;
  }
  return program;
}

int offloadrt_opencl_build(const struct opencl_device *device, const struct offloadrt_image *image, cl_program *result) {
  cl_device_id id = device->entry->id;
  size_t bytes = (size_t)(image->end - image->begin);
  char options[sizeof((struct built *)0)->options];
  snprintf(options, sizeof options, "%s%s", rounds_correctly(id) ? "-cl-fp32-correctly-rounded-divide-sqrt " : "", image->options);
  const struct built *built = find(id, options, image->begin, bytes);
  if (built && (*result = from_binary(device, built))) {
    offloadrt_log("opencl:%u: the program is made from the binary of the one that was built before", device->index);
    return OFFLOADRT_SUCCESS;
  }
  cl_int error;
  cl_program program = offloadrt_cl.CreateProgramWithIL(device->context, image->begin, bytes, &error);
  if (!program)
    return build_failed(device, NULL, error);
  error = offloadrt_cl.BuildProgram(program, 1, &id, options, NULL, NULL);
  char *log = build_log(id, program);
  if (log)
    offloadrt_log("opencl:%u: build log: %s", device->index, log);
  int status = error ? build_failed(device, log, error) : OFFLOADRT_SUCCESS;
  free(log);
  if (error) {
    offloadrt_cl.ReleaseProgram(program);
    return status;
  }
  if (!built)
    keep(program, id, options, image->begin, bytes);
  *result = program;
  return OFFLOADRT_SUCCESS;
}
