/* A driver library over the emulated NVIDIA GPU, which takes PTX only. libomptarget takes machine code only, so this
 * library loads the PTX of the same kernels, from the file that OFFLOADC_TEST_PTX names, instead of the machine code. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int load_function(void **module, const void *image, unsigned count, int *options, void **values);

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  static char text[1 << 22];
  const char *name = getenv("OFFLOADC_TEST_PTX");
  FILE *file = name ? fopen(name, "rb") : NULL;
  if (!file)
    return 301; /* CUDA_ERROR_FILE_NOT_FOUND */
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  (void)image;
  return ((load_function *)dlsym(RTLD_NEXT, "cuModuleLoadDataEx"))(module, text, count, options, values);
}
