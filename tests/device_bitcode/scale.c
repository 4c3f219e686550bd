/* Functions for devices, in C. Only those that a kernel calls are linked. */

struct line {
  float slope, start;
};

static const float slopes[4] = {1, 2, 3, 4};

extern float absent(float x);

static float at(const struct line *line, float x) { return line->slope * x + line->start; }

float scaled(const float *x, unsigned index) {
  const struct line line = {slopes[index % 4], 0.5f};
  return at(&line, x[index]);
}

float not_needed(float x) { return absent(x); }
