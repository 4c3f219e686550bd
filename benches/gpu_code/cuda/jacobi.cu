// One step of Jacobi's method for a Poisson equation, with a tile and its border in shared memory, and the largest change
// of each block.
#include "device.h"

#define SIDE 16

KERNEL void __launch_bounds__(SIDE *SIDE)
    jacobi(size_t width, const float *__restrict__ from, const float *__restrict__ source, float *__restrict__ to,
           float *__restrict__ changes) {
  __shared__ float tile[SIDE + 2][SIDE + 2];
  __shared__ float largest[SIDE * SIDE];
  size_t tx = threadIdx.x, ty = threadIdx.y;
  size_t x = (size_t)blockIdx.x * SIDE + tx + 1, y = (size_t)blockIdx.y * SIDE + ty + 1;
  size_t i = y * width + x;
  tile[ty + 1][tx + 1] = from[i];
  if (tx == 0)
    tile[ty + 1][0] = from[i - 1];
  if (tx == SIDE - 1)
    tile[ty + 1][SIDE + 1] = from[i + 1];
  if (ty == 0)
    tile[0][tx + 1] = from[i - width];
  if (ty == SIDE - 1)
    tile[SIDE + 1][tx + 1] = from[i + width];
  __syncthreads();
  float sum = tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1];
  float value = 0.25f * (sum - source[i]);
  to[i] = value;
  size_t thread = ty * SIDE + tx;
  largest[thread] = fabsf(value - tile[ty + 1][tx + 1]);
  __syncthreads();
  for (size_t half = SIDE * SIDE / 2; half > 0; half /= 2) {
    if (thread < half)
      largest[thread] = largest[thread + half] > largest[thread] ? largest[thread + half] : largest[thread];
    __syncthreads();
  }
  if (thread == 0)
    changes[blockIdx.y * (width - 2) / SIDE + blockIdx.x] = largest[0];
}
