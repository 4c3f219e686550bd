// ChaCha20: each thread encrypts one block of 64 bytes.
#include "device.h"

static __device__ inline unsigned turn(unsigned x, unsigned by) { return (x << by) | (x >> (32 - by)); }

static __device__ inline void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
  a += b;
  d = turn(d ^ a, 16);
  c += d;
  b = turn(b ^ c, 12);
  a += b;
  d = turn(d ^ a, 8);
  c += d;
  b = turn(b ^ c, 7);
}

KERNEL void chacha20(size_t blocks, const unsigned *__restrict__ key, const unsigned *__restrict__ from,
                     unsigned *__restrict__ to) {
  size_t i = index_x();
  if (i >= blocks)
    return;
  unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
#pragma unroll
  for (unsigned k = 0; k < 8; ++k)
    start[4 + k] = key[k];
  start[12] = (unsigned)i;
  start[13] = start[14] = start[15] = 0;
  unsigned s[16];
#pragma unroll
  for (unsigned k = 0; k < 16; ++k)
    s[k] = start[k];
#pragma unroll 1
  for (unsigned round = 0; round < 10; ++round) {
    quarter(s[0], s[4], s[8], s[12]);
    quarter(s[1], s[5], s[9], s[13]);
    quarter(s[2], s[6], s[10], s[14]);
    quarter(s[3], s[7], s[11], s[15]);
    quarter(s[0], s[5], s[10], s[15]);
    quarter(s[1], s[6], s[11], s[12]);
    quarter(s[2], s[7], s[8], s[13]);
    quarter(s[3], s[4], s[9], s[14]);
  }
#pragma unroll
  for (unsigned k = 0; k < 16; ++k)
    to[16 * i + k] = from[16 * i + k] ^ (s[k] + start[k]);
}
