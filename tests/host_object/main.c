/* The program around host objects: lists the registrations, then calls the objects linked in, or loads a shared object
 * for each argument, calls it, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>

#include "offloadrt.h"

#ifdef LINKED
void first(void);
void second(void);
#endif

static void print(const struct offload_kernel *kernel, void *context) {
  (void)context;
  printf(" %s", kernel->name);
}

static void list(const char *when) {
  printf("%s:", when);
  offloadrt_each_kernel(print, NULL);
  printf("\n");
}

#ifndef LINKED
static int with(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void (*entry)(void) = NULL;
  if (library)
    *(void **)&entry = dlsym(library, "second");
  if (!entry) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  list("loaded");
  entry();
  dlclose(library);
  list("unloaded");
  return 0;
}
#endif

int main(int count, char **paths) {
  int failed = 0;
  setbuf(stdout, NULL);
  list("main");
#ifdef LINKED
  (void)count, (void)paths;
  first();
  second();
#else
  for (int i = 1; i < count; i++)
    failed |= with(paths[i]);
#endif
  return failed;
}
