/* The error text of each thread, and warnings (error.c). */
#ifndef OFFLOADRT_ERROR_H
#define OFFLOADRT_ERROR_H

#pragma GCC visibility push(hidden)

/* Sets the error text of the calling thread and returns `status`. The text is truncated at the end of its buffer. */
int offloadrt_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line to standard error, once in a process: for facts that the user needs although the program goes on. */
void offloadrt_warn_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop
#endif
