/* The jobs of a process: for each key one, so that threads and devices share the work and its result. A thread that needs
 * an image at once works on the job itself, and others wait for it. Otherwise a thread of the runtime does.
 *
 * A process that was forked has none of these threads: there, unfinished work begins again when it is needed. At the end
 * of the program, the compiler is killed. A shared object with this code that is closed waits for these threads, because
 * their code disappears. */
#define _GNU_SOURCE /* secure_getenv */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "finish.h"
#include "../trace/work.h"

/* The variable ---------------------------------------------------------------------------------- */

static enum offloadrt_jit jit_mode = OFFLOADRT_JIT_AUTO;

/* The compiler would run with these rights, and files that others write would become code. */
static int has_other_rights(void) { return getauxval(AT_SECURE) != 0; }

static int check_variable(void) {
  static const char *const names[] = {"never", "auto", "always"};
  const char *text = secure_getenv("OFFLOADRT_JIT");
  int value = text && *text ? -1 : OFFLOADRT_JIT_AUTO;
  for (int i = 0; value < 0 && i < 3; i++)
    if (strcmp(text, names[i]) == 0)
      value = i;
  if (value < 0)
    return offloadrt_fail(OFFLOADRT_INVALID, "`OFFLOADRT_JIT` is `%s`, and must be `never`, `auto` or `always`", text);
  __atomic_store_n(&jit_mode, has_other_rights() ? OFFLOADRT_JIT_NEVER : (enum offloadrt_jit)value, __ATOMIC_RELAXED);
  return OFFLOADRT_SUCCESS;
}

static enum offloadrt_jit mode(void) { return __atomic_load_n(&jit_mode, __ATOMIC_RELAXED); }

static const char *never(void) {
  return has_other_rights() ? "the program runs with other rights than its user's" : "`OFFLOADRT_JIT` is `never`";
}

/* The list -------------------------------------------------------------------------------------- */

/* Protects all that follows, and the state of each job. A thread has it only for a short time. */
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ended = PTHREAD_COND_INITIALIZER;
static struct offloadrt_finish_job *jobs;
static int running; /* how many jobs are in the state `finishing` */
static int is_over; /* the program ends */

static void before_fork(void) { pthread_mutex_lock(&jobs_lock); }
static void after_fork(void) { pthread_mutex_unlock(&jobs_lock); }

