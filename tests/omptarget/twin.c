/* The work of src/main.rs, as OpenMP: the same memory, mapped the same ways. It moves the same bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

static void scale_and_add(float a, const float *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[ : N]) map(tofrom : y[ : N])
  for (int i = 0; i < N; i++)
    y[i] += a * x[i];
}

static void squares(uint16_t *out) {
#pragma omp target teams distribute parallel for map(from : out[ : N])
  for (int i = 0; i < N; i++)
    out[i] = (uint16_t)(i * i);
}

static void automatic(const float *x, double *y) {
  uint16_t out[N];
  for (int round = 0; round < 2; round++)
    scale_and_add(3, x, y);
  squares(out);
  printf("%g %d\n", y[999], out[999]);
}

/* The extents that a kernel's signature gives: both ways for memory that it may write. */
static void extents(const float *x, double *y) {
  for (int round = 0; round < 2; round++)
    scale_and_add(3, x, y);
  printf("%g\n", y[999]);
}

static void manual(const float *x, double *y) {
#pragma omp target data map(to : x[ : N]) map(tofrom : y[ : N])
  {
    for (int round = 0; round < 3; round++)
      scale_and_add(3, x, y);
#pragma omp target update from(y[ : N])
    printf("%g ", y[999]);
    for (int i = 0; i < N; i++)
      y[i] = 100;
#pragma omp target update to(y[ : N])
    scale_and_add(3, x, y);
  }
  printf("%g\n", y[999]);
}

int main(int count, char **words) {
  static float x[N];
  static double y[N];
  for (int i = 0; i < N; i++)
    x[i] = (float)i, y[i] = 1;
  if (count > 1 && strcmp(words[1], "manual") == 0)
    manual(x, y);
  else if (count > 1 && strcmp(words[1], "extents") == 0)
    extents(x, y);
  else
    automatic(x, y);
  return 0;
}
