// The Mandelbrot set: the number of iterations of each pixel.
#include "device.h"

KERNEL void mandelbrot(size_t width, size_t height, float left, float top, float step, unsigned limit,
                       unsigned *__restrict__ out) {
  size_t x = index_x(), y = index_y();
  if (x >= width || y >= height)
    return;
  float re = left + (float)(unsigned)x * step, im = top + (float)(unsigned)y * step;
  float a = 0, b = 0;
  unsigned count = 0;
  while (count < limit && a * a + b * b < 4.0f) {
    float next = a * a - b * b + re;
    b = 2.0f * a * b + im;
    a = next;
    count += 1;
  }
  out[y * width + x] = count;
}
