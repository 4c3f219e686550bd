/* A step of the lattice Boltzmann method, D2Q9. */

#include <stddef.h>

static float relax(float f, float weight, float along, float density, float square) {
    float equal = weight * density * (1.0f + 3.0f * along + 4.5f * along * along - square);
    return f + 0.6f * (equal - f);
}

void openmp_lattice(size_t width, size_t height, const float *restrict from, float *restrict to) {
    size_t cells = width * height;
#pragma omp parallel for
    for (size_t row = 0; row < height; row++) {
        size_t here = row * width;
        size_t south = (row == 0 ? height - 1 : row - 1) * width, north = (row + 1 == height ? 0 : row + 1) * width;
        for (size_t column = 0; column < width; column++) {
            size_t west = column == 0 ? width - 1 : column - 1, east = column + 1 == width ? 0 : column + 1;
            float f0 = from[here + column], f1 = from[cells + here + west], f2 = from[2 * cells + south + column];
            float f3 = from[3 * cells + here + east], f4 = from[4 * cells + north + column];
            float f5 = from[5 * cells + south + west], f6 = from[6 * cells + south + east];
            float f7 = from[7 * cells + north + east], f8 = from[8 * cells + north + west];
            float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            float x = (f1 + f5 + f8 - f3 - f6 - f7) / density;
            float y = (f2 + f5 + f6 - f4 - f7 - f8) / density;
            float square = 1.5f * (x * x + y * y);
            float *out = to + here + column;
            out[0] = relax(f0, 4.0f / 9.0f, 0.0f, density, square);
            out[cells] = relax(f1, 1.0f / 9.0f, x, density, square);
            out[2 * cells] = relax(f2, 1.0f / 9.0f, y, density, square);
            out[3 * cells] = relax(f3, 1.0f / 9.0f, -x, density, square);
            out[4 * cells] = relax(f4, 1.0f / 9.0f, -y, density, square);
            out[5 * cells] = relax(f5, 1.0f / 36.0f, x + y, density, square);
            out[6 * cells] = relax(f6, 1.0f / 36.0f, y - x, density, square);
            out[7 * cells] = relax(f7, 1.0f / 36.0f, -x - y, density, square);
            out[8 * cells] = relax(f8, 1.0f / 36.0f, x - y, density, square);
        }
    }
}
