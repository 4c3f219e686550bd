/* Which images run on which CUDA device (CUDA C++ Programming Guide, "Compute Capabilities" and "Feature
 * Set Compiler Targets"):
 *
 * - machine code (cubin) for capability X.y runs on X.z with z >= y;
 * - PTX runs on its capability and every later one, through the driver's compiler;
 * - with suffix `a` (sm_90a) both run on exactly that capability;
 * - with suffix `f` (sm_100f) both run on that capability's family: the same major number, from that minor
 *   number on; 10.1, now called 11.0, is no member of 10.0's. */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A compute capability, with the suffix that restricts an image. */
struct capability {
  int number; /* 90 for 9.0, 103 for 10.3 */
  char suffix; /* 'a', 'f', or 0 */
};

/* Parses `sm_90a` or `compute_90a`; returns 0 for other texts. */
static int read_capability(const char *arch, struct capability *read) {
  const char *digits = strchr(arch, '_');
  char *end;
  if (!digits || (strncmp(arch, "sm_", 3) != 0 && strncmp(arch, "compute_", 8) != 0))
    return 0;
  long number = strtol(digits + 1, &end, 10);
  read->number = (int)number;
  read->suffix = *end;
  return end != digits + 1 && number > 0 && number < 10000 && (!*end || ((*end == 'a' || *end == 'f') && !end[1]));
}

static int same_family(int image, int device) {
  return image / 10 == device / 10 && device >= image && (device == 101) == (image == 101);
}

static int runs(struct capability image, int is_ptx, int device) {
  if (image.suffix == 'a')
    return device == image.number;
  if (image.suffix == 'f')
    return same_family(image.number, device);
  return device >= image.number && (is_ptx || device / 10 == image.number / 10);
}

static void write_miss(char *miss, size_t capacity, struct capability image, int is_ptx) {
  const char *what = is_ptx ? "PTX" : "machine code";
  int major = image.number / 10, minor = image.number % 10;
  if (image.suffix == 'a')
    snprintf(miss, capacity, "is %s for compute capability %d.%d alone", what, major, minor);
  else if (image.suffix == 'f')
    snprintf(miss, capacity, "is %s for the family of compute capability %d.%d", what, major, minor);
  else if (is_ptx)
    snprintf(miss, capacity, "is PTX for compute capability %d.%d and newer", major, minor);
  else
    snprintf(miss, capacity, "is machine code for compute capabilities from %d.%d to %d.9", major, minor, major);
}

int offloadrt_cuda_fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity) {
  struct capability device, own;
  int is_ptx = image->kind == OFFLOADRT_IMAGE_PTX;
  if (strncmp(image->triple, "nvptx64-", strlen("nvptx64-")) != 0 || !read_capability(arch, &device))
    return OFFLOADRT_FOREIGN;
  if ((!is_ptx && image->kind != OFFLOADRT_IMAGE_CUBIN) || !read_capability(image->arch, &own)) {
    snprintf(miss, capacity, "is neither PTX nor machine code");
    return -100000;
  }
  /* Prefers machine code to PTX, later capabilities to earlier ones, and more specific images of one capability. */
  if (runs(own, is_ptx, device.number))
    return (is_ptx ? 0 : 100000) + 3 * own.number + (own.suffix == 'a' ? 2 : own.suffix == 'f');
  write_miss(miss, capacity, own, is_ptx);
  return -2 * abs(own.number - device.number) - !is_ptx;
}
