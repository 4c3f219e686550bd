/* A radix sort with 8 bits at a time: each thread counts and scatters its part. */

#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS = 256 };

void openmp_radix_sort(size_t len, const uint32_t *restrict keys, uint32_t *restrict spare, uint32_t *restrict sorted) {
    uint32_t counts[omp_get_max_threads()][DIGITS];
#pragma omp parallel
    {
        size_t count = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
        size_t first = len * thread / count, end = len * (thread + 1) / count;
        const uint32_t *from = keys;
        for (int shift = 0; shift < 32; shift += 8) {
            uint32_t *to = shift % 16 == 0 ? spare : sorted;
            uint32_t places[DIGITS], place = 0;
            memset(counts[thread], 0, sizeof counts[thread]);
            for (size_t i = first; i < end; i++)
                counts[thread][from[i] >> shift & 255]++;
#pragma omp barrier
            for (size_t digit = 0; digit < DIGITS; digit++)
                for (size_t other = 0; other < count; other++) {
                    if (other == thread)
                        places[digit] = place;
                    place += counts[other][digit];
                }
            for (size_t i = first; i < end; i++)
                to[places[from[i] >> shift & 255]++] = from[i];
#pragma omp barrier
            from = to;
        }
    }
}
