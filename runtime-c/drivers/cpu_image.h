/* Images of the cpu driver. */
#ifndef OFFLOADRT_DRIVERS_CPU_IMAGE_H
#define OFFLOADRT_DRIVERS_CPU_IMAGE_H

#include "../driver.h"

#pragma GCC visibility push(hidden)
/* The part of a kernel's code that a launch needs. */
struct offload_cpu_function {
  offload_cpu_entry entry;
  uint32_t shared_bytes; /* static, per block */
};

extern const struct offloadrt_image_operations offload_cpu_images;
/* Whether the program can load images that are shared objects. */
int offload_cpu_can_load(void);

#pragma GCC visibility pop
#endif
