/* Tests that generic images are finished for the cpu device. The compiler is a script that counts its runs and writes a
 * real image; tests/compiler/finished.rs does the same with offloadc. Each case is a separate process, which this
 * program starts with the name of the case. */
#define _GNU_SOURCE
#include "closing_cases.h"

/* Cases ----------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"two", runs_two_kernels}, {"fails", fails}, {"variable", refuses_the_variable},
             {"threads", threads_launch_at_once}, {"improves", improves_in_the_background}, {"statics", waits_for_statics},
             {"keeps", keeps_what_is_linked}, {"closes", closes_the_object_meanwhile}, {"ends", ends_meanwhile},
             {"forks", forks_meanwhile}, {"reaps", reaps_all_children}, {"ignores", ignores_children}, {"keys", keys_differ}, {"vary", makes_variants},
             {"vary-blocks", makes_variants_for_blocks}, {"vary-not", makes_no_variants},
             {"vary-later", makes_variants_in_the_background}, {"vary-threads", varies_from_threads},
             {"vary-at-once", varies_at_once}, {"vary-forks", forks_while_it_makes_one},
             {"vary-heap", keeps_a_heap}, {"closing", uses_devices_in_a_destructor},
             {"find-closing", finds_in_a_destructor}, {"vary-closing", varies_in_a_destructor}};

/* `finish_test FOLDER CASE IMAGES`: `l` is linked code, `g` a generic image, `s` one with statics, `h` one with a kernel
 * that allocates memory, `v` one of another version, `k` one with a kernel that keeps its heap, `d` one whose table is
 * damaged. */
static int run_case(char **words) {
  snprintf(folder, sizeof folder, "%s", words[1]);
  for (const char *image = words[3]; *image; image++)
    if (*image == 'l')
      link_code();
    else
      add_generic(*image == 'v' ? "4" : "3", *image == 's' ? "yes" : "no");
  if (strchr(words[3], 'h'))
    kernels[1].flags |= OFFLOAD_KERNEL_NEEDS_HEAP;
  if (strchr(words[3], 'k'))
    kernels[2].flags |= OFFLOAD_KERNEL_KEEPS_HEAP;
  if (strchr(words[3], 'd'))
    marked.scalars[1].size = UINT32_MAX;
  register_object();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].name, words[2]) == 0) {
      cases[i].run();
      return 0;
    }
  return 1;
}

static const char *self;

/* Files ----------------------------------------------------------------------------------------- */

