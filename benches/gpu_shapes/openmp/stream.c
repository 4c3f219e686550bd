/* Copy, add and triad. */

#include <stddef.h>

void openmp_copy(size_t len, const float *restrict a, float *restrict c) {
#pragma omp parallel for
    for (size_t i = 0; i < len; i++)
        c[i] = a[i];
}

void openmp_add(size_t len, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp parallel for
    for (size_t i = 0; i < len; i++)
        c[i] = a[i] + b[i];
}

void openmp_triad(size_t len, float s, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp parallel for
    for (size_t i = 0; i < len; i++)
        c[i] = a[i] + s * b[i];
}
