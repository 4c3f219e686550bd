/* offloadrt: the host side of an offloadc program.
 *
 * One header for every runtime: liboffloadrt (ours) and liboffloadrt-omptarget (the same calls over
 * LLVM's libomptarget). Usable from C11 and C++. Every call that can fail returns an int: 0 for
 * success, else a value of `enum offloadrt_status`; offloadrt_error_text() then says what happened,
 * per thread.
 *
 * The second half of this file, "What offloadc emits", is the binary interface between the compiler
 * and the runtime: src/bundle/ writes these structures, and only these.
 */
#ifndef OFFLOADRT_H
#define OFFLOADRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum offloadrt_status {
  OFFLOADRT_SUCCESS = 0,
  OFFLOADRT_INVALID = 1,     /* an argument of the call is wrong */
  OFFLOADRT_NO_DEVICE = 2,   /* no such device on this machine */
  OFFLOADRT_NO_IMAGE = 3,    /* the program has no image that fits the device */
  OFFLOADRT_NO_MEMORY = 4,   /* device or host memory is exhausted */
  OFFLOADRT_MISMATCH = 5,    /* a launch does not fit the kernel's parameter table */
  OFFLOADRT_FAILED = 6,      /* the driver or the kernel failed */
  OFFLOADRT_PANICKED = 7,    /* a kernel panicked; the device is as good as before, and so is its memory */
  OFFLOADRT_UNSUPPORTED = 8  /* the device has no such thing */
};

typedef struct offloadrt_device offloadrt_device;
typedef struct offloadrt_stream offloadrt_stream;
typedef struct offloadrt_event offloadrt_event;
struct offload_kernel; /* what a kernel's handle points to; see below */

/* One launch argument: where its bytes are and how many there are. One without bytes, such as Rust's `()`, may be given
 * or left out. */
typedef struct offloadrt_argument {
  const void *address;
  size_t size;
} offloadrt_argument;

enum offloadrt_launch_flag {
  /* Among the arguments may be addresses of the host's memory, where a kernel can leave the address of what it allocates. On
   * drivers that wait, whose kernels run in that memory, the heap is nobody else's when the launch is over. */
  OFFLOADRT_KEEP_HEAP = 1
};

/* The shape of a launch. Zero-initialise, then set `size` to sizeof and `version` to
 * OFFLOADRT_LAUNCH_VERSION. Grid and block are counts in x, y, z; none may be 0. */
#define OFFLOADRT_LAUNCH_VERSION 2
typedef struct offloadrt_launch_config {
  uint32_t size;
  uint32_t version;
  uint32_t grid[3];              /* blocks */
  uint32_t block[3];             /* threads per block */
  uint32_t dynamic_shared_bytes; /* what __offload_dynamic_shared() points to */
  uint32_t flags;                /* of enum offloadrt_launch_flag */
  void *panic_record;            /* reserved; null: the runtime has records of its own */
  /* Since version 2; version 1 ends above. Bytes of memory for what the kernel's threads allocate (`Box`,
   * `Vec`, `String`), all threads of the launch together, up to 64 GiB. Mostly not used again before the
   * launch is over; never, when a later launch may find it (OFFLOAD_KERNEL_KEEPS_HEAP, OFFLOADRT_KEEP_HEAP). A
   * kernel that allocates is not launched with 0; a thread that finds no room panics. */
  uint64_t heap_bytes;
} offloadrt_launch_config;

/* Devices. liboffloadrt has "cpu" (or "cpu:0"), and where their drivers are "cuda:0", "hip:0", "opencl:0" and so on; an
 * OpenCL device also goes by any part of its maker's or its own name, as in "opencl:intel", which is the first
 * one it is a part of. liboffloadrt-omptarget has libomptarget's devices, "omptarget:0" and so
 * on, as many as fit an image of the program; there "cpu" is the first one that is the host's processor.
 * Null opens the default device: the one that OFFLOADRT_DEVICE names in the environment, else "cpu", or
 * "omptarget:0". The error text for an unknown name lists the names there are. */
int offloadrt_device_open(const char *name, offloadrt_device **device);
/* Waits for the device, then closes it; its memory, streams and events must have been given back. Closing null
 * is allowed. */
