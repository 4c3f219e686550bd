/* The threads of all twins. */

#include <omp.h>
#include <stddef.h>

/* Threads that have no work go to sleep after a millisecond, because another side is measured next. */
void openmp_threads(size_t count) {
    omp_set_dynamic(0);
    omp_set_num_threads((int)count);
    kmp_set_blocktime(1);
}
