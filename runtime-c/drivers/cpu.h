/* The machine's own processor as a device: always there, one of it, its memory is the host's. */
#ifndef OFFLOADRT_DRIVERS_CPU_H
#define OFFLOADRT_DRIVERS_CPU_H

#include "../driver.h"

#pragma GCC visibility push(hidden)
extern const struct offloadrt_driver offloadrt_cpu_driver;
#pragma GCC visibility pop
#endif