static void write_file(const char *name, const void *bytes, size_t size, mode_t mode) {
  int file = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

/* The compiler: it counts its runs, writes its number, and does `work`. OUT is the word after `-o`. */
static void write_compiler(const char *work) {
  char text[2048];
  snprintf(text, sizeof text,
           "#!/bin/sh\nwords=$*\nwhile [ \"$1\" != -o ]; do shift; done\nout=$2\ncd '%s'\necho run >>runs\necho \"$words\" >>words\necho $$ >number\ncat >input\n%s\n", folder, work);
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

/* Writes a program that runs the script, with another byte of its build id. Its size and age are always the same. */
static void write_program(unsigned char change) {
  static const unsigned char note[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
  /* Checkers of memory make it large. */
  static unsigned char bytes[64 << 20];
  const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  FILE *file = fopen(self, "rb");
  CHECK(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  CHECK(size && size < sizeof bytes && fclose(file) == 0);
  unsigned char *found = memmem(bytes, 4096, note, sizeof note);
  CHECK(found);
  found[sizeof note] ^= change;
  unlink(in_folder("offloadc"));
  write_file("offloadc", bytes, size, 0755);
  CHECK(utimensat(AT_FDCWD, in_folder("offloadc"), times, 0) == 0);
}

static void run_script(char **words) {
  char script[PATH_MAX];
  snprintf(script, sizeof script, "%s.script", words[0]);
  execv(script, words);
  _exit(1);
}

/* Packages may give all files the same time. */
static void a_compiler_with_another_build_id_compiles_again(void) {
  write_compiler(good);
  CHECK(rename(in_folder("offloadc"), in_folder("offloadc.script")) == 0);
  const int wanted[] = {1, 0, 1};
  for (int i = 0; i < 3; i++) {
    write_program((unsigned char)(i / 2));
    run_one("two", "g");
    CHECK(runs() == wanted[i]);
  }
  write_compiler(good);
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
  check_reason("its layout has version 4, of offloadc 9, LLVM 99, and this runtime takes version 3; build the program with the "
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
  run_one("statics", "lh");
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
  int first = 1; /* it does not support threads in a process that was forked */
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

/* Starts a case with linked code that makes `wanted` variants. */
static void run_variants(const char *name, const char *kinds, int wanted) {
  clear();
  run_one(name, kinds);
  CHECK(runs() == wanted);
}

/* The words that the compiler got for each variant, with the values of the launches. */
static void check_words(void) {
  static const char *const values[] = {"01000000", "01010000", "01000001", "02000000"};
  char text[8192] = "", wanted[8192] = "";
  FILE *file = fopen(in_folder("words"), "r");
  CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
  for (size_t i = 0; i < 4; i++) {
    snprintf(wanted, sizeof wanted, "finish --offload-arch=cpu --specialize=vary:@12=%s --specialized-only --emit=bundle -o ",
             values[i]);
    CHECK(strstr(text, wanted));
  }
}

static void variants_are_made_for_values(void) {
  write_compiler("cp bundle3 \"$out\"");
  setenv("OFFLOADRT_VARIANTS", "3,wait", 1);
  unlink(in_folder("words"));
  run_variants("vary", "lg", 4); /* the object that is registered again has a fourth value */
  check_words();
  run_one("vary", "lg");
  CHECK(runs() == 0);
  run_variants("vary-blocks", "lg", 2);
  run_variants("vary-threads", "lg", 3);
  run_variants("vary-heap", "lg", 1);
  run_variants("vary-not", "l", 0); /* there is no generic image */
  run_variants("vary-not", "ls", 0);
  run_variants("vary-not", "lgk", 0);
  run_variants("vary-not", "lgd", 0);
  run_variants("vary-not", "lv", 0);
  setenv("OFFLOADRT_JIT", "never", 1);
  run_variants("vary-not", "lg", 0);
  unsetenv("OFFLOADRT_JIT");
  setenv("OFFLOADRT_VARIANTS", "0", 1);
  run_variants("vary-not", "lg", 0);
  setenv("OFFLOADRT_VARIANTS", "3,wait", 1);
  write_compiler("exit 1");
  run_variants("vary-not", "lg", 1); /* no second attempt */
  write_compiler("cp bundle4 \"$out\"");
  run_variants("vary-not", "lg", 1); /* the image is for another processor */
  write_compiler("cp bundle5 \"$out\"");
  run_variants("vary-not", "lg", 1); /* the image is no shared object */
  write_compiler("sleep 0.3; cp bundle3 \"$out\"");
  run_variants("vary-at-once", "lg", 1);
  unsetenv("OFFLOADRT_VARIANTS");
  run_variants("vary-later", "lg", 1);
#ifndef __SANITIZE_THREAD__
  run_variants("vary-forks", "lg", 1);
#endif
}

/* The images are in the cache, so that the launches only load them. */
static void devices_are_used_in_destructors(void) {
  clear();
  write_compiler(good);
  run_one("two", "g");
  run_one("closing", "g");
  run_one("find-closing", "g");
  CHECK(runs() == 1);
  write_compiler("cp bundle3 \"$out\"");
  setenv("OFFLOADRT_VARIANTS", "3,wait", 1);
  run_variants("vary-closing", "lg", 2);
  unsetenv("OFFLOADRT_COMPILER"); /* it is looked for beside the program */
  run_one("vary-closing", "lg");
  setenv("OFFLOADRT_COMPILER", in_folder("offloadc"), 1);
  CHECK(runs() == 0);
  unsetenv("OFFLOADRT_VARIANTS");
}

#ifdef __x86_64__
/* The runtime's thread works while its code is closed. */
static void a_runtime_is_closed_while_it_works(void) {
  write_compiler("exec sleep 60");
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64-v2", 1);
  setenv("OFFLOADRT_JIT", "always", 1);
  clear();
  pid_t child = fork();
  if (child == 0) {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the jobs of a runtime that is closed are not freed */
    execl(IMAGES "/finish_closing", "finish_closing", folder, (char *)NULL);
    _exit(1);
  }
  expect(child);
  CHECK(runs() == 1 && until(is_gone));
  look_into_cache();
  CHECK(entries == 0 && others == 0);
  unsetenv("OFFLOADRT_JIT");
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64", 1);
}
#endif

/* Writes the file that the compiler copies. */
static void write_bundle(const char *name, const char *arch, const char *library, const char *shared_bytes) {
  struct containers bundle = {NULL, 0};
  static unsigned char bytes[1 << 20];
  const struct container_string strings[] = {{"triple", host}, {"arch", arch}, {"shared-bytes", shared_bytes}};
  FILE *file = fopen(library, "rb");
  CHECK(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  CHECK(size && fclose(file) == 0);
  add_image_with(&bundle, OFFLOADRT_IMAGE_ELF, strings, 3, bytes, size);
  write_file(name, bundle.begin, bundle.size, 0666);
  free(bundle.begin);
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "finish") == 0)
    run_script(words);
  if (count == 4)
    return run_case(words);
  char program[PATH_MAX];
  CHECK(realpath("/proc/self/exe", program));
  self = program;
  snprintf(folder, sizeof folder, "/tmp/finish_test.XXXXXX");
  CHECK(mkdtemp(folder));
  write_bundle("bundle", "cpu", IMAGES "/finish_image.so", "0,48");
  write_bundle("bundle2", "cpu:x86-64-v2", IMAGES "/finish_image2.so", "0,48");
  write_bundle("bundle3", "cpu", IMAGES "/finish_image.so", "48");
  write_bundle("bundle4", "cpu:x86-64-v4", IMAGES "/finish_image.so", "48");
  write_bundle("bundle5", "cpu", "/proc/self/status", "48");
  write_compiler(good);
  setenv("OFFLOADC_CACHE_DIR", in_folder("cache"), 1);
  setenv("OFFLOADRT_COMPILER", in_folder("offloadc"), 1);
  setenv("OFFLOADRT_CPU_LEVEL", "x86-64", 1);
  unsetenv("OFFLOADC_NO_CACHE");
  unsetenv("OFFLOADRT_JIT");
  unsetenv("OFFLOADRT_VARIANTS");
  RUN(a_second_start_compiles_nothing);
  RUN(without_the_compiler_the_cache_serves);
  RUN(a_new_compiler_compiles_again);
  RUN(a_compiler_with_another_build_id_compiles_again);
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
  RUN(variants_are_made_for_values);
  RUN(devices_are_used_in_destructors);
#ifdef __x86_64__
  RUN(a_runtime_is_closed_while_it_works);
#endif
  remove_all(folder);
  return 0;
}
