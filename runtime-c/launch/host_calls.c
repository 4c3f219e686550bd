/* Calls of the host's functions by kernels: the host's side of mailboxes (docs/runtime.md has the protocol), and direct
 * calls by kernels that run in this process.
 *
 * A stream whose kernels call the host has a mailbox in memory that both sides access, and a thread that looks for calls
 * while such a kernel may run. */
#define _GNU_SOURCE /* sched_yield, nanosleep */
#include "host_calls.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "../checker.h"
#include "../device.h"
#include "../drivers/cpu_stack.h"
#include "../trace/work.h"

/* A mailbox and its thread. */
struct offloadrt_mailbox {
  struct offloadrt_mailbox *next;
  struct offloadrt_mailbox *next_of_all;
  void *stream;
  struct offload_host_call *slots;
  struct offloadrt_host_caller caller;
  pthread_t thread;
  pthread_mutex_t lock; /* of the next three fields */
  pthread_cond_t changed;
  uint64_t last_launch; /* the number of the last launch */
  int serves;           /* a launch may run */
  int ends;             /* the thread shall end */
};

/* The functions of the host that a thread runs for kernels, innermost first. */
struct running {
  const struct offloadrt_device *device;
  const struct running *outer;
};
static _Thread_local const struct running *running;

/* Checks ---------------------------------------------------------------------------------------- */

int offloadrt_check_name(const struct offloadrt_driver *driver, const char *name) {
  for (const struct running *call = running; call; call = call->outer)
    /* A program may have opened one device several times. */
    if (call->device->driver == driver && strcmp(call->device->name, name) == 0)
      return offloadrt_fail(OFFLOADRT_INVALID,
                            "this host function was called by a kernel on `%s`, which waits for it, so it cannot use that "
                            "device: the two could wait for each other forever; help: return to the kernel first, or use "
                            "another device",
                            name);
  return OFFLOADRT_SUCCESS;
}

int offloadrt_check_caller(const struct offloadrt_device *device) {
  return running ? offloadrt_check_name(device->driver, device->name) : OFFLOADRT_SUCCESS;
}

static int is_in_process(const struct offloadrt_device *device) {
  return device->driver->is_in_process && device->driver->is_in_process(device->state);
}

int offloadrt_check_calls(const struct offload_kernel *kernel) {
  if (!(kernel->flags & OFFLOAD_KERNEL_CALLS_HOST))
    return OFFLOADRT_SUCCESS;
  if (!offloadrt_host_function_count(kernel->descriptor))
    return offloadrt_fail(OFFLOADRT_UNSUPPORTED,
                          "kernel `%s` calls functions of the host, and the object that contains it has none of them",
                          offloadrt_kernel_name(kernel));
  return OFFLOADRT_SUCCESS;
}

/* Calls ----------------------------------------------------------------------------------------- */

static void keep_panic(struct offloadrt_host_caller *caller, const char *text) {
  pthread_mutex_lock(&caller->lock);
  if (!*caller->panic)
    snprintf(caller->panic, sizeof caller->panic, "%s", text);
  pthread_mutex_unlock(&caller->lock);
}

static uint32_t call(struct offloadrt_host_caller *caller, uint64_t object, uint64_t number, const void *arguments,
                     void *result) {
  offload_host_function function = offloadrt_host_function(object, number);
  if (!function)
    return OFFLOAD_HOST_CALL_NO_HOST;
  char text[OFFLOADRT_HOST_PANIC_CAPACITY] = "";
  struct running this = {caller->device, running};
  const struct offloadrt_driver *driver = caller->device->driver;
  void *kernel = driver->leave_kernel ? driver->leave_kernel() : NULL;
  int outer = offload_cpu_begin_call();
  running = &this;
  uint32_t status;
  OFFLOADRT_TRACED(status, function(arguments, result, text, sizeof text), .kind = OFFLOADRT_WORK_HOST_CALL,
                   .device = caller->device, .number = number);
  running = this.outer;
  offload_cpu_end_call(outer);
  if (driver->enter_kernel)
    driver->enter_kernel(kernel);
  if (status)
    keep_panic(caller, text);
  return status;
}

