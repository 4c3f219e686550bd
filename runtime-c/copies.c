/* Chooses the copy of the runtime that serves the process, and finds it again.
 *
 * The first call in any copy that needs devices or kernels chooses: of all copies that are loaded, the one with the
 * highest minor version, and of several the first in the order of the loader, which begins with the program. This copy
 * serves until the process ends. If it is in a shared object, that object is never unloaded again. Until then,
 * registration only links an object into the list of its own copy, because a constructor runs before others have been
 * loaded. Objects that are loaded later find the copy that serves.
 *
 * The loader's lock makes this safe between threads and between copies, which share no other lock: dl_iterate_phdr()
 * holds it while it calls back, and a thread that loads or unloads an object needs it, too. */
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_NOLOAD */
#include "copies.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "trace/trace.h"

struct offloadrt_copy offloadrt_copy = {.table = &offloadrt_own_table, .lock = PTHREAD_MUTEX_INITIALIZER};

/* A place for the path of an object. It is empty for the program itself. */
enum { PATH_BYTES = PATH_MAX };

/* Reading notes ----------------------------------------------------------------------------------- */

/* A copy that dl_iterate_phdr() has found. */
struct found {
  struct offloadrt_copy *copy;
  uint32_t major;
  const char *path;
};

/* The beginning of a note in the file format. */
struct note {
  uint32_t name_bytes, descriptor_bytes, type;
  char name[OFFLOADRT_NOTE_NAME];
};

static size_t aligned(size_t bytes, size_t align) { return (bytes + align - 1) / align * align; }

/* Whether the note is one of this library's. The name is that of this copy's own note. */
static int is_ours(const struct note *note) {
  const struct note *own = (const void *)offloadrt_note;
  return note->name_bytes == OFFLOADRT_NOTE_NAME && note->descriptor_bytes == sizeof(int64_t) &&
         memcmp(note->name, own->name, OFFLOADRT_NOTE_NAME) == 0;
}

/* Calls `visit` for each copy that the notes from `at` on describe, until it returns a value other than 0. */
static int visit_notes(const unsigned char *at, size_t bytes, size_t align, const char *path,
                       int (*visit)(const struct found *, void *), void *context) {
  const size_t header = offsetof(struct note, name);
  while (bytes >= header) {
    const struct note *note = (const void *)at;
    size_t descriptor = aligned(header + note->name_bytes, align);
    size_t size = aligned(descriptor + note->descriptor_bytes, align);
    if (size > bytes)
      return 0;
    if (is_ours(note)) {
      int64_t distance;
      memcpy(&distance, at + descriptor, sizeof distance);
      struct found found = {(struct offloadrt_copy *)((uintptr_t)(at + descriptor) + (uintptr_t)distance), note->type, path};
      int result = visit(&found, context);
      if (result)
        return result;
    }
    at += size;
    bytes -= size;
  }
  return 0;
}

/* The arguments of each_copy() for visit_object(). */
struct visit {
  int (*visit)(const struct found *, void *);
  void *context;
};

static int visit_object(struct dl_phdr_info *object, size_t size, void *context) {
  const struct visit *visit = context;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_NOTE)
      continue;
    int result = visit_notes((const unsigned char *)(object->dlpi_addr + part->p_vaddr), part->p_memsz,
                             part->p_align == 8 ? 8 : 4, object->dlpi_name, visit->visit, visit->context);
    if (result)
      return result;
  }
  return 0;
}

/* Calls `visit` for each copy of this library in the process, under the loader's lock. */
static int each_copy(int (*visit)(const struct found *, void *), void *context) {
  struct visit both = {visit, context};
  return dl_iterate_phdr(visit_object, &both);
}

/* Whether the copy takes part: it has this major version, and does not stay apart. */
static int takes_part(const struct found *found) {
  return found->major == OFFLOADRT_MAJOR && !(found->copy->flags & OFFLOADRT_COPY_APART);
}

/* The log ------------------------------------------------------------------------------------------ */

/* The text of one line about all copies. It is written after the loader's lock is released. */
struct summary {
  char text[1024];
  size_t used;
  unsigned count;
};

