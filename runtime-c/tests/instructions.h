/* The instructions of a launch, each of which is looked at before it is executed. */
#ifndef OFFLOADRT_TESTS_INSTRUCTIONS_H
#define OFFLOADRT_TESTS_INSTRUCTIONS_H

#include <signal.h>
#include <ucontext.h>

#include "check.h"

/* Looks at each instruction before it is executed. */
static volatile sig_atomic_t asked_processor, executed;
static void look(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  const unsigned char *next = (const unsigned char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  executed++;
  asked_processor += next[0] == 0x0f && next[1] == 0xa2; /* cpuid */
}

/* Changes the flags of the processor, of which 0x100 is the one for a trap after each instruction. The pushed word must
 * not overwrite the red zone, which the compiler uses below the stack pointer. */
#define CHANGE_FLAGS(change)                                                                     \
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" \
                   ::: "cc", "memory")

/* The instruction that identifies the processor (cpuid) traps in a virtual machine, which takes long: a launch must not
 * execute it. */
static void check_launch_instructions(offloadrt_device *device, offload_cpu_entry entry, void *cells) {
  static const struct offload_parameter row[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
  static struct offload_kernel_levels kernel = {
      {.size = sizeof kernel, .version = OFFLOAD_KERNEL_VERSION, .name = "of_level", .parameters = row,
       .parameter_count = 1, .argument_bytes = 8, .argument_align = 8, .flags = OFFLOAD_KERNEL_HAS_LEVELS}, {NULL}};
  static struct offload_descriptor of_levels = {.size = sizeof of_levels, .version = OFFLOAD_DESCRIPTOR_VERSION,
                                                .kernels = &kernel.kernel, .kernel_count = 1};
  struct sigaction old, action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
  kernel.kernel.cpu_entry = kernel.entries[0] = entry;
  offloadrt_register(&of_levels);
  offloadrt_argument arguments[] = {ARGUMENT(cells)};
  offloadrt_launch_config config = shape(1, 1, 1, 8, 1, 1);
  CHECK(offloadrt_launch(device, NULL, &kernel.kernel, &config, arguments, 1) == OFFLOADRT_SUCCESS);
  CHECK(sigaction(SIGTRAP, &action, &old) == 0);
  CHANGE_FLAGS("orq $0x100, (%%rsp)");
  int result = offloadrt_launch(device, NULL, &kernel.kernel, &config, arguments, 1);
  CHANGE_FLAGS("andq $~0x100, (%%rsp)");
  CHECK(sigaction(SIGTRAP, &old, NULL) == 0);
  CHECK(result == OFFLOADRT_SUCCESS);
  CHECK(executed > 100);
  CHECK(asked_processor == 0);
  offloadrt_unregister(&of_levels);
}
#endif
