/* A driver's library, found at run time: nothing of it is needed to build, to link or to start. */
#ifndef OFFLOADRT_LIBRARY_H
#define OFFLOADRT_LIBRARY_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* One function that a driver calls, and where its address goes. */
struct offloadrt_symbol {
  const char *name;
  void *place;  /* of a pointer to a function */
  int optional; /* nonzero: null is all right */
};

/* Opens the first of `names` (ended by null) that there is and fills every place. 0 when that cannot be
 * done; `reason` then says what is missing. The library stays open: drivers have threads of their own. */
int offloadrt_open_library(const char *const *names, const struct offloadrt_symbol *symbols, size_t count, char *reason,
                           size_t capacity);

#pragma GCC visibility pop
#endif
