/* The log, and the file of the trace; trace.h has the format. work.c makes the events.
 *
 * The file is complete JSON after each write: a write replaces the end of the array by more events and the end. So nothing
 * needs to run when the process ends, however it ends. Events that belong together are written together, and before the
 * call that they describe returns. */
#define _GNU_SOURCE /* secure_getenv, gettid, program_invocation_short_name */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../error.h"
#include "../offloadrt.h"

int64_t offloadrt_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The log ----------------------------------------------------------------------------------------- */

int offloadrt_is_logging(void) {
  const char *wanted = secure_getenv("OFFLOADRT_LOG");
  return wanted && *wanted && strcmp(wanted, "0") != 0;
}

/* The time since the first call. */
static int64_t log_time(void) {
  static int64_t first;
  int64_t now = offloadrt_clock(), none = 0;
  return __atomic_compare_exchange_n(&first, &none, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? 0 : now - none;
}

/* Writes the line with one call, so that lines of several threads do not mix. */
void offloadrt_log(const char *format, ...) {
  if (!offloadrt_is_logging())
    return;
  va_list values;
  va_start(values, format);
  flockfile(stderr);
  fprintf(stderr, "offloadrt: %.3f ms: ", (double)log_time() / 1e6);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(values);
}

/* The file ---------------------------------------------------------------------------------------- */

int offloadrt_observers;

void offloadrt_observe(int observer) { __atomic_fetch_or(&offloadrt_observers, observer, __ATOMIC_RELAXED); }
static void end_file(void) { __atomic_fetch_and(&offloadrt_observers, ~OFFLOADRT_TRACE_FILE, __ATOMIC_RELAXED); }

/* One event has at most MOST_EVENT bytes: its texts are cut at MOST_TEXT bytes, of which each may become six. */
enum { MOST_TEXT = 1000, MOST_EVENT = 32 << 10, BUFFER = 64 << 10 };

static const char array_end[] = "\n]\n";

/* All that the lock protects. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  const char *name;    /* the value of the variable; null: it was not read yet */
  char path[PATH_MAX];
  int file;
  off_t size;          /* of the file, without the end of the array */
  long process;
  unsigned generation;
  int is_copied;       /* the process was forked, and the file is its parent's */
  size_t used;
  char buffer[BUFFER];
} trace = {.file = -1};

/* Replaces `%p` by the number of the process, as in LLVM_PROFILE_FILE. Returns 0 if the path is too long. */
static int expand_name(void) {
  size_t used = 0;
  trace.process = getpid();
  for (const char *at = trace.name; *at; at++) {
    int length = at[0] == '%' && at[1] == 'p' ? snprintf(trace.path + used, sizeof trace.path - used, "%ld", trace.process)
                                              : snprintf(trace.path + used, sizeof trace.path - used, "%c", *at);
    at += at[0] == '%' && (at[1] == 'p' || at[1] == '%');
    used += (size_t)length;
    if (used >= sizeof trace.path)
      return 0;
  }
  return 1;
}

/* Opens the file. Its lock shows that a process writes to it; another one may replace its content afterwards. */
static int open_file(int *is_used) {
  struct stat about;
  *is_used = 0;
  if (!expand_name())
    return ENAMETOOLONG;
  int file = open(trace.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0)
    return errno;
  int error = fstat(file, &about) ? errno : S_ISREG(about.st_mode) ? 0 : ESPIPE;
  if (!error && flock(file, LOCK_EX | LOCK_NB))
    *is_used = 1;
  else if (!error && ftruncate(file, 0))
    error = errno;
  if (error || *is_used) {
    close(file);
    return error;
  }
  trace.file = file;
  trace.size = 0;
  trace.used = 0;
  trace.generation++;
  return 0;
}

static void warn_used(void) {
  offloadrt_warn_once("this process writes no trace, because another one, or another runtime in this one, writes to `%s`; help: "
                      "`OFFLOADRT_TRACE=NAME-%%p.json` gives each process a file of its own",
                      trace.path);
}

static void stop(void) {
  end_file();
  close(trace.file);
  trace.file = -1;
}

/* Writes the buffer and the end of the array. The bytes of a failed write are removed. */
static void flush(void) {
  if (!trace.used || trace.file < 0)
    return;
  memcpy(trace.buffer + trace.used, array_end, sizeof array_end);
  size_t bytes = trace.used + sizeof array_end - 1;
  ssize_t written = pwrite(trace.file, trace.buffer, bytes, trace.size);
  if (written == (ssize_t)bytes) {
    trace.size += (off_t)trace.used;
    trace.used = 0;
    return;
  }
  int error = written < 0 ? errno : ENOSPC;
  if (ftruncate(trace.file, trace.size) || (trace.size && pwrite(trace.file, array_end, 3, trace.size) != 3))
    error = errno;
  offloadrt_warn_once("the trace `%s` ends early: %s", trace.path, strerror(error));
  stop();
}

