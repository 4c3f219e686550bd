/* The twins in OpenCL C: the kernels of the rows, with the same blocks, tiles and order of operations. */

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void copy(ulong len, __global const float *a, __global float *c) {
    ulong i = get_global_id(0);
    if (i < len)
        c[i] = a[i];
}

__kernel void add(ulong len, __global const float *a, __global const float *b, __global float *c) {
    ulong i = get_global_id(0);
    if (i < len)
        c[i] = a[i] + b[i];
}

__kernel void triad(ulong len, float s, __global const float *a, __global const float *b, __global float *c) {
    ulong i = get_global_id(0);
    if (i < len)
        c[i] = a[i] + s * b[i];
}

__kernel void spmv(ulong rows, __global const uint *starts, __global const uint *columns, __global const float *values,
                   __global const float *x, __global float *y) {
    ulong row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (uint i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

__kernel void matmul_naive(ulong n, __global const float *a, __global const float *b, __global float *c) {
    ulong x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (ulong k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__kernel void stencil(ulong width, ulong height, __global const float *from, __global float *to) {
    ulong x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x >= width || y >= height)
        return;
    int inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
    to[i] = inside ? 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width]) : from[i];
}

#define TILE 16
#define ROW (TILE + 2)

__kernel void stencil_tiled(ulong width, ulong height, __global const float *from, __global float *to) {
    __local float points[ROW * ROW];
    ulong gx = get_global_id(0), gy = get_global_id(1), i = gy * width + gx;
    uint x = get_local_id(0), y = get_local_id(1), here = (y + 1) * ROW + x + 1;
    int exists = gx < width && gy < height;
    if (exists) {
        points[here] = from[i];
        if (x == 0 && gx > 0)
            points[here - 1] = from[i - 1];
        if (x == TILE - 1 && gx + 1 < width)
            points[here + 1] = from[i + 1];
        if (y == 0 && gy > 0)
            points[here - ROW] = from[i - width];
        if (y == TILE - 1 && gy + 1 < height)
            points[here + ROW] = from[i + width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (exists) {
        float point = points[here];
        if (gx > 0 && gy > 0 && gx + 1 < width && gy + 1 < height)
            point = 0.2f * (point + points[here - 1] + points[here + 1] + points[here - ROW] + points[here + ROW]);
        to[i] = point;
    }
}

/* The prices of a call and of a put, by Black and Scholes. */
#define BLACK_SCHOLES(name, real)                                                                                 \
    static real normal_##real(real x) {                                                                           \
        real k = (real)1.0 / ((real)1.0 + (real)0.2316419 * fabs(x));                                             \
        real sum = (real)1.781477937 + k * ((real)-1.821255978 + k * (real)1.330274429);                          \
        sum = (real)0.31938153 + k * ((real)-0.356563782 + k * sum);                                              \
        real tail = (real)0.3989422804014327 * exp((real)-0.5 * x * x) * k * sum;                                 \
        return x > 0 ? (real)1.0 - tail : tail;                                                                   \
    }                                                                                                             \
                                                                                                                  \
    __kernel void name(ulong len, real rate, real volatility, __global const real *stocks,                        \
                       __global const real *strikes, __global const real *years, __global real *out) {            \
        ulong i = get_global_id(0);                                                                               \
        if (i >= len)                                                                                             \
            return;                                                                                               \
        real spread = volatility * sqrt(years[i]);                                                                \
        real d1 = (log(stocks[i] / strikes[i]) + (rate + (real)0.5 * volatility * volatility) * years[i]) / spread; \
        real discounted = strikes[i] * exp(-rate * years[i]);                                                     \
        real n1 = normal_##real(d1), n2 = normal_##real(d1 - spread);                                             \
        out[2 * i] = stocks[i] * n1 - discounted * n2;                                                            \
        out[2 * i + 1] = discounted * ((real)1.0 - n2) - stocks[i] * ((real)1.0 - n1);                            \
    }

BLACK_SCHOLES(black_scholes_f32, float)
BLACK_SCHOLES(black_scholes_f64, double)

__kernel void matmul_tiled(ulong n, __global const float *a, __global const float *b, __global float *c) {
    __local float tile_a[TILE * TILE], tile_b[TILE * TILE];
    ulong gx = get_global_id(0), gy = get_global_id(1);
    uint x = get_local_id(0), y = get_local_id(1);
    float sum = 0;
    for (ulong first = 0; first < n; first += TILE) {
        ulong column = first + x, row = first + y;
        tile_a[y * TILE + x] = gy < n && column < n ? a[gy * n + column] : 0;
        tile_b[y * TILE + x] = row < n && gx < n ? b[row * n + gx] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += tile_a[y * TILE + k] * tile_b[k * TILE + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (gx < n && gy < n)
        c[gy * n + gx] = sum;
}

#define BLOCK 256

__kernel void dot_product(ulong len, __global const float *a, __global const float *b, __global float *sums) {
    __local float parts[BLOCK];
    uint thread = get_local_id(0);
    float own = 0;
    for (ulong i = get_global_id(0); i < len; i += get_global_size(0))
        own += a[i] * b[i];
    parts[thread] = own;
    for (uint half_count = BLOCK / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < half_count)
            parts[thread] += parts[thread + half_count];
    }
    if (thread == 0)
        sums[get_group_id(0)] = parts[0];
}

__kernel void histogram(ulong len, __global const uchar *bytes, __global uint *bins) {
    __local uint counts[BLOCK];
    uint here = get_local_id(0);
    counts[here] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < len; i += get_global_size(0))
        atomic_inc(&counts[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[here], counts[here]);
}

#define RADIUS 2
#define SIZE (2 * RADIUS + 1)
#define WIDE (TILE + 2 * RADIUS)

static ulong near(ulong at, uint step, ulong end) {
    ulong place = at + step < RADIUS ? 0 : at + step - RADIUS;
    return min(place, end - 1);
}

__kernel void convolution(ulong width, ulong height, __global const float *weights, __global const float *from,
                          __global float *to) {
    __local float points[WIDE * WIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    ulong left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    for (uint i = y * TILE + x; i < WIDE * WIDE; i += TILE * TILE)
        points[i] = from[near(top, i / WIDE, height) * width + near(left, i % WIDE, width)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + x >= width || top + y >= height)
        return;
    float sum = 0;
    for (uint dy = 0; dy < SIZE; dy++)
        for (uint dx = 0; dx < SIZE; dx++)
            sum += weights[dy * SIZE + dx] * points[(y + dy) * WIDE + x + dx];
    to[(top + y) * width + left + x] = sum;
}

#define KEYS 1024

__kernel void bitonic(__global const uint *from, __global uint *to) {
    __local uint keys[KEYS];
    ulong first = get_group_id(0) * KEYS;
    uint thread = get_local_id(0);
    keys[thread] = from[first + thread];
    keys[thread + KEYS / 2] = from[first + thread + KEYS / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= KEYS; size *= 2)
        for (uint distance = size / 2; distance > 0; distance /= 2) {
            uint low = 2 * thread - thread % distance;
            uint a = keys[low], b = keys[low + distance];
            if ((a > b) == ((low & size) == 0)) {
                keys[low] = b;
                keys[low + distance] = a;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    to[first + thread] = keys[thread];
    to[first + thread + KEYS / 2] = keys[thread + KEYS / 2];
}
