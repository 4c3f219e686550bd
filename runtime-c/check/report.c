/* The reports of the checker: text on standard error, or one JSON object a line in the file that
 * OFFLOADRT_SANITIZE_REPORT names. */
#define _GNU_SOURCE /* secure_getenv */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../trace/json.h"
#include "check.h"

/* The names in reports. */
static const char *const kinds[CHECK_KINDS] = {"data-race", "out-of-bounds", "use-after-free", "misaligned",
                                               "barrier", "inactive-lane", "uninitialized"};
/* The names of the switches. A switch stands for one kind or several. */
static const char *const switches[CHECK_KINDS] = {"race", "bounds", "bounds", "bounds", "barrier", "barrier", "uninit"};

/* Switches -------------------------------------------------------------------------------------- */

int check_is_off[CHECK_KINDS];

/* Reads a list such as `-race,-bounds`. */
void check_read_switches(void) {
  const char *text = secure_getenv("OFFLOADRT_SANITIZE");
  while (text && *text) {
    size_t length = strcspn(text, ",");
    for (int kind = 0; kind < CHECK_KINDS; kind++)
      if (*text == '-' && strlen(switches[kind]) == length - 1 && !strncmp(text + 1, switches[kind], length - 1))
        check_is_off[kind] = 1;
    text += length + (text[length] == ',');
  }
}

/* Each pair of places once ------------------------------------------------------------------------ */

