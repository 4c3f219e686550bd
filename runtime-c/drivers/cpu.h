/* The CPU of the machine as a device. There is always exactly one, and its memory is host memory. */
#ifndef OFFLOADRT_DRIVERS_CPU_H
#define OFFLOADRT_DRIVERS_CPU_H

#include "../driver.h"

#pragma GCC visibility push(hidden)
extern const struct offloadrt_driver offloadrt_cpu_driver;
#pragma GCC visibility pop
#endif
