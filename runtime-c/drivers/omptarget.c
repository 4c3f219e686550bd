/* The driver of liboffloadrt-omptarget: the runtime's calls on LLVM's libomptarget (22.1 and 23.1). An object
 * made for it registers its images with libomptarget itself (__tgt_register_lib) and its handles with
 * offloadrt_register(); this file only launches, allocates and copies.
 *
 * The form of a kernel in an image for a GPU:
 *
 *     void NAME(void *dyn,        libomptarget's own, put in front for version 3 of the arguments
 *               uint64_t slot0,   grid[0]  | grid[1] << 32
 *               uint64_t slot1,   grid[2]  | block[0] << 32
 *               uint64_t slot2,   block[1] | block[2] << 32
 *               uint64_t slot3,   dynamic_shared_bytes
 *               uint64_t state,   a device pointer to the launch's state; 0 where the kernel takes none
 *               ...);             one 8-byte slot for each row of the parameter table
 *
 * A slot is a pointer parameter itself; a value of up to 8 bytes, zero extended; for a larger value and
 * for a block, a device pointer to its bytes, aligned to 16 at least. The first four are there because
 * the host's device runs a kernel once, whatever the grid: its image runs the blocks itself.
 *
 * libomptarget 22 calls an image for the host with the same parameters. libomptarget 23 refuses version 3 there: it
 * takes version 5, and calls `void NAME(void **slots)` with the addresses of the slots. The last one of version 5 is
 * libomptarget's own, which libomptarget 22 passes as one more. Images of kernels with the flag
 * OFFLOAD_KERNEL_TAKES_SLOT_ARRAY distinguish both calls (src/targets/cpu/abi/omptarget.rs), so that a launch of them
 * is the same with either libomptarget. Those of an older offloadc do not, and get version 3, which libomptarget 23
 * refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../copies.h"
#include "../finish.h"

/* libomptarget's interface, from omptarget.h, APITypes.h and omp.h of LLVM 22.1 and 23.1 ------------------- */

struct ident {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t source_length;
  const char *source; /* ";file;function;line;column;;" */
};

struct kernel_args {
  uint32_t version;
  uint32_t argument_count;
  void **base_addresses;
  void **addresses;
  int64_t *sizes;
  int64_t *types;
  void **names;
  void **mappers;
  uint64_t trip_count;
  uint64_t flags;
  uint32_t teams[3];
  uint32_t thread_limit[3];
  uint32_t dynamic_shared_bytes;
};
_Static_assert(sizeof(struct ident) == 24 && offsetof(struct ident, source) == 16, "ident_t");
_Static_assert(sizeof(struct kernel_args) == 104 && offsetof(struct kernel_args, teams) == 72 &&
                   offsetof(struct kernel_args, dynamic_shared_bytes) == 96,
               "KernelArgsTy");

enum {
  IDENT_KMPC = 2,
  KERNEL_ARGS_VERSION = 3,
  KERNEL_ARGS_WITH_ARRAY = 5,
  MAP_TO = 0x1,
  MAP_FROM = 0x2,
  MAP_ALWAYS = 0x4,
  MAP_TARGET_PARAM = 0x20,
  MAP_LITERAL = 0x100,
};

extern int32_t __tgt_target_kernel(struct ident *location, int64_t device, int32_t teams, int32_t thread_limit,
                                   const void *host_entry, struct kernel_args *arguments);
extern void __tgt_target_data_begin_mapper(struct ident *location, int64_t device, int32_t count, void **bases,
                                           void **addresses, int64_t *sizes, int64_t *types, void **names,
                                           void **mappers);
extern void __tgt_target_data_end_mapper(struct ident *location, int64_t device, int32_t count, void **bases,
                                         void **addresses, int64_t *sizes, int64_t *types, void **names, void **mappers);
extern void __tgt_target_data_update_mapper(struct ident *location, int64_t device, int32_t count, void **bases,
                                            void **addresses, int64_t *sizes, int64_t *types, void **names,
                                            void **mappers);
