// The host's part of a library with a kernel.
#include <offloadrt.hpp>

float saxpy_of(float a, float x, float y) {
  offloadrt::stream stream{offloadrt::device()};
  offloadrt::buffer<float> device_x(stream, {x}), device_y(stream, {y});
  offloadrt::kernel<uint32_t, float, const float *, float *> kernel("saxpy");
  kernel.launch(stream, offloadrt::grid(), 1, a, device_x, device_y);
  return device_y.to_host(stream)[0];
}
