/* The rules for which images run on which devices of CUDA and HIP. They call no library. */
#ifndef OFFLOADRT_DRIVERS_FIT_H
#define OFFLOADRT_DRIVERS_FIT_H

#include "../driver.h"

#pragma GCC visibility push(hidden)

/* The functions `fit` of the two drivers' tables. `arch` is the arch of the device, such as "sm_90" or
 * "gfx90a:sramecc+:xnack-". */
int offloadrt_cuda_fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity);
int offloadrt_hip_fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity);

#pragma GCC visibility pop
#endif
