/* Opens, runs and closes a shared object with kernels many times: reload_test DEVICE ROUNDS. The object of each round
 * is loaded at the address of the previous one, and memory must not grow. */
#include <dlfcn.h>
#include <unistd.h>

#include "check.h"

/* Returns the number of resident pages of this process. */
static long resident_pages(void) {
  long size, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &size, &resident) == 2 && fclose(file) == 0);
  return resident;
}

/* Launches a kernel, which must return `status`, and returns the value of a cell. */
static uint32_t launched(offloadrt_device *device, const struct offload_kernel *kernel, uint32_t number, int status) {
  uint32_t cells[64] = {0};
  struct {
    void *address;
    uint64_t number;
  } block = {NULL, number};
  const offloadrt_argument arguments[] = {ARGUMENT(block)};
  offloadrt_launch_config config = shape(4, 1, 1, 16, 1, 1);
  CHECK(kernel && offloadrt_allocate(device, sizeof cells, &block.address) == 0);
  CHECK(offloadrt_copy_to_device(device, NULL, block.address, cells, sizeof cells) == 0);
  CHECK(offloadrt_launch(device, NULL, kernel, &config, arguments, 1) == status);
  CHECK(offloadrt_copy_to_host(device, NULL, cells, block.address, sizeof cells) == 0);
  CHECK(offloadrt_free(device, block.address) == 0);
  CHECK(cells[0] == cells[63]);
  return cells[0];
}

/* Each object has its own code, and a name finds the kernel of the first object. The handle of a closed object is
 * invalid. */
static void two_objects_have_a_kernel_of_one_name(offloadrt_device *device) {
  void *libraries[2];
  const struct offload_kernel *kernels[2];
  CHECK((libraries[0] = dlopen(IMAGES "/plugin.so", RTLD_NOW)) && (kernels[0] = offloadrt_find_kernel("block")));
  CHECK((libraries[1] = dlopen(IMAGES "/plugin_again.so", RTLD_NOW)) && offloadrt_find_kernel("block") == kernels[0]);
  CHECK(launched(device, kernels[0], 5, 0) == 5 && dlclose(libraries[0]) == 0);
  kernels[1] = offloadrt_find_kernel("block");
  CHECK(kernels[1] && kernels[1] != kernels[0] && launched(device, kernels[1], 6, 0) == 6);
  CHECK(launched(device, kernels[0], 7, OFFLOADRT_INVALID) == 0 && dlclose(libraries[1]) == 0);
}

int main(int count, char **words) {
  CHECK(count == 3);
  const char *name = words[1];
  uint32_t rounds = (uint32_t)atoi(words[2]);
  offloadrt_device *device;
  long warm = 0;
  CHECK(offloadrt_device_open(name, &device) == 0);
  two_objects_have_a_kernel_of_one_name(device);
  for (uint32_t round = 1; round <= rounds; round++) {
    void *library = dlopen(IMAGES "/plugin.so", RTLD_NOW);
    CHECK(library);
    CHECK(launched(device, offloadrt_find_kernel("block"), round, 0) == round);
    CHECK(dlclose(library) == 0 && !offloadrt_find_kernel("block"));
    /* Caches may fill up during the first quarter of the rounds. */
    if (round == rounds / 4)
      warm = resident_pages();
  }
  long grown = resident_pages() - warm;
  CHECK(offloadrt_device_close(device) == 0);
  /* Intel's OpenCL keeps two pages of every program, and a leak of this test is a hundred pages. valgrind counts leaks
   * better, and has its own pages. */
  CHECK(getenv("OFFLOADRT_TEST_VALGRIND") || grown < 20 * (long)rounds);
  printf("ok %s: %s, %u times, %ld pages more\n", __FILE__, name, rounds, grown);
  return 0;
}
