/* offloadrt-info: lists the devices of this machine. For a program, shared object, object or archive, it also shows
 * which image each device would get. The file is only read, and nothing is loaded on a device. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver.h"

/* Containers are in a section of this name. In objects of other compilers, they are in sections of this type, which
 * LLVM defines. */
static const char own_section[] = ".offload.images";
enum { SHT_LLVM_OFFLOADING = 0x6fff4c0b };

/* A range of bytes in a file. */
struct bytes {
  const unsigned char *begin;
  uint64_t size;
};

/* The containers that were found, one after another. */
struct containers {
  unsigned char *begin;
  size_t size;
};

/* Files -------------------------------------------------------------------------------------------- */

static int read_file(const char *path, struct bytes *file) {
  FILE *stream = fopen(path, "rb");
  unsigned char *bytes = NULL;
  long size = -1;
  if (stream && fseek(stream, 0, SEEK_END) == 0 && (size = ftell(stream)) >= 0 && fseek(stream, 0, SEEK_SET) == 0 &&
      (bytes = malloc((size_t)size + 1)) && fread(bytes, 1, (size_t)size, stream) != (size_t)size)
    size = -1;
  if (stream)
    fclose(stream);
  if (size < 0 || !bytes) {
    free(bytes);
    fprintf(stderr, "error: cannot read `%s`\n", path);
    return 0;
  }
  *file = (struct bytes){bytes, (uint64_t)size};
  return 1;
}

/* Returns the part of `whole` at `offset`, or an empty range if it is not within `whole`. */
static struct bytes part(struct bytes whole, uint64_t offset, uint64_t size) {
  if (offset > whole.size || size > whole.size - offset)
    return (struct bytes){whole.begin, 0};
  return (struct bytes){whole.begin + offset, size};
}

static void append(struct containers *all, struct bytes more) {
  unsigned char *grown = more.size ? realloc(all->begin, all->size + more.size) : NULL;
  if (!grown)
    return;
  memcpy(grown + all->size, more.begin, more.size);
  all->begin = grown;
  all->size += more.size;
}

/* Reads an entry of the section table; returns 0 if it is not within the file. */
static int read_section(struct bytes file, const Elf64_Ehdr *header, uint64_t number, Elf64_Shdr *section) {
  struct bytes row = part(file, header->e_shoff + number * header->e_shentsize, sizeof *section);
  if (row.size)
    memcpy(section, row.begin, sizeof *section);
  return row.size != 0;
}

/* Returns the number of sections. If it does not fit in the header, it is the size of the first entry, which is not a
 * section. */
static uint64_t count_sections(struct bytes file, const Elf64_Ehdr *header) {
  Elf64_Shdr first;
  if (header->e_shnum || !header->e_shoff || !read_section(file, header, 0, &first))
    return header->e_shnum;
  return first.sh_size < file.size / sizeof first ? first.sh_size : 0;
}

/* Returns the names of the sections. If the number of their section does not fit in the header, it is in the first
 * entry. */
static struct bytes section_names(struct bytes file, const Elf64_Ehdr *header) {
  Elf64_Shdr section;
  uint64_t number = header->e_shstrndx;
  if (number == SHN_XINDEX && read_section(file, header, 0, &section))
    number = section.sh_link;
  if (!read_section(file, header, number, &section))
    return (struct bytes){file.begin, 0};
  return part(file, section.sh_offset, section.sh_size);
}

static int has_containers(const Elf64_Shdr *section, struct bytes names) {
  struct bytes name = part(names, section->sh_name, sizeof own_section);
  int is_own = name.size && memcmp(name.begin, own_section, sizeof own_section) == 0;
  return section->sh_type == SHT_LLVM_OFFLOADING || (section->sh_type == SHT_PROGBITS && is_own);
}

/* Reads the containers in a 64-bit little-endian ELF file, which is the only format of the host. */
static void read_elf(struct bytes file, struct containers *all) {
  Elf64_Ehdr header;
  if (file.size < sizeof header)
    return;
  memcpy(&header, file.begin, sizeof header);
  uint64_t count = count_sections(file, &header);
  struct bytes names = section_names(file, &header);
  for (uint64_t i = 0; i < count; i++) {
    Elf64_Shdr section;
    if (read_section(file, &header, i, &section) && has_containers(&section, names))
      append(all, part(file, section.sh_offset, section.sh_size));
  }
}

static int is_elf(struct bytes file) { return file.size > SELFMAG && memcmp(file.begin, ELFMAG, SELFMAG) == 0; }

/* Reads an archive: a line, and then members with a header of 60 characters. The header has the size in decimal at
 * offset 48. */
static void read_archive(struct bytes file, struct containers *all) {
  enum { START = 8, HEADER = 60, SIZE_AT = 48, SIZE_LENGTH = 10 };
  for (uint64_t at = START; part(file, at, HEADER).size;) {
    char digits[SIZE_LENGTH + 1] = "";
    memcpy(digits, file.begin + at + SIZE_AT, SIZE_LENGTH);
    uint64_t size = strtoull(digits, NULL, 10);
    struct bytes member = part(file, at + HEADER, size);
    if (is_elf(member))
      read_elf(member, all);
    at += HEADER + size + (size & 1);
    if (size > file.size)
      return;
  }
}

