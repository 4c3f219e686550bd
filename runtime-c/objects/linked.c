/* Kernels with functions of other objects. A program may pass a function of one object, such as a plugin, to a kernel of
 * another one. Its arguments then contain the number of the function, and the registered object with this number says
 * where its code is. The compiler links the generic images of both objects. There is no other code that could serve, so
 * the first such launch waits. The image is separate: it needs nothing of the other object, which may be closed. */
#define _GNU_SOURCE /* strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"
#include "../finish.h"
#include "late.h"

/* The most other objects whose functions one launch may have, and the size of an identity with its NUL. */
enum { MOST_OBJECTS = 8, IDENTITY = 64 };

/* The most bytes of values that are constants of linked code, with their offsets and sizes. */
enum { MOST_VALUES = 512 };

/* The other objects of a launch, in the order of their identities, and the values among its arguments that have their
 * functions, if the kernel asks for code for these values. */
struct linking {
  struct offloadrt_device *device;
  const struct offloadrt_launch *launch;
  unsigned count;
  const struct offload_descriptor *objects[MOST_OBJECTS];
  char identities[MOST_OBJECTS][IDENTITY];
  size_t value_bytes;
  unsigned char values[MOST_VALUES];
};

/* Linked code of a kernel. */
struct linked {
  struct offloadrt_loaded loaded; /* for the kernel's object */
  const struct offload_kernel *kernel;
  unsigned count;  /* of other objects */
  char identities[MOST_OBJECTS][IDENTITY];
  size_t value_bytes;
  unsigned char values[MOST_VALUES];
  struct offloadrt_code code;
  const char *panics; /* the texts of panics of the functions; they remain until the process ends */
};

/* The functions of a launch ---------------------------------------------------------------------- */

static uint64_t word_at(const struct offloadrt_launch *launch, size_t offset) {
  uint64_t word;
  memcpy(&word, launch->arguments + offset, sizeof word);
  return word;
}

/* The other object whose function a word of the arguments may be, or null. A number that is one of the kernel's own
 * object is a function of that object. */
static const struct offload_descriptor *object_of(const struct offloadrt_launch *launch, uint64_t word) {
  const struct offload_descriptor *own = launch->kernel->descriptor;
  if (!word || offloadrt_has_function(own, word))
    return NULL;
  struct offloadrt_functions found = offloadrt_find_functions(word);
  return found.object == own ? NULL : found.object;
}

static int no_code(const struct linking *linking, const char *reason) {
  return offloadrt_fail(OFFLOADRT_NO_IMAGE,
                        "kernel `%s` is given a function of another object, and cannot be linked with it for device `%s`: %s",
                        offloadrt_kernel_name(linking->launch->kernel), linking->device->name, reason);
}

/* Adds an object at its place in the order of the identities. */
static int add_object(struct linking *linking, const struct offload_descriptor *object) {
  struct offloadrt_image generic;
  unsigned at = 0;
  for (unsigned i = 0; i < linking->count; i++)
    if (linking->objects[i] == object)
      return OFFLOADRT_SUCCESS;
  if (!offloadrt_find_generic(object, &generic))
    return no_code(linking, "the object with the function has no generic image; add `generic` to its `--offload-arch`");
  if (linking->count == MOST_OBJECTS)
    return no_code(linking, "a launch can have functions of eight other objects");
  while (at < linking->count && strcmp(linking->identities[at], generic.identity) < 0)
    at++;
  size_t after = linking->count++ - at;
  memmove(linking->objects + at + 1, linking->objects + at, after * sizeof *linking->objects);
  memmove(linking->identities + at + 1, linking->identities + at, after * sizeof *linking->identities);
  linking->objects[at] = object;
  snprintf(linking->identities[at], IDENTITY, "%s", generic.identity);
  return OFFLOADRT_SUCCESS;
}

/* Why the function with a number cannot be linked, in the image of its object; null if it can. The text of all reasons is
 * `1:6:reason,3:5:other,`: the position of the function, and the reason with its length. */
static const char *reason_against(const struct offload_descriptor *object, uint64_t number, size_t *length) {
  struct offloadrt_image generic;
  if (!offloadrt_find_generic(object, &generic))
    return NULL;
  for (const char *at = generic.not_linkable; *at;) {
    char *end;
    uint64_t position = strtoull(at, &end, 10);
    *length = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
    if (*end != ':' || strnlen(end + 1, *length) < *length)
      return NULL;
    if (position == number - object->first_function)
      return end + 1;
    at = end + 1 + *length;
    at += *at == ',';
  }
  return NULL;
}

