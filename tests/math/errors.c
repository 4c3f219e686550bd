/* How far results of math functions are from the right ones, by MPFR: `errors INPUTS FOLDER COUNT SAMPLE` reads the
 * inputs that the kernels got, COUNT of each kind, and the file of each function in FOLDER, and looks at every SAMPLE-th
 * result. It prints a line for each function: its name and the largest error in units in the last place. */
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 160 };

typedef int (*unary)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*order)(mpfr_t, long, const mpfr_t, mpfr_rnd_t);

static const struct { const char *name; unary function; } unaries[] = {
    {"acos", mpfr_acos}, {"acosh", mpfr_acosh}, {"asin", mpfr_asin}, {"asinh", mpfr_asinh}, {"atan", mpfr_atan},
    {"atanh", mpfr_atanh}, {"cbrt", mpfr_cbrt}, {"cos", mpfr_cos}, {"cosh", mpfr_cosh}, {"erf", mpfr_erf},
    {"erfc", mpfr_erfc}, {"exp", mpfr_exp}, {"exp10", mpfr_exp10}, {"exp2", mpfr_exp2}, {"expm1", mpfr_expm1},
    {"j0", mpfr_j0}, {"j1", mpfr_j1}, {"log", mpfr_log}, {"log10", mpfr_log10}, {"log1p", mpfr_log1p},
    {"log2", mpfr_log2}, {"sin", mpfr_sin}, {"sinh", mpfr_sinh}, {"sqrt", mpfr_sqrt}, {"tan", mpfr_tan},
    {"tanh", mpfr_tanh}, {"tgamma", mpfr_gamma}, {"y0", mpfr_y0}, {"y1", mpfr_y1},
};
static const struct { const char *name; binary function; } binaries[] = {
    {"atan2", mpfr_atan2}, {"fdim", mpfr_dim}, {"fmod", mpfr_fmod}, {"hypot", mpfr_hypot}, {"pow", mpfr_pow},
    {"remainder", mpfr_remainder},
};
static const struct { const char *name; order function; } orders[] = {{"jn", mpfr_jn}, {"yn", mpfr_yn}};

static uint64_t *words(const char *path, size_t count) {
  uint64_t *all = malloc(count * sizeof *all);
  FILE *file = fopen(path, "rb");
  if (!all || !file || fread(all, sizeof *all, count, file) != count) {
    fprintf(stderr, "cannot read `%s`\n", path);
    exit(1);
  }
  fclose(file);
  return all;
}

static double number(uint64_t bits, int single) {
  double wide;
  float narrow;
  uint32_t low = (uint32_t)bits;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&narrow, &low, sizeof narrow);
  return single ? narrow : wide;
}

/* The distance in units of the right result's last place; infinite where one of the two is no finite number. */
static double error(const mpfr_t right, double found, int single) {
  double rounded = single ? mpfr_get_flt(right, MPFR_RNDN) : mpfr_get_d(right, MPFR_RNDN);
  if (isnan(rounded) || isnan(found))
    return isnan(rounded) && isnan(found) ? 0 : INFINITY;
  if (isinf(rounded) || isinf(found))
    return rounded == found || fabs(rounded) > (single ? 3.4e38 : 1.79e308) || fabs(found) > (single ? 3.4e38 : 1.79e308)
               ? 0
               : INFINITY;
  long lowest = single ? -149 : -1074;
  long place = mpfr_zero_p(right) ? lowest : mpfr_get_exp(right) - (single ? 24 : 53);
  mpfr_t difference;
  mpfr_init2(difference, PRECISION);
  mpfr_sub_d(difference, right, found, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, -(place < lowest ? lowest : place), MPFR_RNDN);
  double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return units;
}

/* The right result of a function by name; 0 when it is not known. */
static int compute(const char *name, mpfr_t result, double x, double y, long n) {
  mpfr_t a, b;
  int sign;
  mpfr_inits2(53, a, b, (mpfr_ptr)0);
  mpfr_set_d(a, x, MPFR_RNDN);
  mpfr_set_d(b, y, MPFR_RNDN);
  int found = 1;
  for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
    if (!strcmp(name, unaries[i].name))
      return unaries[i].function(result, a, MPFR_RNDN), mpfr_clears(a, b, (mpfr_ptr)0), 1;
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (!strcmp(name, binaries[i].name))
      return binaries[i].function(result, a, b, MPFR_RNDN), mpfr_clears(a, b, (mpfr_ptr)0), 1;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    if (!strcmp(name, orders[i].name))
      return orders[i].function(result, n % 32, a, MPFR_RNDN), mpfr_clears(a, b, (mpfr_ptr)0), 1;
  if (!strcmp(name, "lgamma"))
    mpfr_lgamma(result, &sign, a, MPFR_RNDN);
  else if (!strcmp(name, "fma"))
    mpfr_fma(result, a, b, a, MPFR_RNDN);
  else
    found = 0;
  mpfr_clears(a, b, (mpfr_ptr)0);
  return found;
}

/* Series of these take minutes far from zero. */
static int too_far(const char *name, double x) {
  return strchr("jy", *name) && fabs(x) > 1e4;
}

static void measure(const char *name, int single, const uint64_t *inputs, size_t count, size_t sample, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, single ? "f" : "");
  uint64_t *results = words(path, count);
  mpfr_t right;
  mpfr_init2(right, PRECISION);
  double worst = 0;
  for (size_t i = 0; i < count; i += sample) {
    double x = number(inputs[i], single), y = number(inputs[count + i], single);
    if (too_far(name, x) || !compute(name, right, x, y, (int32_t)inputs[2 * count + i]))
      continue;
    double units = error(right, number(results[i], single), single);
    if (units > worst)
      worst = units;
  }
  printf("%s%s %.2f\n", name, single ? "f" : "", worst);
  fflush(stdout);
  mpfr_clear(right);
  free(results);
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  size_t count = strtoul(argv[3], NULL, 10), sample = strtoul(argv[4], NULL, 10);
  uint64_t *inputs = words(argv[1], 6 * count);
  /* Nothing beyond a double's range needs its digits. */
  mpfr_set_emin(-5000);
  mpfr_set_emax(5000);
  for (int single = 0; single < 2; single++) {
    const uint64_t *given = inputs + (single ? 3 * count : 0);
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
      measure(unaries[i].name, single, given, count, sample, argv[2]);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
      measure(binaries[i].name, single, given, count, sample, argv[2]);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
      measure(orders[i].name, single, given, count, sample, argv[2]);
    measure("lgamma", single, given, count, sample, argv[2]);
    measure("fma", single, given, count, sample, argv[2]);
  }
  return 0;
}
