/* Which files are executed or believed (own.c). The linker plugin has the same functions. */
#ifndef OFFLOADRT_FINISH_OWN_H
#define OFFLOADRT_FINISH_OWN_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Opens a regular file that others than this process's user and root cannot change, nor can they replace it or a folder
 * above it. A link is not followed, unless it is a folder. The result is -1 if there is no such file; `reason` is "" if
 * there is none at all. A file that is created has the mode 0644. */
int offloadrt_open_own(const char *path, int flags, char *reason, size_t capacity);

/* Whether others can neither change this folder nor one above it. */
int offloadrt_is_own_folder(const char *folder, char *reason, size_t capacity);

#pragma GCC visibility pop
#endif
