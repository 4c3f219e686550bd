/* offloadrt: the host side of an offloadc program.
 *
 * This header is for both runtimes: liboffloadrt, and liboffloadrt-omptarget, which has the same functions on top of
 * LLVM's libomptarget. It can be used from C11 and C++. Every function that can fail returns an int: 0 for success,
 * otherwise a value of `enum offloadrt_status`. offloadrt_error_text() then returns the error message of the calling
 * thread.
 *
 * The second half of this file, "What offloadc emits", is the binary interface between the compiler and the runtime.
 * src/bundle/ writes these structures and no others. */
#ifndef OFFLOADRT_H
#define OFFLOADRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef OFFLOADRT_OWN /* the runtime itself: these are the functions of one copy of it */
#pragma GCC visibility push(hidden)
#else
#pragma GCC visibility push(default)
#endif

enum offloadrt_status {
  OFFLOADRT_SUCCESS = 0,
  OFFLOADRT_INVALID = 1,     /* an argument of the function is invalid */
  OFFLOADRT_NO_DEVICE = 2,   /* no such device on this machine */
  OFFLOADRT_NO_IMAGE = 3,    /* the program has no image that fits the device */
  OFFLOADRT_NO_MEMORY = 4,   /* device or host memory is exhausted */
  OFFLOADRT_MISMATCH = 5,    /* a launch does not match the kernel's parameter table */
  OFFLOADRT_FAILED = 6,      /* the driver or the kernel failed */
  OFFLOADRT_PANICKED = 7,    /* a kernel panicked; the device and its memory remain valid */
  OFFLOADRT_UNSUPPORTED = 8  /* the device does not support the operation */
};

typedef struct offloadrt_device offloadrt_device;
typedef struct offloadrt_stream offloadrt_stream;
typedef struct offloadrt_event offloadrt_event;
struct offload_kernel; /* the target of a kernel's handle; see below */

/* One launch argument: the address and the number of its bytes. An argument without bytes, such as Rust's `()`, may be
 * passed or omitted. */
typedef struct offloadrt_argument {
  const void *address;
  size_t size;
} offloadrt_argument;

enum offloadrt_launch_flag {
  /* The arguments may contain addresses of host memory, in which the kernel can store the address of an allocation. On
   * drivers whose kernels run in host memory, no later launch reuses the heap. */
  OFFLOADRT_KEEP_HEAP = 1
};

/* The shape of a launch. Initialise the struct with zeros, then set `size` to its sizeof and `version` to
 * OFFLOADRT_LAUNCH_VERSION. `grid` and `block` are counts along x, y, z, and none may be 0. */
#define OFFLOADRT_LAUNCH_VERSION 2
typedef struct offloadrt_launch_config {
  uint32_t size;
  uint32_t version;
  uint32_t grid[3];              /* blocks */
  uint32_t block[3];             /* threads per block */
  uint32_t dynamic_shared_bytes; /* size of the memory that __offload_dynamic_shared() points to */
  uint32_t flags;                /* of enum offloadrt_launch_flag */
  void *panic_record;            /* reserved; null: the runtime uses its own records */
  /* Since version 2; version 1 ends above. The size in bytes of the heap from which the kernel allocates (`Box`, `Vec`,
   * `String`), for all threads of the launch together, up to 64 GiB. Most freed memory is not reused before the end of
   * the launch. The heap itself is never reused if a later launch may find an address in it (OFFLOAD_KERNEL_KEEPS_HEAP,
   * OFFLOADRT_KEEP_HEAP). A kernel that allocates is not launched with 0. A thread that finds no room panics. */
  uint64_t heap_bytes;
} offloadrt_launch_config;

/* Devices. liboffloadrt has "cpu" (or "cpu:0") and, if their drivers are installed, "cuda:0", "hip:0", "opencl:0" and
 * so on. An OpenCL device can also be named by a part of its vendor's name or its device name: "opencl:intel" is the
 * first device whose names contain "intel". liboffloadrt-omptarget has libomptarget's devices, "omptarget:0" and so on,
 * if an image of the program fits them; there "cpu" is the first device that is the host's CPU. Null opens the default
 * device: the one that OFFLOADRT_DEVICE names in the environment, otherwise "cpu", or "omptarget:0". The error text for
 * an unknown name lists the known names. */