static int describe(const struct found *found, void *context) {
  struct summary *summary = context;
  if (summary->used >= sizeof summary->text)
    return 1;
  const char *path = found->path && *found->path ? found->path : "the program";
  int known = takes_part(found) && (found->copy->flags & OFFLOADRT_COPY_READY);
  int length = snprintf(summary->text + summary->used, sizeof summary->text - summary->used, "%s%u", summary->count ? ", " : "",
                        found->major);
  summary->used += (size_t)length;
  if (known && summary->used < sizeof summary->text)
    summary->used += (size_t)snprintf(summary->text + summary->used, sizeof summary->text - summary->used, ".%u",
                                      found->copy->table->minor);
  if (summary->used < sizeof summary->text)
    summary->used += (size_t)snprintf(
        summary->text + summary->used, sizeof summary->text - summary->used, " in `%s`%s", path,
        !takes_part(found)                                  ? " (separate)"
        : known && found->copy->serving == found->copy->table ? " (serves)"
                                                              : "");
  summary->count++;
  return 0;
}

/* Says which copies there are, if there are several. */
static void log_copies(void) {
  if (!offloadrt_is_logging())
    return;
  struct summary summary = {.used = 0};
  each_copy(describe, &summary);
  if (summary.count > 1)
    offloadrt_log("runtimes in this process: %s", summary.text);
}

/* Choosing ----------------------------------------------------------------------------------------- */

/* The table of the copy that serves, and the path of its object. */
struct serving {
  const struct offloadrt_table *table;
  char path[PATH_BYTES];
};

static int find_serving(const struct found *found, void *context) {
  struct serving *serving = context;
  if (!takes_part(found) || !found->copy->serving)
    return 0;
  serving->table = found->copy->serving;
  /* A copy that another one serves has the table, too. The object of the table is the one to keep. */
  if (found->copy->table == serving->table) {
    snprintf(serving->path, sizeof serving->path, "%s", found->path ? found->path : "");
    return 1;
  }
  return 0;
}

/* The copy that is to serve, and the number of copies that take part. */
struct choice {
  struct offloadrt_copy *copy;
  unsigned count;
  char path[PATH_BYTES];
};

static int choose_copy(const struct found *found, void *context) {
  struct choice *choice = context;
  if (!takes_part(found))
    return 0;
  choice->count++;
  if (!(found->copy->flags & OFFLOADRT_COPY_READY))
    return 0;
  if (choice->copy && found->copy->table->minor <= choice->copy->table->minor)
    return 0;
  choice->copy = found->copy;
  snprintf(choice->path, sizeof choice->path, "%s", found->path ? found->path : "");
  return 0;
}

/* Gives the objects of a copy to the one that serves, and records that one in the copy. */
static void adopt(struct offloadrt_copy *copy, const struct offloadrt_table *serving) {
  pthread_mutex_lock(&copy->lock);
  while (copy->waiting) {
    struct offload_descriptor *object = copy->waiting;
    copy->waiting = object->next;
    object->next = NULL;
    serving->register_object(object);
  }
  copy->serving = serving;
  pthread_mutex_unlock(&copy->lock);
}

static int adopt_found(const struct found *found, void *serving) {
  if (takes_part(found))
    adopt(found->copy, serving);
  return 0;
}

/* Whether the only copy in the process has been chosen. Its object is not kept: no other object needs it yet. */
static int is_alone(const struct choice *choice) { return choice->count == 1 && choice->copy == &offloadrt_copy; }

/* Runs under the loader's lock, which is recursive: no object comes or goes between the steps. Ends the outer
 * iteration at once. `context` is the choice whose object is kept; its copy serves if it is still the choice. */
static int choose_locked(struct dl_phdr_info *object, size_t size, void *context) {
  (void)object;
  (void)size;
  const struct choice *kept = context;
  struct serving serving = {.table = NULL};
  struct choice choice = {.copy = NULL};
  each_copy(find_serving, &serving);
  if (serving.table)
    return 1;
  each_copy(choose_copy, &choice);
  if (choice.copy == kept->copy && is_alone(&choice) == is_alone(kept))
    each_copy(adopt_found, (void *)kept->copy->table);
  return 1;
}

