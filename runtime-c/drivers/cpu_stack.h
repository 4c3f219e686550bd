/* Stacks that are too small for a kernel: the fault at the end of a stack ends the kernel instead of the program. This
 * code is compiled into the image for libomptarget, like the scheduler. */
#ifndef OFFLOAD_CPU_STACK_H
#define OFFLOAD_CPU_STACK_H

#include <setjmp.h>
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* The point at which the calling thread continues when its stack is full. It is on the stack of that thread. */
struct offload_cpu_stack {
  struct offload_cpu_stack *outer; /* the one of the launch that called this launch, or null */
  jmp_buf *left;
  int value; /* the result of setjmp(*left) */
};

/* The stack on which a thread handles signals. It has room for the largest signal frame of a processor and for a handler. */
enum { OFFLOAD_CPU_SIGNAL_STACK_BYTES = 32 * 1024 };
struct offload_cpu_signal_stack {
  unsigned char bytes[OFFLOAD_CPU_SIGNAL_STACK_BYTES];
  stack_t before;
};

/* Between these two calls, a full stack of the calling thread continues at `left`. The code between them must not own
 * anything that must be freed, and must not hold a lock. */
void offload_cpu_watch_stack(struct offload_cpu_stack *stack, jmp_buf *left, int value);
void offload_cpu_forget_stack(const struct offload_cpu_stack *stack);

/* While a kernel calls a function of the host, a full stack ends the program as usual, because the function owns
 * things. The first call returns the argument of the second one. */
void *offload_cpu_leave_stack(void);
void offload_cpu_enter_stack(void *stack);

/* Between these two calls the thread runs a function of the host for a kernel, of any device. A full stack ends the program
 * with a message, as it does in a thread of Rust. The first call returns the argument of the second one. */
int offload_cpu_begin_call(void);
void offload_cpu_end_call(int outer);

/* A thread of the runtime calls these at its start and its end: it handles signals on `stack`, which belongs to the
 * thread. Other threads use their own signal stack, or get one that is freed when they end. */
void offload_cpu_set_signal_stack(struct offload_cpu_signal_stack *stack);
void offload_cpu_reset_signal_stack(const struct offload_cpu_signal_stack *stack);

/* Faults if less of the stack is left than a function of the C library needs, because such a function must not be
 * interrupted. */
void offload_cpu_reserve_stack(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