/* No thread of the parent is here. Its compiler continues, and is not a child of this process. */
static void in_child(void) {
  for (struct offloadrt_finish_job *job = jobs; job; job = job->next) {
    job->has_thread = 0;
    if (job->state == OFFLOADRT_FINISHING) {
      job->state = OFFLOADRT_UNFINISHED;
      job->child = 0;
      if (job->lock >= 0)
        close(job->lock);
      job->lock = -1;
    }
  }
  running = 0;
  pthread_cond_init(&job_ended, NULL);
  pthread_mutex_unlock(&jobs_lock);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

static enum offloadrt_finish_state state_of(struct offloadrt_finish_job *job) {
  pthread_mutex_lock(&jobs_lock);
  enum offloadrt_finish_state state = job->state;
  pthread_mutex_unlock(&jobs_lock);
  return state;
}

/* Waits for the end of the runtime's thread that works on the job, or has worked. */
static void join(struct offloadrt_finish_job *job) {
  pthread_mutex_lock(&jobs_lock);
  pthread_t thread = job->thread;
  int has_thread = job->has_thread;
  job->has_thread = 0;
  pthread_mutex_unlock(&jobs_lock);
  if (has_thread)
    pthread_join(thread, NULL);
}

/* Ends the compilers, and lets their threads remove temporary files. A thread that takes longer ends with the program; if
 * this code is in a shared object, it may be closed, and all threads are waited for. They do not need the lock of the
 * dynamic linker, which is held meanwhile. */
static __attribute__((destructor)) void end_jobs(void) {
  struct timespec until;
  int is_in_program = offloadrt_is_in_program();
  pthread_mutex_lock(&jobs_lock);
  is_over = 1;
  for (struct offloadrt_finish_job *job = jobs; job; job = job->next)
    if (job->child)
      kill(job->child, SIGKILL);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  while (running && pthread_cond_timedwait(&job_ended, &jobs_lock, &until) == 0) {
  }
  struct offloadrt_finish_job *first = jobs;
  pthread_mutex_unlock(&jobs_lock);
  for (struct offloadrt_finish_job *job = first; job; job = job->next)
    if (!is_in_program || state_of(job) != OFFLOADRT_FINISHING)
      join(job);
}

int offloadrt_finish_is_over(void) {
  pthread_mutex_lock(&jobs_lock);
  int result = is_over;
  pthread_mutex_unlock(&jobs_lock);
  return result;
}

int offloadrt_finish_set_child(struct offloadrt_finish_job *job, pid_t child) {
  pthread_mutex_lock(&jobs_lock);
  job->child = child;
  int continues = !is_over;
  pthread_mutex_unlock(&jobs_lock);
  return continues;
}

int offloadrt_finish_wait_for_child(struct offloadrt_finish_job *job) {
  siginfo_t info;
  int status = 0;
  /* The process remains until the lock is held, so that end_jobs() cannot kill another one with its number. */
  while (waitid(P_PID, (id_t)job->child, &info, WEXITED | WNOWAIT) && errno == EINTR) {
  }
  pthread_mutex_lock(&jobs_lock);
  pid_t ended = waitpid(job->child, &status, WNOHANG);
  if (ended != job->child)
    status = -1;
  job->child = 0;
  pthread_mutex_unlock(&jobs_lock);
  return status;
}

/* Keys ------------------------------------------------------------------------------------------ */

/* Appends a part with its length, so that no two lists of parts have the same text. */
static size_t append(char *text, size_t capacity, size_t used, const char *part) {
  int length = used < capacity ? snprintf(text + used, capacity - used, "%zu:%s,", strlen(part), part)
                               : snprintf(NULL, 0, "%zu:%s,", strlen(part), part);
  return used + (size_t)(length > 0 ? length : 0);
}

/* Writes the key to a buffer that may be too small, and returns its length. */
static size_t write_key(const struct offloadrt_finish_key *key, char *text, size_t capacity) {
  size_t used = append(text, capacity, 0, key->identity);
  used = append(text, capacity, used, key->arch);
  used = append(text, capacity, used, key->driver);
  for (const char *const *word = key->words; word && *word; word++)
    used = append(text, capacity, used, *word);
  return used;
}

static void free_job(struct offloadrt_finish_job *job) {
  for (char **word = job ? job->words : NULL; word && *word; word++)
    free(*word);
  if (job) {
    free(job->words);
    free(job->key);
  }
  free(job);
}

static int copy_words(struct offloadrt_finish_job *job, const struct offloadrt_finish_key *key) {
  static const char option[] = "--offload-arch=";
  size_t count = 0, bytes = sizeof option + strlen(key->arch);
  while (key->words && key->words[count])
    count++;
  if (!(job->words = calloc(count + 2, sizeof *job->words)) || !(job->words[0] = malloc(bytes)))
    return 0;
  snprintf(job->words[0], bytes, "%s%s", option, key->arch);
  for (size_t i = 0; i < count; i++)
    if (!(job->words[i + 1] = strdup(key->words[i])))
      return 0;
  return 1;
}

static struct offloadrt_finish_job *new_job(const struct offloadrt_finish_key *key, const char *text, size_t bytes) {
  struct offloadrt_finish_job *job = calloc(1, sizeof *job);
  if (!job || !(job->key = malloc(bytes)) || !copy_words(job, key)) {
    free_job(job);
    return NULL;
  }
  memcpy(job->key, text, bytes);
  job->key_bytes = bytes;
  job->lock = -1;
  return job;
}

/* Reads the image from the cache. */
static void look_up(struct offloadrt_finish_job *job) {
  char path[OFFLOADRT_FINISH_PATH], reason[OFFLOADRT_FINISH_REASON];
  struct offloadrt_compiler compiler;
  int has_compiler = offloadrt_find_compiler(&compiler, reason, sizeof reason);
  if (!offloadrt_kept_path(job, path, sizeof path) || !offloadrt_read_kept(job, path, has_compiler ? &compiler : NULL))
    return;
  job->state = OFFLOADRT_FINISHED;
  offloadrt_log("finish: the image for %s is in the cache, `%s`", job->image.arch, path);
}

static void prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

static struct offloadrt_finish_job *find_job(const struct offloadrt_finish_key *key) {
  prepare();
  size_t bytes = write_key(key, NULL, 0) + 1;
  char *text = malloc(bytes);
  if (!text)
    return NULL;
  write_key(key, text, bytes);
  pthread_mutex_lock(&jobs_lock);
  struct offloadrt_finish_job *job = jobs;
  while (job && (job->key_bytes != bytes || memcmp(job->key, text, bytes) != 0))
    job = job->next;
  if (!job && (job = new_job(key, text, bytes))) {
    job->next = jobs;
    jobs = job;
    look_up(job);
  }
  pthread_mutex_unlock(&jobs_lock);
  free(text);
  return job;
}

/* The state, for the core. A thread that has ended is joined. */
static enum offloadrt_finish_state find_state(struct offloadrt_finish_job *job) {
  enum offloadrt_finish_state state = state_of(job);
  if (state != OFFLOADRT_FINISHING)
    join(job);
  return state;
}

static int give(struct offloadrt_finish_job *job, const void *generic, size_t bytes) {
  int status = OFFLOADRT_SUCCESS;
  pthread_mutex_lock(&jobs_lock);
  if (job->state == OFFLOADRT_UNFINISHED && !job->generic) {
    job->generic = malloc(bytes ? bytes : 1);
    if (job->generic) {
      memcpy(job->generic, generic, bytes);
      job->generic_bytes = bytes;
    } else {
      status = offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a generic image of %zu bytes", bytes);
    }
  }
  pthread_mutex_unlock(&jobs_lock);
  return status;
}

/* Work ------------------------------------------------------------------------------------------ */

int offloadrt_finish_parse(struct offloadrt_finish_job *job) {
  const unsigned char *position = job->container, *end = job->container + job->container_bytes;
  if (offloadrt_next_image(&position, end, &job->image) && job->image.begin != job->image.end) {
    return 1;
  }
  free(job->container);
  job->container = NULL;
  return 0;
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t)1000 + now.tv_nsec / 1000000;
}

