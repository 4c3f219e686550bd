/* Describes a panic whose record a kernel may have overwritten, with texts as the compiler writes them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

/* Two places, three messages and a kernel; the strings behind them. */
struct texts {
  struct offload_panic_texts head;
  struct offload_panic_place places[2];
  uint32_t offsets[4];
  char file[8], kernel[8], operands[8], range[8], more[8];
};

#define TEXT(member) offsetof(struct texts, member)

static const struct texts TEXTS = {
    .head = {.size = sizeof(struct texts), .place_count = 2, .message_count = 3, .kernel_count = 1},
    .places = {{TEXT(file), 7, 9}, {TEXT(file), UINT32_MAX, UINT32_MAX}},
    .offsets = {TEXT(operands), TEXT(range), TEXT(more), TEXT(kernel)},
    .file = "src/k",
    .kernel = "k",
    .operands = "a\1b\2c\3",
    .range = "\5",
    .more = "x\4\4",
};

static size_t length;

int offloadrt_fail(int status, const char *format, ...) {
  static char text[8192];
  va_list values;
  va_start(values, format);
  int written = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  length = written > 0 ? (size_t)written : 0;
  return status;
}

size_t fuzz_panics(const unsigned char *bytes, size_t size) {
  struct offload_panic panic = {0};
  memcpy(&panic, bytes, size < sizeof panic ? size : sizeof panic);
  static struct offload_kernel kernel = {.name = "k"};
  static struct offload_descriptor descriptor;
  descriptor.kernels = &kernel;
  descriptor.panics = &TEXTS.head;
  kernel.descriptor = &descriptor;
  length = 0;
  offloadrt_panicked(&kernel, &panic);
  return length;
}
