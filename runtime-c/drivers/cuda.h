/* NVIDIA's GPUs. */
#ifndef OFFLOADRT_DRIVERS_CUDA_H
#define OFFLOADRT_DRIVERS_CUDA_H

#include "../driver.h"

#pragma GCC visibility push(hidden)
extern const struct offloadrt_driver offloadrt_cuda_driver;
#pragma GCC visibility pop
#endif
