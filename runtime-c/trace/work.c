/* The events of the trace, which trace.h lists, and the ranges of calls.
 *
 * The times of a call are those of the host's clock. With a driver that waits, these are also the times of the device's
 * work. With other drivers, an event of the driver is recorded before and after each piece of work. When the host has
 * waited, the driver says how much time has passed between these events, and since the anchor, an event whose time is
 * known on the host's clock. */
#define _GNU_SOURCE /* gettid, pthread_getname_np, program_invocation_short_name */
#include "work.h"

#include "ranges.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  DEVICES = 64,        /* devices of different names; the others share the last track */
  TRACKS = 256,        /* streams of a device with separate tracks */
  DEVICE_PIDS = 1 << 22, /* the largest pid in Linux */
  ANCHOR_ATTEMPTS = 16,  /* to find the time of an anchor */
  EXACT_ANCHOR = 20000,  /* nanoseconds between two readings of the clock that are short enough */
  MOST_PENDING = 4096, /* pieces of work of a device for which nobody has waited */
};
static const int64_t oldest_anchor = 10000000000; /* in nanoseconds: a float has microseconds for longer than this */

/* The tracks of a device. Those who open it several times share them. The lock of the file protects them. */
static struct tracks {
  char name[OFFLOADRT_NAME_CAPACITY];
  unsigned generation[TRACKS]; /* in which file the track has a name */
  int64_t end[TRACKS];         /* of the last work; 0: there was none */
} *all_tracks[DEVICES];

/* A piece of work for which nobody has waited yet. */
struct pending {
  struct pending *next;
  struct offloadrt_work work;
  offloadrt_launch_config config;
  void *second; /* the event after the work */
  unsigned stream;
  const char *kernel;
  char symbol[];
};

/* The trace's state of an open device. */
struct offloadrt_timeline {
  struct offloadrt_timeline *next;
  const struct offloadrt_device *device;
  unsigned tracks; /* an index of all_tracks */
  pthread_mutex_t lock;
  void *anchor; /* an event; null: there are no times of the device */
  int64_t anchored; /* its time */
  struct pending *first, **end;
  unsigned count;
  void *spare[2 * MOST_PENDING]; /* events of the driver that can be recorded again */
  unsigned spare_count;
};

static pthread_mutex_t timelines_lock = PTHREAD_MUTEX_INITIALIZER;
static struct offloadrt_timeline *timelines;

/* Tracks ------------------------------------------------------------------------------------------ */

/* Writes the name of a track as an event, and begins the next one. */
static void add_track_name(const char *what, long pid, long tid, const char *name) {
  offloadrt_add("\"ph\":\"M\",\"name\":\"%s\"", what);
  offloadrt_add_track(pid, tid);
  offloadrt_add(",\"args\":{\"name\":");
  offloadrt_add_text(name);
  offloadrt_add("}");
  offloadrt_next_event();
}

/* Names the track of the calling thread, once in each file. */
static void name_thread(void) {
  static unsigned named;
  static _Thread_local unsigned thread_named;
  unsigned generation = offloadrt_trace_generation();
  long process = offloadrt_traced_process();
  char name[16] = "";
  if (named != generation)
    add_track_name("process_name", process, process, program_invocation_short_name);
  named = generation;
  if (thread_named != generation && !pthread_getname_np(pthread_self(), name, sizeof name))
    add_track_name("thread_name", process, gettid(), name);
  thread_named = generation;
}

static unsigned track_of(unsigned stream) { return stream < TRACKS ? stream : 1 + stream % (TRACKS - 1); }

