/* The distribution of a launch's blocks over its threads. See cpu_chunks.h. */
#define _GNU_SOURCE
#include "cpu_chunks.h"

#include <stdlib.h>

enum { CHUNKS_PER_THREAD = 16, MOST_BLOCKS_IN_CHUNK = 256 };

uint64_t offload_cpu_chunk_size(uint64_t blocks, uint64_t threads) {
  uint64_t size = blocks / threads / CHUNKS_PER_THREAD;
  if (size > MOST_BLOCKS_IN_CHUNK)
    return MOST_BLOCKS_IN_CHUNK;
  return size ? size : 1;
}

static void set_parts(struct offload_cpu_chunks *chunks, uint64_t count) {
  void *parts = NULL;
  if (count < 2 || posix_memalign(&parts, _Alignof(struct offload_cpu_part), count * sizeof *chunks->parts)) {
    chunks->parts = &chunks->only;
    chunks->part_count = 1;
  } else {
    chunks->parts = parts;
    chunks->part_count = count;
  }
  for (uint64_t part = 0; part < chunks->part_count; part++)
    atomic_init(&chunks->parts[part].taken, 0);
}

void offload_cpu_chunks_start(struct offload_cpu_chunks *chunks, uint64_t blocks, uint64_t first, uint64_t threads,
                              uint64_t parts) {
  chunks->blocks = blocks;
  chunks->first = first;
  chunks->size = offload_cpu_chunk_size(blocks, threads);
  chunks->count = blocks / chunks->size + (blocks % chunks->size != 0);
  set_parts(chunks, parts);
  atomic_init(&chunks->left, chunks->count);
}

void offload_cpu_chunks_end(struct offload_cpu_chunks *chunks) {
  if (chunks->parts != &chunks->only)
    free(chunks->parts);
}

int offload_cpu_chunks_left(const struct offload_cpu_chunks *chunks) {
  return atomic_load_explicit(&chunks->left, memory_order_relaxed) > 0;
}

/* The chunk of a part after the first `taken` ones; it may not exist. */
static uint64_t chunk_of(const struct offload_cpu_chunks *chunks, uint64_t part, uint64_t taken) {
  return taken * chunks->part_count + part;
}

static uint64_t taken_of(const struct offload_cpu_chunks *chunks, uint64_t part) {
  return atomic_load_explicit(&chunks->parts[part].taken, memory_order_relaxed);
}

/* The part with the first chunk that is left. */
static uint64_t first_part(const struct offload_cpu_chunks *chunks) {
  uint64_t first = 0, lowest = UINT64_MAX;
  for (uint64_t part = 0; part < chunks->part_count; part++) {
    uint64_t chunk = chunk_of(chunks, part, taken_of(chunks, part));
    if (chunk < lowest) {
      lowest = chunk;
      first = part;
    }
  }
  return first;
}

int offload_cpu_take_chunk(struct offload_cpu_chunks *chunks, uint64_t part, uint64_t *begin, uint64_t *end) {
  while (offload_cpu_chunks_left(chunks)) {
    uint64_t from = part;
    if (from == OFFLOAD_CPU_ALL_PARTS || chunk_of(chunks, from, taken_of(chunks, from)) >= chunks->count)
      from = first_part(chunks);
    uint64_t taken = taken_of(chunks, from), chunk = chunk_of(chunks, from, taken);
    if (chunk >= chunks->count)
      return 0;
    /* If another thread was faster, another chunk may be the first one. */
    if (!atomic_compare_exchange_weak_explicit(&chunks->parts[from].taken, &taken, taken + 1, memory_order_relaxed,
                                               memory_order_relaxed))
      continue;
    atomic_fetch_sub_explicit(&chunks->left, 1, memory_order_relaxed);
    *begin = chunk * chunks->size;
    *end = chunks->blocks - *begin < chunks->size ? chunks->blocks : *begin + chunks->size;
    /* Chunks are counted from block 0, so that they are the same in each launch; the first ones may be empty. */
    if (*begin < chunks->first)
      *begin = chunks->first;
    return 1;
  }
  return 0;
}
