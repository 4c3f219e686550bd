/* The drivers of liboffloadrt. The default device comes first. */
#include "../copies.h"
#include "../finish.h"
#include "cpu.h"
#include "cuda.h"
#include "hip.h"
#include "opencl.h"

const struct offloadrt_driver *const offloadrt_drivers[] = {
    &offloadrt_cpu_driver, &offloadrt_cuda_driver, &offloadrt_hip_driver, &offloadrt_opencl_driver, NULL};

const struct offloadrt_finisher *const offloadrt_finisher = &offloadrt_own_finisher;

OFFLOADRT_NOTE("offloadrt");