static void name_stream(const struct offloadrt_timeline *timeline, unsigned track) {
  struct tracks *tracks = all_tracks[timeline->tracks];
  const struct offloadrt_description *about = &timeline->device->description;
  unsigned generation = offloadrt_trace_generation();
  long pid = offloadrt_traced_process() + (timeline->tracks + 1L) * DEVICE_PIDS;
  char name[sizeof about->product + sizeof about->arch + OFFLOADRT_NAME_CAPACITY + 8];
  if (tracks->generation[track] == generation)
    return;
  int is_first = 1;
  for (unsigned i = 0; i < TRACKS; i++)
    is_first &= tracks->generation[i] != generation;
  snprintf(name, sizeof name, *about->arch ? "%s (%s, %s)" : "%s", tracks->name, about->product, about->arch);
  if (is_first)
    add_track_name("process_name", pid, 1, name);
  snprintf(name, sizeof name, track ? "stream %u" : "default stream", track);
  add_track_name("thread_name", pid, track + 1L, name);
  tracks->generation[track] = generation;
}

/* Events ------------------------------------------------------------------------------------------ */

static const char *const copies[] = {"copy to device", "copy to host", "copy on device", "fill"};
static const char *const directions[] = {"to_device", "to_host", "on_device", "fill"};

/* The names that an event has. */
struct names {
  const char *category, *name;
};

static struct names names_of(const struct offloadrt_work *work) {
  switch (work->kind) {
  case OFFLOADRT_WORK_OPEN:
    return (struct names){"device", "open"};
  case OFFLOADRT_WORK_LAUNCH:
    return (struct names){"launch", "launch "};
  case OFFLOADRT_WORK_KERNEL:
    return (struct names){"kernel", ""};
  case OFFLOADRT_WORK_COPY:
    return (struct names){"copy", copies[work->direction]};
  case OFFLOADRT_WORK_WAIT:
    return (struct names){"wait", "wait"};
  case OFFLOADRT_WORK_WAIT_FOR_EVENT:
    return (struct names){"wait", "wait for event"};
  case OFFLOADRT_WORK_ALLOCATE:
    return (struct names){"memory", "allocate"};
  case OFFLOADRT_WORK_FREE:
    return (struct names){"memory", "free"};
  case OFFLOADRT_WORK_LOAD:
    return (struct names){"load", "load image"};
  case OFFLOADRT_WORK_COMPILE:
    return (struct names){"compile", "compile"};
  case OFFLOADRT_WORK_HOST_CALL:
    return (struct names){"host_call", "host call"};
  }
  return (struct names){"", ""};
}

enum { NAME_CAPACITY = 1024 };

static void write_name(char name[NAME_CAPACITY], const struct offloadrt_work *work, const char *kernel) {
  snprintf(name, NAME_CAPACITY, "%s%s", names_of(work).name, work->config ? kernel : "");
}

static int has_stream(const struct offloadrt_work *work) {
  return work->kind == OFFLOADRT_WORK_LAUNCH || work->kind == OFFLOADRT_WORK_KERNEL || work->kind == OFFLOADRT_WORK_COPY ||
         work->kind == OFFLOADRT_WORK_WAIT;
}

/* Whether the work is that of a device. */
static int is_of_device(const struct offloadrt_work *work) {
  return work->kind == OFFLOADRT_WORK_KERNEL || work->kind == OFFLOADRT_WORK_COPY;
}

static int number_of(const struct offloadrt_stream *stream) { return stream ? (int)stream->number : 0; }

static void add_field(const char *name, const char *text) {
  offloadrt_add("%s:", name);
  offloadrt_add_text(text);
}

