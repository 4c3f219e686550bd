/* Opens and closes plugins, and passes their functions to kernels of this program. Each line of standard input is a
 * command, and has one line as its answer:
 *
 *   open NAME PATH       open a plugin
 *   close NAME           close it; its number remains known here
 *   call NAME VALUE      launch `k` with the function of a plugin, or of this program if NAME is `own`
 *   second NAME VALUE    the same with the second function of a plugin
 *   both NAME NAME VALUE launch `both`, whose struct has two functions: the second one is called with the first's result
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "offloadrt.h"

uint64_t own_number(void);

enum { MOST = 8, LENGTH = 32 };
static char names[MOST][LENGTH];
static void *libraries[MOST];
static uint64_t numbers[MOST], seconds[MOST];

static uint64_t number_in(const uint64_t *list, const char *name) {
  for (int i = 0; i < MOST; i++)
    if (strcmp(names[i], name) == 0)
      return list[i];
  return own_number();
}

static uint64_t number_of(const char *name) { return number_in(numbers, name); }

/* The number that a function of a plugin returns, or 0. */
static uint64_t ask(void *library, const char *symbol) {
  uint64_t (*number)(void) = NULL;
  void *found = library ? dlsym(library, symbol) : NULL;
  memcpy(&number, &found, sizeof number);
  return number ? number() : 0;
}

static void open_plugin(const char *name, const char *path) {
  int i = 0;
  while (*names[i] && strcmp(names[i], name) != 0)
    i++;
  snprintf(names[i], LENGTH, "%s", name);
  libraries[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  numbers[i] = ask(libraries[i], "plugin_number");
  seconds[i] = ask(libraries[i], "plugin_second");
  printf("%s\n", numbers[i] ? "opened" : dlerror());
}

static void close_plugin(const char *name) {
  for (int i = 0; i < MOST; i++)
    if (strcmp(names[i], name) == 0)
      printf("%s\n", dlclose(libraries[i]) ? dlerror() : "closed");
}

static void launch(offloadrt_device *device, const char *kernel, int32_t *memory, const void *argument, size_t bytes,
                   int32_t value) {
  offloadrt_launch_config config = {
      .size = sizeof config, .version = OFFLOADRT_LAUNCH_VERSION, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  offloadrt_argument arguments[] = {{&memory, sizeof memory}, {argument, bytes}};
  if (offloadrt_copy_to_device(device, NULL, memory, &value, sizeof value) ||
      offloadrt_launch(device, NULL, offloadrt_find_kernel(kernel), &config, arguments, 2) ||
      offloadrt_copy_to_host(device, NULL, &value, memory, sizeof value))
    printf("error: %s\n", offloadrt_error_text());
  else
    printf("%d\n", value);
}

int main(void) {
  offloadrt_device *device;
  void *memory;
  char line[4200], first[LENGTH], second[LENGTH], path[4096];
  int32_t value;
  if (offloadrt_device_open(NULL, &device) || offloadrt_allocate(device, sizeof value, &memory)) {
    fprintf(stderr, "error: %s\n", offloadrt_error_text());
    return 1;
  }
  for (; fgets(line, sizeof line, stdin); fflush(stdout)) {
    if (sscanf(line, "open %31s %4095s", first, path) == 2) {
      open_plugin(first, path);
    } else if (sscanf(line, "close %31s", first) == 1) {
      close_plugin(first);
    } else if (sscanf(line, "call %31s %d", first, &value) == 2) {
      uint64_t number = number_of(first);
      launch(device, "k", memory, &number, sizeof number, value);
    } else if (sscanf(line, "second %31s %d", first, &value) == 2) {
      uint64_t number = number_in(seconds, first);
      launch(device, "k", memory, &number, sizeof number, value);
    } else if (sscanf(line, "both %31s %31s %d", first, second, &value) == 3) {
      struct {
        uint32_t more;
        uint64_t first, second;
      } both = {7, number_of(first), number_of(second)};
      launch(device, "both", memory, &both, sizeof both, value);
    }
  }
  return offloadrt_device_close(device) != 0;
}
