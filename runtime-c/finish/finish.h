/* The declarations that the files of this folder share. A job is started in jobs.c, which runs the compiler
 * (compiler.c) while it holds the lock of the job among processes (lock.c), and keeps the result in the cache (kept.c).
 * Whatever is executed or read there goes through own.c. */
#ifndef OFFLOADRT_FINISH_FINISH_H
#define OFFLOADRT_FINISH_FINISH_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

#include "../finish.h"
#include "own.h"

#pragma GCC visibility push(hidden)

enum { OFFLOADRT_FINISH_PATH = 4096, OFFLOADRT_FINISH_REASON = 2048 };

/* Writes a text, and truncates it at the capacity. Returns 0 if it was truncated. */
__attribute__((format(printf, 3, 4))) static inline int offloadrt_write_text(char *text, size_t capacity,
                                                                             const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text, capacity, format, values);
  va_end(values);
  return length >= 0 && (size_t)length < capacity;
}

struct offloadrt_finish_job {
  struct offloadrt_finish_job *next;
  char *key; /* all that decides the image, as text, with a null at its end */
  size_t key_bytes;
  char **words; /* of the command line, beginning with `--offload-arch=ARCH` and ending with null */
  unsigned char *generic; /* null until it is given, and when the job has ended */
  size_t generic_bytes;
  enum offloadrt_finish_state state;
  unsigned char *container; /* the finished image */
  size_t container_bytes;
  struct offloadrt_image image;
  char *reason; /* why it is not finished; null: there was no memory for the text */
  pid_t child;  /* the compiler while it runs, or 0 */
  pthread_t thread; /* of the runtime, which works on it */
  int has_thread;   /* nonzero: it is not joined yet */
  int lock;     /* the open lock file, or -1 */
};

enum { OFFLOADRT_BUILD_ID = 32 };

/* The program that compiles, the age of its file, and its build id, which a linker computes from all of the program. It
 * is 0 if there is none. Files of a package may have the same size and age in two versions. */
struct offloadrt_compiler {
  char path[OFFLOADRT_FINISH_PATH]; /* as it was named or found */
  char file[OFFLOADRT_FINISH_PATH]; /* the same without links: the file that was checked, and is executed */
  uint64_t bytes;
  int64_t seconds, nanoseconds;
  unsigned char build_id[OFFLOADRT_BUILD_ID];
};

/* Finds the compiler. If there is none, the result is 0, and `reason` says where it was looked for. */
int offloadrt_find_compiler(struct offloadrt_compiler *compiler, char *reason, size_t capacity);

/* Whether this code is a part of the program itself, which is never closed. */
int offloadrt_is_in_program(void);

/* Runs the compiler, which writes the file `out`. Returns 0 if it fails, with the reason. */
int offloadrt_run_compiler(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, const char *out,
                           char *reason, size_t capacity);

/* Sets the process that works on the job, so that the end of the program ends it. Returns 0 if the program ends
 * already. The second function waits for the process, and returns its status, or -1 if the program has taken it. */
int offloadrt_finish_set_child(struct offloadrt_finish_job *job, pid_t child);
int offloadrt_finish_wait_for_child(struct offloadrt_finish_job *job);

/* Whether the program ends. */
int offloadrt_finish_is_over(void);

/* Writes the path of the job's file in the cache, and makes its folder. Returns 0 if there is no cache, or if it is
 * another user's. */
int offloadrt_kept_path(const struct offloadrt_finish_job *job, char *path, size_t capacity);

/* Reads the job's file in the cache. Returns 0 if there is none, if it is damaged, or if it was made by another compiler
 * than `compiler`, which may be null. */
int offloadrt_read_kept(struct offloadrt_finish_job *job, const char *path, const struct offloadrt_compiler *compiler);

/* Writes it. A failure costs a compilation in another process, and is only logged. */
void offloadrt_write_kept(const struct offloadrt_finish_job *job, const char *path,
                          const struct offloadrt_compiler *compiler);

/* Whether a file can be written at the path of a kept image. */
int offloadrt_can_keep(const char *path);

/* Writes the name of a new temporary file beside `path`, which a run of offloadc removes when it is an hour old. */
int offloadrt_name_temporary(const char *path, char *temporary, size_t capacity);

/* Reads a whole file into memory that the caller frees; null if it cannot be read. The descriptor remains open. */
unsigned char *offloadrt_read_all(int file, size_t *bytes);

/* Writes all bytes; returns 0 on failure. */
int offloadrt_write_all(int file, const void *bytes, size_t size);

/* Parses the container of a job, and returns 0 if it is not one image. */
int offloadrt_finish_parse(struct offloadrt_finish_job *job);

/* Locks the job of a file in the cache among processes: waits while another process works on it. The lock is absent on a
 * file system without locks; then two processes may do the same work. unlock() removes the lock file. */
void offloadrt_lock_job(struct offloadrt_finish_job *job, const char *path);
void offloadrt_unlock_job(struct offloadrt_finish_job *job, const char *path);

#pragma GCC visibility pop
#endif