/* Output ------------------------------------------------------------------------------------------- */

static const char *kind_name(unsigned kind) {
  switch (kind) {
  case OFFLOADRT_IMAGE_NONE:
    return "in the file's own code";
  case OFFLOADRT_IMAGE_ELF:
    return "machine code";
  case OFFLOADRT_IMAGE_CUBIN:
    return "machine code";
  case OFFLOADRT_IMAGE_PTX:
    return "PTX";
  case OFFLOADRT_IMAGE_SPIRV:
    return "SPIR-V";
  default:
    return "of a kind that is not known here";
  }
}

/* Calls `visit` for every device of this machine. */
static void each_device(void (*visit)(const struct offloadrt_driver *driver, const char *name,
                                      const struct offloadrt_description *description, const struct containers *all),
                        const struct containers *all) {
  for (const struct offloadrt_driver *const *driver = offloadrt_drivers; *driver; driver++) {
    unsigned count = (*driver)->device_count();
    for (unsigned i = 0; i < count; i++) {
      struct offloadrt_description description = {.arch = ""};
      char name[48];
      snprintf(name, sizeof name, (*driver)->single ? "%s" : "%s:%u", (*driver)->name, i);
      (*driver)->archs->describe(i, &description);
      visit(*driver, name, &description, all);
    }
  }
}

static void print_device(const struct offloadrt_driver *driver, const char *name,
                         const struct offloadrt_description *description, const struct containers *all) {
  (void)driver;
  (void)all;
  printf("  %-10s  %-24s  %s\n", name, description->arch, description->product);
}

static void print_arch(const struct offloadrt_driver *driver, const char *name,
                       const struct offloadrt_description *description, const struct containers *all) {
  (void)driver;
  (void)name;
  (void)all;
  if (description->arch[0])
    printf("%s\n", description->arch);
}

static void print_absences(void) {
  for (const struct offloadrt_driver *const *driver = offloadrt_drivers; *driver; driver++)
    if (!(*driver)->device_count() && (*driver)->absence && (*driver)->absence())
      printf("  %-10s  none: %s\n", (*driver)->name, (*driver)->absence());
}

static void print_choice(const struct offloadrt_driver *driver, const char *name,
                         const struct offloadrt_description *description, const struct containers *all) {
  struct offloadrt_image image;
  if (offloadrt_pick_image(driver, description->arch, all->begin, all->begin + all->size, INT_MAX, &image)) {
    printf("  %-10s  gets %s, %s", name, image.arch, kind_name(image.kind));
    printf(image.kind == OFFLOADRT_IMAGE_NONE ? "\n" : ", %zu bytes\n", (size_t)offloadrt_image_bytes(&image));
    return;
  }
  struct offload_descriptor object = {.images_begin = all->begin, .images_end = all->begin + all->size};
  if (offloadrt_find_generic(&object, &image)) {
    printf("  %-10s  gets the generic image, which the runtime finishes for %s\n", name,
           *description->exact ? description->exact : description->arch);
    return;
  }
  /* Show the error of a launch on this device. */
  struct offload_kernel kernel = {.name = "any", .descriptor = &object};
  offloadrt_no_image(driver, description->arch, &kernel, name, NULL);
  const char *reason = strstr(offloadrt_error_text(), "has code for");
  printf("  %-10s  gets nothing: the file %s\n", name, reason ? reason : "has no code");
}

static int print_file(const char *path) {
  struct bytes file;
  struct containers all = {NULL, 0};
  if (!read_file(path, &file))
    return 1;
  if (is_elf(file))
    read_elf(file, &all);
  else if (file.size > 8 && memcmp(file.begin, "!<arch>\n", 8) == 0)
    read_archive(file, &all);
  free((void *)(uintptr_t)file.begin);
  printf("%s\n", path);
  if (all.size)
    each_device(print_choice, &all);
  else
    printf("  has no device images\n");
  free(all.begin);
  return 0;
}

int main(int count, char **words) {
  int status = 0;
  if (count == 2 && strcmp(words[1], "--archs") == 0) {
    each_device(print_arch, NULL);
    return 0;
  }
  if (count > 1 && words[1][0] == '-') {
    int help = strcmp(words[1], "--help") == 0;
    fprintf(help ? stdout : stderr,
            "usage: offloadrt-info [FILE]...\n"
            "       offloadrt-info --archs\n"
            "Lists the devices that are here, and for each file (a program, shared object, object or\n"
            "archive that offloadc made) which image each device would get. With `--archs`, lists the\n"
            "archs of the devices, one in a line.\n");
    return help ? 0 : 2;
  }
  printf("devices\n");
  each_device(print_device, NULL);
  print_absences();
  for (int i = 1; i < count; i++)
    status |= print_file(words[i]);
  return status;
}
