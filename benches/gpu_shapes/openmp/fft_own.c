/* Fourier transforms of few points, each by one thread in a private array. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float re, im;
} Complex;

static inline __attribute__((always_inline)) void transform(size_t n, const Complex *restrict from,
                                                            const Complex *restrict roots, Complex *restrict points) {
    int shift = __builtin_clz((uint32_t)n) + 1;
    for (size_t i = 0; i < n; i++)
        points[i] = from[__builtin_bitreverse32((uint32_t)i) >> shift];
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n / 2; i++) {
            size_t place = i % half, low = 2 * i - place;
            Complex root = roots[place * (n / 2 / half)];
            Complex a = points[low], b = points[low + half];
            Complex turned = {b.re * root.re - b.im * root.im, b.re * root.im + b.im * root.re};
            points[low] = (Complex){a.re + turned.re, a.im + turned.im};
            points[low + half] = (Complex){a.re - turned.re, a.im - turned.im};
        }
}

#define TRANSFORMS(N)                                                                                                \
    void openmp_fft_##N(size_t count, const Complex *restrict from, const Complex *restrict roots,                   \
                        Complex *restrict to) {                                                                      \
        _Pragma("omp parallel for") for (size_t which = 0; which < count; which++) {                                 \
            Complex points[N];                                                                                       \
            transform(N, from + which * N, roots, points);                                                           \
            memcpy(to + which * N, points, sizeof points);                                                           \
        }                                                                                                            \
    }

TRANSFORMS(8)
TRANSFORMS(16)
TRANSFORMS(64)
