/* The images that are loaded on a device: one module for each object of which a kernel was launched there. If a better
 * image is made while a module serves, a second module of the object follows, and the first one remains, because its
 * kernels may be running.
 *
 * An object leaves the program when its shared object is closed. The dynamic linker then holds its lock, and the
 * driver's destructors may already have run, so no driver may be called. The module is therefore unloaded when the next
 * image is loaded or when the device is closed. */
#include <stdlib.h>

#include "device.h"
#include "finish.h"
#include "late.h"

struct offloadrt_module {
  struct offloadrt_module *next;
  uint64_t serial; /* the number of the object's registration */
  void *state;     /* the module of the driver */
  struct offloadrt_finish_job *job; /* makes a better image; null: none is made */
  uint64_t kernel_count;
  struct offloadrt_function functions[]; /* the result of find() for each kernel of the object */
};

/* The modules of the CPU, whose statics remain until the program ends. */
static struct offloadrt_modules kept_modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void) {
  pthread_mutex_lock(&kept_modules.lock);
  offloadrt_lock_constants();
}

static void after_fork(void) {
  offloadrt_unlock_constants();
  pthread_mutex_unlock(&kept_modules.lock);
}

/* A process that is forked while another thread loads an image can launch kernels. */
static void watch_forks(void) {
  if (offloadrt_finisher)
    offloadrt_finisher->prepare();
  pthread_atfork(before_fork, after_fork, after_fork);
}

void offloadrt_prepare_modules(struct offloadrt_device *device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_init(&device->own_modules.lock, NULL);
  device->modules = device->driver->keeps_images ? &kept_modules : &device->own_modules;
}

static void unload(struct offloadrt_device *device, struct offloadrt_module *module) {
  for (uint64_t i = 0; i < module->kernel_count; i++)
    if (module->functions[i].state)
      device->driver->images->release(device->state, module->functions[i].state);
  device->driver->images->unload(device->state, module->state);
  free(module);
}

/* Unloads the modules of objects that have left the program. */
static void unload_retired(struct offloadrt_device *device) {
  int waited = 0;
  offloadrt_unload_variants(device, device->modules, 0);
  offloadrt_unload_linked(device, device->modules, 0);
  for (struct offloadrt_module **link = &device->modules->first; *link;) {
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

void offloadrt_unload_modules(struct offloadrt_device *device) {
  struct offloadrt_modules *modules = device->modules;
  if (modules == &kept_modules) {
    pthread_mutex_lock(&modules->lock);
    unload_retired(device);
    pthread_mutex_unlock(&modules->lock);
  }
  offloadrt_unload_variants(device, &device->own_modules, 1);
  offloadrt_unload_linked(device, &device->own_modules, 1);
  while (device->own_modules.first) {
    struct offloadrt_module *module = device->own_modules.first;
    device->own_modules.first = module->next;
    unload(device, module);
  }
  pthread_mutex_destroy(&device->own_modules.lock);
}

/* The newest module of an object, or null. */
static struct offloadrt_module *find_module(const struct offloadrt_device *device, const struct offload_descriptor *object) {
  struct offloadrt_module *module = device->modules->first;
  while (module && !(object && module->serial == object->serial))
    module = module->next;
  return module;
}

/* Loads an image, and adds its module. */
static int load(struct offloadrt_device *device, const struct offload_kernel *kernel, const struct offloadrt_image *image,
                struct offloadrt_module **loaded) {
  const struct offload_descriptor *object = kernel->descriptor;
  void *state = NULL;
  offloadrt_log("%s: loading the image for %s, %zu bytes%s, for kernel `%s`", device->name, image->arch,
                (size_t)offloadrt_image_bytes(image), image->is_compressed ? ", compressed" : "", kernel->name);
  struct offloadrt_image opened = *image;
  int status = offloadrt_open_image(object, &opened);
  if (!status)
    status = device->driver->images->load(device->state, &opened, &state);
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
  module->next = device->modules->first;
  device->modules->first = *loaded = module;
  return OFFLOADRT_SUCCESS;
}

/* Loads the image of a finished job. */
static int load_finished(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         const struct offloadrt_finish_job *job, struct offloadrt_module **loaded) {
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
static int load_first(struct offloadrt_device *device, const struct offload_kernel *kernel, struct offloadrt_module **loaded) {
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
                       const struct offloadrt_finish_job *job, struct offloadrt_module **loaded) {
  if (offloadrt_finisher->image(job)->writes_statics)
    return offloadrt_fail(OFFLOADRT_FAILED, "a constant that the program has set is not in the code of the better one");
  return load_finished(device, kernel, job, loaded);
}

/* Replaces a module for later launches, if its better image is finished. */
static void improve(struct offloadrt_device *device, const struct offload_kernel *kernel, struct offloadrt_module **module) {
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

/* The caller holds the lock. */
static int find_function(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         struct offloadrt_function *function) {
  struct offloadrt_module *module = find_module(device, kernel->descriptor);
  if (module && module->job)
    improve(device, kernel, &module);
  if (!module) {
    unload_retired(device);
    int status = load_first(device, kernel, &module);
    if (status)
      return status;
  }
  struct offloadrt_function *place = &module->functions[offloadrt_index_of(kernel)];
  int status = place->state ? OFFLOADRT_SUCCESS : device->driver->images->find(device->state, module->state, kernel, place);
  *function = *place;
  return status;
}

/* Whether the code in the program itself serves. If a better image may be made, the choice is that of load_first(). */
static int is_linked(const struct offloadrt_device *device, const struct offload_kernel *kernel) {
  const struct offloadrt_image_operations *images = device->driver->images;
  const struct offload_descriptor *object = kernel->descriptor;
  struct offloadrt_image generic;
  if (!images->is_linked || !images->is_linked(kernel))
    return 0;
  int is_always = offloadrt_finisher && offloadrt_finisher->mode() == OFFLOADRT_JIT_ALWAYS;
  return !is_always || !object || !offloadrt_find_generic(object, &generic);
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
