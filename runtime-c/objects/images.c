/* Chooses the image of an object for a device, and describes why there is none. The drivers decide which images fit a
 * device. This file loads nothing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../driver.h"

enum { MISS_CAPACITY = 160 };

int offloadrt_pick_image(const struct offloadrt_driver *driver, const char *arch, const unsigned char *begin,
                         const unsigned char *end, int below, struct offloadrt_image *best) {
  int best_fit = 0;
  char miss[MISS_CAPACITY];
  struct offloadrt_image image;
  for (const unsigned char *position = begin; offloadrt_next_image(&position, end, &image);) {
    int fit = driver->archs->fit(arch, &image, miss, sizeof miss);
    if (fit > best_fit && fit < below) {
      best_fit = fit;
      *best = image;
    }
  }
  return best_fit;
}

int offloadrt_find_generic(const struct offload_descriptor *object, struct offloadrt_image *image) {
  for (const unsigned char *position = object->images_begin; offloadrt_next_image(&position, object->images_end, image);)
    if (offloadrt_is_generic(image))
      return 1;
  return 0;
}

/* Appends to the string in `text`, and truncates at its capacity. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t capacity, const char *format, ...) {
  size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, capacity - used, format, values);
  va_end(values);
}

/* Appends the archs of an object's images, without repetitions: "sm_80, gfx90a". */
static void append_archs(char *text, size_t capacity, const struct offload_descriptor *object) {
  char last[64] = "";
  struct offloadrt_image image;
  for (const unsigned char *position = object->images_begin; offloadrt_next_image(&position, object->images_end, &image);) {
    if (strcmp(last, image.arch) != 0)
      append(text, capacity, "%s%s", *last ? ", " : "", image.arch);
    snprintf(last, sizeof last, "%s", image.arch);
  }
}

/* Appends the closest image, if there is one for this kind of device. */
static void append_closest(char *text, size_t capacity, const struct offloadrt_driver *driver, const char *arch,
                           const struct offload_descriptor *object) {
  int closest_fit = OFFLOADRT_FOREIGN;
  char miss[MISS_CAPACITY], closest_miss[MISS_CAPACITY] = "", closest[64] = "";
  struct offloadrt_image image;
  for (const unsigned char *position = object->images_begin; offloadrt_next_image(&position, object->images_end, &image);) {
    int fit = driver->archs->fit(arch, &image, miss, sizeof miss);
    if (fit > closest_fit) {
      closest_fit = fit;
      memcpy(closest_miss, miss, sizeof miss);
      snprintf(closest, sizeof closest, "%s", image.arch);
    }
  }
  if (closest_fit != OFFLOADRT_FOREIGN)
    append(text, capacity, "; the closest is %s, which %s", closest, closest_miss);
}

/* Appends the reason why an object's generic image does not serve, if there is one. */
static void append_unfinished(char *text, size_t capacity, const struct offload_descriptor *object, const char *reason) {
  struct offloadrt_image image;
  if (reason || offloadrt_find_generic(object, &image))
    append(text, capacity, "; the generic image was not finished for the device: %s",
           reason ? reason : "this runtime finishes no images");
}

int offloadrt_no_image(const struct offloadrt_driver *driver, const char *arch, const struct offload_kernel *kernel,
                       const char *device, const char *unfinished) {
  char text[3072] = "";
  const struct offload_descriptor *object = kernel->descriptor;
  append(text, sizeof text, "kernel `%s` has no code for device `%s`", offloadrt_kernel_name(kernel), device);
  if (arch && strcmp(arch, device) != 0)
    append(text, sizeof text, " (%s)", arch);
  append(text, sizeof text, " in this program");
  if (object && object->images_begin != object->images_end) {
    append(text, sizeof text, ", which has code for ");
    append_archs(text, sizeof text, object);
    if (driver)
      append_closest(text, sizeof text, driver, arch, object);
    append_unfinished(text, sizeof text, object, unfinished);
  }
  /* A device with any features can run code for a processor without features. */
  if (arch)
    append(text, sizeof text, "; `--offload-arch=%.*s` adds it", (int)strcspn(arch, ":"), arch);
  return offloadrt_fail(OFFLOADRT_NO_IMAGE, "%s", text);
}
