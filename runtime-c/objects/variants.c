/* Variants of kernels: code that is compiled for the values of launches, while the program runs.
 *
 * A kernel marks values among its arguments for which code is worth compiling, and possibly the size of the block. If its
 * object contains a generic image, the first launch with new values starts a compilation, and runs the general code. The
 * first launch after the compilation loads the variant, and launches with the same values use it from then on. If there is
 * no compiler, or if it fails, the general code serves all launches: it takes the values as arguments, and variants do so
 * too, but do not read them. */
#define _GNU_SOURCE /* secure_getenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"
#include "../finish.h"
#include "late.h"

/* The variable ---------------------------------------------------------------------------------- */

enum { DEFAULT_VARIANTS = 8, MOST_VARIANTS = 1000 };

/* The most variants of a kernel on a device; and whether launches wait for them. */
static unsigned most_variants = DEFAULT_VARIANTS;
static int waits;

int offloadrt_check_variants_variable(void) {
  const char *text = secure_getenv("OFFLOADRT_VARIANTS");
  char *end = NULL;
  unsigned long number = DEFAULT_VARIANTS;
  int is_waiting = 0, is_valid = 1;
  if (text && *text) {
    number = strtoul(text, &end, 10);
    is_waiting = strcmp(end, ",wait") == 0;
    is_valid = *text >= '0' && *text <= '9' && number <= MOST_VARIANTS && (!*end || is_waiting);
  }
  if (!is_valid)
    return offloadrt_fail(OFFLOADRT_INVALID,
                          "`OFFLOADRT_VARIANTS` is `%s`, and must be a number up to %d, or such a number and `,wait`", text,
                          MOST_VARIANTS);
  __atomic_store_n(&most_variants, (unsigned)number, __ATOMIC_RELAXED);
  __atomic_store_n(&waits, is_waiting, __ATOMIC_RELAXED);
  return OFFLOADRT_SUCCESS;
}

/* The values ------------------------------------------------------------------------------------ */

/* Returns the first marked value from `row` on, or null. The rows are in the order of their offsets. If a damaged program
 * has other rows, they are not read. */
static const struct offload_scalar *marked_from(const struct offload_kernel *kernel, const struct offload_scalar *row,
                                                uint64_t end) {
  for (; row->size && row->offset >= end; row++) {
    end = (uint64_t)row->offset + row->size;
    if (end > kernel->argument_bytes)
      return NULL;
    if (row->flags & OFFLOAD_SCALAR_SPECIALIZED)
      return row;
  }
  return NULL;
}

const struct offload_scalar *offloadrt_first_marked(const struct offload_kernel *kernel) {
  if (!(kernel->flags & OFFLOAD_KERNEL_HAS_SCALARS))
    return NULL;
  uint32_t rows = kernel->flags & OFFLOAD_KERNEL_HAS_EXTENTS ? 2 * kernel->parameter_count : kernel->parameter_count;
  _Static_assert(sizeof(struct offload_parameter) == sizeof(struct offload_extent), "both tables have rows of 16 bytes");
  return marked_from(kernel, (const struct offload_scalar *)(const void *)(kernel->parameters + rows), 0);
}

const struct offload_scalar *offloadrt_next_marked(const struct offload_kernel *kernel,
                                                   const struct offload_scalar *row) {
  return marked_from(kernel, row + 1, (uint64_t)row->offset + row->size);
}

static int has_marks(const struct offload_kernel *kernel) {
  return kernel->flags & OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM || offloadrt_first_marked(kernel);
}

/* The table ------------------------------------------------------------------------------------- */

/* The code of a kernel for some values. */
struct variant {
  struct variant *next;
  unsigned number;                    /* from 1, for the log */
  struct offloadrt_finish_job *job;   /* makes its image; null: the variant is loaded, or will never be */
  struct offloadrt_code code;
  uint32_t block[3];
  unsigned char arguments[]; /* those of a launch with the values */
};

/* The variants of a kernel on a device. */
struct table {
  struct offloadrt_loaded loaded;
  const struct offload_kernel *kernel;
  int has_none;            /* nonzero: the kernel gets no variants; the reason was logged */
  int is_full;             /* nonzero: that it gets no more was logged */
  unsigned count;          /* of the variants */
  struct variant *variants; /* the oldest first */
};

