/* Launches a kernel once for each line of standard input, and prints the stored value: the sum of a number of the host
 * and of the kernel's count, if it counts. */
#include <stdint.h>
#include <stdio.h>

#include "offloadrt.h"

static int failed(void) {
  fprintf(stderr, "error: %s\n", offloadrt_error_text());
  return 1;
}

int main(void) {
  offloadrt_device *device;
  void *memory;
  char line[16];
  uint32_t number = 0, stored;
  offloadrt_launch_config config = {
    .size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  const struct offload_kernel *kernel = offloadrt_find_kernel("k");
  if (!kernel || offloadrt_device_open(NULL, &device) || offloadrt_allocate(device, sizeof stored, &memory))
    return failed();
  for (; fgets(line, sizeof line, stdin); number += 100) {
    offloadrt_argument arguments[] = {{&memory, sizeof memory}, {&number, sizeof number}};
    if (offloadrt_launch(device, NULL, kernel, &config, arguments, 2) ||
        offloadrt_copy_to_host(device, NULL, &stored, memory, sizeof stored))
      return failed();
    printf("%u\n", stored);
    fflush(stdout);
  }
  return offloadrt_device_close(device) ? failed() : 0;
}
