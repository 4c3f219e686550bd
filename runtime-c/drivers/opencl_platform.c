/* Finds the OpenCL library, its platforms and their devices. This file opens no device. */
#define _GNU_SOURCE /* secure_getenv */
#include "opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../library.h"

enum { DEVICES_AT_MOST = 32, PLATFORMS_AT_MOST = 16 };

struct opencl_functions offloadrt_cl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct opencl_device_entry entries[DEVICES_AT_MOST];
static unsigned entry_count;
static char absence[512];
static int vectoriser_is_off; /* see choose_vectoriser() */

const char *offloadrt_opencl_error_name(cl_int error) {
  static const struct {
    cl_int error;
    const char *name;
  } names[] = {
      {-1, "CL_DEVICE_NOT_FOUND"},
      {-2, "CL_DEVICE_NOT_AVAILABLE"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {-30, "CL_INVALID_VALUE"},
      {-33, "CL_INVALID_DEVICE"},
      {-34, "CL_INVALID_CONTEXT"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},
      {-42, "CL_INVALID_BINARY"},
      {-44, "CL_INVALID_PROGRAM"},
      {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      {-48, "CL_INVALID_KERNEL"},
      {-49, "CL_INVALID_ARG_INDEX"},
      {-50, "CL_INVALID_ARG_VALUE"},
      {-51, "CL_INVALID_ARG_SIZE"},
      {-52, "CL_INVALID_KERNEL_ARGS"},
      {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      {-55, "CL_INVALID_WORK_ITEM_SIZE"},
      {-59, "CL_INVALID_OPERATION"},
      {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
      {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].error == error)
      return names[i].name;
  return "an error";
}

/* Returns a text property of a device, which the caller frees, or null if it is not available. */
static char *device_text(cl_device_id id, cl_uint property) {
  size_t size = 0;
  if (offloadrt_cl.GetDeviceInfo(id, property, 0, NULL, &size))
    return NULL;
  char *text = calloc(1, size + 1);
  if (text && offloadrt_cl.GetDeviceInfo(id, property, size, text, NULL)) {
    free(text);
    text = NULL;
  }
  return text;
}

static int text_has(cl_device_id id, cl_uint property, const char *word) {
  char *text = device_text(id, property);
  int has = text && strstr(text, word);
  free(text);
  return has;
}

static int find_usm_functions(struct opencl_device_entry *entry) {
  int all = 1;
  void *address;
#define FIND(name, result, parameters)                                                    \
  address = offloadrt_cl.GetExtensionFunctionAddressForPlatform(entry->platform, "cl" #name);   \
  memcpy(&entry->usm.name, &address, sizeof address);                                     \
  all = all && address;
  OPENCL_USM_FUNCTIONS(FIND)
#undef FIND
  return all;
}

/* Reads OFFLOADRT_OPENCL_MEMORY. The value `svm` disables the extension, to find out whether it causes a fault. */
static const char *wanted_memory(void) {
  const char *wanted = secure_getenv("OFFLOADRT_OPENCL_MEMORY");
  return wanted ? wanted : "";
}

static int wants_svm(void) { return strcmp(wanted_memory(), "svm") == 0; }

static int has_svm(cl_device_id id) {
  cl_bitfield capabilities = 0;
  return !offloadrt_cl.GetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL) &&
         (capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
}

/* Fills in the next entry if the device can be used. Otherwise writes the reason to `absence`. */
static void add_device(cl_platform_id platform, cl_device_id id) {
  struct opencl_device_entry *entry = &entries[entry_count];
  char *product = device_text(id, CL_DEVICE_NAME), *driver = device_text(id, CL_DRIVER_VERSION);
  *entry = (struct opencl_device_entry){.platform = platform, .id = id};
  snprintf(entry->product, sizeof entry->product, "%s", product ? product : "");
  snprintf(entry->driver, sizeof entry->driver, "%s", driver ? driver : "");
  free(product);
  free(driver);
  offloadrt_cl.GetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof entry->vendor - 1, entry->vendor, NULL);
  cl_bitfield type = 0;
  offloadrt_cl.GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  entry->lacks_lanes = vectoriser_is_off && (type & CL_DEVICE_TYPE_CPU) && strstr(entry->vendor, "Intel");
  entry->has_usm =
      !wants_svm() && text_has(id, CL_DEVICE_EXTENSIONS, "cl_intel_unified_shared_memory") && find_usm_functions(entry);
  if (!text_has(id, CL_DEVICE_IL_VERSION, "SPIR-V"))
    snprintf(absence, sizeof absence, "OpenCL device `%s` does not take SPIR-V", entry->product);
  else if (!entry->has_usm && !has_svm(id))
    snprintf(absence, sizeof absence, "OpenCL device `%s` has neither unified shared memory nor shared virtual memory",
             entry->product);
  else
    entry_count++;
}

static void add_platform(cl_platform_id platform) {
  cl_device_id ids[DEVICES_AT_MOST];
  cl_uint count = 0;
  if (offloadrt_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_AT_MOST, ids, &count))
    return;
  for (cl_uint i = 0; i < count && i < DEVICES_AT_MOST && entry_count < DEVICES_AT_MOST; i++)
    add_device(platform, ids[i]);
}

/* Intel's OpenCL for CPUs miscompiles some kernels when its vectoriser combines several threads into one, but it makes
 * subgroups only then. It reads this variable when it is loaded. If the user has set the variable, its value is kept.
 * No other OpenCL uses it. */
static const char vectoriser[] = "CL_CONFIG_USE_VECTORIZER";

static void choose_vectoriser(void) {
  if (!offloadrt_any_image_uses_lanes())
    setenv(vectoriser, "False", 0);
  const char *value = getenv(vectoriser);
  vectoriser_is_off = value && *value && strchr("fFnN0", *value);
}

static void find_devices(void) {
  if (*wanted_memory() && !wants_svm()) {
    snprintf(absence, sizeof absence, "`OFFLOADRT_OPENCL_MEMORY` is `%s`, and can be `svm` or nothing", wanted_memory());
    return;
  }
  choose_vectoriser();
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
#define SYMBOL(name, result, parameters) {"cl" #name, &offloadrt_cl.name, 0},
  static const struct offloadrt_symbol symbols[] = {OPENCL_FUNCTIONS(SYMBOL)};
#undef SYMBOL
  if (!offloadrt_open_library(names, symbols, sizeof symbols / sizeof *symbols, absence, sizeof absence))
    return;
  cl_platform_id platforms[PLATFORMS_AT_MOST];
  cl_uint count = 0;
  cl_int error = offloadrt_cl.GetPlatformIDs(PLATFORMS_AT_MOST, platforms, &count);
  if (error || !count) {
    snprintf(absence, sizeof absence, "OpenCL has no platform: %s (%d)", offloadrt_opencl_error_name(error), error);
    return;
  }
  snprintf(absence, sizeof absence, "no OpenCL platform has a device");
  for (cl_uint i = 0; i < count && i < PLATFORMS_AT_MOST; i++)
    add_platform(platforms[i]);
}

unsigned offloadrt_opencl_device_count(void) {
  pthread_once(&once, find_devices);
  return entry_count;
}

const struct opencl_device_entry *offloadrt_opencl_device(unsigned index) { return &entries[index]; }

const char *offloadrt_opencl_absence(void) { return absence; }