/* Adds the object of a function. */
static int add_function(struct linking *linking, const struct offload_descriptor *object, uint64_t number) {
  size_t length;
  const char *reason = reason_against(object, number, &length);
  if (!reason)
    return add_object(linking, object);
  char text[1024];
  snprintf(text, sizeof text, "%.*s", (int)length, reason);
  return no_code(linking, text);
}

/* Finds the objects. A function as a value is at a multiple of eight bytes. */
static int find_objects(struct linking *linking) {
  uint32_t bytes = linking->launch->kernel->argument_bytes;
  int status = OFFLOADRT_SUCCESS;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes && !status; at += sizeof(uint64_t)) {
    uint64_t word = word_at(linking->launch, at);
    const struct offload_descriptor *object = object_of(linking->launch, word);
    if (object && offloadrt_find_functions(word).is_ambiguous)
      status = no_code(linking, "two objects have functions of these numbers, whose code differs in other crates; close one of them");
    else if (object)
      status = add_function(linking, object, word);
  }
  return status;
}

/* Whether a value has a function of another object. */
static int has_function(const struct offloadrt_launch *launch, const struct offload_scalar *row) {
  size_t at = ((size_t)row->offset + 7) / 8 * 8, end = (size_t)row->offset + row->size;
  for (; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t))
    if (object_of(launch, word_at(launch, at)))
      return 1;
  return 0;
}

/* Takes the values that are constants of the code. Values for which there is no room are arguments like others. */
static void take_values(struct linking *linking) {
  const struct offload_kernel *kernel = linking->launch->kernel;
  for (const struct offload_scalar *row = offloadrt_first_marked(kernel); row; row = offloadrt_next_marked(kernel, row)) {
    size_t bytes = 2 * sizeof(uint32_t) + row->size;
    if (!has_function(linking->launch, row) || bytes > MOST_VALUES - linking->value_bytes)
      continue;
    unsigned char *to = linking->values + linking->value_bytes;
    memcpy(to, &row->offset, sizeof row->offset);
    memcpy(to + sizeof row->offset, &row->size, sizeof row->size);
    memcpy(to + 2 * sizeof(uint32_t), linking->launch->arguments + row->offset, row->size);
    linking->value_bytes += bytes;
  }
}

/* The compiler's work ---------------------------------------------------------------------------- */

/* A text that grows; the pointer is null if there was no memory. */
struct text {
  char *bytes;
  size_t used;
};

static void append(struct text *text, const void *bytes, size_t count) {
  char *more = text->bytes ? realloc(text->bytes, text->used + count + 1) : NULL;
  if (!more)
    free(text->bytes);
  text->bytes = more;
  if (!more)
    return;
  memcpy(more + text->used, bytes, count);
  text->used += count;
  more[text->used] = 0;
}

static struct text start(const char *begin) {
  struct text text = {.bytes = strdup(begin), .used = strlen(begin)};
  return text;
}

static void append_text(struct text *text, const char *more) { append(text, more, strlen(more)); }

/* The word for the value at `at`, and the place after it. */
static char *value_word(const struct linking *linking, size_t *at) {
  uint32_t offset, size;
  char part[32];
  memcpy(&offset, linking->values + *at, sizeof offset);
  memcpy(&size, linking->values + *at + sizeof offset, sizeof size);
  struct text word = start("--specialize=");
  append_text(&word, linking->launch->kernel->name);
  snprintf(part, sizeof part, ":@%u=", offset);
  append_text(&word, part);
  *at += 2 * sizeof(uint32_t);
  for (uint32_t i = 0; i < size; i++) {
    snprintf(part, sizeof part, "%02x", linking->values[(*at)++]);
    append_text(&word, part);
  }
  return word.bytes;
}

static void free_words(char **words) {
  for (char **word = words; word && *word; word++)
    free(*word);
  free(words);
}

/* The words for the command line up to a null: the kernel, and the values. */
static char **words_for(const struct linking *linking) {
  char **words = calloc(2 + linking->value_bytes / (2 * sizeof(uint32_t)) + 1, sizeof *words);
  struct text only = start("--only-kernel=");
  append_text(&only, linking->launch->kernel->name);
  size_t count = 0, at = 0;
  int is_whole = words && (words[count++] = only.bytes);
  if (!words)
    free(only.bytes);
  while (is_whole && at < linking->value_bytes)
    is_whole = (words[count++] = value_word(linking, &at)) != NULL;
  if (is_whole)
    return words;
  free_words(words);
  return NULL;
}

