/* The distribution of a launch's blocks over its threads. Threads take blocks in chunks, to reduce contention.
 *
 * If each thread has a separate core, the chunks are dealt out in turn to as many parts as there are cores, and a
 * thread takes those of its core's part first. A later launch with the same grid then finds its data in the cache of
 * each core. Otherwise there is one part. A thread whose part is used up takes the first chunk that is left in any
 * part.
 *
 * A kernel may let a block wait for blocks before it, as single-pass scans do. So a chunk must never wait for a thread
 * that cannot come: each part needs a thread that takes its chunks in order, or another thread that takes all chunks in
 * order. */
#ifndef OFFLOAD_CPU_CHUNKS_H
#define OFFLOAD_CPU_CHUNKS_H

#include <stdatomic.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct offload_cpu_part {
  _Alignas(64) _Atomic uint64_t taken; /* the number of its chunks that threads have taken */
};

struct offload_cpu_chunks {
  uint64_t blocks;      /* of the launch */
  uint64_t first;       /* the first block that is distributed; those before it have run */
  uint64_t size;        /* the number of blocks in a chunk */
  uint64_t count;       /* the number of chunks */
  _Atomic uint64_t left; /* the number of chunks that no thread has taken */
  uint64_t part_count;
  struct offload_cpu_part *parts; /* `only`, or from posix_memalign */
  struct offload_cpu_part only;
};

/* The number of blocks in a chunk. */
uint64_t offload_cpu_chunk_size(uint64_t blocks, uint64_t threads);

/* Starts the distribution of the blocks from `first` on. If there is no memory for several parts, there is one. */
void offload_cpu_chunks_start(struct offload_cpu_chunks *chunks, uint64_t blocks, uint64_t first, uint64_t threads,
                              uint64_t parts);
void offload_cpu_chunks_end(struct offload_cpu_chunks *chunks);

/* A part, or all of them: the first chunk that is left. */
#define OFFLOAD_CPU_ALL_PARTS UINT64_MAX

/* Takes a chunk, preferably of the part, and stores its first block and the one after its last, which may be equal or
 * less. Returns 0 if none is left. */
int offload_cpu_take_chunk(struct offload_cpu_chunks *chunks, uint64_t part, uint64_t *begin, uint64_t *end);

/* Whether a chunk is left. */
int offload_cpu_chunks_left(const struct offload_cpu_chunks *chunks);

#pragma GCC visibility pop
#endif
