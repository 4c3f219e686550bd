/* A host in C for the kernels of kernels.rs. It needs no device but the processor. */
#include "offloadrt.h"

#include <stdio.h>

const struct offload_kernel *scale_handle(void);

int main(void) {
  offloadrt_device *device;
  void *memory;
  float value = 3;
  offloadrt_launch_config one = {sizeof one, OFFLOADRT_LAUNCH_VERSION, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, 0};
  offloadrt_argument y = {&memory, sizeof memory};
  if (offloadrt_device_open("cpu", &device) || offloadrt_allocate(device, 4, &memory) ||
      offloadrt_copy_to_device(device, 0, memory, &value, 4) ||
      offloadrt_launch(device, 0, scale_handle(), &one, &y, 1) ||
      offloadrt_copy_to_host(device, 0, &value, memory, 4))
    return 1;
  printf("%g\n", value);
}
