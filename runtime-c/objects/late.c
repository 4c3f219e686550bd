/* The values of constants that a program sets before its first launch (`late_const!` of the crate). The compiler puts them
 * into the code of images that it makes while the program runs. In other images a constant is memory of the device, which
 * a kernel of the crate writes. That kernel stands for the constant here: its name is the only one of its kind in the
 * object. */
#include "late.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A larger value remains in memory: a command line has limits, and the code gains little from it. */
enum { MOST_BYTES = 16384 };

/* The value of a constant, as a word for the compiler. */
struct constant {
  struct constant *next;
  char word[];
};

/* The constants of an object. */
struct late_object {
  struct late_object *next;
  uint64_t serial;            /* the number of the object's registration */
  int has_memory;             /* nonzero: a constant was set whose value is in memory only */
  int is_closed;              /* nonzero: code with the values may exist */
  struct constant *constants; /* in the order of their words, so that the same values make the same code */
};

/* Protects the list and its contents. A thread takes the lock of registrations while it has this one. */
static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static struct late_object *objects;

void offloadrt_lock_constants(void) { pthread_mutex_lock(&late_lock); }
void offloadrt_unlock_constants(void) { pthread_mutex_unlock(&late_lock); }

static void free_object(struct late_object *object) {
  for (struct constant *constant = object->constants, *next; constant; constant = next) {
    next = constant->next;
    free(constant);
  }
  free(object);
}

static void forget_retired(void) {
  for (struct late_object **link = &objects; *link;) {
    struct late_object *object = *link;
    if (offloadrt_is_live(object->serial)) {
      link = &object->next;
      continue;
    }
    *link = object->next;
    free_object(object);
  }
}

/* Finds an object, or adds it; returns null if there is no memory. */
static struct late_object *find_object(const struct offload_descriptor *descriptor) {
  struct late_object *object = objects;
  while (object && object->serial != descriptor->serial)
    object = object->next;
  if (object)
    return object;
  forget_retired();
  if (!(object = calloc(1, sizeof *object)))
    return NULL;
  object->serial = descriptor->serial;
  object->next = objects;
  return objects = object;
}

/* Setting --------------------------------------------------------------------------------------- */

static struct constant *new_constant(const char *kernel, const unsigned char *value, size_t bytes) {
  size_t capacity = sizeof "--late-constant=@=" + strlen(kernel) + 2 * bytes;
  struct constant *constant = malloc(sizeof *constant + capacity);
  size_t used = constant ? (size_t)snprintf(constant->word, capacity, "--late-constant=@%s=", kernel) : 0;
  for (size_t i = 0; constant && i < bytes; i++)
    used += (size_t)snprintf(constant->word + used, capacity - used, "%02x", value[i]);
  return constant;
}

/* The place of a constant in the list: the first one whose word is not less. */
static struct constant **place_of(struct late_object *object, const char *word) {
  struct constant **link = &object->constants;
  while (*link && strcmp((*link)->word, word) < 0)
    link = &(*link)->next;
  return link;
}

/* Removes an earlier value of the constant. */
static void remove_earlier(struct late_object *object, const char *word) {
  size_t start = (size_t)(strrchr(word, '=') - word) + 1;
  for (struct constant **link = &object->constants; *link; link = &(*link)->next)
    if (strncmp((*link)->word, word, start) == 0) {
      struct constant *earlier = *link;
      *link = earlier->next;
      free(earlier);
      return;
    }
}

static int too_late(const struct offload_kernel *writer) {
  return offloadrt_fail(OFFLOADRT_INVALID,
                        "the constant that kernel `%s` writes was set after a launch of a kernel of its object: set it before, "
                        "because code with the earlier value may exist",
                        writer->name);
}

/* Takes the constant, which becomes the list's; or frees it. */
static int set(struct late_object *object, const struct offload_kernel *writer, struct constant *constant) {
  struct constant **link = place_of(object, constant->word);
  int is_known = *link && strcmp((*link)->word, constant->word) == 0;
  if (is_known || object->is_closed) {
    free(constant);
    return is_known ? OFFLOADRT_SUCCESS : too_late(writer);
  }
  remove_earlier(object, constant->word);
  link = place_of(object, constant->word);
  constant->next = *link;
  *link = constant;
  return OFFLOADRT_SUCCESS;
}

/* Notes that the value is in memory only. */
static int set_in_memory(struct late_object *object, const struct offload_kernel *writer) {
  if (!object->has_memory && object->is_closed)
    return too_late(writer);
  object->has_memory = 1;
  return OFFLOADRT_SUCCESS;
}

int offloadrt_set_late_constant(const struct offload_kernel *writer, const void *value, size_t bytes) {
  if (!writer || !offloadrt_is_registered(writer))
    return offloadrt_fail(OFFLOADRT_INVALID, "the kernel that writes a constant is no handle of a registered kernel");
  int is_in_memory = !value || !bytes || bytes > MOST_BYTES;
  struct constant *constant = is_in_memory ? NULL : new_constant(writer->name, value, bytes);
  pthread_mutex_lock(&late_lock);
  struct late_object *object = find_object(writer->descriptor);
  int status = OFFLOADRT_NO_MEMORY;
  if (object && is_in_memory)
    status = set_in_memory(object, writer);
  else if (object && constant)
    status = set(object, writer, constant);
  else
    free(constant);
  pthread_mutex_unlock(&late_lock);
  return status == OFFLOADRT_NO_MEMORY ? offloadrt_fail(status, "out of memory for a constant of %zu bytes", bytes) : status;
}

/* Use ------------------------------------------------------------------------------------------- */

static int keeps_statics(const struct offload_descriptor *descriptor, const struct offloadrt_image *generic) {
  if (!generic->writes_statics || generic->late_constants != OFFLOADRT_LATE_ONLY)
    return generic->writes_statics;
  pthread_mutex_lock(&late_lock);
  const struct late_object *object = find_object(descriptor);
  int is_kept = !object || object->has_memory;
  pthread_mutex_unlock(&late_lock);
  return is_kept;
}

const char *offloadrt_tie(const struct offload_descriptor *descriptor, const struct offloadrt_image *generic) {
  if (generic->calls_stored)
    return "kernels of its object call functions whose addresses are in memory, and each image has its own addresses";
  return keeps_statics(descriptor, generic) ? "kernels of its object write statics, and each image has its own copy of them"
                                            : NULL;
}

const char **offloadrt_late_words(const struct offload_descriptor *descriptor, const char *const *others) {
  size_t count = 2, used = 0; /* the last word, and the null */
  for (const char *const *word = others; word && *word; word++)
    count++;
  pthread_mutex_lock(&late_lock);
  struct late_object *object = find_object(descriptor);
  for (const struct constant *constant = object ? object->constants : NULL; constant; constant = constant->next)
    count++;
  const char **words = object ? calloc(count, sizeof *words) : NULL;
  for (const char *const *word = words ? others : NULL; word && *word; word++)
    words[used++] = *word;
  for (const struct constant *constant = words ? object->constants : NULL; constant; constant = constant->next)
    words[used++] = constant->word;
  if (words && !object->has_memory)
    words[used++] = "--late-constants-are-set";
  if (words)
    object->is_closed = 1;
  pthread_mutex_unlock(&late_lock);
  return words;
}