/* The field `call_host` of a state. */
static uint32_t call_directly(struct offload_launch_state *state, uint64_t number, const void *arguments,
                              uint64_t argument_bytes, void *result, uint64_t result_bytes) {
  /* The limits are those of devices with mailboxes, so that a kernel behaves in the same way everywhere. */
  if (argument_bytes > OFFLOAD_HOST_CALL_BYTES || result_bytes > OFFLOAD_HOST_CALL_BYTES)
    return OFFLOAD_HOST_CALL_TOO_LARGE;
  /* The kernel may have a copy of the state. */
  struct offloadrt_waiting_launch *launch = (void *)state->mailbox;
  uint32_t status = call(&launch->caller, state->object, number, arguments, result);
  if (offloadrt_checker && result_bytes)
    offloadrt_checker->written(result, result_bytes);
  return status;
}

void offloadrt_begin_calls(struct offloadrt_waiting_launch *launch, const struct offloadrt_device *device) {
  launch->caller.device = device;
  pthread_mutex_init(&launch->caller.lock, NULL);
  *launch->caller.panic = 0;
  if (is_in_process(device)) {
    launch->state.call_host = call_directly;
    launch->state.mailbox = (void *)launch;
  }
}

void offloadrt_end_calls(struct offloadrt_waiting_launch *launch) { pthread_mutex_destroy(&launch->caller.lock); }

/* Threads of mailboxes -------------------------------------------------------------------------- */

/* Answers the call in a slot, if there is one; without a call of its function if the program ends. */
static int serve_slot(struct offloadrt_mailbox *mailbox, struct offload_host_call *slot, int refuses) {
  _Atomic uint32_t *request_at = (_Atomic uint32_t *)&slot->request;
  uint32_t request = atomic_load_explicit(request_at, memory_order_acquire);
  if (request == slot->answer)
    return 0;
  /* The result is copied to the slot after the call: the function may read its arguments there until it returns. */
  _Alignas(128) unsigned char result[OFFLOAD_HOST_CALL_BYTES];
  slot->status = refuses ? OFFLOAD_HOST_CALL_NO_HOST
                         : call(&mailbox->caller, slot->object, slot->number, slot->bytes, result);
  uint32_t bytes = slot->result_bytes;
  if (slot->status == OFFLOAD_HOST_CALL_DONE && bytes <= sizeof result)
    memcpy(slot->bytes, result, bytes);
  atomic_store_explicit((_Atomic uint32_t *)&slot->answer, request, memory_order_release);
  return 1;
}

/* Waits for a short time, which is longer after many rounds without a call. */
static void rest(unsigned rounds) {
  enum { YIELDS = 64, SHORT_NAPS = 1024 };
  if (rounds < YIELDS) {
    sched_yield();
    return;
  }
  struct timespec nap = {.tv_nsec = rounds < SHORT_NAPS ? 10000 : 500000};
  nanosleep(&nap, NULL);
}

static int may_serve(struct offloadrt_mailbox *mailbox) {
  pthread_mutex_lock(&mailbox->lock);
  while (!mailbox->serves && !mailbox->ends)
    pthread_cond_wait(&mailbox->changed, &mailbox->lock);
  int ends = mailbox->ends;
  pthread_mutex_unlock(&mailbox->lock);
  return !ends;
}

/* The end of the program: from REFUSES on, calls are answered without calling anything, because the program's statics may
 * be gone; and from STOPS on, no thread looks at a mailbox, because the driver's library frees it. */
enum { RUNS, REFUSES, STOPS };
static atomic_int end;
static atomic_int looking; /* how many threads look at a mailbox */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct offloadrt_mailbox *all; /* the mailboxes of all devices */

/* Answers all calls in a mailbox. Returns their number; -1 if the threads stop. */
static int look(struct offloadrt_mailbox *mailbox) {
  int calls = 0;
  atomic_fetch_add(&looking, 1);
  int now = atomic_load(&end);
  for (unsigned i = 0; i < OFFLOAD_MAILBOX_SLOTS && now != STOPS; i++)
    calls += serve_slot(mailbox, &mailbox->slots[i], now == REFUSES);
  atomic_fetch_sub(&looking, 1);
  return now == STOPS ? -1 : calls;
}

