/* The levels of x86-64 processors, for which an object may have code: 1 for every processor, 2 to 4 for x86-64-v2 to
 * x86-64-v4. Other processors have level 1. */
#ifndef OFFLOADRT_DRIVERS_CPU_LEVEL_H
#define OFFLOADRT_DRIVERS_CPU_LEVEL_H

#include "../offloadrt.h"

#pragma GCC visibility push(hidden)
/* The level of this machine, or that of OFFLOADRT_CPU_LEVEL if it is lower. */
unsigned offload_cpu_level(void);

/* The name of a level: `x86-64-v3`. */
const char *offload_cpu_level_name(unsigned level);

/* The level in the name of an arch: 3 for `cpu:x86-64-v3`, 1 for `cpu`. A level that is not known is above all others. */
unsigned offload_cpu_level_of_arch(const char *arch);

/* Fails if OFFLOADRT_CPU_LEVEL is set and names no level. */
int offload_cpu_check_level_variable(void);

/* Whether the object has code of a kernel for a level that this machine has. */
int offload_cpu_has_entry(const struct offload_kernel *kernel);

/* The code of a kernel for the highest level that this machine has; null if there is none. */
offload_cpu_entry offload_cpu_pick_entry(const struct offload_kernel *kernel);
#pragma GCC visibility pop
#endif
