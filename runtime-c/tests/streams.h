/* Tests of memory and events that every device must pass. The test of each driver includes this file. */
#ifndef OFFLOADRT_TESTS_STREAMS_H
#define OFFLOADRT_TESTS_STREAMS_H

#include "check.h"

enum { WORDS = 10000 };

static inline void check_words(const uint32_t *words, uint32_t value) {
  for (size_t i = 0; i < WORDS; i++)
    CHECK(words[i] == value);
}

/* Fills memory, copies it on the device and to pinned memory, and waits only at the end. */
static inline void check_submitted_copies(offloadrt_device *device, offloadrt_stream *stream) {
  void *host, *a, *b;
  size_t bytes = WORDS * sizeof(uint32_t);
  CHECK(offloadrt_allocate_host(device, bytes, &host) == 0 && host);
  CHECK(offloadrt_allocate(device, bytes, &a) == 0 && offloadrt_allocate(device, bytes, &b) == 0);
  CHECK(offloadrt_submit_fill(device, stream, a, 0x5a, bytes) == 0);
  CHECK(offloadrt_submit_copy(device, stream, b, a, bytes) == 0);
  CHECK(offloadrt_submit_copy_to_host(device, stream, host, b, bytes) == 0);
  CHECK(offloadrt_synchronize(device, stream) == 0);
  check_words(host, 0x5a5a5a5a);
  for (size_t i = 0; i < WORDS; i++)
    ((uint32_t *)host)[i] = 77;
  CHECK(offloadrt_submit_copy_to_device(device, stream, a, host, bytes) == 0);
  CHECK(offloadrt_synchronize(device, stream) == 0);
  memset(host, 0, bytes);
  CHECK(offloadrt_copy_to_host(device, stream, host, a, bytes) == 0);
  check_words(host, 77);
  CHECK(offloadrt_submit_fill(device, stream, NULL, 0, 1) == OFFLOADRT_INVALID);
  CHECK(offloadrt_submit_copy(device, stream, NULL, NULL, 0) == 0);
  CHECK(offloadrt_free_host(device, host) == 0 && offloadrt_free_host(device, NULL) == 0);
  CHECK(offloadrt_free(device, a) == 0 && offloadrt_free(device, b) == 0);
}

static inline void check_unrecorded_event(offloadrt_event *event, offloadrt_event *recorded) {
  int over = 0;
  int64_t took;
  CHECK(offloadrt_event_query(event, &over) == 0 && over == 1);
  CHECK(offloadrt_event_synchronize(event) == 0 && offloadrt_stream_wait(NULL, event) == 0);
  CHECK(offloadrt_event_elapsed(recorded, event, &took) == OFFLOADRT_INVALID);
  CHECK(strstr(offloadrt_error_text(), "that was never recorded has no time"));
}

/* The work of one stream waits for that of another, and the time between events is measured. */
static inline void check_events(offloadrt_device *device) {
  offloadrt_stream *streams[2];
  offloadrt_event *events[2];
  void *memory;
  size_t bytes = WORDS * sizeof(uint32_t);
  uint32_t *seen = malloc(bytes);
  int64_t took = -1, back = 1;
  int over = 0;
  for (int i = 0; i < 2; i++)
    CHECK(offloadrt_stream_create(device, &streams[i]) == 0 && offloadrt_event_create(device, &events[i]) == 0);
  CHECK(seen && offloadrt_allocate(device, bytes, &memory) == 0);
  CHECK(offloadrt_event_record(events[0], streams[0]) == 0);
  check_unrecorded_event(events[1], events[0]);
  for (int i = 0; i < 100; i++)
    CHECK(offloadrt_submit_fill(device, streams[0], memory, (unsigned char)i, bytes) == 0);
  CHECK(offloadrt_event_record(events[1], streams[0]) == 0);
  CHECK(offloadrt_stream_wait(streams[1], events[1]) == 0);
  CHECK(offloadrt_copy_to_host(device, streams[1], seen, memory, bytes) == 0);
  check_words(seen, 0x63636363);
  CHECK(offloadrt_event_synchronize(events[1]) == 0);
  CHECK(offloadrt_event_query(events[1], &over) == 0 && over == 1);
  CHECK(offloadrt_event_elapsed(events[0], events[1], &took) == 0 && took > 0 && took < INT64_C(60000000000));
  CHECK(offloadrt_event_elapsed(events[1], events[0], &back) == 0 && back == -took);
  /* Recording an event again moves it. */
  CHECK(offloadrt_event_record(events[0], NULL) == 0);
  CHECK(offloadrt_event_elapsed(events[0], events[1], &took) == 0 && took <= 0);
  for (int i = 0; i < 2; i++)
    CHECK(offloadrt_event_destroy(events[i]) == 0 && offloadrt_stream_destroy(streams[i]) == 0);
  CHECK(offloadrt_event_destroy(NULL) == 0 && offloadrt_free(device, memory) == 0);
  free(seen);
}

