/* Shadow memory: what the checker remembers of each byte that kernels may access, and the ranges of such memory.
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
  struct check_page **entry = &check_pages[address >> CHECK_PAGE_BITS];
  if (!*entry)
    *entry = reserve(sizeof **entry);
  return *entry;
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

/* Calls `each` for the part of a range in each page. */
static void each_page(uintptr_t begin, size_t bytes, void (*each)(struct check_page *page, uint32_t begin, uint32_t end)) {
  while (bytes) {
    uint32_t from = (uint32_t)(begin % CHECK_PAGE);
    uint32_t to = bytes < CHECK_PAGE - from ? from + (uint32_t)bytes : CHECK_PAGE;
    struct check_page *page = check_page_of(begin);
    if (page)
      each(page, from, to);
    begin += to - from;
    bytes -= to - from;
  }
}

static uint16_t bits_of(uint32_t word, uint32_t begin, uint32_t end) {
  uint32_t from = begin > word * 4 ? begin - word * 4 : 0, to = end < word * 4 + 4 ? end - word * 4 : 4;
  return (uint16_t)((1u << to) - (1u << from));
}

static void set_valid(struct check_page *page, uint32_t begin, uint32_t end) {
  for (uint32_t word = begin / 4; word * 4 < end; word++)
    __atomic_fetch_or(&page->state[word], bits_of(word, begin, end), __ATOMIC_RELAXED);
}

static void set_invalid(struct check_page *page, uint32_t begin, uint32_t end) {
  for (uint32_t word = begin / 4; word * 4 < end; word++)
    __atomic_fetch_and(&page->state[word], (uint16_t)~bits_of(word, begin, end), __ATOMIC_RELAXED);
}

void check_set_valid(uintptr_t begin, size_t bytes, int valid) {
  for (uintptr_t at = begin; valid && at < begin + bytes; at = (at | (CHECK_PAGE - 1)) + 1)
    if (!make_page(at))
      return;
  each_page(begin, bytes, valid ? set_valid : set_invalid);
}

int check_is_valid(uintptr_t begin, size_t bytes) {
  while (bytes) {
    uint32_t word = (uint32_t)(begin % CHECK_PAGE) / 4;
    uint32_t from = (uint32_t)(begin % 4), to = bytes < 4 - from ? from + (uint32_t)bytes : 4;
    const struct check_page *page = check_page_of(begin);
    uint16_t bits = (uint16_t)((1u << to) - (1u << from));
    if (!page || (page->state[word] & bits) != bits)
      return 0;
    begin += to - from;
    bytes -= to - from;
  }
  return 1;
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

void check_forget(uintptr_t begin, size_t bytes) { each_page(begin, bytes, forget_page); }

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
  check_set_valid(begin, bytes, 1);
  if (memory == CHECK_SHARED_BY_BLOCK)
    for (uintptr_t at = begin; at < begin + bytes; at = (at | (CHECK_PAGE - 1)) + 1) {
      struct check_page *page = check_page_of(at);
      if (page)
        page->of_blocks = 1;
    }
  pthread_mutex_unlock(&lock);
}

/* Ranges that were mapped twice may overlap. What another range still has remains valid. */
static void restore_others(uintptr_t begin, size_t bytes) {
  for (size_t i = 0; i < region_count && regions[i].begin < begin + bytes; i++) {
    uintptr_t from = regions[i].begin > begin ? regions[i].begin : begin;
    uintptr_t end = regions[i].begin + regions[i].bytes, to = end < begin + bytes ? end : begin + bytes;
    if (from < to)
      check_set_valid(from, to - from, 1);
  }
}

void check_remove_region(uintptr_t begin) {
  pthread_mutex_lock(&lock);
  size_t at = after(begin);
  if (at && regions[at - 1].begin == begin) {
    struct check_region region = regions[at - 1];
    memmove(&regions[at - 1], &regions[at], (region_count - at) * sizeof *regions);
    region_count--;
    check_set_valid(region.begin, region.bytes, 0);
    if (region.memory != CHECK_MAPPED)
      check_forget(region.begin, region.bytes);
    else
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
