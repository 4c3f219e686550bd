/* AMD's GPUs. */
#ifndef OFFLOADRT_DRIVERS_HIP_H
#define OFFLOADRT_DRIVERS_HIP_H

#include "../driver.h"

#pragma GCC visibility push(hidden)
extern const struct offloadrt_driver offloadrt_hip_driver;
#pragma GCC visibility pop
#endif