extern void *omp_get_mapped_ptr(const void *host, int device);
extern int omp_get_num_devices(void);
extern int omp_get_initial_device(void);
extern const char *omp_get_uid_from_device(int device);
extern void *omp_target_alloc(size_t bytes, int device);
extern void omp_target_free(void *address, int device);
extern void *llvm_omp_target_alloc_host(size_t bytes, int device);
extern void llvm_omp_target_free_host(void *address, int device);
extern void *llvm_omp_target_alloc_shared(size_t bytes, int device);
extern void llvm_omp_target_free_shared(void *address, int device);
extern void *omp_target_memset(void *to, int byte, size_t bytes, int device);
extern int omp_target_memcpy(void *to, const void *from, size_t bytes, size_t to_offset, size_t from_offset,
                             int to_device, int from_device);

/* Devices ------------------------------------------------------------------------------------------ */

/* The state of a device is its number. */
static int number_of(const void *device) { return (int)(intptr_t)device; }

/* Returns the number of devices. libomptarget may be called only while an object is registered with it; otherwise it
 * faults. */
static unsigned device_count(void) {
  int count = offloadrt_has_objects() ? omp_get_num_devices() : 0;
  return count > 0 ? (unsigned)count : 0;
}

static int is_x86(const char *text) { return strncmp(text, "x86_64-", strlen("x86_64-")) == 0; }

/* Whether a device is the host's CPU. Its devices have the identifiers `x86_64-0` and so on. */
static int is_host(int device) {
  const char *identifier = omp_get_uid_from_device(device);
  return identifier && is_x86(identifier);
}

static int is_in_process(const void *device) { return is_host(number_of(device)); }

static int is_called(unsigned index, const char *name) { return strcmp(name, "cpu") == 0 && is_host((int)index); }

static int open_device(unsigned index, void **device) {
  *device = (void *)(intptr_t)index;
  return is_host((int)index) ? offloadrt_check_threads_variable() : OFFLOADRT_SUCCESS;
}

static void close_device(void *device) { (void)device; }

/* libomptarget does not report limits, and silently reduces a block that is too large. Every GPU that it drives
 * supports 1024 threads. offloadc makes the host's image, which is launched like the device `cpu`. */
static void limits(void *device, offloadrt_limits *limits) {
  if (is_host(number_of(device))) {
    offloadrt_host_limits(limits);
  } else {
    limits->threads_per_block = limits->block[0] = limits->block[1] = limits->block[2] = 1024;
    limits->grid[0] = INT32_MAX; /* the number of teams is a signed parameter */
  }
}

/* Memory ------------------------------------------------------------------------------------------- */

static int check_address(void *device, const void *address, size_t bytes, const char *what) {
  if (address)
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory: device `omptarget:%d` cannot allocate %zu bytes%s",
                        number_of(device), bytes, what);
}

/* The functions for one kind of memory. libomptarget's sizes are signed. */
#define ALLOCATIONS(name, allocate_call, free_call, what)                            \
  static int allocate##name(void *device, size_t bytes, void **address) {            \
    *address = bytes <= INT64_MAX ? allocate_call(bytes, number_of(device)) : NULL;  \
    return check_address(device, *address, bytes, what);                             \
  }                                                                                  \
  static int release##name(void *device, void *address) {                            \
    free_call(address, number_of(device));                                           \
    return OFFLOADRT_SUCCESS;                                                        \
  }
ALLOCATIONS(, omp_target_alloc, omp_target_free, "")
ALLOCATIONS(_host, llvm_omp_target_alloc_host, llvm_omp_target_free_host, " of pinned memory")
ALLOCATIONS(_unified, llvm_omp_target_alloc_shared, llvm_omp_target_free_shared, " of unified memory")

static const struct offloadrt_mailbox_operations mailboxes = {.allocate = allocate_host, .free = release_host};

static int copy(void *to, const void *from, size_t bytes, int to_device, int from_device) {
  if (omp_target_memcpy(to, from, bytes, 0, 0, to_device, from_device))
    return offloadrt_fail(OFFLOADRT_FAILED, "libomptarget could not copy %zu bytes from device %d to device %d", bytes,
                          from_device, to_device);
  return OFFLOADRT_SUCCESS;
}

static int copy_to_device(void *device, void *stream, void *to, const void *from, size_t bytes) {
  (void)stream;
  return copy(to, from, bytes, number_of(device), omp_get_initial_device());
}