/* The values of a launch. */
struct launched {
  struct offloadrt_device *device;
  const struct offload_kernel *kernel;
  const offloadrt_launch_config *config;
  const unsigned char *arguments; /* packed */
};

static int is_for(const struct variant *variant, const struct launched *launched) {
  const struct offload_kernel *kernel = launched->kernel;
  if (kernel->flags & OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM &&
      memcmp(variant->block, launched->config->block, sizeof variant->block) != 0)
    return 0;
  for (const struct offload_scalar *row = offloadrt_first_marked(kernel); row; row = offloadrt_next_marked(kernel, row))
    if (memcmp(variant->arguments + row->offset, launched->arguments + row->offset, row->size) != 0)
      return 0;
  return 1;
}

static struct variant *find_variant(const struct table *table, const struct launched *launched) {
  struct variant *variant = table->variants;
  while (variant && !is_for(variant, launched))
    variant = variant->next;
  return variant;
}

static void unload(struct offloadrt_device *device, struct offloadrt_loaded *loaded) {
  struct table *table = (struct table *)loaded;
  for (struct variant *variant = table->variants, *next; variant; variant = next) {
    next = variant->next;
    offloadrt_unload_code(device, &variant->code);
    free(variant);
  }
  free(table);
}

static struct table *find_in_list(const struct launched *launched) {
  const struct offload_kernel *kernel = launched->kernel;
  struct offloadrt_loaded *loaded = launched->device->modules->variants;
  while (loaded && !(((struct table *)loaded)->kernel == kernel && loaded->serial == kernel->descriptor->serial))
    loaded = loaded->next;
  return (struct table *)loaded;
}

/* Finds the table of a kernel, or adds one; returns null if there is no memory. */
static struct table *find_table(const struct launched *launched) {
  struct offloadrt_modules *modules = launched->device->modules;
  struct table *table = find_in_list(launched);
  if (table)
    return table;
  offloadrt_unload_retired(launched->device);
  /* Another thread may have added it, if the lock was released. */
  if ((table = find_in_list(launched)) || !(table = calloc(1, sizeof *table)))
    return table;
  table->loaded = (struct offloadrt_loaded){modules->variants, launched->kernel->descriptor->serial, unload};
  table->kernel = launched->kernel;
  modules->variants = &table->loaded;
  return table;
}

/* The compiler's words -------------------------------------------------------------------------- */

static void free_words(char **words) {
  for (char **word = words; word && *word; word++)
    free(*word);
  free(words);
}

static char *value_word(const struct launched *launched, const struct offload_scalar *row) {
  const char *name = launched->kernel->name;
  size_t capacity = strlen(name) + 2 * (size_t)row->size + sizeof "--specialize=:@4294967295=";
  char *word = malloc(capacity);
  size_t used = word ? (size_t)snprintf(word, capacity, "--specialize=%s:@%u=", name, row->offset) : 0;
  for (uint32_t i = 0; word && i < row->size; i++)
    used += (size_t)snprintf(word + used, capacity - used, "%02x", launched->arguments[row->offset + i]);
  return word;
}

static char *block_word(const struct launched *launched) {
  const char *name = launched->kernel->name;
  const uint32_t *block = launched->config->block;
  size_t capacity = strlen(name) + sizeof "--specialize=:block_dim=4294967295,4294967295,4294967295";
  char *word = malloc(capacity);
  if (word)
    snprintf(word, capacity, "--specialize=%s:block_dim=%u,%u,%u", name, block[0], block[1], block[2]);
  return word;
}

/* Returns the words for the values of a launch up to a null, or null if there is no memory. */
static char **words_for(const struct launched *launched) {
  const struct offload_kernel *kernel = launched->kernel;
  enum { OTHERS = 3 }; /* the size of the block, the last word, and the null */
  size_t values = 0, count = 0;
  int is_whole = 1;
  for (const struct offload_scalar *row = offloadrt_first_marked(kernel); row; row = offloadrt_next_marked(kernel, row))
    values++;
  char **words = calloc(values + OTHERS, sizeof *words);
  if (!words)
    return NULL;
  for (const struct offload_scalar *row = offloadrt_first_marked(kernel); row && is_whole; row = offloadrt_next_marked(kernel, row))
    is_whole = (words[count++] = value_word(launched, row)) != NULL;
  if (is_whole && kernel->flags & OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM)
    is_whole = (words[count++] = block_word(launched)) != NULL;
  if (is_whole && (words[count] = strdup("--specialized-only")))
    return words;
  free_words(words);
  return NULL;
}