int offloadrt_device_open(const char *name, offloadrt_device **device);
/* Waits for the device, then closes it. Its memory, streams and events must have been freed before. Closing null is
 * allowed. */
int offloadrt_device_close(offloadrt_device *device);
/* The string is valid until the device is closed. */
const char *offloadrt_device_name(const offloadrt_device *device);
/* The arch of the device as offloadc names it ("sm_90", "gfx90a:sramecc+:xnack-", "spirv64", "cpu"), and the product
 * name. The strings are valid until the device is closed, and "" if the driver does not report them (libomptarget). */
const char *offloadrt_device_arch(const offloadrt_device *device);
const char *offloadrt_device_product(const offloadrt_device *device);

/* The limits and resources of a device. Initialise the struct with zeros, then set `size` to its sizeof and `version`
 * to OFFLOADRT_LIMITS_VERSION; the function fills in the rest. A launch beyond a limit returns OFFLOADRT_INVALID, and
 * the error text contains both numbers and the name of the device. A kernel may have lower limits than its device:
 * fewer threads if it needs many registers or has launch bounds, and less dynamic shared memory if it has static shared
 * memory. */
#define OFFLOADRT_LIMITS_VERSION 1
typedef struct offloadrt_limits {
  uint32_t size;
  uint32_t version;
  uint32_t threads_per_block;
  uint32_t block[3];      /* threads along x, y, z */
  uint32_t grid[3];       /* blocks along x, y, z */
  uint32_t shared_bytes;  /* per block, static and dynamic together; UINT32_MAX: limited by memory only */
  uint32_t least_lanes;   /* per warp: the smallest number in kernels for this device */
  uint32_t most_lanes;    /* the largest number; both are 0 if it is not known. On "cpu" the numbers that the objects
                           * of the program were compiled for, when the device was opened */
  uint32_t compute_units; /* the units that run blocks; 0 if it is not known */
  uint32_t reserved;      /* 0 */
  uint64_t memory_bytes;  /* 0 if it is not known */
} offloadrt_limits;
int offloadrt_device_limits(offloadrt_device *device, offloadrt_limits *limits);

/* Allocates `bytes` of device memory, aligned to at least 16, on "cpu", CUDA and HIP to 256. An allocation of 0
 * bytes also returns an address. Only kernels and the functions of this header may use the address. Freeing null is
 * allowed. */
int offloadrt_allocate(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free(offloadrt_device *device, void *address);

/* Allocates host memory. It is pinned if the driver supports this (CUDA, HIP, OpenCL with unified shared memory), so
 * that copies from and to it are faster and run in parallel with the host. Otherwise it is plain memory, aligned to
 * 256. The host uses it like any other memory; kernels must not use it. Free it when no copy uses it. */
int offloadrt_allocate_host(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free_host(offloadrt_device *device, void *address);

/* Allocates memory that kernels and the host access at the same address, without copies: managed memory on CUDA and HIP
 * (pinned host memory, which is read over the bus, if host and kernels could not use managed memory at the same time),
 * shared or host memory on OpenCL, and any memory on the cpu. The host sees the writes of a kernel after it has waited
 * for the kernel, and a kernel sees the writes of the host before its launch. Returns OFFLOADRT_UNSUPPORTED on OpenCL
 * devices without unified shared memory and without fine-grained shared virtual memory. The copy functions below accept
 * this memory on either side. Free it when nothing uses it. */
int offloadrt_allocate_unified(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free_unified(offloadrt_device *device, void *address);

/* Copies memory, in order with the launches of `stream` (null: the default stream of the device). The program may reuse
 * the host memory when the function returns. */
int offloadrt_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);
int offloadrt_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);

/* Submits such a copy without waiting. The host memory belongs to the copy until the program has waited for the stream,
 * or for an event recorded after the copy. If the memory is not pinned, a driver may still wait. */
int offloadrt_submit_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                    size_t bytes);
int offloadrt_submit_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                  size_t bytes);

/* Submit a copy between two ranges of device memory, which must not overlap, and a fill of `bytes` of device memory
 * with `byte`. */
int offloadrt_submit_copy(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);
int offloadrt_submit_fill(offloadrt_device *device, offloadrt_stream *stream, void *to, unsigned char byte, size_t bytes);

