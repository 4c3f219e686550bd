/* The images of objects that are loaded on a device: one module for each object of which a kernel was launched there. If a
 * better image is made while a module serves, a second module of the object follows, and the first one remains, because
 * its kernels may be running. */
#include <stdatomic.h>
#include <stdlib.h>

#include "../checker.h"
#include "../device.h"
#include "../finish.h"
#include "../trace/work.h"

struct module {
  struct offloadrt_loaded loaded;
  void *state; /* the module of the driver */
  struct offloadrt_finish_job *job; /* makes a better image; null: none is made */
  uint64_t kernel_count;
  struct offloadrt_function functions[]; /* the result of find() for each kernel of the object */
};

static void unload(struct offloadrt_device *device, struct offloadrt_loaded *loaded) {
  struct module *module = (struct module *)loaded;
  for (uint64_t i = 0; i < module->kernel_count; i++)
    if (module->functions[i].state)
      device->driver->images->release(device->state, module->functions[i].state);
  if (module->state)
    device->driver->images->unload(device->state, module->state);
  free(module);
}

/* The newest module of an object, or null. */
static struct module *find_module(const struct offloadrt_device *device, const struct offload_descriptor *object) {
  struct offloadrt_loaded *loaded = device->modules->images;
  while (loaded && !(object && loaded->serial == object->serial))
    loaded = loaded->next;
  return (struct module *)loaded;
}

/* Adds a module of an object, unless another thread has done so since `before` was its newest one. */
static struct module *add_module(struct offloadrt_device *device, const struct offload_descriptor *object,
                                 struct module *module, const struct module *before) {
  struct module *newest = find_module(device, object);
  if (newest != before) {
    offloadrt_begin_loading(device);
    unload(device, &module->loaded);
    offloadrt_end_loading(device);
    return newest;
  }
  module->loaded.next = device->modules->images;
  device->modules->images = &module->loaded;
  return module;
}

/* Loads an image, and adds its module. */
static int load(struct offloadrt_device *device, const struct offload_kernel *kernel, const struct offloadrt_image *image,
                struct module **loaded) {
  const struct offload_descriptor *object = kernel->descriptor;
  offloadrt_log("%s: loading the image for %s, %zu bytes%s, for kernel `%s`", device->name, image->arch,
                (size_t)offloadrt_image_bytes(image), image->is_compressed ? ", compressed" : "",
                offloadrt_kernel_name(kernel));
  struct module *module = calloc(1, sizeof *module + object->kernel_count * sizeof *module->functions);
  if (!module)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory for %llu kernels", (unsigned long long)object->kernel_count);
  module->loaded = (struct offloadrt_loaded){.serial = object->serial, .unload = unload};
  module->kernel_count = object->kernel_count;
  const struct module *before = find_module(device, object);
  struct offloadrt_image opened = *image;
  int status = offloadrt_open_image(object, &opened);
  if (!status) {
    offloadrt_begin_loading(device);
    status = offloadrt_load_image(device, kernel, &opened, &module->state);
    offloadrt_end_loading(device);
  }
  if (status) {
    free(module);
    return status;
  }
  *loaded = add_module(device, object, module, before);
  return OFFLOADRT_SUCCESS;
}

/* Loads the image of a finished job. */
static int load_finished(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         const struct offloadrt_finish_job *job, struct module **loaded) {
  const struct offloadrt_image *image = offloadrt_finisher->image(job);
  char miss[160] = "is for other hardware";
  if (device->driver->archs->fit(device->description.arch, image, miss, sizeof miss) > 0)
    return load(device, kernel, image, loaded);
  return offloadrt_fail(OFFLOADRT_FAILED, "the compiler has finished the generic image for %s, but device `%s` is %s, and the image %s",
                        image->arch, device->name, device->description.arch, miss);
}

/* Works on a job, or waits for it, without the lock: a process that is forked meanwhile can launch kernels. */
static enum offloadrt_finish_state wait_unlocked(struct offloadrt_device *device, struct offloadrt_finish_job *job) {
  pthread_mutex_unlock(&device->modules->lock);
  enum offloadrt_finish_state state = offloadrt_finisher->wait(job);
  pthread_mutex_lock(&device->modules->lock);
  return state;
}

/* Loads the first image of an object: the one that is made for the device, if the choice says so, and otherwise the best
 * image that was compiled ahead of time. If the device does not take that one, the next best is loaded. */
static int load_first(struct offloadrt_device *device, const struct offload_kernel *kernel, struct module **loaded) {
  const struct offload_descriptor *object = kernel->descriptor;
  struct offloadrt_choice choice = {.fit = 0};
  int status = OFFLOADRT_NO_IMAGE, is_refused = 0;
  for (int below = INT_MAX; status == OFFLOADRT_NO_IMAGE && object; below = choice.fit) {
    status = offloadrt_choose_image(device, object, below, &choice);
    if (status)
      return status;
    if (choice.job && choice.is_first) {
      enum offloadrt_finish_state state = wait_unlocked(device, choice.job);
      if ((*loaded = find_module(device, object)))
        return OFFLOADRT_SUCCESS;
      if (state == OFFLOADRT_FINISHED && (!(status = load_finished(device, kernel, choice.job, loaded)) || !choice.fit))
        return status;
      if (!choice.fit)
        return offloadrt_no_image(device->driver, device->description.arch, kernel, device->name,
                                  offloadrt_finisher->reason(choice.job));
    }
    status = OFFLOADRT_NO_IMAGE;
    if (!choice.fit)
      break;
    status = load(device, kernel, &choice.image, loaded);
    is_refused = 1;
  }
  /* The text of a refusal is already set. */
  if (status == OFFLOADRT_NO_IMAGE && !is_refused)
    return offloadrt_no_image(device->driver, device->description.arch, kernel, device->name,
                              *choice.reason ? choice.reason : NULL);
  if (!status && choice.job && !choice.is_first) {
    (*loaded)->job = choice.job;
    offloadrt_finisher->start(choice.job);
  }
  return status;
}

