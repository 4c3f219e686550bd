/* More threads than a mailbox has slots call the host through the device's side of the protocol (mailbox.ll), which is
 * compiled for this processor. The host's side is this program: it answers nothing until all slots are in use, so that
 * the other threads have to wait for a slot. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "offloadrt.h"

enum { THREADS = OFFLOAD_MAILBOX_SLOTS + 40, CALLS = 4, CALL_BYTES = 24 };

static struct offload_launch_state state;
static struct offload_host_call slots[OFFLOAD_MAILBOX_SLOTS];
static uint32_t served[THREADS][CALLS];
static uint32_t wrong_results;

/* The compiled code. */
void *__offload_launch_state(void) { return &state; }
void k(uint64_t *result, const uint64_t *arguments);

/* The result depends on all words of the arguments, and the arguments on each other. */
static void *call(void *opaque) {
  uint64_t thread = (uint64_t)(uintptr_t)opaque;
  /* The host's side is one thread, and has to be faster than those that only wait. */
  (void)setpriority(PRIO_PROCESS, 0, 19);
  for (uint64_t i = 0; i < CALLS; i++) {
    uint64_t arguments[3] = {thread, i, thread * 1000 + i}, result = 0;
    k(&result, arguments);
    if (result != thread * 7 + i)
      __atomic_fetch_add(&wrong_results, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static int is_full(void) {
  for (int i = 0; i < 4; i++)
    if (__atomic_load_n(&state.claims[i], __ATOMIC_RELAXED) != UINT32_MAX)
      return 0;
  return 1;
}

/* Answers one slot. Returns whether it had a call. */
static int serve(struct offload_host_call *slot) {
  uint32_t request = __atomic_load_n(&slot->request, __ATOMIC_ACQUIRE);
  if (request == slot->answer)
    return 0;
  uint64_t words[3];
  memcpy(words, slot->bytes, sizeof words);
  if (slot->number != 3 || slot->argument_bytes != CALL_BYTES || slot->result_bytes != 8 || words[0] >= THREADS ||
      words[1] >= CALLS || words[2] != words[0] * 1000 + words[1])
    wrong_results++;
  else
    served[words[0]][words[1]]++;
  uint64_t result = words[0] * 7 + words[1];
  memcpy(slot->bytes, &result, sizeof result);
  slot->status = OFFLOAD_HOST_CALL_DONE;
  __atomic_store_n(&slot->answer, request, __ATOMIC_RELEASE);
  return 1;
}

int main(void) {
  state.mailbox = slots;
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, call, (void *)i))
      return puts("no thread"), 1;
  /* A ticket for each thread, and one more for threads that have found their slot in use. */
  while (!is_full() || __atomic_load_n(&state.tickets, __ATOMIC_RELAXED) <= THREADS)
    sched_yield();
  for (int calls = 0; calls < THREADS * CALLS;) {
    int found = 0;
    for (int i = 0; i < OFFLOAD_MAILBOX_SLOTS; i++)
      found += serve(&slots[i]);
    calls += found;
    if (!found)
      sched_yield();
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    for (int j = 0; j < CALLS; j++)
      if (served[i][j] != 1)
        return printf("call %d of thread %d was made %u times\n", j, i, served[i][j]), 1;
  for (int i = 0; i < 4; i++)
    if (state.claims[i])
      return puts("a slot is still in use"), 1;
  if (wrong_results)
    printf("%u results or arguments are wrong\n", wrong_results);
  return wrong_results != 0;
}
