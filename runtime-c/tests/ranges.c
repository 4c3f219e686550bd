/* The library that a profiler of NVIDIA loads into a process. This one writes the ranges of NVTX to the file that
 * OFFLOAD_RANGES names. With ROCTX defined, it is AMD's library of ranges instead, which has no package for tests. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static int write_line(const char *word, const char *name) {
  FILE *out = fopen(getenv("OFFLOAD_RANGES"), "a");
  if (!out)
    abort();
  fprintf(out, "%s%s%s\n", word, *name ? " " : "", name);
  return fclose(out);
}

#ifdef ROCTX
EXPORT int roctxRangePushA(const char *name) { return write_line("push", name); }
EXPORT int roctxRangePop(void) { return write_line("pop", ""); }
#else
static int push(const char *name) { return write_line("push", name); }
static int pop(void) { return write_line("pop", ""); }

/* From NVTX's `nvtxTypes.h`: the table of the module for plain ranges, and places in it. */
enum { TABLE_OF_CALLBACKS = 1, MODULE_CORE = 1, RANGE_PUSH_A = 9, RANGE_POP = 11 };
typedef void (*function)(void);
struct callbacks {
  size_t size;
  int (*get_module)(int module, function ***table, unsigned *size);
};

EXPORT int InitializeInjectionNvtx2(const void *(*get_export_table)(unsigned id));
int InitializeInjectionNvtx2(const void *(*get_export_table)(unsigned id)) {
  const struct callbacks *callbacks = get_export_table(TABLE_OF_CALLBACKS);
  function **table;
  unsigned size;
  if (!callbacks || !callbacks->get_module(MODULE_CORE, &table, &size) || size <= RANGE_POP)
    return 0;
  *table[RANGE_PUSH_A] = (function)push;
  *table[RANGE_POP] = (function)pop;
  return 1;
}
#endif