/* Adds the arguments of the event, without those of the device. */
static void add_arguments(const struct offloadrt_work *work, const char *kernel, const char *symbol) {
  const offloadrt_launch_config *config = work->config;
  if (work->kind == OFFLOADRT_WORK_OPEN && work->device) {
    add_field(",\"product\"", work->device->description.product);
    add_field(",\"arch\"", work->device->description.arch);
  }
  if (work->kind == OFFLOADRT_WORK_COPY)
    offloadrt_add(",\"direction\":\"%s\"", directions[work->direction]);
  if (work->arch)
    add_field(work->device ? ",\"arch\"" : "\"arch\"", work->arch);
  if (work->memory)
    add_field(",\"memory\"", work->memory);
  if (work->address)
    offloadrt_add(",\"address\":\"%p\"", *work->address);
  if (work->kind == OFFLOADRT_WORK_COPY || work->kind == OFFLOADRT_WORK_ALLOCATE || work->arch)
    offloadrt_add(",\"bytes\":%" PRIu64, work->bytes);
  if (work->kind == OFFLOADRT_WORK_HOST_CALL)
    offloadrt_add(",\"number\":%" PRIu64, work->number);
  if (kernel)
    add_field(",\"kernel\"", kernel);
  if (config) {
    add_field(",\"symbol\"", symbol);
    offloadrt_add(",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared_bytes\":%u", config->grid[0], config->grid[1],
                  config->grid[2], config->block[0], config->block[1], config->block[2], config->dynamic_shared_bytes);
  }
}

/* Adds all of an event, except its end. */
static void add_span(const struct offloadrt_work *work, int stream, const char *kernel, const char *symbol, long pid, long tid,
                     int64_t begin, int64_t end, int status) {
  char name[NAME_CAPACITY];
  write_name(name, work, kernel);
  offloadrt_add("\"ph\":\"X\"");
  add_field(",\"name\"", name);
  offloadrt_add(",\"cat\":\"%s\"", names_of(work).category);
  offloadrt_add_track(pid, tid);
  offloadrt_add_times(begin, end - begin);
  offloadrt_add(",\"args\":{");
  if (work->device)
    add_field("\"device\"", work->device->name);
  if (has_stream(work))
    offloadrt_add(",\"stream\":%d", stream);
  add_arguments(work, kernel, symbol);
  if (status)
    add_field(",\"error\"", offloadrt_error_text());
  offloadrt_add("}");
}

/* Writes a call of the calling thread. */
static void write_call(const struct offloadrt_work *work, int64_t end, int status) {
  if (!offloadrt_begin_event())
    return;
  name_thread();
  const struct offload_kernel *kernel = work->kernel;
  add_span(work, work->is_wait_for_all ? OFFLOADRT_ALL_STREAMS : number_of(work->stream),
           kernel ? offloadrt_kernel_name(kernel) : NULL, kernel ? kernel->name : NULL, offloadrt_traced_process(), gettid(),
           work->begin, end, status);
  offloadrt_end_event(1);
}

/* Writes work on a device, and the gap before it. Work of one queue does not overlap; two clocks are not as exact. */
static void write_work(const struct offloadrt_timeline *timeline, const struct offloadrt_work *work, unsigned stream,
                       const char *kernel, const char *symbol, int64_t begin, int64_t end, int is_exact) {
  struct tracks *tracks = all_tracks[timeline->tracks];
  unsigned track = track_of(stream);
  if (!offloadrt_begin_event())
    return;
  name_stream(timeline, track);
  long pid = offloadrt_traced_process() + (timeline->tracks + 1L) * DEVICE_PIDS, tid = track + 1L;
  int64_t before = tracks->end[track];
  if (!is_exact && begin < before) {
    end += before - begin;
    begin = before;
  }
  if (before && begin > before) {
    offloadrt_add("\"ph\":\"X\",\"name\":\"host\",\"cat\":\"gap\"");
    offloadrt_add_track(pid, tid);
    offloadrt_add_times(before, begin - before);
    add_field(",\"args\":{\"device\"", timeline->device->name);
    offloadrt_add(",\"stream\":%u}", stream);
    offloadrt_next_event();
  }
  if (end > before)
    tracks->end[track] = end;
  add_span(work, (int)stream, kernel, symbol, pid, tid, begin, end, 0);
  offloadrt_end_event(0);
}

