/* Images of the cpu driver: the code in the program itself, and shared objects that were made of a generic
 * image. A shared object refers only to functions of the C library and of the compiler's library, and never to the
 * runtime: struct offload_cpu_block has everything that it needs of the runtime. So nothing depends on how the runtime
 * is linked. */
#define _GNU_SOURCE /* memfd_create */
#include "cpu_image.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_level.h"

/* A loaded shared object. */
struct module {
  void *library;
  unsigned level;
  uint64_t kernel_count;
  uint32_t shared_bytes[]; /* of each kernel */
};

/* The module of the code in the program. */
static struct module linked;

/* Writes a path of an open file that no other call writes. The dynamic linker opens no second object with the same path,
 * and the number of a file is used again when the file is closed. So the path contains the number of the call: a binary
 * digit is `/` or `./`, which change nothing else. */
static void write_own_path(char *path, size_t capacity, int file) {
  static atomic_uint calls;
  size_t used = (size_t)snprintf(path, capacity, "/proc/self/fd/");
  for (unsigned number = atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); number; number >>= 1)
    used += (size_t)snprintf(path + used, capacity - used, number & 1 ? "./" : "/");
  snprintf(path + used, capacity - used, "%d", file);
}

/* Opens the shared object in a file that has no name in the file system. */
static void *open_library(const struct offloadrt_image *image) {
  size_t size = (size_t)(image->end - image->begin), written = 0;
  int file = memfd_create("offload image", MFD_CLOEXEC);
  if (file < 0)
    return NULL;
  while (written < size) {
    ssize_t count = write(file, image->begin + written, size - written);
    if (count <= 0 && errno != EINTR)
      break;
    written += count > 0 ? (size_t)count : 0;
  }
  char path[128];
  write_own_path(path, sizeof path, file);
  void *library = written == size ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  close(file);
  return library;
}

static int load_failed(const struct offloadrt_image *image, const char *reason) {
  return offloadrt_fail(OFFLOADRT_FAILED, "device `cpu` could not load the image for %s: %s", image->arch,
                        reason ? reason : "there is no memory for its file");
}

/* Division of 128-bit integers is in the compiler's library. A program in C may not have loaded it. */
static void *open_with_compilers_library(const struct offloadrt_image *image) {
  void *library = open_library(image);
  if (library)
    return library;
  dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
  return open_library(image); /* the error is that of the image */
}

/* Reads `0,2048`; returns how many numbers there are. */
static uint64_t read_numbers(const char *text, uint32_t *numbers) {
  uint64_t count = 0;
  char *end;
  for (; *text; text = *end == ',' ? end + 1 : end) {
    unsigned long number = strtoul(text, &end, 10);
    if (end == text)
      break;
    if (numbers)
      numbers[count] = (uint32_t)number;
    count++;
  }
  return count;
}

/* A program that is linked statically has no dynamic linker, and contains a copy of the C library. */
int offload_cpu_can_load(void) { return getauxval(AT_BASE) != 0; }

static int load(void *device, const struct offloadrt_image *image, void **loaded) {
  (void)device;
  if (image->kind == OFFLOADRT_IMAGE_NONE) {
    *loaded = &linked;
    return OFFLOADRT_SUCCESS;
  }
  uint64_t count = read_numbers(image->shared_bytes, NULL);
  struct module *module = calloc(1, sizeof *module + count * sizeof *module->shared_bytes);
  if (!module)
    return load_failed(image, NULL);
  module->kernel_count = read_numbers(image->shared_bytes, module->shared_bytes);
  module->level = offload_cpu_level_of_arch(image->arch);
  module->library = open_with_compilers_library(image);
  if (!module->library) {
    free(module);
    return load_failed(image, dlerror());
  }
  *loaded = module;
  return OFFLOADRT_SUCCESS;
}

static void unload(void *device, void *opaque) {
  struct module *module = opaque;
  (void)device;
  if (module == &linked)
    return;
  dlclose(module->library);
  free(module);
}

/* The code of a kernel. Its name contains the level; the hash of the object is 0, because the image belongs to one
 * object. */
static offload_cpu_entry find_entry(const struct module *module, const struct offload_kernel *kernel) {
  char name[2048], level[16] = "";
  if (module->level > 1)
    snprintf(level, sizeof level, "_v%u", module->level);
  int length = snprintf(name, sizeof name, "__offload_cpu%s.0000000000000000.%s", level, kernel->name);
  void *address = (size_t)length < sizeof name ? dlsym(module->library, name) : NULL;
  offload_cpu_entry entry;
  memcpy(&entry, &address, sizeof entry);
  return entry;
}

static int find(void *device, void *opaque, const struct offload_kernel *kernel, struct offloadrt_function *found) {
  const struct module *module = opaque;
  /* The image of a variant has one kernel. */
  uint64_t index = module->kernel_count == 1 ? 0 : offloadrt_index_of(kernel);
  struct offload_cpu_function *function = calloc(1, sizeof *function);
  (void)device;
  if (!function)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for kernel `%s`", offloadrt_kernel_name(kernel));
  function->entry = module == &linked ? offload_cpu_pick_entry(kernel) : find_entry(module, kernel);
  if (!function->entry || (module != &linked && index >= module->kernel_count)) {
    free(function);
    return offloadrt_fail(OFFLOADRT_FAILED, "device `cpu` finds no kernel `%s` in its image", offloadrt_kernel_name(kernel));
  }
  function->shared_bytes = module == &linked ? kernel->shared_bytes : module->shared_bytes[index];
  found->state = function;
  found->shared_bytes = function->shared_bytes;
  return OFFLOADRT_SUCCESS;
}

static void release(void *device, void *function) {
  (void)device;
  free(function);
}

const struct offloadrt_image_operations offload_cpu_images = {
    .is_linked = offload_cpu_has_entry, .load = load, .unload = unload, .find = find, .release = release};