int offloadrt_device_close(offloadrt_device *device);
/* Valid until the device is closed. */
const char *offloadrt_device_name(const offloadrt_device *device);
/* What offloadc calls its arch, "sm_90", "gfx90a:sramecc+:xnack-", "spirv64", "cpu", and what its maker calls it; there until
 * the device is closed, and "" where the driver does not say (libomptarget). */
const char *offloadrt_device_arch(const offloadrt_device *device);
const char *offloadrt_device_product(const offloadrt_device *device);

/* What a device allows and has. Zero-initialise, then set `size` to sizeof and `version` to
 * OFFLOADRT_LIMITS_VERSION; the call fills in the rest. A launch beyond a limit is OFFLOADRT_INVALID, and the text
 * has both numbers and the device's name. A kernel may allow less than its device: fewer threads when it needs many
 * registers or promises them (launch bounds), less launch-sized shared memory when it has static one. */
#define OFFLOADRT_LIMITS_VERSION 1
typedef struct offloadrt_limits {
  uint32_t size;
  uint32_t version;
  uint32_t threads_per_block;
  uint32_t block[3];      /* threads along x, y, z */
  uint32_t grid[3];       /* blocks along x, y, z */
  uint32_t shared_bytes;  /* of a block, static and launch-sized together; UINT32_MAX: what memory there is */
  uint32_t least_lanes;   /* of a warp: kernels for this device may have from so many */
  uint32_t most_lanes;    /* to so many; both 0 when that is not known. On "cpu" what the program's objects were
                           * compiled for when the device was opened */
  uint32_t compute_units; /* what blocks are spread over; 0 when that is not known */
  uint32_t reserved;      /* 0 */
  uint64_t memory_bytes;  /* 0 when that is not known */
} offloadrt_limits;
int offloadrt_device_limits(offloadrt_device *device, offloadrt_limits *limits);

/* Device memory, in bytes, aligned to 16 at least, on "cpu", CUDA and HIP to 256. 0 bytes give an address
 * too. An address is for kernels and for the calls here. Freeing null is allowed. */
int offloadrt_allocate(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free(offloadrt_device *device, void *address);

/* Memory of the host, pinned where the driver can (CUDA, HIP, OpenCL with unified shared memory), so that copies from and
 * to it run beside the host and faster; elsewhere it is plain memory, aligned to 256. The host uses it as any other;
 * kernels have no business with it. To be freed when no copy uses it any more. */
int offloadrt_allocate_host(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free_host(offloadrt_device *device, void *address);

/* Memory that kernels and the host reach at the same address, without copies: CUDA's and HIP's managed memory (pinned
 * host memory, read over the bus, where the two could not use it at the same time), OpenCL's shared or host memory, on the
 * cpu any memory. What a kernel writes is there for the host once the kernel has been waited for, and the other way
 * round a kernel sees what was written before its launch. OFFLOADRT_UNSUPPORTED where the device has none: OpenCL
 * without unified shared memory and without fine-grained shared virtual memory. The copies below take it on either side.
 * To be freed when nothing uses it any more. */
int offloadrt_allocate_unified(offloadrt_device *device, size_t bytes, void **address);
int offloadrt_free_unified(offloadrt_device *device, void *address);

/* Copies; ordered with the launches of `stream` (null: the device's default stream). The host's memory
 * may be used again when the call returns. */
int offloadrt_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);
int offloadrt_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);

/* The same, submitted: the host's memory belongs to the copy until the stream has been waited for, or an event
 * recorded behind it. From memory that is not pinned a driver may wait all the same. */
int offloadrt_submit_copy_to_device(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                    size_t bytes);
int offloadrt_submit_copy_to_host(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from,
                                  size_t bytes);

/* Submitted as well: a copy from the device's memory to the device's memory, which may not overlap, and `byte` in so many
 * bytes of it. */
int offloadrt_submit_copy(offloadrt_device *device, offloadrt_stream *stream, void *to, const void *from, size_t bytes);
int offloadrt_submit_fill(offloadrt_device *device, offloadrt_stream *stream, void *to, unsigned char byte, size_t bytes);

