/* The states of launches: memory that a kernel uses in addition to its arguments.
 *
 * With a driver that waits, a state exists for the duration of the call. With other drivers, there is one state for
 * each kernel and stream, because launches of one stream run one after another. A panic remains in the state until it
 * is reported. States are in chunks of device memory, so that one copy reads many of them. */
#include <stdlib.h>
#include <string.h>

#include "../checker.h"
#include "../device.h"
#include "../trace/work.h"

enum { STATES_IN_CHUNK = 32 };

/* The owner of a state. */
struct owner {
  const struct offload_kernel *kernel;
  uint64_t serial;  /* the registration of the kernel's object */
  uint64_t launched; /* the number of the first launch that was not checked; 0: none */
  int seen;          /* the state contains a panic that was reported: the device failed when the record was cleared */
  void *heap;        /* the heap of the kernel; null: not allocated yet */
  uint64_t heap_bytes;
  const char *linked_panics; /* the texts of panics of the linked functions of its launches; null: they have none */
};

/* A chunk: states of one stream. */
struct offloadrt_states {
  struct offloadrt_states *next;
  void *stream;
  struct offload_launch_state *address; /* on the device */
  unsigned count;
  struct owner owners[STATES_IN_CHUNK];
};

static const struct offload_launch_state no_state;

/* Adds a chunk for `stream`. */
static int add_chunk(struct offloadrt_device *device, void *stream, struct offloadrt_states **added) {
  struct offloadrt_states *chunk = calloc(1, sizeof *chunk);
  if (!chunk)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for the states of launches");
  void *address;
  int status = device->driver->allocate(device->state, STATES_IN_CHUNK * sizeof no_state, &address);
  if (status) {
    free(chunk);
    return status;
  }
  chunk->stream = stream;
  chunk->address = address;
  chunk->next = device->states;
  device->states = *added = chunk;
  return OFFLOADRT_SUCCESS;
}

/* Whether the state can be reused: its object has left the program, and its launches were checked. */
static int is_retired(const struct owner *owner) { return !owner->launched && !offloadrt_is_live(owner->serial); }

/* Finds room for a new state of `stream`: a retired state if there is one, otherwise the end of a chunk. If all chunks
 * are full, adds one. */
static int find_room(struct offloadrt_device *device, void *stream, struct offloadrt_states **found, unsigned *index) {
  *found = NULL;
  for (struct offloadrt_states *chunk = device->states; chunk; chunk = chunk->next) {
    for (*index = 0; *index < chunk->count && chunk->stream == stream; ++*index)
      if (is_retired(&chunk->owners[*index])) {
        *found = chunk;
        return OFFLOADRT_SUCCESS;
      }
    if (chunk->stream == stream && chunk->count < STATES_IN_CHUNK)
      *found = chunk;
  }
  int status = *found ? OFFLOADRT_SUCCESS : add_chunk(device, stream, found);
  if (!status)
    *index = (*found)->count;
  return status;
}

static int add_state(struct offloadrt_device *device, void *stream, const struct offloadrt_launch *launch, uint64_t serial,
                     struct offloadrt_states **added, unsigned *index) {
  const struct offload_kernel *kernel = launch->kernel;
  struct offload_launch_state state = {.object = serial};
  int status = find_room(device, stream, added, index);
  if (!status && kernel->flags & OFFLOAD_KERNEL_CALLS_HOST)
    status = offloadrt_find_mailbox(device, stream, &state.mailbox);
  if (!status)
    status = device->driver->copy_to_device(device->state, stream, (*added)->address + *index, &state, sizeof state);
  if (status)
    return status;
  struct owner *owner = &(*added)->owners[*index];
  if (*index == (*added)->count)
    (*added)->count++;
  else if (owner->heap)
    device->driver->free(device->state, owner->heap);
  *owner = (struct owner){.kernel = kernel, .serial = serial, .linked_panics = launch->linked_panics};
  return OFFLOADRT_SUCCESS;
}

/* Finds or creates the state of a kernel on a stream. The texts of panics distinguish images with linked functions. The
 * caller holds the lock. */
static int find_state(struct offloadrt_device *device, void *stream, const struct offloadrt_launch *launch,
                      struct offloadrt_states **found, unsigned *index) {
  const struct offload_kernel *kernel = launch->kernel;
  uint64_t serial = kernel->descriptor ? kernel->descriptor->serial : 0;
  for (struct offloadrt_states *chunk = device->states; chunk; chunk = chunk->next)
    for (unsigned i = 0; i < chunk->count && chunk->stream == stream; i++)
      if (chunk->owners[i].kernel == kernel && chunk->owners[i].serial == serial &&
          chunk->owners[i].linked_panics == launch->linked_panics) {
        *found = chunk;
        *index = i;
        return OFFLOADRT_SUCCESS;
      }
  return add_state(device, stream, launch, serial, found, index);
}

