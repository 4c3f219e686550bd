/* Modules: an image in a container, a table of its kernels, and a descriptor, which is the object that offloadrt gets. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { KIND_CUBIN = 3, KIND_PTX = 5, KIND_SPIRV = 6 }; /* of LLVM's ImageKind */

struct mgpu_module {
  struct offload_descriptor descriptor;
  unsigned char *images;
  size_t images_size;
  struct offload_kernel *kernels; /* each with its name and parameters */
  size_t kernel_count;
  const char *wrong; /* of a visit */
};

static const char *first_driver;

const char *mgpu_driver(void) { return first_driver; }

static const char no_memory[] = "out of memory";

static void visit(const struct mgpu_kernel *kernel, void *context) {
  struct mgpu_module *module = context;
  struct offload_kernel *kernels = realloc(module->kernels, (module->kernel_count + 1) * sizeof *kernels);
  if (kernels)
    module->kernels = kernels;
  size_t parameters_size = (kernel->parameter_count + 1) * sizeof *kernel->parameters;
  struct offload_parameter *parameters = kernels ? malloc(parameters_size) : NULL;
  char *name = parameters ? strndup(kernel->name, kernel->name_size) : NULL;
  if (!name) {
    free(parameters);
    module->wrong = no_memory;
    return;
  }
  memcpy(parameters, kernel->parameters, kernel->parameter_count * sizeof *parameters);
  module->kernels[module->kernel_count++] = (struct offload_kernel){
      .size = sizeof *kernels,
      .version = OFFLOAD_KERNEL_VERSION,
      .name = name,
      .parameters = parameters,
      .parameter_count = kernel->parameter_count,
      .argument_bytes = kernel->argument_bytes,
      .argument_align = kernel->argument_align,
      .descriptor = &module->descriptor,
  };
}

static void put(unsigned char *to, size_t at, uint64_t number, size_t bytes) { memcpy(to + at, &number, bytes); }

/* Appends a container (`llvm/Object/OffloadBinary.h`, version 1) with one image, and a NUL after the image. */
static const char *append(struct mgpu_module *module, unsigned kind, const char *triple, const char *arch,
                          const unsigned char *image, size_t size) {
  enum { HEADER = 32, ENTRY = 40, STRINGS = 3, TEXTS = 2 * STRINGS };
  const char *uses_lanes = kind == KIND_SPIRV && mgpu_spirv_uses_lanes(image, size) ? "yes" : "no";
  const char *texts[TEXTS] = {"triple", triple, "arch", arch, "uses-lanes", uses_lanes};
  size_t text_at = HEADER + ENTRY + 16 * STRINGS, image_at = text_at;
  for (int i = 0; i < TEXTS; i++)
    image_at += strlen(texts[i]) + 1;
  image_at = (image_at + 7) / 8 * 8;
  size_t total = (image_at + size + 1 + 7) / 8 * 8;
  unsigned char *images = realloc(module->images, module->images_size + total);
  if (!images)
    return no_memory;
  module->images = images;
  unsigned char *to = images + module->images_size;
  module->images_size += total;
  memset(to, 0, total);
  memcpy(to, "\x10\xff\x10\xad", 4);
  put(to, 4, 1, 4);
  put(to, 8, total, 8);
  put(to, 16, HEADER, 8);
  put(to, 24, ENTRY, 8);
  put(to, HEADER, kind, 2);
  put(to, HEADER + 8, HEADER + ENTRY, 8);
  put(to, HEADER + 16, STRINGS, 8);
  put(to, HEADER + 24, image_at, 8);
  put(to, HEADER + 32, size + (kind == KIND_PTX), 8);
  for (int i = 0; i < TEXTS; i++) {
    put(to, HEADER + ENTRY + 8 * i, text_at, 8);
    strcpy((char *)to + text_at, texts[i]);
    text_at += strlen(texts[i]) + 1;
  }
  memcpy(to + image_at, image, size);
  return NULL;
}

static const char nvidia[] = "nvptx64-nvidia-cuda";

/* PTX says its arch: `.target sm_80`. */
static const char *add_ptx(struct mgpu_module *module, const char *text, int has_kernels) {
  char arch[32];
  const char *target = strstr(text, ".target");
  if (!target || sscanf(target, ".target %31[a-z0-9_]", arch) != 1)
    return "the PTX names no `.target`";
  if (has_kernels) {
    const char *wrong = mgpu_ptx_kernels(text, visit, module);
    if (wrong)
      return wrong;
  }
  return append(module, KIND_PTX, nvidia, arch, (const unsigned char *)text, strlen(text));
}

