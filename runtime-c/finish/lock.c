/* The lock of a job among processes: a file beside the job's file in the cache. A process that ends, in whatever way,
 * gives its lock up. */
#define _GNU_SOURCE /* flock, nanosleep */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "finish.h"

/* How long a process waits for another one, which may have been stopped. Then it does the work itself: the result is a
 * complete file in any case. */
enum { STEP_MILLISECONDS = 20, MOST_STEPS = 300000 / STEP_MILLISECONDS };

/* A run of offloadc removes files with this prefix when they are an hour old. */
static int lock_path(const char *path, char *lock, size_t capacity) {
  const char *name = strrchr(path, '/') + 1;
  int fits = offloadrt_write_text(lock, capacity, "%.*s.offloadc-lock-%s", (int)(name - path), path, name);
  return fits;
}

/* Whether the file that is open is still the file of this name: its last owner removes it. */
static int is_same_file(int file, const char *path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/* Returns the locked file, -1 if another process has the lock, and -2 if the file cannot be locked. */
static int try_lock(const char *path) {
  char reason[OFFLOADRT_FINISH_REASON];
  int file = offloadrt_open_own(path, O_RDWR | O_CREAT, reason, sizeof reason);
  if (file < 0)
    return -2;
  int error = flock(file, LOCK_EX | LOCK_NB) ? errno : 0;
  if (!error && is_same_file(file, path))
    return file;
  close(file);
  return !error || error == EWOULDBLOCK || error == EINTR ? -1 : -2;
}

void offloadrt_lock_job(struct offloadrt_finish_job *job, const char *path) {
  const struct timespec step = {.tv_nsec = STEP_MILLISECONDS * 1000000L};
  char lock[OFFLOADRT_FINISH_PATH];
  int file = lock_path(path, lock, sizeof lock) ? -1 : -2;
  for (int steps = 0; file == -1 && steps < MOST_STEPS && !offloadrt_finish_is_over(); steps++) {
    file = try_lock(lock);
    if (file == -1 && !steps)
      offloadrt_log("finish: another process compiles `%s`", path);
    if (file == -1)
      nanosleep(&step, NULL);
  }
  job->lock = file < 0 ? -1 : file;
}

/* A process that was forked has the same open file, so closing it does not give up the lock. */
void offloadrt_unlock_job(struct offloadrt_finish_job *job, const char *path) {
  char lock[OFFLOADRT_FINISH_PATH];
  if (job->lock < 0)
    return;
  if (lock_path(path, lock, sizeof lock))
    unlink(lock);
  flock(job->lock, LOCK_UN);
  close(job->lock);
  job->lock = -1;
}
