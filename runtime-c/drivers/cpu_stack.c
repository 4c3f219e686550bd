/* A handler for SIGSEGV that detects the end of a stack. See cpu_stack.h.
 *
 * Kernels touch their frames page by page (`"probe-stack"="inline-asm"`), so the first access beyond a stack is close
 * to the stack pointer, and faults because nothing is mapped there. Such a fault is the end of a stack, whatever its
 * size and whoever allocated it. All other faults are passed on to the previous handler.
 *
 * In a function of the host that a kernel has called, such a fault ends the program with a message.
 *
 * The handler remains after a launch, because installing it takes as long as an empty launch. It is removed when the
 * shared object that contains this code is closed. */
#define _GNU_SOURCE /* the registers in ucontext_t */
#include "cpu_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  PAGE = 4096,
  RESERVE = 16 * 1024, /* more than fwrite and free need, including the dynamic linker that binds them */
};

/* Uses the static TLS model also in a shared object, because the handler must not allocate a thread's variables at
 * their first use. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct offload_cpu_stack *current;
static _Thread_local __attribute__((tls_model("initial-exec"))) int has_signal_stack;
static _Thread_local __attribute__((tls_model("initial-exec"))) int calls_host;

static struct sigaction previous; /* the previous handler */
static int installed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t signal_stacks; /* the signal stacks that were allocated */
static int has_key;

/* The handler ----------------------------------------------------------------------------------- */

static uintptr_t stack_pointer(const ucontext_t *context) {
#ifdef __aarch64__
  return (uintptr_t)context->uc_mcontext.sp;
#else
  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#endif
}

static int is_end_of_stack(const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code != SEGV_MAPERR && info->si_code != SEGV_ACCERR)
    return 0;
  uintptr_t address = (uintptr_t)info->si_addr, pointer = stack_pointer(context);
  /* A frame smaller than a page is not probed, and its bytes are accessed in any order. A red zone is below the
   * pointer. */
  return address + PAGE >= pointer && address < pointer + 2 * PAGE;
}

/* Handles the signal as if this handler did not exist. */
static void pass_on(int signal, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    /* A fault occurs again when this handler returns. A signal that was sent does not. */
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

/* The function owns things, so nothing can go on. */
static void end_program(void) {
  static const char text[] = "\na function of the host that a kernel has called overflowed its stack: a thread of the runtime "
                             "has the stack that `ulimit -s` says; help: run what needs more on a thread of your own\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
  abort();
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  struct offload_cpu_stack *stack = current;
  if (stack && is_end_of_stack(info, context))
    longjmp(*stack->left, stack->value);
  if (!stack && calls_host && is_end_of_stack(info, context))
    end_program();
  pass_on(signal, info, context);
}

/* The signal is not blocked during its handler, because longjmp() leaves the handler. */
static void install(void) {
  struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&ours.sa_mask);
  installed = sigaction(SIGSEGV, NULL, &previous) == 0 && sigaction(SIGSEGV, &ours, NULL) == 0;
}

void *offload_cpu_leave_stack(void) {
  struct offload_cpu_stack *stack = current;
  current = NULL;
  return stack;
}

void offload_cpu_enter_stack(void *stack) { current = stack; }

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

/* Without memory for a signal stack, a full stack ends the program, as usual. */
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

/* Runs when the program ends or when this shared object is closed. If another handler was installed since, it remains.
 * Signal stacks of other threads that continue to run are never freed. */
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

static void watch(void) {
  pthread_once(&once, prepare);
  if (!has_signal_stack)
    find_signal_stack();
}

int offload_cpu_begin_call(void) {
  watch();
  int outer = calls_host;
  calls_host = 1;
  return outer;
}

void offload_cpu_end_call(int outer) { calls_host = outer; }

void offload_cpu_watch_stack(struct offload_cpu_stack *stack, jmp_buf *left, int value) {
  watch();
  *stack = (struct offload_cpu_stack){.outer = current, .left = left, .value = value};
  current = stack;
}

void offload_cpu_forget_stack(const struct offload_cpu_stack *stack) { current = stack->outer; }

/* Touches the pages from the top down, in the direction in which a stack grows. */
void offload_cpu_reserve_stack(void) {
  unsigned char room[RESERVE];
  for (int at = RESERVE - PAGE; at >= 0; at -= PAGE)
    *(volatile unsigned char *)(room + at) = 0;
}
