/* Tests that generic images are finished for the cpu device. The compiler is a script that counts its runs and writes a
 * real image; tests/compiler/finish.rs does the same with offloadc. Each case is a process of its own, which this program
 * starts with the name of the case. */
#define _GNU_SOURCE
#include <dirent.h>
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
static const char *self;

/* Files ----------------------------------------------------------------------------------------- */

static const char *in_folder(const char *name) {
  static char paths[4][PATH_MAX];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const void *bytes, size_t size, mode_t mode) {
  int file = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

/* The compiler: `work` is what it does beside counting its runs, and writing its number. OUT is the word after `-o`. */
static void write_compiler(const char *work) {
  char text[2048];
  snprintf(text, sizeof text,
           "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nout=$2\ncd '%s'\necho run >>runs\necho $$ >number\ncat >input\n%s\n", folder, work);
  unlink(in_folder("offloadc"));
  write_file("offloadc", text, strlen(text), 0755);
}

static const char good[] = "cp bundle \"$out\"";

/* How many times the compiler has run since the last call. */
static int runs(void) {
  struct stat facts;
  int count = stat(in_folder("runs"), &facts) ? 0 : (int)facts.st_size / 4;
  unlink(in_folder("runs"));
  return count;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at) {
  (void)facts;
  (void)kind;
  (void)at;
  return remove(path);
}

static void remove_all(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

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

static struct offload_kernel kernels[] = {KERNEL("count", rows, 8, .descriptor = &object),
                                          KERNEL("measure", rows, 8, .descriptor = &object)};
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
  kernels[0].cpu_entry = kernels[1].cpu_entry = linked_entry;
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

/* Cases: what a process does --------------------------------------------------------------------- */

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
  const struct timespec second = {.tv_sec = 1};
  improving = open_cpu();
  CHECK(launch(improving, &kernels[0]) == 0 && until(has_begun));
  nanosleep(&second, NULL);
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

/* All that decides an image gives it a job and a file of its own. */
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

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"two", runs_two_kernels}, {"fails", fails}, {"variable", refuses_the_variable},
             {"threads", threads_launch_at_once}, {"improves", improves_in_the_background}, {"statics", waits_for_statics},
             {"keeps", keeps_what_is_linked}, {"closes", closes_the_object_meanwhile}, {"ends", ends_meanwhile},
             {"forks", forks_meanwhile}, {"reaps", reaps_all_children}, {"ignores", ignores_children}, {"keys", keys_differ}};

/* `finish_test FOLDER CASE IMAGES`: `l` is linked code, `g` a generic image, `s` one with statics, `v` one of another
 * version. */
static int run_case(char **words) {
  snprintf(folder, sizeof folder, "%s", words[1]);
  for (const char *image = words[3]; *image; image++)
    if (*image == 'l')
      link_code();
    else
      add_generic(*image == 'v' ? "2" : "1", *image == 's' ? "yes" : "no");
  register_object();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].name, words[2]) == 0) {
      cases[i].run();
      return 0;
    }
  return 1;
}

/* Starting them --------------------------------------------------------------------------------- */

