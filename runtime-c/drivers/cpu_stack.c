/* A handler for SIGSEGV that knows the end of a stack when it sees it. See cpu_stack.h.
 *
 * Kernels touch their frames page by page (`"probe-stack"="inline-asm"`), so the first access beyond a stack is close to
 * the stack pointer, and faults. Nothing that is mapped is there: such a fault is the end of a stack, whoever made it and
 * however large it is. All other faults are the business of the handler that was there before.
 *
 * The handler stays after a launch, because to install it costs as much as an empty launch. It goes when the shared
 * object that holds this code is closed. */
#define _GNU_SOURCE /* REG_RSP */
#include "cpu_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

enum {
  PAGE = 4096,
  RESERVE = 16 * 1024, /* more than fwrite and free take, and the dynamic linker that binds them */
};

/* Static in a shared object, too: the handler may not allocate what a thread has not used yet. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct offload_cpu_stack *current;
static _Thread_local __attribute__((tls_model("initial-exec"))) int has_signal_stack;

static struct sigaction previous; /* the handler that was there before */
static int installed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t signal_stacks; /* those that were allocated */
static int has_key;

/* The handler ----------------------------------------------------------------------------------- */

static int is_end_of_stack(const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code != SEGV_MAPERR && info->si_code != SEGV_ACCERR)
    return 0;
  uintptr_t address = (uintptr_t)info->si_addr, pointer = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  /* A frame below the size of a page is not probed, and is used in any order; a red zone lies below the pointer. */
  return address + PAGE >= pointer && address < pointer + 2 * PAGE;
}

/* Does what would have been done without us. */
static void pass_on(int signal, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    /* A fault comes again when this returns; a signal that was sent does not. */
    int sent = info->si_code <= 0;
    if (sent && previous.sa_handler == SIG_IGN)
      return;
    sigaction(signal, &previous, NULL);
    if (sent)
      raise(signal);
  } else {
    previous.sa_handler(signal);
  }
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  struct offload_cpu_stack *stack = current;
  if (stack && is_end_of_stack(info, context))
    longjmp(*stack->left, stack->value);
  pass_on(signal, info, context);
}

/* The signal is not blocked while it is handled, since the handler is left by longjmp(). */
static void install(void) {
  struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&ours.sa_mask);
  installed = sigaction(SIGSEGV, NULL, &previous) == 0 && sigaction(SIGSEGV, &ours, NULL) == 0;
}

/* Stacks for it --------------------------------------------------------------------------------- */

static int use_signal_stack(void *bytes, stack_t *before) {
  stack_t stack = {.ss_sp = bytes, .ss_size = OFFLOAD_CPU_SIGNAL_STACK_BYTES, .ss_flags = bytes ? 0 : SS_DISABLE};
  return sigaltstack(&stack, before);
}

static void free_signal_stack(void *bytes) {
  use_signal_stack(NULL, NULL);
  free(bytes);
}

static void prepare(void) {
  install();
  has_key = pthread_key_create(&signal_stacks, free_signal_stack) == 0;
}

/* Without memory for one, a full stack ends the program, as it does anywhere else. */
static void find_signal_stack(void) {
  stack_t found;
  has_signal_stack = 1;
  if (!has_key || sigaltstack(NULL, &found) || !(found.ss_flags & SS_DISABLE))
    return;
  void *bytes = malloc(OFFLOAD_CPU_SIGNAL_STACK_BYTES);
  if (bytes && pthread_setspecific(signal_stacks, bytes) == 0)
    use_signal_stack(bytes, NULL);
  else
    free(bytes);
}

void offload_cpu_set_signal_stack(struct offload_cpu_signal_stack *stack) {
  if (use_signal_stack(stack->bytes, &stack->before))
    stack->before = (stack_t){.ss_flags = SS_DISABLE};
  has_signal_stack = 1;
}

void offload_cpu_reset_signal_stack(const struct offload_cpu_signal_stack *stack) { sigaltstack(&stack->before, NULL); }

/* When the program ends, or this shared object is closed. Another handler may have been installed since, which then
 * stays. Signal stacks of other threads that go on are theirs for good. */
static __attribute__((destructor)) void uninstall(void) {
  struct sigaction now;
  if (installed && sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault)
    sigaction(SIGSEGV, &previous, NULL);
  if (!has_key)
    return;
  void *bytes = pthread_getspecific(signal_stacks);
  pthread_key_delete(signal_stacks);
  if (bytes)
    free_signal_stack(bytes);
}

/* Launches -------------------------------------------------------------------------------------- */

void offload_cpu_watch_stack(struct offload_cpu_stack *stack, jmp_buf *left, int value) {
  pthread_once(&once, prepare);
  if (!has_signal_stack)
    find_signal_stack();
  *stack = (struct offload_cpu_stack){.outer = current, .left = left, .value = value};
  current = stack;
}

void offload_cpu_forget_stack(const struct offload_cpu_stack *stack) { current = stack->outer; }

/* From the top down, as a stack grows. */
void offload_cpu_reserve_stack(void) {
  unsigned char room[RESERVE];
  for (int at = RESERVE - PAGE; at >= 0; at -= PAGE)
    *(volatile unsigned char *)(room + at) = 0;
}
