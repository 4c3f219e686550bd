/* A step of k-means: each thread has its own sums. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CENTRES = 16 };

typedef float Point[4];

void openmp_k_means(size_t len, const Point *restrict points, const Point *restrict centres, uint32_t *restrict labels,
                    float *restrict all_sums, uint32_t *restrict all_counts) {
    float sums[CENTRES * 4] = {0};
    uint32_t counts[CENTRES] = {0};
#pragma omp parallel for reduction(+ : sums, counts)
    for (size_t i = 0; i < len; i++) {
        float smallest = INFINITY;
        uint32_t best = 0;
        for (uint32_t centre = 0; centre < CENTRES; centre++) {
            float distance = 0.0f;
            for (size_t axis = 0; axis < 4; axis++) {
                float way = points[i][axis] - centres[centre][axis];
                distance += way * way;
            }
            if (distance < smallest) {
                best = centre;
                smallest = distance;
            }
        }
        labels[i] = best;
        for (size_t axis = 0; axis < 4; axis++)
            sums[best * 4 + axis] += points[i][axis];
        counts[best]++;
    }
    memcpy(all_sums, sums, sizeof sums);
    memcpy(all_counts, counts, sizeof counts);
}