static int copy_to_host(void *device, void *stream, void *to, const void *from, size_t bytes) {
  (void)stream;
  return copy(to, from, bytes, omp_get_initial_device(), number_of(device));
}

static int submit_copy(void *device, void *stream, enum offloadrt_direction direction, void *to, const void *from,
                       size_t bytes) {
  int own = number_of(device), host = omp_get_initial_device();
  (void)stream;
  return copy(to, from, bytes, direction == OFFLOADRT_TO_HOST ? host : own, direction == OFFLOADRT_TO_DEVICE ? host : own);
}

static int submit_fill(void *device, void *stream, void *to, unsigned char byte, size_t bytes) {
  (void)stream;
  if (omp_target_memset(to, byte, bytes, number_of(device)) == to)
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_FAILED, "libomptarget could not fill %zu bytes on device %d", bytes, number_of(device));
}

/* Mapped memory: libomptarget has its own table, and offloadrt.h has the same flags ---------------------------- */

_Static_assert((int)OFFLOADRT_MAP_TO == MAP_TO && (int)OFFLOADRT_MAP_FROM == MAP_FROM &&
                   (int)OFFLOADRT_MAP_ALWAYS == MAP_ALWAYS,
               "OpenMP's map types");

typedef void data_call(struct ident *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

/* LIBOMPTARGET_INFO shows `source` as the source location. */
static void move(data_call *call, const char *source, void *device, void *host, size_t bytes, unsigned flags) {
  struct ident location = {.flags = IDENT_KMPC, .source_length = (int32_t)strlen(source), .source = source};
  int64_t size = (int64_t)bytes, type = flags;
  void *name = (void *)(uintptr_t)";mapped;offloadrt;0;0;;";
  call(&location, number_of(device), 1, &host, &host, &size, &type, &name, NULL);
}

/* libomptarget looks up single addresses, so this function checks the two ends of the range. It does not find a mapping
 * that lies wholly within the range. */
static enum offloadrt_presence look_up(void *device, void *host, size_t bytes, void **address) {
  char *first = omp_get_mapped_ptr(host, number_of(device));
  char *last = omp_get_mapped_ptr((char *)host + bytes - 1, number_of(device));
  *address = first;
  if (first && last && (size_t)(last - first) == bytes - 1)
    return OFFLOADRT_PRESENT;
  return first || last ? OFFLOADRT_IN_PART : OFFLOADRT_ABSENT;
}

/* If memory is exhausted, libomptarget ends the program when it maps, but not when it allocates. For a large range,
 * this function therefore tries an allocation first. */
static int has_room(void *device, void *host, size_t bytes) {
  enum { LARGE = 1 << 20 };
  if (bytes < LARGE || omp_get_mapped_ptr(host, number_of(device)))
    return 1;
  void *tried = omp_target_alloc(bytes, number_of(device));
  omp_target_free(tried, number_of(device));
  return tried != NULL;
}

static int map(void *device, void *host, size_t bytes, unsigned flags, void **address) {
  if (!has_room(device, host, bytes))
    return check_address(device, NULL, bytes, " of mapped memory");
  move(__tgt_target_data_begin_mapper, ";offloadrt;offloadrt_map;0;0;;", device, host, bytes, flags);
  /* The function returns no status. If it fails, it ends the program, unless the environment prevents this. */
  *address = omp_get_mapped_ptr(host, number_of(device));
  if (!*address)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "libomptarget could not map %zu bytes to device `omptarget:%d`", bytes,
                          number_of(device));
  return OFFLOADRT_SUCCESS;
}

static int unmap(void *device, void *host, size_t bytes, unsigned flags) {
  move(__tgt_target_data_end_mapper, ";offloadrt;offloadrt_unmap;0;0;;", device, host, bytes, flags);
  return OFFLOADRT_SUCCESS;
}

static int update(void *device, void *host, size_t bytes, unsigned direction) {
  move(__tgt_target_data_update_mapper, ";offloadrt;offloadrt_update;0;0;;", device, host, bytes, direction);
  return OFFLOADRT_SUCCESS;
}

/* Launches ------------------------------------------------------------------------------------------ */

enum { SHAPE_SLOTS = 4, STATE_SLOTS = 1, OWN_SLOTS = 1, SLOTS_ON_STACK = 40 };

