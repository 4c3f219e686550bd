/* Arguments that are the same in all launches of a kernel (invariants.c). */
#ifndef OFFLOADRT_INVARIANTS_H
#define OFFLOADRT_INVARIANTS_H

#include "../driver.h"

#pragma GCC visibility push(hidden)

/* Compares the packed arguments and the size of the block with those of the kernel's earlier launches. The log of the
 * process ends with the values that were the same in all of them. It is called only while there is a log. */
void offloadrt_note_launch(const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                           const unsigned char *arguments);

#pragma GCC visibility pop
#endif
