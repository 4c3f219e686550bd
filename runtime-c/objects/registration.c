/* The list of registered objects. Constructors add their descriptors, and kernels are looked up in it. The functions
 * call no driver and allocate nothing, so that they can be called before main() and in dlopen(). */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "../driver.h"

/* The compiler writes the first structures byte by byte, and the crate has copies of the last three. A change of a
 * structure raises its version. tests/compiler/abi.rs compares the structures with those of the compiler and of the
 * crate. */
#define AT(structure, field, where) \
  _Static_assert(offsetof(struct structure, field) == (where), "offset of " #structure "." #field)
#define SIZE(structure, bytes) _Static_assert(sizeof(struct structure) == (bytes), "size of " #structure)

SIZE(offload_parameter, 16);
AT(offload_parameter, offset, 0);
AT(offload_parameter, size, 4);
AT(offload_parameter, align, 8);
AT(offload_parameter, kind, 12);

SIZE(offload_extent, 16);
AT(offload_extent, bytes, 0);
AT(offload_extent, directions, 8);
AT(offload_extent, reserved, 12);

SIZE(offload_scalar, 16);
AT(offload_scalar, offset, 0);
AT(offload_scalar, size, 4);
AT(offload_scalar, flags, 8);
AT(offload_scalar, reserved, 12);

SIZE(offload_panic, 64);
AT(offload_panic, claimed, 0);
AT(offload_panic, message, 4);
AT(offload_panic, place, 8);
AT(offload_panic, reserved, 12);
AT(offload_panic, operands, 16);
AT(offload_panic, block, 40);
AT(offload_panic, thread, 52);

SIZE(offload_launch_state, 128);
AT(offload_launch_state, panic, 0);
AT(offload_launch_state, heap, 64);
AT(offload_launch_state, heap_units, 72);
AT(offload_launch_state, heap_used, 76);
AT(offload_launch_state, mailbox, 80);
AT(offload_launch_state, object, 88);
AT(offload_launch_state, claims, 96);
AT(offload_launch_state, tickets, 112);
AT(offload_launch_state, reserved, 116);
AT(offload_launch_state, call_host, 120);

SIZE(offload_host_call, 1024);
AT(offload_host_call, request, 0);
AT(offload_host_call, argument_bytes, 4);
AT(offload_host_call, number, 8);
AT(offload_host_call, object, 16);
AT(offload_host_call, result_bytes, 24);
AT(offload_host_call, reserved, 28);
AT(offload_host_call, answer, 64);
AT(offload_host_call, status, 68);
AT(offload_host_call, padding, 72);
AT(offload_host_call, bytes, 128);

SIZE(offload_kernel, 64);
AT(offload_kernel, size, 0);
AT(offload_kernel, version, 4);
AT(offload_kernel, name, 8);
AT(offload_kernel, parameters, 16);
AT(offload_kernel, parameter_count, 24);
AT(offload_kernel, argument_bytes, 28);
AT(offload_kernel, argument_align, 32);
AT(offload_kernel, shared_bytes, 36);
AT(offload_kernel, cpu_entry, 40);
AT(offload_kernel, descriptor, 48);
AT(offload_kernel, flags, 56);
AT(offload_kernel, threads_per_block, 60);

SIZE(offload_kernel_levels, 88);
AT(offload_kernel_levels, kernel, 0);
AT(offload_kernel_levels, entries, 64);

SIZE(offload_panic_texts, 16);
AT(offload_panic_texts, size, 0);
AT(offload_panic_texts, place_count, 4);
AT(offload_panic_texts, message_count, 8);
AT(offload_panic_texts, kernel_count, 12);

SIZE(offload_panic_place, 12);
AT(offload_panic_place, file, 0);
AT(offload_panic_place, line, 4);
AT(offload_panic_place, column, 8);

SIZE(offload_descriptor, 96);
AT(offload_descriptor, size, 0);
AT(offload_descriptor, version, 4);
AT(offload_descriptor, kernels, 8);
AT(offload_descriptor, kernel_count, 16);
AT(offload_descriptor, images_begin, 24);
AT(offload_descriptor, images_end, 32);
AT(offload_descriptor, next, 40);
AT(offload_descriptor, serial, 48);
AT(offload_descriptor, panics, 56);
AT(offload_descriptor, host_functions, 64);
AT(offload_descriptor, host_function_count, 72);
AT(offload_descriptor, first_function, 80);
AT(offload_descriptor, function_count, 88);

SIZE(offload_cpu_block, 96);
AT(offload_cpu_block, grid_dim, 0);
AT(offload_cpu_block, block_dim, 12);
AT(offload_cpu_block, block_id, 24);
AT(offload_cpu_block, dynamic_shared_bytes, 36);
AT(offload_cpu_block, shared, 40);
AT(offload_cpu_block, dynamic_shared, 48);
AT(offload_cpu_block, frames, 56);
AT(offload_cpu_block, state, 64);
AT(offload_cpu_block, scheduler, 72);
AT(offload_cpu_block, leave, 80);
AT(offload_cpu_block, check, 88);

SIZE(offloadrt_argument, 16);
AT(offloadrt_argument, address, 0);
AT(offloadrt_argument, size, 8);

SIZE(offloadrt_launch_config, 56);
AT(offloadrt_launch_config, size, 0);
AT(offloadrt_launch_config, version, 4);
AT(offloadrt_launch_config, grid, 8);
AT(offloadrt_launch_config, block, 20);
AT(offloadrt_launch_config, dynamic_shared_bytes, 32);
AT(offloadrt_launch_config, flags, 36);
AT(offloadrt_launch_config, panic_record, 40);
AT(offloadrt_launch_config, heap_bytes, 48);

SIZE(offloadrt_limits, 64);
AT(offloadrt_limits, size, 0);
AT(offloadrt_limits, version, 4);
AT(offloadrt_limits, threads_per_block, 8);
AT(offloadrt_limits, block, 12);
AT(offloadrt_limits, grid, 24);
AT(offloadrt_limits, shared_bytes, 36);
AT(offloadrt_limits, least_lanes, 40);
AT(offloadrt_limits, most_lanes, 44);
AT(offloadrt_limits, compute_units, 48);
AT(offloadrt_limits, reserved, 52);
AT(offloadrt_limits, memory_bytes, 56);

/* The version of the objects that this library reads is part of a symbol's name. offloadc finds the name in the index
 * of the static library, and refuses to link a library of another version (src/stages/runtime_library.rs). */
_Static_assert(OFFLOAD_KERNEL_VERSION == OFFLOAD_DESCRIPTOR_VERSION, "both are the version of the interface");
#define JOIN(name, version) name##version
#define NAME(name, version) JOIN(name, version)
const unsigned char NAME(offloadrt_interface_version_, OFFLOAD_DESCRIPTOR_VERSION) = OFFLOAD_DESCRIPTOR_VERSION;

/* Protects `first`, `last_serial` and every `next`. A dlopen() in one thread may register an object while another
 * thread launches. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct offload_descriptor *first;
/* Counts registrations, because an object can be loaded at the address of an object that was closed. */
static uint64_t last_serial;

/* Returns the link that points to `descriptor`, or the end of the list. */
static struct offload_descriptor **link_to(const struct offload_descriptor *descriptor) {
  struct offload_descriptor **link = &first;
  while (*link && *link != descriptor)
    link = &(*link)->next;
  return link;
}

void offloadrt_register(struct offload_descriptor *descriptor) {
  pthread_mutex_lock(&list_lock);
  struct offload_descriptor **link = link_to(descriptor);
  /* An object that is registered twice is added once, because the list must not become circular. */
  if (!*link) {
    descriptor->next = NULL;
    descriptor->serial = ++last_serial;
    *link = descriptor;
  }
  pthread_mutex_unlock(&list_lock);
}

void offloadrt_unregister(struct offload_descriptor *descriptor) {
  uint64_t serial = 0;
  pthread_mutex_lock(&list_lock);
  struct offload_descriptor **link = link_to(descriptor);
  if (*link) {
    *link = descriptor->next;
    descriptor->next = NULL;
    serial = descriptor->serial;
  }
  pthread_mutex_unlock(&list_lock);
  if (serial)
    offloadrt_forget_content(serial);
}

/* The version of an object if this runtime cannot read it, or 0. Descriptors and handles of all versions begin with
 * their size and version, and a descriptor continues with its handles and their number. */
static uint32_t other_version(const struct offload_descriptor *descriptor) {
  return descriptor->version == OFFLOAD_DESCRIPTOR_VERSION ? 0 : descriptor->version;
}

/* Returns how many kernels of `descriptor` this runtime can read: 0 if it does not support the version. */
static uint64_t readable_kernels(const struct offload_descriptor *descriptor) {
  return other_version(descriptor) ? 0 : descriptor->kernel_count;
}

/* Whether `kernel` is a handle of the object. The object may have any version. */
static int has_kernel(const struct offload_descriptor *object, const struct offload_kernel *kernel) {
  uintptr_t distance = (uintptr_t)kernel - (uintptr_t)object->kernels;
  uint32_t size = object->kernel_count ? object->kernels->size : 0;
  return size && distance / size < object->kernel_count && distance % size == 0;
}

int offloadrt_has_objects(void) {
  pthread_mutex_lock(&list_lock);
  int any = first != NULL;
  pthread_mutex_unlock(&list_lock);
  return any;
}

static int object_uses_lanes(const struct offload_descriptor *object) {
  int found = 0;
  struct offloadrt_image image;
  const unsigned char *position = object->images_begin;
  while (!found && offloadrt_next_image(&position, object->images_end, &image))
    found = image.uses_lanes;
  return found;
}

int offloadrt_any_image_uses_lanes(void) {
  int found = 0;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !found; d = d->next)
    found = !other_version(d) && object_uses_lanes(d);
  pthread_mutex_unlock(&list_lock);
  return found;
}

