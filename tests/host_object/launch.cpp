/* Host code that launches one kernel through libomptarget: on demand, and once more while the program ends. The kernel
 * adds a value to eight numbers; see image.c. Compiled with HASH, ENTRY and LEFT. */
#include <cstdio>

#include "offloadrt.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern "C" {
extern const char handle __asm__("__offload_handle." TEXT(HASH) "." TEXT(LEFT)) __attribute__((visibility("hidden")));
void ENTRY(void);
}

#define TRY(call)                                                                                                      \
  if (call) {                                                                                                          \
    std::printf("%s: %s\n", #call, offloadrt_error_text());                                                            \
    return;                                                                                                            \
  }

static void launch(const char *when) {
  offloadrt_device *device;
  void *numbers;
  int values[8] = {0, 1, 2, 3, 4, 5, 6, 7}, step = 30;
  TRY(offloadrt_device_open(nullptr, &device));
  TRY(offloadrt_allocate(device, sizeof values, &numbers));
  TRY(offloadrt_copy_to_device(device, nullptr, numbers, values, sizeof values));
  offloadrt_launch_config config = {};
  config.size = sizeof config;
  config.version = OFFLOADRT_LAUNCH_VERSION;
  config.grid[0] = 2, config.grid[1] = config.grid[2] = 1;
  config.block[0] = 4, config.block[1] = config.block[2] = 1;
  offloadrt_argument arguments[2] = {{&step, sizeof step}, {&numbers, sizeof numbers}};
  const struct offload_kernel *kernel = (const struct offload_kernel *)&handle;
  TRY(offloadrt_launch(device, nullptr, kernel, &config, arguments, 2));
  TRY(offloadrt_copy_to_host(device, nullptr, values, numbers, sizeof values));
  TRY(offloadrt_free(device, numbers));
  TRY(offloadrt_device_close(device));
  std::printf("%s: %s %d to %d\n", when, TEXT(ENTRY), values[0], values[7]);
}

namespace {
struct AtEnd {
  ~AtEnd() { launch("at the end"); }
} at_end;
}

void ENTRY(void) { launch("called"); }
