/* The prices of options by Black and Scholes. */

#include <math.h>
#include <stddef.h>

#define BLACK_SCHOLES(NAME, REAL, ABS, EXP, LOG, SQRT)                                                                 \
    static REAL NAME##_normal(REAL x) {                                                                                \
        REAL k = 1 / (1 + (REAL)0.2316419 * ABS(x));                                                                   \
        REAL inner = (REAL)1.781477937 + k * ((REAL)-1.821255978 + k * (REAL)1.330274429);                             \
        REAL sum = (REAL)0.31938153 + k * ((REAL)-0.356563782 + k * inner);                                            \
        REAL tail = (REAL)0.3989422804014327 * EXP((REAL)-0.5 * x * x) * k * sum;                                  \
        return x > 0 ? 1 - tail : tail;                                                                                \
    }                                                                                                                  \
                                                                                                                       \
    void NAME(size_t len, REAL rate, REAL volatility, const REAL *restrict stocks, const REAL *restrict strikes,       \
              const REAL *restrict years, REAL (*restrict out)[2]) {                                                   \
        _Pragma("omp parallel for")                                                                                    \
        for (size_t i = 0; i < len; i++) {                                                                             \
            REAL spread = volatility * SQRT(years[i]);                                                                 \
            REAL drift = (rate + (REAL)0.5 * volatility * volatility) * years[i];                                      \
            REAL d1 = (LOG(stocks[i] / strikes[i]) + drift) / spread;                                                  \
            REAL d2 = d1 - spread;                                                                                     \
            REAL discounted = strikes[i] * EXP(-rate * years[i]);                                                      \
            REAL n1 = NAME##_normal(d1), n2 = NAME##_normal(d2);                                                       \
            out[i][0] = stocks[i] * n1 - discounted * n2;                                                              \
            out[i][1] = discounted * (1 - n2) - stocks[i] * (1 - n1);                                                  \
        }                                                                                                              \
    }

BLACK_SCHOLES(openmp_black_scholes_f32, float, fabsf, expf, logf, sqrtf)
BLACK_SCHOLES(openmp_black_scholes_f64, double, fabs, exp, log, sqrt)
