/* Measures an empty launch of one block on `cpu` and an empty target region on libomptarget's host device
 * (empty_target.c), alternately in one run: launch_time EMPTY_TARGET.so. Prints the nanoseconds of the fastest round of
 * each, and their ratio. A round is shorter than a time slice of the scheduler, so the fastest round does not include
 * other work of the machine. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <time.h>

#include "check.h"

enum { ROUNDS = 300, LAUNCHES = 1000 };

static offloadrt_device *device;

static void nothing_entry(const struct offload_cpu_block *block, const unsigned char *arguments) {
  (void)block;
  (void)arguments;
}

static struct offload_descriptor object;
static const struct offload_kernel kernels[] = {{.size = sizeof(struct offload_kernel),
                                                 .version = OFFLOAD_KERNEL_VERSION,
                                                 .name = "nothing",
                                                 .argument_align = 8,
                                                 .cpu_entry = nothing_entry,
                                                 .descriptor = &object}};
static struct offload_descriptor object = DESCRIPTOR(kernels, );

static int run_empty_launches(unsigned count) {
  int failed = 0;
  for (unsigned i = 0; i < count; i++) {
    offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
    failed |= offloadrt_launch(device, NULL, kernels, &config, NULL, 0);
  }
  return failed;
}

static double nanoseconds_each(int (*run)(unsigned)) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  CHECK(run(LAUNCHES) == 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / LAUNCHES;
}

static double least(double left, double right) { return left < right ? left : right; }

int main(int count, char **words) {
  double ours = 1e9, theirs = 1e9;
  int (*run_empty_targets)(unsigned) = NULL;
  void *library = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
  CHECK(library);
  *(void **)&run_empty_targets = dlsym(library, "run_empty_targets");
  CHECK(run_empty_targets);
  offloadrt_register(&object);
  CHECK(offloadrt_device_open("cpu", &device) == 0);
  CHECK(run_empty_launches(1) == 0 && run_empty_targets(1) == 0);
  for (int i = 0; i < ROUNDS; i++) {
    ours = least(ours, nanoseconds_each(run_empty_launches));
    theirs = least(theirs, nanoseconds_each(run_empty_targets));
  }
  printf("empty launch: %.0f ns on cpu, %.0f ns on libomptarget's host device, ratio %.2f\n", ours, theirs, ours / theirs);
  CHECK(offloadrt_device_close(device) == 0);
  return 0;
}
