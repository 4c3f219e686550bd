/* Several copies of the runtime in one process: a program and each shared object with kernels may contain one. One of
 * them serves all others (copies.c).
 *
 * A copy is found by an ELF note that is loaded with its object: type is the major version, the name is that of the
 * library, and the descriptor is the distance from the descriptor itself to the object's `struct offloadrt_copy`. So
 * nothing needs a symbol or a relocation that the loader sees. Copies of one major version agree on everything in this
 * file. A minor version may only add fields and functions, at the end. */
#ifndef OFFLOADRT_COPIES_H
#define OFFLOADRT_COPIES_H

#include <pthread.h>
#include <stdatomic.h>

#include "offloadrt.h"

/* The major version is that of the interface between compiler and runtime, so objects that a copy takes in can be read
 * by all copies of its major version. Tests make copies of other versions. */
#ifndef OFFLOADRT_MAJOR
#define OFFLOADRT_MAJOR OFFLOAD_DESCRIPTOR_VERSION
#endif
#ifndef OFFLOADRT_MINOR
#define OFFLOADRT_MINOR 3
#endif

/* The public functions that are forwarded in the same way: those that return a status, and those that return another
 * value, which is null if there is none. A new function is a row at the end. */
#define OFFLOADRT_FUNCTIONS(STATUS, VALUE) \
  STATUS(device_open, (const char *name, offloadrt_device **device), (name, device)) \
  STATUS(device_close, (offloadrt_device *device), (device)) \
  VALUE(const char *, device_name, (const offloadrt_device *device), (device)) \
  VALUE(const char *, device_arch, (const offloadrt_device *device), (device)) \
  VALUE(const char *, device_product, (const offloadrt_device *device), (device)) \
  STATUS(device_limits, (offloadrt_device *device, offloadrt_limits *limits), (device, limits)) \
  STATUS(allocate, (offloadrt_device *device, size_t bytes, void **address), (device, bytes, address)) \
  STATUS(free, (offloadrt_device *device, void *address), (device, address)) \
  STATUS(allocate_host, (offloadrt_device *device, size_t bytes, void **address), (device, bytes, address)) \
  STATUS(free_host, (offloadrt_device *device, void *address), (device, address)) \
  STATUS(allocate_unified, (offloadrt_device *device, size_t bytes, void **address), (device, bytes, address)) \
  STATUS(free_unified, (offloadrt_device *device, void *address), (device, address)) \
  STATUS(copy_to_device, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes), \
         (device, stream, to, from, bytes)) \
  STATUS(copy_to_host, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes), \
         (device, stream, to, from, bytes)) \
  STATUS(submit_copy_to_device, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes), \
         (device, stream, to, from, bytes)) \
  STATUS(submit_copy_to_host, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes), \
         (device, stream, to, from, bytes)) \
  STATUS(submit_copy, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes), \
         (device, stream, to, from, bytes)) \
  STATUS(submit_fill, \
         (offloadrt_device *device, offloadrt_stream *stream, void *to, unsigned char byte, size_t bytes), \
         (device, stream, to, byte, bytes)) \
  STATUS(map, \
         (offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes, unsigned flags, void \
         **address), \
         (device, stream, host, bytes, flags, address)) \
  STATUS(unmap, \
         (offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes, unsigned flags), \
         (device, stream, host, bytes, flags)) \
  STATUS(update_to, \
         (offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes), \
         (device, stream, host, bytes)) \
  STATUS(update_from, \
         (offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes), \
         (device, stream, host, bytes)) \
  STATUS(stream_create, (offloadrt_device *device, offloadrt_stream **stream), (device, stream)) \
  STATUS(stream_destroy, (offloadrt_stream *stream), (stream)) \
  STATUS(event_create, (offloadrt_device *device, offloadrt_event **event), (device, event)) \
  STATUS(event_destroy, (offloadrt_event *event), (event)) \
  STATUS(event_record, (offloadrt_event *event, offloadrt_stream *stream), (event, stream)) \
  STATUS(stream_wait, (offloadrt_stream *stream, offloadrt_event *event), (stream, event)) \
  STATUS(event_synchronize, (offloadrt_event *event), (event)) \
  STATUS(event_query, (offloadrt_event *event, int *over), (event, over)) \
  STATUS(event_elapsed, (offloadrt_event *from, offloadrt_event *to, int64_t *nanoseconds), (from, to, nanoseconds)) \
  STATUS(launch, \
         (offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel, const \
         offloadrt_launch_config *config, const offloadrt_argument *arguments, size_t argument_count), \
         (device, stream, kernel, config, arguments, argument_count)) \
  STATUS(launch_mapped, \
         (offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel, const \
         offloadrt_launch_config *config, const offloadrt_argument *arguments, size_t argument_count, unsigned \
         flags), \
         (device, stream, kernel, config, arguments, argument_count, flags)) \
  STATUS(synchronize, (offloadrt_device *device, offloadrt_stream *stream), (device, stream)) \
  VALUE(const struct offload_kernel *, find_kernel, (const char *name), (name)) \
  STATUS(stream_adopt, (offloadrt_device *device, void *handle, offloadrt_stream **stream), (device, handle, stream)) \
  STATUS(stream_handle, (offloadrt_device *device, offloadrt_stream *stream, void **handle), (device, stream, handle)) \
  STATUS(device_context, (offloadrt_device *device, void **context), (device, context)) \
  STATUS(set_late_constant, (const struct offload_kernel *writer, const void *value, size_t bytes), (writer, value, bytes)) \
  STATUS(device_adopt, (const char *name, void *context, offloadrt_device **device), (name, context, device))

