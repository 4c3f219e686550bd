/* Ranges of the calling thread, which the profilers of the vendors show (ranges.c). */
#ifndef OFFLOADRT_RANGES_H
#define OFFLOADRT_RANGES_H

#pragma GCC visibility push(hidden)

/* Looks for a profiler, once. The first device that is opened calls it. */
void offloadrt_open_ranges(void);

/* Begins and ends a range. The caller has seen that there is a profiler. */
void offloadrt_push_range(const char *name);
void offloadrt_pop_range(void);

#pragma GCC visibility pop
#endif
