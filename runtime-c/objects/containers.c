/* Reads the images of an object: consecutive OffloadBinary containers of LLVM, version 1 (the layout is in
 * llvm/Object/OffloadBinary.h of LLVM 22). The file may be damaged, so every field is checked against the size. The
 * list ends at a container that is damaged or has another version. If images are compressed, their containers are empty, and
 * a container without an arch has the content of all of them (content.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver.h"

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

/* The properties of a container besides its image. */
struct container_facts {
  int is_packed; /* its image is the compressed content of the object */
};

static uint64_t read_number(const char *digits) { return strtoull(digits, NULL, 10); }

static enum offloadrt_late_constants late_constants(const char *value) {
  if (strcmp(value, "only") == 0)
    return OFFLOADRT_LATE_ONLY;
  return strcmp(value, "some") == 0 ? OFFLOADRT_LATE_SOME : OFFLOADRT_LATE_NONE;
}

static void read_string(const char *key, const char *value, struct offloadrt_image *image, struct container_facts *facts) {
  if (strcmp(key, "triple") == 0)
    image->triple = value;
  else if (strcmp(key, "arch") == 0)
    image->arch = value;
  else if (strcmp(key, "options") == 0)
    image->options = value;
  else if (strcmp(key, "uses-lanes") == 0)
    image->uses_lanes = strcmp(value, "yes") == 0;
  else if (strcmp(key, "kernels-with-lanes") == 0)
    image->kernels_with_lanes = value;
  else if (strcmp(key, "stack") == 0)
    image->stack_bytes = (size_t)read_number(value);
  else if (strcmp(key, "warp_size") == 0)
    image->lanes = (uint32_t)read_number(value);
  else if (strcmp(key, "generic-version") == 0)
    image->generic_version = (uint32_t)read_number(value);
  else if (strcmp(key, "compiler") == 0)
    image->compiler = value;
  else if (strcmp(key, "identity") == 0)
    image->identity = value;
  else if (strcmp(key, "statics") == 0)
    image->writes_statics = strcmp(value, "yes") == 0;
  else if (strcmp(key, "stored-functions") == 0)
    image->calls_stored = strcmp(value, "yes") == 0;
  else if (strcmp(key, "late-constants") == 0)
    image->late_constants = late_constants(value);
  else if (strcmp(key, "shared-bytes") == 0)
    image->shared_bytes = value;
  else if (strcmp(key, "not-linkable") == 0)
    image->not_linkable = value;
  else if (strcmp(key, "linked-panics") == 0)
    image->linked_panics = value;
  else if (strcmp(key, "content-offset") == 0)
    image->content_offset = read_number(value), image->is_compressed = 1;
  else if (strcmp(key, "content-size") == 0)
    image->content_size = read_number(value);
  else if (strcmp(key, "compression") == 0)
    facts->is_packed = strcmp(value, "zstd") == 0;
}

static void read_strings(const unsigned char *container, uint64_t size, const struct container_entry *entry,
                         struct offloadrt_image *image, struct container_facts *facts) {
  struct string_entry string;
  for (uint64_t i = 0, at = entry->strings_offset; i < entry->string_count && fits(at, sizeof string, size);
       i++, at += sizeof string) {
    memcpy(&string, container + at, sizeof string);
    read_string(string_at(container, size, string.key_offset), string_at(container, size, string.value_offset), image, facts);
  }
}

/* Reads the container at `*position` and advances; returns 0 at the end. */
static int next_container(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image,
                          struct container_facts *facts) {
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
      .compiler = "",
      .identity = "",
      .shared_bytes = "",
      .kernels_with_lanes = "",
      .linked_panics = "",
      .not_linkable = "",
      .begin = container + entry.image_offset,
      .end = container + entry.image_offset + entry.image_size,
  };
  *facts = (struct container_facts){0};
  read_strings(container, header.size, &entry, image, facts);
  *position = container + header.size;
  return 1;
}

int offloadrt_next_image(const unsigned char **position, const unsigned char *end, struct offloadrt_image *image) {
  struct container_facts facts;
  while (next_container(position, end, image, &facts))
    if (!facts.is_packed)
      return 1;
  return 0;
}

int offloadrt_find_packed(const unsigned char *begin, const unsigned char *end, struct offloadrt_packed *packed) {
  struct offloadrt_image image;
  struct container_facts facts;
  for (const unsigned char *position = begin; next_container(&position, end, &image, &facts);)
    if (facts.is_packed) {
      *packed = (struct offloadrt_packed){image.begin, (size_t)(image.end - image.begin), image.content_size};
      return 1;
    }
  return 0;
}