/* Logs which values a variant is for: the words without the option and the kernel. */
static void log_new(const struct launched *launched, const struct variant *variant, char *const *words) {
  char text[512] = "";
  size_t skipped = sizeof "--specialize=:" - 1 + strlen(launched->kernel->name);
  for (size_t used = 0; words[1] && used < sizeof text; words++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", *words + skipped);
  offloadrt_log("%s: variant %u of kernel `%s` is for %s", launched->device->name, variant->number,
                offloadrt_kernel_name(launched->kernel), text);
}

static void log_refused(const struct launched *launched, const struct variant *variant, const char *reason) {
  offloadrt_log("%s: the general code serves for variant %u of kernel `%s`: %s", launched->device->name, variant->number,
                offloadrt_kernel_name(launched->kernel), reason);
}

/* New variants ---------------------------------------------------------------------------------- */

/* Whether the kernel can have variants. Each image has its own copy of the statics, and an address that a launch leaves in
 * memory can be one of a function of its image. */
static int can_have_variants(const struct launched *launched, struct offloadrt_image *generic, char *reason,
                             size_t capacity) {
  if (!offloadrt_find_generic(launched->kernel->descriptor, generic)) {
    snprintf(reason, capacity, "its object contains no generic image");
    return 0;
  }
  const char *tie = offloadrt_tie(launched->kernel->descriptor, generic);
  if (tie) {
    snprintf(reason, capacity, "%s", tie);
    return 0;
  }
  if (launched->kernel->flags & OFFLOAD_KERNEL_KEEPS_HEAP) {
    snprintf(reason, capacity, "its heap is kept, in which an address of a function of another image may be");
    return 0;
  }
  return offloadrt_can_finish(launched->device, generic, reason, capacity);
}

/* Starts the job of a variant, or waits for it without the lock. */
static void begin(struct offloadrt_device *device, struct offloadrt_finish_job *job, int is_waiting) {
  if (is_waiting) {
    pthread_mutex_unlock(&device->modules->lock);
    offloadrt_finisher->wait(job);
    pthread_mutex_lock(&device->modules->lock);
  } else {
    offloadrt_finisher->start(job);
  }
}

static struct variant *add_variant(const struct launched *launched, struct table *table,
                                   struct offloadrt_image *generic) {
  size_t bytes = launched->kernel->argument_bytes;
  char **words = words_for(launched);
  struct variant *variant = words ? calloc(1, sizeof *variant + bytes) : NULL;
  if (!variant) {
    free_words(words);
    return NULL;
  }
  variant->number = ++table->count;
  memcpy(variant->block, launched->config->block, sizeof variant->block);
  memcpy(variant->arguments, launched->arguments, bytes);
  struct variant **last = &table->variants;
  while (*last)
    last = &(*last)->next;
  *last = variant;
  if (offloadrt_is_logging())
    log_new(launched, variant, words);
  if (offloadrt_find_job(launched->device, launched->kernel->descriptor, generic, (const char *const *)words, &variant->job)) {
    variant->job = NULL;
    log_refused(launched, variant, offloadrt_error_text());
  }
  free_words(words);
  return variant;
}

/* Adds the variant for a launch, unless there are enough. */
static struct variant *new_variant(const struct launched *launched, struct table *table) {
  char reason[512] = "";
  struct offloadrt_image generic;
  if (!can_have_variants(launched, &generic, reason, sizeof reason)) {
    table->has_none = 1;
    offloadrt_log("%s: kernel `%s` gets no variants: %s", launched->device->name, offloadrt_kernel_name(launched->kernel),
                  reason);
    return NULL;
  }
  if (table->count < __atomic_load_n(&most_variants, __ATOMIC_RELAXED))
    return add_variant(launched, table, &generic);
  if (!table->is_full)
    offloadrt_log("%s: kernel `%s` has %u variants, and gets no more (`OFFLOADRT_VARIANTS`)", launched->device->name,
                  offloadrt_kernel_name(launched->kernel), table->count);
  table->is_full = 1;
  return NULL;
}

/* Loads the image of a finished job. */
static int load(const struct launched *launched, struct variant *variant, const struct offloadrt_image *image) {
  struct offloadrt_device *device = launched->device;
  struct offloadrt_code code;
  char miss[160] = "is for other hardware";
  if (device->driver->archs->fit(device->description.arch, image, miss, sizeof miss) <= 0)
    return offloadrt_fail(OFFLOADRT_FAILED, "its image for %s %s", image->arch, miss);
  if (image->writes_statics)
    return offloadrt_fail(OFFLOADRT_FAILED, "a constant that the program has set is not in its code");
  offloadrt_log("%s: loading variant %u of kernel `%s`, for %s, %zu bytes", device->name, variant->number,
                offloadrt_kernel_name(launched->kernel), image->arch, (size_t)offloadrt_image_bytes(image));
  offloadrt_begin_loading(device);
  int status = offloadrt_load_code(device, launched->kernel, image, &code);
  offloadrt_end_loading(device);
  if (status)
    return status;
  if (variant->code.module)
    offloadrt_discard_code(device, &code); /* another thread was faster */
  else
    variant->code = code;
  return OFFLOADRT_SUCCESS;
}

/* Loads a variant if its image is finished. */
static void load_if_finished(const struct launched *launched, struct variant *variant) {
  struct offloadrt_finish_job *job = variant->job;
  enum offloadrt_finish_state state = offloadrt_finisher->state(job);
  if (state == OFFLOADRT_FINISHING)
    return;
  const char *reason = "no thread can be started";
  int is_loaded = state == OFFLOADRT_FINISHED && !load(launched, variant, offloadrt_finisher->image(job));
  variant->job = NULL;
  /* Another thread may have loaded it meanwhile, and then it serves. */
  if (is_loaded || variant->code.module)
    return;
  if (state != OFFLOADRT_UNFINISHED)
    reason = state == OFFLOADRT_FINISHED ? offloadrt_error_text() : offloadrt_finisher->reason(job);
  log_refused(launched, variant, reason);
}

/* Launches -------------------------------------------------------------------------------------- */

/* Whether the launch is within the limits of a variant, which may need more registers than the general code. */
static int takes(const struct launched *launched, const struct offloadrt_function *function) {
  const offloadrt_launch_config *config = launched->config;
  uint64_t threads = (uint64_t)config->block[0] * config->block[1] * config->block[2];
  uint64_t shared = (uint64_t)config->dynamic_shared_bytes + function->shared_bytes;
  uint32_t limit = launched->device->limits.shared_bytes;
  return (!function->threads_per_block || threads <= function->threads_per_block) && (!limit || shared <= limit);
}

/* The caller holds the lock. */
static struct variant *find(const struct launched *launched) {
  struct table *table = find_table(launched);
  if (!table || table->has_none)
    return NULL;
  struct variant *variant = find_variant(table, launched);
  if (!variant)
    variant = new_variant(launched, table);
  /* In a process that was forked, no thread works on the job. */
  int is_waiting = __atomic_load_n(&waits, __ATOMIC_RELAXED);
  if (variant && variant->job && (is_waiting || offloadrt_finisher->state(variant->job) == OFFLOADRT_UNFINISHED))
    begin(launched->device, variant->job, is_waiting);
  if (variant && variant->job)
    load_if_finished(launched, variant);
  return variant;
}

unsigned offloadrt_use_variant(struct offloadrt_device *device, const struct offloadrt_launch *launch,
                               struct offloadrt_function *function) {
  const struct launched launched = {device, launch->kernel, launch->config, launch->arguments};
  unsigned number = 0;
  if (!offloadrt_finisher || !device->driver->images || !device->driver->archs || !launch->kernel->descriptor ||
      !has_marks(launch->kernel) || offloadrt_finisher->mode() == OFFLOADRT_JIT_NEVER ||
      !__atomic_load_n(&most_variants, __ATOMIC_RELAXED))
    return 0;
  /* A later launch of the general code may find an address of a function in such a heap. */
  if (launch->heap_bytes && launch->config->flags & OFFLOADRT_KEEP_HEAP)
    return 0;
  pthread_mutex_lock(&device->modules->lock);
  const struct variant *variant = find(&launched);
  if (variant && variant->code.module && takes(&launched, &variant->code.function)) {
    *function = variant->code.function;
    number = variant->number;
  }
  pthread_mutex_unlock(&device->modules->lock);
  return number;
}
