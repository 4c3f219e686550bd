/* The work of a kernel's warps, in loops over 32 values. */

#include <stddef.h>
#include <stdint.h>

void openmp_warp_sums(size_t len, const float *restrict values, float *restrict sums) {
#pragma omp parallel for
    for (size_t i = 0; i < len / 32; i++) {
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t lane = 0; lane < 32; lane++)
            sum += values[32 * i + lane];
        sums[i] = sum;
    }
}

void openmp_compact(size_t len, const uint32_t *restrict values, uint32_t *restrict kept, uint32_t *restrict counts) {
#pragma omp parallel for
    for (size_t i = 0; i < len / 32; i++) {
        uint32_t next = 0;
        for (size_t lane = 0; lane < 32; lane++) {
            uint32_t value = values[32 * i + lane];
            if (value % 4 != 0)
                kept[32 * i + next++] = value;
        }
        counts[i] = next;
    }
}
