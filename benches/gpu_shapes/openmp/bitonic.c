/* Bitonic sorts, each by one thread, in loops that clang vectorises. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void order(uint32_t *restrict low, uint32_t *restrict high, size_t len) {
    for (size_t i = 0; i < len; i++) {
        uint32_t a = low[i], b = high[i];
        low[i] = a < b ? a : b;
        high[i] = a < b ? b : a;
    }
}

void openmp_bitonic(size_t count, size_t n, const uint32_t *restrict from, uint32_t *restrict to) {
#pragma omp parallel for
    for (size_t which = 0; which < count; which++) {
        uint32_t *keys = to + which * n;
        memcpy(keys, from + which * n, n * sizeof *keys);
        for (size_t size = 2; size <= n; size *= 2)
            for (size_t distance = size / 2; distance > 0; distance /= 2)
                for (size_t group = 0; group < n; group += 2 * distance) {
                    uint32_t *low = keys + group, *high = low + distance;
                    if (group & size)
                        order(high, low, distance);
                    else
                        order(low, high, distance);
                }
    }
}
