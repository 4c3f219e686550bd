/* Which scalars, and whether the size of the block, are the same in all launches of a kernel. Code for such a value is
 * worth compiling (`Specialized` parameters), so the log ends with a line for each kernel. The names and the scalars of
 * a kernel are copied, because its object may be unloaded before the process ends. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../error.h"
#include "invariants.h"

/* A scalar among the bytes of the arguments. */
struct value {
  uint32_t offset;
  uint32_t size;
  int is_specialized;
  int differs; /* 1 once two launches have passed different bytes */
};

struct launches {
  struct launches *next;
  char *name;
  uint64_t count;
  uint32_t argument_bytes;
  unsigned char *first; /* the arguments of the first launch */
  uint32_t block[3];    /* its size of the block */
  int block_differs;
  size_t value_count;
  struct value values[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* In the order of the first launches. */
static struct launches *all;

static const struct offload_scalar *scalars_of(const struct offload_kernel *kernel) {
  if (!(kernel->flags & OFFLOAD_KERNEL_HAS_SCALARS))
    return NULL;
  /* Parameters and extents have the same size. */
  uint32_t rows = kernel->parameter_count * (kernel->flags & OFFLOAD_KERNEL_HAS_EXTENTS ? 2 : 1);
  return (const struct offload_scalar *)(const void *)(kernel->parameters + rows);
}

/* Writes the kernel's scalars to `values`, if it is not null. Returns their number. The file of a program may be
 * damaged: the list ends before a row that overlaps the row before it, or that exceeds the arguments. */
static size_t find_values(const struct offload_kernel *kernel, struct value *values) {
  const struct offload_scalar *row = scalars_of(kernel);
  size_t count = 0;
  uint64_t end = 0;
  for (; row && row->size && row->offset >= end; row++, count++) {
    end = (uint64_t)row->offset + row->size;
    if (end > kernel->argument_bytes)
      return count;
    if (values)
      values[count] = (struct value){row->offset, row->size, (row->flags & OFFLOAD_SCALAR_SPECIALIZED) != 0, 0};
  }
  if (row)
    return count;
  /* Without such a list, the parameters that are passed by value. */
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    const struct offload_parameter *parameter = &kernel->parameters[i];
    if ((parameter->kind != OFFLOAD_PARAMETER_VALUE && parameter->kind != OFFLOAD_PARAMETER_WORDS) || !parameter->size)
      continue;
    if (values)
      values[count] = (struct value){parameter->offset, parameter->size, 0, 0};
    count++;
  }
  return count;
}

/* Adds the kernel's first launch. If there is no memory for it, the log lacks it. */
static void add(struct launches **end, const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                const unsigned char *arguments) {
  size_t count = find_values(kernel, NULL);
  struct launches *new = calloc(1, sizeof *new + count * sizeof *new->values);
  char *name = strdup(offloadrt_kernel_name(kernel));
  unsigned char *first = malloc(kernel->argument_bytes + 1);
  if (!new || !name || !first) {
    free(new);
    free(name);
    free(first);
    return;
  }
  memcpy(first, arguments, kernel->argument_bytes);
  new->name = name;
  new->count = 1;
  new->argument_bytes = kernel->argument_bytes;
  new->first = first;
  memcpy(new->block, config->block, sizeof new->block);
  new->value_count = find_values(kernel, new->values);
  *end = new;
}

void offloadrt_note_launch(const struct offload_kernel *kernel, const offloadrt_launch_config *config,
                           const unsigned char *arguments) {
  pthread_mutex_lock(&lock);
  struct launches **at = &all;
  while (*at && ((*at)->argument_bytes != kernel->argument_bytes || strcmp((*at)->name, offloadrt_kernel_name(kernel)) != 0))
    at = &(*at)->next;
  struct launches *launches = *at;
  if (!launches) {
    add(at, kernel, config, arguments);
  } else {
    launches->count++;
    launches->block_differs |= memcmp(launches->block, config->block, sizeof launches->block) != 0;
    for (size_t i = 0; i < launches->value_count; i++) {
      struct value *value = &launches->values[i];
      value->differs |= memcmp(launches->first + value->offset, arguments + value->offset, value->size) != 0;
    }
  }
  pthread_mutex_unlock(&lock);
}

static __attribute__((format(printf, 3, 4))) void append(char *text, size_t capacity, const char *format, ...) {
  size_t length = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + length, capacity - length, format, values);
  va_end(values);
}

/* Appends a value: as an unsigned number if it has the size of one, and otherwise without its bytes. */
static void append_value(char *text, size_t capacity, const struct launches *launches, size_t i) {
  const struct value *value = &launches->values[i];
  append(text, capacity, "%sscalar %zu (%" PRIu32 " byte%s at %" PRIu32 ")", *text ? ", " : "", i, value->size,
         value->size == 1 ? "" : "s", value->offset);
  if (value->size <= 8) {
    uint64_t number = 0;
    memcpy(&number, launches->first + value->offset, value->size);
    append(text, capacity, " = 0x%" PRIx64, number);
  }
  if (value->is_specialized)
    append(text, capacity, ", specialized");
}

static void print(const struct launches *launches) {
  char text[1024] = "";
  for (size_t i = 0; i < launches->value_count; i++)
    if (!launches->values[i].differs)
      append_value(text, sizeof text, launches, i);
  if (!launches->block_differs)
    append(text, sizeof text, "%sblock_dim = %u x %u x %u", *text ? ", " : "", launches->block[0], launches->block[1],
           launches->block[2]);
  offloadrt_log("the same in all %" PRIu64 " launches of `%s`: %s", launches->count, launches->name, *text ? text : "nothing");
}

/* At the end of the process, or when the shared object of the runtime is closed. */
static __attribute__((destructor)) void print_all(void) {
  /* Another thread may still launch kernels. */
  pthread_mutex_lock(&lock);
  struct launches *rest = all;
  all = NULL;
  pthread_mutex_unlock(&lock);
  while (rest) {
    struct launches *next = rest->next;
    /* One launch says nothing. */
    if (rest->count > 1)
      print(rest);
    free(rest->name);
    free(rest->first);
    free(rest);
    rest = next;
  }
}
