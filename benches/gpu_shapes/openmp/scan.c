/* Running sums: the sums of the threads' parts first. */

#include <omp.h>
#include <stddef.h>
#include <stdint.h>

void openmp_scan(size_t len, const uint32_t *restrict values, uint32_t *restrict sums) {
    uint32_t totals[omp_get_max_threads()];
#pragma omp parallel
    {
        size_t count = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
        size_t first = len * thread / count, end = len * (thread + 1) / count;
        uint32_t total = 0;
        for (size_t i = first; i < end; i++)
            total += values[i];
        totals[thread] = total;
#pragma omp barrier
        uint32_t own = 0;
        for (size_t before = 0; before < thread; before++)
            own += totals[before];
        for (size_t i = first; i < end; i++)
            sums[i] = own += values[i];
    }
}
