/* Modules of the `mgpu` functions, which `mgpuModuleLoad` makes from an image. */
#ifndef OFFLOADRT_MGPU_MODULE_H
#define OFFLOADRT_MGPU_MODULE_H

#include "../offloadrt.h"

#pragma GCC visibility push(hidden)

struct mgpu_module;

/* Makes a module of PTX, SPIR-V or a fat binary of CUDA, and registers its kernels. `size` is 0 for text that ends with
 * NUL. Returns null, or a reason. */
const char *mgpu_load(const unsigned char *image, size_t size, struct mgpu_module **module);
void mgpu_unload(struct mgpu_module *module);
/* The kernel of this name, or null. */
const struct offload_kernel *mgpu_find(const struct mgpu_module *module, const char *name);
/* The driver for the images of the first module that was loaded, as in the names of devices; or null. */
const char *mgpu_driver(void);

#pragma GCC visibility pop
#endif
