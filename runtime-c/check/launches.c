/* Launches and copies, and the order in which their streams, events and the host put them.
 *
 * On the CPU a launch is complete when the call returns. The checker does not use this: it orders two pieces of work
 * only if every device would, so that a missing wait is found here. Each stream counts its work. For each piece of
 * work, and for the host, a vector has the last work of each stream that is complete before. The threads of the host
 * share one vector, because the checker does not see how they wait for each other. */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST_LAUNCHES = 1 << 16, MARGIN = 4096 };

struct stream {
  const void *device, *stream;
  uint32_t count;               /* the work that was submitted */
  uint32_t seen[CHECK_STREAMS]; /* the work that is complete before the next work */
};

struct event {
  struct event *next;
  const void *event;
  uint32_t seen[CHECK_STREAMS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct check_launch *_Atomic launches[MOST_LAUNCHES];
static atomic_uint launch_count;
static uint32_t launch_number;
static uint64_t next_run = 1;
static struct stream streams[CHECK_STREAMS];
static unsigned stream_count;
static uint32_t host_seen[CHECK_STREAMS];
static struct event *events;

/* Streams --------------------------------------------------------------------------------------- */

static void join(uint32_t *to, const uint32_t *from) {
  for (unsigned i = 0; i < CHECK_STREAMS; i++)
    if (from[i] > to[i])
      to[i] = from[i];
}

static unsigned find_stream(const void *device, const void *stream) {
  unsigned i = 0;
  while (i < stream_count && !(streams[i].device == device && streams[i].stream == stream))
    i++;
  return i;
}

/* Returns the number of a stream. All streams beyond a limit share the last number, so that they seem to be ordered.
 * The number of a removed stream is used again, because the host has waited for its work. */
static unsigned number_of(const void *device, const void *stream) {
  unsigned number = find_stream(device, stream);
  if (number == stream_count)
    number = find_stream(NULL, NULL);
  if (number < stream_count) {
    streams[number].device = device;
    streams[number].stream = stream;
    return number;
  }
  if (stream_count == CHECK_STREAMS)
    return CHECK_STREAMS - 1;
  streams[stream_count] = (struct stream){.device = device, .stream = stream};
  return stream_count++;
}

/* `when` of the first run that is not known to be complete before `launch`. */
static uint64_t floor_of(const struct check_launch *launch) {
  static unsigned complete; /* the launches before this one are complete for the host */
  uint64_t floor = launch->first_run;
  unsigned count = atomic_load(&launch_count);
  if (complete > count)
    complete = 0;
  for (; complete < count; complete++) {
    const struct check_launch *other = atomic_load(&launches[complete]);
    if (other->sequence > host_seen[other->stream])
      break;
  }
  for (unsigned i = complete; i < count; i++) {
    const struct check_launch *other = atomic_load(&launches[i]);
    if (other->sequence > launch->seen[other->stream] && other->first_run < floor)
      floor = other->first_run;
  }
  return floor << CHECK_TICKS;
}

/* Makes room by forgetting all launches, if none is running that may look at them. Their accesses count as ordered
 * before all later ones. */
static void forget_launches(void) {
  unsigned count = atomic_load(&launch_count);
  for (unsigned i = 0; i < count; i++)
    if (!atomic_load(&atomic_load(&launches[i])->has_ended))
      return;
  atomic_store(&launch_count, 0);
  for (unsigned i = 0; i < count; i++)
    free(atomic_load(&launches[i]));
}

void check_forget_ended(void) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < atomic_load(&launch_count); i++) {
    struct check_launch *launch = atomic_load(&launches[i]);
    if (atomic_load(&launch->has_ended))
      launch->is_forgotten = 1;
  }
  pthread_mutex_unlock(&lock);
}

