/* Writes an image into an OffloadBinary container, as the compiler does. LLVM's own tool has no names for SPIR-V and
 * PTX. */
#ifndef OFFLOADRT_TESTS_CONTAINER_H
#define OFFLOADRT_TESTS_CONTAINER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Consecutive containers. */
struct containers {
  unsigned char *begin;
  size_t size;
};

static inline void put(unsigned char *at, uint64_t value, size_t bytes) { memcpy(at, &value, bytes); }

/* Appends a container with `bytes` bytes of `image`, which requests a stack of the given size. */
static inline void add_image_with_stack(struct containers *all, unsigned kind, const char *triple, const char *arch,
                                        const void *image, size_t bytes, const char *stack) {
  enum { HEADER = 32, ENTRY = 40, STRINGS = 3 * 16, CHARACTERS = HEADER + ENTRY + STRINGS };
  size_t triple_at = CHARACTERS + 7 + 5 + 6, arch_at = triple_at + strlen(triple) + 1;
  size_t stack_at = arch_at + strlen(arch) + 1;
  size_t image_at = (stack_at + strlen(stack) + 1 + 7) / 8 * 8, size = (image_at + bytes + 7) / 8 * 8;
  all->begin = realloc(all->begin, all->size + size);
  unsigned char *c = all->begin + all->size;
  memset(c, 0, size);
  all->size += size;
  memcpy(c, "\x10\xff\x10\xad\x01", 5);
  put(c + 8, size, 8);
  put(c + 16, HEADER, 8);
  put(c + 24, ENTRY, 8);
  put(c + 32, kind, 2);
  put(c + 40, HEADER + ENTRY, 8);
  put(c + 48, 3, 8);
  put(c + 56, image_at, 8);
  put(c + 64, bytes, 8);
  put(c + 72, CHARACTERS, 8);
  put(c + 80, triple_at, 8);
  put(c + 88, CHARACTERS + 7, 8);
  put(c + 96, arch_at, 8);
  put(c + 104, CHARACTERS + 12, 8);
  put(c + 112, stack_at, 8);
  memcpy(c + CHARACTERS, "triple\0arch\0stack", 18);
  memcpy(c + stack_at, stack, strlen(stack));
  memcpy(c + triple_at, triple, strlen(triple));
  memcpy(c + arch_at, arch, strlen(arch));
  memcpy(c + image_at, image, bytes);
}

static inline void add_image(struct containers *all, unsigned kind, const char *triple, const char *arch,
                             const void *image, size_t bytes) {
  add_image_with_stack(all, kind, triple, arch, image, bytes, "0");
}

/* The same with the bytes of a file; returns 0 if there is no such file. */
static inline int add_file(struct containers *all, unsigned kind, const char *triple, const char *arch, const char *path) {
  static unsigned char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  size_t size = fread(bytes, 1, sizeof bytes, file);
  add_image(all, kind, triple, arch, bytes, size);
  return fclose(file) == 0;
}

#endif
