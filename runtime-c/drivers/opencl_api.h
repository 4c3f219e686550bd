/* The part of OpenCL 2.1 that the driver uses, and Intel's extension for unified shared memory, as defined in Khronos's
 * registry. No header of OpenCL is needed to build the runtime. */
#ifndef OFFLOADRT_DRIVERS_OPENCL_API_H
#define OFFLOADRT_DRIVERS_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bitfield;

enum {
  CL_SUCCESS = 0,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_BUILD_PROGRAM_FAILURE = -11,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_WORK_GROUP_SIZE = -54,
  CL_PLATFORM_NOT_FOUND_KHR = -1001,

  CL_PLATFORM_NAME = 0x0902,
  CL_PLATFORM_VENDOR = 0x0903,
  CL_CONTEXT_DEVICES = 0x1081,
  CL_CONTEXT_PLATFORM = 0x1084,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_SINGLE_FP_CONFIG = 0x101b,
  CL_DEVICE_NAME = 0x102b,
  CL_DRIVER_VERSION = 0x102d,
  CL_DEVICE_EXTENSIONS = 0x1030,
  CL_DEVICE_SVM_CAPABILITIES = 0x1053,
  CL_DEVICE_IL_VERSION = 0x105b,
  CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL = 0x4190,
  CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL = 0x4192,
  CL_QUEUE_PROPERTIES = 0x1093,
  CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11d3,
  CL_PROFILING_COMMAND_END = 0x1283,
  CL_COMPLETE = 0,
  CL_PROGRAM_BINARY_SIZES = 0x1165,
  CL_PROGRAM_BINARIES = 0x1166,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_NUM_ARGS = 0x1191,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11b0,
  CL_KERNEL_LOCAL_MEM_SIZE = 0x11b2,
  CL_KERNEL_EXEC_INFO_SVM_PTRS = 0x11b6,
  CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL = 0x4200,
  CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL = 0x4201,
  CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL = 0x4202,
};

#define CL_DEVICE_TYPE_CPU ((cl_bitfield)1 << 1)
#define CL_DEVICE_TYPE_ALL ((cl_bitfield)0xffffffff)
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ((cl_bitfield)1 << 7)
#define CL_DEVICE_SVM_COARSE_GRAIN_BUFFER ((cl_bitfield)1)
#define CL_DEVICE_SVM_FINE_GRAIN_BUFFER ((cl_bitfield)1 << 1)
#define CL_MEM_READ_WRITE ((cl_bitfield)1)
#define CL_DEVICE_SVM_ATOMICS ((cl_bitfield)1 << 3)
#define CL_MEM_SVM_FINE_GRAIN_BUFFER ((cl_bitfield)1 << 10)
#define CL_MEM_SVM_ATOMICS ((cl_bitfield)1 << 11)
#define CL_QUEUE_PROFILING_ENABLE ((cl_bitfield)1 << 1)
#define CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL ((cl_bitfield)1 << 2)

/* Each row is a function: its name without `cl`, its result, and its parameters. */
#define OPENCL_FUNCTIONS(F)                                                                                            \
  F(GetPlatformIDs, cl_int, (cl_uint, cl_platform_id *, cl_uint *))                                                    \
  F(GetPlatformInfo, cl_int, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                      \
  F(GetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                           \
  F(GetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void *, size_t *))                                          \
  F(GetExtensionFunctionAddressForPlatform, void *, (cl_platform_id, const char *))                                    \
  F(CreateContext, cl_context,                                                                                         \
    (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *), void *,    \
     cl_int *))                                                                                                        \
  F(GetContextInfo, cl_int, (cl_context, cl_uint, size_t, void *, size_t *))                                           \
  F(RetainContext, cl_int, (cl_context))                                                                               \
  F(ReleaseContext, cl_int, (cl_context))                                                                              \
  F(CreateCommandQueueWithProperties, cl_command_queue, (cl_context, cl_device_id, const cl_bitfield *, cl_int *))     \
  F(RetainCommandQueue, cl_int, (cl_command_queue))                                                                    \
  F(ReleaseCommandQueue, cl_int, (cl_command_queue))                                                                   \
  F(CreateProgramWithIL, cl_program, (cl_context, const void *, size_t, cl_int *))                                     \
  F(CreateProgramWithBinary, cl_program,                                                                               \
    (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))           \
  F(GetProgramInfo, cl_int, (cl_program, cl_uint, size_t, void *, size_t *))                                           \
  F(BuildProgram, cl_int,                                                                                              \
    (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                   \
  F(GetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                        \
  F(ReleaseProgram, cl_int, (cl_program))                                                                              \
  F(CreateKernel, cl_kernel, (cl_program, const char *, cl_int *))                                                     \
  F(ReleaseKernel, cl_int, (cl_kernel))                                                                                \
  F(GetKernelInfo, cl_int, (cl_kernel, cl_uint, size_t, void *, size_t *))                                             \
  F(GetKernelWorkGroupInfo, cl_int, (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                      \
  F(SetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void *))                                                  \
  F(SetKernelArgSVMPointer, cl_int, (cl_kernel, cl_uint, const void *))                                                \
  F(SetKernelExecInfo, cl_int, (cl_kernel, cl_uint, size_t, const void *))                                             \
  F(EnqueueNDRangeKernel, cl_int,                                                                                      \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *,  \
     cl_event *))                                                                                                      \
  F(EnqueueSVMMemcpy, cl_int,                                                                                          \
    (cl_command_queue, cl_uint, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *))                  \
  F(EnqueueSVMMemFill, cl_int,                                                                                         \
    (cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *))                   \
  F(EnqueueMarkerWithWaitList, cl_int, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                      \
  F(EnqueueBarrierWithWaitList, cl_int, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                     \
  F(WaitForEvents, cl_int, (cl_uint, const cl_event *))                                                                \
  F(GetEventInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                               \
  F(GetEventProfilingInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                      \
  F(RetainEvent, cl_int, (cl_event))                                                                                   \
  F(ReleaseEvent, cl_int, (cl_event))                                                                                  \
  F(SVMAlloc, void *, (cl_context, cl_bitfield, size_t, cl_uint))                                                      \
  F(SVMFree, void, (cl_context, void *))                                                                               \
  F(Flush, cl_int, (cl_command_queue))                                                                                 \
  F(Finish, cl_int, (cl_command_queue))

/* The functions of the extension, which are looked up for each platform. */
#define OPENCL_USM_FUNCTIONS(F)                                                                     \
  F(DeviceMemAllocINTEL, void *, (cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint, cl_int *))           \
  F(HostMemAllocINTEL, void *, (cl_context, const cl_bitfield *, size_t, cl_uint, cl_int *))                           \
  F(SharedMemAllocINTEL, void *, (cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint, cl_int *))           \
  F(EnqueueMemFillINTEL, cl_int,                                                                                       \
    (cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *))                   \
  F(MemBlockingFreeINTEL, cl_int, (cl_context, void *))                                                                \
  F(SetKernelArgMemPointerINTEL, cl_int, (cl_kernel, cl_uint, const void *))                                           \
  F(EnqueueMemcpyINTEL, cl_int,                                                                                        \
    (cl_command_queue, cl_uint, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *))

#define OPENCL_MEMBER(name, result, parameters) result(*name) parameters;
struct opencl_functions {
  OPENCL_FUNCTIONS(OPENCL_MEMBER)
};
struct opencl_usm_functions {
  OPENCL_USM_FUNCTIONS(OPENCL_MEMBER)
};
#undef OPENCL_MEMBER

#endif
