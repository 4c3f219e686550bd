/* The log (OFFLOADRT_LOG) and the trace (OFFLOADRT_TRACE=FILE): the runtime's actions, and their times.
 *
 * The trace is a file in Chrome's trace event format, a JSON array with an event on each line, which Perfetto opens. Each
 * event is an object with the fields below, in this order. Times are in microseconds of CLOCK_MONOTONIC, which is the clock
 * of Rust's `Instant`, with three decimals.
 *
 *   ph    "X": a span, with `ts` and `dur`; "i": an instant, with `ts`; "M": the name of a track
 *   name, cat, pid, tid, ts, dur, args
 *
 * The tracks (`pid`, `tid`) are the threads of the host (the process and the thread in Linux), and the streams of devices.
 * The `pid` of a device is 4194304 * N above that of the process, where N counts the devices from 1; a `tid` there is 1 for
 * the default stream, and 2 and above for the others. "M" events named `process_name` and `thread_name` have the names of
 * the tracks in `args.name`: `cuda:0 (NVIDIA H200, sm_90)`, `default stream`, `stream 1`.
 *
 *   on a track of the host
 *   cat        name                args
 *   device     open                device, product, arch
 *   launch     launch KERNEL       device, stream, kernel, symbol, grid, block, shared_bytes
 *   copy       copy to device,     device, stream, direction, bytes
 *              copy to host, copy on device, fill
 *   wait       wait                device, stream: the host waits for a stream; -1: for all streams
 *   wait       wait for event      device
 *   memory     allocate, free      device, memory ("device", "pinned", "unified"), address; bytes of `allocate`
 *   load       load image          device, arch, bytes, kernel: the driver loads an image, and compiles it if it must
 *   compile    compile             arch, bytes: `offloadc finish` compiles the generic image or a variant
 *   host_call  host call           device, number: a function of the host runs, which a kernel has called
 *   panic      panic               kernel, message; an instant
 *
 *   on a track of a device
 *   kernel     KERNEL              device, stream, kernel, symbol, grid, block, shared_bytes
 *   copy       as above            device, stream, direction, bytes
 *   gap        host                device, stream: the stream had no work, because the host did something else
 *
 * `kernel` is the path of the kernel in its crate, and `symbol` its name in the object. `grid` and `block` are arrays of
 * three numbers. `stream` is 0 for the default stream. `direction` is "to_device", "to_host", "on_device" or "fill". A
 * span of an operation that failed has `error`, the text of the error. */
#ifndef OFFLOADRT_TRACE_H
#define OFFLOADRT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Writes a line to standard error if OFFLOADRT_LOG=1 is in the environment: `offloadrt: 12.345 ms: TEXT`, with the time
 * since the first line. */
void offloadrt_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
int offloadrt_is_logging(void);

/* The observers of calls and of work: the file of the trace, and a profiler that shows ranges (ranges.h). */
enum { OFFLOADRT_TRACE_FILE = 1, OFFLOADRT_RANGES = 2 };
extern int offloadrt_observers;
static inline int offloadrt_observed_by(int observers) {
  return __builtin_expect(__atomic_load_n(&offloadrt_observers, __ATOMIC_RELAXED) & observers, 0);
}
static inline int offloadrt_is_tracing(void) { return offloadrt_observed_by(OFFLOADRT_TRACE_FILE); }
void offloadrt_observe(int observer);

/* The time in nanoseconds. */
int64_t offloadrt_clock(void);

/* Opens the file of the trace, if there shall be one. The first device that is opened calls it. */
int offloadrt_open_trace(void);

/* Events. The first function takes the lock of the file, and returns 0 if there is no trace any more. The functions after
 * it append to the event, and the last one ends it and releases the lock; between them, offloadrt_next_event() ends one
 * event and begins another. If `is_last` is 0, the caller writes a further event before it returns to the program. A
 * negative `duration` is that of an instant. */
int offloadrt_begin_event(void);
void offloadrt_next_event(void);
void offloadrt_add(const char *format, ...) __attribute__((format(printf, 1, 2)));
void offloadrt_add_text(const char *text); /* as a string of JSON */
void offloadrt_add_track(long pid, long tid);
void offloadrt_add_times(int64_t begin, int64_t duration);
void offloadrt_end_event(int is_last);

/* The number of the process, and how many files it has written with its parents. The caller has begun an event. */
long offloadrt_traced_process(void);
unsigned offloadrt_trace_generation(void);

#pragma GCC visibility pop
#endif