/* The arguments of one launch, in the four arrays that libomptarget requires. */
struct slots {
  uint32_t count;
  int in_place; /* nonzero: the device is the host, and reads large arguments without a copy */
  int as_array; /* nonzero: the kernel's image takes an array, too */
  void **addresses;
  int64_t *sizes;
  int64_t *types;
  void **names;
};

/* One element of any of the arrays: 8 bytes. */
union cell {
  void *address;
  int64_t number;
};

/* The names of the first four slots in LIBOMPTARGET_INFO. The others have no names. */
static const char *const shape_names[SHAPE_SLOTS] = {";grid xy;launch;0;0;;", ";grid z, block x;launch;0;0;;",
                                                     ";block yz;launch;0;0;;", ";dynamic shared bytes;launch;0;0;;"};

static void add_literal(struct slots *slots, uint64_t value, const char *name) {
  uint32_t i = slots->count++;
  slots->addresses[i] = (void *)(uintptr_t)value;
  slots->sizes[i] = 8;
  slots->types[i] = MAP_LITERAL | MAP_TARGET_PARAM;
  slots->names[i] = (void *)(uintptr_t)name;
}

/* libomptarget copies the bytes to the device, and frees them when the kernel has run. With MAP_FROM in `types`, it
 * first copies them back. */
static void add_mapped(struct slots *slots, const void *bytes, uint32_t size, int64_t types) {
  if (slots->in_place) {
    add_literal(slots, (uintptr_t)bytes, NULL);
    return;
  }
  uint32_t i = slots->count++;
  slots->addresses[i] = (void *)(uintptr_t)bytes;
  slots->sizes[i] = size;
  slots->types[i] = types | MAP_TARGET_PARAM;
  slots->names[i] = NULL;
}

