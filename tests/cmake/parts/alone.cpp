// A program that needs no shared library of offloadc's; its kernel is bitcode.
#include <cstdio>
#include <offloadrt.hpp>

int main() {
  std::printf("alone: %s\n", offloadrt::kernel<uint32_t, float, const float *, float *>("saxpy").name().c_str());
}