/* Heaps ----------------------------------------------------------------------------------------- */

/* The fields of a state that describe the heap: from `heap` to `heap_used`. */
struct heap_part {
  void *heap;
  uint32_t units, used;
};
_Static_assert(offsetof(struct offload_launch_state, heap_used) ==
                   offsetof(struct offload_launch_state, heap) + offsetof(struct heap_part, used),
               "a heap's part is copied as it stands");

static struct heap_part fresh_heap(void *heap, uint64_t bytes) {
  return (struct heap_part){.heap = heap, .units = (uint32_t)(bytes / OFFLOAD_HEAP_UNIT)};
}

/* Whether addresses of the launch's allocations may remain after the launch: in a static, or in host memory if the
 * device can access it. The heap is then never reused. Drivers that wait run kernels in host memory. */
static int keeps_heap(const struct offloadrt_device *device, const struct offloadrt_launch *launch) {
  return launch->kernel->flags & OFFLOAD_KERNEL_KEEPS_HEAP ||
         (device->driver->waits && launch->config->flags & OFFLOADRT_KEEP_HEAP);
}

/* Sets up an empty heap for the next launch; the previous launch on the stream is complete when the next one starts.
 * Later launches of the kernel on the stream reuse the memory. If it is too small, it is allocated again. */
static int set_up_heap(struct offloadrt_device *device, void *stream, struct owner *owner,
                       struct offload_launch_state *address, uint64_t bytes) {
  const struct offloadrt_driver *driver = device->driver;
  int status = OFFLOADRT_SUCCESS;
  if (owner->heap_bytes < bytes) {
    if (owner->heap) {
      status = driver->synchronize(device->state, stream);
      driver->free(device->state, owner->heap);
    }
    owner->heap = NULL;
    owner->heap_bytes = 0;
    if (!status)
      status = driver->allocate(device->state, bytes, &owner->heap);
    if (status)
      return status;
    owner->heap_bytes = bytes;
  }
  struct heap_part part = fresh_heap(owner->heap, bytes);
  return driver->copy_to_device(device->state, stream, &address->heap, &part, sizeof part);
}

/* Launches ---------------------------------------------------------------------------------------- */

static int submit(struct offloadrt_device *device, void *stream, const struct offloadrt_launch *launch) {
  int status;
  OFFLOADRT_TRACED(status, device->driver->launch(device->state, stream, launch), .kind = OFFLOADRT_WORK_KERNEL,
                   .device = device, .stream = launch->stream, .kernel = launch->kernel, .config = launch->config);
  return status;
}

/* Launches a kernel that calls the host through the mailbox of the stream, and waits for it. Each launch has a state, and
 * claims slots in it, so only one launch at a time may use the mailbox: all streams are the same one for a driver that
 * waits. */
static int launch_with_mailbox(struct offloadrt_device *device, void *stream, struct offloadrt_launch *launch,
                               struct offloadrt_waiting_launch *waiting) {
  pthread_mutex_lock(&device->states_lock);
  int status = offloadrt_find_mailbox(device, stream, &waiting->state.mailbox);
  if (!status) {
    offloadrt_serve_launch(device, stream);
    status = submit(device, stream, launch);
    offloadrt_end_wait(device, stream, offloadrt_begin_wait(device));
    offloadrt_take_host_panic(device, stream, 0, waiting->caller.panic);
  }
  pthread_mutex_unlock(&device->states_lock);
  return status;
}

static int launch_and_wait(struct offloadrt_device *device, void *stream, struct offloadrt_launch *launch) {
  struct offloadrt_waiting_launch waiting = {.state = {.object = launch->kernel->descriptor ? launch->kernel->descriptor->serial : 0}};
  struct offload_launch_state *state = &waiting.state;
  void *heap = NULL;
  if (launch->heap_bytes) {
    int status = device->driver->allocate(device->state, launch->heap_bytes, &heap);
    if (status)
      return status;
    if (launch->check)
      offloadrt_checker->empty_heap(heap, launch->heap_bytes);
    struct heap_part part = fresh_heap(heap, launch->heap_bytes);
    memcpy(&state->heap, &part, sizeof part);
  }
  launch->state = state;
  offloadrt_begin_calls(&waiting, device);
  int has_mailbox = launch->kernel->flags & OFFLOAD_KERNEL_CALLS_HOST && !state->call_host;
  int status = has_mailbox ? launch_with_mailbox(device, stream, launch, &waiting)
                           : submit(device, stream, launch);
  if (heap && !keeps_heap(device, launch))
    device->driver->free(device->state, heap);
  if (!status && state->panic.claimed)
    status = offloadrt_panicked(launch->kernel, &state->panic, launch->linked_panics,
                                waiting.caller.panic);
  offloadrt_end_calls(&waiting);
  return status;
}

