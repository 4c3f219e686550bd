/* Fourier transforms, each by one thread. */

#include <stddef.h>
#include <stdint.h>

typedef struct {
    float re, im;
} Complex;

void openmp_fft(size_t count, size_t n, const Complex *restrict from, const Complex *restrict roots,
                Complex *restrict to) {
    int shift = __builtin_clz((uint32_t)n) + 1;
#pragma omp parallel for
    for (size_t which = 0; which < count; which++) {
        Complex *restrict points = to + which * n;
        for (size_t i = 0; i < n; i++)
            points[i] = from[which * n + (__builtin_bitreverse32((uint32_t)i) >> shift)];
        for (size_t half = 1; half < n; half *= 2)
            for (size_t group = 0; group < n; group += 2 * half)
                for (size_t place = 0; place < half; place++) {
                    Complex root = roots[place * (n / 2 / half)];
                    Complex a = points[group + place], b = points[group + place + half];
                    Complex turned = {b.re * root.re - b.im * root.im, b.re * root.im + b.im * root.re};
                    points[group + place] = (Complex){a.re + turned.re, a.im + turned.im};
                    points[group + place + half] = (Complex){a.re - turned.re, a.im - turned.im};
                }
    }
}
