/* Measures kernels of examples/ that several compilers have compiled: device_time DEVICE FILE... Each file is PTX or
 * SPIR-V with a kernel whose name contains `saxpy` or `matmul`. For each file, the program prints the shortest time of
 * a launch in several rounds, and compares it with the first file. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <time.h>

#include "check.h"
#include "container.h"

static offloadrt_device *device;

/* The kernel of one file. It is registered while it is measured. */
struct timed {
  struct containers images;
  char name[256];
  struct offload_kernel kernel;
  struct offload_descriptor object;
};

static const struct offload_parameter saxpy_rows[] = {{.offset = 0, .size = 4, .align = 4},
                                                      {.offset = 4, .size = 4, .align = 4},
                                                      {.offset = 8, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
                                                      {.offset = 16, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER}};
static const struct offload_parameter matmul_rows[] = {{.offset = 0, .size = 4, .align = 4},
                                                       {.offset = 8, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
                                                       {.offset = 16, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER},
                                                       {.offset = 24, .size = 8, .align = 8, .kind = OFFLOAD_PARAMETER_POINTER}};

static int is_name_character(unsigned char c) { return isalnum(c) || c == '_' || c == '$' || c == '.'; }

/* Finds the first identifier in the image that contains `part`, in PTX the first one after `.entry`: shared memory of the
 * kernel has its name, too, and comes before it. In SPIR-V the first one is the name of the kernel. */
static int find_name(const struct containers *images, const char *part, char *name, size_t capacity) {
  static const char entry[] = ".entry ";
  const unsigned char *begin = images->begin, *end = begin + images->size;
  const unsigned char *start = memmem(begin, images->size, entry, strlen(entry));
  for (const unsigned char *at = start ? start : begin; at + strlen(part) <= end; at++)
    if (memcmp(at, part, strlen(part)) == 0) {
      const unsigned char *first = at, *last = at;
      while (first > begin && is_name_character(first[-1]))
        first--;
      while (last < end && is_name_character(*last))
        last++;
      snprintf(name, capacity, "%.*s", (int)(last - first), (const char *)first);
      return 1;
    }
  return 0;
}

static int open_file(struct timed *timed, const char *path, const char *part, const struct offload_parameter *rows,
                     uint32_t bytes) {
  size_t length = strlen(path);
  int is_ptx = length > 4 && strcmp(path + length - 4, ".ptx") == 0;
  memset(timed, 0, sizeof *timed);
  CHECK(is_ptx ? add_file(&timed->images, 5, "nvptx64-nvidia-cuda", "sm_50", path)
               : add_file(&timed->images, 6, "spirv64-unknown-unknown", "spirv64", path));
  if (!find_name(&timed->images, part, timed->name, sizeof timed->name)) {
    free(timed->images.begin);
    return 0;
  }
  timed->kernel = (struct offload_kernel)KERNEL(timed->name, saxpy_rows, bytes, .descriptor = &timed->object);
  timed->kernel.parameters = rows;
  timed->object = (struct offload_descriptor){.size = sizeof timed->object,
                                              .version = OFFLOAD_DESCRIPTOR_VERSION,
                                              .kernels = &timed->kernel,
                                              .kernel_count = 1,
                                              .images_begin = timed->images.begin,
                                              .images_end = timed->images.begin + timed->images.size};
  offloadrt_register(&timed->object);
  return 1;
}

static void close_file(struct timed *timed) {
  offloadrt_unregister(&timed->object);
  free(timed->images.begin);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the shortest time of a launch in microseconds, of several rounds. A round waits once for all its launches. */
static double time_launch(const struct timed *timed, const offloadrt_launch_config *config,
                          const offloadrt_argument *arguments) {
  enum { ROUNDS = 10, LAUNCHES = 20 };
  double best = 0;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = seconds();
    for (int i = 0; i < LAUNCHES; i++)
      CHECK(offloadrt_launch(device, NULL, &timed->kernel, config, arguments, 4) == 0);
    CHECK(offloadrt_synchronize(device, NULL) == 0);
    double took = (seconds() - start) / LAUNCHES * 1e6;
    /* Ignore the first round, which compiles the kernel. */
    best = round < 2 || took < best ? took : best;
  }
  return best;
}

static void compare(const char *part, const struct offload_parameter *rows, uint32_t bytes,
                    const offloadrt_launch_config *config, const offloadrt_argument *arguments, char **paths) {
  double first = 0;
  for (; *paths; paths++) {
    struct timed timed;
    if (!open_file(&timed, *paths, part, rows, bytes))
      continue;
    double took = time_launch(&timed, config, arguments);
    first = first ? first : took;
    printf("  %-8s %-24s %10.1f us  %5.2f times the first\n", part, *paths, took, took / first);
    close_file(&timed);
  }
}

int main(int count, char **words) {
  CHECK(count > 2 && offloadrt_device_open(words[1], &device) == 0);
  /* A CPU would need minutes for the size that a GPU needs. */
  int large = strncmp(words[1], "cuda", 4) == 0;
  void *memory[3];
  float a = 1;
  uint32_t elements = large ? 1 << 24 : 1 << 18, rows = large ? 1024 : 128;
  for (int i = 0; i < 3; i++)
    CHECK(offloadrt_allocate(device, elements * sizeof(float), &memory[i]) == 0);
  offloadrt_launch_config linear = shape(elements / 256, 1, 1, 256, 1, 1), square = shape(rows / 16, rows / 16, 1, 16, 16, 1);
  const offloadrt_argument saxpy[] = {ARGUMENT(elements), ARGUMENT(a), ARGUMENT(memory[0]), ARGUMENT(memory[1])};
  const offloadrt_argument matmul[] = {ARGUMENT(rows), ARGUMENT(memory[0]), ARGUMENT(memory[1]), ARGUMENT(memory[2])};
  compare("saxpy", saxpy_rows, 24, &linear, saxpy, words + 2);
  compare("matmul", matmul_rows, 32, &square, matmul, words + 2);
  for (int i = 0; i < 3; i++)
    CHECK(offloadrt_free(device, memory[i]) == 0);
  CHECK(offloadrt_device_close(device) == 0);
  return 0;
}
