/* Reads all images of an object as the runtime does, and every byte and string of them. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

size_t fuzz_containers(const unsigned char *bytes, size_t size) {
  /* A copy of exactly this size, so that the address sanitizer sees reads past its end. */
  unsigned char *copy = malloc(size ? size : 1);
  if (!copy)
    return 0;
  memcpy(copy, bytes, size);
  struct offloadrt_image image;
  size_t sum = 0;
  for (const unsigned char *position = copy; offloadrt_next_image(&position, copy + size, &image);) {
    sum += strlen(image.triple) + strlen(image.arch) + strlen(image.options);
    for (const unsigned char *at = image.begin; at < image.end; at++)
      sum += *at;
  }
  free(copy);
  return sum;
}
