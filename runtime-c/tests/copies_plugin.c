/* A shared object with a kernel and its own copy of the runtime. FACTOR makes its kernel differ from others. */
#include "copies_plugin.h"

#define TEXT_OF(value) #value
#define NAME_OF(value) "kernel" TEXT_OF(value)

OBJECT(NAME_OF(FACTOR), FACTOR);
