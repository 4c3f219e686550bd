/* Stacks that are too small for a kernel: the fault at a stack's end leaves the kernel instead of ending the program.
 * Compiled into the x86 image for libomptarget like the scheduler. */
#ifndef OFFLOAD_CPU_STACK_H
#define OFFLOAD_CPU_STACK_H

#include <setjmp.h>
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* Where the calling thread goes on when its stack is full, on that thread's stack. */
struct offload_cpu_stack {
  struct offload_cpu_stack *outer; /* of the launch that this one is called from, or null */
  jmp_buf *left;
  int value; /* what setjmp(*left) returns */
};

/* What a thread handles signals on: room for the largest signal frame of an x86 processor, and for a handler. */
enum { OFFLOAD_CPU_SIGNAL_STACK_BYTES = 32 * 1024 };
struct offload_cpu_signal_stack {
  unsigned char bytes[OFFLOAD_CPU_SIGNAL_STACK_BYTES];
  stack_t before;
};

/* Between these two calls a full stack of the calling thread continues at `left`. What runs meanwhile may not hold
 * anything that must be given back, and no lock. */
void offload_cpu_watch_stack(struct offload_cpu_stack *stack, jmp_buf *left, int value);
void offload_cpu_forget_stack(const struct offload_cpu_stack *stack);

/* Around all that a thread of the runtime's does: signals are handled on `stack`, which is the thread's own. Other
 * threads use what they have, or get memory that is freed when they end. */
void offload_cpu_set_signal_stack(struct offload_cpu_signal_stack *stack);
void offload_cpu_reset_signal_stack(const struct offload_cpu_signal_stack *stack);

/* Faults here if less of the stack is left than a function of the C library takes, which may not be left halfway. */
void offload_cpu_reserve_stack(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
