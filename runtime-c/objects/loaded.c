/* The lists of the code that is loaded on a device: images of objects, variants of kernels, and linked kernels.
 *
 * An object leaves the program when its shared object is closed. The dynamic linker then holds its lock, and the
 * driver's destructors may already have run, so no driver may be called. The code of the object is therefore unloaded
 * when something else is loaded, or when the device is closed.
 *
 * Code of the CPU is loaded by the dynamic linker, which holds its lock while it runs the destructors of a shared object.
 * These may launch kernels and close devices. A thread therefore calls the dynamic linker without the lock of the lists.
 * Two threads may then load the same image, and the second one discards its copy. For all other devices, a thread keeps the
 * lock: their drivers may take seconds to compile an image, and each device has separate lists. */
#include <stdlib.h>

#include "../device.h"
#include "../finish.h"
#include "late.h"
#include "../trace/work.h"

/* The code that is loaded on the CPU. Its statics remain until the program ends. */
static struct offloadrt_modules kept_modules = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t nobody_loads = PTHREAD_COND_INITIALIZER;

/* A child of a process whose other thread is in the dynamic linker could load nothing. */
static void before_fork(void) {
  pthread_mutex_lock(&kept_modules.lock);
  while (kept_modules.loading)
    pthread_cond_wait(&nobody_loads, &kept_modules.lock);
  offloadrt_lock_constants();
}

static void after_fork(void) {
  offloadrt_unlock_constants();
  pthread_mutex_unlock(&kept_modules.lock);
}

static void in_child(void) {
  pthread_cond_init(&nobody_loads, NULL);
  after_fork();
}

/* A process that is forked while another thread loads an image can launch kernels. */
static void watch_forks(void) {
  if (offloadrt_finisher)
    offloadrt_finisher->prepare();
  pthread_atfork(before_fork, after_fork, in_child);
}

void offloadrt_prepare_modules(struct offloadrt_device *device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_init(&device->own_modules.lock, NULL);
  device->modules = device->driver->keeps_images ? &kept_modules : &device->own_modules;
}

/* Loading --------------------------------------------------------------------------------------- */

void offloadrt_begin_loading(struct offloadrt_device *device) {
  if (device->modules != &kept_modules)
    return;
  kept_modules.loading++;
  pthread_mutex_unlock(&kept_modules.lock);
}

void offloadrt_end_loading(struct offloadrt_device *device) {
  if (device->modules != &kept_modules)
    return;
  pthread_mutex_lock(&kept_modules.lock);
  if (!--kept_modules.loading)
    pthread_cond_broadcast(&nobody_loads);
}

int offloadrt_load_image(struct offloadrt_device *device, const struct offload_kernel *kernel,
                         const struct offloadrt_image *image, void **module) {
  int status;
  OFFLOADRT_TRACED(status, device->driver->images->load(device->state, image, module), .kind = OFFLOADRT_WORK_LOAD,
                   .device = device, .kernel = kernel, .arch = image->arch,
                   .bytes = (uint64_t)(image->end - image->begin));
  return status;
}

int offloadrt_load_code(struct offloadrt_device *device, const struct offload_kernel *kernel,
                        const struct offloadrt_image *image, struct offloadrt_code *code) {
  const struct offloadrt_image_operations *images = device->driver->images;
  *code = (struct offloadrt_code){.module = NULL};
  int status = offloadrt_load_image(device, kernel, image, &code->module);
  if (!status)
    status = images->find(device->state, code->module, kernel, &code->function);
  if (status)
    offloadrt_unload_code(device, code);
  return status;
}

void offloadrt_unload_code(struct offloadrt_device *device, struct offloadrt_code *code) {
  const struct offloadrt_image_operations *images = device->driver->images;
  if (code->function.state)
    images->release(device->state, code->function.state);
  if (code->module)
    images->unload(device->state, code->module);
  *code = (struct offloadrt_code){.module = NULL};
}

void offloadrt_discard_code(struct offloadrt_device *device, struct offloadrt_code *code) {
  offloadrt_begin_loading(device);
  offloadrt_unload_code(device, code);
  offloadrt_end_loading(device);
}

/* Unloading ------------------------------------------------------------------------------------- */

/* Moves the code of objects that have left the program, or all code, to another list. */
static void take_from_list(struct offloadrt_loaded **list, int are_all, struct offloadrt_loaded **taken) {
  while (*list) {
    struct offloadrt_loaded *loaded = *list;
    if (!are_all && offloadrt_is_live(loaded->serial)) {
      list = &loaded->next;
      continue;
    }
    *list = loaded->next;
    loaded->next = *taken;
    *taken = loaded;
  }
}

static struct offloadrt_loaded *take(struct offloadrt_modules *modules, int are_all) {
  struct offloadrt_loaded *taken = NULL;
  take_from_list(&modules->images, are_all, &taken);
  take_from_list(&modules->variants, are_all, &taken);
  take_from_list(&modules->linked, are_all, &taken);
  return taken;
}

static void unload_all(struct offloadrt_device *device, struct offloadrt_loaded *taken) {
  for (struct offloadrt_loaded *next; taken; taken = next) {
    next = taken->next;
    taken->unload(device, taken);
  }
}

void offloadrt_unload_retired(struct offloadrt_device *device) {
  struct offloadrt_loaded *taken = take(device->modules, 0);
  if (!taken)
    return;
  offloadrt_begin_loading(device);
  /* The last launches may still be running. The next synchronization reports their errors. */
  device->driver->synchronize(device->state, NULL);
  unload_all(device, taken);
  offloadrt_end_loading(device);
}

void offloadrt_unload_modules(struct offloadrt_device *device) {
  if (device->modules == &kept_modules) {
    pthread_mutex_lock(&kept_modules.lock);
    offloadrt_unload_retired(device);
    pthread_mutex_unlock(&kept_modules.lock);
  }
  unload_all(device, take(&device->own_modules, 1));
  pthread_mutex_destroy(&device->own_modules.lock);
}