/* Keeps an object in the process. Returns 0 if it is gone. */
static int pin(const char *path) {
  if (!*path)
    return 1;
  void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (object)
    dlclose(object);
  return object != NULL;
}

/* Finds the copy that serves, without choosing one, and keeps its object. */
static const struct offloadrt_table *look(void) {
  if (offloadrt_copy.serving || (offloadrt_copy.flags & OFFLOADRT_COPY_APART))
    return offloadrt_copy.serving;
  /* The object may go before it is kept. Then another copy serves, or none. */
  for (;;) {
    struct serving serving = {.table = NULL};
    each_copy(find_serving, &serving);
    if (!serving.table || pin(serving.path))
      return serving.table;
  }
}

/* Lets this copy serve its own object. */
static const struct offloadrt_table *serve_alone(void) {
  offloadrt_copy.flags |= OFFLOADRT_COPY_APART;
  adopt(&offloadrt_copy, &offloadrt_own_table);
  return &offloadrt_own_table;
}

static const struct offloadrt_table *choose(void) {
  /* Other threads may unload the chosen object before it is pinned. No program does that more often. */
  for (int attempt = 0; attempt < 16; attempt++) {
    const struct offloadrt_table *serving = look();
    if (serving)
      return serving;
    struct choice choice = {.copy = NULL};
    each_copy(choose_copy, &choice);
    if (choice.copy && (is_alone(&choice) || pin(choice.path)))
      dl_iterate_phdr(choose_locked, &choice);
  }
  return serve_alone();
}

const struct offloadrt_table *offloadrt_serving(void) {
  const struct offloadrt_table *serving = offloadrt_copy.serving;
  if (serving)
    return serving;
  offloadrt_copy.flags |= OFFLOADRT_COPY_READY;
  serving = offloadrt_copy.flags & OFFLOADRT_COPY_APART ? serve_alone() : choose();
  offloadrt_copy.serving = serving;
  log_copies();
  return serving;
}

void offloadrt_stay_apart(void) {
  if (!offloadrt_copy.serving)
    offloadrt_copy.flags |= OFFLOADRT_COPY_APART;
}

/* An object whose constructors run is relocated. */
__attribute__((constructor(101))) static void be_ready(void) { offloadrt_copy.flags |= OFFLOADRT_COPY_READY; }

/* Registration ------------------------------------------------------------------------------------- */

/* Returns the link that points to `object` among those that wait, or the end of their list. */
static struct offload_descriptor **link_to(const struct offload_descriptor *object) {
  struct offload_descriptor **link = &offloadrt_copy.waiting;
  while (*link && *link != object)
    link = &(*link)->next;
  return link;
}

/* The copy that serves now, with the lock of the list held if there is none yet. */
static const struct offloadrt_table *look_and_lock(void) {
  const struct offloadrt_table *known = offloadrt_copy.serving, *serving = look();
  pthread_mutex_lock(&offloadrt_copy.lock);
  if (!offloadrt_copy.serving && serving)
    offloadrt_copy.serving = serving;
  serving = offloadrt_copy.serving;
  if (!serving)
    return NULL;
  pthread_mutex_unlock(&offloadrt_copy.lock);
  if (!known)
    log_copies();
  return serving;
}

void offloadrt_enter(struct offload_descriptor *descriptor) {
  offloadrt_copy.flags |= OFFLOADRT_COPY_READY;
  const struct offloadrt_table *serving = look_and_lock();
  if (serving) {
    serving->register_object(descriptor);
    return;
  }
  struct offload_descriptor **link = link_to(descriptor);
  if (!*link) {
    descriptor->next = NULL;
    *link = descriptor;
  }
  pthread_mutex_unlock(&offloadrt_copy.lock);
}

void offloadrt_leave(struct offload_descriptor *descriptor) {
  const struct offloadrt_table *serving = look_and_lock();
  if (serving) {
    serving->unregister_object(descriptor);
    return;
  }
  struct offload_descriptor **link = link_to(descriptor);
  if (*link) {
    *link = descriptor->next;
    descriptor->next = NULL;
  }
  pthread_mutex_unlock(&offloadrt_copy.lock);
}
