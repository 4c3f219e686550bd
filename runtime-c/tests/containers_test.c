/* Reads the images of an object from containers that LLVM's own tool wrote, and from copies that are damaged at every
 * position. No read may go beyond their end; valgrind detects such reads. */
#include "check.h"
#include "driver.h"

static unsigned char *file;
static size_t file_size;

static void read_containers(void) {
  FILE *stream = fopen(IMAGES "/omptarget_foreign.bin", "rb");
  CHECK(stream && (file = malloc(1 << 20)));
  file_size = fread(file, 1, 1 << 20, stream);
  CHECK(file_size > 0 && fclose(stream) == 0);
}

static void images_come_in_order(void) {
  struct offloadrt_image image;
  const unsigned char *position = file;
  CHECK(offloadrt_next_image(&position, file + file_size, &image));
  CHECK(strcmp(image.triple, "nvptx64-nvidia-cuda") == 0 && strcmp(image.arch, "sm_80") == 0);
  /* The image is the makefile that made it. */
  CHECK(image.end - image.begin > 100 && memcmp(image.begin, "# Tests of the runtime", 22) == 0);
  CHECK(offloadrt_next_image(&position, file + file_size, &image));
  CHECK(strcmp(image.triple, "amdgcn-amd-amdhsa") == 0 && strcmp(image.arch, "gfx90a") == 0);
  CHECK(!offloadrt_next_image(&position, file + file_size, &image));
  position = NULL;
  CHECK(!offloadrt_next_image(&position, NULL, &image));
}

/* Reads every image of a copy of `size` bytes, and everything that it points to. */
static int count_images(const unsigned char *bytes, size_t size) {
  unsigned char *copy = malloc(size ? size : 1);
  CHECK(copy);
  memcpy(copy, bytes, size);
  const unsigned char *position = copy;
  struct offloadrt_image image;
  int count = 0, sum = 0;
  for (; offloadrt_next_image(&position, copy + size, &image); count++) {
    sum += (int)(strlen(image.triple) + strlen(image.arch));
    if (image.begin != image.end)
      sum += image.begin[0] + image.end[-1];
  }
  free(copy);
  CHECK(sum >= 0);
  return count;
}

static void a_cut_container_ends_the_list(void) {
  for (size_t size = 0; size < file_size; size++)
    CHECK(count_images(file, size) < 2);
  CHECK(count_images(file, file_size) == 2);
}

static void damaged_bytes_are_never_followed_outside(void) {
  /* The header, the entry and the strings are before the image. */
  for (size_t i = 0; i < 200; i++)
    for (int bit = 0; bit < 8; bit++) {
      file[i] ^= (unsigned char)(1 << bit);
      CHECK(count_images(file, file_size) <= 2);
      file[i] ^= (unsigned char)(1 << bit);
    }
}

static const struct offload_kernel kernels[1];
static struct offload_descriptor descriptor = DESCRIPTOR(kernels, );
static const struct offload_kernel kernels[] = {
    {.size = 64, .version = OFFLOAD_KERNEL_VERSION, .name = "elsewhere", .argument_align = 8, .descriptor = &descriptor}};

static void a_missing_image_is_reported_with_what_there_is(void) {
  offloadrt_device *device;
  offloadrt_launch_config config = shape(1, 1, 1, 1, 1, 1);
  descriptor.images_begin = file;
  descriptor.images_end = file + file_size;
  offloadrt_register(&descriptor);
  CHECK(offloadrt_device_open(NULL, &device) == OFFLOADRT_SUCCESS);
  CHECK(offloadrt_launch(device, NULL, &kernels[0], &config, NULL, 0) == OFFLOADRT_NO_IMAGE);
  CHECK_TEXT("kernel `elsewhere` has no code for device `cpu` in this program, which has code for sm_80, gfx90a; "
             "`--offload-arch=cpu` adds it");
  CHECK(offloadrt_device_close(device) == OFFLOADRT_SUCCESS);
  offloadrt_unregister(&descriptor);
}

int main(void) {
  read_containers();
  RUN(images_come_in_order);
  RUN(a_cut_container_ends_the_list);
  RUN(damaged_bytes_are_never_followed_outside);
  RUN(a_missing_image_is_reported_with_what_there_is);
  free(file);
  return 0;
}
