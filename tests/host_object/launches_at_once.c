/* Threads that launch a kernel at once, each on a device that it opens itself. The kernel stores a number. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "offloadrt.h"

enum { THREADS = 8 };
static pthread_barrier_t all;

/* Returns null, or the text of an error. The texts of other threads may be gone when they are printed. */
static const char *launch(void) {
  offloadrt_device *device;
  void *memory;
  uint32_t number = 42, stored = 0;
  offloadrt_launch_config config = {
    .size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  const struct offload_kernel *kernel = offloadrt_find_kernel("k");
  if (!kernel || offloadrt_device_open(NULL, &device) || offloadrt_allocate(device, sizeof number, &memory))
    return offloadrt_error_text();
  offloadrt_argument arguments[] = {{&memory, sizeof memory}, {&number, sizeof number}};
  pthread_barrier_wait(&all);
  if (offloadrt_launch(device, NULL, kernel, &config, arguments, 2) ||
      offloadrt_copy_to_host(device, NULL, &stored, memory, sizeof stored))
    return offloadrt_error_text();
  return stored == number ? NULL : "the kernel has stored another number";
}

static void *run(void *unused) {
  const char *error = launch();
  if (error)
    fprintf(stderr, "error: %s\n", error);
  return error ? &all : unused;
}

int main(void) {
  pthread_t threads[THREADS];
  int failed = 0;
  pthread_barrier_init(&all, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    failed |= result != NULL;
  }
  return failed;
}
