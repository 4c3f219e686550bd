/* The start of the checker: the constructor and the destructor of each object with instrumented kernels call it. */
#include <stdio.h>

#include "../copies.h"
#include "check.h"

/* The compiler's table of an object: its variables. */
struct check_object {
  uint32_t version, count;
  struct {
    void *address;
    uint64_t size;
    const char *name;
  } variables[];
};

void offloadrt_check_start(const struct check_object *object) {
  if (object->version != 1) {
    fprintf(stderr, "offloadrt: kernels are not checked: they were instrumented by another version of offloadc\n");
    return;
  }
  if (!check_reserve()) {
    fprintf(stderr, "offloadrt: kernels are not checked: the address space is limited, so there is no room for the "
                    "checker's table; help: raise `ulimit -v`\n");
    return;
  }
  for (uint32_t i = 0; i < object->count; i++)
    if (object->variables[i].size)
      check_add_region((uintptr_t)object->variables[i].address, object->variables[i].size, CHECK_STATIC,
                       object->variables[i].name);
  check_read_switches();
  /* Instrumented kernels call the checker of their own copy of the runtime, which must be the one that launches them. */
  offloadrt_stay_apart();
  offloadrt_checker = &check_core;
}

void offloadrt_check_stop(const struct check_object *object) {
  if (!check_pages)
    return;
  for (uint32_t i = 0; i < object->count; i++)
    check_remove_region((uintptr_t)object->variables[i].address);
  check_forget_ended();
  check_forget_reports();
}
