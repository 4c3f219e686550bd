/* Host memory on a device: offloadrt_map() and related functions, with the rules of OpenMP. A table for each device
 * counts the mappings of each range. The public functions copy the bytes, or the driver copies them if it keeps its own
 * table (libomptarget). Such a driver receives every call. libomptarget ends the program if a range overlaps another
 * mapping without lying inside it; this table ensures that the driver never receives such a range. Launches of kernels
 * whose parameters have extents are in mapped_launch.c. */
#include <stdlib.h>

#include "checker.h"
#include "device.h"

/* One range of host memory that is mapped to a device. */
struct offloadrt_mapping {
  struct offloadrt_mapping *next; /* the next range in the order of mapping */
  void *state;                    /* the state of the device in its driver */
  char *host;
  size_t bytes;
  char *address; /* the address on the device */
  uint64_t count;
  int ours;         /* nonzero: this file allocates and copies, not the driver */
  void *allocation; /* the allocation, if `ours` is set */
};

/* All devices that a program opens through a driver with its own table share that table. The table of this file is
 * therefore shared by all such devices, too. */
static struct offloadrt_mappings program_wide = {PTHREAD_MUTEX_INITIALIZER, NULL};

static int has_own_table(const offloadrt_device *device) { return device->driver->mapping != NULL; }

static struct offloadrt_mappings *table_of(offloadrt_device *device) {
  return has_own_table(device) ? &program_wide : &device->mappings;
}

static int contains(const struct offloadrt_mapping *mapping, const char *host, size_t bytes) {
  return host >= mapping->host && bytes <= mapping->bytes && (size_t)(host - mapping->host) <= mapping->bytes - bytes;
}

static int overlaps(const struct offloadrt_mapping *mapping, const char *host, size_t bytes) {
  return host < mapping->host + mapping->bytes && mapping->host < host + bytes;
}

/* Returns the link to the oldest mapping that contains the whole range, or the end of the list. New mappings are only
 * added at the end, so a range finds the same mapping as long as it is counted there. */
static struct offloadrt_mapping **find(offloadrt_device *device, const char *host, size_t bytes) {
  struct offloadrt_mapping **link = &table_of(device)->first;
  while (*link && !((*link)->state == device->state && contains(*link, host, bytes)))
    link = &(*link)->next;
  return link;
}

/* Whether the driver's table can contain this range: no mapping of the driver overlaps it without containing all of
 * it. */
static int is_apart(offloadrt_device *device, char *host, size_t bytes) {
  void *address;
  if (device->driver->mapping->look_up(device->state, host, bytes, &address) == OFFLOADRT_IN_PART)
    return 0;
  for (const struct offloadrt_mapping *mapping = table_of(device)->first; mapping; mapping = mapping->next)
    if (!mapping->ours && mapping->state == device->state && overlaps(mapping, host, bytes))
      return 0;
  return 1;
}

/* An address on the device has the alignment of the host address up to this limit, also within a range. */
enum { KEPT_ALIGN = 16 };

/* Maps a new range to the device. */
static int begin(offloadrt_device *device, offloadrt_stream *stream, struct offloadrt_mapping *mapping, unsigned flags) {
  void *address = NULL;
  int status;
  mapping->ours = !has_own_table(device) || !is_apart(device, mapping->host, mapping->bytes);
  if (!mapping->ours) {
    status = device->driver->mapping->map(device->state, mapping->host, mapping->bytes, flags, &address);
  } else {
    size_t before = (uintptr_t)mapping->host % KEPT_ALIGN;
    status = offloadrt_allocate(device, before + mapping->bytes, &mapping->allocation);
    address = status ? NULL : (char *)mapping->allocation + before;
    if (!status && (flags & OFFLOADRT_MAP_TO))
      status = offloadrt_copy_to_device(device, stream, address, mapping->host, mapping->bytes);
    if (status)
      offloadrt_free(device, mapping->allocation);
  }
  mapping->address = address;
  return status;
}

