/* The cases of finish_test.c with variants: the kernel `vary` has two values, and code is wanted for the second. */
#ifndef OFFLOADRT_TESTS_VARIANT_CASES_H
#define OFFLOADRT_TESTS_VARIANT_CASES_H

#include "finish_cases.h"

/* Launches `vary`, and returns its mark: 1 of the general code, 9 of a variant, whose static shared memory has 48 bytes. */
static uint32_t vary_with(offloadrt_device *device, uint32_t value, uint32_t threads, uint32_t flags) {
  static _Atomic uint32_t other;
  uint32_t own[2] = {0, 0}, *to = own, more = other++;
  const offloadrt_argument arguments[] = {ARGUMENT(to), ARGUMENT(more), ARGUMENT(value)};
  offloadrt_launch_config config = shape(1, 1, 1, threads, 1, 1);
  config.dynamic_shared_bytes = 16;
  config.heap_bytes = 64;
  config.flags = flags;
  CHECK(offloadrt_launch(device, NULL, &kernels[2], &config, arguments, 3) == 0);
  CHECK(own[0] == (own[1] == 9 ? 48 : 1));
  return own[1];
}

static uint32_t vary(offloadrt_device *device, uint32_t value, uint32_t threads) {
  return vary_with(device, value, threads, 0);
}

/* A heap that remains after its launch may contain the address of a function of the image. */
static void keeps_a_heap(void) {
  kernels[2].flags |= OFFLOAD_KERNEL_NEEDS_HEAP;
  offloadrt_device *device = open_cpu();
  CHECK(vary_with(device, 1, 1, OFFLOADRT_KEEP_HEAP) == 1 && vary(device, 1, 1) == 9);
  CHECK(vary_with(device, 1, 1, OFFLOADRT_KEEP_HEAP) == 1);
  CHECK(offloadrt_device_close(device) == 0);
}

/* Each byte of a value counts. There are three variants at most. */
static void makes_variants(void) {
  offloadrt_device *device = open_cpu(), *again = open_cpu();
  CHECK(vary(device, 1, 1) == 9 && vary(again, 257, 1) == 9 && vary(device, 1, 2) == 9);
  CHECK(vary(device, 1 << 24 | 1, 1) == 9 && vary(device, 2, 1) == 1 && vary(device, 257, 1) == 9);
  CHECK(offloadrt_device_close(device) == 0 && vary(again, 1, 1) == 9);
  /* An object that is registered again is another one. Its images are there already. */
  offloadrt_unregister(&object);
  register_object();
  CHECK(vary(again, 257, 1) == 9 && vary(again, 2, 1) == 9);
  offloadrt_unregister(&object);
  CHECK(offloadrt_device_close(again) == 0);
}

static void makes_variants_for_blocks(void) {
  kernels[2].flags |= OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM;
  offloadrt_device *device = open_cpu();
  CHECK(vary(device, 5, 1) == 9 && vary(device, 5, 2) == 9 && vary(device, 5, 1) == 9);
  CHECK(offloadrt_device_close(device) == 0);
}

static void makes_no_variants(void) {
  offloadrt_device *device = open_cpu();
  CHECK(vary(device, 1, 1) == 1 && vary(device, 1, 1) == 1);
  CHECK(offloadrt_device_close(device) == 0);
}

static int is_varied(void) { return vary(improving, 3, 1) == 9; }

static void makes_variants_in_the_background(void) {
  improving = open_cpu();
  CHECK(vary(improving, 3, 1) == 1 && until(is_varied));
  CHECK(offloadrt_device_close(improving) == 0);
}

static void *vary_from_thread(void *device) {
  for (uint32_t value = 0; value < 4; value++)
    CHECK(vary(device, value, 1) == (value < 3 ? 9 : 1));
  return NULL;
}

static void varies_from_threads(void) {
  pthread_t threads[4];
  offloadrt_device *device = open_cpu();
  for (uint32_t value = 0; value < 3; value++)
    CHECK(vary(device, value, 1) == 9);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, vary_from_thread, device) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(offloadrt_device_close(device) == 0);
}

static void *vary_once(void *device) {
  CHECK(vary(device, 3, 1) == 9);
  return NULL;
}

/* All of them wait for the one that has begun. */
static void varies_at_once(void) {
  pthread_t threads[4];
  offloadrt_device *device = open_cpu();
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, vary_once, device) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(offloadrt_device_close(device) == 0);
}

static void forks_while_it_makes_one(void) {
  improving = open_cpu();
  CHECK(vary(improving, 3, 1) == 1 && until(has_begun));
  pid_t child = fork();
  if (child == 0)
    _exit(!until(is_varied));
  int status;
  CHECK(until(is_varied) && waitpid(child, &status, 0) == child && status == 0);
  CHECK(offloadrt_device_close(improving) == 0);
}

#endif
