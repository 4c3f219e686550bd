/* The error text of each thread, and warnings. This file does not depend on devices or kernels. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { TEXT_BYTES = 4096 };

/* Each thread has a pointer, and its text is allocated at its first error. A text in thread-local storage would be too
 * large: because of the variables that cpu_stack.c keeps for its signal handler, all thread-local variables of a shared
 * object are in the small area that the loader reserves. */
static _Thread_local char *text_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t texts; /* frees the text of a thread when the thread ends */
static int has_key;

static void make_key(void) { has_key = pthread_key_create(&texts, free) == 0; }

/* Returns the text of the calling thread, or null if there is no memory for it. */
static char *own_text(void) {
  if (text_of_thread)
    return text_of_thread;
  pthread_once(&once, make_key);
  char *text = has_key ? calloc(1, TEXT_BYTES) : NULL;
  if (text && pthread_setspecific(texts, text) != 0) {
    free(text);
    text = NULL;
  }
  return text_of_thread = text;
}

/* The shared object may be closed while threads continue to run. The key's destructor must not be called then. */
static __attribute__((destructor)) void forget_key(void) {
  if (!has_key)
    return;
  has_key = 0;
  pthread_key_delete(texts);
  free(text_of_thread);
  text_of_thread = NULL;
}

int offloadrt_fail(int status, const char *format, ...) {
  char *text = own_text();
  if (!text)
    return status;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text, TEXT_BYTES, format, values);
  va_end(values);
  if (length >= TEXT_BYTES)
    memcpy(text + TEXT_BYTES - 4, "...", 4);
  return status;
}

const char *offloadrt_error_text(void) { return text_of_thread ? text_of_thread : ""; }

/* Whether a text was not said before. Its hash (FNV-1a) is kept, without a lock: a fork may happen at any time. After
 * this many texts, nothing more is said. */
static int is_new(const char *text) {
  static _Atomic uint64_t said[16];
  uint64_t hash = 0xcbf29ce484222325;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    uint64_t found = 0;
    if (atomic_compare_exchange_strong(&said[i], &found, hash | 1))
      return 1;
    if (found == (hash | 1))
      return 0;
  }
  return 0;
}

void offloadrt_warn_once(const char *format, ...) {
  char text[TEXT_BYTES];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (is_new(text))
    fprintf(stderr, "offloadrt: warning: %s\n", text);
}