/* The identities of all images together. */
static char *identity_of(const struct linking *linking, const struct offloadrt_image *generic) {
  struct text text = start(generic->identity);
  for (unsigned i = 0; i < linking->count; i++) {
    append_text(&text, "+");
    append_text(&text, linking->identities[i]);
  }
  return text.bytes;
}

/* Appends an image of an object with its size. */
static int append_image(struct text *file, const struct offload_descriptor *object) {
  struct offloadrt_image generic;
  if (!offloadrt_find_generic(object, &generic))
    return offloadrt_fail(OFFLOADRT_FAILED, "a generic image has disappeared");
  int status = offloadrt_open_image(object, &generic);
  if (status)
    return status;
  uint64_t size = (uint64_t)(generic.end - generic.begin);
  append(file, &size, sizeof size);
  append(file, generic.begin, (size_t)size);
  return OFFLOADRT_SUCCESS;
}

/* Gives the job the image of the kernel's object and those of the others (src/distribution/generic.rs). */
static int give_images(const struct linking *linking, struct offloadrt_finish_job *job) {
  struct text file = start("offloadc linked images\n");
  int status = append_image(&file, linking->launch->kernel->descriptor);
  for (unsigned i = 0; i < linking->count && !status; i++)
    status = append_image(&file, linking->objects[i]);
  if (!status && !file.bytes)
    status = offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for generic images");
  if (!status)
    status = offloadrt_finisher->give(job, file.bytes, file.used);
  free(file.bytes);
  return status;
}

static int find_job(const struct linking *linking, const struct offloadrt_image *generic, struct offloadrt_finish_job **job) {
  char **words = words_for(linking), *identity = identity_of(linking, generic);
  const char **all = NULL;
  if (words && generic->late_constants)
    all = offloadrt_late_words(linking->launch->kernel->descriptor, (const char *const *)words);
  const struct offloadrt_finish_key key = {.identity = identity,
                                           .arch = offloadrt_exact_arch(linking->device),
                                           .driver = linking->device->description.driver,
                                           .words = all ? all : (const char *const *)words};
  *job = words && identity && (all || !generic->late_constants) ? offloadrt_finisher->job(&key) : NULL;
  free(all);
  free_words(words);
  free(identity);
  if (!*job)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a generic image");
  return offloadrt_finisher->state(*job) == OFFLOADRT_UNFINISHED ? give_images(linking, *job) : OFFLOADRT_SUCCESS;
}

/* The list --------------------------------------------------------------------------------------- */

static void unload(struct offloadrt_device *device, struct offloadrt_loaded *loaded) {
  struct linked *linked = (struct linked *)loaded;
  offloadrt_unload_code(device, &linked->code);
  free(linked);
}

static int is_for(const struct linked *linked, const struct linking *linking) {
  const struct offload_kernel *kernel = linking->launch->kernel;
  return linked->kernel == kernel && linked->loaded.serial == kernel->descriptor->serial && linked->count == linking->count &&
         memcmp(linked->identities, linking->identities, sizeof linked->identities) == 0 &&
         linked->value_bytes == linking->value_bytes && memcmp(linked->values, linking->values, linked->value_bytes) == 0;
}

/* Finds the code of a launch in the list; null: it is not loaded. */
static struct linked *find_in_list(const struct linking *linking) {
  struct offloadrt_loaded *loaded = linking->device->modules->linked;
  while (loaded && !is_for((struct linked *)loaded, linking))
    loaded = loaded->next;
  return (struct linked *)loaded;
}

/* Adds code to the list, unless another thread was faster. */
static struct linked *add(const struct linking *linking, struct linked *linked) {
  struct offloadrt_device *device = linking->device;
  struct linked *other = find_in_list(linking);
  if (other) {
    offloadrt_discard_code(device, &linked->code);
    free(linked);
    return other;
  }
  linked->loaded.next = device->modules->linked;
  device->modules->linked = &linked->loaded;
  return linked;
}

