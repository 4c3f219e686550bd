/* Opens a driver's library and looks up its functions. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_first(const char *const *names, const char **name, char *reason, size_t capacity) {
  for (*name = *names; *names; *name = *++names) {
    void *library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (library)
      return library;
    /* Report the error for the first name, which is the usual name of an installed library. */
    if (!*reason)
      snprintf(reason, capacity, "%s", dlerror());
  }
  return NULL;
}

int offloadrt_open_library(const char *const *names, const struct offloadrt_symbol *symbols, size_t count, char *reason,
                           size_t capacity) {
  const char *name;
  *reason = 0;
  void *library = open_first(names, &name, reason, capacity);
  if (!library)
    return 0;
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library, symbols[i].name);
    if (!address && !symbols[i].optional) {
      snprintf(reason, capacity, "%s: it has no function `%s`, so it is too old or not what it is called", name, symbols[i].name);
      dlclose(library);
      return 0;
    }
    memcpy(symbols[i].place, &address, sizeof address);
  }
  *reason = 0;
  return 1;
}