/* Maps host memory to the device by OpenMP's rules. A range is copied to the device once, even if several callers map
 * it or a part of it, and leaves the device with the last of them. `address` receives its address on the device. On
 * "cpu" that is the host's address, and nothing is copied, so between two updates the host may see the values of either
 * side. A range that overlaps another range without lying inside it has its own memory. The runtime's own mappings
 * preserve an alignment of up to 16 bytes. The copies are in order with the launches of `stream` (null: the default
 * stream of the device). With libomptarget, these functions are __tgt_target_data_begin_mapper, _end_mapper and
 * _update_mapper, so memory that other code of the program has mapped is also present. */
enum offloadrt_map_flag {
  OFFLOADRT_MAP_TO = 1,    /* mapping copies to the device if the range was not present */
  OFFLOADRT_MAP_FROM = 2,  /* unmapping copies from the device if the range leaves it, and waits for the stream */
  OFFLOADRT_MAP_ALWAYS = 4 /* the two copies happen even if another caller has mapped the range */
};
int offloadrt_map(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes, unsigned flags,
                  void **address);
/* Undoes one offloadrt_map() of the same range, even if it returns an error because the copy failed, or because a
 * kernel in the stream panicked. */
int offloadrt_unmap(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes, unsigned flags);
/* Copy a mapped range, or a part of one, to the device and from the device. */
int offloadrt_update_to(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes);
int offloadrt_update_from(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes);

/* Launches and copies of one stream run in the order of the calls. Destroying a stream waits for it; destroying null is
 * allowed. */
int offloadrt_stream_create(offloadrt_device *device, offloadrt_stream **stream);
int offloadrt_stream_destroy(offloadrt_stream *stream);

/* Handles of the library that drives the device, for programs that use both. A stream's handle is a CUstream (which is a
 * cudaStream_t), a hipStream_t or a cl_command_queue. A context is a CUcontext, which is the primary one of the device,
 * or a cl_context. OFFLOADRT_UNSUPPORTED: the device has no such handle, as `cpu`.
 *
 * offloadrt_stream_adopt() makes a stream of a queue that the program has created for this device, with OpenCL an
 * in-order queue in the context above. The queue must exist until the stream is destroyed, which waits for the queue and
 * leaves it to the program. A call of the library that waits for the queue does not report a kernel's panic.
 * offloadrt_stream_handle() returns the handle of any stream, also of the default stream (null), whose handle is null on
 * CUDA and HIP. */
int offloadrt_stream_adopt(offloadrt_device *device, void *handle, offloadrt_stream **stream);
int offloadrt_stream_handle(offloadrt_device *device, offloadrt_stream *stream, void **handle);
int offloadrt_device_context(offloadrt_device *device, void **context);
/* Opens a device, whose name is as for offloadrt_device_open(), in a CUcontext that the program has created for it,
 * instead of its primary context (since version 3.3), or in a cl_context with the device, instead of a context of its
 * own. The context must exist until the device is closed, and belongs to the program; a cl_context is retained until
 * then. OFFLOADRT_INVALID: the context is null, or belongs to another device. OFFLOADRT_UNSUPPORTED: the device is not
 * one of CUDA or OpenCL. */
int offloadrt_device_adopt(const char *name, void *context, offloadrt_device **device);

/* An event marks a position in the work of a stream. Recording an event places it after the work submitted so far;
 * recording it again moves it. An event that was never recorded counts as complete. Destroying null is allowed, and so
 * is destroying an event that is not complete. These functions do not report a kernel's panic; a call that waits for
 * the stream does. An event and its streams must belong to the same device. */
int offloadrt_event_create(offloadrt_device *device, offloadrt_event **event);
int offloadrt_event_destroy(offloadrt_event *event);
int offloadrt_event_record(offloadrt_event *event, offloadrt_stream *stream);
/* Work that is submitted to `stream` later waits for the event. The function itself does not wait. */
int offloadrt_stream_wait(offloadrt_stream *stream, offloadrt_event *event);
/* Wait for the event; set `over` to 1 or 0 without waiting. */
int offloadrt_event_synchronize(offloadrt_event *event);
int offloadrt_event_query(offloadrt_event *event, int *over);
/* Waits for both events and returns the time between them, which is negative if `to` was first. Both must have been
 * recorded. On GPUs and with OpenCL, the time is that of the device's clock at the position in the stream (CUDA and HIP
 * count in half microseconds). On the cpu and on libomptarget's devices, work is complete when its call returns. The
 * time is then that of the host's monotonic clock when the event was recorded, and it includes the host's work between
 * two calls. */
