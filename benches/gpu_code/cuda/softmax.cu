// The softmax of each row of a matrix: a block for each row.
#include "device.h"

#define THREADS 128

KERNEL void __launch_bounds__(THREADS) softmax(size_t columns, const float *__restrict__ from, float *__restrict__ to) {
  __shared__ float parts[THREADS];
  size_t thread = threadIdx.x, first = (size_t)blockIdx.x * columns;
  float largest = -__builtin_inff();
  for (size_t i = thread; i < columns; i += THREADS)
    largest = from[first + i] > largest ? from[first + i] : largest;
  parts[thread] = largest;
  __syncthreads();
  for (size_t half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half)
      parts[thread] = parts[thread + half] > parts[thread] ? parts[thread + half] : parts[thread];
    __syncthreads();
  }
  largest = parts[0];
  __syncthreads();
  float sum = 0;
  for (size_t i = thread; i < columns; i += THREADS)
    sum += fast_exp(from[first + i] - largest);
  parts[thread] = sum;
  __syncthreads();
  for (size_t half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half)
      parts[thread] += parts[thread + half];
    __syncthreads();
  }
  float factor = 1.0f / parts[0];
  __syncthreads();
  for (size_t i = thread; i < columns; i += THREADS)
    to[first + i] = fast_exp(from[first + i] - largest) * factor;
}
