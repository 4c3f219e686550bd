/* The threads of all twins. */

#include <omp.h>
#include <stddef.h>

/* Calls `bind` in each thread, with its number. Threads that have no work go to sleep after a millisecond, because
 * another side is measured next. */
void openmp_threads(size_t count, void (*bind)(size_t)) {
    omp_set_dynamic(0);
    omp_set_num_threads((int)count);
    kmp_set_blocktime(1);
#pragma omp parallel
    bind((size_t)omp_get_thread_num());
}
