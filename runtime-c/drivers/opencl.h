/* Devices of an OpenCL that takes SPIR-V and kernel arguments that are addresses. */
#ifndef OFFLOADRT_DRIVERS_OPENCL_H
#define OFFLOADRT_DRIVERS_OPENCL_H

#include "../driver.h"
#include "opencl_api.h"

#pragma GCC visibility push(hidden)

extern const struct offloadrt_driver offloadrt_opencl_driver;

/* A device that can run what offloadc makes; found once, never given back. */
struct opencl_device_entry {
  cl_platform_id platform;
  cl_device_id id;
  char vendor[64];
  char product[96];
  int has_usm; /* else its memory is shared virtual memory */
  struct opencl_usm_functions usm;
};

/* OpenCL's functions; valid once there is an entry. */
extern struct opencl_functions offloadrt_cl;

/* Loads the library at the first call, and gives every usable device of every platform. */
unsigned offloadrt_opencl_device_count(void);
const struct opencl_device_entry *offloadrt_opencl_device(unsigned index);
/* Why there is none. */
const char *offloadrt_opencl_absence(void);

/* `CL_OUT_OF_RESOURCES` for -5, and so on; never null. */
const char *offloadrt_opencl_error_name(cl_int error);

#pragma GCC visibility pop
#endif
