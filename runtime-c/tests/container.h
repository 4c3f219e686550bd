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

/* A key and its value. */
struct container_string {
  const char *key, *value;
};

/* Appends a string with its null. */
static inline size_t put_text(unsigned char *container, size_t at, const char *text) {
  memcpy(container + at, text, strlen(text) + 1);
  return at + strlen(text) + 1;
}

/* Appends a container with `bytes` bytes of `image`, and with these strings. */
static inline void add_image_with(struct containers *all, unsigned kind, const struct container_string *strings,
                                  size_t count, const void *image, size_t bytes) {
  enum { HEADER = 32, ENTRY = 40, STRING = 16 };
  size_t characters = HEADER + ENTRY + count * STRING, end = characters;
  for (size_t i = 0; i < count; i++)
    end += strlen(strings[i].key) + strlen(strings[i].value) + 2;
  size_t image_at = (end + 7) / 8 * 8, size = (image_at + bytes + 7) / 8 * 8;
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
  put(c + 48, count, 8);
  put(c + 56, image_at, 8);
  put(c + 64, bytes, 8);
  for (size_t i = 0, at = characters; i < count; i++) {
    put(c + HEADER + ENTRY + i * STRING, at, 8);
    at = put_text(c, at, strings[i].key);
    put(c + HEADER + ENTRY + i * STRING + 8, at, 8);
    at = put_text(c, at, strings[i].value);
  }
  memcpy(c + image_at, image, bytes);
}

/* The same with an image that requests a stack of the given size. */
static inline void add_image_with_stack(struct containers *all, unsigned kind, const char *triple, const char *arch,
                                        const void *image, size_t bytes, const char *stack) {
  const struct container_string strings[] = {{"triple", triple}, {"arch", arch}, {"stack", stack}};
  add_image_with(all, kind, strings, 3, image, bytes);
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
