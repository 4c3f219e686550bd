/* The processes of finish_test.c: each case is a separate process, with a folder that has the cache. */
#ifndef OFFLOADRT_TESTS_FINISH_CASES_H
#define OFFLOADRT_TESTS_FINISH_CASES_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "container.h"
#include "finish.h"

static char folder[64]; /* of this run */

/* Files ----------------------------------------------------------------------------------------- */

static const char *in_folder(const char *name) {
  static char paths[4][PATH_MAX];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

/* The files of the cache: entries, and others. */
static int entries, others;
static char entry[PATH_MAX];

static int count_file(const char *path, const struct stat *facts, int kind, struct FTW *at) {
  (void)facts;
  if (kind == FTW_F && path[at->base] == '.')
    others++;
  else if (kind == FTW_F)
    snprintf(entry, sizeof entry, "%s", path), entries++;
  return 0;
}

static void look_into_cache(void) {
  entries = others = 0;
  nftw(in_folder("cache"), count_file, 8, FTW_PHYS);
}

/* The object ------------------------------------------------------------------------------------ */

static const struct offload_parameter rows[] = {{0, 8, 8, OFFLOAD_PARAMETER_POINTER}};
static struct offload_descriptor object;
static struct containers images;

/* The code that was compiled ahead of time, for a linked kernel. */
static void linked_entry(const struct offload_cpu_block *block, const unsigned char *arguments) {
  uint32_t *to = *(uint32_t *const *)(const void *)arguments;
  (void)block;
  to[0] = to[1] = 1;
}

/* Parameters, and the scalars that follow them in the table of a kernel: code is wanted for the third value. */
static struct {
  struct offload_parameter rows[3];
  struct offload_scalar scalars[3];
} marked = {{{0, 8, 8, OFFLOAD_PARAMETER_POINTER}, {8, 4, 4, 0}, {12, 4, 4, 0}},
            {{8, 4, 0, 0}, {12, 4, OFFLOAD_SCALAR_SPECIALIZED, 0}, {0, 0, 0, 0}}};

static struct offload_kernel kernels[] = {
    KERNEL("count", rows, 8, .descriptor = &object), KERNEL("measure", rows, 8, .descriptor = &object),
    KERNEL("vary", marked.rows, 16, .descriptor = &object, .flags = OFFLOAD_KERNEL_HAS_SCALARS)};
static struct offload_descriptor object = DESCRIPTOR(kernels, );

#ifdef __aarch64__
static const char host[] = "aarch64-unknown-linux-gnu";
#else
static const char host[] = "x86_64-unknown-linux-gnu";
#endif

static void add_generic(const char *version, const char *statics) {
  const struct container_string strings[] = {{"triple", OFFLOADRT_GENERIC_TRIPLE}, {"arch", "generic"},
                                             {"generic-version", version}, {"compiler", "offloadc 9, LLVM 99"},
                                             {"identity", "0123456789abcdef0123456789abcdef"}, {"statics", statics}};
  add_image_with(&images, OFFLOADRT_IMAGE_BITCODE, strings, 6, "the device code", 15);
}

static void register_object(void) {
  object.images_begin = images.begin;
  object.images_end = images.begin + images.size;
  offloadrt_register(&object);
}

/* Adds code in the program for the first level of a processor; a generic image can be finished for a higher one. */
static void link_code(void) {
  add_image(&images, OFFLOADRT_IMAGE_NONE, host, "cpu", "", 0);
  kernels[0].cpu_entry = kernels[1].cpu_entry = kernels[2].cpu_entry = linked_entry;
}

static offloadrt_device *open_cpu(void) {
  offloadrt_device *device;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS);
  return device;
}

static uint32_t result[2];

static int launch(offloadrt_device *device, const struct offload_kernel *kernel) {
  uint32_t *to = result;
  const offloadrt_argument arguments[] = {ARGUMENT(to)};
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  config.dynamic_shared_bytes = 16;
  return offloadrt_launch(device, NULL, kernel, &config, arguments, 1);
}

/* Cases: one for each process -------------------------------------------------------------------- */

static void runs_two_kernels(void) {
  offloadrt_device *device = open_cpu(), *again = open_cpu();
  CHECK(launch(device, &kernels[0]) == 0 && result[0] == 0 && result[1] == 7);
  CHECK(launch(again, &kernels[0]) == 0 && result[0] == 1); /* one copy of the statics, for all devices */
  CHECK(launch(device, &kernels[1]) == 0 && result[0] == 48 && result[1] == 1073741823);
  CHECK(offloadrt_device_close(device) == 0 && offloadrt_device_close(again) == 0);
  device = open_cpu();
  CHECK(launch(device, &kernels[0]) == 0 && result[0] == 2);
  offloadrt_unregister(&object);
  CHECK(offloadrt_device_close(device) == 0);
}

static void fails(void) {
  offloadrt_device *device = open_cpu();
  CHECK(launch(device, &kernels[0]) == OFFLOADRT_NO_IMAGE);
  printf("%s\n", offloadrt_error_text());
  CHECK(launch(device, &kernels[0]) == OFFLOADRT_NO_IMAGE); /* without another run */
  CHECK(offloadrt_device_close(device) == 0);
}

static void refuses_the_variable(void) {
  offloadrt_device *device;
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_INVALID);
  CHECK_TEXT("`OFFLOADRT_JIT` is `sometimes`, and must be `never`, `auto` or `always`");
}