static int add(offloadrt_device *device, offloadrt_stream *stream, char *host, size_t bytes, unsigned flags,
               struct offloadrt_mapping **end) {
  struct offloadrt_mapping *mapping = calloc(1, sizeof *mapping);
  if (!mapping)
    return offloadrt_fail(OFFLOADRT_NO_MEMORY, "out of memory while mapping %zu bytes to `%s`", bytes, device->name);
  mapping->state = device->state;
  mapping->host = host;
  mapping->bytes = bytes;
  mapping->count = 1;
  int status = begin(device, stream, mapping, flags);
  if (status)
    free(mapping);
  else
    *end = mapping;
  return status;
}

/* A caller that always copies does not rely on bytes that are already on the device. They may belong to a guard that
 * was leaked and whose kernels are still running, so wait for these kernels. The next synchronization reports their
 * errors. */
static void wait_for_others(offloadrt_device *device, unsigned flags) {
  if (flags & OFFLOADRT_MAP_ALWAYS)
    device->driver->synchronize(device->state, NULL);
}

/* Counts another use of a range that is already mapped. */
static int add_use(offloadrt_device *device, offloadrt_stream *stream, struct offloadrt_mapping *mapping, char *host,
                   size_t bytes, unsigned flags) {
  void *address = mapping->address + (host - mapping->host);
  int status = OFFLOADRT_SUCCESS;
  wait_for_others(device, flags);
  if (!mapping->ours)
    status = device->driver->mapping->map(device->state, host, bytes, flags, &address);
  else if ((flags & OFFLOADRT_MAP_ALWAYS) && (flags & OFFLOADRT_MAP_TO))
    status = offloadrt_copy_to_device(device, stream, address, host, bytes);
  if (!status)
    mapping->count++;
  return status;
}

/* Ends one use. The use ends even if a copy or the driver fails, and the error is returned. */
static int end_use(offloadrt_device *device, offloadrt_stream *stream, struct offloadrt_mapping **link, char *host,
                   size_t bytes, unsigned flags) {
  struct offloadrt_mapping *mapping = *link;
  int last = --mapping->count == 0, status = OFFLOADRT_SUCCESS;
  void *address = mapping->address + (host - mapping->host);
  if (!mapping->ours)
    status = device->driver->mapping->unmap(device->state, host, bytes, flags);
  else if ((flags & OFFLOADRT_MAP_FROM) && (last || (flags & OFFLOADRT_MAP_ALWAYS)))
    status = offloadrt_copy_to_host(device, stream, host, address, bytes);
  if (!last)
    return status;
  if (mapping->ours) {
    /* Kernels in the stream may still use the memory. A copy has already waited for them. */
    if (!status)
      status = offloadrt_synchronize(device, stream);
    device->driver->free(device->state, mapping->allocation);
  }
  *link = mapping->next;
  free(mapping);
  return status;
}

static int check_range(const offloadrt_device *device, const offloadrt_stream *stream, const void *host, size_t bytes,
                       unsigned flags) {
  int status = offloadrt_check_stream(device, stream);
  if (status)
    return status;
  if (bytes && !host)
    return offloadrt_fail(OFFLOADRT_INVALID, "the host memory to map is null");
  if (bytes > PTRDIFF_MAX || bytes > UINTPTR_MAX - (uintptr_t)host)
    return offloadrt_fail(OFFLOADRT_INVALID, "no memory of the host has %zu bytes at %p", bytes, host);
  if (flags & ~(unsigned)(OFFLOADRT_MAP_TO | OFFLOADRT_MAP_FROM | OFFLOADRT_MAP_ALWAYS))
    return offloadrt_fail(OFFLOADRT_INVALID, "%#x is no set of `enum offloadrt_map_flag`", flags);
  return OFFLOADRT_SUCCESS;
}

/* Whether nothing is copied: the range is empty, or the device works in host memory. */
static int needs_no_copy(const offloadrt_device *device, size_t bytes) { return !bytes || device->driver->shares_memory; }

