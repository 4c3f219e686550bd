/* A host program that launches kernels by the functions of CUDA or of HIP: y = 3; y += 2 * x. Compiled with API, `cuda` or
 * `hip`. */
#include <cstdio>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CALL(name) JOIN(API, name)

struct dim3 {
  unsigned x, y, z;
};

extern "C" {
int CALL(LaunchKernel)(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
int CALL(Malloc)(void **memory, size_t size);
int CALL(Free)(void *memory);
int CALL(Memcpy)(void *to, const void *from, size_t size, int kind);
int CALL(GetDeviceCount)(int *count);
const char *CALL(GetErrorName)(int error);
const void *saxpy_handle(void);
const void *fill_handle(void);
/* Where it is there, the program can change the static of the device. */
int __attribute__((weak)) CALL(MemcpyToSymbol)(const void *symbol, const void *from, size_t size, size_t offset, int kind);
extern float factors[2];
}

enum { TO_DEVICE = 1, TO_HOST = 2, COUNT = 256 };

static bool failed(const char *what, int error) {
  if (error)
    std::printf("%s: %s\n", what, CALL(GetErrorName)(error));
  return error != 0;
}

namespace {
/* Runs before main and after it, like other users of the runtime. */
struct Constructed {
  Constructed() { std::printf("constructor\n"); }
  ~Constructed() { std::printf("destructor\n"); }
} constructed;
}

int main(int words, char **) {
  std::printf("main\n");
  std::fflush(stdout);
  int count = 0;
  if (failed("no device", CALL(GetDeviceCount)(&count)))
    return 3;
  float x[COUNT], y[COUNT], a = 2, three = 3;
  for (int i = 0; i < COUNT; i++)
    x[i] = i;
  void *on_device[2];
  for (void *&memory : on_device)
    if (failed("allocate", CALL(Malloc)(&memory, sizeof x)))
      return 1;
  if (failed("copy", CALL(Memcpy)(on_device[0], x, sizeof x, TO_DEVICE)))
    return 1;
  float other[] = {1, 2};
  if (words > 1 && failed("symbol", CALL(MemcpyToSymbol)(factors, other, sizeof other, 0, TO_DEVICE)))
    return 1;
  unsigned elements = COUNT;
  void *of_fill[] = {&three, &on_device[1]}, *of_saxpy[] = {&elements, &a, &on_device[0], &on_device[1]};
  if (failed("fill", CALL(LaunchKernel)(fill_handle(), dim3{4, 1, 1}, dim3{64, 1, 1}, of_fill, 0, nullptr)) ||
      failed("saxpy", CALL(LaunchKernel)(saxpy_handle(), dim3{2, 1, 1}, dim3{128, 1, 1}, of_saxpy, 0, nullptr)) ||
      failed("copy", CALL(Memcpy)(y, on_device[1], sizeof y, TO_HOST)))
    return 1;
  for (void *memory : on_device)
    CALL(Free)(memory);
  std::printf("y[0] = %g, y[255] = %g\n", y[0], y[COUNT - 1]);
  std::fflush(stdout);
  return 0;
}
