/* Formats the message of a kernel's panic, from the numbers in its record and the texts in the kernel's object. This
 * file does not depend on devices. */
#define _GNU_SOURCE /* strnlen */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../driver.h"
#include "../trace/work.h"

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

/* Texts of functions of other objects ------------------------------------------------------------- */

/* The texts of an object, and those of linked functions, whose numbers are above OFFLOAD_LINKED_PANICS:
 * `2:5:first,6:second,12:src/a.rs:7:5,` is a number of messages, then the messages and the places, each with its length. */
struct all_texts {
  const struct offload_panic_texts *own; /* or null */
  const char *linked;                    /* or null */
};

/* A piece of text; the pointer is null if there is none. */
struct piece {
  const char *text;
  size_t length;
};

/* Reads a number and the colon after it. */
static const char *read_count(const char *text, size_t *count) {
  size_t number = 0;
  const char *digit = text;
  for (; *digit >= '0' && *digit <= '9' && number < 100000000; digit++)
    number = 10 * number + (size_t)(*digit - '0');
  *count = number;
  return digit != text && *digit == ':' ? digit + 1 : NULL;
}

/* The text with this index, from 0. */
static struct piece linked_text(const char *text, size_t index) {
  struct piece piece = {NULL, 0};
  for (size_t at = 0; text && at <= index; at++) {
    text = read_count(text, &piece.length);
    if (!text || strnlen(text, piece.length + 1) <= piece.length || text[piece.length] != ',')
      return (struct piece){NULL, 0};
    piece.text = text;
    text += piece.length + 1;
  }
  return piece;
}

static struct piece linked_message(const char *linked, uint32_t number) {
  size_t count = 0;
  const char *texts = linked && number > OFFLOAD_LINKED_PANICS ? read_count(linked, &count) : NULL;
  size_t index = number - OFFLOAD_LINKED_PANICS - (size_t)1;
  return texts && index < count ? linked_text(texts, index) : (struct piece){NULL, 0};
}

static struct piece linked_place(const char *linked, uint32_t number) {
  size_t count = 0;
  const char *texts = linked && number > OFFLOAD_LINKED_PANICS ? read_count(linked, &count) : NULL;
  return texts ? linked_text(texts, count + (number - OFFLOAD_LINKED_PANICS - (size_t)1)) : (struct piece){NULL, 0};
}

static struct piece any_message(const struct all_texts *texts, uint64_t number) {
  if (number > OFFLOAD_LINKED_PANICS && number <= UINT32_MAX)
    return linked_message(texts->linked, (uint32_t)number);
  const char *own = message_of(texts->own, number);
  return (struct piece){own, own ? strlen(own) : 0};
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

static void append_message(struct text *text, const struct all_texts *texts, const struct offload_panic *panic,
                           const char *host_panic) {
  struct piece message = any_message(texts, panic->message);
  if (!message.text)
    append(text, "%swith a message that only the device knows",
           panic->message > OFFLOAD_LINKED_PANICS ? "in a function of another object, " : "");
  for (size_t at = 0; message.text && at < message.length; at++) {
    char character = message.text[at];
    struct piece more = any_message(texts, panic->operands[0]);
    if (character >= OFFLOAD_PANIC_OPERAND && character <= OFFLOAD_PANIC_LAST_OPERAND)
      append(text, "%" PRIu64, panic->operands[character - OFFLOAD_PANIC_OPERAND]);
    else if (character == OFFLOAD_PANIC_SLICE_RANGE)
      append_slice_range(text, panic->operands[0], panic->operands[1], panic->operands[2]);
    else if (character == OFFLOAD_PANIC_MORE)
      append(text, "%s%.*s", more.text ? ": " : "", (int)more.length, more.text ? more.text : "");
    else if (character == OFFLOAD_PANIC_HOST_PANIC)
      append(text, *host_panic ? ": %s" : "%s", host_panic);
    else
      append(text, "%c", character);
  }
}

/* Appends `block 3`, or `block (3, 1, 0)` if the position along another axis than x is not 0. */
static void append_position(struct text *text, const char *what, const uint32_t at[3]) {
  if (at[1] || at[2])
    append(text, "%s (%u, %u, %u)", what, at[0], at[1], at[2]);
  else
    append(text, "%s %u", what, at[0]);
}

int offloadrt_panicked(const struct offload_kernel *kernel, const struct offload_panic *panic, const char *linked,
                       const char *host_panic) {
  const struct offload_panic_texts *texts = kernel->descriptor ? kernel->descriptor->panics : NULL;
  const struct all_texts all = {texts, linked};
  const struct offload_panic_place *place = place_of(texts, panic->place);
  struct piece linked_at = linked_place(linked, panic->place);
  struct text text = {.used = 0};
  append(&text, "kernel `%s` panicked", offloadrt_kernel_name(kernel));
  if (place)
    append(&text, " at %s:%u:%u", (const char *)texts + place->file, place->line, place->column);
  else if (linked_at.text)
    append(&text, " at %.*s", (int)linked_at.length, linked_at.text);
  append(&text, ": ");
  append_message(&text, &all, panic, host_panic);
  append(&text, " (");
  append_position(&text, "block", panic->block);
  append(&text, ", ");
  append_position(&text, "thread", panic->thread);
  append(&text, ")");
  if (offloadrt_is_tracing())
    offloadrt_trace_panic(kernel, text.bytes);
  return offloadrt_fail(OFFLOADRT_PANICKED, "%s", text.bytes);
}
