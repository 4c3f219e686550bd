/* A shared object as `offloadc finish` makes it for the cpu device: the entries of three kernels. */
#include "../offloadrt.h"

#ifndef LEVEL
#define LEVEL ""
#endif
#define ENTRY(kernel) __asm__("__offload_cpu" LEVEL ".0000000000000000." kernel) __attribute__((visibility("default")))

void count(const struct offload_cpu_block *block, const unsigned char *arguments) ENTRY("count");
void measure(const struct offload_cpu_block *block, const unsigned char *arguments) ENTRY("measure");
void vary(const struct offload_cpu_block *block, const unsigned char *arguments) ENTRY("vary");

/* A static, of which each image has its own copy. */
static uint32_t counted;

/* Stores the number of earlier launches, and a mark that only this image has. */
void count(const struct offload_cpu_block *block, const unsigned char *arguments) {
  uint32_t *to = *(uint32_t *const *)(const void *)arguments;
  (void)block;
  to[0] = counted++;
  to[1] = 7;
}

/* Stores the distance between the two parts of workgroup memory, and the remainder of a division that needs a function of
 * the compiler's library. */
void measure(const struct offload_cpu_block *block, const unsigned char *arguments) {
  uint32_t *to = *(uint32_t *const *)(const void *)arguments;
  volatile unsigned __int128 number = ((unsigned __int128)1 << 100) + 5, divisor = ((unsigned __int128)1 << 70) + 1;
  to[0] = (uint32_t)(block->dynamic_shared - block->shared);
  to[1] = (uint32_t)(number / divisor);
}

/* The same distance, and a mark. */
void vary(const struct offload_cpu_block *block, const unsigned char *arguments) {
  uint32_t *to = *(uint32_t *const *)(const void *)arguments;
  to[0] = (uint32_t)(block->dynamic_shared - block->shared);
  to[1] = 9;
}