/* Host memory on the device, as OpenMP maps it: a range is brought there once, however many map it or a part of it, and
 * leaves with the last of them. `address` is where it is on the device; on "cpu" the host's own, and nothing is ever
 * copied, so what the host sees there between two updates may be either side's. A range that overlaps another one
 * without lying inside gets memory of its own. What is aligned on the host, to 16 bytes at most, is so in the runtime's
 * own mappings. Ordered with the launches of `stream` (null: the device's default one). Through libomptarget these are
 * __tgt_target_data_begin_mapper, _end_mapper and _update_mapper, so memory that other code of the program has mapped
 * there counts as well. */
enum offloadrt_map_flag {
  OFFLOADRT_MAP_TO = 1,    /* mapping copies to the device, if the range was not there */
  OFFLOADRT_MAP_FROM = 2,  /* unmapping copies from the device, if the range leaves it; waits for the stream */
  OFFLOADRT_MAP_ALWAYS = 4 /* copies as the others say, whoever has the range mapped beside */
};
int offloadrt_map(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes, unsigned flags,
                  void **address);
/* Takes back one offloadrt_map() of the same range, even where what it fails with is that the copy failed, or that a
 * kernel in the stream panicked. */
int offloadrt_unmap(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes, unsigned flags);
/* Copy a range that is mapped, or a part of one, to the device and from there. */
int offloadrt_update_to(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes);
int offloadrt_update_from(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes);

/* Launches and copies of one stream run in the order of the calls. Destroying waits for the stream;
 * destroying null is allowed. */
int offloadrt_stream_create(offloadrt_device *device, offloadrt_stream **stream);
int offloadrt_stream_destroy(offloadrt_stream *stream);

/* Events: places in a stream's work. Recording one puts it behind what the stream was given before; recording it again
 * moves it. What was never recorded counts as over. Destroying null is allowed, and so is destroying one that is not over.
 * No call here tells of a kernel's panic: who waits for the stream is told. Every stream is one of the event's device. */
int offloadrt_event_create(offloadrt_device *device, offloadrt_event **event);
int offloadrt_event_destroy(offloadrt_event *event);
int offloadrt_event_record(offloadrt_event *event, offloadrt_stream *stream);
/* Work that `stream` is given from now on waits for the event; the call does not. */
int offloadrt_stream_wait(offloadrt_stream *stream, offloadrt_event *event);
/* Waits for the event; sets `over` to 1 or 0 without waiting. */
int offloadrt_event_synchronize(offloadrt_event *event);
int offloadrt_event_query(offloadrt_event *event, int *over);
/* Waits for both, and gives the time from one to the other; negative when `to` was first. Both must have been recorded.
 * On GPUs and with OpenCL it is the device's clock, at the place in the stream (CUDA and HIP count in half
 * microseconds). On the cpu and libomptarget's devices work is over when its call returns, so it is the host's monotonic
 * clock at the call that recorded the event; what the host does between two calls is in it. */
int offloadrt_event_elapsed(offloadrt_event *from, offloadrt_event *to, int64_t *nanoseconds);

/* Launches `kernel` (a handle: __offload_kernel(f), or offloadrt_find_kernel). The arguments are
 * copied before the call returns and are checked, count and sizes, against the kernel's parameter
 * table. An argument's address is where its value stands, for a pointer too. On the cpu the kernel has
 * run when the call returns. May be called from several threads at once.
 *
 * A kernel's panic is the error of the launch itself, where the kernel has run when it returns, and else
 * of the next call that waits for the stream: offloadrt_synchronize(), offloadrt_copy_to_host(),
 * offloadrt_stream_destroy() or offloadrt_device_close(). It is told once, and nothing is lost by it but
 * what the kernel did not do. */
int offloadrt_launch(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                     const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                     size_t argument_count);

/* The same with pointers of the host. Where the kernel's table knows how much is behind one (struct offload_extent, from
 * the IR's `dereferenceable(N)`; rustc says it of references to what has a size, when it optimises), so many bytes are
 * mapped for the launch: to the device, and from there when the kernel has run, unless it only reads them (`readonly`).
 * Other pointers lead into memory that offloadrt_map() has brought there, or are null. Waits for the kernel; when it
 * panicked, what it did is copied back all the same. */