/* Adds work to a stream. The caller holds the lock. */
static struct check_launch *add_work(const void *device, const void *stream, uint64_t runs) {
  struct check_launch *launch = calloc(1, sizeof *launch);
  if (!launch || next_run + runs > UINT32_MAX) {
    free(launch);
    return NULL;
  }
  if (atomic_load(&launch_count) == MOST_LAUNCHES)
    forget_launches();
  if (atomic_load(&launch_count) == MOST_LAUNCHES) {
    free(launch);
    return NULL;
  }
  launch->stream = number_of(device, stream);
  struct stream *own = &streams[launch->stream];
  join(own->seen, host_seen);
  own->seen[launch->stream] = own->count;
  memcpy(launch->seen, own->seen, sizeof launch->seen);
  launch->sequence = ++own->count;
  own->seen[launch->stream] = own->count;
  launch->first_run = next_run;
  launch->run_count = runs;
  next_run += runs;
  launch->floor = floor_of(launch);
  atomic_store(&launches[atomic_load(&launch_count)], launch);
  atomic_fetch_add(&launch_count, 1);
  return launch;
}

const struct check_launch *check_launch_of(uint32_t run) {
  unsigned low = 0, high = atomic_load(&launch_count);
  while (low < high) {
    unsigned middle = (low + high) / 2;
    const struct check_launch *launch = atomic_load(&launches[middle]);
    if (!launch)
      return NULL;
    if (run < launch->first_run)
      high = middle;
    else if (run - launch->first_run >= launch->run_count)
      low = middle + 1;
    else
      return launch->is_forgotten ? NULL : launch;
  }
  return NULL;
}

int check_are_ordered(const struct check_launch *one, const struct check_launch *other) {
  return one->sequence <= other->seen[one->stream] || other->sequence <= one->seen[other->stream];
}

/* Launches -------------------------------------------------------------------------------------- */

static void *begin(const void *device, const void *stream, const struct offloadrt_launch *described) {
  const offloadrt_launch_config *config = described->config;
  uint64_t blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
  pthread_mutex_lock(&lock);
  struct check_launch *launch = add_work(device, stream, blocks);
  if (launch) {
    launch->scheduler.finish = check_finish;
    launch->number = ++launch_number;
    launch->kernel = described->kernel;
    memcpy(launch->grid, config->grid, sizeof launch->grid);
    memcpy(launch->block, config->block, sizeof launch->block);
    launch->arguments = described->arguments;
    launch->argument_bytes = described->kernel->argument_bytes;
  }
  pthread_mutex_unlock(&lock);
  return launch;
}

static int end(void *opaque, const struct offloadrt_launch *described, int status) {
  struct check_launch *launch = opaque;
  if (!launch)
    return status;
  launch->arguments = NULL;
  launch->argument_bytes = 0;
  atomic_store(&launch->has_ended, 1);
  if (status || !atomic_load(&launch->left))
    return status;
  return offloadrt_fail(OFFLOADRT_FAILED, "kernel `%s` accessed memory outside of all allocations, which the checker has "
                                          "reported; the blocks that did so have ended there",
                        offloadrt_kernel_name(described->kernel));
}

/* Waiting --------------------------------------------------------------------------------------- */

static void wait(const void *device, const void *stream, int all) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < stream_count; i++)
    if (streams[i].device == device && (all || streams[i].stream == stream)) {
      join(host_seen, streams[i].seen);
      if (streams[i].count > host_seen[i])
        host_seen[i] = streams[i].count;
    }
  pthread_mutex_unlock(&lock);
}

static struct event *find_event(const void *event) {
  struct event *each = events;
  while (each && each->event != event)
    each = each->next;
  return each;
}

static void record(const void *event, const void *device, const void *stream) {
  pthread_mutex_lock(&lock);
  struct event *found = find_event(event);
  if (!found && (found = calloc(1, sizeof *found))) {
    *found = (struct event){.next = events, .event = event};
    events = found;
  }
  unsigned number = number_of(device, stream);
  if (found) {
    memcpy(found->seen, streams[number].seen, sizeof found->seen);
    found->seen[number] = streams[number].count;
  }
  pthread_mutex_unlock(&lock);
}