/* Runs the compiler, and reads its output. */
static int compile_to(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, const char *out,
                      char *reason, size_t capacity) {
  int64_t begin = milliseconds();
  offloadrt_log("finish: compiling the generic image, %zu bytes, with `%s finish %s`", job->generic_bytes, compiler->path,
                job->words[0]);
  int is_compiled;
  OFFLOADRT_TRACED(is_compiled, offloadrt_run_compiler(job, compiler, out, reason, capacity), .kind = OFFLOADRT_WORK_COMPILE,
                   .arch = job->words[0], .bytes = job->generic_bytes);
  if (!is_compiled)
    return 0;
  char refused[OFFLOADRT_FINISH_REASON];
  int file = offloadrt_open_own(out, O_RDONLY, refused, sizeof refused);
  job->container = file < 0 ? NULL : offloadrt_read_all(file, &job->container_bytes);
  if (file >= 0)
    close(file);
  if (!job->container || !offloadrt_finish_parse(job)) {
    offloadrt_write_text(reason, capacity, "`%s finish` has written no image", compiler->path);
    return 0;
  }
  offloadrt_log("finish: compiled for %s in %lld ms, %zu bytes", job->image.arch, (long long)(milliseconds() - begin),
                (size_t)offloadrt_image_bytes(&job->image));
  return 1;
}

/* Makes a folder with a lock, which is -1 if there is none. If this process is killed, a run of offloadc
 * removes the folder when the lock is gone (src/system/scratch.rs). It may do so before this process has the lock. */
static int make_locked_folder(char *folder, size_t capacity, int *lock) {
  const char *parent = secure_getenv("TMPDIR");
  for (int tries = 0; tries < 8; tries++) {
    offloadrt_write_text(folder, capacity, "%s/offloadc-tmp-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
      return 0;
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX) || access(folder, F_OK) == 0)
      return 1;
    close(*lock);
  }
  return 0;
}

/* Compiles into a new folder, because there is no cache. */
static int compile_apart(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, char *reason,
                         size_t capacity) {
  char folder[OFFLOADRT_FINISH_PATH - 8], out[OFFLOADRT_FINISH_PATH];
  int lock;
  if (!make_locked_folder(folder, sizeof folder, &lock)) {
    offloadrt_write_text(reason, capacity, "there is no folder for temporary files: %s: %s", folder, strerror(errno));
    return 0;
  }
  offloadrt_write_text(out, sizeof out, "%s/image", folder);
  int is_done = offloadrt_is_own_folder(folder, reason, capacity) && compile_to(job, compiler, out, reason, capacity);
  unlink(out);
  rmdir(folder);
  if (lock >= 0)
    close(lock);
  return is_done;
}

