/* The public functions of offloadrt.h: each calls the function of the copy that serves the process. A copy of an older
 * minor version may lack a function. */
#include <stdio.h>

#include "copies.h"

static int is_missing(const struct offloadrt_table *serving, size_t end, const char *name) {
  if (serving->size >= end)
    return 0;
  char text[256];
  snprintf(text, sizeof text,
           "the runtime that serves this process has version %d.%u and no function `%s`; help: load the object with the newest "
           "runtime, %d.%d, before the first device is opened",
           OFFLOADRT_MAJOR, serving->minor, name, OFFLOADRT_MAJOR, OFFLOADRT_MINOR);
  serving->fail(OFFLOADRT_UNSUPPORTED, text);
  return 1;
}

#define END_OF(name) (offsetof(struct offloadrt_table, name) + sizeof(((struct offloadrt_table *)0)->name))

#define FORWARD_STATUS(name, parameters, arguments)                      \
  int offloadrt_##name parameters {                                      \
    const struct offloadrt_table *serving = offloadrt_serving();         \
    if (is_missing(serving, END_OF(name), "offloadrt_" #name))           \
      return OFFLOADRT_UNSUPPORTED;                                      \
    return serving->name arguments;                                      \
  }
#define FORWARD_VALUE(result, name, parameters, arguments)               \
  result offloadrt_##name parameters {                                   \
    const struct offloadrt_table *serving = offloadrt_serving();         \
    if (is_missing(serving, END_OF(name), "offloadrt_" #name))           \
      return NULL;                                                       \
    return serving->name arguments;                                      \
  }
OFFLOADRT_FUNCTIONS(FORWARD_STATUS, FORWARD_VALUE)

const char *offloadrt_error_text(void) { return offloadrt_serving()->error_text(); }

void offloadrt_each_kernel(void (*visit)(const struct offload_kernel *kernel, void *context), void *context) {
  offloadrt_serving()->each_kernel(visit, context);
}

void offloadrt_register(struct offload_descriptor *descriptor) { offloadrt_enter(descriptor); }
void offloadrt_unregister(struct offload_descriptor *descriptor) { offloadrt_leave(descriptor); }
