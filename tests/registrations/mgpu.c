/* A host program on the functions that MLIR's code calls. With OURS it launches the kernels of `kernels.rs`, y = 3;
 * y += 2 * x, and without it the function of `scale.mlir`, x *= 2. */
#include <stdbool.h>
#include <stdio.h>

#include "offloadrt.h"

void *mgpuMemAlloc(uint64_t size, void *stream, bool is_shared);
void mgpuMemFree(void *address, void *stream);
void mgpuMemcpy(void *to, void *from, size_t size, void *stream);
void mgpuMemset32(void *to, unsigned value, size_t count, void *stream);
void *mgpuModuleGetFunction(void *module, const char *name);
void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void *mgpuEventCreate(void);
void mgpuEventRecord(void *event, void *stream);
void mgpuEventSynchronize(void *event);
void mgpuEventDestroy(void *event);
void mgpuLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                      intptr_t block_y, intptr_t block_z, int32_t shared, void *stream, void **parameters, void **extra,
                      size_t count);
void scale_on_device(void *x, float a, int32_t n);
const struct offload_kernel *saxpy_handle(void);
const struct offload_kernel *fill_handle(void);

enum { COUNT = 64 };

#ifdef OURS
static void launch(const struct offload_kernel *kernel, void *stream, void **arguments) {
  void *function = mgpuModuleGetFunction(kernel->descriptor->next, kernel->name);
  mgpuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL, kernel->parameter_count);
}

static void run(void *x, void *y) {
  uint32_t count = COUNT - 1;
  float three = 3, a = 2;
  void *of_fill[] = {&three, &y}, *of_saxpy[] = {&count, &a, &x, &y}, *stream = mgpuStreamCreate();
  launch(fill_handle(), stream, of_fill);
  launch(saxpy_handle(), stream, of_saxpy);
  void *event = mgpuEventCreate();
  mgpuEventRecord(event, stream);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
}
#else
static void run(void *x, void *y) {
  scale_on_device(x, 2, COUNT - 1);
  mgpuMemcpy(y, x, COUNT * sizeof(float), NULL);
}
#endif

int main(void) {
  float x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; i++)
    x[i] = i;
  float *on_device = mgpuMemAlloc(sizeof x, NULL, false), *result = mgpuMemAlloc(sizeof y, NULL, false);
  mgpuMemset32(result, 0x3f800000, COUNT, NULL);
  mgpuMemcpy(on_device, x, sizeof x, NULL);
  run(on_device, result);
  mgpuMemcpy(y, result, sizeof y, NULL);
  printf("%g %g %g\n", y[0], y[COUNT - 2], y[COUNT - 1]);
  mgpuMemFree(on_device, NULL);
  mgpuMemFree(result, NULL);
  return 0;
}