enum offloadrt_mapped_launch_flag {
  /* All threads together write every byte of what the kernel only writes (`writeonly`), so it is not copied to the
   * device. Without that promise bytes that no thread writes would come back as garbage. */
  OFFLOADRT_WRITES_ALL = 1
};
int offloadrt_launch_mapped(offloadrt_device *device, offloadrt_stream *stream, const struct offload_kernel *kernel,
                            const offloadrt_launch_config *config, const offloadrt_argument *arguments,
                            size_t argument_count, unsigned flags);

/* Waits for everything submitted to `stream` (null: to the device). */
int offloadrt_synchronize(offloadrt_device *device, offloadrt_stream *stream);

/* The handle of the kernel of this name (as `offloadc inspect` prints it) in any registered object, or null. */
const struct offload_kernel *offloadrt_find_kernel(const char *name);

/* The last error of the calling thread; never null, "" when there was none. */
const char *offloadrt_error_text(void);

/* Calls `visit` for every registered kernel, in registration order. `visit` may call the runtime. */
void offloadrt_each_kernel(void (*visit)(const struct offload_kernel *kernel, void *context), void *context);

/* ---------------------------------------------------------------------------------------------
 * What offloadc emits. All structures are little-endian ELF64 data, 8-byte aligned.
 */

enum offload_parameter_kind {
  OFFLOAD_PARAMETER_VALUE = 0,   /* bytes by value: an integer, a float, a small vector */
  OFFLOAD_PARAMETER_POINTER = 1, /* a device pointer, 8 bytes */
  OFFLOAD_PARAMETER_BLOCK = 2    /* a block kernel's whole argument struct by value */
};

/* One parameter, 16 bytes. Its bytes stand at `offset` in the packed argument buffer. */
struct offload_parameter {
  uint32_t offset;
  uint32_t size;
  uint32_t align;
  uint32_t kind;
};

/* What is known of the memory behind a parameter, 16 bytes. A kernel with OFFLOAD_KERNEL_HAS_EXTENTS has as many of them as
 * parameters, right behind its parameters. */
struct offload_extent {
  uint64_t bytes;      /*  0: how many there are behind the pointer; 0: not known, or no pointer */
  uint32_t directions; /*  8: OFFLOADRT_MAP_TO: the kernel may read them; OFFLOADRT_MAP_FROM: it may write them */
  uint32_t reserved;   /* 12: 0 */
};

/* What the first thread that panics stores: 64 bytes, zero before. Numbers of texts count from 1, and 0 is
 * one that is not known; see src/bundle/panic_texts.rs. */
struct offload_panic {
  uint32_t claimed;     /*  0: 1 once a thread has panicked */
  uint32_t message;     /*  4 */
  uint32_t place;       /*  8 */
  uint32_t reserved;    /* 12 */
  uint64_t operands[3]; /* 16 */
  uint32_t block[3];    /* 40 */
  uint32_t thread[3];   /* 52 */
};

/* What a launch gives its kernel beside the arguments, in memory that the device reaches: 128 bytes. A
 * kernel with OFFLOAD_KERNEL_TAKES_STATE gets its address: a cpu entry in its block, an entry point on a
 * GPU as one parameter behind those of the table, libomptarget's in a slot before them. */
struct offload_launch_state {
  struct offload_panic panic; /*  0 */
  void *heap;                 /* 64: what threads allocate is cut off from here, aligned to 16; null: nothing */
  uint32_t heap_units;        /* 72: its size in units of 16 bytes */
  uint32_t heap_used;         /* 76: units that are taken; threads move it */
  uint64_t reserved[6];       /* 80: 0 */
};

struct offload_cpu_block;
/* The cpu image's entry: runs every thread of one block. `arguments` is the packed argument buffer. */
typedef void (*offload_cpu_entry)(const struct offload_cpu_block *block, const unsigned char *arguments);

