/* The histogram: each thread counts into its own bins. */

#include <stddef.h>
#include <stdint.h>

void openmp_histogram(size_t len, const uint8_t *restrict bytes, uint32_t *restrict bins) {
    uint32_t counts[256] = {0};
#pragma omp parallel for reduction(+ : counts)
    for (size_t i = 0; i < len; i++)
        counts[bytes[i]]++;
    for (size_t bin = 0; bin < 256; bin++)
        bins[bin] = counts[bin];
}
