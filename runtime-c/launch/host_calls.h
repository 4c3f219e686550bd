/* Calls of the host's functions by kernels. */
#ifndef OFFLOADRT_HOST_CALLS_H
#define OFFLOADRT_HOST_CALLS_H

#include <pthread.h>

#include "../driver.h"

#pragma GCC visibility push(hidden)

struct offloadrt_device;

enum { OFFLOADRT_HOST_PANIC_CAPACITY = 1024 };

/* The device whose kernels call, and the message of the first panic in a function that they called. */
struct offloadrt_host_caller {
  const struct offloadrt_device *device;
  pthread_mutex_t lock; /* of the message */
  char panic[OFFLOADRT_HOST_PANIC_CAPACITY];
};

/* A launch that runs in this process: the state that its kernel gets, and the state of its calls of the host. */
struct offloadrt_waiting_launch {
  struct offload_launch_state state;
  struct offloadrt_host_caller caller;
};

/* The mailboxes of a device. */
struct offloadrt_mailboxes {
  pthread_mutex_t lock;
  struct offloadrt_mailbox *first;
  uint64_t launch_count; /* the launches of kernels that call the host */
};

/* Fails if the kernel calls the host, and its object has no functions for it. */
int offloadrt_check_calls(const struct offload_kernel *kernel);

/* Fails if the calling thread runs a function that a kernel on this device has called: the kernel waits for the function,
 * and a call of the device may wait for the kernel. */
int offloadrt_check_caller(const struct offloadrt_device *device);

/* The same for a device that is being opened: one with this name of a driver. */
int offloadrt_check_name(const struct offloadrt_driver *driver, const char *name);

/* Prepares a launch that runs in this process, and ends it. */
void offloadrt_begin_calls(struct offloadrt_waiting_launch *launch, const struct offloadrt_device *device);
void offloadrt_end_calls(struct offloadrt_waiting_launch *launch);

/* Finds or creates the mailbox of a stream, and its thread. */
int offloadrt_find_mailbox(struct offloadrt_device *device, void *stream, struct offload_host_call **slots);

/* Lets the thread of the stream's mailbox look for calls, until a wait for this launch is over. */
void offloadrt_serve_launch(struct offloadrt_device *device, void *stream);

/* The number of launches before a wait; and the end of a successful wait for `stream` (null: for all streams), before
 * which there were `count` launches. */
uint64_t offloadrt_begin_wait(struct offloadrt_device *device);
void offloadrt_end_wait(struct offloadrt_device *device, void *stream, uint64_t count);

/* Moves the message of the first panic in a function of the host, called from a stream (null: from any), to `text`. */
void offloadrt_take_host_panic(struct offloadrt_device *device, void *stream, int any,
                               char text[OFFLOADRT_HOST_PANIC_CAPACITY]);

/* Ends the threads of a stream's mailboxes (null: of all streams), and frees the mailboxes. The caller has waited. */
void offloadrt_free_mailboxes(struct offloadrt_device *device, void *stream);

#pragma GCC visibility pop
#endif
