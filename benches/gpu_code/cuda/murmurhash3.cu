// MurmurHash3 for 32 bits: the hash of each key, all of which have the same number of words.
#include "device.h"

static __device__ inline unsigned turn(unsigned x, unsigned by) { return (x << by) | (x >> (32 - by)); }

KERNEL void murmurhash3(size_t count, size_t words, unsigned seed, const unsigned *__restrict__ keys,
                        unsigned *__restrict__ out) {
  size_t i = index_x();
  if (i >= count)
    return;
  unsigned hash = seed;
  for (size_t k = 0; k < words; ++k) {
    unsigned word = keys[i * words + k] * 0xcc9e2d51u;
    hash ^= turn(word, 15) * 0x1b873593u;
    hash = turn(hash, 13) * 5 + 0xe6546b64u;
  }
  hash ^= (unsigned)words * 4;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  out[i] = hash ^ (hash >> 16);
}
