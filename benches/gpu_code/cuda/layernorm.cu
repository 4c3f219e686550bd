// The layer norm of each row of a matrix: a block for each row.
#include "device.h"

#define THREADS 128

static __device__ inline float sum_of_block(float *parts, float own) {
  size_t thread = threadIdx.x;
  parts[thread] = own;
  __syncthreads();
  for (size_t half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half)
      parts[thread] += parts[thread + half];
    __syncthreads();
  }
  float all = parts[0];
  __syncthreads();
  return all;
}

KERNEL void __launch_bounds__(THREADS)
    layernorm(size_t columns, const float *__restrict__ from, const float *__restrict__ scales,
              const float *__restrict__ shifts, float *__restrict__ to) {
  __shared__ float parts[THREADS];
  size_t thread = threadIdx.x, first = (size_t)blockIdx.x * columns;
  float sum = 0;
  for (size_t i = thread; i < columns; i += THREADS)
    sum += from[first + i];
  float mean = sum_of_block(parts, sum) / (float)(unsigned)columns;
  float squares = 0;
  for (size_t i = thread; i < columns; i += THREADS)
    squares += (from[first + i] - mean) * (from[first + i] - mean);
  float factor = 1.0f / root(sum_of_block(parts, squares) / (float)(unsigned)columns + 1e-5f);
  for (size_t i = thread; i < columns; i += THREADS)
    to[first + i] = (from[first + i] - mean) * factor * scales[i] + shifts[i];
}
