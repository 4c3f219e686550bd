/* Launches the kernels by HIP's module functions. The argument is the arch of the image, and the header is that of
 * `cargo offloadc images --format=c`. */
#include <stdio.h>
#include <string.h>

#include "launched.h"

/* The functions of HIP, without its headers. */
typedef struct module *module_t;
typedef struct function *function_t;
enum { TO_DEVICE = 1, TO_HOST = 2, COUNT = 1000, NUMBERS = 512, BLOCKS = 8 };
int hipInit(unsigned flags);
int hipMalloc(void **address, size_t bytes);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipDeviceSynchronize(void);
int hipModuleLoadData(module_t *module, const void *image);
int hipModuleGetFunction(function_t *function, module_t module, const char *name);
int hipModuleLaunchKernel(function_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
                          void **extra);

static int check(int status, const char *action) {
  if (status)
    fprintf(stderr, "%s: status %d\n", action, status);
  return status;
}
#define CHECK(call)                                                                                                      \
  do {                                                                                                                 \
    if (check(call, #call))                                                                                              \
      return 1;                                                                                                          \
  } while (0)

static const struct launched_kernel *kernel_of(const char *name) {
  const struct launched_kernel *kernel = launched_kernels;
  while (kernel->name && strcmp(kernel->name, name))
    kernel++;
  return kernel->name ? kernel : NULL;
}

int main(int count, char **arguments) {
  const struct launched_image *image = launched_images;
  while (image->arch && (count < 2 || strcmp(image->arch, arguments[1])))
    image++;
  if (!image->arch)
    return check(1, "find the image");
  const struct launched_kernel *axpy = kernel_of("axpy_f32"), *block_sums = kernel_of("block_sums");
  const struct launched_resources *resources = image->resources;
  while (resources->kernel && strcmp(resources->kernel, "block_sums"))
    resources++;
  if (!axpy || axpy->parameter_count != 4 || axpy->parameters[1].size != 4 || !axpy->parameters[2].is_pointer ||
      !block_sums || resources->shared_bytes != 256 || !resources->registers)
    return check(1, "read the table of the kernels");

  module_t module;
  function_t function;
  CHECK(hipInit(0));
  CHECK(hipModuleLoadData(&module, image->bytes));

  static float x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)i;
  size_t n = COUNT;
  float a = 2.5f;
  void *x_there, *y_there;
  CHECK(hipMalloc(&x_there, sizeof x));
  CHECK(hipMalloc(&y_there, sizeof y));
  CHECK(hipMemcpy(x_there, x, sizeof x, TO_DEVICE));
  CHECK(hipMemcpy(y_there, y, sizeof y, TO_DEVICE));
  CHECK(hipModuleGetFunction(&function, module, axpy->name));
  CHECK(hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&n, &a, &x_there, &y_there}, NULL));
  CHECK(hipMemcpy(y, y_there, sizeof y, TO_HOST));
  for (int i = 0; i < COUNT; i++)
    if (y[i] != 2.5f * (float)i)
      return check(1, "compare the result of axpy_f32");

  static unsigned numbers[NUMBERS], sums[BLOCKS];
  for (unsigned i = 0; i < NUMBERS; i++)
    numbers[i] = i;
  CHECK(hipMemcpy(x_there, numbers, sizeof numbers, TO_DEVICE));
  CHECK(hipModuleGetFunction(&function, module, block_sums->name));
  CHECK(hipModuleLaunchKernel(function, BLOCKS, 1, 1, NUMBERS / BLOCKS, 1, 1, 0, NULL, (void *[]){&x_there, &y_there},
                              NULL));
  CHECK(hipDeviceSynchronize());
  CHECK(hipMemcpy(sums, y_there, sizeof sums, TO_HOST));
  for (unsigned block = 0; block < BLOCKS; block++)
    if (sums[block] != 64 * (64 * block) + 63 * 64 / 2)
      return check(1, "compare the result of block_sums");
  printf("%s: right\n", image->arch);
  return 0;
}