static void wait_for_event(const void *event, const void *device, const void *stream) {
  pthread_mutex_lock(&lock);
  const struct event *found = find_event(event);
  if (found)
    join(streams[number_of(device, stream)].seen, found->seen);
  pthread_mutex_unlock(&lock);
}

static void synchronize_event(const void *event) {
  pthread_mutex_lock(&lock);
  const struct event *found = find_event(event);
  if (found)
    join(host_seen, found->seen);
  pthread_mutex_unlock(&lock);
}

/* Memory ---------------------------------------------------------------------------------------- */

/* Allocates with a margin on both sides, in which no other allocation lies. The address of the whole is before the
 * memory. */
static void *allocate(size_t align, size_t bytes) {
  size_t before = align > MARGIN ? align : MARGIN;
  unsigned char *whole;
  if (bytes > SIZE_MAX - before - MARGIN || posix_memalign((void **)&whole, align, before + bytes + MARGIN))
    return NULL;
  unsigned char *memory = whole + before;
  memcpy(memory - sizeof whole, &whole, sizeof whole);
  check_add_region((uintptr_t)memory, bytes, CHECK_DEVICE, NULL);
  return memory;
}

static int free_memory(void *address) {
  struct check_region region;
  if (!check_find_region((uintptr_t)address, &region) || region.begin != (uintptr_t)address ||
      region.memory != CHECK_DEVICE)
    return 0;
  void *whole;
  memcpy(&whole, (unsigned char *)address - sizeof whole, sizeof whole);
  check_remove_region((uintptr_t)address);
  free(whole);
  return 1;
}

static void share(const void *address, size_t bytes, int is_written) {
  check_add_region((uintptr_t)address, bytes, CHECK_MAPPED, NULL);
  if (is_written)
    check_set((uintptr_t)address, bytes, CHECK_WRITTEN);
}

static void unshare(const void *address) { check_remove_region((uintptr_t)address); }

static void add_stream(const void *device, const void *stream) {
  pthread_mutex_lock(&lock);
  number_of(device, stream);
  pthread_mutex_unlock(&lock);
}

static void remove_stream(const void *device, const void *stream) {
  pthread_mutex_lock(&lock);
  unsigned number = find_stream(device, stream);
  if (number < stream_count && number < CHECK_STREAMS - 1)
    streams[number].device = streams[number].stream = NULL;
  pthread_mutex_unlock(&lock);
}

/* Copies can only race if there are several streams. */
static void copy(const void *device, const void *stream, const void *to, const void *from, size_t bytes) {
  if (to)
    check_set((uintptr_t)to, bytes, CHECK_WRITTEN);
  pthread_mutex_lock(&lock);
  number_of(device, stream);
  struct check_launch *work = stream_count > 1 ? add_work(device, stream, 1) : NULL;
  pthread_mutex_unlock(&lock);
  if (!work)
    return;
  check_copy(work, to, from, bytes);
  atomic_store(&work->has_ended, 1);
}

static void written(const void *address, size_t bytes) { check_set((uintptr_t)address, bytes, CHECK_WRITTEN); }

static void empty_heap(const void *heap, size_t bytes) {
  check_clear((uintptr_t)heap, bytes, CHECK_VALID | CHECK_WRITTEN);
}

const struct offloadrt_checker check_core = {
    .allocate = allocate,
    .free = free_memory,
    .share = share,
    .unshare = unshare,
    .begin = begin,
    .end = end,
    .written = written,
    .copy = copy,
    .add_stream = add_stream,
    .remove_stream = remove_stream,
    .empty_heap = empty_heap,
    .wait = wait,
    .record = record,
    .wait_for_event = wait_for_event,
    .synchronize_event = synchronize_event,
};
