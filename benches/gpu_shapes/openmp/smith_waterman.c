/* Scores of local alignments, row by row. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

void openmp_smith_waterman(size_t count, size_t first_len, size_t second_len, const uint8_t *restrict first,
                           const uint8_t *restrict second, int32_t *restrict scores) {
#pragma omp parallel for
    for (size_t pair = 0; pair < count; pair++) {
        int32_t row[second_len], best = 0;
        memset(row, 0, sizeof row);
        for (size_t i = 0; i < first_len; i++) {
            int32_t left = 0, corner = 0;
            for (size_t j = 0; j < second_len; j++) {
                int32_t step = first[pair * first_len + i] == second[pair * second_len + j] ? 3 : -2;
                int32_t score = larger(larger(corner + step, row[j] - 2), larger(left - 2, 0));
                corner = row[j];
                row[j] = left = score;
                best = larger(best, score);
            }
        }
        scores[pair] = best;
    }
}
