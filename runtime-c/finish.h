/* The interface between the core and the part of the runtime that finishes generic images (finish/). A generic image is
 * the device code of an object before the steps of each arch. `offloadc finish` compiles it for one device, in a
 * separate process: the user's process contains no compiler and no signal handler, and does not fork. */
#ifndef OFFLOADRT_FINISH_H
#define OFFLOADRT_FINISH_H

#include "driver.h"

#pragma GCC visibility push(hidden)

/* The version of the layout of generic images that this runtime passes on. */
enum { OFFLOADRT_GENERIC_VERSION = 3 };

/* The value of OFFLOADRT_JIT: whether generic images are finished never, where no image fits, or also where an image for
 * exactly the device can be made. */
enum offloadrt_jit { OFFLOADRT_JIT_NEVER, OFFLOADRT_JIT_AUTO, OFFLOADRT_JIT_ALWAYS };

/* All that decides the bytes of a finished image, except the compiler. */
struct offloadrt_finish_key {
  const char *identity; /* of the generic image: equal identities mean equal bytes */
  const char *arch;
  const char *driver;       /* the version of the device's driver */
  const char *const *words; /* further words for the command line, up to a null; the pointer may be null */
};

enum offloadrt_finish_state {
  OFFLOADRT_UNFINISHED, /* nobody works on it */
  OFFLOADRT_FINISHING,
  OFFLOADRT_FINISHED,
  OFFLOADRT_NOT_FINISHED /* it has failed, and is not tried again in this process */
};

/* A finished image, or the work on it. It remains until the process ends, so that each image is compiled once. */
struct offloadrt_finish_job;

struct offloadrt_finisher {
  /* Prepares for forks of the process. A lock under which the other functions are called is taken before theirs, so its
   * own preparation follows. */
  void (*prepare)(void);
  /* Fails if OFFLOADRT_JIT has another value than the known ones. mode() is the value at the last call. */
  int (*check_variable)(void);
  enum offloadrt_jit (*mode)(void);
  /* Returns the reason why mode() is `never`, as a clause. */
  const char *(*never)(void);
  /* Returns the job of a key, and reads its image from the cache if it is there; null if there is no memory. */
  struct offloadrt_finish_job *(*job)(const struct offloadrt_finish_key *key);
  enum offloadrt_finish_state (*state)(struct offloadrt_finish_job *job);
  /* Copies the bytes of the generic image, which an unfinished job needs. */
  int (*give)(struct offloadrt_finish_job *job, const void *generic, size_t bytes);
  /* Works on an unfinished job on a separate thread. */
  void (*start)(struct offloadrt_finish_job *job);
  /* Works on the job, or waits for the thread that works on it. */
  enum offloadrt_finish_state (*wait)(struct offloadrt_finish_job *job);
  /* The image of a finished job; and the reason why a job is not finished. Both remain valid. */
  const struct offloadrt_image *(*image)(const struct offloadrt_finish_job *job);
  const char *(*reason)(const struct offloadrt_finish_job *job);
};

/* Null in libraries that use ahead-of-time images only. It is defined beside the list of drivers. */
extern const struct offloadrt_finisher *const offloadrt_finisher;

/* The finisher of liboffloadrt (finish/jobs.c). */
extern const struct offloadrt_finisher offloadrt_own_finisher;

#pragma GCC visibility pop
#endif
