/* Several copies of the runtime in one process: this program has version 0 of the current major version; the shared
 * objects 1 and 2 have these minor versions, and the object 3 has another major version. Which copy serves is decided
 * once in a process, so each case is a process: copies_test CASE. */
#define _GNU_SOURCE /* pthread_barrier_t */
#include <dlfcn.h>
#include <pthread.h>

#include "../copies.h"
#include "copies_plugin.h"

OBJECT("kernel5", 5);

#define VERSION VALUE_TEXT(OFFLOAD_DESCRIPTOR_VERSION)

struct opened {
  void *library;
  const struct object_calls *calls;
};

static struct opened open_object(int number) {
  char path[512];
  snprintf(path, sizeof path, IMAGES "/copies%d.so", number);
  struct opened opened = {dlopen(path, RTLD_NOW | RTLD_LOCAL), NULL};
  if (!opened.library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  CHECK((opened.calls = dlsym(opened.library, "object_calls")));
  return opened;
}

static int is_loaded(int number) {
  char path[512];
  snprintf(path, sizeof path, IMAGES "/copies%d.so", number);
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return library && dlclose(library) == 0;
}

/* Launches the kernel of an object on `device` through the runtime of `through`. */
static void check_launch(const struct object_calls *through, offloadrt_device *device,
                         const struct offload_kernel *kernel) {
  uint32_t cell = 0;
  CHECK(through->launch(device, kernel, &cell) == OFFLOADRT_SUCCESS);
  CHECK(cell == (uint32_t)(kernel->name[strlen("kernel")] - '0'));
}

/* All objects see the device and the kernels of all. */
static void check_all(const struct object_calls *const *objects, int count) {
  offloadrt_device *device;
  for (int opener = 0; opener < count; opener++) {
    CHECK(objects[opener]->open("cpu", &device) == OFFLOADRT_SUCCESS);
    for (int through = 0; through < count; through++)
      for (int i = 0; i < count; i++) {
        check_launch(objects[through], device, objects[i]->kernel);
        CHECK(objects[through]->find(objects[i]->kernel->name) == objects[i]->kernel);
      }
    CHECK(objects[(opener + 1) % count]->close(device) == OFFLOADRT_SUCCESS);
  }
  /* An error has its text in every object. */
  CHECK(objects[1]->open("none:7", &device) == OFFLOADRT_NO_DEVICE);
  CHECK(strstr(objects[0]->error_text(), "there is no device `none:7` here"));
  CHECK(strcmp(objects[0]->error_text(), objects[1]->error_text()) == 0);
}

/* Closes the object 1 or 2, whose kernel then is gone. */
static void close_object(struct opened *opened, int is_kept) {
  char name[16];
  snprintf(name, sizeof name, "%s", opened->calls->kernel->name);
  CHECK(dlclose(opened->library) == 0);
  CHECK(!offloadrt_find_kernel(name) == !is_kept);
  CHECK(is_loaded(name[strlen("kernel")] - '0') == is_kept);
}

/* The first device is opened when the objects are there, or before. Then they are closed in one order. */
static void with_two_objects(int is_program_first, const char *order) {
  offloadrt_device *device;
  if (is_program_first)
    CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  struct opened opened[] = {open_object(1), open_object(2)};
  if (!is_program_first)
    CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  const struct object_calls *const all[] = {&object_calls, opened[0].calls, opened[1].calls};
  check_all(all, 3);
  for (; *order; order++) {
    close_object(&opened[*order - '1'], *order == '2' && !is_program_first);
    check_launch(&object_calls, device, kernels);
  }
  struct opened again = open_object(1);
  check_launch(again.calls, device, again.calls->kernel);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

/* An object that is closed before any device was opened leaves nothing. */
static void closed_before(void) {
  struct opened opened = open_object(2);
  CHECK(dlclose(opened.library) == 0 && !is_loaded(2));
  offloadrt_device *device;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(!offloadrt_find_kernel("kernel2"));
  check_launch(&object_calls, device, kernels);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

static void with_another_major(void) {
  struct opened opened = open_object(3);
  offloadrt_device *device, *other;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(opened.calls->open("cpu", &other) == OFFLOADRT_SUCCESS);
  check_launch(&object_calls, device, kernels);
  check_launch(opened.calls, other, opened.calls->kernel);
  CHECK(!offloadrt_find_kernel("kernel3") && !opened.calls->find("kernel5"));
  CHECK(strcmp(opened.calls->error_text(), "no registered object has a kernel `kernel5`") == 0);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS && opened.calls->close(other) == OFFLOADRT_SUCCESS);
}

/* The table of this program's copy ends before the function, as that of an older version may. */
static void with_a_function_that_is_missing(void) {
  offloadrt_device *device;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  struct opened opened = open_object(1);
  check_launch(opened.calls, device, opened.calls->kernel);
  CHECK(!opened.calls->find("kernel1"));
  CHECK_TEXT("the runtime that serves this process has version " VERSION ".0 and no function `offloadrt_find_kernel`; help: load the "
             "object with the newest runtime, " VERSION ".1, before the first device is opened");
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

enum { THREADS = 8 };
static pthread_barrier_t begin;

/* Opens and closes objects until it opens a device, at the same time as all others. */
static void *use(void *argument) {
  int number = 1 + (int)(intptr_t)argument % 2;
  pthread_barrier_wait(&begin);
  for (int i = 0; i < 20; i++)
    CHECK(dlclose(open_object(number).library) == 0);
  struct opened opened = open_object(number);
  offloadrt_device *device;
  CHECK(opened.calls->open("cpu", &device) == OFFLOADRT_SUCCESS);
  check_launch(&object_calls, device, opened.calls->kernel);
  check_launch(opened.calls, device, kernels);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS && dlclose(opened.library) == 0);
  return NULL;
}

static void from_many_threads(void) {
  pthread_t threads[THREADS];
  CHECK(pthread_barrier_init(&begin, NULL, THREADS) == 0);
  for (intptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, use, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

/* The abilities of a static program, which has one copy. */
static void alone(void) {
  offloadrt_device *device;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  check_launch(&object_calls, device, kernels);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

int main(int count, char **words) {
  CHECK(count == 2);
  const char *name = words[1];
  if (strncmp(name, "program,", 8) == 0)
    with_two_objects(1, name + 8);
  else if (strncmp(name, "newest,", 7) == 0)
    with_two_objects(0, name + 7);
  else if (strcmp(name, "closed") == 0)
    closed_before();
  else if (strcmp(name, "major") == 0)
    with_another_major();
  else if (strcmp(name, "missing") == 0)
    with_a_function_that_is_missing();
  else if (strcmp(name, "threads") == 0)
    from_many_threads();
  else
    alone();
  printf("ok %s: %s\n", __FILE__, name);
  return 0;
}
