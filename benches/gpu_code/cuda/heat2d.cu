// One step of the heat equation in two dimensions. The edge does not change.
#include "device.h"

KERNEL void heat2d(size_t width, size_t height, float rate, const float *__restrict__ from, float *__restrict__ to) {
  size_t x = index_x(), y = index_y();
  if (x >= width || y >= height)
    return;
  size_t i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    to[i] = from[i];
    return;
  }
  float here = from[i];
  to[i] = here + rate * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4.0f * here);
}