int offloadrt_event_elapsed(offloadrt_event *from, offloadrt_event *to, int64_t *nanoseconds);

/* Launches `kernel` (a handle: __offload_kernel(f), or offloadrt_find_kernel). The function checks the number and the
 * sizes of the arguments against the kernel's parameter table, and copies them before it returns. The address of an
 * argument is the address of its value, also for a pointer. On the cpu, the kernel has finished when the function
 * returns. Several threads may call this function at once.
 *
 * If the kernel panics and has finished when the launch returns, the launch returns the error. Otherwise the next call
 * that waits for the stream returns it: offloadrt_synchronize(), offloadrt_copy_to_host(), offloadrt_stream_destroy()
 * or offloadrt_device_close(). The error is reported once, and the memory keeps all that the kernel wrote before. */
int offloadrt_launch(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                     const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                     size_t argument_count);

/* The same with host pointers. If the kernel's table contains the size of the memory that a pointer refers to (struct
 * offload_extent, from the IR's `dereferenceable(N)`, which rustc writes for references to types of a known size if it
 * optimises), that memory is mapped for the launch: to the device before the kernel, and back after it, unless the
 * kernel only reads it (`readonly`). All other pointers must lead into memory that offloadrt_map() has mapped, or be
 * null. The function waits for the kernel. If the kernel panicked, the memory that it wrote is still copied back. */
enum offloadrt_mapped_launch_flag {
  /* A promise: all threads together write every byte of the memory that the kernel only writes (`writeonly`). That
   * memory is then not copied to the device. If the promise were wrong, bytes that no thread writes would come back as
   * garbage. */
  OFFLOADRT_WRITES_ALL = 1
};
int offloadrt_launch_mapped(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                            const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                            size_t argument_count, unsigned flags);

/* Passes on the value of a constant of device code that the program has set (since version 3.2). Kernels of the object
 * read it in a static, and `writer` is the kernel that writes it there. Where the runtime makes an image of the object
 * while the program runs, the value is in the code. Other images keep it in memory, so the program launches `writer` in
 * any case. With null, the value is in memory of all images. The first launch that may need such an image takes the
 * values; after it, another value is refused. */
int offloadrt_set_late_constant(const struct offload_kernel *writer, const void *value, size_t bytes);

/* Waits for all work submitted to `stream` (null: to the device). */
int offloadrt_synchronize(offloadrt_device *device, offloadrt_stream *stream);

/* The handle of the kernel of this name (as `offloadc inspect` prints it) in any registered object, or null. */
const struct offload_kernel *offloadrt_find_kernel(const char *name);

/* The last error of the calling thread; never null, "" if there was none. */
const char *offloadrt_error_text(void);

/* Calls `visit` for every registered kernel, in the order of registration. `visit` may call the runtime. */
void offloadrt_each_kernel(void (*visit)(const struct offload_kernel *kernel, void *context), void *context);

/* ---------------------------------------------------------------------------------------------
 * What offloadc emits. All structures are little-endian ELF64 data, 8-byte aligned.
 */

enum offload_parameter_kind {
  OFFLOAD_PARAMETER_VALUE = 0,   /* bytes by value: an integer, a float, a small vector */
  OFFLOAD_PARAMETER_POINTER = 1, /* a device pointer, 8 bytes */
  OFFLOAD_PARAMETER_BLOCK = 2,   /* the whole argument struct of a block kernel, by value */
  OFFLOAD_PARAMETER_WORDS = 3    /* bytes by value in whole words of 8 bytes: the argument may end before the last word does */
};

/* One parameter, 16 bytes. Its bytes are at `offset` in the packed argument buffer. */
struct offload_parameter {
  uint32_t offset;
  uint32_t size;
  uint32_t align;
  uint32_t kind;
};

/* The size and use of the memory that a parameter points to, 16 bytes. A kernel with OFFLOAD_KERNEL_HAS_EXTENTS has one
 * for each parameter, directly after its parameters. */
struct offload_extent {
  uint64_t bytes;      /*  0: size of the memory it points to; 0: not known, or not a pointer */
  uint32_t directions; /*  8: OFFLOADRT_MAP_TO: the kernel may read it; OFFLOADRT_MAP_FROM: it may write it */
  uint32_t reserved;   /* 12: 0 */
};

