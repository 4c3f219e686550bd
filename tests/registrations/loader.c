/* Opens and closes a shared object twice. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(words[count - 1], RTLD_NOW);
    if (!library)
      return puts(dlerror()), 1;
    const void *(*handle)(void) = (const void *(*)(void))dlsym(library, "saxpy_handle");
    fprintf(stderr, "opened, %s\n", handle && handle() ? "with a handle" : "without a handle");
    dlclose(library);
    fprintf(stderr, "closed\n");
  }
  return 0;
}
