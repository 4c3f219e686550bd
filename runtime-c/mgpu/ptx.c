/* The kernels of PTX: `.entry name(.param .u64 .ptr .global .align 4 first, .param .align 8 .b8 second[16])`. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

const char *mgpu_add_parameter(struct mgpu_kernel *kernel, uint64_t size, uint64_t align, uint32_t kind) {
  if (kernel->parameter_count == MGPU_PARAMETERS)
    return "a kernel has more than 256 parameters";
  if (align == 0 || (align & (align - 1)) || align > 4096 || size > 65536)
    return "a parameter has an invalid size or alignment";
  uint64_t end = 0;
  if (kernel->parameter_count) {
    const struct offload_parameter *last = &kernel->parameters[kernel->parameter_count - 1];
    end = (uint64_t)last->offset + last->size;
  }
  uint32_t offset = (uint32_t)((end + align - 1) / align * align);
  kernel->parameters[kernel->parameter_count++] =
      (struct offload_parameter){.offset = offset, .size = (uint32_t)size, .align = (uint32_t)align, .kind = kind};
  if (align > kernel->argument_align)
    kernel->argument_align = (uint32_t)align;
  end = offset + size;
  kernel->argument_bytes = (uint32_t)((end + kernel->argument_align - 1) / kernel->argument_align * kernel->argument_align);
  return NULL;
}

/* After blanks and comments. */
static const char *skip(const char *at) {
  for (;;) {
    while (isspace((unsigned char)*at))
      at++;
    const char *end = NULL;
    if (at[0] == '/' && at[1] == '/')
      end = strchr(at, '\n');
    else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")))
      end += 2;
    else
      return at;
    if (!end)
      return at + strlen(at);
    at = end;
  }
}

/* The length of a word: a directive or a name. */
static size_t word(const char *at) {
  size_t size = *at == '.';
  while (isalnum((unsigned char)at[size]) || at[size] == '_' || at[size] == '$' || at[size] == '%')
    size++;
  return size;
}

static int is(const char *at, size_t size, const char *expected) {
  return size == strlen(expected) && !memcmp(at, expected, size);
}

/* The bytes of `.u64` and the like; 0 for other directives. */
static uint64_t type_bytes(const char *at, size_t size) {
  if (size < 3 || !strchr("bsuf", at[1]) || !isdigit((unsigned char)at[2]))
    return 0;
  return strtoul(at + 2, NULL, 10) / 8;
}

/* Reads a parameter up to its comma or parenthesis. */
static const char *read_parameter(const char **position, struct mgpu_kernel *kernel) {
  uint64_t bytes = 0, align = 0, elements = 1;
  uint32_t kind = OFFLOAD_PARAMETER_VALUE;
  int is_pointer = 0;
  const char *at = *position;
  for (at = skip(at); *at && *at != ',' && *at != ')'; at = skip(at)) {
    size_t size = word(at);
    if (*at == '[') {
      elements = strtoul(at + 1, NULL, 10);
      at = strchr(at, ']');
      if (!at)
        return "the PTX ends in a parameter";
      at++;
    } else if (size == 0) {
      return "a parameter of the PTX is not understood";
    } else if (is(at, size, ".align")) {
      char *end;
      uint64_t number = strtoul(skip(at + size), &end, 10);
      if (!is_pointer) /* after `.ptr` it is the alignment of the memory */
        align = number;
      at = end;
    } else {
      if (is(at, size, ".ptr"))
        is_pointer = 1, kind = OFFLOAD_PARAMETER_POINTER;
      else if (*at == '.' && type_bytes(at, size))
        bytes = type_bytes(at, size);
      at += size;
    }
  }
  *position = at;
  if (bytes == 0)
    return "a parameter of the PTX has no size";
  return mgpu_add_parameter(kernel, bytes * elements, align ? align : bytes, kind);
}

const char *mgpu_ptx_kernels(const char *text, mgpu_visit *visit, void *context) {
  for (const char *at = skip(text); *at; at = skip(at)) {
    size_t size = word(at);
    if (!is(at, size, ".entry")) {
      at += size ? size : 1;
      continue;
    }
    static _Thread_local struct mgpu_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.argument_align = 1;
    at = skip(at + size);
    kernel.name = at;
    kernel.name_size = word(at);
    if (kernel.name_size == 0)
      return "a kernel of the PTX has no name";
    at = skip(at + kernel.name_size);
    if (*at == '(') {
      for (at = skip(at + 1); *at && *at != ')'; at = *at == ',' ? skip(at + 1) : at) {
        const char *wrong = read_parameter(&at, &kernel);
        if (wrong)
          return wrong;
      }
    }
    visit(&kernel, context);
  }
  return NULL;
}
