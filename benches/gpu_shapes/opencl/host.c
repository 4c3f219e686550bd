/* Runs the twins in OpenCL C on the processor: one device, one program, and kernels with their arguments. The library
 * is opened at run time, and only the functions that are used are declared. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICE_NAME = 0x102b,
    PLATFORM_NAME = 0x0902,
    DEVICE_TYPE_CPU = 1 << 1,
    READ_WRITE = 1,
    COPY_HOST_PTR = 1 << 5,
    BUILD_LOG = 0x1183,
    MOST_ARGUMENTS = 8,
};

#define FUNCTIONS(F)                                                                                                  \
    F(GetPlatformIDs, int32_t, (uint32_t, void **, uint32_t *))                                                       \
    F(GetPlatformInfo, int32_t, (void *, uint32_t, size_t, void *, size_t *))                                         \
    F(GetDeviceIDs, int32_t, (void *, uint64_t, uint32_t, void **, uint32_t *))                                       \
    F(GetDeviceInfo, int32_t, (void *, uint32_t, size_t, void *, size_t *))                                           \
    F(CreateContext, void *, (const void *, uint32_t, void **, void *, void *, int32_t *))                            \
    F(CreateCommandQueue, void *, (void *, void *, uint64_t, int32_t *))                                              \
    F(CreateProgramWithSource, void *, (void *, uint32_t, const char **, const size_t *, int32_t *))                  \
    F(BuildProgram, int32_t, (void *, uint32_t, void **, const char *, void *, void *))                               \
    F(GetProgramBuildInfo, int32_t, (void *, void *, uint32_t, size_t, void *, size_t *))                             \
    F(CreateKernel, void *, (void *, const char *, int32_t *))                                                        \
    F(CreateBuffer, void *, (void *, uint64_t, size_t, void *, int32_t *))                                            \
    F(SetKernelArg, int32_t, (void *, uint32_t, size_t, const void *))                                                \
    F(EnqueueNDRangeKernel, int32_t,                                                                                  \
      (void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *, void *))           \
    F(EnqueueFillBuffer, int32_t, (void *, void *, const void *, size_t, size_t, size_t, uint32_t, void *, void *))   \
    F(EnqueueReadBuffer, int32_t, (void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *))       \
    F(Finish, int32_t, (void *))                                                                                      \
    F(ReleaseMemObject, int32_t, (void *))                                                                            \
    F(ReleaseKernel, int32_t, (void *))

#define DECLARE(name, result, parameters) static result(*cl##name) parameters;
FUNCTIONS(DECLARE)

struct opencl_device {
    void *context, *queue, *program;
    char name[128];
};

/* The same as in src/opencl.rs. */
enum { VALUE, INPUT, OUTPUT, ZEROED };
struct opencl_argument {
    const void *bytes; /* null for outputs */
    size_t size;
    uint32_t kind;
};

struct opencl_kernel {
    struct opencl_device *device;
    void *kernel, *buffers[MOST_ARGUMENTS];
    void *zeroed;
    size_t zeroed_size;
};

static const char *load(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return "libOpenCL.so.1 is absent";
#define FIND(name, result, parameters)                                        \
    if (!(*(void **)&cl##name = dlsym(library, "cl" #name)))                   \
        return "libOpenCL.so.1 lacks cl" #name;
    FUNCTIONS(FIND)
    return NULL;
}

/* The processor of the platform whose name contains `wanted`. */
static void *find(const char *wanted) {
    void *platforms[16], *device;
    uint32_t count = 0;
    if (clGetPlatformIDs(16, platforms, &count))
        return NULL;
    for (uint32_t i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted) && !clGetDeviceIDs(platforms[i], DEVICE_TYPE_CPU, 1, &device, NULL))
            return device;
    }
    return NULL;
}

/* Returns null and sets the error if there is no such platform, or the source does not compile. */
struct opencl_device *opencl_open(const char *platform, const char *source, size_t length, char *error, size_t capacity) {
    const char *missing = load();
    void *id = missing ? NULL : find(platform);
    if (!id) {
        snprintf(error, capacity, "%s", missing ? missing : "there is no such platform");
        return NULL;
    }
    struct opencl_device *device = calloc(1, sizeof *device);
    if (!device)
        abort();
    clGetDeviceInfo(id, DEVICE_NAME, sizeof device->name - 1, device->name, NULL);
    device->context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    device->queue = device->context ? clCreateCommandQueue(device->context, id, 0, NULL) : NULL;
    device->program = device->queue ? clCreateProgramWithSource(device->context, 1, &source, &length, NULL) : NULL;
    if (device->program && !clBuildProgram(device->program, 1, &id, "-cl-std=CL1.2", NULL, NULL))
        return device;
    snprintf(error, capacity, "the device cannot be used");
    if (device->program)
        clGetProgramBuildInfo(device->program, id, BUILD_LOG, capacity - 1, error, NULL);
    free(device);
    return NULL;
}

const char *opencl_name(const struct opencl_device *device) { return device->name; }

/* Returns null if the device refuses something. */
struct opencl_kernel *opencl_prepare(struct opencl_device *device, const char *name,
                                     const struct opencl_argument *arguments, uint32_t count) {
    struct opencl_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || count > MOST_ARGUMENTS)
        abort();
    kernel->device = device;
    kernel->kernel = clCreateKernel(device->program, name, NULL);
    for (uint32_t i = 0; i < count && kernel->kernel; i++) {
        const struct opencl_argument *argument = &arguments[i];
        const void *value = argument->bytes;
        size_t size = argument->size;
        if (argument->kind != VALUE) {
            uint64_t flags = READ_WRITE | (argument->kind == INPUT ? COPY_HOST_PTR : 0);
            kernel->buffers[i] = clCreateBuffer(device->context, flags, size, (void *)argument->bytes, NULL);
            if (argument->kind == ZEROED) {
                kernel->zeroed = kernel->buffers[i];
                kernel->zeroed_size = size;
            }
            value = &kernel->buffers[i];
            size = sizeof kernel->buffers[i];
        }
        if (clSetKernelArg(kernel->kernel, i, size, value))
            return NULL;
    }
    return kernel->kernel ? kernel : NULL;
}

/* Runs the kernel, and waits for it. Returns 0, or OpenCL's error. */
int32_t opencl_run(struct opencl_kernel *kernel, const size_t global[2], const size_t local[2]) {
    void *queue = kernel->device->queue;
    uint32_t zero = 0;
    int32_t error = 0;
    if (kernel->zeroed)
        error = clEnqueueFillBuffer(queue, kernel->zeroed, &zero, sizeof zero, 0, kernel->zeroed_size, 0, NULL, NULL);
    if (!error)
        error = clEnqueueNDRangeKernel(queue, kernel->kernel, 2, NULL, global, local, 0, NULL, NULL);
    return error ? error : clFinish(queue);
}

/* Reads the argument with this number. */
int32_t opencl_read(struct opencl_kernel *kernel, uint32_t number, void *to, size_t size) {
    return clEnqueueReadBuffer(kernel->device->queue, kernel->buffers[number], 1, 0, size, to, 0, NULL, NULL);
}

void opencl_free(struct opencl_kernel *kernel) {
    for (uint32_t i = 0; i < MOST_ARGUMENTS; i++)
        if (kernel->buffers[i])
            clReleaseMemObject(kernel->buffers[i]);
    clReleaseKernel(kernel->kernel);
    free(kernel);
}
