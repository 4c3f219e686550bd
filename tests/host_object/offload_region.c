/* A program with an OpenMP target region and a kernel of an object that offloadc has written: it stores a number. */
#include <stdint.h>
#include <stdio.h>

#include "offloadrt.h"

int main(void) {
  uint32_t number = 42, stored = 0;
  int sum = 0;
  offloadrt_device *device;
  void *memory;
  offloadrt_launch_config config = {
    .size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  const struct offload_kernel *kernel = offloadrt_find_kernel("k");
  offloadrt_argument arguments[] = {{&memory, sizeof memory}, {&number, sizeof number}};
#pragma omp target map(tofrom : sum)
  sum += 7;
  if (!kernel || offloadrt_device_open(NULL, &device) || offloadrt_allocate(device, sizeof number, &memory) ||
      offloadrt_launch(device, NULL, kernel, &config, arguments, 2) ||
      offloadrt_copy_to_host(device, NULL, &stored, memory, sizeof stored)) {
    fprintf(stderr, "error: %s\n", offloadrt_error_text());
    return 1;
  }
  printf("%d %u\n", sum, stored);
  return 0;
}