int offloadrt_launch_with_state(struct offloadrt_device *device, void *stream, struct offloadrt_launch *launch) {
  if (!(launch->kernel->flags & OFFLOAD_KERNEL_TAKES_STATE))
    return submit(device, stream, launch);
  if (device->driver->waits)
    return launch_and_wait(device, stream, launch);
  /* Hold the lock until the launch is submitted. Otherwise another thread could check the states between the mark and
   * the launch, remove the mark, and miss the panic of this launch. */
  pthread_mutex_lock(&device->states_lock);
  struct offloadrt_states *chunk;
  unsigned index;
  int status = find_state(device, stream, launch, &chunk, &index);
  if (!status) {
    struct owner *owner = &chunk->owners[index];
    launch->state = chunk->address + index;
    /* A kernel that only may allocate can have a heap in one launch and none in the next. */
    if (launch->heap_bytes || owner->heap)
      status = set_up_heap(device, stream, owner, launch->state, launch->heap_bytes);
    /* From here on, nothing frees the heap: the driver frees it when the device is closed, with the images whose
     * statics may contain its addresses. */
    if (keeps_heap(device, launch))
      owner->heap = NULL, owner->heap_bytes = 0;
  }
  if (!status) {
    struct owner *owner = &chunk->owners[index];
    device->launch_count++;
    if (!owner->launched)
      owner->launched = device->launch_count;
    if (launch->kernel->flags & OFFLOAD_KERNEL_CALLS_HOST)
      offloadrt_serve_launch(device, stream);
    status = submit(device, stream, launch);
  }
  pthread_mutex_unlock(&device->states_lock);
  return status;
}

/* Panics ---------------------------------------------------------------------------------------- */

/* The first launch that panicked, among the states that were checked. */
struct first {
  struct owner owner;
  struct offload_panic panic;
};

/* Checks one chunk, and clears the records of launches that panicked. */
static int check_chunk(struct offloadrt_device *device, struct offloadrt_states *chunk, struct first *first) {
  struct offload_launch_state states[STATES_IN_CHUNK];
  const struct offloadrt_driver *driver = device->driver;
  int status = driver->copy_to_host(device->state, chunk->stream, states, chunk->address, chunk->count * sizeof *states);
  for (unsigned i = 0; i < chunk->count && !status; i++) {
    struct owner *owner = &chunk->owners[i];
    if (states[i].panic.claimed && !owner->seen && (!first->owner.launched || owner->launched < first->owner.launched))
      *first = (struct first){*owner, states[i].panic};
    owner->seen = states[i].panic.claimed;
    if (owner->seen)
      status = driver->copy_to_device(device->state, chunk->stream, chunk->address + i, &no_state.panic, sizeof no_state.panic);
    /* A record that could not be cleared is checked again. */
    if (!status)
      owner->launched = 0, owner->seen = 0;
  }
  return status;
}

static int is_launched(const struct offloadrt_states *chunk) {
  for (unsigned i = 0; i < chunk->count; i++)
    if (chunk->owners[i].launched)
      return 1;
  return 0;
}

/* Reports the panic. If the kernel's object was closed, its texts are no longer in memory. */
static int report_panic(const struct first *first, const char *host_panic) {
  if (offloadrt_is_live(first->owner.serial))
    return offloadrt_panicked(first->owner.kernel, &first->panic, first->owner.linked_panics, host_panic);
  return offloadrt_fail(OFFLOADRT_PANICKED, "a kernel of an object that has left the program panicked");
}

int offloadrt_check_states(struct offloadrt_device *device, void *stream, int any) {
  if (device->driver->waits)
    return OFFLOADRT_SUCCESS;
  struct first first = {.owner = {.launched = 0}};
  int status = OFFLOADRT_SUCCESS;
  pthread_mutex_lock(&device->states_lock);
  for (struct offloadrt_states *chunk = device->states; chunk && !status; chunk = chunk->next)
    if ((any || chunk->stream == stream) && is_launched(chunk))
      status = check_chunk(device, chunk, &first);
  pthread_mutex_unlock(&device->states_lock);
  char host_panic[OFFLOADRT_HOST_PANIC_CAPACITY];
  offloadrt_take_host_panic(device, stream, any, host_panic);
  /* Report the panic instead of another failure. The next call reports that failure again, but not the panic. */
  return first.owner.launched ? report_panic(&first, host_panic) : status;
}

void offloadrt_free_states(struct offloadrt_device *device, void *stream) {
  pthread_mutex_lock(&device->states_lock);
  for (struct offloadrt_states **link = &device->states; *link;) {
    struct offloadrt_states *chunk = *link;
    if (stream && chunk->stream != stream) {
      link = &chunk->next;
      continue;
    }
    *link = chunk->next;
    for (unsigned i = 0; i < chunk->count; i++)
      if (chunk->owners[i].heap)
        device->driver->free(device->state, chunk->owners[i].heap);
    device->driver->free(device->state, chunk->address);
    free(chunk);
  }
  pthread_mutex_unlock(&device->states_lock);
}
