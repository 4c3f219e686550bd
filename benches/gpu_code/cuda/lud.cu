// LU decomposition of a tile of 16 x 16 in shared memory, by 16 threads: the diagonal step of a blocked decomposition.
#include "device.h"

#define SIDE 16

KERNEL void __launch_bounds__(SIDE) lud(size_t width, float *__restrict__ matrix) {
  __shared__ float tile[SIDE][SIDE];
  size_t thread = threadIdx.x, first = (size_t)blockIdx.x * SIDE;
  for (size_t row = 0; row < SIDE; ++row)
    tile[row][thread] = matrix[(first + row) * width + first + thread];
  __syncthreads();
  for (size_t step = 0; step < SIDE - 1; ++step) {
    if (thread > step) {
      float value = tile[thread][step];
      for (size_t k = 0; k < step; ++k)
        value -= tile[thread][k] * tile[k][step];
      tile[thread][step] = value / tile[step][step];
    }
    __syncthreads();
    if (thread > step) {
      float value = tile[step + 1][thread];
      for (size_t k = 0; k < step + 1; ++k)
        value -= tile[step + 1][k] * tile[k][thread];
      tile[step + 1][thread] = value;
    }
    __syncthreads();
  }
  for (size_t row = 0; row < SIDE; ++row)
    matrix[(first + row) * width + first + thread] = tile[row][thread];
}