static pid_t start(const char *name, const char *kinds) {
  pid_t child = fork();
  if (child == 0) {
    int out = open(in_folder("out"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, STDOUT_FILENO);
    execl(self, self, folder, name, kinds, (char *)NULL);
    _exit(1);
  }
  return child;
}

static void expect(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void run_one(const char *name, const char *kinds) { expect(start(name, kinds)); }

static void clear(void) {
  remove_all(in_folder("cache"));
  unlink(in_folder("input"));
  runs();
}

/* Checks the part of the last error that says why the image is not finished. */
static void check_reason(const char *wanted) {
  char text[8192] = "", full[8192];
  FILE *file = fopen(in_folder("out"), "r");
  CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
  snprintf(full, sizeof full,
           "kernel `count` has no code for device `cpu` in this program, which has code for generic; the generic image was not "
           "finished for the device: %s; `--offload-arch=cpu` adds it\n", wanted);
  if (strcmp(text, full) == 0)
    return;
  fprintf(stderr, "the error\n  is: %s  wanted: %s", text, full);
  exit(1);
}

static const char *with_compiler(const char *format) {
  static char text[4096];
  snprintf(text, sizeof text, format, in_folder("offloadc"));
  return text;
}

static void a_second_start_compiles_nothing(void) {
  run_one("two", "g");
  CHECK(runs() == 1);
  run_one("two", "g");
  CHECK(runs() == 0);
  look_into_cache();
  CHECK(entries == 1 && others == 0);
}

static void without_the_compiler_the_cache_serves(void) {
  setenv("OFFLOADRT_COMPILER", in_folder("absent"), 1);
  run_one("two", "g");
  clear();
  run_one("fails", "g");
  char wanted[4096];
  snprintf(wanted, sizeof wanted, "`OFFLOADRT_COMPILER` is `%s`, which is no program", in_folder("absent"));
  check_reason(wanted);
  setenv("OFFLOADRT_COMPILER", in_folder("offloadc"), 1);
}

static void a_new_compiler_compiles_again(void) {
  run_one("two", "g");
  CHECK(runs() == 1);
  const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  CHECK(utimensat(AT_FDCWD, in_folder("offloadc"), times, 0) == 0);
  run_one("two", "g");
  CHECK(runs() == 1);
}

/* Changes each part of a file, and cuts it. No change is loaded. */
static void damaged_files_are_compiled_again(void) {
  static unsigned char bytes[1 << 20];
  look_into_cache();
  CHECK(entries == 1);
  int file = open(entry, O_RDONLY);
  ssize_t size = read(file, bytes, sizeof bytes);
  close(file);
  CHECK(size > 0);
  for (ssize_t at = 0; at <= size; at += at == size ? 1 : at + size / 5 < size ? size / 5 : size - at) {
    file = open(entry, O_WRONLY | O_TRUNC);
    if (at < size)
      bytes[at] ^= 4;
    CHECK(write(file, bytes, (size_t)(at < size ? size : size - 9)) > 0 && close(file) == 0);
    if (at < size)
      bytes[at] ^= 4;
    run_one("two", "g");
    CHECK(runs() == 1);
  }
}

static void two_processes_compile_once(void) {
  clear();
  write_compiler("sleep 0.3; cp bundle \"$out\"");
  pid_t children[3];
  for (int i = 0; i < 3; i++)
    children[i] = start("two", "g");
  for (int i = 0; i < 3; i++)
    expect(children[i]);
  CHECK(runs() == 1);
  clear();
  run_one("threads", "g");
  CHECK(runs() == 1);
  look_into_cache();
  CHECK(entries == 1 && others == 0);
}

static void failures_are_errors_of_the_launch(void) {
  static const struct {
    const char *work, *reason;
  } failures[] = {
      {"echo 'warning: w' >&2; echo 'error[OFC0007]: it is refused' >&2; echo more >&2; exit 1",
       "`%s finish` ended with status 1: error[OFC0007]: it is refused"},
      {"kill -SEGV $$", "`%s finish` was ended by signal 11 (Segmentation fault)"},
      {"exit 0", "`%s finish` has written no image"},
      {"echo nonsense >\"$out\"", "`%s finish` has written no image"},
      {"echo 'first words' >&2; exit 70", "`%s finish` ended with status 70: first words"},
  };
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    clear();
    write_compiler(failures[i].work);
    run_one("fails", "g");
    CHECK(runs() == 1);
    check_reason(with_compiler(failures[i].reason));
    look_into_cache();
    CHECK(entries == 0 && others == 0);
  }
  write_compiler(good);
}

static void versions_and_the_variable_are_checked(void) {
  run_one("fails", "v");
  check_reason("its layout has version 2, of offloadc 9, LLVM 99, and this runtime takes version 1; build the program with the "
               "offloadc that this runtime belongs to");
  setenv("OFFLOADRT_JIT", "never", 1);
  run_one("fails", "g");
  check_reason("`OFFLOADRT_JIT` is `never`");
  setenv("OFFLOADRT_JIT", "sometimes", 1);
  run_one("variable", "g");
  unsetenv("OFFLOADRT_JIT");
  CHECK(runs() == 0);
}

#ifdef __x86_64__
/* Makes the bundle one for x86-64-v2, which every machine that tests this has. Its entries have the names of that level. */
static void a_better_image_is_made_in_the_background(void) {
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64-v2", 1);
  write_compiler("sleep 0.3; cp bundle2 \"$out\"");
  clear();
  run_one("statics", "g"); /* no other image serves */
  CHECK(runs() == 1);
  clear();
  setenv("OFFLOADRT_JIT", "always", 1);
  static const char *const all[] = {"improves", "closes"};
  for (int i = 0; i < 2; i++) {
    clear();
    run_one(all[i], "lg");
    CHECK(runs() == 1);
  }
  clear();
  run_one("statics", "ls");
  CHECK(runs() == 1);
  clear();
  write_compiler("exit 1");
  run_one("keeps", "lg");
  run_one("keeps", "ls");
  CHECK(runs() == 2);
  unsetenv("OFFLOADRT_JIT");
  run_one("keeps", "lg"); /* the linked code serves, so there is no run; `input` is an old one */
  CHECK(runs() == 0);
}

static int is_gone(void) {
  char text[32] = "";
  FILE *file = fopen(in_folder("number"), "r");
  CHECK(file && fgets(text, sizeof text, file) && fclose(file) == 0);
  return kill((pid_t)atoi(text), 0) != 0;
}

/* The child is killed, and leaves no file. */
static void the_end_of_the_program_ends_the_compiler(void) {
  write_compiler("exec sleep 60");
  setenv("OFFLOADRT_JIT", "always", 1);
  clear();
  run_one("ends", "lg");
  CHECK(until(is_gone));
  look_into_cache();
  CHECK(entries == 0 && others == 0);
  unsetenv("OFFLOADRT_JIT");
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64", 1);
}
#endif

static void processes_that_fork_and_reap(void) {
  write_compiler("sleep 0.3; cp bundle \"$out\"");
  static const char *const all[] = {"forks", "reaps", "ignores"};
#ifdef __SANITIZE_THREAD__
  int first = 1; /* it does not know threads in a process that was forked */
#else
  int first = 0;
#endif
  for (int i = first; i < 3; i++) {
    clear();
    run_one(all[i], "g");
    CHECK(runs() == 1);
  }
}

static void without_a_cache_each_process_compiles(void) {
  write_compiler(good);
  clear();
  CHECK(mkdir(in_folder("temporary"), 0777) == 0);
  setenv("TMPDIR", in_folder("temporary"), 1);
  setenv("OFFLOADC_NO_CACHE", "1", 1);
  run_one("two", "g");
  run_one("threads", "g");
  CHECK(runs() == 2);
  unsetenv("OFFLOADC_NO_CACHE");
  write_file("cache", "a file", 6, 0666);
  run_one("two", "g");
  CHECK(runs() == 1);
  CHECK(rmdir(in_folder("temporary")) == 0); /* nothing is left there */
  clear();
}

static void keys_are_told_apart(void) {
  clear();
  run_one("keys", "g");
  CHECK(runs() == 8);
}

/* Writes what the compiler copies. */
static void write_bundle(const char *name, const char *arch, const char *library) {
  struct containers bundle = {NULL, 0};
  static unsigned char bytes[1 << 20];
  const struct container_string strings[] = {{"triple", host}, {"arch", arch}, {"shared-bytes", "0,48"}};
  FILE *file = fopen(library, "rb");
  CHECK(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  CHECK(size && fclose(file) == 0);
  add_image_with(&bundle, OFFLOADRT_IMAGE_ELF, strings, 3, bytes, size);
  write_file(name, bundle.begin, bundle.size, 0666);
  free(bundle.begin);
}

int main(int count, char **words) {
  if (count == 4)
    return run_case(words);
  char program[PATH_MAX];
  CHECK(realpath("/proc/self/exe", program));
  self = program;
  snprintf(folder, sizeof folder, "/tmp/finish_test.XXXXXX");
  CHECK(mkdtemp(folder));
  write_bundle("bundle", "cpu", IMAGES "/finish_image.so");
  write_bundle("bundle2", "cpu:x86-64-v2", IMAGES "/finish_image2.so");
  write_compiler(good);
  setenv("OFFLOADC_CACHE_DIR", in_folder("cache"), 1);
  setenv("OFFLOADRT_COMPILER", in_folder("offloadc"), 1);
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64", 1);
  unsetenv("OFFLOADC_NO_CACHE");
  unsetenv("OFFLOADRT_JIT");
  RUN(a_second_start_compiles_nothing);
  RUN(without_the_compiler_the_cache_serves);
  RUN(a_new_compiler_compiles_again);
  RUN(damaged_files_are_compiled_again);
  RUN(two_processes_compile_once);
  RUN(failures_are_errors_of_the_launch);
  RUN(versions_and_the_variable_are_checked);
#ifdef __x86_64__
  RUN(a_better_image_is_made_in_the_background);
  RUN(the_end_of_the_program_ends_the_compiler);
#endif
  RUN(processes_that_fork_and_reap);
  RUN(without_a_cache_each_process_compiles);
  RUN(keys_are_told_apart);
  remove_all(folder);
  return 0;
}