static uint64_t number(const unsigned char *at, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, at, bytes);
  return value;
}

/* The images of CUDA's fat binary. Parameters are read in the first PTX, which has the same kernels as machine code. */
static const char *add_fatbinary(struct mgpu_module *module, const unsigned char *bytes, size_t size) {
  enum { HEADER = 16, ENTRY = 64, IS_PTX = 1, IS_ELF = 2, COMPRESSED = 0x2000 | 0x8000, ONE_ARCH = 1 << 20, FAMILY = 1 << 21 };
  int found = 0;
  if (size < HEADER || number(bytes + 8, 8) > size - HEADER)
    return "the fat binary is truncated";
  const unsigned char *end = bytes + HEADER + number(bytes + 8, 8);
  for (const unsigned char *at = bytes + HEADER; at < end;) {
    uint64_t header = end - at >= ENTRY ? number(at + 4, 4) : 0, code = header ? number(at + 8, 8) : 0;
    if (header < ENTRY || header > (uint64_t)(end - at) || code > (uint64_t)(end - at) - header)
      return "the fat binary is damaged";
    uint64_t flags = number(at + 40, 8), kind = number(at, 2);
    if (flags & COMPRESSED)
      return "the fat binary is compressed; let MLIR write PTX (`format=isa`), or make it with `--compress=false`";
    char arch[32];
    snprintf(arch, sizeof arch, "sm_%u%s", (unsigned)number(at + 28, 4), flags & ONE_ARCH ? "a" : flags & FAMILY ? "f" : "");
    const char *wrong = NULL;
    if (kind == IS_PTX && memchr(at + header, 0, code))
      wrong = add_ptx(module, (const char *)at + header, !found), found = 1;
    else if (kind == IS_ELF)
      wrong = append(module, KIND_CUBIN, nvidia, arch, at + header, code);
    if (wrong)
      return wrong;
    at += header + code;
  }
  return found ? NULL : "the fat binary has no PTX, in which the parameters of kernels are read";
}

static const char *add_spirv(struct mgpu_module *module, const unsigned char *image, size_t size) {
  const char *wrong = mgpu_spirv_kernels(image, size, visit, module);
  return wrong ? wrong : append(module, KIND_SPIRV, "spirv64-unknown-unknown", "spirv64", image, size);
}

static const char *add_images(struct mgpu_module *module, const unsigned char *image, size_t size, const char **driver) {
  *driver = "cuda";
  if (size == 0)
    return add_ptx(module, (const char *)image, 1);
  if (size >= 4 && !memcmp(image, "\x50\xed\x55\xba", 4))
    return add_fatbinary(module, image, size);
  if (size >= 4 && !memcmp(image, "\x03\x02\x23\x07", 4)) {
    *driver = "opencl";
    return add_spirv(module, image, size);
  }
  if (memchr(image, 0, size) && strstr((const char *)image, ".version"))
    return add_ptx(module, (const char *)image, 1);
  return "the image is neither PTX, nor SPIR-V, nor a fat binary of CUDA";
}

const char *mgpu_load(const unsigned char *image, size_t size, struct mgpu_module **result) {
  struct mgpu_module *module = calloc(1, sizeof *module);
  if (!module)
    return no_memory;
  const char *driver;
  const char *wrong = add_images(module, image, size, &driver);
  if (!wrong)
    wrong = module->wrong;
  if (wrong) {
    mgpu_unload(module);
    return wrong;
  }
  module->descriptor = (struct offload_descriptor){
      .size = sizeof module->descriptor,
      .version = OFFLOAD_DESCRIPTOR_VERSION,
      .kernels = module->kernels,
      .kernel_count = module->kernel_count,
      .images_begin = module->images,
      .images_end = module->images + module->images_size,
  };
  offloadrt_register(&module->descriptor);
  if (!first_driver)
    first_driver = driver;
  *result = module;
  return NULL;
}

void mgpu_unload(struct mgpu_module *module) {
  if (module->descriptor.size)
    offloadrt_unregister(&module->descriptor);
  for (size_t i = 0; i < module->kernel_count; i++) {
    free((void *)(uintptr_t)module->kernels[i].name);
    free((void *)(uintptr_t)module->kernels[i].parameters);
  }
  free(module->kernels);
  free(module->images);
  free(module);
}

const struct offload_kernel *mgpu_find(const struct mgpu_module *module, const char *name) {
  for (size_t i = 0; i < module->kernel_count; i++)
    if (!strcmp(module->kernels[i].name, name))
      return &module->kernels[i];
  return NULL;
}