void offloadrt_trace_panic(const struct offload_kernel *kernel, const char *message) {
  int64_t now = offloadrt_clock();
  if (!offloadrt_begin_event())
    return;
  name_thread();
  offloadrt_add("\"ph\":\"i\",\"name\":\"panic\",\"cat\":\"panic\",\"s\":\"p\"");
  offloadrt_add_track(offloadrt_traced_process(), gettid());
  offloadrt_add_times(now, -1);
  add_field(",\"args\":{\"kernel\"", offloadrt_kernel_name(kernel));
  add_field(",\"message\"", message);
  offloadrt_add("}");
  offloadrt_end_event(1);
}

/* The times of devices ---------------------------------------------------------------------------- */

static const struct offloadrt_event_operations *events_of(const struct offloadrt_timeline *timeline) {
  return timeline->device->driver->events;
}

/* Takes an event of the driver; null if there is none. The caller holds the lock. */
static void *take_event(struct offloadrt_timeline *timeline) {
  void *event = NULL;
  if (timeline->spare_count)
    return timeline->spare[--timeline->spare_count];
  return events_of(timeline)->create(timeline->device->state, &event) ? NULL : event;
}

static void give_back(struct offloadrt_timeline *timeline, void *event) {
  if (event && timeline->spare_count < sizeof timeline->spare / sizeof *timeline->spare)
    timeline->spare[timeline->spare_count++] = event;
  else if (event)
    events_of(timeline)->destroy(timeline->device->state, event);
}

static void *record(struct offloadrt_timeline *timeline, void *stream) {
  void *event = take_event(timeline);
  if (event && events_of(timeline)->record(timeline->device->state, event, stream)) {
    give_back(timeline, event);
    event = NULL;
  }
  return event;
}

/* Finds the time of an event on the host's clock: a new event in a stream without work. It happens between two readings
 * of the clock, so the pair with the shortest time between them is the most exact. If no event can be recorded, the anchor
 * before it remains. */
static void set_anchor(struct offloadrt_timeline *timeline, void *stream) {
  int64_t shortest = INT64_MAX;
  for (int attempt = 0; attempt < ANCHOR_ATTEMPTS && shortest > EXACT_ANCHOR; attempt++) {
    int64_t begin = offloadrt_clock();
    void *anchor = record(timeline, stream);
    if (!anchor)
      return;
    int failed = events_of(timeline)->synchronize(timeline->device->state, anchor);
    int64_t time = offloadrt_clock() - begin;
    if (failed || time >= shortest) {
      give_back(timeline, anchor);
      continue;
    }
    give_back(timeline, timeline->anchor);
    timeline->anchor = anchor;
    timeline->anchored = begin + time / 2;
    shortest = time;
  }
}

/* Writes work that is done. */
static void write_pending(struct offloadrt_timeline *timeline, const struct pending *pending) {
  const struct offloadrt_event_operations *events = events_of(timeline);
  void *device = timeline->device->state;
  int64_t since = 0, duration = 0, now = offloadrt_clock();
  if (events->elapsed(device, timeline->anchor, pending->work.first, &since) ||
      events->elapsed(device, pending->work.first, pending->second, &duration))
    return;
  duration = duration < 0 ? 0 : duration;
  int64_t begin = timeline->anchored + since;
  if (begin > now - duration)
    begin = now - duration;
  if (begin < pending->work.begin)
    begin = pending->work.begin;
  const char *symbol = *pending->symbol ? pending->symbol : NULL;
  write_work(timeline, &pending->work, pending->stream, symbol ? pending->kernel : NULL, symbol, begin, begin + duration, 0);
}

/* Writes and removes the complete work of a stream (negative: of all streams). The caller holds the lock. */
static void write_done(struct offloadrt_timeline *timeline, int stream) {
  for (struct pending **link = &timeline->first; *link;) {
    struct pending *pending = *link;
    int is_over = 0;
    if ((stream >= 0 && pending->stream != (unsigned)stream) ||
        events_of(timeline)->query(timeline->device->state, pending->second, &is_over) || !is_over) {
      link = &pending->next;
      continue;
    }
    write_pending(timeline, pending);
    give_back(timeline, pending->work.first);
    give_back(timeline, pending->second);
    *link = pending->next;
    timeline->count--;
    free(pending);
  }
  timeline->end = &timeline->first;
  while (*timeline->end)
    timeline->end = &(*timeline->end)->next;
}

