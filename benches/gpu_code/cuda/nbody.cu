// One step of n bodies: the force on each body is a sum over all, a tile of them in shared memory at a time.
#include "device.h"

#define TILE 256

KERNEL void __launch_bounds__(TILE) nbody(size_t n, float step, const float4 *__restrict__ places, float4 *__restrict__ speeds) {
  __shared__ float4 tile[TILE];
  size_t i = index_x();
  float4 own = places[i];
  float ax = 0, ay = 0, az = 0;
  for (size_t first = 0; first < n; first += TILE) {
    tile[threadIdx.x] = places[first + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (unsigned k = 0; k < TILE; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = reciprocal_root(dx * dx + dy * dy + dz * dz + 0.01f);
      float force = other.w * (inverse * inverse * inverse);
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    __syncthreads();
  }
  float4 speed = speeds[i];
  speed.x += step * ax;
  speed.y += step * ay;
  speed.z += step * az;
  speeds[i] = speed;
}
