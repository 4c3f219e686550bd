/* A shared object with kernels and with the only copy of the runtime in its process. */
#define _GNU_SOURCE
#include "finish_cases.h"

__attribute__((destructor)) static void leave(void) { offloadrt_unregister(&object); }

/* Launches a kernel, for which a better image is made, and returns when the compiler has begun. */
__attribute__((visibility("default"))) void begin(const char *path);

void begin(const char *path) {
  snprintf(folder, sizeof folder, "%s", path);
  link_code();
  add_generic("3", "no");
  register_object();
  offloadrt_device *device = open_cpu();
  CHECK(launch(device, &kernels[0]) == 0 && until(has_begun) && offloadrt_device_close(device) == 0);
}
