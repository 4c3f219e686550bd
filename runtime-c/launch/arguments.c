/* Checks launch arguments against the kernel's parameter table, and packs them into the buffer that the table
 * describes. This file does not depend on devices. */
#include <stdio.h>
#include <string.h>

#include "../driver.h"

/* Describes one row of the parameter table: `pointer`, `4 bytes`, `block of 48 bytes`. */
static void describe_parameter(char *text, size_t capacity, const struct offload_parameter *parameter) {
  if (parameter->kind == OFFLOAD_PARAMETER_POINTER)
    snprintf(text, capacity, "pointer");
  else if (parameter->kind == OFFLOAD_PARAMETER_BLOCK)
    snprintf(text, capacity, "block of %u bytes", parameter->size);
  else
    snprintf(text, capacity, parameter->size == 1 ? "%u byte" : "%u bytes", parameter->size);
}

/* Describes the whole table: ` (pointer, pointer, 4 bytes)`. The text is empty if there are no parameters. */
static void describe_parameters(char *text, size_t capacity, const struct offload_kernel *kernel) {
  enum { SHOWN = 12 };
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < kernel->parameter_count && i <= SHOWN && used < capacity; i++) {
    char one[48] = "...";
    if (i < SHOWN)
      describe_parameter(one, sizeof one, &kernel->parameters[i]);
    used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : " (", one);
  }
  if (used && used < capacity)
    snprintf(text + used, capacity - used, ")");
}

static int wrong_count(const struct offload_kernel *kernel, size_t count) {
  char table[512];
  describe_parameters(table, sizeof table, kernel);
  return offloadrt_fail(OFFLOADRT_MISMATCH, "kernel `%s` takes %u argument%s%s, but %zu %s given",
                        offloadrt_kernel_name(kernel), kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s",
                        table, count, count == 1 ? "was" : "were");
}

static int wrong_size(const struct offload_kernel *kernel, size_t i, size_t given) {
  static const char *const kinds[] = {"value", "pointer", "block", "value"};
  const struct offload_parameter *parameter = &kernel->parameters[i];
  return offloadrt_fail(OFFLOADRT_MISMATCH, "argument %zu of kernel `%s` is a %s of %u byte%s, but %zu %s given", i + 1,
                        offloadrt_kernel_name(kernel), parameter->kind < 4 ? kinds[parameter->kind] : "parameter",
                        parameter->size, parameter->size == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

/* Returns the index of the argument for a parameter with bytes, searching from index `at`. Arguments without bytes, such
 * as Rust's `()`, belong to no such parameter: the calling convention of the host omits them, or they are a block without
 * bytes. */
static size_t next_argument(const offloadrt_argument *arguments, size_t count, size_t at) {
  while (at < count && !arguments[at].size)
    at++;
  return at;
}

/* The x86-64 convention passes the bytes of a small struct, that of AArch64 the words that contain them. */
static int has_size(const struct offload_parameter *parameter, size_t size) {
  enum { WORD = 8 };
  if (parameter->kind == OFFLOAD_PARAMETER_WORDS)
    return size <= parameter->size && size + WORD > parameter->size;
  return size == parameter->size;
}

static int check_argument(const struct offload_kernel *kernel, size_t i, const offloadrt_argument *argument) {
  const struct offload_parameter *parameter = &kernel->parameters[i];
  if (!has_size(parameter, argument->size))
    return wrong_size(kernel, i, argument->size);
  if (!argument->address && argument->size)
    return offloadrt_fail(OFFLOADRT_INVALID,
                          "the address of argument %zu of kernel `%s` is null; give the address of the value, also for a "
                          "pointer",
                          i + 1, offloadrt_kernel_name(kernel));
  return OFFLOADRT_SUCCESS;
}

static int is_power_of_two(uint32_t number) { return number && !(number & (number - 1)); }

/* Returns the next multiple of `align`, which is a power of two. */
static uint64_t round_up(uint64_t bytes, uint32_t align) { return (bytes + align - 1) & ~(uint64_t)(align - 1); }

/* Checks that the table has the layout that a compiler writes: the parameters are in order, each at the first multiple
 * of its alignment, and all are within the buffer. The file of a program may be damaged, and this must not corrupt
 * memory. */
static int check_layout(const struct offload_kernel *kernel) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    const struct offload_parameter *parameter = &kernel->parameters[i];
    if (parameter->kind > OFFLOAD_PARAMETER_WORDS || !is_power_of_two(parameter->align) ||
        parameter->offset != round_up(end, parameter->align))
      return offloadrt_fail(OFFLOADRT_FAILED, "the program is damaged: parameter %u of kernel `%s` is not where it belongs",
                            i + 1, offloadrt_kernel_name(kernel));
    end = (uint64_t)parameter->offset + parameter->size;
  }
  if (end > kernel->argument_bytes)
    return offloadrt_fail(OFFLOADRT_FAILED, "the program is damaged: the arguments of kernel `%s` do not fit their buffer",
                          offloadrt_kernel_name(kernel));
  return OFFLOADRT_SUCCESS;
}

int offloadrt_check_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments, size_t count) {
  if (count && !arguments)
    return count == kernel->parameter_count
               ? offloadrt_fail(OFFLOADRT_INVALID, "the arguments of kernel `%s` are null", offloadrt_kernel_name(kernel))
               : wrong_count(kernel, count);
  size_t sized = 0, wanted = 0, at = 0;
  for (size_t i = 0; i < count; i++)
    sized += arguments[i].size != 0;
  for (uint32_t i = 0; i < kernel->parameter_count; i++)
    wanted += kernel->parameters[i].size != 0;
  if (count != kernel->parameter_count && sized != wanted)
    return wrong_count(kernel, count);
  int status = check_layout(kernel);
  /* As many arguments as parameters, but not those: the first wrong one is named by its position. */
  for (uint32_t i = 0; i < kernel->parameter_count && !status && sized != wanted; i++)
    status = check_argument(kernel, i, &arguments[i]);
  for (uint32_t i = 0; i < kernel->parameter_count && !status; i++) {
    if (!kernel->parameters[i].size)
      continue;
    at = next_argument(arguments, count, at);
    status = at < count ? check_argument(kernel, i, &arguments[at++]) : wrong_count(kernel, count);
  }
  return status;
}

void offloadrt_order_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                               offloadrt_argument *ordered) {
  size_t at = 0;
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    ordered[i] = (offloadrt_argument){NULL, 0};
    if (!kernel->parameters[i].size)
      continue;
    at = next_argument(arguments, SIZE_MAX, at);
    ordered[i] = arguments[at++];
  }
}

void offloadrt_pack_arguments(const struct offload_kernel *kernel, const offloadrt_argument *arguments,
                              unsigned char *buffer) {
  memset(buffer, 0, kernel->argument_bytes);
  size_t at = 0;
  for (uint32_t i = 0; i < kernel->parameter_count; i++) {
    if (!kernel->parameters[i].size)
      continue;
    at = next_argument(arguments, SIZE_MAX, at);
    memcpy(buffer + kernel->parameters[i].offset, arguments[at].address, arguments[at].size);
    at++;
  }
}
