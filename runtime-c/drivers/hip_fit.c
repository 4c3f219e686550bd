/* Which code objects run on which AMD GPU (LLVM's User Guide for AMDGPU Backend, "Target ID" and "Generic
 * Processor Table"):
 *
 * - the processor is the device's own, or a generic one that covers it;
 * - a feature that the code object states (`xnack+`) is in the device's state; one that it does not state
 *   may be in either. */
#include "fit.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *generic;
  const char *covers; /* the names, each followed by a space */
} generics[] = {
    {"gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    {"gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950 "},
    {"gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013 "},
    {"gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    {"gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    {"gfx12-generic", "gfx1200 gfx1201 "},
};

/* Returns the length of the processor's name in a target ID. */
static size_t processor_length(const char *arch) { return strcspn(arch, ":"); }

static int same_text(const char *left, size_t left_length, const char *right, size_t right_length) {
  return left_length == right_length && memcmp(left, right, left_length) == 0;
}

/* Whether `image` is for a generic processor that covers the processor of `device`. */
static int covers(const char *image, const char *device) {
  char word[24];
  size_t length = processor_length(device);
  if (length + 2 > sizeof word)
    return 0;
  snprintf(word, sizeof word, "%.*s ", (int)length, device);
  for (size_t i = 0; i < sizeof generics / sizeof *generics; i++)
    if (same_text(image, processor_length(image), generics[i].generic, strlen(generics[i].generic)))
      return strstr(generics[i].covers, word) != NULL;
  return 0;
}

/* Whether one of the features after the processor's name is `feature`, including its sign. */
static int has_feature(const char *arch, const char *feature, size_t length) {
  for (const char *at = strchr(arch, ':'); at; at = strchr(at + 1, ':'))
    if (same_text(at + 1, strcspn(at + 1, ":"), feature, length))
      return 1;
  return 0;
}

/* Returns the number of features that the image states, or -1 if the device is not in the state of a feature; `missed`
 * receives that feature. */
static int count_features(const char *image, const char *device, const char **missed) {
  int count = 0;
  for (const char *at = strchr(image, ':'); at; at = strchr(at + 1, ':'), count++)
    if (!has_feature(device, at + 1, strcspn(at + 1, ":"))) {
      *missed = at + 1;
      return -1;
    }
  return count;
}

/* Whether a triple is of AMD's GPUs: `amdgcn-amd-amdhsa`, or as newer versions of LLVM spell it, with or without the
 * processor, `amdgpu9.0a-amd-amdhsa`. */
static int is_amd(const char *triple) {
  if (strncmp(triple, "amdgpu", strlen("amdgpu")) == 0)
    return strchr("-0123456789", triple[strlen("amdgpu")]) != NULL;
  return strncmp(triple, "amdgcn-", strlen("amdgcn-")) == 0;
}

/* Writes the processor that the newer spelling names: gfx90a for `amdgpu9.0a-…`, gfx9-4-generic for `amdgpu9.4-…`.
 * Returns 0 if the triple names none. */
static int processor_of_triple(const char *triple, char *processor, size_t capacity) {
  if (strncmp(triple, "amdgpu", strlen("amdgpu")) != 0)
    return 0;
  const char *version = triple + strlen("amdgpu");
  int major = (int)strcspn(version, ".-"), length = (int)strcspn(version, "-"), minor = length - major - 1;
  int written = 0;
  if (minor < 0 && major > 0)
    written = snprintf(processor, capacity, "gfx%.*s-generic", major, version);
  else if (minor == 1)
    written = snprintf(processor, capacity, "gfx%.*s-%c-generic", major, version, version[major + 1]);
  else if (minor > 1)
    written = snprintf(processor, capacity, "gfx%.*s%.*s", major, version, minor, version + major + 1);
  return written > 0 && (size_t)written < capacity;
}

/* Returns the length of the common prefix: gfx90a is closer to gfx908 than to gfx1030. */
static int common_length(const char *left, const char *right) {
  int length = 0;
  while (left[length] && left[length] == right[length])
    length++;
  return length;
}

int offloadrt_hip_fit(const char *arch, const struct offloadrt_image *image, char *miss, size_t capacity) {
  enum { OWN = 100, GENERIC = 10, SAME_PROCESSOR = -1, OTHER = -100 };
  const char *missed = "";
  char named[24];
  struct offloadrt_image full = *image;
  if (!is_amd(image->triple))
    return OFFLOADRT_FOREIGN;
  if (!*image->arch && processor_of_triple(image->triple, named, sizeof named)) {
    full.arch = named;
    image = &full;
  }
  if (image->kind != OFFLOADRT_IMAGE_ELF) {
    snprintf(miss, capacity, "is not a code object");
    return 2 * OTHER;
  }
  int own = same_text(image->arch, processor_length(image->arch), arch, processor_length(arch));
  if (!own && !covers(image->arch, arch)) {
    snprintf(miss, capacity, "is for other processors");
    return OTHER + common_length(image->arch, arch);
  }
  int features = count_features(image->arch, arch, &missed);
  if (features >= 0)
    return (own ? OWN : GENERIC) + features;
  snprintf(miss, capacity, "needs %.*s", (int)strcspn(missed, ":"), missed);
  return SAME_PROCESSOR;
}
