/* Calls of which a profiler gets ranges. `tests.mk` starts it in a profiler's environment, and looks at the ranges. */
#include "check.h"

static void nothing_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  (void)b;
  (void)arguments;
}

static struct offload_descriptor descriptor;
static const struct offload_kernel kernels[] = {
    {.size = sizeof(struct offload_kernel), .version = OFFLOAD_KERNEL_VERSION, .name = "_RNvCs1_1a1f", .argument_align = 8,
     .cpu_entry = nothing_entry, .descriptor = &descriptor},
};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels);

int main(void) {
  offloadrt_device *device;
  void *memory;
  char byte = 1;
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open("none", &device) != OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_allocate(device, 1, &memory) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_copy_to_device(device, NULL, memory, &byte, 1) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_launch(device, NULL, &kernels[0], &config, NULL, 0) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_synchronize(device, NULL) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_free(device, memory) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  return 0;
}
