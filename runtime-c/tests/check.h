/* The common part of the C tests: a check that prints its location, kernels written by hand in the form that the
 * compiler writes, and launches with a given shape. */
#ifndef OFFLOADRT_TESTS_CHECK_H
#define OFFLOADRT_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offloadrt.h"

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: failed: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, \
              offloadrt_error_text());                                                           \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

#define CHECK_TEXT(wanted)                                                                                   \
  do {                                                                                                       \
    if (strcmp(offloadrt_error_text(), wanted) != 0) {                                                       \
      fprintf(stderr, "%s:%d: error text\n     is: %s\n  wanted: %s\n", __FILE__, __LINE__,               \
              offloadrt_error_text(), wanted);                                                               \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

#define RUN(test)                                \
  do {                                           \
    test();                                      \
    printf("ok %s: %s\n", __FILE__, #test); \
  } while (0)

/* A handle with the parameter table `rows`. Fields that are not given are 0. */
#define KERNEL(kernel_name, rows, bytes, ...)                                                                  \
  {                                                                                                            \
    .size = sizeof(struct offload_kernel), .version = OFFLOAD_KERNEL_VERSION, .name = kernel_name,             \
    .parameters = rows, .parameter_count = sizeof(rows) / sizeof(*(rows)), .argument_bytes = bytes,            \
    .argument_align = 8, __VA_ARGS__                                                                           \
  }

#define DESCRIPTOR(table, ...)                                                                          \
  {                                                                                                     \
    .size = sizeof(struct offload_descriptor), .version = OFFLOAD_DESCRIPTOR_VERSION, .kernels = table, \
    .kernel_count = sizeof(table) / sizeof(*(table)), __VA_ARGS__                                       \
  }

static inline offloadrt_launch_config shape(uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                                            uint32_t bz) {
  offloadrt_launch_config config = {
      .size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {gx, gy, gz}, .block = {bx, by, bz}};
  return config;
}

#define ARGUMENT(variable) {&(variable), sizeof(variable)}

/* A table of texts for panics: one place, `src/lib.rs:23:9`, one message, `no OPERAND here`, and no kernels. */
#define PANIC_TEXTS(name) \
  static const struct { \
    struct offload_panic_texts texts; \
    struct offload_panic_place place; \
    uint32_t message; \
    char file[12], words[12]; \
  } name = {{56, 1, 1, 0}, {32, 23, 9}, 44, "src/lib.rs", "no \1 here"}

#endif
