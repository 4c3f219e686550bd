/* The kernels of SPIR-V (version 1.0 to 1.6, the words of this machine). */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include <string.h>

#include "kernels.h"

enum {
  MAGIC = 0x07230203,
  HEADER = 5,
  OP_ENTRY_POINT = 15,
  OP_CAPABILITY = 17,
  OP_TYPE_INT = 21,
  OP_TYPE_FLOAT = 22,
  OP_TYPE_VECTOR = 23,
  OP_TYPE_POINTER = 32,
  OP_TYPE_FUNCTION = 33,
  OP_FUNCTION = 54,
  KERNEL = 6,
  UNIFORM_CONSTANT = 0,
  CROSS_WORKGROUP = 5,
  GENERIC = 8,
  /* capabilities */
  GROUPS = 18,
  SUBGROUP_DISPATCH = 58,
  FIRST_NON_UNIFORM = 61,
  LAST_NON_UNIFORM = 68
};

struct module {
  const unsigned char *bytes;
  size_t words;
};

/* An instruction: its words with the opcode. */
struct instruction {
  const unsigned char *bytes;
  size_t words;
};

static uint32_t word_at(const unsigned char *bytes, size_t index) {
  uint32_t word;
  memcpy(&word, bytes + 4 * index, sizeof word);
  return word;
}

/* A word of an instruction; 0 past its end. */
static uint32_t operand(struct instruction instruction, size_t index) {
  return index < instruction.words ? word_at(instruction.bytes, index) : 0;
}

static uint32_t opcode(struct instruction instruction) { return operand(instruction, 0) & 0xffff; }

/* The instruction at `*position`, and the position after it; without words at the end or before a broken one. */
static struct instruction next(struct module module, size_t *position) {
  size_t at = *position;
  size_t words = at < module.words ? word_at(module.bytes, at) >> 16 : 0;
  if (words == 0 || words > module.words - at)
    return (struct instruction){NULL, 0};
  *position = at + words;
  return (struct instruction){module.bytes + 4 * at, words};
}

/* The instruction with this opcode, or with any if it is 0, whose operand `index` is `id`. */
static struct instruction find(struct module module, uint32_t wanted, size_t index, uint32_t id) {
  size_t position = HEADER;
  struct instruction found;
  while ((found = next(module, &position)).words) {
    uint32_t code = opcode(found);
    int is_type = code >= OP_TYPE_INT && code <= OP_TYPE_FUNCTION;
    if ((wanted ? code == wanted : is_type) && operand(found, index) == id)
      return found;
  }
  return found;
}

static const char *add_type(struct module module, uint32_t id, struct mgpu_kernel *kernel) {
  struct instruction type = find(module, 0, 1, id);
  uint64_t elements = 1;
  if (opcode(type) == OP_TYPE_VECTOR) {
    /* Three elements take the room of four. */
    elements = operand(type, 3) == 3 ? 4 : operand(type, 3);
    type = find(module, 0, 1, operand(type, 2));
  }
  switch (opcode(type)) {
  case OP_TYPE_INT:
  case OP_TYPE_FLOAT: {
    uint64_t bytes = elements * (operand(type, 2) / 8);
    return mgpu_add_parameter(kernel, bytes, bytes, OFFLOAD_PARAMETER_VALUE);
  }
  case OP_TYPE_POINTER: {
    uint32_t storage = operand(type, 2);
    if (storage != CROSS_WORKGROUP && storage != GENERIC && storage != UNIFORM_CONSTANT)
      return "a parameter is a pointer to local or private memory";
    return mgpu_add_parameter(kernel, 8, 8, OFFLOAD_PARAMETER_POINTER);
  }
  default:
    return "a parameter is neither a number nor a pointer";
  }
}

const char *mgpu_spirv_kernels(const unsigned char *image, size_t size, mgpu_visit *visit, void *context) {
  struct module module = {image, size / 4};
  if (size % 4 || module.words < HEADER || word_at(image, 0) != MAGIC)
    return "the SPIR-V has no header";
  size_t position = HEADER;
  struct instruction entry;
  while ((entry = next(module, &position)).words) {
    if (opcode(entry) != OP_ENTRY_POINT || operand(entry, 1) != KERNEL || entry.words < 4)
      continue;
    static _Thread_local struct mgpu_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.argument_align = 1;
    kernel.name = (const char *)entry.bytes + 12;
    kernel.name_size = strnlen(kernel.name, 4 * (entry.words - 3));
    struct instruction function = find(module, OP_FUNCTION, 2, operand(entry, 2));
    struct instruction type = find(module, OP_TYPE_FUNCTION, 1, operand(function, 4));
    if (!type.words)
      return "a kernel of the SPIR-V has no type";
    for (size_t i = 3; i < type.words; i++) {
      const char *wrong = add_type(module, operand(type, i), &kernel);
      if (wrong)
        return wrong;
    }
    visit(&kernel, context);
  }
  return position == module.words ? NULL : "the SPIR-V is broken";
}

int mgpu_spirv_uses_lanes(const unsigned char *image, size_t size) {
  struct module module = {image, size / 4};
  size_t position = HEADER;
  struct instruction instruction;
  while ((instruction = next(module, &position)).words) {
    uint32_t capability = operand(instruction, 1);
    if (opcode(instruction) == OP_CAPABILITY &&
        (capability == GROUPS || capability == SUBGROUP_DISPATCH ||
         (capability >= FIRST_NON_UNIFORM && capability <= LAST_NON_UNIFORM)))
      return 1;
  }
  return 0;
}
