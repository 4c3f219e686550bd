/* An empty target region on libomptarget's host device, as clang compiles `#pragma omp target {}`. launch_time and the
 * crate's benchmark compare an empty launch on `cpu` with it. It is a shared object because both runtimes are in the
 * same process. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ident {
  int32_t reserved_1, flags, reserved_2, source_length;
  const char *source;
};
struct kernel_args {
  uint32_t version, argument_count;
  void **base_addresses, **addresses;
  int64_t *sizes, *types;
  void **names, **mappers;
  uint64_t trip_count, flags;
  uint32_t teams[3], thread_limit[3], dynamic_shared_bytes;
};
struct offload_entry {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  const void *address;
  const char *symbol_name;
  uint64_t size, data;
  void *auxiliary_address;
};
struct device_image {
  const void *begin, *end;
  const struct offload_entry *entries_begin, *entries_end;
};
struct bin_desc {
  int32_t image_count;
  const struct device_image *images;
  const struct offload_entry *entries_begin, *entries_end;
};
extern void __tgt_register_lib(const struct bin_desc *);
extern void __tgt_unregister_lib(const struct bin_desc *);
extern int32_t __tgt_target_kernel(struct ident *location, int64_t device, int32_t teams, int32_t thread_limit,
                                   const void *host_entry, struct kernel_args *arguments);

/* `nothing` of omptarget_image.c. */
__asm__(".section .rodata\n.balign 8\nimage_begin:\n.incbin \"" IMAGES "/omptarget_image.so\"\nimage_end:\n.previous\n");
extern const unsigned char image_begin[], image_end[];
static const char region;
static const struct offload_entry entry = {.version = 1, .kind = 1, .address = &region, .symbol_name = "nothing"};
static const struct device_image image = {image_begin, image_end, &entry, &entry + 1};
static const struct bin_desc library = {1, &image, &entry, &entry + 1};

__attribute__((constructor)) static void begin(void) { __tgt_register_lib(&library); }
__attribute__((destructor)) static void end(void) { __tgt_unregister_lib(&library); }

/* Runs the region `count` times, each time with new arguments, as compiled code does. Returns 0 if all runs succeed. */
__attribute__((visibility("default"))) int run_empty_targets(unsigned count) {
  static const char source[] = ";unknown;unknown;0;0;;";
  struct ident location = {.flags = 2, .source_length = sizeof source - 1, .source = source};
  int failed = 0;
  for (unsigned i = 0; i < count; i++) {
    struct kernel_args arguments = {.version = 3, .teams = {1, 1, 1}, .thread_limit = {1, 1, 1}};
    failed |= __tgt_target_kernel(&location, 0, 1, 1, &region, &arguments);
  }
  return failed;
}
