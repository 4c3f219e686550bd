/* Tests registered objects: order, lookup, removal from the list, and registration by several threads. */
#include <pthread.h>

#include "check.h"

static const struct offload_parameter rows[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
static const struct offload_kernel first_kernels[] = {KERNEL("one", rows, 8, ), KERNEL("two", rows, 8, )};
static const struct offload_kernel second_kernels[] = {KERNEL("three", rows, 8, )};
static struct offload_descriptor first = DESCRIPTOR(first_kernels, ), second = DESCRIPTOR(second_kernels, );
static struct offload_descriptor empty = {.size = sizeof empty, .version = OFFLOAD_DESCRIPTOR_VERSION};

static void append_name(const struct offload_kernel *kernel, void *names) {
  strcat(names, kernel->name);
  strcat(names, " ");
}

static void check_names(const char *wanted) {
  char names[4096] = "";
  offloadrt_each_kernel(append_name, names);
  if (strcmp(names, wanted) != 0) {
    fprintf(stderr, "kernels are `%s`, not `%s`\n", names, wanted);
    exit(1);
  }
}

static void kernels_come_in_registration_order(void) {
  check_names("");
  offloadrt_register(&second);
  offloadrt_register(&empty);
  offloadrt_register(&first);
  check_names("three one two ");
  CHECK(offloadrt_find_kernel("two") == &first_kernels[1]);
  CHECK(offloadrt_find_kernel("three") == &second_kernels[0]);
}

static void registering_twice_counts_once(void) {
  offloadrt_register(&second);
  offloadrt_register(&first);
  check_names("three one two ");
}

static void unregistered_kernels_are_gone(void) {
  offloadrt_unregister(&second);
  offloadrt_unregister(&second);
  check_names("one two ");
  CHECK(!offloadrt_find_kernel("three"));
  CHECK_TEXT("no registered object has a kernel `three`");
  CHECK(!offloadrt_find_kernel(NULL));
  CHECK_TEXT("the name of a kernel is null");
  offloadrt_register(&second);
  check_names("one two three ");
}

static void objects_of_another_version_are_left_alone(void) {
  static struct offload_descriptor later = DESCRIPTOR(second_kernels, );
  later.version = OFFLOAD_DESCRIPTOR_VERSION + 1;
  offloadrt_unregister(&second);
  offloadrt_register(&later);
  check_names("one two ");
  CHECK(!offloadrt_find_kernel("three"));
  CHECK_TEXT("no registered object that this runtime can read has a kernel `three`; another object has version 4 of the interface, "
             "and this runtime has version 3");
  offloadrt_device *device;
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_launch(device, NULL, &second_kernels[0], &config, NULL, 0) == OFFLOADRT_FAILED);
  CHECK_TEXT("the kernel was compiled for version 4 of the interface to the runtime, and this runtime has version 3; build the "
             "program with the offloadc that this runtime belongs to");
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  offloadrt_unregister(&later);
  offloadrt_register(&second);
}

static void visit_and_unregister(const struct offload_kernel *kernel, void *count) {
  ++*(int *)count;
  if (strcmp(kernel->name, "two") == 0)
    offloadrt_unregister(&second);
}

static void a_visit_may_call_the_runtime(void) {
  int count = 0;
  offloadrt_each_kernel(visit_and_unregister, &count);
  CHECK(count == 2);
  offloadrt_register(&second);
}

#define LEVELS(kernel_name) \
  {{.size = sizeof(struct offload_kernel_levels), .version = OFFLOAD_KERNEL_VERSION, .name = kernel_name, \
    .flags = OFFLOAD_KERNEL_HAS_LEVELS, .descriptor = &levels}, {NULL, NULL, NULL}}

static void larger_handles_are_counted_by_their_size(void) {
  static struct offload_descriptor levels;
  static const struct offload_kernel_levels kernels[] = {LEVELS("a"), LEVELS("b"), LEVELS("c"), LEVELS("d"), LEVELS("e")};
  /* The texts of panics also have the kernels' names for people: three characters each. */
  static const struct {
    struct offload_panic_texts texts;
    uint32_t names[5];
    char words[5][4];
  } texts = {{56, 0, 0, 5}, {36, 40, 44, 48, 52}, {"m::", "n::", "o::", "p::", "q::"}};
  levels = (struct offload_descriptor){.size = sizeof levels, .version = OFFLOAD_DESCRIPTOR_VERSION,
                                       .kernels = &kernels[0].kernel, .kernel_count = 5, .panics = &texts.texts};
  offloadrt_register(&levels);
  check_names("one two three a b c d e ");
  CHECK(offloadrt_find_kernel("e") == &kernels[4].kernel);
  offloadrt_device *device;
  offloadrt_launch_config config = shape(0, 1, 1, 1, 1, 1);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_launch(device, NULL, &kernels[4].kernel, &config, NULL, 0) == OFFLOADRT_INVALID);
  CHECK_TEXT("the grid of kernel `q::` is 0 x 1 x 1, but no count may be 0");
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  offloadrt_unregister(&levels);
}

static void *register_many(void *descriptors) {
  struct offload_descriptor *mine = descriptors;
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < 8; i++)
      offloadrt_register(&mine[i]);
    CHECK(offloadrt_find_kernel("one"));
    for (int i = 0; i < 8; i++)
      offloadrt_unregister(&mine[i]);
  }
  return NULL;
}

static void threads_register_at_once(void) {
  enum { THREADS = 4 };
  static struct offload_descriptor all[THREADS][8];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    for (int i = 0; i < 8; i++)
      all[t][i] = (struct offload_descriptor)DESCRIPTOR(second_kernels, );
    CHECK(pthread_create(&threads[t], NULL, register_many, all[t]) == 0);
  }
  for (int t = 0; t < THREADS; t++)
    CHECK(pthread_join(threads[t], NULL) == 0);
  check_names("one two three ");
}

int main(void) {
  RUN(kernels_come_in_registration_order);
  RUN(registering_twice_counts_once);
  RUN(unregistered_kernels_are_gone);
  RUN(objects_of_another_version_are_left_alone);
  RUN(a_visit_may_call_the_runtime);
  RUN(larger_handles_are_counted_by_their_size);
  RUN(threads_register_at_once);
  return 0;
}
