/* Runs a cpu kernel's blocks over the machine's cores. Used by the cpu driver, and compiled a second
 * time into the x86 image for libomptarget: so it needs libc and threads only, keeps no state between
 * calls but a signal handler (cpu_stack.h), and exports nothing from a shared object. */
#ifndef OFFLOAD_CPU_SCHEDULER_H
#define OFFLOAD_CPU_SCHEDULER_H

#include "../offloadrt.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* Calls `entry` once for every block of `grid`, in no particular order and on several threads, and
 * returns when all have run: 0, or why some could not, and then others have not run either. No count
 * in `grid` or `block` may be 0, and the grid has less than 2^63 blocks. `arguments` is the packed
 * argument buffer, read only. `state` is the launch's, for kernels that take it; a thread that panics
 * ends its block there, and the other blocks run all the same.
 *
 * May be called from many threads at once, and from within an entry. OFFLOADRT_CPU_THREADS in the
 * environment bounds the number of threads of one call; without it, the cores this process may use. */
int offload_cpu_run(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                    struct offload_launch_state *state);

/* What it returns beside 0. */
enum { OFFLOAD_CPU_OUT_OF_MEMORY = 1, OFFLOAD_CPU_STACK_FULL, OFFLOAD_CPU_FAILURES };

/* Says so on standard error and ends the program, where no call can return it. */
_Noreturn void offload_cpu_end(int result, const char *kernel);

/* That bound. */
unsigned offload_cpu_threads(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
