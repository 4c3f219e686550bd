/* Chooses between the images of an object that were compiled ahead of time and its generic image. This file loads
 * nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "../checker.h"
#include "../device.h"
#include "../finish.h"
#include "late.h"

const char *offloadrt_exact_arch(const struct offloadrt_device *device) {
  return *device->description.exact ? device->description.exact : device->description.arch;
}

/* Whether the image was compiled for exactly this arch, or for a more specific one: `sm_90a` for `sm_90`. */
static int is_for(const struct offloadrt_image *image, const char *arch) {
  return strncmp(image->arch, arch, strlen(arch)) == 0;
}

int offloadrt_can_finish(const struct offloadrt_device *device, const struct offloadrt_image *generic, char *reason,
                         size_t capacity) {
  if (!offloadrt_finisher)
    snprintf(reason, capacity, "this runtime finishes no images");
  else if (offloadrt_finisher->mode() == OFFLOADRT_JIT_NEVER)
    snprintf(reason, capacity, "%s", offloadrt_finisher->never());
  else if (offloadrt_checker && device->driver->shares_memory)
    snprintf(reason, capacity, "the checker watches the kernels in the program");
  else if (generic->generic_version != OFFLOADRT_GENERIC_VERSION || generic->kind != OFFLOADRT_IMAGE_BITCODE)
    snprintf(reason, capacity,
             "its layout has version %u, of %s, and this runtime takes version %d; build the program with the offloadc that "
             "this runtime belongs to",
             generic->generic_version, *generic->compiler ? generic->compiler : "an unknown compiler",
             OFFLOADRT_GENERIC_VERSION);
  else
    return 1;
  return 0;
}

/* Whether a launch may leave something in memory that belongs to the image. A heap may contain the address of a function. */
static int is_tied_to_image(const struct offload_descriptor *object, const struct offloadrt_image *generic) {
  int is_tied = offloadrt_tie(object, generic) != NULL;
  for (uint64_t i = 0; i < object->kernel_count && !is_tied; i++)
    is_tied = (offloadrt_kernel_at(object, i)->flags & OFFLOAD_KERNEL_NEEDS_HEAP) != 0;
  return is_tied;
}

int offloadrt_find_job(const struct offloadrt_device *device, const struct offload_descriptor *object,
                       struct offloadrt_image *generic, const char *const *words, struct offloadrt_finish_job **job) {
  struct offloadrt_finish_key key = {.identity = generic->identity,
                                     .arch = offloadrt_exact_arch(device),
                                     .driver = device->description.driver,
                                     .words = words};
  const char **all = NULL;
  if (generic->late_constants && !(key.words = all = offloadrt_late_words(object, words)))
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for the constants of a generic image");
  *job = offloadrt_finisher->job(&key);
  free(all);
  if (!*job)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for a generic image");
  if (offloadrt_finisher->state(*job) != OFFLOADRT_UNFINISHED)
    return OFFLOADRT_SUCCESS;
  int status = offloadrt_open_image(object, generic);
  return status ? status : offloadrt_finisher->give(*job, generic->begin, (size_t)(generic->end - generic->begin));
}

int offloadrt_choose_image(struct offloadrt_device *device, const struct offload_descriptor *object, int below,
                           struct offloadrt_choice *choice) {
  struct offloadrt_image generic;
  *choice = (struct offloadrt_choice){.fit = 0};
  choice->fit = offloadrt_pick_image(device->driver, device->description.arch, object->images_begin, object->images_end,
                                     below, &choice->image);
  if (!offloadrt_find_generic(object, &generic) || !offloadrt_can_finish(device, &generic, choice->reason, sizeof choice->reason))
    return OFFLOADRT_SUCCESS;
  int is_always = offloadrt_finisher->mode() == OFFLOADRT_JIT_ALWAYS;
  if (choice->fit && (!is_always || is_for(&choice->image, offloadrt_exact_arch(device))))
    return OFFLOADRT_SUCCESS;
  choice->is_first = !choice->fit || is_tied_to_image(object, &generic);
  return offloadrt_find_job(device, object, &generic, NULL, &choice->job);
}
