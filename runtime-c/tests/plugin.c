/* A shared object with a kernel in the form that offloadc writes: for the cpu, as SPIR-V and as PTX. reload_test opens
 * and closes it. The kernel does `cells[i] += number`, with a block of {address, number}. */
#include "check.h"
#include "container.h"

static void block_entry(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t *cells = *(uint32_t *const *)(const void *)arguments, number = *(const uint32_t *)(const void *)(arguments + 8);
  for (uint32_t x = 0; x < b->block_dim[0]; x++)
    cells[b->block_id[0] * b->block_dim[0] + x] += number;
}

static const struct offload_parameter row[] = {{.size = 16, .align = 8, .kind = OFFLOAD_PARAMETER_BLOCK}};
static struct offload_descriptor object;
static const struct offload_kernel kernels[] = {
    KERNEL("block", row, 16, .cpu_entry = block_entry, .descriptor = &object)};
static struct offload_descriptor object = DESCRIPTOR(kernels, );
static struct containers images;

__attribute__((constructor)) static void enter(void) {
  CHECK(add_file(&images, 6, "spirv64-unknown-unknown", "spirv64", IMAGES "/kernels_spirv.spv"));
  CHECK(add_file(&images, 5, "nvptx64-nvidia-cuda", "sm_70", IMAGES "/kernels_nvptx.ptx"));
  object.images_begin = images.begin;
  object.images_end = images.begin + images.size;
  offloadrt_register(&object);
}

__attribute__((destructor)) static void leave(void) {
  offloadrt_unregister(&object);
  free(images.begin);
}
