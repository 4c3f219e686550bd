/* Finds the library of a driver at run time. The library is not needed to build, link or start a program. */
#ifndef OFFLOADRT_LIBRARY_H
#define OFFLOADRT_LIBRARY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One function that a driver calls, and the variable for its address. */
struct offloadrt_symbol {
  const char *name;
  void *place;  /* the address of a pointer to a function */
  int optional; /* nonzero: the function may be missing */
};

/* Opens the first library of `names` (terminated by null) that exists, and fills in all addresses. Returns 0 if this
 * fails; `reason` is then set to the missing item. The library is never closed, because drivers have their own
 * threads. */
int offloadrt_open_library(const char *const *names, const struct offloadrt_symbol *symbols, size_t count, char *reason,
                           size_t capacity);

#pragma GCC visibility pop
#endif
