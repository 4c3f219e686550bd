/* A sparse matrix times a vector. */

#include <stddef.h>
#include <stdint.h>

void openmp_spmv(size_t rows, const uint32_t *restrict starts, const uint32_t *restrict columns,
                 const float *restrict values, const float *restrict x, float *restrict y) {
#pragma omp parallel for
    for (size_t row = 0; row < rows; row++) {
        float sum = 0.0f;
        for (size_t i = starts[row]; i < starts[row + 1]; i++)
            sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}
