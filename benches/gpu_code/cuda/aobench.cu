// Ambient occlusion of three spheres on a plane: each pixel sends rays into the half of space above its point.
#include "device.h"

#define SAMPLES 16
#define FAR 1e17f
#define FLOOR -0.5f

struct Vector {
  float x, y, z;
};

static __device__ inline float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static __device__ inline Vector scaled(Vector a) {
  float factor = 1.0f / root(dot(a, a));
  return Vector{a.x * factor, a.y * factor, a.z * factor};
}

static __device__ inline Vector cross(Vector a, Vector b) {
  return Vector{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static __device__ inline void sphere(float x, float y, float z, float radius, Vector from, Vector to, float &distance,
                                     Vector &normal) {
  Vector between = {from.x - x, from.y - y, from.z - z};
  float half = dot(between, to);
  float rest = half * half - (dot(between, between) - radius * radius);
  if (rest > 0.0f) {
    float t = -half - root(rest);
    if (t > 0.0f && t < distance) {
      distance = t;
      normal = scaled(Vector{between.x + to.x * t, between.y + to.y * t, between.z + to.z * t});
    }
  }
}

static __device__ inline float meet(Vector from, Vector to, Vector &normal) {
  float distance = FAR;
  normal = Vector{0, 0, 0};
  sphere(-2.0f, 0.0f, -3.5f, 0.5f, from, to, distance, normal);
  sphere(-0.5f, 0.0f, -3.0f, 0.5f, from, to, distance, normal);
  sphere(1.0f, 0.0f, -2.2f, 0.5f, from, to, distance, normal);
  if (to.y != 0.0f) {
    float t = (FLOOR - from.y) / to.y;
    if (t > 0.0f && t < distance) {
      distance = t;
      normal = Vector{0, 1, 0};
    }
  }
  return distance;
}

static __device__ inline unsigned next(unsigned state) { return state * 1664525u + 1013904223u; }
static __device__ inline float unit(unsigned state) { return (float)(state >> 8) * (1.0f / 16777216.0f); }

KERNEL void aobench(unsigned width, unsigned height, size_t columns, size_t rows, float *__restrict__ out) {
  size_t column = index_x(), row = index_y();
  if (column >= columns || row >= rows)
    return;
  unsigned x = (unsigned)column, y = (unsigned)row;
  float px = ((float)x - (float)width * 0.5f) / ((float)width * 0.5f);
  float py = ((float)y - (float)height * 0.5f) / ((float)height * 0.5f);
  Vector to = scaled(Vector{px, -py, -1.0f}), normal;
  float distance = meet(Vector{0, 0, 0}, to, normal);
  if (distance >= FAR) {
    out[row * columns + column] = 0;
    return;
  }
  Vector point = {to.x * distance + normal.x * 1e-4f, to.y * distance + normal.y * 1e-4f,
                  to.z * distance + normal.z * 1e-4f};
  Vector helper = normal.x < 0.6f && normal.x > -0.6f ? Vector{1, 0, 0} : Vector{0, 1, 0};
  Vector first = scaled(cross(helper, normal)), second = cross(normal, first);
  unsigned state = y * width + x, hidden = 0;
  for (unsigned sample = 0; sample < SAMPLES; ++sample) {
    state = next(state);
    float r = root(unit(state));
    state = next(state);
    float angle = 6.2831853f * unit(state);
    float a = fast_cos(angle) * r, b = fast_sin(angle) * r, c = root(1.0f - r * r);
    Vector ray = {a * first.x + b * second.x + c * normal.x, a * first.y + b * second.y + c * normal.y,
                  a * first.z + b * second.z + c * normal.z};
    Vector ignored;
    if (meet(point, ray, ignored) < FAR)
      hidden += 1;
  }
  out[row * columns + column] = (float)(SAMPLES - hidden) / (float)SAMPLES;
}
