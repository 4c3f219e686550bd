/* Tests of the trace's file: that it is JSON however a process ends, and that it is one process's own. Each case runs
 * in a separate process, in which no device was open before. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char folder[64], file[256];
static offloadrt_device *device;

/* JSON ------------------------------------------------------------------------------------------- */

static const char *value(const char *at);

static const char *spaces(const char *at) { return at + strspn(at, " \n\r\t"); }

/* The number of bytes of a UTF-8 character; the runtime's own check is not used. */
static size_t utf8(const unsigned char *at) {
  static const struct { unsigned char low, high, next_low, next_high; size_t bytes; } rows[] = {
      {0x20, 0x7e, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
      {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
      {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (*at < rows[i].low || *at > rows[i].high)
      continue;
    size_t bytes = rows[i].bytes;
    if (bytes > 1 && (at[1] < rows[i].next_low || at[1] > rows[i].next_high))
      return 0;
    for (size_t k = 2; k < bytes; k++)
      if ((at[k] & 0xc0) != 0x80)
        return 0;
    return bytes;
  }
  return 0;
}

static const char *string(const char *at) {
  if (*at++ != '"')
    return NULL;
  while (*at != '"') {
    if (*at == '\\') {
      if (at[1] == 'u' ? strspn(at + 2, "0123456789abcdef") < 4 : !at[1] || !strchr("\"\\/bfnrt", at[1]))
        return NULL;
      at += at[1] == 'u' ? 6 : 2;
      continue;
    }
    size_t bytes = utf8((const unsigned char *)at);
    if (!bytes)
      return NULL;
    at += bytes;
  }
  return at + 1;
}

/* Skips the members from the opening bracket to the closing one. */
static const char *members(const char *at, char close, int has_names) {
  at = spaces(at + 1);
  if (*at == close)
    return at + 1;
  for (;;) {
    if (has_names) {
      at = string(spaces(at));
      at = at ? spaces(at) : NULL;
      if (!at || *at++ != ':')
        return NULL;
    }
    at = value(at);
    at = at ? spaces(at) : NULL;
    if (!at || (*at != ',' && *at != close))
      return NULL;
    if (*at++ == close)
      return at;
  }
}

static const char *value(const char *at) {
  at = spaces(at);
  if (*at == '{' || *at == '[')
    return members(at, *at == '{' ? '}' : ']', *at == '{');
  if (*at == '"')
    return string(at);
  size_t digits = strspn(at, "-0123456789.");
  return digits ? at + digits : NULL;
}

/* Returns the content of the file, after a check that all of it is an array in JSON. */
static char *read_trace(const char *path) {
  static char text[4 << 20];
  FILE *in = fopen(path, "rb");
  CHECK(in);
  size_t bytes = fread(text, 1, sizeof text - 1, in);
  CHECK(fclose(in) == 0 && bytes < sizeof text - 1);
  text[bytes] = 0;
  CHECK(strlen(text) == bytes);
  CHECK(*text == '[');
  const char *end = value(text);
  CHECK(end && !*spaces(end));
  return text;
}

static int count(const char *text, const char *part) {
  int found = 0;
  while ((text = strstr(text, part)) != NULL) {
    found++;
    text += strlen(part);
  }
  return found;
}

/* Kernels ----------------------------------------------------------------------------------------- */

static void nothing_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  (void)b;
  (void)arguments;
}

static void panics_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  (void)arguments;
  b->state->panic.claimed = b->state->panic.message = b->state->panic.place = 1;
}

/* A path with characters that JSON, UTF-8 or a terminal treats in a special way: a quote, a backslash, a control character,
 * a letter of two bytes, and bytes that are no character. */
static const struct {
  struct offload_panic_texts texts;
  struct offload_panic_place place;
  uint32_t message, names[2];
  char strings[64];
} texts = {{104, 1, 1, 2}, {40, 23, 9}, 43, {46, 72}, "a\"\0no\0a\\b\n\xc3\xa9 \xff\xed\xa0\x80\xe0\x80\x80<T as U>::f\0panics"};
static struct offload_descriptor descriptor;
static const struct offload_kernel kernels[] = {
    {.size = sizeof(struct offload_kernel), .version = OFFLOAD_KERNEL_VERSION, .name = "_RNvCs1_1a1f", .argument_align = 8,
     .cpu_entry = nothing_entry, .descriptor = &descriptor},
    {.size = sizeof(struct offload_kernel), .version = OFFLOAD_KERNEL_VERSION, .name = "panics", .argument_align = 8,
     .cpu_entry = panics_entry, .flags = OFFLOAD_KERNEL_TAKES_STATE, .descriptor = &descriptor},
};
static struct offload_descriptor descriptor = DESCRIPTOR(kernels, .panics = &texts.texts);

static int launch(int kernel) {
  offloadrt_launch_config config = shape(3, 2, 1, 4, 1, 1);
  return offloadrt_launch(device, NULL, &kernels[kernel], &config, NULL, 0);
}

static void open_device(void) { CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_SUCCESS); }