/* Loads the image of a finished job beside a module that serves, whose statics it does not share. */
static int load_better(struct offloadrt_device *device, const struct offload_kernel *kernel,
                       const struct offloadrt_finish_job *job, struct module **loaded) {
  if (offloadrt_finisher->image(job)->writes_statics)
    return offloadrt_fail(OFFLOADRT_FAILED, "a constant that the program has set is not in the code of the better one");
  return load_finished(device, kernel, job, loaded);
}

/* Replaces a module for later launches, if its better image is finished. */
static void improve(struct offloadrt_device *device, const struct offload_kernel *kernel, struct module **module) {
  struct offloadrt_finish_job *job = (*module)->job;
  enum offloadrt_finish_state state = offloadrt_finisher->state(job);
  /* In a process that was forked meanwhile, nobody works on it. */
  if (state == OFFLOADRT_UNFINISHED)
    offloadrt_finisher->start(job);
  if (state == OFFLOADRT_UNFINISHED || state == OFFLOADRT_FINISHING)
    return;
  (*module)->job = NULL;
  if (state == OFFLOADRT_FINISHED && load_better(device, kernel, job, module))
    offloadrt_log("%s: the image for %s remains: %s", device->name, device->description.arch, offloadrt_error_text());
}

/* Finds the function of a kernel, and keeps it. */
static int find_in_module(struct offloadrt_device *device, struct module *module, const struct offload_kernel *kernel,
                          struct offloadrt_function *function) {
  struct offloadrt_function *place = &module->functions[offloadrt_index_of(kernel)], found = {.state = NULL};
  if (!place->state) {
    offloadrt_begin_loading(device);
    int status = device->driver->images->find(device->state, module->state, kernel, &found);
    offloadrt_end_loading(device);
    if (status)
      return status;
    if (place->state)
      device->driver->images->release(device->state, found.state); /* another thread was faster */
    else
      *place = found;
  }
  *function = *place;
  return OFFLOADRT_SUCCESS;
}

/* The caller holds the lock. */
static int find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         struct offloadrt_function *function) {
  struct module *module = find_module(device, kernel->descriptor);
  if (module && module->job)
    improve(device, kernel, &module);
  if (!module) {
    offloadrt_unload_retired(device);
    int status = load_first(device, kernel, &module);
    if (status)
      return status;
  }
  return find_in_module(device, module, kernel, function);
}

/* Whether an image that `offloadc add` has put into the program fits the device better than the code in the program
 * itself: it is for a higher level of the processor. */
static int has_better_image(const struct offloadrt_device *device, const struct offload_descriptor *object) {
  /* The numbers of the last objects that have none, so that not every launch looks at all images. */
  static _Atomic uint64_t without[16];
  _Atomic uint64_t *known = &without[object->serial % 16];
  if (atomic_load_explicit(known, memory_order_relaxed) == object->serial)
    return 0;
  int of_program = 0, of_others = 0;
  char miss[160];
  struct offloadrt_image image;
  for (const unsigned char *at = object->images_begin; offloadrt_next_image(&at, object->images_end, &image);) {
    int fit = device->driver->archs->fit(device->description.arch, &image, miss, sizeof miss);
    int *best = image.kind == OFFLOADRT_IMAGE_NONE ? &of_program : &of_others;
    *best = fit > *best ? fit : *best;
  }
  if (of_others > of_program)
    return 1;
  atomic_store_explicit(known, object->serial, memory_order_relaxed);
  return 0;
}

/* Whether the code in the program itself serves. If a better image may be made, the choice is that of load_first(). The
 * checker watches no other code. */
static int is_linked(const struct offloadrt_device *device, const struct offload_kernel *kernel) {
  const struct offloadrt_image_operations *images = device->driver->images;
  const struct offload_descriptor *object = kernel->descriptor;
  struct offloadrt_image generic;
  if (!images->is_linked || !images->is_linked(kernel))
    return 0;
  if (offloadrt_checker || !object)
    return 1;
  if (has_better_image(device, object))
    return 0;
  int is_always = offloadrt_finisher && offloadrt_finisher->mode() == OFFLOADRT_JIT_ALWAYS;
  return !is_always || !offloadrt_find_generic(object, &generic);
}

int offloadrt_find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                            struct offloadrt_function *function) {
  *function = (struct offloadrt_function){.state = NULL};
  if (!device->driver->images || is_linked(device, kernel))
    return OFFLOADRT_SUCCESS;
  pthread_mutex_lock(&device->modules->lock);
  int status = find_function(device, kernel, function);
  pthread_mutex_unlock(&device->modules->lock);
  return status;
}
