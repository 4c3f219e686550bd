/* The cases of finish_test.c in which a shared object is closed: the dynamic linker then has its lock. */
#ifndef OFFLOADRT_TESTS_CLOSING_CASES_H
#define OFFLOADRT_TESTS_CLOSING_CASES_H

#include <dlfcn.h>

#include "variant_cases.h"

static offloadrt_device *closing[3];
static pthread_t waiting;

/* A kernel whose image is loaded, one whose image is loaded already, or one with a variant. */
static enum { LOADS, FINDS, VARIES } work;
static uint32_t values[2] = {3, 4};

static void *launch_from_thread(void *value) {
  uint32_t own[2] = {0, 0}, *to = own;
  const offloadrt_argument arguments[] = {ARGUMENT(to)};
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  if (work == VARIES)
    CHECK(vary(closing[0], *(uint32_t *)value, 1) == 9);
  else
    CHECK(offloadrt_launch(closing[0], NULL, &kernels[work == FINDS], &config, arguments, 1) == 0 && own[1]);
  return NULL;
}

/* Another thread loads an image meanwhile, for which it waits for the dynamic linker. */
static void use_devices(void) {
  const struct timespec some_time = {.tv_nsec = 300000000};
  CHECK(pthread_create(&waiting, NULL, launch_from_thread, &values[0]) == 0);
  nanosleep(&some_time, NULL);
  CHECK(offloadrt_device_close(closing[1]) == 0);
  /* The same image, and another one. */
  CHECK(!launch_from_thread(&values[0]) && !launch_from_thread(&values[1]));
  CHECK(offloadrt_device_close(closing[2]) == 0);
}

static void uses_devices_in_a_destructor(void) {
  void *plugin = dlopen(IMAGES "/finish_plugin.so", RTLD_NOW);
  void (**at_close)(void) = plugin ? (void (**)(void))dlsym(plugin, "at_close") : NULL;
  CHECK(at_close);
  for (int i = 0; i < 3; i++)
    closing[i] = open_cpu();
  if (work == FINDS)
    CHECK(launch(closing[0], &kernels[0]) == 0);
  *at_close = use_devices;
  alarm(20);
  CHECK(dlclose(plugin) == 0 && pthread_join(waiting, NULL) == 0);
  CHECK(!launch_from_thread(&values[0]) && offloadrt_device_close(closing[0]) == 0);
}

static void finds_in_a_destructor(void) {
  work = FINDS;
  uses_devices_in_a_destructor();
}

static void varies_in_a_destructor(void) {
  work = VARIES;
  uses_devices_in_a_destructor();
}

#endif
