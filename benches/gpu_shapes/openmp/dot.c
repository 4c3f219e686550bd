/* The dot product. */

#include <stddef.h>

void openmp_dot(size_t len, const float *restrict a, const float *restrict b, float *restrict result) {
    float sum = 0.0f;
#pragma omp parallel for simd reduction(+ : sum)
    for (size_t i = 0; i < len; i++)
        sum += a[i] * b[i];
    *result = sum;
}