/* Compiles into the cache, or takes the image that another process has put there meanwhile. */
static int compile_into(struct offloadrt_finish_job *job, const struct offloadrt_compiler *compiler, const char *path,
                        char *reason, size_t capacity) {
  char out[OFFLOADRT_FINISH_PATH];
  offloadrt_lock_job(job, path);
  int is_done = offloadrt_read_kept(job, path, compiler);
  if (!is_done && offloadrt_name_temporary(path, out, sizeof out)) {
    is_done = compile_to(job, compiler, out, reason, capacity);
    unlink(out);
    if (is_done)
      offloadrt_write_kept(job, path, compiler);
  }
  offloadrt_unlock_job(job, path);
  return is_done;
}

static int work(struct offloadrt_finish_job *job, char *reason, size_t capacity) {
  char path[OFFLOADRT_FINISH_PATH];
  struct offloadrt_compiler compiler;
  offloadrt_write_text(reason, capacity, "there is no memory for it");
  if (!job->generic || !offloadrt_find_compiler(&compiler, reason, capacity))
    return 0;
  if (offloadrt_kept_path(job, path, sizeof path)) {
    if (offloadrt_can_keep(path))
      return compile_into(job, &compiler, path, reason, capacity);
    if (offloadrt_read_kept(job, path, &compiler))
      return 1;
  }
  return compile_apart(job, &compiler, reason, capacity);
}

/* Runs a job that the caller has marked as running. */
static void run(struct offloadrt_finish_job *job) {
  char reason[OFFLOADRT_FINISH_REASON] = "";
  int is_done = work(job, reason, sizeof reason);
  if (!is_done)
    offloadrt_log("finish: the generic image is not finished: %s", reason);
  pthread_mutex_lock(&jobs_lock);
  free(job->generic);
  job->generic = NULL;
  job->reason = is_done ? NULL : strdup(reason);
  job->state = is_done ? OFFLOADRT_FINISHED : OFFLOADRT_NOT_FINISHED;
  running--;
  pthread_cond_broadcast(&job_ended);
  pthread_mutex_unlock(&jobs_lock);
}

/* Marks an unfinished job as running; the caller holds the lock. */
static int claim(struct offloadrt_finish_job *job) {
  if (job->state != OFFLOADRT_UNFINISHED)
    return 0;
  job->state = OFFLOADRT_FINISHING;
  running++;
  return 1;
}

static enum offloadrt_finish_state wait_for(struct offloadrt_finish_job *job) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_mutex_lock(&jobs_lock);
  while (job->state == OFFLOADRT_FINISHING || job->state == OFFLOADRT_UNFINISHED) {
    if (!claim(job)) {
      pthread_cond_wait(&job_ended, &jobs_lock);
      continue;
    }
    pthread_mutex_unlock(&jobs_lock);
    run(job);
    pthread_mutex_lock(&jobs_lock);
  }
  enum offloadrt_finish_state state = job->state;
  pthread_mutex_unlock(&jobs_lock);
  pthread_setcancelstate(before, NULL);
  return state;
}

static void *run_thread(void *job) {
  run(job);
  return NULL;
}

static void start(struct offloadrt_finish_job *job) {
  sigset_t all, before;
  pthread_mutex_lock(&jobs_lock);
  if (is_over || !claim(job)) {
    pthread_mutex_unlock(&jobs_lock);
    return;
  }
  /* Signals from outside are for the program's own threads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&job->thread, NULL, run_thread, job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  job->has_thread = !error;
  if (error) {
    job->state = OFFLOADRT_UNFINISHED;
    running--;
    pthread_cond_broadcast(&job_ended);
  }
  pthread_mutex_unlock(&jobs_lock);
  if (error)
    offloadrt_log("finish: no thread can be started: %s", strerror(error));
}

static const struct offloadrt_image *image_of(const struct offloadrt_finish_job *job) { return &job->image; }

static const char *reason_of(const struct offloadrt_finish_job *job) {
  return job->reason ? job->reason : "there is no memory";
}

const struct offloadrt_finisher offloadrt_own_finisher = {
    .prepare = prepare,
    .check_variable = check_variable,
    .mode = mode,
    .never = never,
    .job = find_job,
    .state = find_state,
    .give = give,
    .start = start,
    .wait = wait_for,
    .image = image_of,
    .reason = reason_of,
};
