// Launches kernels that are written in Rust: one by its name, one by the handle that a function in Rust returns.
#include <cstdio>
#include <offloadrt.hpp>

extern "C" const offload_kernel *last_kernel();

static void saxpy(const offloadrt::stream &stream) {
  const uint32_t length = 1000;
  offloadrt::buffer<float> x(stream, std::vector<float>(length, 2)), y(stream, std::vector<float>(length, 1));
  offloadrt::kernel<uint32_t, float, const float *, float *> kernel("saxpy");
  kernel.launch(stream, offloadrt::grid::for_length(length, 256), length, 3.0f, x, y);
  std::printf("saxpy: %g %g\n", y.to_host(stream)[0], y.to_host(stream)[length - 1]);
}

static void last(const offloadrt::stream &stream) {
  offloadrt::buffer<uint32_t> numbers(stream, {10, 20, 30, 40}), out(stream.device(), 2);
  offloadrt::kernel<const uint32_t *, uint32_t, uint32_t *> kernel(last_kernel());
  kernel.launch(stream, offloadrt::grid::for_length(2, 2), numbers, 2, out);
  std::printf("last: %u %u\n", out.to_host(stream)[0], out.to_host(stream)[1]);
  kernel.launch(stream, offloadrt::grid::for_length(2, 2), numbers, 3, out);
  stream.synchronize();
}

int main() {
  offloadrt::stream stream{offloadrt::device()};
  saxpy(stream);
  try {
    last(stream);
  } catch (const offloadrt::error &error) {
    std::printf("%s\n", error.what());
  }
}