/* A scalar among the bytes of the arguments, 16 bytes: a number, or a struct of numbers. A kernel with
 * OFFLOAD_KERNEL_HAS_SCALARS has them directly after its parameters and extents, in the order of their offsets. A row
 * with size 0 is the last. */
struct offload_scalar {
  uint32_t offset;   /*  0: in the packed argument buffer */
  uint32_t size;     /*  4 */
  uint32_t flags;    /*  8: of enum offload_scalar_flag */
  uint32_t reserved; /* 12: 0 */
};

enum offload_scalar_flag {
  OFFLOAD_SCALAR_SPECIALIZED = 1 /* code for its value is wanted once that is known */
};

/* The record that the first panicking thread stores: 64 bytes, zero before. The numbers of texts count from 1, and 0
 * means that the text is not known; see struct offload_panic_texts. */
struct offload_panic {
  uint32_t claimed;     /*  0: 1 once a thread has panicked */
  uint32_t message;     /*  4 */
  uint32_t place;       /*  8 */
  uint32_t reserved;    /* 12 */
  uint64_t operands[3]; /* 16 */
  uint32_t block[3];    /* 40 */
  uint32_t thread[3];   /* 52 */
};

/* Size in bytes of the unit in which the heap of a launch is counted. */
#define OFFLOAD_HEAP_UNIT 16

/* The state of a launch, in memory that the device can access: 128 bytes. A kernel with OFFLOAD_KERNEL_TAKES_STATE
 * receives its address in addition to the arguments: a cpu entry in its block, an entry point on a GPU as one parameter
 * after those of the table, and libomptarget's in a slot before them. */
struct offload_launch_state {
  struct offload_panic panic; /*  0 */
  void *heap;                 /* 64: threads allocate from here; aligned to 16; null: no heap */
  uint32_t heap_units;        /* 72: size of the heap in units of OFFLOAD_HEAP_UNIT */
  uint32_t heap_used;         /* 76: allocated units; threads increase it */
  struct offload_host_call *mailbox; /* 80: OFFLOAD_MAILBOX_SLOTS slots for calls of the host; null: there is no mailbox;
                               * with `call_host`, a pointer of the runtime's own */
  uint64_t object;            /* 88: the `serial` of the kernel's object, to which the numbers of host functions belong */
  uint32_t claims[4];         /* 96: a bit for each slot of the mailbox that a thread uses */
  uint32_t tickets;           /* 112: threads count it up to distribute the slots */
  uint32_t reserved;          /* 116: 0 */
  /* 120: if the kernel runs in this process, the function that calls the host; else null */
  uint32_t (*call_host)(struct offload_launch_state *state, uint64_t number, const void *arguments,
                        uint64_t argument_bytes, void *result, uint64_t result_bytes);
};

/* The number of slots of a mailbox, and the most bytes of the arguments and of the result of a call. */
#define OFFLOAD_MAILBOX_SLOTS 128
#define OFFLOAD_HOST_CALL_BYTES 896

/* A slot of a mailbox, in memory that the host and the device access at the same time: 1024 bytes, aligned to 128. The
 * device writes the fields before `answer`, the host writes `answer` and `status`, and both write `bytes`. docs/runtime.md
 * has the protocol. */
struct offload_host_call {
  uint32_t request;        /*  0: counts the calls of this slot; the call begins when it changes */
  uint32_t argument_bytes; /*  4 */
  uint64_t number;         /*  8: of the function */
  uint64_t object;         /* 16: to which the number belongs */
  uint32_t result_bytes;   /* 24 */
  uint32_t reserved[9];    /* 28 */
  uint32_t answer;         /* 64: the call is over when it is equal to `request` */
  uint32_t status;         /* 68: enum offload_host_call_status */
  uint32_t padding[14];    /* 72 */
  unsigned char bytes[OFFLOAD_HOST_CALL_BYTES]; /* 128: the arguments, then the result */
};

/* The result of `__offload_call_host`, and of a function of the host that kernels call. */
enum offload_host_call_status {
  OFFLOAD_HOST_CALL_DONE = 0,     /* the function has returned */
  OFFLOAD_HOST_CALL_PANICKED = 1, /* it has panicked, and has no result */
  OFFLOAD_HOST_CALL_NO_HOST = 2,  /* the launch has no host that can be called, or the number is that of no function */
  OFFLOAD_HOST_CALL_TOO_LARGE = 3 /* the arguments or the result have more than OFFLOAD_HOST_CALL_BYTES */
};

