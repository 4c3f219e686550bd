/* An image for libomptarget's host device with one kernel, LEFT: adds a value to as many numbers as there are threads.
 * Its first six parameters are those of libomptarget 22 in runtime-c/drivers/omptarget.c; libomptarget 23 passes the
 * first one only, an array of the addresses of the others. */
#include <stdint.h>
#include <string.h>

static void add(uint64_t grid, uint64_t block, uint64_t value, int *numbers) {
  for (uint64_t i = 0; i < (grid & 0xffffffff) * (block >> 32); i++)
    numbers[i] += (int)value;
}

void LEFT(uint64_t **slots, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, void *state, uint64_t value,
          int *numbers) {
  (void)slot2, (void)slot3, (void)state;
  if (slots && slots != (uint64_t **)-1)
    add(*slots[0], *slots[1], *slots[5], (int *)(uintptr_t)*slots[6]);
  else
    add(slot0, slot1, value, numbers);
}
