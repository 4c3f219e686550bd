/* An image for libomptarget's host device with one kernel, LEFT: adds a value to as many numbers as there are threads.
 * Its first six parameters are those of runtime-c/drivers/omptarget.c. */
#include <stdint.h>
#include <string.h>

void LEFT(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, void *state, uint64_t value,
          int *numbers) {
  (void)dyn, (void)slot2, (void)slot3, (void)state;
  for (uint64_t i = 0; i < (slot0 & 0xffffffff) * (slot1 >> 32); i++)
    numbers[i] += (int)value;
}