int offloadrt_is_live(uint64_t serial) {
  int found = 0;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !found; d = d->next)
    found = d->serial == serial;
  pthread_mutex_unlock(&list_lock);
  return found;
}

uint64_t offloadrt_host_function_count(const struct offload_descriptor *object) {
  uint64_t end = offsetof(struct offload_descriptor, host_function_count) + sizeof object->host_function_count;
  return object && object->size >= end ? object->host_function_count : 0;
}

offload_host_function offloadrt_host_function(uint64_t serial, uint64_t number) {
  offload_host_function found = NULL;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !found; d = d->next)
    if (d->serial == serial && !other_version(d) && number < offloadrt_host_function_count(d))
      found = d->host_functions[number];
  pthread_mutex_unlock(&list_lock);
  return found;
}

int offloadrt_has_function(const struct offload_descriptor *object, uint64_t number) {
  return object && object->size >= sizeof *object && number - object->first_function < object->function_count;
}

/* Whether two objects have the same generic image, as two copies of a plugin do. */
static int has_same_code(const struct offload_descriptor *a, const struct offload_descriptor *b) {
  struct offloadrt_image of_a, of_b;
  return offloadrt_find_generic(a, &of_a) && offloadrt_find_generic(b, &of_b) && strcmp(of_a.identity, of_b.identity) == 0;
}