/* A fork may happen while another thread has the lock. The child has its own file only if the name says so. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  trace.is_copied = trace.file >= 0;
  pthread_mutex_unlock(&lock);
}

/* Gives a process that was forked a separate file, if the name of the file has the number of the process. */
static void leave_parents_file(void) {
  int is_used, error;
  char parents[PATH_MAX];
  trace.is_copied = 0;
  memcpy(parents, trace.path, sizeof parents);
  close(trace.file);
  trace.file = -1;
  if (!expand_name() || strcmp(parents, trace.path) == 0) {
    end_file();
    return;
  }
  if ((error = open_file(&is_used)) != 0)
    offloadrt_warn_once("there is no trace `%s`: %s", trace.path, strerror(error));
  if (trace.file < 0)
    end_file();
}

int offloadrt_open_trace(void) {
  int status = OFFLOADRT_SUCCESS, is_used = 0, error;
  pthread_mutex_lock(&lock);
  if (!trace.name) {
    const char *name = secure_getenv("OFFLOADRT_TRACE");
    trace.name = name ? strdup(name) : "";
    if (!trace.name)
      trace.name = "";
    if (*trace.name && (error = open_file(&is_used)) != 0) {
      status = offloadrt_fail(OFFLOADRT_INVALID, "the trace `%s` (from `OFFLOADRT_TRACE`) cannot be written: %s", trace.path,
                              error == ESPIPE ? "it is no regular file" : strerror(error));
      free((char *)trace.name);
      trace.name = NULL;
    } else if (is_used) {
      warn_used();
    } else if (*trace.name) {
      pthread_atfork(before_fork, after_fork, in_child);
      offloadrt_observe(OFFLOADRT_TRACE_FILE);
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}

static __attribute__((destructor)) void end_trace(void) {
  pthread_mutex_lock(&lock);
  if (!trace.is_copied)
    flush();
  end_file();
  pthread_mutex_unlock(&lock);
}

/* Events ------------------------------------------------------------------------------------------ */

int offloadrt_begin_event(void) {
  pthread_mutex_lock(&lock);
  if (trace.is_copied)
    leave_parents_file();
  if (trace.used + MOST_EVENT > sizeof trace.buffer)
    flush();
  if (!offloadrt_is_tracing()) {
    pthread_mutex_unlock(&lock);
    return 0;
  }
  offloadrt_add(trace.size || trace.used ? ",\n{" : "[\n{");
  return 1;
}

void offloadrt_next_event(void) { offloadrt_add("},\n{"); }

void offloadrt_add(const char *format, ...) {
  va_list values;
  size_t room = sizeof trace.buffer - sizeof array_end - trace.used;
  va_start(values, format);
  int length = vsnprintf(trace.buffer + trace.used, room, format, values);
  va_end(values);
  if (length > 0 && (size_t)length < room)
    trace.used += (size_t)length;
}

/* The number of bytes of the UTF-8 character at `text`; 0 if there is none, or none that JSON may contain. */
static size_t character_bytes(const unsigned char *text) {
  size_t bytes = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
  uint32_t code = *text & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  int is_too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  return is_too_long || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : bytes;
}

static void add_bytes(const void *bytes, size_t count) {
  if (count >= sizeof trace.buffer - sizeof array_end - trace.used)
    return;
  memcpy(trace.buffer + trace.used, bytes, count);
  trace.used += count;
}

void offloadrt_add_text(const char *text) {
  const unsigned char *at = (const unsigned char *)text, *begin = at;
  add_bytes("\"", 1);
  for (size_t bytes; *at && at - begin < MOST_TEXT; at += bytes ? bytes : 1) {
    bytes = character_bytes(at);
    if (*at < ' ' || *at == 0x7f)
      offloadrt_add("\\u%04x", *at);
    else if (*at == '"' || *at == '\\')
      offloadrt_add("\\%c", *at);
    else
      add_bytes(bytes ? at : (const unsigned char *)"?", bytes ? bytes : 1);
  }
  add_bytes("\"", 1);
}

void offloadrt_add_track(long pid, long tid) { offloadrt_add(",\"pid\":%ld,\"tid\":%ld", pid, tid); }

static void add_microseconds(const char *name, int64_t nanoseconds) {
  offloadrt_add(",\"%s\":%lld.%03d", name, (long long)(nanoseconds / 1000), (int)(nanoseconds % 1000));
}

void offloadrt_add_times(int64_t begin, int64_t duration) {
  add_microseconds("ts", begin);
  if (duration >= 0)
    add_microseconds("dur", duration);
}

void offloadrt_end_event(int is_last) {
  offloadrt_add("}");
  if (is_last)
    flush();
  pthread_mutex_unlock(&lock);
}

long offloadrt_traced_process(void) { return trace.process; }
unsigned offloadrt_trace_generation(void) { return trace.generation; }