static inline void check_event_of_another_device(offloadrt_device *device) {
  offloadrt_device *other;
  offloadrt_event *mine, *its;
  offloadrt_stream *stream;
  int64_t took;
  CHECK(offloadrt_device_open(offloadrt_device_name(device), &other) == 0);
  CHECK(offloadrt_event_create(device, &mine) == 0 && offloadrt_event_create(other, &its) == 0);
  CHECK(offloadrt_stream_create(other, &stream) == 0);
  CHECK(offloadrt_event_record(mine, stream) == OFFLOADRT_INVALID && offloadrt_stream_wait(stream, mine) == OFFLOADRT_INVALID);
  CHECK(offloadrt_event_elapsed(mine, its, &took) == OFFLOADRT_INVALID);
  CHECK(offloadrt_event_record(NULL, stream) == OFFLOADRT_INVALID);
  CHECK(offloadrt_event_destroy(mine) == 0 && offloadrt_event_destroy(its) == 0);
  CHECK(offloadrt_stream_destroy(stream) == 0 && offloadrt_device_close(other) == 0);
}

/* A queue of the program's own as a stream, which outlives the stream. */
static inline void check_handles(offloadrt_device *device) {
  offloadrt_stream *created, *adopted;
  void *handle = NULL, *again = NULL, *context = NULL;
  CHECK(offloadrt_stream_create(device, &created) == 0);
  if (offloadrt_stream_handle(device, created, &handle)) {
    CHECK(strstr(offloadrt_error_text(), "has no handles of a vendor's library"));
    CHECK(offloadrt_stream_adopt(device, device, &adopted) == OFFLOADRT_UNSUPPORTED);
    CHECK(offloadrt_device_context(device, &context) == OFFLOADRT_UNSUPPORTED);
    CHECK(offloadrt_stream_destroy(created) == 0);
    return;
  }
  CHECK(handle && offloadrt_stream_handle(device, NULL, &again) == 0 && again != handle);
  CHECK(offloadrt_stream_adopt(device, handle, &adopted) == 0 && adopted != created);
  CHECK(offloadrt_stream_handle(device, adopted, &again) == 0 && again == handle);
  check_submitted_copies(device, adopted);
  CHECK(offloadrt_stream_destroy(adopted) == 0);
  check_submitted_copies(device, created);
  CHECK(offloadrt_stream_destroy(created) == 0);
  int status = offloadrt_device_context(device, &context);
  CHECK(context ? status == 0 : status == OFFLOADRT_UNSUPPORTED && strncmp(offloadrt_device_name(device), "hip:", 4) == 0);
  CHECK(offloadrt_stream_adopt(device, NULL, &adopted) == OFFLOADRT_INVALID && !adopted);
  CHECK(strstr(offloadrt_error_text(), "use the default stream of"));
  CHECK(offloadrt_stream_handle(device, NULL, NULL) == OFFLOADRT_INVALID);
}

/* Runs all checks of this file. */
static inline void check_streams(offloadrt_device *device) {
  offloadrt_stream *stream;
  CHECK(offloadrt_stream_create(device, &stream) == 0);
  check_submitted_copies(device, stream);
  check_submitted_copies(device, NULL);
  CHECK(offloadrt_stream_destroy(stream) == 0);
  check_events(device);
  check_event_of_another_device(device);
  check_handles(device);
}

#endif