struct offloadrt_functions offloadrt_find_functions(uint64_t number) {
  struct offloadrt_functions found = {.object = NULL};
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d; d = d->next)
    if (!other_version(d) && offloadrt_has_function(d, number)) {
      found.is_ambiguous |= found.object && !has_same_code(found.object, d);
      found.object = found.object ? found.object : d;
    }
  pthread_mutex_unlock(&list_lock);
  return found;
}

int offloadrt_is_host(const char *triple) {
#ifdef __aarch64__
  static const char host[] = "aarch64-";
#else
  static const char host[] = "x86_64-";
#endif
  return strncmp(triple, host, strlen(host)) == 0;
}

/* The default value of offloadc's option `--cpu-warp-size`. */
enum { HOST_LANES = 32 };

void offloadrt_host_limits(offloadrt_limits *limits) {
  limits->threads_per_block = limits->block[0] = limits->block[1] = 1024;
  limits->block[2] = 64;
  limits->grid[0] = limits->grid[1] = limits->grid[2] = UINT32_MAX;
  limits->shared_bytes = UINT32_MAX;
  limits->least_lanes = limits->most_lanes = 0;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d; d = d->next) {
    struct offloadrt_image image;
    const unsigned char *position = readable_kernels(d) ? d->images_begin : NULL;
    while (offloadrt_next_image(&position, d->images_end, &image)) {
      if (!offloadrt_is_host(image.triple) && !offloadrt_is_generic(&image))
        continue;
      /* Images of versions without this option do not contain the number. */
      uint32_t lanes = image.lanes ? image.lanes : 1;
      if (!limits->least_lanes || lanes < limits->least_lanes)
        limits->least_lanes = lanes;
      if (lanes > limits->most_lanes)
        limits->most_lanes = lanes;
    }
  }
  pthread_mutex_unlock(&list_lock);
  if (!limits->most_lanes)
    limits->least_lanes = limits->most_lanes = HOST_LANES;
}