struct pair {
  struct pair *next;
  enum check_kind kind;
  const struct offloadrt_place *places[2];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *pairs;

static const struct offloadrt_place *place_of(const struct check_reported *reported) {
  return (const struct offloadrt_place *)(uintptr_t)(reported->access.where & ((1ull << CHECK_THREAD_SHIFT) - 1));
}

/* Whether a pair of places is new. The caller holds the lock. */
static int is_new(enum check_kind kind, const struct check_reported *accesses, int count) {
  const struct offloadrt_place *one = place_of(&accesses[0]), *other = count > 1 ? place_of(&accesses[1]) : NULL;
  for (const struct pair *pair = pairs; pair; pair = pair->next)
    if (pair->kind == kind && ((pair->places[0] == one && pair->places[1] == other) ||
                               (pair->places[0] == other && pair->places[1] == one)))
      return 0;
  struct pair *added = calloc(1, sizeof *added);
  if (added) {
    *added = (struct pair){pairs, kind, {one, other}};
    pairs = added;
  }
  return 1;
}

void check_forget_reports(void) {
  pthread_mutex_lock(&lock);
  while (pairs) {
    struct pair *pair = pairs;
    pairs = pair->next;
    free(pair);
  }
  pthread_mutex_unlock(&lock);
}

/* One access ------------------------------------------------------------------------------------ */

/* An access as a report shows it. */
struct shown {
  const char *verb;
  const struct offloadrt_place *place;
  const struct check_launch *launch;
  uint32_t block[3], thread[3];
  size_t bytes;
};

static void split(uint64_t number, const uint32_t dims[3], uint32_t at[3]) {
  at[0] = (uint32_t)(number % dims[0]);
  at[1] = (uint32_t)(number / dims[0] % dims[1]);
  at[2] = (uint32_t)(number / dims[0] / dims[1]);
}

static const char *verb_of(const struct check_reported *reported) {
  int atomic = check_flags_of(reported->access.where) & CHECK_ATOMIC;
  switch (reported->verb) {
    case CHECK_READS: return atomic ? "atomic read" : "read";
    case CHECK_WRITES: return atomic ? "atomic write" : "write";
    case CHECK_FREES: return "free";
    case CHECK_WAITS: return "barrier";
    case CHECK_RETURNS: return "return";
    case CHECK_SHUFFLES: return "shuffle";
    case CHECK_BRANCHES: return "branch";
    default: return "address";
  }
}

static struct shown show(const struct check_reported *reported) {
  struct shown shown = {.verb = verb_of(reported), .place = place_of(reported)};
  uint32_t run = check_run_of(reported->access.when);
  unsigned size = check_flags_of(reported->access.where) >> CHECK_SIZE_SHIFT & 7;
  shown.launch = check_launch_of(run);
  shown.bytes = reported->bytes ? reported->bytes : reported->verb <= CHECK_WRITES && size < 5 ? (size_t)1 << size : 0;
  if (shown.launch && shown.launch->kernel) {
    split(run - shown.launch->first_run, shown.launch->grid, shown.block);
    split(check_thread_of(reported->access.where), shown.launch->block, shown.thread);
  }
  return shown;
}

/* Text ------------------------------------------------------------------------------------------ */

static void write_place(FILE *out, const struct offloadrt_place *place) {
  if (*place->file)
    fprintf(out, "%s:%u:%u in `%s`", place->file, place->line, place->column, place->function);
  else
    fprintf(out, "in `%s`", place->function);
}

static void write_position(FILE *out, const char *what, const uint32_t at[3]) {
  if (at[1] || at[2])
    fprintf(out, "%s (%u, %u, %u)", what, at[0], at[1], at[2]);
  else
    fprintf(out, "%s %u", what, at[0]);
}

static void write_access(FILE *out, const struct check_reported *reported) {
  struct shown shown = show(reported);
  fprintf(out, "  %s", shown.verb);
  if (shown.bytes)
    fprintf(out, " of %zu byte%s", shown.bytes, shown.bytes == 1 ? "" : "s");
  fprintf(out, " at ");
  write_place(out, shown.place);
  fprintf(out, " by ");
  write_position(out, "block", shown.block);
  write_position(out, ", thread", shown.thread);
  fprintf(out, ", launch %u\n", shown.launch ? shown.launch->number : 0);
  if (shown.place->inner) {
    fprintf(out, "    inside ");
    write_place(out, shown.place->inner);
    fprintf(out, "\n");
  }
}

static void write_text(enum check_kind kind, const char *kernel, const char *message,
                       const struct check_reported *accesses, int count) {
  flockfile(stderr);
  fprintf(stderr, "offloadrt: error[%s]: kernel `%s`: %s\n", kinds[kind], kernel, message);
  for (int i = 0; i < count; i++)
    write_access(stderr, &accesses[i]);
  funlockfile(stderr);
}

/* JSON ------------------------------------------------------------------------------------------ */

static void write_json_place(FILE *out, const struct offloadrt_place *place) {
  fprintf(out, "\"file\": ");
  offloadrt_write_string(out, place->file);
  fprintf(out, ", \"line\": %u, \"column\": %u, \"function\": ", place->line, place->column);
  offloadrt_write_string(out, place->function);
}

static void write_json_access(FILE *out, const struct check_reported *reported) {
  struct shown shown = show(reported);
  fprintf(out, "{\"access\": \"%s\", ", shown.verb);
  write_json_place(out, shown.place);
  if (shown.place->inner) {
    fprintf(out, ", \"inner\": {");
    write_json_place(out, shown.place->inner);
    fprintf(out, "}");
  }
  fprintf(out, ", \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u], \"launch\": %u, \"bytes\": %zu}", shown.block[0],
          shown.block[1], shown.block[2], shown.thread[0], shown.thread[1], shown.thread[2],
          shown.launch ? shown.launch->number : 0, shown.bytes);
}

static void write_json(FILE *out, enum check_kind kind, const char *kernel, const char *message,
                       const struct check_reported *accesses, int count) {
  fprintf(out, "{\"kind\": \"%s\", \"kernel\": ", kinds[kind]);
  offloadrt_write_string(out, kernel);
  fprintf(out, ", \"message\": ");
  offloadrt_write_string(out, message);
  fprintf(out, ", \"accesses\": [");
  for (int i = 0; i < count; i++) {
    fprintf(out, i ? ", " : "");
    write_json_access(out, &accesses[i]);
  }
  fprintf(out, "]}\n");
}

/* Reports --------------------------------------------------------------------------------------- */

/* Appends to the file, one report at a time. Without the file, the report is text. */
static void write_report(enum check_kind kind, const char *kernel, const char *message,
                         const struct check_reported *accesses, int count) {
  const char *path = secure_getenv("OFFLOADRT_SANITIZE_REPORT");
  char *line = NULL;
  size_t bytes = 0;
  FILE *out = path && *path ? open_memstream(&line, &bytes) : NULL;
  if (out) {
    write_json(out, kind, kernel, message, accesses, count);
    fclose(out);
  }
  if (!line || !offloadrt_append(path, line, bytes))
    write_text(kind, kernel, message, accesses, count);
  free(line);
}

/* The name of the kernel that runs, or that ran before a copy. */
static const char *kernel_of(const struct check_run *run, const struct check_reported *accesses, int count) {
  const struct check_launch *launch = run->launch;
  for (int i = 0; i < count && !(launch && launch->kernel); i++)
    launch = check_launch_of(check_run_of(accesses[i].access.when));
  return launch && launch->kernel ? offloadrt_kernel_name(launch->kernel) : "";
}

void check_report(enum check_kind kind, const struct check_run *run, const struct check_reported *accesses, int count,
                  const char *format, ...) {
  if (!check_is_on(kind))
    return;
  char message[512];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  pthread_mutex_lock(&lock);
  if (is_new(kind, accesses, count))
    write_report(kind, kernel_of(run, accesses, count), message, accesses, count);
  pthread_mutex_unlock(&lock);
}

/* Describes where an address lies, relative to the closest range. */
static void describe(char *text, size_t capacity, uintptr_t address) {
  static const char *const names[] = {"an allocation", "the workgroup memory of the block", "a mapped range", "a static"};
  enum { NEAR = 1 << 20 };
  struct check_region region;
  int is_found = check_find_region(address, &region);
  uintptr_t end = is_found ? region.begin + region.bytes : 0;
  if (!is_found || address + NEAR < region.begin || address > end + NEAR)
    snprintf(text, capacity, "no allocation is near");
  else if (address >= region.begin && address < end)
    snprintf(text, capacity, "at offset %zu of %s, which is not a part of an array there", (size_t)(address - region.begin),
             names[region.memory]);
  else
    snprintf(text, capacity, "%zu bytes %s of %s of %zu bytes%s%s",
             (size_t)(address < region.begin ? region.begin - address : address - end),
             address < region.begin ? "before the start" : "behind the end", names[region.memory], region.bytes,
             region.name ? ", " : "", region.name ? region.name : "");
}

/* Ends the block of a wrong access. */
static void end_block(struct check_run *run) {
  atomic_store(&run->launch->left, 1);
  check_now = NULL;
  run->block->leave(run->block);
}

void check_wrong_address(struct check_run *run, const void *address, size_t bytes, const struct offloadrt_place *place,
                         enum check_verb verb) {
  if (!check_is_on(CHECK_BOUNDS))
    return;
  struct check_reported access = {verb, check_access_now(run, place, 0), bytes};
  char where[256];
  describe(where, sizeof where, (uintptr_t)address);
  if (check_has_flag((uintptr_t)address, CHECK_WAS_FREED))
    check_report(CHECK_FREED, run, &access, 1, "access to memory that was freed");
  else
    check_report(CHECK_BOUNDS, run, &access, 1, "access outside of all allocations: %s", where);
  end_block(run);
}

void check_misaligned(struct check_run *run, const void *address, size_t bytes, size_t align,
                      const struct offloadrt_place *place, enum check_verb verb) {
  if (!check_is_on(CHECK_MISALIGNED))
    return;
  struct check_reported access = {verb, check_access_now(run, place, 0), bytes};
  check_report(CHECK_MISALIGNED, run, &access, 1, "access to an address that is aligned to %zu bytes, and must be to %zu",
                (size_t)((uintptr_t)address & -(uintptr_t)address), align);
  end_block(run);
}