static void *serve(void *opaque) {
  struct offloadrt_mailbox *mailbox = opaque;
  unsigned rounds = 0;
  /* Linux lengthens naps by up to 50 microseconds by default, in which a kernel waits. */
  prctl(PR_SET_TIMERSLACK, 1000UL);
  while (may_serve(mailbox)) {
    int calls = look(mailbox);
    if (calls < 0)
      return NULL;
    rounds = calls ? 0 : rounds + 1;
    if (rounds)
      rest(rounds);
  }
  return NULL;
}

/* Mailboxes ------------------------------------------------------------------------------------- */

/* Answers calls while the thread of the mailbox ends the program, within a function that a kernel has called. */
static void *refuse(void *mailbox) {
  while (look(mailbox) >= 0)
    rest(0);
  return NULL;
}

/* Lets kernels end that wait for the host. Some libraries wait for them when the program ends. */
static void end_calls(void) {
  atomic_store(&end, REFUSES);
  pthread_mutex_lock(&all_lock);
  for (struct offloadrt_mailbox *mailbox = all; mailbox; mailbox = mailbox->next_of_all) {
    pthread_t other;
    if (!mailbox->serves)
      continue;
    if (pthread_equal(mailbox->thread, pthread_self()) && pthread_create(&other, NULL, refuse, mailbox))
      continue;
    const struct offloadrt_device *device = mailbox->caller.device;
    (void)device->driver->synchronize(device->state, mailbox->stream);
  }
  pthread_mutex_unlock(&all_lock);
  atomic_store(&end, STOPS);
  /* A function that does not return is not waited for. */
  struct timespec nap = {.tv_nsec = 1000000};
  for (unsigned naps = 0; atomic_load(&looking) > (running != NULL) && naps < 1000; naps++)
    nanosleep(&nap, NULL);
}

/* The function runs before those that the driver's library has registered, because the device is open. */
static void register_end(void) { (void)atexit(end_calls); }

static int create(struct offloadrt_device *device, void *stream, struct offloadrt_mailbox **created) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_end);
  enum { BYTES = OFFLOAD_MAILBOX_SLOTS * sizeof(struct offload_host_call) };
  struct offloadrt_mailbox *mailbox = calloc(1, sizeof *mailbox);
  if (!mailbox)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for the calls of the host on `%s`", device->name);
  void *slots = NULL;
  int status = device->driver->mailboxes->allocate(device->state, BYTES, &slots);
  if (status) {
    free(mailbox);
    return status;
  }
  memset(slots, 0, BYTES);
  mailbox->stream = stream;
  mailbox->slots = slots;
  mailbox->caller.device = device;
  pthread_mutex_init(&mailbox->caller.lock, NULL);
  pthread_mutex_init(&mailbox->lock, NULL);
  pthread_cond_init(&mailbox->changed, NULL);
  if (pthread_create(&mailbox->thread, NULL, serve, mailbox)) {
    device->driver->mailboxes->free(device->state, slots);
    free(mailbox);
    return offloadrt_fail(OFFLOADRT_FAILED, "cannot start a thread for the calls of the host on `%s`", device->name);
  }
  pthread_mutex_lock(&all_lock);
  mailbox->next_of_all = all;
  all = mailbox;
  pthread_mutex_unlock(&all_lock);
  *created = mailbox;
  return OFFLOADRT_SUCCESS;
}

static struct offloadrt_mailbox *mailbox_of(struct offloadrt_device *device, const void *stream) {
  struct offloadrt_mailbox *mailbox = device->mailboxes.first;
  while (mailbox && mailbox->stream != stream)
    mailbox = mailbox->next;
  return mailbox;
}

int offloadrt_find_mailbox(struct offloadrt_device *device, void *stream, struct offload_host_call **slots) {
  int status = OFFLOADRT_SUCCESS;
  pthread_mutex_lock(&device->mailboxes.lock);
  struct offloadrt_mailbox *mailbox = mailbox_of(device, stream);
  if (!mailbox) {
    status = create(device, stream, &mailbox);
    if (!status) {
      mailbox->next = device->mailboxes.first;
      device->mailboxes.first = mailbox;
    }
  }
  if (!status)
    *slots = mailbox->slots;
  pthread_mutex_unlock(&device->mailboxes.lock);
  return status;
}

