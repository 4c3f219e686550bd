/* Tests the OpenCL driver while each call of the library in turn fails (faults.h). A wrapper of each function that can
 * fail returns an error on request and counts the objects that exist. The wrapped library is real. */
#include "drivers/opencl.h"

#include "check.h"
#include "container.h"
#include "faults.h"
#include "mapping.h"

/* Failures on demand: the call with this number fails, and with `lasts` every later call. A call that frees an object
 * still frees it. */
enum { ERROR = CL_OUT_OF_RESOURCES };
static int calls_left, lasts, held;
static const char *failed;

static void fail(int call, int how) {
  calls_left = call;
  lasts = how;
  failed = NULL;
}

static cl_int fails(const char *function) {
  if (!calls_left || --calls_left)
    return CL_SUCCESS;
  calls_left = lasts;
  failed = failed ? failed : function;
  return ERROR;
}

static const char *what_failed(void) { return failed; }
static int objects(void) { return held; }

/* In front of the library ---------------------------------------------------------------------------- */

static struct opencl_functions cl;
static struct opencl_usm_functions usm;

/* Wraps a function that only returns an error code. */
#define CALL(table, name, parameters, arguments)     \
  static cl_int name parameters {                    \
    cl_int error = fails(#name);                     \
    return error ? error : table.name arguments;     \
  }
/* Wraps a function that creates an object, and the function that releases it. */
#define MAKE(table, name, result, parameters, arguments)            \
  static result name parameters {                                   \
    *error = fails(#name);                                          \
    result made = *error ? NULL : table.name arguments;             \
    held += made != NULL;                                           \
    return made;                                                    \
  }
/* Wraps a function that must always run: submitted work is started and waited for, even if the wrapper returns an
 * error. */
#define WAIT(name, parameters, arguments)     \
  static cl_int name parameters {             \
    cl_int error = cl.name arguments;         \
    return error ? error : fails(#name);      \
  }
#define GIVE_BACK(table, name, parameters, arguments) \
  static cl_int name parameters {                     \
    cl_int error = table.name arguments;              \
    held--;                                           \
    return error ? error : fails(#name);              \
  }

typedef void notify_context(const char *, const void *, size_t, void *);
typedef void notify_program(cl_program, void *);
#define WAITS cl_uint count, const cl_event *list

MAKE(cl, CreateContext, cl_context,
     (const intptr_t *properties, cl_uint count, const cl_device_id *ids, notify_context *notify, void *user, cl_int *error),
     (properties, count, ids, notify, user, error))
MAKE(cl, CreateCommandQueueWithProperties, cl_command_queue,
     (cl_context context, cl_device_id id, const cl_bitfield *properties, cl_int *error), (context, id, properties, error))
MAKE(cl, CreateProgramWithIL, cl_program, (cl_context context, const void *code, size_t size, cl_int *error),
     (context, code, size, error))
MAKE(cl, CreateProgramWithBinary, cl_program,
     (cl_context context, cl_uint count, const cl_device_id *ids, const size_t *sizes, const unsigned char **binaries,
      cl_int *errors, cl_int *error),
     (context, count, ids, sizes, binaries, errors, error))
MAKE(cl, CreateKernel, cl_kernel, (cl_program program, const char *name, cl_int *error), (program, name, error))
MAKE(usm, DeviceMemAllocINTEL, void *,
     (cl_context context, cl_device_id id, const cl_bitfield *properties, size_t size, cl_uint align, cl_int *error),
     (context, id, properties, size, align, error))
MAKE(usm, SharedMemAllocINTEL, void *,
     (cl_context context, cl_device_id id, const cl_bitfield *properties, size_t size, cl_uint align, cl_int *error),
     (context, id, properties, size, align, error))
MAKE(usm, HostMemAllocINTEL, void *,
     (cl_context context, const cl_bitfield *properties, size_t size, cl_uint align, cl_int *error),
     (context, properties, size, align, error))
GIVE_BACK(cl, ReleaseContext, (cl_context context), (context))
GIVE_BACK(cl, ReleaseCommandQueue, (cl_command_queue queue), (queue))
GIVE_BACK(cl, ReleaseProgram, (cl_program program), (program))
GIVE_BACK(cl, ReleaseKernel, (cl_kernel kernel), (kernel))
GIVE_BACK(cl, ReleaseEvent, (cl_event event), (event))
GIVE_BACK(usm, MemBlockingFreeINTEL, (cl_context context, void *address), (context, address))

static void *SVMAlloc(cl_context context, cl_bitfield flags, size_t size, cl_uint align) {
  void *made = fails("SVMAlloc") ? NULL : cl.SVMAlloc(context, flags, size, align);
  held += made != NULL;
  return made;
}
static void SVMFree(cl_context context, void *address) {
  cl.SVMFree(context, address);
  held--;
}
static cl_int RetainCommandQueue(cl_command_queue queue) {
  cl_int error = fails("RetainCommandQueue");
  held += !error;
  return error ? error : cl.RetainCommandQueue(queue);
}
/* Retaining an event never fails: it has no reason to fail, and the driver could not handle it. */
static cl_int RetainEvent(cl_event event) {
  held++;
  return cl.RetainEvent(event);
}
static cl_int EnqueueMarkerWithWaitList(cl_command_queue queue, WAITS, cl_event *event) {
  cl_int error = fails("EnqueueMarkerWithWaitList");
  held += !error;
  return error ? error : cl.EnqueueMarkerWithWaitList(queue, count, list, event);
}

CALL(cl, GetDeviceInfo, (cl_device_id id, cl_uint what, size_t size, void *place, size_t *needed), (id, what, size, place, needed))
CALL(cl, BuildProgram,
     (cl_program program, cl_uint count, const cl_device_id *ids, const char *options, notify_program *notify, void *user),
     (program, count, ids, options, notify, user))
/* Without `gives_binaries`, each program is compiled. */
static int gives_binaries;
static cl_int GetProgramInfo(cl_program program, cl_uint what, size_t size, void *place, size_t *needed) {
  cl_int error = gives_binaries ? fails("GetProgramInfo") : ERROR;
  return error ? error : cl.GetProgramInfo(program, what, size, place, needed);
}
CALL(cl, GetProgramBuildInfo,
     (cl_program program, cl_device_id id, cl_uint what, size_t size, void *place, size_t *needed),
     (program, id, what, size, place, needed))
CALL(cl, GetKernelInfo, (cl_kernel kernel, cl_uint what, size_t size, void *place, size_t *needed),
     (kernel, what, size, place, needed))
CALL(cl, GetKernelWorkGroupInfo, (cl_kernel kernel, cl_device_id id, cl_uint what, size_t size, void *place, size_t *needed),
     (kernel, id, what, size, place, needed))
CALL(cl, SetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), (kernel, index, size, value))
CALL(cl, SetKernelArgSVMPointer, (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))
CALL(cl, SetKernelExecInfo, (cl_kernel kernel, cl_uint what, size_t size, const void *value), (kernel, what, size, value))
CALL(cl, EnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
      const size_t *local, WAITS, cl_event *event),
     (queue, kernel, dimensions, offset, global, local, count, list, event))
CALL(cl, EnqueueSVMMemcpy,
     (cl_command_queue queue, cl_uint blocks, void *to, const void *from, size_t size, WAITS, cl_event *event),
     (queue, blocks, to, from, size, count, list, event))
CALL(cl, EnqueueSVMMemFill,
     (cl_command_queue queue, void *to, const void *pattern, size_t width, size_t size, WAITS, cl_event *event),
     (queue, to, pattern, width, size, count, list, event))
CALL(cl, EnqueueBarrierWithWaitList, (cl_command_queue queue, WAITS, cl_event *event), (queue, count, list, event))
WAIT(WaitForEvents, (WAITS), (count, list))
CALL(cl, GetEventInfo, (cl_event event, cl_uint what, size_t size, void *place, size_t *needed),
     (event, what, size, place, needed))
CALL(cl, GetEventProfilingInfo, (cl_event event, cl_uint what, size_t size, void *place, size_t *needed),
     (event, what, size, place, needed))
WAIT(Flush, (cl_command_queue queue), (queue))
WAIT(Finish, (cl_command_queue queue), (queue))
CALL(usm, EnqueueMemFillINTEL,
     (cl_command_queue queue, void *to, const void *pattern, size_t width, size_t size, WAITS, cl_event *event),
     (queue, to, pattern, width, size, count, list, event))
CALL(usm, EnqueueMemcpyINTEL,
     (cl_command_queue queue, cl_uint blocks, void *to, const void *from, size_t size, WAITS, cl_event *event),
     (queue, blocks, to, from, size, count, list, event))
CALL(usm, SetKernelArgMemPointerINTEL, (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))

/* This test opens no context of a program. The driver reads the platforms once, before this test. */
#define GetContextInfo cl.GetContextInfo
#define RetainContext cl.RetainContext
#define GetPlatformIDs cl.GetPlatformIDs
#define GetPlatformInfo cl.GetPlatformInfo
#define GetDeviceIDs cl.GetDeviceIDs
#define GetExtensionFunctionAddressForPlatform cl.GetExtensionFunctionAddressForPlatform
static void stand_in_front(void) {
  struct opencl_device_entry *entry = (struct opencl_device_entry *)(uintptr_t)offloadrt_opencl_device(0);
  cl = offloadrt_cl;
  usm = entry->usm;
#define MEMBER(name, result, parameters) name,
  offloadrt_cl = (struct opencl_functions){OPENCL_FUNCTIONS(MEMBER)};
  if (entry->has_usm)
    entry->usm = (struct opencl_usm_functions){OPENCL_USM_FUNCTIONS(MEMBER)};
}

/* Kernels --------------------------------------------------------------------------------------------- */

static const struct {
  struct offload_parameter rows[4];
  struct offload_extent extents[4];
} known = {{{0, 4, 4, OFFLOAD_PARAMETER_VALUE},
            {4, 4, 4, OFFLOAD_PARAMETER_VALUE},
            {8, 8, 8, OFFLOAD_PARAMETER_POINTER},
            {16, 8, 8, OFFLOAD_PARAMETER_POINTER}},
           {{0}, {0}, EXTENT_OF_X, EXTENT_OF_Y}};
static const struct offload_parameter number_row[] = {{0, 4, 4, OFFLOAD_PARAMETER_VALUE}};
PANIC_TEXTS(texts);
static struct offload_descriptor object;
static const struct offload_kernel kernels[] = {
    KERNEL("saxpy", known.rows, 24, .flags = OFFLOAD_KERNEL_HAS_EXTENTS, .descriptor = &object),
    KERNEL("panics", number_row, 4, .flags = OFFLOAD_KERNEL_TAKES_STATE, .descriptor = &object),
    KERNEL("panics", number_row, 4, .flags = OFFLOAD_KERNEL_TAKES_STATE | OFFLOAD_KERNEL_NEEDS_HEAP, .descriptor = &object),
};
static struct offload_descriptor object = DESCRIPTOR(kernels, .panics = &texts.texts);
static struct containers images;

static void every_failing_call_is_reported_and_nothing_is_lost(void) {
  const struct faults faults = {.device = "opencl", .saxpy = &kernels[0], .mapped = &kernels[0], .panics = &kernels[1],
                                .heap = &kernels[2], .fail = fail, .ways = 2, .step = 5, .failed = what_failed, .objects = objects};
  for (gives_binaries = 0; gives_binaries < 2; gives_binaries++)
    check_faults(&faults);
}

int main(void) {
  CHECK(add_file(&images, 6, "spirv64-unknown-unknown", "spirv64", IMAGES "/faults_spirv.spv"));
  object.images_begin = images.begin;
  object.images_end = images.begin + images.size;
  offloadrt_register(&object);
  CHECK(offloadrt_opencl_device_count());
  stand_in_front();
  RUN(every_failing_call_is_reported_and_nothing_is_lost);
  free(images.begin);
  return 0;
}
