/* Reads the images of an object: consecutive OffloadBinary containers of LLVM, version 1 (the layout is in
 * llvm/Object/OffloadBinary.h of LLVM 22). The file may be damaged, so every field is checked against the size. The
 * list ends at a container that is damaged or has another version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

struct container_header {
  uint8_t magic[4]; /* 10 ff 10 ad */
  uint32_t version;
  uint64_t size; /* of the whole container, including the padding */
  uint64_t entry_offset;
  uint64_t entry_size;
};

struct container_entry {
  uint16_t image_kind;
  uint16_t offload_kind;
  uint32_t flags;
  uint64_t strings_offset;
  uint64_t string_count;
  uint64_t image_offset;
  uint64_t image_size;
};

struct string_entry {
  uint64_t key_offset;
  uint64_t value_offset;
};

_Static_assert(sizeof(struct container_header) == 32 && sizeof(struct container_entry) == 40, "OffloadBinary 1");

/* Returns nonzero if `bytes` bytes at `offset` are within `size`. */
static int fits(uint64_t offset, uint64_t bytes, uint64_t size) { return offset <= size && bytes <= size - offset; }

/* Returns the string at `offset`, or "" if it does not end within the container. */
static const char *string_at(const unsigned char *container, uint64_t size, uint64_t offset) {
  if (offset >= size || !memchr(container + offset, 0, size - offset))
    return "";
  return (const char *)container + offset;
}

static void read_strings(const unsigned char *container, uint64_t size, const struct container_entry *entry,
                         struct offloadrt_image *image) {
  struct string_entry string;
  for (uint64_t i = 0, at = entry->strings_offset; i < entry->string_count && fits(at, sizeof string, size);
       i++, at += sizeof string) {
    memcpy(&string, container + at, sizeof string);
    const char *key = string_at(container, size, string.key_offset);
    if (strcmp(key, "triple") == 0)
      image->triple = string_at(container, size, string.value_offset);
    else if (strcmp(key, "arch") == 0)
      image->arch = string_at(container, size, string.value_offset);
    else if (strcmp(key, "options") == 0)
      image->options = string_at(container, size, string.value_offset);
    else if (strcmp(key, "uses-lanes") == 0)
      image->uses_lanes = strcmp(string_at(container, size, string.value_offset), "yes") == 0;
    else if (strcmp(key, "stack") == 0)
      image->stack_bytes = (size_t)strtoul(string_at(container, size, string.value_offset), NULL, 10);
    else if (strcmp(key, "warp_size") == 0)
      image->lanes = (uint32_t)strtoul(string_at(container, size, string.value_offset), NULL, 10);
  }
}

int offloadrt_next_image(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image) {
  static const uint8_t magic[4] = {0x10, 0xff, 0x10, 0xad};
  const unsigned char *container = *position;
  struct container_header header;
  struct container_entry entry;
  if (!container || (uint64_t)(end - container) < sizeof header)
    return 0;
  memcpy(&header, container, sizeof header);
  if (memcmp(header.magic, magic, sizeof magic) != 0 || header.version != 1 || header.size < sizeof header ||
      header.size > (uint64_t)(end - container) || !fits(header.entry_offset, sizeof entry, header.size))
    return 0;
  memcpy(&entry, container + header.entry_offset, sizeof entry);
  if (!fits(entry.image_offset, entry.image_size, header.size))
    return 0;
  *image = (struct offloadrt_image){
      .kind = entry.image_kind,
      .triple = "",
      .arch = "",
      .options = "",
      .begin = container + entry.image_offset,
      .end = container + entry.image_offset + entry.image_size,
  };
  read_strings(container, header.size, &entry, image);
  *position = container + header.size;
  return 1;
}
