/* The kernels of an image that another compiler has made, with the sizes of their parameters. `mgpuLaunchKernel` gets
 * pointers to arguments and no sizes, so these are read in the image. */
#ifndef OFFLOADRT_MGPU_KERNELS_H
#define OFFLOADRT_MGPU_KERNELS_H

#include "../offloadrt.h"

#pragma GCC visibility push(hidden)

enum { MGPU_PARAMETERS = 256 };

/* A kernel. The pointers are valid as long as the image. */
struct mgpu_kernel {
  const char *name;
  size_t name_size; /* without an end */
  uint32_t parameter_count;
  struct offload_parameter parameters[MGPU_PARAMETERS];
  uint32_t argument_bytes, argument_align;
};

/* Calls `visit` with each kernel. Returns null, or the reason why the image cannot be read. */
typedef void mgpu_visit(const struct mgpu_kernel *kernel, void *context);
const char *mgpu_spirv_kernels(const unsigned char *image, size_t size, mgpu_visit *visit, void *context);
const char *mgpu_ptx_kernels(const char *text, mgpu_visit *visit, void *context);

/* Whether kernels of the SPIR-V use the lanes of a warp, which the driver of OpenCL needs. */
int mgpu_spirv_uses_lanes(const unsigned char *image, size_t size);

/* Appends a parameter. Returns null, or a reason. */
const char *mgpu_add_parameter(struct mgpu_kernel *kernel, uint64_t size, uint64_t align, uint32_t kind);

#pragma GCC visibility pop
#endif
