/* The error text of each thread. Knows nothing of devices or kernels. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

static _Thread_local char error_text[1024];

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