static uint64_t pair(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

static void add_shape(struct slots *slots, const offloadrt_launch_config *config) {
  add_literal(slots, pair(config->grid[0], config->grid[1]), shape_names[0]);
  add_literal(slots, pair(config->grid[2], config->block[0]), shape_names[1]);
  add_literal(slots, pair(config->block[1], config->block[2]), shape_names[2]);
  add_literal(slots, config->dynamic_shared_bytes, shape_names[3]);
}

static void add_parameter(struct slots *slots, const struct offload_parameter *parameter, const unsigned char *bytes) {
  uint64_t value = 0;
  if (parameter->kind == OFFLOAD_PARAMETER_BLOCK || parameter->size > sizeof value) {
    /* An empty block is mapped as one byte, because libomptarget has no address for an empty range. */
    add_mapped(slots, bytes, parameter->size ? parameter->size : 1, MAP_TO);
    return;
  }
  memcpy(&value, bytes, parameter->size);
  add_literal(slots, value, NULL);
}

static void fill_slots(struct slots *slots, union cell *room, const struct offloadrt_launch *launch, uint32_t count,
                       int in_place) {
  *slots = (struct slots){
      .in_place = in_place,
      .as_array = in_place && launch->kernel->flags & OFFLOAD_KERNEL_TAKES_SLOT_ARRAY,
      .addresses = &room->address,
      .sizes = &room[count].number,
      .types = &room[2 * (size_t)count].number,
      .names = &room[3 * (size_t)count].address,
  };
  add_shape(slots, launch->config);
  if (launch->state)
    add_mapped(slots, launch->state, sizeof *launch->state, MAP_TO | MAP_FROM);
  else
    add_literal(slots, 0, NULL);
  for (uint32_t i = 0; i < launch->kernel->parameter_count; i++) {
    const struct offload_parameter *parameter = &launch->kernel->parameters[i];
    add_parameter(slots, parameter, launch->arguments + parameter->offset);
  }
  if (slots->as_array)
    add_literal(slots, 0, NULL); /* libomptarget's own */
}

/* Fills in `kernel_args` for every launch, because libomptarget changes it. */
static int launch_slots(int device, const struct offloadrt_launch *launch, const struct slots *slots) {
  static const char source[] = ";offloadrt;offloadrt_launch;0;0;;";
  const offloadrt_launch_config *config = launch->config;
  struct ident location = {.flags = IDENT_KMPC, .source_length = sizeof source - 1, .source = source};
  struct kernel_args arguments = {
      .version = slots->as_array ? KERNEL_ARGS_WITH_ARRAY : KERNEL_ARGS_VERSION,
      .argument_count = slots->count,
      .base_addresses = slots->addresses,
      .addresses = slots->addresses,
      .sizes = slots->sizes,
      .types = slots->types,
      .names = slots->names,
      .teams = {config->grid[0], config->grid[1], config->grid[2]},
      .thread_limit = {config->block[0], config->block[1], config->block[2]},
      /* The host's image reads it in its slot, and libomptarget 22 would make an environment for it. */
      .dynamic_shared_bytes = slots->in_place ? 0 : config->dynamic_shared_bytes,
  };
  if (__tgt_target_kernel(&location, device, (int32_t)config->grid[0], (int32_t)config->block[0], launch->kernel,
                          &arguments))
    return offloadrt_fail(OFFLOADRT_FAILED,
                          "libomptarget did not run kernel `%s` on device `omptarget:%d`; LIBOMPTARGET_INFO=-1 in the "
                          "environment shows more",
                          offloadrt_kernel_name(launch->kernel), device);
  return OFFLOADRT_SUCCESS;
}

/* Whether the kernel's object has an image for the host if `device` is the host, or an image for another machine if it
 * is not. libomptarget must not be asked to launch a kernel without an image: if it has devices, a failed launch ends
 * the program. Only libomptarget can decide whether an image fits a GPU. */
static int has_image(const struct offload_kernel *kernel, int device) {
  const struct offload_descriptor *object = kernel->descriptor;
  if (!object || !object->images_begin)
    return 1; /* the object does not list its images */
  struct offloadrt_image image;
  int host = is_host(device);
  for (const unsigned char *position = object->images_begin; offloadrt_next_image(&position, object->images_end, &image);)
    if (is_x86(image.triple) == host)
      return 1;
  return 0;
}

static int no_image(const struct offload_kernel *kernel, int device) {
  char name[32];
  snprintf(name, sizeof name, "omptarget:%d", device);
  return offloadrt_no_image(NULL, NULL, kernel, name, NULL);
}

static int launch(void *device, void *stream, const struct offloadrt_launch *launch) {
  (void)stream;
  if (!has_image(launch->kernel, number_of(device)))
    return no_image(launch->kernel, number_of(device));
  union cell on_stack[4 * SLOTS_ON_STACK], *room = on_stack;
  uint32_t count = SHAPE_SLOTS + STATE_SLOTS + launch->kernel->parameter_count + OWN_SLOTS;
  if (count > SLOTS_ON_STACK && !(room = calloc(count, 4 * sizeof *room)))
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %u arguments of kernel `%s`", count,
                          offloadrt_kernel_name(launch->kernel));
  struct slots slots;
  fill_slots(&slots, room, launch, count, is_host(number_of(device)));
  int status = launch_slots(number_of(device), launch, &slots);
  if (room != on_stack)
    free(room);
  return status;
}

static const struct offloadrt_mapping_operations mapping = {.map = map, .unmap = unmap, .update = update, .look_up = look_up};

static const struct offloadrt_driver omptarget_driver = {
    .name = "omptarget",
    .waits = 1,
    .device_count = device_count,
    .is_called = is_called,
    .open = open_device,
    .is_in_process = is_in_process,
    .close = close_device,
    .limits = limits,
    .allocate = allocate,
    .free = release,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .submit_copy = submit_copy,
    .submit_fill = submit_fill,
    .allocate_host = allocate_host,
    .free_host = release_host,
    .allocate_unified = allocate_unified,
    .free_unified = release_unified,
    .mapping = &mapping,
    .mailboxes = &mailboxes,
    .stream_create = offloadrt_no_stream,
    .stream_destroy = offloadrt_nothing_to_wait_for,
    .launch = launch,
    .synchronize = offloadrt_nothing_to_wait_for,
};

const struct offloadrt_driver *const offloadrt_drivers[] = {&omptarget_driver, NULL};

/* Generic images are not finished. */
const struct offloadrt_finisher *const offloadrt_finisher = NULL;

OFFLOADRT_NOTE("offloadrt-omptarget");
