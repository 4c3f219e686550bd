// Calls the library that has the kernel.
#include <cstdio>

float saxpy_of(float a, float x, float y);

int main() { std::printf("library: %g\n", saxpy_of(2, 3, 4)); }