/* A function of the host that kernels call. It reads the arguments, writes the result, and returns a value of enum
 * offload_host_call_status. If it panics, it writes the message to `text`, which has room for `capacity` bytes, with a
 * NUL at the end. */
typedef uint32_t (*offload_host_function)(const void *arguments, void *result, char *text, size_t capacity);

struct offload_cpu_block;
/* The entry point of a cpu image. It runs every thread of one block. `arguments` is the packed argument buffer. */
typedef void (*offload_cpu_entry)(const struct offload_cpu_block *block, const unsigned char *arguments);

/* The target of a handle: one per kernel, 64 bytes, never folded or merged. */
#define OFFLOAD_KERNEL_VERSION 3
struct offload_kernel {
  uint32_t size;                              /*  0: sizeof(struct offload_kernel) */
  uint32_t version;                           /*  4: OFFLOAD_KERNEL_VERSION */
  const char *name;                           /*  8: the entry point's name in every image */
  const struct offload_parameter *parameters; /* 16 */
  uint32_t parameter_count;                   /* 24 */
  uint32_t argument_bytes;                    /* 28: size of the packed argument buffer */
  uint32_t argument_align;                    /* 32 */
  uint32_t shared_bytes;                      /* 36: static shared memory of the cpu image, per block */
  offload_cpu_entry cpu_entry;                /* 40: null if the object contains no cpu code */
  const struct offload_descriptor *descriptor; /* 48: the object this kernel belongs to */
  uint32_t flags;                             /* 56: of enum offload_kernel_flag */
  uint32_t threads_per_block;                 /* 60: the largest number, as promised for all archs; 0: no promise */
};

/* The handle of a kernel in an object with cpu code for several levels of a processor, 88 bytes: `size` and
 * OFFLOAD_KERNEL_HAS_LEVELS say so. All handles of an object have the same size. */
struct offload_kernel_levels {
  struct offload_kernel kernel; /*  0: cpu_entry is the code for every processor; null if there is none */
  offload_cpu_entry entries[3]; /* 64: the code for x86-64-v2, -v3 and -v4; null where there is none */
};

enum offload_kernel_flag {
  OFFLOAD_KERNEL_TAKES_STATE = 1, /* it takes the state of the launch, in every image */
  OFFLOAD_KERNEL_NEEDS_HEAP = 2,  /* it allocates memory: its launches need heap_bytes */
  OFFLOAD_KERNEL_HAS_EXTENTS = 4, /* its parameters are followed by the same number of struct offload_extent */
  OFFLOAD_KERNEL_KEEPS_HEAP = 8,  /* it allocates, and a static may store an address: launches never share a heap */
  OFFLOAD_KERNEL_HAS_CPU_CODE = 16, /* the object contains cpu code of it */
  OFFLOAD_KERNEL_HAS_LEVELS = 32,   /* the handle is a struct offload_kernel_levels */
  OFFLOAD_KERNEL_HAS_SCALARS = 64,  /* its parameters and extents are followed by struct offload_scalar */
  OFFLOAD_KERNEL_SPECIALIZES_BLOCK_DIM = 128, /* code of it for the size of the block is wanted */
  OFFLOAD_KERNEL_CALLS_HOST = 256,  /* it calls functions of the host */
  OFFLOAD_KERNEL_CALLS_FUNCTIONS = 512, /* it calls functions that are passed as values, by their numbers */
  OFFLOAD_KERNEL_MAY_ALLOCATE = 1024, /* a function that it may call through a pointer allocates: it can have heap_bytes */
  OFFLOAD_KERNEL_RESTRICTS = 2048, /* it promises that its arguments do not overlap; the launching code must check that */
  OFFLOAD_KERNEL_TAKES_SLOT_ARRAY = 4096 /* its image for libomptarget's host device takes its slots in both forms */
};

/* The texts of the numbers in a panic's record, 16 bytes. The following arrays come after it: the places, a uint32_t
 * for each message and a uint32_t for each kernel, in the order of the handles. Number 1 is the first element. The
 * uint32_t are the offsets of the message and of the kernel's display name. NUL-terminated strings come last. Their
 * offsets count from the start of this structure. */