/* Keeps submitted work until it is done. If there is too much of it, waits for the oldest piece. */
static void keep(struct offloadrt_timeline *timeline, const struct offloadrt_work *work, void *stream) {
  const struct offload_kernel *kernel = work->kernel;
  const char *name = kernel ? offloadrt_kernel_name(kernel) : "", *symbol = kernel ? kernel->name : "";
  size_t symbol_bytes = strlen(symbol) + 1, name_bytes = strlen(name) + 1;
  struct pending *pending = malloc(sizeof *pending + symbol_bytes + name_bytes);
  pthread_mutex_lock(&timeline->lock);
  void *second = pending ? record(timeline, stream) : NULL;
  if (!second) {
    give_back(timeline, work->first);
    pthread_mutex_unlock(&timeline->lock);
    free(pending);
    return;
  }
  *pending = (struct pending){.work = *work, .second = second, .stream = (unsigned)number_of(work->stream)};
  memcpy(pending->symbol, symbol, symbol_bytes);
  pending->kernel = memcpy(pending->symbol + symbol_bytes, name, name_bytes);
  if (work->config) {
    pending->config = *work->config;
    pending->work.config = &pending->config;
  }
  *timeline->end = pending;
  timeline->end = &pending->next;
  if (++timeline->count >= MOST_PENDING) {
    (void)events_of(timeline)->synchronize(timeline->device->state, timeline->first->second);
    write_done(timeline, OFFLOADRT_ALL_STREAMS);
  }
  pthread_mutex_unlock(&timeline->lock);
}

void offloadrt_trace_done(const struct offloadrt_device *device, const struct offloadrt_stream *stream) {
  struct offloadrt_timeline *timeline = device->timeline;
  if (!timeline || !events_of(timeline))
    return;
  pthread_mutex_lock(&timeline->lock);
  write_done(timeline, stream ? number_of(stream) : OFFLOADRT_ALL_STREAMS);
  pthread_mutex_unlock(&timeline->lock);
}

/* Work -------------------------------------------------------------------------------------------- */

/* Ranges are those of the host's calls: a profiler sees the work of devices itself. */
static void begin_range(struct offloadrt_work *work) {
  char name[NAME_CAPACITY];
  if (work->kind == OFFLOADRT_WORK_KERNEL || !offloadrt_observed_by(OFFLOADRT_RANGES))
    return;
  write_name(name, work, work->kernel ? offloadrt_kernel_name(work->kernel) : "");
  offloadrt_push_range(name);
  work->has_range = 1;
}

void offloadrt_begin_work(struct offloadrt_work *work) {
  begin_range(work);
  struct offloadrt_timeline *timeline = work->device && is_of_device(work) ? work->device->timeline : NULL;
  work->begin = offloadrt_clock();
  if (!timeline || !events_of(timeline))
    return;
  void *stream = offloadrt_stream_state(work->stream);
  pthread_mutex_lock(&timeline->lock);
  if (timeline->anchor && !timeline->first && work->begin - timeline->anchored > oldest_anchor)
    set_anchor(timeline, stream);
  if (timeline->anchor)
    work->first = record(timeline, stream);
  pthread_mutex_unlock(&timeline->lock);
}

