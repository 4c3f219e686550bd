/* Attention: one query after the other, with vectors for the products. */

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { WIDTH = 64 };

void openmp_attention(size_t heads, size_t len, const float *restrict queries, const float *restrict keys,
                      const float *restrict values, float *restrict out) {
#pragma omp parallel for
    for (size_t row = 0; row < heads * len; row++) {
        size_t first = row / len * len;
        const float *restrict query = queries + row * WIDTH;
        float *restrict to = out + row * WIDTH;
        float scores[len], largest = -INFINITY, sum = 0.0f;
        for (size_t i = 0; i < len; i++) {
            const float *restrict key = keys + (first + i) * WIDTH;
            float product = 0.0f;
#pragma omp simd reduction(+ : product)
            for (size_t k = 0; k < WIDTH; k++)
                product += query[k] * key[k];
            scores[i] = product * 0.125f;
            largest = scores[i] > largest ? scores[i] : largest;
        }
        memset(to, 0, WIDTH * sizeof *to);
        for (size_t i = 0; i < len; i++) {
            const float *restrict value = values + (first + i) * WIDTH;
            float power = expf(scores[i] - largest);
            sum += power;
            for (size_t k = 0; k < WIDTH; k++)
                to[k] += power * value[k];
        }
        for (size_t k = 0; k < WIDTH; k++)
            to[k] /= sum;
    }
}
