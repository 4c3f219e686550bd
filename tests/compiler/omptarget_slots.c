/* Launches a kernel of an image for libomptarget's host device in each form in which libomptarget passes slots. The
 * image is the first argument. Prints the values that the kernel has written. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef void direct(void *environment, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    uint64_t, uint64_t);
typedef void array(void **slots);

int main(int count, char **arguments) {
  void *image = dlopen(arguments[count - 1], RTLD_NOW);
  void *kernel = image ? dlsym(image, "weigh") : NULL;
  if (!kernel)
    return 1;
  struct { uint64_t low, high; } pair = {5, 6};
  uint64_t results[2];
  /* Blocks of 4 threads in a grid of 2, 1, 3; no shared memory and no state; the kernel's parameters; libomptarget's own. */
  uint64_t slots[] = {2 | 1ull << 32, 3 | 4ull << 32, 1 | 1ull << 32, 0, 0, (uintptr_t)results, 0x40400000, 7,
                      (uintptr_t)&pair, 0xdead};
  void *addresses[10];
  for (int i = 0; i < 10; i++)
    addresses[i] = &slots[i];
  for (int form = 0; form < 3; form++) {
    results[0] = results[1] = 0;
    if (form == 2)
      ((array *)kernel)(addresses);
    else
      ((direct *)kernel)((void *)(intptr_t)-form, slots[0], slots[1], slots[2], slots[3], slots[4], slots[5], slots[6],
                         slots[7], slots[8], slots[9]);
    printf("%d: %d threads, %d\n", form, (int)results[0], (int)results[1]);
  }
  return 0;
}