void offloadrt_end_work(struct offloadrt_work *work, int status) {
  int64_t end = offloadrt_clock();
  struct offloadrt_timeline *timeline = work->device && is_of_device(work) ? work->device->timeline : NULL;
  const struct offload_kernel *kernel = work->kernel;
  if (timeline && !status && work->first) {
    keep(timeline, work, offloadrt_stream_state(work->stream));
    if (work->is_over)
      offloadrt_trace_done(timeline->device, work->stream);
  } else if (timeline && work->first) {
    pthread_mutex_lock(&timeline->lock);
    give_back(timeline, work->first);
    pthread_mutex_unlock(&timeline->lock);
  } else if (timeline && !status && !events_of(timeline)) {
    write_work(timeline, work, (unsigned)number_of(work->stream), kernel ? offloadrt_kernel_name(kernel) : NULL,
               kernel ? kernel->name : NULL, work->begin, end, 1);
  }
  if (work->has_range)
    offloadrt_pop_range();
  if (work->kind != OFFLOADRT_WORK_KERNEL && offloadrt_is_tracing())
    write_call(work, end, status && work->kind != OFFLOADRT_WORK_COMPILE && work->kind != OFFLOADRT_WORK_HOST_CALL);
}

/* Devices ----------------------------------------------------------------------------------------- */

/* Finds or makes the tracks of a device. Returns their index, or -1 if there is no memory. The caller holds the lock. */
static int find_tracks(const char *name) {
  int i = 0;
  while (all_tracks[i] && strcmp(all_tracks[i]->name, name) != 0 && i < DEVICES - 1)
    i++;
  if (!all_tracks[i] && (all_tracks[i] = calloc(1, sizeof *all_tracks[i])))
    snprintf(all_tracks[i]->name, sizeof all_tracks[i]->name, "%s", name);
  return all_tracks[i] ? i : -1;
}

/* At the end of the program: writes the complete work, before the libraries of drivers end. */
static void write_rest(void) {
  pthread_mutex_lock(&timelines_lock);
  for (struct offloadrt_timeline *timeline = timelines; timeline; timeline = timeline->next)
    if (offloadrt_is_tracing() && events_of(timeline) && !pthread_mutex_trylock(&timeline->lock)) {
      write_done(timeline, OFFLOADRT_ALL_STREAMS);
      pthread_mutex_unlock(&timeline->lock);
    }
  pthread_mutex_unlock(&timelines_lock);
}

static void register_rest(void) { (void)atexit(write_rest); }

void offloadrt_begin_timeline(struct offloadrt_device *device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct offloadrt_timeline *timeline = calloc(1, sizeof *timeline);
  if (!timeline)
    return;
  pthread_once(&once, register_rest);
  timeline->device = device;
  timeline->end = &timeline->first;
  pthread_mutex_init(&timeline->lock, NULL);
  pthread_mutex_lock(&timelines_lock);
  int tracks = find_tracks(device->name);
  if (tracks >= 0) {
    timeline->tracks = (unsigned)tracks;
    timeline->next = timelines;
    timelines = timeline;
    device->timeline = timeline;
  }
  pthread_mutex_unlock(&timelines_lock);
  if (tracks < 0)
    free(timeline);
  else if (events_of(timeline))
    set_anchor(timeline, NULL);
}

void offloadrt_end_timeline(struct offloadrt_device *device) {
  struct offloadrt_timeline *timeline = device->timeline;
  if (!timeline)
    return;
  pthread_mutex_lock(&timelines_lock);
  struct offloadrt_timeline **link = &timelines;
  while (*link != timeline)
    link = &(*link)->next;
  *link = timeline->next;
  pthread_mutex_unlock(&timelines_lock);
  for (struct pending *pending = timeline->first, *next; pending; pending = next) {
    next = pending->next;
    give_back(timeline, pending->work.first);
    give_back(timeline, pending->second);
    free(pending);
  }
  give_back(timeline, timeline->anchor);
  while (timeline->spare_count)
    events_of(timeline)->destroy(device->state, timeline->spare[--timeline->spare_count]);
  pthread_mutex_destroy(&timeline->lock);
  device->timeline = NULL;
  free(timeline);
}