struct offload_panic_texts {
  uint32_t size;          /*  0: size of all texts, a multiple of 8 */
  uint32_t place_count;   /*  4 */
  uint32_t message_count; /*  8 */
  uint32_t kernel_count;  /* 12 */
};

/* The numbers above this one are those of panics in functions of other objects, which have no texts here. */
#define OFFLOAD_LINKED_PANICS (1u << 24)

/* A source location, 12 bytes. */
struct offload_panic_place {
  uint32_t file;   /*  0: offset of a string */
  uint32_t line;   /*  4: from 1 */
  uint32_t column; /*  8: from 1 */
};

/* Characters of a message that the runtime replaces by text. */
enum offload_panic_text {
  OFFLOAD_PANIC_OPERAND = 1,      /* the first operand of the panic, in decimal; character 2 is the second operand */
  OFFLOAD_PANIC_LAST_OPERAND = 3, /* the third operand */
  OFFLOAD_PANIC_MORE = 4,         /* `: ` and the message whose number is the first operand; nothing if that is 0 */
  OFFLOAD_PANIC_SLICE_RANGE = 5,  /* the fault of a slice's range; the operands are its start and end, and the length */
  OFFLOAD_PANIC_HOST_PANIC = 6    /* `: ` and the message of a panic in a function of the host; nothing without one */
};

/* The constructor of an object passes this to offloadrt_register(): 96 bytes, writable. Objects of older compilers end
 * before `host_functions` or before `first_function`, and have a smaller `size`. */
#define OFFLOAD_DESCRIPTOR_VERSION 3
struct offload_descriptor {
  uint32_t size;                        /*  0: sizeof(struct offload_descriptor) */
  uint32_t version;                     /*  4: OFFLOAD_DESCRIPTOR_VERSION */
  const struct offload_kernel *kernels; /*  8 */
  uint64_t kernel_count;                /* 16 */
  const unsigned char *images_begin;    /* 24: consecutive OffloadBinary containers of version 1; null: none */
  const unsigned char *images_end;      /* 32 */
  struct offload_descriptor *next;      /* 40: the runtime's list */
  uint64_t serial;                      /* 48: the runtime's: the number of this registration; 0: not registered yet */
  const struct offload_panic_texts *panics; /* 56: the texts of a panic's numbers and the names of kernels; null: no
                                             * kernel reports panics, and each has its symbol as its name */
  const offload_host_function *host_functions; /* 64: the functions of the host that kernels call, by number */
  uint64_t host_function_count;         /* 72 */
  uint64_t first_function;              /* 80: the number of the first function that the program passes as a value */
  uint64_t function_count;              /* 88: how many such functions there are; their numbers are consecutive */
};

/* Link and unlink a descriptor. They call no driver and allocate nothing. Registering a linked descriptor, or unlinking
 * one that is not linked, has no effect. */
void offloadrt_register(struct offload_descriptor *descriptor);
void offloadrt_unregister(struct offload_descriptor *descriptor);

/* The view that a cpu entry has of the launch: 96 bytes. The scheduler makes one per worker and changes block_id
 * between calls. `shared` contains the kernel's static shared memory (shared_bytes, uninitialised) and then, at the
 * next multiple of 16, the dynamic part. */
struct offload_cpu_block {
  uint32_t grid_dim[3];  /*  0 */
  uint32_t block_dim[3]; /* 12 */
  uint32_t block_id[3];  /* 24 */
  uint32_t dynamic_shared_bytes; /* 36 */
  unsigned char *shared;         /* 40: aligned to 64, and to each power of two up to 4096 that divides shared_bytes */
  unsigned char *dynamic_shared; /* 48 */
  /* Returns memory for the frames of the block's threads, aligned to 64 and valid until the entry returns. A second
   * call within one entry call enlarges the same memory: its bytes are kept, but its address may change. The function
   * never returns null: if there is no memory, it leaves the entry, and the launch fails. Only kernels with barriers
   * call it. */
  void *(*frames)(const struct offload_cpu_block *block, size_t bytes); /* 56 */
  struct offload_launch_state *state; /* 64: the state of the launch, if the kernel takes it */
  void *scheduler;                    /* 72: the scheduler's own */
  /* Ends the block for all its threads, because the calling thread has panicked. It does not return. */
  void (*leave)(const struct offload_cpu_block *block); /* 80 */
  void *check;                        /* 88: of the checker, if the kernel is instrumented */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