static void set_serving(struct offloadrt_mailbox *mailbox, int serves, uint64_t launch) {
  pthread_mutex_lock(&mailbox->lock);
  if (serves)
    mailbox->last_launch = launch;
  if (serves || mailbox->last_launch <= launch)
    mailbox->serves = serves;
  pthread_cond_signal(&mailbox->changed);
  pthread_mutex_unlock(&mailbox->lock);
}

void offloadrt_serve_launch(struct offloadrt_device *device, void *stream) {
  pthread_mutex_lock(&device->mailboxes.lock);
  device->mailboxes.launch_count++;
  struct offloadrt_mailbox *mailbox = mailbox_of(device, stream);
  if (mailbox)
    set_serving(mailbox, 1, device->mailboxes.launch_count);
  pthread_mutex_unlock(&device->mailboxes.lock);
}

uint64_t offloadrt_begin_wait(struct offloadrt_device *device) {
  pthread_mutex_lock(&device->mailboxes.lock);
  uint64_t count = device->mailboxes.launch_count;
  pthread_mutex_unlock(&device->mailboxes.lock);
  return count;
}

void offloadrt_end_wait(struct offloadrt_device *device, void *stream, uint64_t count) {
  pthread_mutex_lock(&device->mailboxes.lock);
  for (struct offloadrt_mailbox *mailbox = device->mailboxes.first; mailbox; mailbox = mailbox->next)
    if (!stream || mailbox->stream == stream)
      set_serving(mailbox, 0, count);
  pthread_mutex_unlock(&device->mailboxes.lock);
}

void offloadrt_take_host_panic(struct offloadrt_device *device, void *stream, int any,
                               char text[OFFLOADRT_HOST_PANIC_CAPACITY]) {
  *text = 0;
  pthread_mutex_lock(&device->mailboxes.lock);
  for (struct offloadrt_mailbox *mailbox = device->mailboxes.first; mailbox; mailbox = mailbox->next) {
    if (!any && mailbox->stream != stream)
      continue;
    pthread_mutex_lock(&mailbox->caller.lock);
    if (!*text)
      memcpy(text, mailbox->caller.panic, OFFLOADRT_HOST_PANIC_CAPACITY);
    *mailbox->caller.panic = 0;
    pthread_mutex_unlock(&mailbox->caller.lock);
  }
  pthread_mutex_unlock(&device->mailboxes.lock);
}

static void destroy(struct offloadrt_device *device, struct offloadrt_mailbox *mailbox) {
  pthread_mutex_lock(&all_lock);
  struct offloadrt_mailbox **link = &all;
  while (*link != mailbox)
    link = &(*link)->next_of_all;
  *link = mailbox->next_of_all;
  pthread_mutex_unlock(&all_lock);
  pthread_mutex_lock(&mailbox->lock);
  mailbox->ends = 1;
  pthread_cond_signal(&mailbox->changed);
  pthread_mutex_unlock(&mailbox->lock);
  pthread_join(mailbox->thread, NULL);
  device->driver->mailboxes->free(device->state, mailbox->slots);
  pthread_cond_destroy(&mailbox->changed);
  pthread_mutex_destroy(&mailbox->lock);
  pthread_mutex_destroy(&mailbox->caller.lock);
  free(mailbox);
}

void offloadrt_free_mailboxes(struct offloadrt_device *device, void *stream) {
  pthread_mutex_lock(&device->mailboxes.lock);
  for (struct offloadrt_mailbox **link = &device->mailboxes.first; *link;) {
    struct offloadrt_mailbox *mailbox = *link;
    if (stream && mailbox->stream != stream) {
      link = &mailbox->next;
      continue;
    }
    *link = mailbox->next;
    destroy(device, mailbox);
  }
  pthread_mutex_unlock(&device->mailboxes.lock);
}
