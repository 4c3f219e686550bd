/* Strings of JSON (json.c). */
#ifndef OFFLOADRT_JSON_H
#define OFFLOADRT_JSON_H

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Writes a text in quotes. */
void offloadrt_write_string(FILE *out, const char *text);

/* Appends a text to the file at a path, in one call, because several processes may share the file. Returns 0 if it cannot,
 * with errno. */
int offloadrt_append(const char *path, const char *text, size_t bytes);

#pragma GCC visibility pop
#endif
