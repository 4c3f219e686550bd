/* Formats the message of a kernel's panic, from the numbers in its record and the texts in the kernel's object. This
 * file knows no devices. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

/* A string that is truncated at the end of its buffer. */
struct text {
  char bytes[2048];
  size_t used;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text->bytes + text->used, sizeof text->bytes - text->used, format, values);
  va_end(values);
  if (length > 0)
    text->used += (size_t)length;
  if (text->used >= sizeof text->bytes)
    text->used = sizeof text->bytes - 1;
}

/* Returns the place with this number, or null. */
static const struct offload_panic_place *place_of(const struct offload_panic_texts *texts, uint32_t number) {
  if (!texts || !number || number > texts->place_count)
    return NULL;
  return (const struct offload_panic_place *)(texts + 1) + (number - 1);
}

/* Returns the string whose offset has this index in the array after the places. */
static const char *string_of(const struct offload_panic_texts *texts, uint64_t index) {
  const uint32_t *offsets = (const uint32_t *)((const struct offload_panic_place *)(texts + 1) + texts->place_count);
  return (const char *)texts + offsets[index];
}

/* Returns the message with this number, or null. */
static const char *message_of(const struct offload_panic_texts *texts, uint64_t number) {
  if (!texts || !number || number > texts->message_count)
    return NULL;
  return string_of(texts, number - 1);
}

const char *offloadrt_kernel_name(const struct offload_kernel *kernel) {
  const struct offload_panic_texts *texts = kernel->descriptor ? kernel->descriptor->panics : NULL;
  uint64_t index = texts ? offloadrt_index_of(kernel) : 0;
  const char *name = texts && index < texts->kernel_count ? string_of(texts, texts->message_count + index) : NULL;
  return name ? name : kernel->name;
}

/* Describes the first fault of the range `start..end` of a slice. */
static void append_slice_range(struct text *text, uint64_t start, uint64_t end, uint64_t length) {
  if (start > length)
    append(text, "range start index %" PRIu64 " out of range for slice of length %" PRIu64, start, length);
  else if (end > length)
    append(text, "range end index %" PRIu64 " out of range for slice of length %" PRIu64, end, length);
  else
    append(text, "slice index starts at %" PRIu64 " but ends at %" PRIu64, start, end);
}

static void append_message(struct text *text, const struct offload_panic_texts *texts, const struct offload_panic *panic,
                           const char *host_panic) {
  const char *message = message_of(texts, panic->message);
  if (!message)
    append(text, "%swith a message that only the device knows",
           panic->message > OFFLOAD_LINKED_PANICS ? "in a function of another object, " : "");
  for (; message && *message; message++) {
    const char *more = message_of(texts, panic->operands[0]);
    if (*message >= OFFLOAD_PANIC_OPERAND && *message <= OFFLOAD_PANIC_LAST_OPERAND)
      append(text, "%" PRIu64, panic->operands[*message - OFFLOAD_PANIC_OPERAND]);
    else if (*message == OFFLOAD_PANIC_SLICE_RANGE)
      append_slice_range(text, panic->operands[0], panic->operands[1], panic->operands[2]);
    else if (*message == OFFLOAD_PANIC_MORE)
      append(text, more ? ": %s" : "%s", more ? more : "");
    else if (*message == OFFLOAD_PANIC_HOST_PANIC)
      append(text, *host_panic ? ": %s" : "%s", host_panic);
    else
      append(text, "%c", *message);
  }
}

/* Appends `block 3`, or `block (3, 1, 0)` if the position along another axis than x is not 0. */
static void append_position(struct text *text, const char *what, const uint32_t at[3]) {
  if (at[1] || at[2])
    append(text, "%s (%u, %u, %u)", what, at[0], at[1], at[2]);
  else
    append(text, "%s %u", what, at[0]);
}

int offloadrt_panicked(const struct offload_kernel *kernel, const struct offload_panic *panic, const char *host_panic) {
  const struct offload_panic_texts *texts = kernel->descriptor ? kernel->descriptor->panics : NULL;
  const struct offload_panic_place *place = place_of(texts, panic->place);
  struct text text = {.used = 0};
  append(&text, "kernel `%s` panicked", offloadrt_kernel_name(kernel));
  if (place)
    append(&text, " at %s:%u:%u", (const char *)texts + place->file, place->line, place->column);
  append(&text, ": ");
  append_message(&text, texts, panic, host_panic);
  append(&text, " (");
  append_position(&text, "block", panic->block);
  append(&text, ", ");
  append_position(&text, "thread", panic->thread);
  append(&text, ")");
  return offloadrt_fail(OFFLOADRT_PANICKED, "%s", text.bytes);
}
