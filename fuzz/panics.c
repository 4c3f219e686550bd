/* Describes a panic whose record a kernel may have overwritten, with texts as the compiler writes them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "trace/work.h"

/* Two places, three messages and a kernel, followed by the strings. */
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

/* Nothing is traced. */
int offloadrt_observers;

void offloadrt_trace_panic(const struct offload_kernel *kernel, const char *message) {
  (void)kernel;
  (void)message;
}

/* The bytes are a record of a panic, followed by the message of one in a function of the host. */
size_t fuzz_panics(const unsigned char *bytes, size_t size) {
  struct offload_panic panic = {0};
  memcpy(&panic, bytes, size < sizeof panic ? size : sizeof panic);
  static struct offload_kernel kernel = {.size = sizeof kernel, .name = "k"};
  static struct offload_descriptor descriptor = {.kernel_count = 1};
  descriptor.kernels = &kernel;
  descriptor.panics = &TEXTS.head;
  kernel.descriptor = &descriptor;
  length = 0;
  static char host_panic[256];
  size_t rest = size < sizeof panic ? 0 : size - sizeof panic;
  rest = rest < sizeof host_panic ? rest : sizeof host_panic - 1;
  memcpy(host_panic, bytes + size - rest, rest);
  host_panic[rest] = 0;
  offloadrt_panicked(&kernel, &panic, NULL, host_panic);
  return length;
}
