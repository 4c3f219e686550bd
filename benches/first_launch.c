/* Prints the milliseconds that the first launch of a program takes, with the device already open. It takes the place of
 * the generated program's own `main`: `-Wl,--wrap=main`. The kernel returns at once. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "offloadrt.h"

static int failed(void) {
  fprintf(stderr, "%s\n", offloadrt_error_text());
  return 1;
}

int __wrap_main(void) {
  const struct offload_kernel *kernel = offloadrt_find_kernel("bench_nbody_0");
  offloadrt_device *device;
  if (!kernel || offloadrt_device_open(NULL, &device))
    return failed();
  void *none = NULL;
  unsigned count = 0;
  float step = 0;
  offloadrt_argument arguments[] = {
      {&none, sizeof none}, {&none, sizeof none}, {&count, sizeof count}, {&step, sizeof step}};
  offloadrt_launch_config config = {
      .size = sizeof config, .version = 1, .grid = {1, 1, 1}, .block = {32, 1, 1}};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (offloadrt_launch(device, NULL, kernel, &config, arguments, 4) || offloadrt_synchronize(device, NULL))
    return failed();
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.3f\n", (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6);
  return 0;
}
