/* The error text of each thread, and the log. Knows nothing of devices or kernels. */
#define _GNU_SOURCE /* secure_getenv */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static _Thread_local char error_text[4096];

int offloadrt_fail(int status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(error_text, sizeof error_text, format, values);
  va_end(values);
  if (length >= (int)sizeof error_text)
    memcpy(error_text + sizeof error_text - 4, "...", 4);
  return status;
}

const char *offloadrt_error_text(void) { return error_text; }

int offloadrt_is_logging(void) {
  const char *wanted = secure_getenv("OFFLOADRT_LOG");
  return wanted && *wanted && strcmp(wanted, "0") != 0;
}

/* A line stays whole among those of other threads. */
void offloadrt_log(const char *format, ...) {
  if (!offloadrt_is_logging())
    return;
  va_list values;
  va_start(values, format);
  flockfile(stderr);
  fputs("offloadrt: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(values);
}