/* What a handle points to: one per kernel, 64 bytes, never folded or merged. */
#define OFFLOAD_KERNEL_VERSION 1
struct offload_kernel {
  uint32_t size;                              /*  0: sizeof(struct offload_kernel) */
  uint32_t version;                           /*  4: OFFLOAD_KERNEL_VERSION */
  const char *name;                           /*  8: the entry point's name in every image */
  const struct offload_parameter *parameters; /* 16 */
  uint32_t parameter_count;                   /* 24 */
  uint32_t argument_bytes;                    /* 28: size of the packed argument buffer */
  uint32_t argument_align;                    /* 32 */
  uint32_t shared_bytes;                      /* 36: static shared memory of the cpu image, per block */
  offload_cpu_entry cpu_entry;                /* 40: null when there is no cpu code in the object */
  const struct offload_descriptor *descriptor; /* 48: the object this kernel belongs to */
  uint32_t flags;                             /* 56: of enum offload_kernel_flag */
  uint32_t threads_per_block;                 /* 60: the most, as it promises for all archs; 0: no promise */
};

enum offload_kernel_flag {
  OFFLOAD_KERNEL_TAKES_STATE = 1, /* it takes the launch's state, in every image */
  OFFLOAD_KERNEL_NEEDS_HEAP = 2,  /* it allocates memory: its launches need heap_bytes */
  OFFLOAD_KERNEL_HAS_EXTENTS = 4, /* behind its parameters stand as many struct offload_extent */
  OFFLOAD_KERNEL_KEEPS_HEAP = 8   /* it allocates memory and reaches a static that may keep it: no launch gets another's */
};

struct offload_panic_texts; /* see src/bundle/panic_texts.rs */

/* What the constructor of an object hands to offloadrt_register(): 64 bytes, writable. */
#define OFFLOAD_DESCRIPTOR_VERSION 1
struct offload_descriptor {
  uint32_t size;                        /*  0: sizeof(struct offload_descriptor) */
  uint32_t version;                     /*  4: OFFLOAD_DESCRIPTOR_VERSION */
  const struct offload_kernel *kernels; /*  8 */
  uint64_t kernel_count;                /* 16 */
  const unsigned char *images_begin;    /* 24: OffloadBinary version 1 containers, one after another; null: none */
  const unsigned char *images_end;      /* 32 */
  struct offload_descriptor *next;      /* 40: the runtime's list */
  uint64_t serial;                      /* 48: the runtime's: which registration this is; 0: not registered yet */
  const struct offload_panic_texts *panics; /* 56: what a panic's numbers stand for; null: no kernel reports one */
};

/* Links and unlinks a descriptor; calls no driver and allocates nothing. Registering one that is linked,
 * or unlinking one that is not, does nothing. */
void offloadrt_register(struct offload_descriptor *descriptor);
void offloadrt_unregister(struct offload_descriptor *descriptor);

/* What a cpu entry sees of the launch: 96 bytes. The scheduler makes one per worker and changes
 * block_id between calls. `shared` holds the kernel's static shared memory (shared_bytes, uninitialised)
 * and then, at the next multiple of 16, the launch-sized part. */
struct offload_cpu_block {
  uint32_t grid_dim[3];  /*  0 */
  uint32_t block_dim[3]; /* 12 */
  uint32_t block_id[3];  /* 24 */
  uint32_t dynamic_shared_bytes; /* 36 */
  unsigned char *shared;         /* 40: aligned to 64, and to every power of two up to 4096 that shared_bytes is a multiple of */
  unsigned char *dynamic_shared; /* 48 */
  /* Memory for the frames of the block's threads, aligned to 64, valid until the entry returns;
   * a second call in one entry call returns the same memory, grown: its bytes are kept, its address may
   * change. Never returns null: when memory is out it leaves the entry, and the launch fails. Only
   * kernels with barriers call it. */
  void *(*frames)(const struct offload_cpu_block *block, size_t bytes); /* 56 */
  struct offload_launch_state *state; /* 64: the launch's, where its kernel takes it */
  void *scheduler;                    /* 72: the scheduler's own */
  /* Ends the block for all its threads, because the calling one has panicked; does not return. */
  void (*leave)(const struct offload_cpu_block *block); /* 80 */
  uint64_t reserved;                  /* 88 */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