/* Runs `run` in a separate process, and returns how that has ended. */
static int in_process(void (*run)(void)) {
  fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (!child) {
    run();
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void name_file(const char *name) {
  snprintf(file, sizeof file, "%s/%s", folder, name);
  setenv("OFFLOADRT_TRACE", file, 1);
}

/* Cases ------------------------------------------------------------------------------------------- */

static void launch_and_abort(void) {
  open_device();
  CHECK(launch(0) == OFFLOADRT_SUCCESS);
  CHECK(count(read_trace(file), "\"cat\":\"launch\"") == 1);
  CHECK(offloadrt_synchronize(device, NULL) == OFFLOADRT_SUCCESS);
  abort();
}

static void the_file_is_complete_when_a_process_aborts(void) {
  name_file("abort.json");
  int status = in_process(launch_and_abort);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  const char *text = read_trace(file);
  CHECK(count(text, "\"cat\":\"kernel\"") == 1 && count(text, "\"name\":\"wait\"") == 1);
  CHECK(count(text, "\"grid\":[3,2,1],\"block\":[4,1,1]") == 2);
}

static void launch_both(void) {
  open_device();
  CHECK(launch(0) == OFFLOADRT_SUCCESS);
  CHECK(launch(1) == OFFLOADRT_PANICKED);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

static void names_are_strings_of_json(void) {
  name_file("names.json");
  CHECK(in_process(launch_both) == 0);
  const char *text = read_trace(file);
  CHECK(count(text, "\"name\":\"a\\\\b\\u000a\xc3\xa9 "
                    "?" "?" "?" "?" "?" "?" "?" "<T as U>::f\",\"cat\":\"kernel\"") == 1);
  CHECK(count(text, "\"symbol\":\"_RNvCs1_1a1f\"") == 2);
  CHECK(count(text, "\"ph\":\"i\",\"name\":\"panic\"") == 1);
  /* The message is in the instant, and in the call that has failed. */
  CHECK(count(text, "kernel `panics` panicked at a\\\":23:9: no") == 2);
}

static void launch_only(void) {
  open_device();
  CHECK(launch(0) == OFFLOADRT_SUCCESS);
}

/* A second process with the same file warns, and leaves the file alone. */
static void launch_beside(void) {
  launch_only();
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (!child) {
    dup2(ends[1], STDERR_FILENO);
    execl("/proc/self/exe", "trace_test", "launch", (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  char said[1024];
  ssize_t bytes = read(ends[0], said, sizeof said - 1);
  said[bytes > 0 ? bytes : 0] = 0;
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(strstr(said, "this process writes no trace") && strstr(said, "OFFLOADRT_TRACE=NAME-%p.json"));
  CHECK(launch(0) == OFFLOADRT_SUCCESS);
  CHECK(count(read_trace(file), "\"cat\":\"kernel\"") == 2);
}

static void a_second_process_leaves_the_file_alone(void) {
  name_file("shared.json");
  CHECK(in_process(launch_beside) == 0);
  /* When the first one has ended, the file is free. */
  CHECK(in_process(launch_only) == 0);
  CHECK(count(read_trace(file), "\"cat\":\"kernel\"") == 1);
}

static void launch_after_fork(void) {
  launch_only();
  CHECK(in_process(launch_only) == 0);
  CHECK(launch(0) == OFFLOADRT_SUCCESS);
}

static void a_fork_has_a_file_of_its_own_or_none(void) {
  name_file("forked.json");
  CHECK(in_process(launch_after_fork) == 0);
  CHECK(count(read_trace(file), "\"cat\":\"kernel\"") == 2);
  name_file("100%%-%p.json");
  CHECK(in_process(launch_after_fork) == 0);
  char command[512];
  snprintf(command, sizeof command, "test $(ls %s/100%%-*.json | wc -l) = 2 && test $(cat %s/100%%-*.json | grep -c '\"cat\":\"kernel\"') = 3 && "
           "test $(grep -L process_name %s/100%%-*.json | wc -l) = 0", folder, folder, folder);
  CHECK(system(command) == 0);
}

static void open_without_folder(void) {
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_INVALID && !device);
  char wanted[512];
  snprintf(wanted, sizeof wanted, "the trace `%s` (from `OFFLOADRT_TRACE`) cannot be written: No such file or directory", file);
  CHECK_TEXT(wanted);
  setenv("OFFLOADRT_TRACE", "/dev/null", 1);
  CHECK(offloadrt_device_open("cpu", &device) == OFFLOADRT_INVALID);
  CHECK_TEXT("the trace `/dev/null` (from `OFFLOADRT_TRACE`) cannot be written: it is no regular file");
}

static void a_file_that_cannot_be_written_is_an_error(void) {
  name_file("none/trace.json");
  CHECK(in_process(open_without_folder) == 0);
}

/* The file may not become larger than this. */
static void launch_until_full(void) {
  const struct rlimit limit = {6000, 6000};
  signal(SIGXFSZ, SIG_IGN);
  open_device();
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  for (int i = 0; i < 100; i++)
    CHECK(launch(0) == OFFLOADRT_SUCCESS);
}

static void a_full_disk_ends_the_trace(void) {
  name_file("full.json");
  CHECK(in_process(launch_until_full) == 0);
  int launches = count(read_trace(file), "\"cat\":\"launch\"");
  CHECK(launches > 2 && launches < 30);
}

enum { THREADS = 4, LAUNCHES = 200 };

static void *launch_many(void *unused) {
  for (int i = 0; i < LAUNCHES; i++)
    CHECK(launch(0) == OFFLOADRT_SUCCESS);
  return unused;
}

static void launch_from_threads(void) {
  pthread_t threads[THREADS];
  open_device();
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, launch_many, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

static void threads_share_the_file(void) {
  name_file("threads.json");
  CHECK(in_process(launch_from_threads) == 0);
  const char *text = read_trace(file);
  CHECK(count(text, "\"cat\":\"launch\"") == THREADS * LAUNCHES && count(text, "\"cat\":\"kernel\"") == THREADS * LAUNCHES);
  CHECK(count(text, "\"name\":\"thread_name\"") == THREADS + 2);
}

static void use_streams_and_memory(void) {
  offloadrt_stream *first, *second;
  void *memory, *pinned;
  open_device();
  CHECK(offloadrt_stream_create(device, &first) == OFFLOADRT_SUCCESS && offloadrt_stream_create(device, &second) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_allocate(device, 4096, &memory) == OFFLOADRT_SUCCESS && offloadrt_allocate_host(device, 512, &pinned) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_submit_copy_to_device(device, first, memory, pinned, 512) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_submit_fill(device, second, memory, 1, 4096) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_copy_to_host(device, second, pinned, memory, 256) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_free_host(device, pinned) == OFFLOADRT_SUCCESS && offloadrt_free(device, memory) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_stream_destroy(first) == OFFLOADRT_SUCCESS && offloadrt_stream_destroy(second) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
}

static void operations_have_their_streams_and_bytes(void) {
  name_file("streams.json");
  CHECK(in_process(use_streams_and_memory) == 0);
  const char *text = read_trace(file);
  CHECK(count(text, "\"device\":\"cpu\",\"stream\":1,\"direction\":\"to_device\",\"bytes\":512}") == 2);
  CHECK(count(text, "\"device\":\"cpu\",\"stream\":2,\"direction\":\"fill\",\"bytes\":4096}") == 2);
  CHECK(count(text, "\"device\":\"cpu\",\"stream\":2,\"direction\":\"to_host\",\"bytes\":256}") == 2);
  CHECK(count(text, "\"args\":{\"name\":\"stream 1\"}") == 1 && count(text, "\"args\":{\"name\":\"stream 2\"}") == 1);
  CHECK(count(text, "\"name\":\"host\",\"cat\":\"gap\"") == 1);
  CHECK(count(text, "\"memory\":\"device\"") == 2 && count(text, "\"memory\":\"pinned\"") == 2);
  CHECK(count(text, "\"bytes\":4096}") == 3);
}

int main(int words, char **word) {
  offloadrt_register(&descriptor);
  if (words > 1) {
    launch_only();
    return word[1] == NULL;
  }
  snprintf(folder, sizeof folder, "/tmp/offloadrt-trace-XXXXXX");
  CHECK(mkdtemp(folder));
  RUN(the_file_is_complete_when_a_process_aborts);
  RUN(names_are_strings_of_json);
  /* In an emulator of processors, a program cannot start itself. */
  if (!getenv("OFFLOADRT_TEST_EMULATOR"))
    RUN(a_second_process_leaves_the_file_alone);
  RUN(a_fork_has_a_file_of_its_own_or_none);
  RUN(a_file_that_cannot_be_written_is_an_error);
  RUN(a_full_disk_ends_the_trace);
  RUN(threads_share_the_file);
  RUN(operations_have_their_streams_and_bytes);
  char command[96];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}