/* Loads the image of a finished job, and adds it to the list. */
static int load(const struct linking *linking, const struct offloadrt_image *image, struct linked **loaded) {
  struct offloadrt_device *device = linking->device;
  const struct offload_kernel *kernel = linking->launch->kernel;
  char miss[160] = "is for other hardware", reason[320];
  if (device->driver->archs->fit(device->description.arch, image, miss, sizeof miss) <= 0) {
    snprintf(reason, sizeof reason, "the image for %s %s", image->arch, miss);
    return no_code(linking, reason);
  }
  if (image->writes_statics)
    return no_code(linking, "not all constants that the program sets are in its code");
  struct linked *linked = calloc(1, sizeof *linked);
  if (!linked)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for kernel `%s`", offloadrt_kernel_name(kernel));
  *linked = (struct linked){.loaded = {.serial = kernel->descriptor->serial, .unload = unload},
                            .kernel = kernel,
                            .count = linking->count,
                            .value_bytes = linking->value_bytes,
                            .panics = image->linked_panics};
  memcpy(linked->identities, linking->identities, sizeof linked->identities);
  memcpy(linked->values, linking->values, sizeof linked->values);
  offloadrt_log("%s: loading kernel `%s` with functions of %u other object%s, for %s, %zu bytes", device->name,
                offloadrt_kernel_name(kernel), linked->count, linked->count == 1 ? "" : "s", image->arch, (size_t)offloadrt_image_bytes(image));
  offloadrt_begin_loading(device);
  int status = offloadrt_load_code(device, kernel, image, &linked->code);
  offloadrt_end_loading(device);
  if (status) {
    free(linked);
    return status;
  }
  *loaded = add(linking, linked);
  return OFFLOADRT_SUCCESS;
}

/* Launches --------------------------------------------------------------------------------------- */

static const char kept_heap[] = "its heap is kept, in which an address of a function of another image may be";

/* Whether the kernel can have a separate image, as for variants of kernels. */
static int can_link(const struct linking *linking, struct offloadrt_image *generic, char *reason, size_t capacity) {
  const struct offloadrt_device *device = linking->device;
  const struct offload_kernel *kernel = linking->launch->kernel;
  const char *tie = NULL;
  if (!device->driver->images || !device->driver->archs)
    snprintf(reason, capacity, "this runtime finishes no images");
  else if (!offloadrt_find_generic(kernel->descriptor, generic))
    snprintf(reason, capacity, "the object of the kernel has no generic image; add `generic` to its `--offload-arch`");
  else if ((tie = offloadrt_tie(kernel->descriptor, generic)))
    snprintf(reason, capacity, "%s", tie);
  else if (kernel->flags & OFFLOAD_KERNEL_KEEPS_HEAP)
    snprintf(reason, capacity, "%s", kept_heap);
  else
    return offloadrt_can_finish(device, generic, reason, capacity);
  return 0;
}

/* Finds the code, or has it made. The caller holds the lock, which is not held while the compiler works. */
static int find(struct linking *linking, struct offloadrt_function *function, const char **panics) {
  struct linked *linked = find_in_list(linking);
  struct offloadrt_image generic;
  struct offloadrt_finish_job *job;
  char reason[512] = "";
  if (linking->launch->heap_bytes && linking->launch->config->flags & OFFLOADRT_KEEP_HEAP)
    return no_code(linking, kept_heap);
  if (!linked) {
    if (!can_link(linking, &generic, reason, sizeof reason))
      return no_code(linking, reason);
    int status = find_job(linking, &generic, &job);
    if (status)
      return status;
    pthread_mutex_unlock(&linking->device->modules->lock);
    enum offloadrt_finish_state state = offloadrt_finisher->wait(job);
    pthread_mutex_lock(&linking->device->modules->lock);
    if (state != OFFLOADRT_FINISHED)
      return no_code(linking, offloadrt_finisher->reason(job));
    offloadrt_unload_retired(linking->device);
    linked = find_in_list(linking);
    status = linked ? OFFLOADRT_SUCCESS : load(linking, offloadrt_finisher->image(job), &linked);
    if (status)
      return status;
  }
  *function = linked->code.function;
  *panics = linked->panics;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_find_linked(struct offloadrt_device *device, struct offloadrt_launch *launch,
                          struct offloadrt_function *function, int *is_linked) {
  *is_linked = 0;
  if (!(launch->kernel->flags & OFFLOAD_KERNEL_CALLS_FUNCTIONS))
    return OFFLOADRT_SUCCESS;
  struct linking linking = {.device = device, .launch = launch};
  int status = find_objects(&linking);
  if (status || !linking.count)
    return status;
  take_values(&linking);
  pthread_mutex_lock(&device->modules->lock);
  status = find(&linking, function, &launch->linked_panics);
  pthread_mutex_unlock(&device->modules->lock);
  *is_linked = !status;
  return status;
}