#pragma GCC visibility push(hidden)

#define DECLARE_STATUS(name, parameters, arguments) int offloadrt_own_##name parameters;
#define DECLARE_VALUE(result, name, parameters, arguments) result offloadrt_own_##name parameters;
OFFLOADRT_FUNCTIONS(DECLARE_STATUS, DECLARE_VALUE)
#undef DECLARE_STATUS
#undef DECLARE_VALUE
const char *offloadrt_own_error_text(void);
void offloadrt_own_each_kernel(void (*visit)(const struct offload_kernel *kernel, void *context), void *context);
void offloadrt_own_register(struct offload_descriptor *descriptor);
void offloadrt_own_unregister(struct offload_descriptor *descriptor);

/* The functions of one copy. A caller reads no field beyond `size`. */
struct offloadrt_table {
  uint32_t size;
  uint32_t minor;
  /* Sets the error text of the calling thread and returns `status`. */
  int (*fail)(int status, const char *text);
  const char *(*error_text)(void);
  void (*each_kernel)(void (*visit)(const struct offload_kernel *kernel, void *context), void *context);
  void (*register_object)(struct offload_descriptor *descriptor);
  void (*unregister_object)(struct offload_descriptor *descriptor);
#define STATUS_FIELD(name, parameters, arguments) int(*name) parameters;
#define VALUE_FIELD(result, name, parameters, arguments) result(*name) parameters;
  OFFLOADRT_FUNCTIONS(STATUS_FIELD, VALUE_FIELD)
#undef STATUS_FIELD
#undef VALUE_FIELD
};

enum offloadrt_copy_flag {
  OFFLOADRT_COPY_READY = 1, /* its object is relocated */
  OFFLOADRT_COPY_APART = 2  /* it serves its own object and no other */
};

/* The state of a copy that the other copies of the process read. */
struct offloadrt_copy {
  const struct offloadrt_table *table;           /* its own functions */
  const struct offloadrt_table *_Atomic serving; /* those of the copy that serves; null: none has been chosen yet */
  atomic_uint flags;                             /* of enum offloadrt_copy_flag */
  pthread_mutex_t lock;                          /* protects `waiting` */
  struct offload_descriptor *waiting;            /* objects that were registered before a copy was chosen */
};

extern const struct offloadrt_table offloadrt_own_table; /* table.c */
extern struct offloadrt_copy offloadrt_copy;             /* copies.c */

/* The functions of the copy that serves. The first call chooses it. */
const struct offloadrt_table *offloadrt_serving(void);

/* offloadrt_register() and offloadrt_unregister(). */
void offloadrt_enter(struct offload_descriptor *descriptor);
void offloadrt_leave(struct offload_descriptor *descriptor);

/* Keeps this copy for its own object. Has no effect once a copy was chosen. */
void offloadrt_stay_apart(void);

/* Each library names itself once, in the file that lists its drivers. Copies of different libraries have different
 * devices and images, and stay apart. The name is padded to 24 bytes, and is followed by the distance. */
enum { OFFLOADRT_NOTE_NAME = 24 };
extern const unsigned char offloadrt_note[];
#define TEXT_OF(value) #value
#define VALUE_TEXT(value) TEXT_OF(value)
#define OFFLOADRT_NOTE(name)                                              \
  __asm__(".pushsection .note.offloadrt,\"a\",@note\n"                   \
          ".balign 4\n"                                                   \
          ".globl offloadrt_note\n"                                       \
          ".hidden offloadrt_note\n"                                      \
          "offloadrt_note:\n"                                             \
          ".long 24, 8, " VALUE_TEXT(OFFLOADRT_MAJOR) "\n"                \
          "0: .asciz \"" name "\"\n"                                      \
          ".zero 24 - (. - 0b)\n"                                         \
          ".quad offloadrt_copy - .\n"                                    \
          ".popsection")

#pragma GCC visibility pop
#endif
