/* Constants that a program sets before its first launch: the functions of late.c for the other files of the core. */
#ifndef OFFLOADRT_LATE_H
#define OFFLOADRT_LATE_H

#include "../device.h"

#pragma GCC visibility push(hidden)

/* Why a launch may leave values in memory that another image of the same object cannot use; null if it cannot. A heap
 * that is kept is another reason. Constants that have their values in the code are no statics that kernels write. */
const char *offloadrt_tie(const struct offload_descriptor *descriptor, const struct offloadrt_image *generic);

/* Returns other words (null: none) and those for the constants of an object, up to a null, in memory that the caller frees;
 * null if there is no memory. The words themselves remain while the object is registered. From now on, no constant of the
 * object can be set. */
const char **offloadrt_late_words(const struct offload_descriptor *descriptor, const char *const *others);

/* Hold the lock of this file while the process is forked. */
void offloadrt_lock_constants(void);
void offloadrt_unlock_constants(void);

#pragma GCC visibility pop
#endif
