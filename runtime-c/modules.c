/* The images that are loaded on a device: one module for each object of which a kernel was launched there.
 *
 * An object leaves the program when its shared object is closed. The dynamic linker then holds its lock, and the
 * driver's destructors may already have run, so no driver may be called. The module is therefore unloaded when the next
 * image is loaded or when the device is closed. */
#include <stdlib.h>

#include "device.h"

struct offloadrt_module {
  struct offloadrt_module *next;
  uint64_t serial; /* the number of the object's registration */
  void *state;     /* the module of the driver */
  uint64_t kernel_count;
  struct offloadrt_function functions[]; /* the result of find() for each kernel of the object */
};

static void unload(struct offloadrt_device *device, struct offloadrt_module *module) {
  for (uint64_t i = 0; i < module->kernel_count; i++)
    if (module->functions[i].state)
      device->driver->images->release(device->state, module->functions[i].state);
  device->driver->images->unload(device->state, module->state);
  free(module);
}

void offloadrt_unload_modules(struct offloadrt_device *device) {
  while (device->modules) {
    struct offloadrt_module *module = device->modules;
    device->modules = module->next;
    unload(device, module);
  }
}

/* Unloads the modules of objects that have left the program. */
static void unload_retired(struct offloadrt_device *device) {
  int waited = 0;
  for (struct offloadrt_module **link = &device->modules; *link;) {
    struct offloadrt_module *module = *link;
    if (offloadrt_is_live(module->serial)) {
      link = &module->next;
      continue;
    }
    /* The last launches of the module may still be running. The next synchronization reports their errors. */
    if (!waited)
      device->driver->synchronize(device->state, NULL);
    waited = 1;
    *link = module->next;
    unload(device, module);
  }
}

/* Loads the best image of the kernel's object that the device takes. */
static int load_image(struct offloadrt_device *device, const struct offload_kernel *kernel, void **state) {
  const struct offload_descriptor *object = kernel->descriptor;
  struct offloadrt_image image;
  int status = OFFLOADRT_NO_IMAGE, fit = INT_MAX, is_refused = 0;
  while (status == OFFLOADRT_NO_IMAGE && object &&
         (fit = offloadrt_pick_image(device->driver, device->description.arch, object->images_begin, object->images_end,
                                     fit, &image))) {
    offloadrt_log("%s: loading the image for %s, %zu bytes%s, for kernel `%s`", device->name, image.arch,
                  (size_t)offloadrt_image_bytes(&image), image.is_compressed ? ", compressed" : "", kernel->name);
    status = offloadrt_open_image(object, &image);
    if (status)
      return status;
    status = device->driver->images->load(device->state, &image, state);
    is_refused = 1;
  }
  /* The text of a refusal is already set. */
  if (status == OFFLOADRT_NO_IMAGE && !is_refused)
    return offloadrt_no_image(device->driver, device->description.arch, kernel, device->name);
  return status;
}

static int load(struct offloadrt_device *device, const struct offload_kernel *kernel, struct offloadrt_module **loaded) {
  const struct offload_descriptor *object = kernel->descriptor;
  void *state = NULL;
  int status = load_image(device, kernel, &state);
  if (status)
    return status;
  struct offloadrt_module *module = calloc(1, sizeof *module + object->kernel_count * sizeof *module->functions);
  if (!module) {
    device->driver->images->unload(device->state, state);
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %llu kernels", (unsigned long long)object->kernel_count);
  }
  module->state = state;
  module->serial = object->serial;
  module->kernel_count = object->kernel_count;
  module->next = device->modules;
  device->modules = *loaded = module;
  return OFFLOADRT_SUCCESS;
}

/* The caller holds the lock. */
static int find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         struct offloadrt_function *function) {
  const struct offload_descriptor *object = kernel->descriptor;
  struct offloadrt_module *module = device->modules;
  while (module && !(object && module->serial == object->serial))
    module = module->next;
  if (!module) {
    unload_retired(device);
    int status = load(device, kernel, &module);
    if (status)
      return status;
  }
  struct offloadrt_function *place = &module->functions[offloadrt_index_of(kernel)];
  int status = place->state ? OFFLOADRT_SUCCESS : device->driver->images->find(device->state, module->state, kernel, place);
  *function = *place;
  return status;
}

int offloadrt_find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                            struct offloadrt_function *function) {
  *function = (struct offloadrt_function){.state = NULL};
  if (!device->driver->images)
    return OFFLOADRT_SUCCESS;
  pthread_mutex_lock(&device->modules_lock);
  int status = find_function(device, kernel, function);
  pthread_mutex_unlock(&device->modules_lock);
  return status;
}
