/* Shadow memory: the last accesses to each byte that kernels may access, and the ranges of such memory.
 *
 * A table has an entry for each 64 KiB of the address space. It is reserved without memory, and only pages that
 * kernels may access have shadow memory, which the system provides when it is first used. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { ENTRIES_SHIFT = CHECK_ADDRESS_BITS - CHECK_PAGE_BITS };

struct check_page **check_pages;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct check_region *regions; /* in ascending order */
static size_t region_count, region_room;

static void *reserve(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int check_reserve(void) {
  if (!check_pages)
    check_pages = reserve(sizeof *check_pages << ENTRIES_SHIFT);
  return check_pages != NULL;
}

/* Pages ----------------------------------------------------------------------------------------- */

static struct check_page *make_page(uintptr_t address) {
  if (address >> CHECK_ADDRESS_BITS)
    return NULL;
  struct check_page **entry = &check_pages[address >> CHECK_PAGE_BITS], *page = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
  if (page)
    return page;
  /* Two threads of the host may allocate in one page at the same time. */
  struct check_page *made = reserve(sizeof *made);
  if (!made || __atomic_compare_exchange_n(entry, &page, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  munmap(made, sizeof *made);
  return page;
}

struct check_cell *check_byte_cells(struct check_page *page) {
  struct check_cell *cells = atomic_load(&page->bytes);
  if (cells)
    return cells;
  struct check_cell *made = reserve(sizeof *made * CHECK_PAGE);
  if (!made || atomic_compare_exchange_strong(&page->bytes, &cells, made))
    return made;
  munmap(made, sizeof *made * CHECK_PAGE);
  return cells;
}

/* Returns the part of a range that is in the first page, as offsets in the page. */
static uint32_t first_part(uintptr_t begin, size_t bytes, uint32_t *from) {
  *from = (uint32_t)(begin % CHECK_PAGE);
  return bytes < CHECK_PAGE - *from ? *from + (uint32_t)bytes : CHECK_PAGE;
}

/* The bits of the bytes from `begin` to `end` of a page, in the state of a word. */
static uint16_t bits_of(uint32_t word, uint32_t begin, uint32_t end, unsigned bits) {
  uint32_t from = begin > word * 4 ? begin - word * 4 : 0, to = end < word * 4 + 4 ? end - word * 4 : 4;
  unsigned bytes = (1u << to) - (1u << from);
  return (uint16_t)((bytes | bytes << 4) & bits);
}

void check_set(uintptr_t begin, size_t bytes, unsigned bits) {
  while (bytes) {
    uint32_t from, to = first_part(begin, bytes, &from);
    struct check_page *page = bits & CHECK_VALID ? make_page(begin) : check_page_of(begin);
    for (uint32_t word = from / 4; page && word * 4 < to; word++) {
      uint16_t set = bits_of(word, from, to, bits);
      if ((page->state[word] & set) != set)
        __atomic_fetch_or(&page->state[word], set, __ATOMIC_RELAXED);
    }
    begin += to - from;
    bytes -= to - from;
  }
}

void check_clear(uintptr_t begin, size_t bytes, unsigned bits) {
  while (bytes) {
    uint32_t from, to = first_part(begin, bytes, &from);
    struct check_page *page = check_page_of(begin);
    for (uint32_t word = from / 4; page && word * 4 < to; word++)
      __atomic_fetch_and(&page->state[word], (uint16_t)~bits_of(word, from, to, bits), __ATOMIC_RELAXED);
    begin += to - from;
    bytes -= to - from;
  }
}

int check_are_set(uintptr_t begin, size_t bytes, unsigned bits) {
  while (bytes) {
    uint32_t from, to = first_part(begin, bytes, &from);
    const struct check_page *page = check_page_of(begin);
    if (!page)
      return 0;
    for (uint32_t word = from / 4; word * 4 < to; word++) {
      uint16_t wanted = bits_of(word, from, to, bits);
      if ((page->state[word] & wanted) != wanted)
        return 0;
    }
    begin += to - from;
    bytes -= to - from;
  }
  return 1;
}

int check_has_flag(uintptr_t address, unsigned flag) {
  const struct check_page *page = check_page_of(address);
  return page && page->state[address % CHECK_PAGE / 4] & flag;
}

/* Flags belong to words. */
void check_set_flag(uintptr_t begin, size_t bytes, unsigned flag, int value) {
  for (uintptr_t at = begin & ~(uintptr_t)3; at < begin + bytes; at += 4) {
    struct check_page *page = check_page_of(at);
    uint16_t *state = page ? &page->state[at % CHECK_PAGE / 4] : NULL;
    if (state && value)
      __atomic_fetch_or(state, (uint16_t)flag, __ATOMIC_RELAXED);
    else if (state)
      __atomic_fetch_and(state, (uint16_t)~flag, __ATOMIC_RELAXED);
  }
}

static void forget(struct check_page *page, uint32_t begin, uint32_t end) {
  struct check_cell *bytes = atomic_load(&page->bytes);
  memset(&page->cells[begin / 4], 0, sizeof *page->cells * ((end + 3) / 4 - begin / 4));
  if (bytes)
    memset(&bytes[begin], 0, sizeof *bytes * (end - begin));
}

/* Gives the memory of a whole page's cells back. */
static void forget_page(struct check_page *page, uint32_t begin, uint32_t end) {
  struct check_cell *bytes = atomic_load(&page->bytes);
  if (begin || end != CHECK_PAGE) {
    forget(page, begin, end);
    return;
  }
  madvise(page->cells, sizeof page->cells / 4096 * 4096, MADV_DONTNEED);
  if (bytes)
    madvise(bytes, sizeof *bytes * CHECK_PAGE, MADV_DONTNEED);
}

void check_forget(uintptr_t begin, size_t bytes) {
  while (bytes) {
    uint32_t from, to = first_part(begin, bytes, &from);
    struct check_page *page = check_page_of(begin);
    if (page)
      forget_page(page, from, to);
    begin += to - from;
    bytes -= to - from;
  }
}

/* Ranges ---------------------------------------------------------------------------------------- */

/* The first range that begins above an address. */
static size_t after(uintptr_t address) {
  size_t low = 0, high = region_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (regions[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void insert(struct check_region region) {
  if (region_count == region_room) {
    size_t room = region_room ? 2 * region_room : 64;
    struct check_region *grown = realloc(regions, room * sizeof *grown);
    if (!grown)
      return;
    regions = grown;
    region_room = room;
  }
  size_t at = after(region.begin);
  memmove(&regions[at + 1], &regions[at], (region_count - at) * sizeof *regions);
  regions[at] = region;
  region_count++;
}

void check_add_region(uintptr_t begin, size_t bytes, enum check_memory memory, const char *name) {
  pthread_mutex_lock(&lock);
  insert((struct check_region){begin, bytes, memory, name});
  check_set(begin, bytes, memory == CHECK_STATIC ? CHECK_VALID | CHECK_WRITTEN : CHECK_VALID);
  if (memory == CHECK_SHARED_BY_BLOCK)
    for (uintptr_t at = begin; at < begin + bytes; at = (at | (CHECK_PAGE - 1)) + 1) {
      struct check_page *page = check_page_of(at);
      if (page)
        page->of_blocks = 1;
    }
  pthread_mutex_unlock(&lock);
}

/* Ranges that were mapped twice may overlap. The bytes of the other range remain valid. */
static void restore_others(uintptr_t begin, size_t bytes) {
  for (size_t i = 0; i < region_count && regions[i].begin < begin + bytes; i++) {
    uintptr_t from = regions[i].begin > begin ? regions[i].begin : begin;
    uintptr_t end = regions[i].begin + regions[i].bytes, to = end < begin + bytes ? end : begin + bytes;
    if (from < to)
      check_set(from, to - from, CHECK_VALID | CHECK_WRITTEN);
  }
}

void check_remove_region(uintptr_t begin) {
  pthread_mutex_lock(&lock);
  size_t at = after(begin);
  if (at && regions[at - 1].begin == begin) {
    struct check_region region = regions[at - 1];
    memmove(&regions[at - 1], &regions[at], (region_count - at) * sizeof *regions);
    region_count--;
    check_clear(region.begin, region.bytes, CHECK_VALID | CHECK_WRITTEN);
    check_set_flag(region.begin, region.bytes, CHECK_SPLIT | CHECK_WAS_FREED, 0);
    check_forget(region.begin, region.bytes);
    restore_others(region.begin, region.bytes);
  }
  pthread_mutex_unlock(&lock);
}

static uintptr_t distance(const struct check_region *region, uintptr_t address) {
  if (address < region->begin)
    return region->begin - address;
  uintptr_t end = region->begin + region->bytes;
  return address < end ? 0 : address - end + 1;
}

int check_find_region(uintptr_t address, struct check_region *found) {
  pthread_mutex_lock(&lock);
  size_t at = after(address);
  int is_found = region_count > 0;
  if (is_found) {
    size_t best = at ? at - 1 : 0;
    if (at < region_count && distance(&regions[at], address) < distance(&regions[best], address))
      best = at;
    *found = regions[best];
  }
  pthread_mutex_unlock(&lock);
  return is_found;
}
