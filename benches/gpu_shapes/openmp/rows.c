/* The softmax and the layer norm of the rows of a matrix. */

#include <math.h>
#include <stddef.h>

void openmp_softmax(size_t rows, size_t columns, const float *restrict from, float *restrict to) {
#pragma omp parallel for
    for (size_t row = 0; row < rows; row++) {
        const float *restrict in = from + row * columns;
        float *restrict out = to + row * columns;
        float largest = -INFINITY, sum = 0.0f;
        for (size_t i = 0; i < columns; i++)
            largest = in[i] > largest ? in[i] : largest;
        for (size_t i = 0; i < columns; i++) {
            out[i] = expf(in[i] - largest);
            sum += out[i];
        }
        float factor = 1.0f / sum;
        for (size_t i = 0; i < columns; i++)
            out[i] *= factor;
    }
}

void openmp_layer_norm(size_t rows, size_t columns, const float *restrict from, const float *restrict scales,
                       const float *restrict shifts, float *restrict to) {
#pragma omp parallel for
    for (size_t row = 0; row < rows; row++) {
        const float *restrict in = from + row * columns;
        float *restrict out = to + row * columns;
        float sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < columns; i++)
            sum += in[i];
        float mean = sum / (float)columns;
#pragma omp simd reduction(+ : squares)
        for (size_t i = 0; i < columns; i++)
            squares += (in[i] - mean) * (in[i] - mean);
        float factor = 1.0f / sqrtf(squares / (float)columns + 1e-5f);
        for (size_t i = 0; i < columns; i++)
            out[i] = (in[i] - mean) * factor * scales[i] + shifts[i];
    }
}