static void *launch_once(void *device) {
  uint32_t own[2] = {0, 0}, *to = own;
  const offloadrt_argument arguments[] = {ARGUMENT(to)};
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  CHECK(offloadrt_launch(device, NULL, &kernels[0], &config, arguments, 1) == 0 && own[1] == 7);
  return NULL;
}

static void threads_launch_at_once(void) {
  pthread_t threads[6];
  offloadrt_device *devices[2] = {open_cpu(), open_cpu()};
  for (int i = 0; i < 6; i++)
    CHECK(pthread_create(&threads[i], NULL, launch_once, devices[i % 2]) == 0);
  for (int i = 0; i < 6; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(offloadrt_device_close(devices[0]) == 0 && offloadrt_device_close(devices[1]) == 0);
}

/* Waits up to ten seconds. */
static int until(int (*is_so)(void)) {
  const struct timespec step = {.tv_nsec = 10000000};
  for (int i = 0; i < 1000; i++, nanosleep(&step, NULL))
    if (is_so())
      return 1;
  return 0;
}

static offloadrt_device *improving;
static int is_improved(void) { return launch(improving, &kernels[0]) == 0 && result[1] == 7; }
static int has_begun(void) { return access(in_folder("input"), F_OK) == 0; }

static void improves_in_the_background(void) {
  improving = open_cpu();
  CHECK(launch(improving, &kernels[0]) == 0 && result[1] == 1);
  CHECK(until(is_improved));
  CHECK(offloadrt_device_close(improving) == 0);
}

static void waits_for_statics(void) {
  offloadrt_device *device = open_cpu();
  CHECK(launch(device, &kernels[0]) == 0 && result[1] == 7);
  CHECK(offloadrt_device_close(device) == 0);
}

static void keeps_what_is_linked(void) {
  const struct timespec some_time = {.tv_nsec = 200000000};
  improving = open_cpu();
  CHECK(launch(improving, &kernels[0]) == 0 && until(has_begun));
  nanosleep(&some_time, NULL);
  CHECK(launch(improving, &kernels[0]) == 0 && result[1] == 1);
  CHECK(offloadrt_device_close(improving) == 0);
}

/* The object leaves the program, and its bytes are gone. */
static void closes_the_object_meanwhile(void) {
  improving = open_cpu();
  CHECK(launch(improving, &kernels[0]) == 0);
  offloadrt_unregister(&object);
  struct containers copy = {NULL, 0};
  copy.begin = malloc(images.size);
  copy.size = images.size;
  memcpy(copy.begin, images.begin, images.size);
  memset(images.begin, 0xee, images.size);
  free(images.begin);
  images = copy;
  CHECK(until(has_begun));
  register_object();
  CHECK(until(is_improved));
  CHECK(offloadrt_device_close(improving) == 0);
}

/* The program ends while the compiler runs, without waiting for it. */
static void ends_meanwhile(void) {
  improving = open_cpu();
  CHECK(launch(improving, &kernels[0]) == 0 && until(has_begun));
}

/* Both processes need the image, and the one that was forked has no thread that works on it. */
static void forks_meanwhile(void) {
  pthread_t thread;
  offloadrt_device *device = open_cpu();
  CHECK(pthread_create(&thread, NULL, launch_once, device) == 0 && until(has_begun));
  pid_t child = fork();
  if (child == 0) {
    launch_once(device);
    _exit(0);
  }
  CHECK(pthread_join(thread, NULL) == 0);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(offloadrt_device_close(device) == 0);
}

static void reap(int signal) {
  int before = errno;
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  errno = before;
}

static void reaps_all_children(void) {
  signal(SIGCHLD, reap);
  waits_for_statics();
}

static void ignores_children(void) {
  signal(SIGCHLD, SIG_IGN);
  waits_for_statics();
}

/* Each part of the key gives an image a separate job and a separate file. */
static void keys_differ(void) {
  static const char *const one[] = {"--one", NULL}, *const two[] = {"--one", "two", NULL}, *const joined[] = {"--onetwo", NULL};
  const struct offloadrt_finish_key keys[] = {{"i", "cpu", "", NULL},  {"j", "cpu", "", NULL},  {"i", "sm_80", "", NULL},
                                              {"i", "cpu", "1", NULL}, {"i", "cpu", "2", NULL}, {"i", "cpu", "", one},
                                              {"i", "cpu", "", two},   {"i", "cpu", "", joined}};
  enum { KEYS = sizeof keys / sizeof *keys };
  struct offloadrt_finish_job *jobs[KEYS];
  for (int i = 0; i < KEYS; i++) {
    jobs[i] = offloadrt_own_finisher.job(&keys[i]);
    CHECK(jobs[i] && offloadrt_own_finisher.state(jobs[i]) == OFFLOADRT_UNFINISHED);
    CHECK(offloadrt_own_finisher.give(jobs[i], "x", 1) == 0 && offloadrt_own_finisher.job(&keys[i]) == jobs[i]);
    for (int j = 0; j < i; j++)
      CHECK(jobs[i] != jobs[j]);
    CHECK(offloadrt_own_finisher.wait(jobs[i]) == OFFLOADRT_FINISHED);
    look_into_cache();
    CHECK(entries == i + 1);
  }
}

#endif
