/* Counts of lines: kernels that `offloadc --profile-lines` has compiled for the CPU count how often each of their blocks
 * is executed. When an object leaves the program, its counts are appended to the file that OFFLOADRT_PROFILE names: one
 * line with a JSON object for each function. */
#define _GNU_SOURCE /* secure_getenv */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* The counts of a block at a line, for each execution of the block. The compiler writes the rows in the order of
 * symbols, files, lines and counters (src/targets/cpu/count_lines.rs). */
struct row {
  const char *function, *symbol, *file; /* the last one is "" for code without a line */
  uint32_t line, is_kernel, counter, instructions, accesses, bytes;
};

struct table {
  uint32_t version, count;
  const uint64_t *counters;
  struct row rows[];
};

/* The counts of a line. */
struct counts {
  uint64_t instructions, accesses, bytes;
};

__attribute__((visibility("default"))) void offloadrt_profile_write(const struct table *table);

/* The end of the rows from `begin` on that have its function and, if asked, its line. */
static uint32_t end_of(const struct table *table, uint32_t begin, int of_line) {
  const struct row *first = &table->rows[begin];
  uint32_t end = begin;
  for (; end < table->count; end++) {
    const struct row *row = &table->rows[end];
    if (strcmp(row->symbol, first->symbol))
      break;
    if (of_line && (row->line != first->line || strcmp(row->file, first->file)))
      break;
  }
  return end;
}

static struct counts add(const struct table *table, uint32_t begin, uint32_t end) {
  struct counts all = {0};
  for (uint32_t i = begin; i < end; i++) {
    const struct row *row = &table->rows[i];
    uint64_t times = __atomic_load_n(&table->counters[row->counter], __ATOMIC_RELAXED);
    all.instructions += times * row->instructions;
    all.accesses += times * row->accesses;
    all.bytes += times * row->bytes;
  }
  return all;
}

/* The lines of a function that were executed. */
static void write_lines(FILE *out, const struct table *table, uint32_t begin, uint32_t end) {
  const char *separator = "";
  for (uint32_t i = begin, next; i < end; i = next) {
    next = end_of(table, i, 1);
    struct counts counts = add(table, i, next);
    if (!counts.instructions)
      continue;
    fprintf(out, "%s{\"file\": ", separator);
    offloadrt_write_string(out, table->rows[i].file);
    fprintf(out, ", \"line\": %u, \"instructions\": %llu, \"accesses\": %llu, \"bytes\": %llu}", table->rows[i].line,
            (unsigned long long)counts.instructions, (unsigned long long)counts.accesses,
            (unsigned long long)counts.bytes);
    separator = ", ";
  }
}

static void write_functions(FILE *out, const struct table *table) {
  for (uint32_t i = 0, next; i < table->count; i = next) {
    next = end_of(table, i, 0);
    if (!add(table, i, next).instructions)
      continue;
    fprintf(out, "{\"device\": \"cpu\", \"arch\": \"cpu\", \"%s\": ", table->rows[i].is_kernel ? "kernel" : "function");
    offloadrt_write_string(out, table->rows[i].function);
    fprintf(out, ", \"symbol\": ");
    offloadrt_write_string(out, table->rows[i].symbol);
    fprintf(out, ", \"lines\": [");
    write_lines(out, table, i, next);
    fprintf(out, "]}\n");
  }
}

void offloadrt_profile_write(const struct table *table) {
  const char *path = secure_getenv("OFFLOADRT_PROFILE");
  if (!path || !*path)
    return;
  if (table->version != 1) {
    fprintf(stderr, "offloadrt: lines are not counted: another version of offloadc has compiled the kernels\n");
    return;
  }
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (out) {
    write_functions(out, table);
    fclose(out);
  }
  if (!text || !offloadrt_append(path, text, bytes))
    fprintf(stderr, "offloadrt: cannot write `%s`, which OFFLOADRT_PROFILE names: %s\n", path, strerror(errno));
  free(text);
}
