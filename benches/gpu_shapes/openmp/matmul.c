/* Matrix products: i-j-k, i-k-j, and i-k-j in tiles. */

#include <stddef.h>
#include <string.h>

void openmp_matmul_naive(size_t n, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

void openmp_matmul_ikj(size_t n, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        float *restrict row = c + i * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                row[j] += a[i * n + k] * b[k * n + j];
    }
}

/* Bands of 16 rows, and in each band tiles of 64 rows of b. */
void openmp_matmul_tiled(size_t n, const float *restrict a, const float *restrict b, float *restrict c) {
    enum { BAND = 16, DEPTH = 64 };
#pragma omp parallel for
    for (size_t first = 0; first < n; first += BAND) {
        memset(c + first * n, 0, BAND * n * sizeof *c);
        for (size_t start = 0; start < n; start += DEPTH)
            for (size_t i = first; i < first + BAND; i++)
                for (size_t k = start; k < start + DEPTH; k++)
                    for (size_t j = 0; j < n; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
