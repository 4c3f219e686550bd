/* Kernels with a parameter of each class of AArch64's procedure call standard, and their launches. Each kernel stores
 * its parameter, and the host compares the bytes with those that it has passed. */
#include "offloadrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned char a[3]; } three_bytes;
typedef struct { unsigned a; unsigned char b; } padded_word;
typedef struct { float a; unsigned b; } mixed_word;
typedef struct { unsigned a[3]; } word_and_half;
typedef struct { unsigned long a; unsigned char b; } padded_words;
typedef struct { unsigned long a, b; } two_words;
typedef struct { void *a; unsigned long b; } slice;
typedef struct { _Alignas(16) unsigned long a; unsigned long b; } aligned_words;
typedef struct { unsigned __int128 a; } wide_struct;
typedef struct { float a; } one_float;
typedef struct { float a[3]; } three_floats;
typedef struct { double a[4]; } four_doubles;
typedef float vector __attribute__((vector_size(16)));
typedef struct { vector a, b; } two_vectors;
typedef unsigned __int128 wide;
typedef unsigned char byte;
typedef unsigned short half_word;
typedef unsigned long word;
typedef _Bool truth;

/* A kernel with other parameters on both sides, so that offsets and registers count. */
#define EACH(DO) \
  DO(three_bytes) DO(padded_word) DO(mixed_word) DO(word_and_half) DO(padded_words) DO(two_words) DO(slice) \
  DO(aligned_words) DO(wide_struct) DO(one_float) DO(three_floats) DO(four_doubles) DO(vector) DO(two_vectors) \
  DO(wide) DO(byte) DO(half_word) DO(word) DO(truth) DO(float) DO(double)

#define KERNEL(type) \
  void store_##type(byte before, type value, unsigned after, type *out, unsigned *around) { \
    *out = value; \
    around[0] = before; \
    around[1] = after; \
  }
EACH(KERNEL)

/* More parameters than there are registers. */
void store_many(two_words a, two_words b, two_words c, two_words d, three_floats e, four_doubles f, four_doubles g,
                three_bytes h, byte i, padded_words *out) {
  out->a = a.a + 2 * b.b + 3 * c.a + 4 * d.b + 5 * (word)e.a[2] + 6 * (word)f.a[3] + 7 * (word)g.a[0] +
           8 * (word)h.a[1];
  out->b = i;
}

#define CONFIG \
  {.size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {1, 1, 1}, .block = {1, 1, 1}}

static offloadrt_device *device;

static void check(int status, const char *what) {
  if (status == OFFLOADRT_SUCCESS)
    return;
  printf("%s: %s\n", what, offloadrt_error_text());
  exit(1);
}

static void launch(const char *name, const offloadrt_argument *arguments, size_t count) {
  offloadrt_launch_config config = CONFIG;
  check(offloadrt_launch(device, NULL, offloadrt_find_kernel(name), &config, arguments, count), name);
  check(offloadrt_synchronize(device, NULL), name);
}

/* Fills a value with bytes that its type can have. */
static void fill(unsigned char *bytes, size_t size, size_t of) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(of * 16 + i + 1) & 0x3f;
}

/* Compares the bytes of the fields; `used` is their end. */
#define CHECK(type) \
  { \
    type value, *out; \
    unsigned after = 77, *around; \
    byte before = 5; \
    fill((unsigned char *)&value, sizeof value, 3); \
    if (sizeof value == 1) \
      memset(&value, 1, 1); \
    check(offloadrt_allocate_unified(device, sizeof value, (void **)&out), "memory"); \
    check(offloadrt_allocate_unified(device, 2 * sizeof *around, (void **)&around), "memory"); \
    offloadrt_argument arguments[] = {{&before, sizeof before}, {&value, sizeof value}, {&after, sizeof after}, \
                                      {&out, sizeof out}, {&around, sizeof around}}; \
    launch("store_" #type, arguments, 5); \
    int same = strcmp(#type, "padded_word") && strcmp(#type, "padded_words") \
                   ? !memcmp(out, &value, sizeof value) \
                   : !memcmp(out, &value, sizeof value / 2 + 1); \
    printf("%s: %s\n", #type, same && around[0] == before && around[1] == after ? "same" : "different"); \
  }

int main(void) {
  check(offloadrt_device_open("cpu", &device), "device");
  EACH(CHECK)
  two_words a = {1, 2}, b = {3, 4}, c = {5, 6}, d = {7, 8};
  three_floats e = {{9, 10, 11}};
  four_doubles f = {{12, 13, 14, 15}}, g = {{16, 17, 18, 19}};
  three_bytes h = {{20, 21, 22}};
  byte i = 23;
  padded_words *out;
  check(offloadrt_allocate_unified(device, sizeof *out, (void **)&out), "memory");
#define ARGUMENT(value) {&value, sizeof value}
  offloadrt_argument arguments[] = {ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e),
                                    ARGUMENT(f), ARGUMENT(g), ARGUMENT(h), ARGUMENT(i), ARGUMENT(out)};
  launch("store_many", arguments, 10);
  printf("many: %lu %u\n", out->a, out->b);
  /* A value of another size is refused, also if it has fewer words. */
  offloadrt_argument wrong[] = {ARGUMENT(i), ARGUMENT(a), {&c, 4}, ARGUMENT(out), ARGUMENT(out)};
  offloadrt_launch_config config = CONFIG;
  wrong[1].size = 8;
  (void)offloadrt_launch(device, NULL, offloadrt_find_kernel("store_padded_words"), &config, wrong, 5);
  printf("%s\n", offloadrt_error_text());
  return 0;
}