int offloadrt_map(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes, unsigned flags,
                  void **address) {
  int status = check_range(device, stream, host, bytes, flags);
  if (status)
    return status;
  if (!address)
    return offloadrt_fail(OFFLOADRT_INVALID, "the place for the mapped address is null");
  *address = (void *)host;
  if (offloadrt_checker && bytes)
    offloadrt_checker->share(host, bytes, flags & OFFLOADRT_MAP_TO);
  if (needs_no_copy(device, bytes))
    return OFFLOADRT_SUCCESS;
  char *from = (char *)host;
  pthread_mutex_lock(&table_of(device)->lock);
  struct offloadrt_mapping **link = find(device, from, bytes);
  status = *link ? add_use(device, stream, *link, from, bytes, flags) : add(device, stream, from, bytes, flags, link);
  *address = status ? NULL : (*link)->address + (from - (*link)->host);
  pthread_mutex_unlock(&table_of(device)->lock);
  return status;
}

static int not_mapped(const offloadrt_device *device, const void *host, size_t bytes) {
  return offloadrt_fail(OFFLOADRT_INVALID, "the %zu bytes at %p are not mapped to `%s`", bytes, host, device->name);
}

int offloadrt_unmap(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes, unsigned flags) {
  int status = check_range(device, stream, host, bytes, flags);
  if (!status && offloadrt_checker && bytes)
    offloadrt_checker->unshare(host);
  if (status || needs_no_copy(device, bytes))
    return status;
  pthread_mutex_lock(&table_of(device)->lock);
  struct offloadrt_mapping **link = find(device, host, bytes);
  status = *link ? end_use(device, stream, link, host, bytes, flags) : not_mapped(device, host, bytes);
  pthread_mutex_unlock(&table_of(device)->lock);
  return status;
}

/* Whether the driver's table contains the range because other code of the program has mapped it. */
static int is_mapped_by_others(offloadrt_device *device, void *host, size_t bytes, void **address) {
  return has_own_table(device) && device->driver->mapping->look_up(device->state, host, bytes, address) == OFFLOADRT_PRESENT;
}

static int update(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes, unsigned direction) {
  int status = check_range(device, stream, host, bytes, direction);
  if (status || needs_no_copy(device, bytes))
    return status;
  void *address;
  pthread_mutex_lock(&table_of(device)->lock);
  struct offloadrt_mapping *mapping = *find(device, host, bytes);
  if (!mapping && is_mapped_by_others(device, host, bytes, &address))
    status = device->driver->mapping->update(device->state, host, bytes, direction);
  else if (!mapping)
    status = not_mapped(device, host, bytes);
  else if (!mapping->ours)
    status = device->driver->mapping->update(device->state, host, bytes, direction);
  else if (direction == OFFLOADRT_MAP_TO)
    status = offloadrt_copy_to_device(device, stream, mapping->address + ((char *)host - mapping->host), host, bytes);
  else
    status = offloadrt_copy_to_host(device, stream, host, mapping->address + ((char *)host - mapping->host), bytes);
  pthread_mutex_unlock(&table_of(device)->lock);
  return status;
}

int offloadrt_update_to(offloadrt_device *device, offloadrt_stream *stream, const void *host, size_t bytes) {
  return update(device, stream, (void *)host, bytes, OFFLOADRT_MAP_TO);
}

int offloadrt_update_from(offloadrt_device *device, offloadrt_stream *stream, void *host, size_t bytes) {
  return update(device, stream, host, bytes, OFFLOADRT_MAP_FROM);
}

int offloadrt_find_mapped(offloadrt_device *device, const void *host, void **address) {
  *address = (void *)host;
  if (!host || device->driver->shares_memory)
    return 1;
  pthread_mutex_lock(&table_of(device)->lock);
  const struct offloadrt_mapping *mapping = *find(device, host, 1);
  if (mapping)
    *address = mapping->address + ((const char *)host - mapping->host);
  int found = mapping || is_mapped_by_others(device, (void *)host, 1, address);
  pthread_mutex_unlock(&table_of(device)->lock);
  return found;
}

void offloadrt_forget_mappings(offloadrt_device *device) {
  while (device->mappings.first) {
    struct offloadrt_mapping *mapping = device->mappings.first;
    device->mappings.first = mapping->next;
    offloadrt_free(device, mapping->allocation);
    free(mapping);
  }
}
