/* The convolution with 5 x 5 weights. */

#include <stddef.h>

enum { RADIUS = 2, SIZE = 2 * RADIUS + 1 };

static size_t near(size_t at, size_t step, size_t end) {
    size_t moved = at + step < RADIUS ? 0 : at + step - RADIUS;
    return moved < end ? moved : end - 1;
}

void openmp_convolution(size_t width, size_t height, const float *restrict weights, const float *restrict from,
                        float *restrict to) {
#pragma omp parallel for
    for (size_t y = 0; y < height; y++) {
        const float *rows[SIZE];
        for (size_t dy = 0; dy < SIZE; dy++)
            rows[dy] = from + near(y, dy, height) * width;
        for (size_t x = 0; x < width; x++) {
            if (x == RADIUS)
                x = width - RADIUS;
            float sum = 0.0f;
            for (size_t dy = 0; dy < SIZE; dy++)
                for (size_t dx = 0; dx < SIZE; dx++)
                    sum += weights[dy * SIZE + dx] * rows[dy][near(x, dx, width)];
            to[y * width + x] = sum;
        }
        for (size_t x = RADIUS; x < width - RADIUS; x++) {
            float sum = 0.0f;
            for (size_t dy = 0; dy < SIZE; dy++)
                for (size_t dx = 0; dx < SIZE; dx++)
                    sum += weights[dy * SIZE + dx] * rows[dy][x + dx - RADIUS];
            to[y * width + x] = sum;
        }
    }
}
