/* Ranges for the profilers of the vendors: NVTX for NVIDIA's (Nsight Systems), ROCTX for AMD's (rocprofv3). The libraries of
 * ranges are opened only in a process that a profiler has started, which shows in its environment. */
#define _GNU_SOURCE /* secure_getenv */
#include "ranges.h"

#include <pthread.h>
#include <stdlib.h>

#include "../library.h"
#include "trace.h"

struct ranges {
  const char *variable; /* which the profiler sets */
  const char *push, *pop;
  const char *libraries[4];
};

static const struct ranges known[] = {
    /* The library of CUDA 12.9 and later, and the one before it. */
    {"NVTX_INJECTION64_PATH", "nvtxRangePushA", "nvtxRangePop", {"libnvtx3interop.so.1", "libnvToolsExt.so.1"}},
    /* The library of ROCm 6.2 and later, and the one before it. */
    {"ROCP_TOOL_LIBRARIES",
     "roctxRangePushA",
     "roctxRangePop",
     {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4"}},
};

static int (*push)(const char *name);
static int (*pop)(void);

static int open_library(const struct ranges *ranges) {
  const struct offloadrt_symbol symbols[] = {{ranges->push, &push, 0}, {ranges->pop, &pop, 0}};
  char reason[256];
  int is_open = offloadrt_open_library(ranges->libraries, symbols, sizeof symbols / sizeof *symbols, reason, sizeof reason);
  if (!is_open)
    offloadrt_log("a profiler has set `%s`, and gets no ranges: %s", ranges->variable, reason);
  return is_open;
}

static void open_once(void) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *value = secure_getenv(known[i].variable);
    if (value && *value && open_library(&known[i])) {
      offloadrt_observe(OFFLOADRT_RANGES);
      return;
    }
  }
}

void offloadrt_open_ranges(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_once);
}

void offloadrt_push_range(const char *name) { (void)push(name); }
void offloadrt_pop_range(void) { (void)pop(); }