int offloadrt_is_registered(const struct offload_kernel *kernel) {
  int found = 0;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !found; d = d->next)
    found = !other_version(d) && has_kernel(d, kernel);
  pthread_mutex_unlock(&list_lock);
  return found;
}

uint32_t offloadrt_other_version(const struct offload_kernel *kernel) {
  uint32_t version = 0;
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !version; d = d->next)
    version = !kernel || has_kernel(d, kernel) ? other_version(d) : 0;
  pthread_mutex_unlock(&list_lock);
  return version;
}

static void no_such_kernel(const char *name) {
  uint32_t version = offloadrt_other_version(NULL);
  if (version)
    offloadrt_fail(OFFLOADRT_INVALID,
                   "no registered object that this runtime can read has a kernel `%s`; another object has version %u of the "
                   "interface, and this runtime has version %d",
                   name, version, OFFLOAD_DESCRIPTOR_VERSION);
  else
    offloadrt_fail(OFFLOADRT_INVALID, "no registered object has a kernel `%s`", name);
}

const struct offload_kernel *offloadrt_find_kernel(const char *name) {
  const struct offload_kernel *found = NULL;
  if (!name) {
    offloadrt_fail(OFFLOADRT_INVALID, "the name of a kernel is null");
    return NULL;
  }
  pthread_mutex_lock(&list_lock);
  for (const struct offload_descriptor *d = first; d && !found; d = d->next)
    for (uint64_t i = 0; i < readable_kernels(d) && !found; i++)
      if (strcmp(offloadrt_kernel_at(d, i)->name, name) == 0)
        found = offloadrt_kernel_at(d, i);
  pthread_mutex_unlock(&list_lock);
  if (!found)
    no_such_kernel(name);
  return found;
}

void offloadrt_each_kernel(void (*visit)(const struct offload_kernel *kernel, void *context), void *context) {
  /* Release the lock while `visit` runs, so that it can call the runtime. Each step finds its position again by
   * counting. */
  for (uint64_t position = 0;; position++) {
    const struct offload_kernel *kernel = NULL;
    uint64_t before = 0;
    pthread_mutex_lock(&list_lock);
    for (const struct offload_descriptor *d = first; d && !kernel; d = d->next) {
      if (position - before < readable_kernels(d))
        kernel = offloadrt_kernel_at(d, position - before);
      before += readable_kernels(d);
    }
    pthread_mutex_unlock(&list_lock);
    if (!kernel)
      return;
    visit(kernel, context);
  }
}
