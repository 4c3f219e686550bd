/* Host code as a compiler writes it: comdat groups, unwind tables, constructors, and handles that another object
 * defines. Compiled with HASH, the name of its entry point ENTRY, and two kernel names, LEFT and RIGHT. */
#include <cstdio>
#include <cstring>

#include "offloadrt.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define HANDLE(kernel) __asm__("__offload_handle." TEXT(HASH) "." TEXT(kernel)) __attribute__((visibility("hidden")))

extern "C" {
extern const char left_handle HANDLE(LEFT);
extern const char right_handle HANDLE(RIGHT);
void ENTRY(void);
/* It has no caller, so `--gc-sections` must drop it. */
void dropped(void) __asm__("dropped_by_collection." TEXT(ENTRY));
void dropped(void) { std::puts("dropped"); }
}

/* In a comdat group of each object. */
template <class T> __attribute__((noinline)) T checked(T value) {
  if (value == 0)
    throw value;
  return value;
}

namespace {
struct Constructed {
  Constructed() { std::printf("%s: own constructor\n", TEXT(ENTRY)); }
} constructed;
}

/* The data of a handle, read from inside: name, sizes, cpu code, images. */
static void tell(const char *handle) {
  const struct offload_kernel *kernel = (const struct offload_kernel *)handle;
  const struct offload_descriptor *object = kernel->descriptor;
  std::printf("%s: %s %u parameters, last at %u, %u bytes, %u shared; image bytes: ", TEXT(ENTRY), kernel->name,
              kernel->parameter_count, kernel->parameters[kernel->parameter_count - 1].offset, kernel->argument_bytes,
              kernel->shared_bytes);
  std::printf("%s\n", object->images_begin && std::memcmp(object->images_begin, "\x10\xff\x10\xad", 4) == 0 &&
                              (object->images_end - object->images_begin) % 8 == 0
                          ? "good"
                          : "bad");
  if (kernel->cpu_entry)
    kernel->cpu_entry(nullptr, (const unsigned char *)TEXT(ENTRY));
}

void ENTRY(void) {
  try {
    checked(0);
  } catch (int) {
    std::printf("%s: caught\n", TEXT(ENTRY));
  }
  tell(&left_handle);
  tell(&right_handle);
  std::printf("%s: %s\n", TEXT(ENTRY), &left_handle == &right_handle ? "one handle" : "two handles");
}
