/* Runs the blocks of a cpu kernel on the cores of the machine. The cpu driver uses it, and it is compiled a second time
 * into the image for libomptarget. It therefore needs only libc and threads, keeps no state between calls except a
 * signal handler (cpu_stack.h), and exports nothing from a shared object. */
#ifndef OFFLOAD_CPU_SCHEDULER_H
#define OFFLOAD_CPU_SCHEDULER_H

#include "../offloadrt.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* Calls `entry` once for every block of `grid`, in no particular order and on several threads, and returns when all
 * have run. Returns 0, or the reason why a block could not run; some other blocks have then not run either. No count in
 * `grid` or `block` may be 0, and the grid must have fewer than 2^63 blocks. `arguments` is the packed argument buffer,
 * which is only read. `state` is the state of the launch, for kernels that take it. A thread that panics records this
 * there and ends its block; the other blocks still run.
 *
 * Several threads may call the function at the same time, and an entry may call it. OFFLOADRT_CPU_THREADS in the
 * environment limits the number of threads of one call; otherwise the limit is the number of cores that this process
 * may use. */
int offload_cpu_run(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                    struct offload_launch_state *state);

/* The begin of the checker's launch. */
struct offload_cpu_check {
  /* A thread has run its last block, and frees its workgroup memory next. */
  void (*finish)(void);
};

/* The same with the checker's launch, which the blocks receive; null if the kernel is not instrumented. */
int offload_cpu_run_checked(offload_cpu_entry entry, const uint32_t grid[3], const uint32_t block[3],
                            uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes, const unsigned char *arguments,
                            struct offload_launch_state *state, struct offload_cpu_check *check);

/* The memory of the frames of a block that runs. */
void *offload_cpu_frames(const struct offload_cpu_block *block, size_t *bytes);

/* Their results other than 0. */
enum { OFFLOAD_CPU_OUT_OF_MEMORY = 1, OFFLOAD_CPU_STACK_FULL, OFFLOAD_CPU_FAILURES };

/* Prints a result to standard error and ends the program; for callers that cannot return it. */
_Noreturn void offload_cpu_end(int result, const char *kernel);

/* Returns the limit of the number of threads. */
unsigned offload_cpu_threads(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
