/* The permutation Keccak-f[1600]. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t rounds[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static const unsigned turns[25] = {
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
};

static uint64_t turn(uint64_t x, unsigned bits) {
    return x << bits | x >> (-bits & 63);
}

void openmp_keccak(size_t len, const uint64_t (*restrict from)[25], uint64_t (*restrict to)[25]) {
#pragma omp parallel for
    for (size_t which = 0; which < len; which++) {
        uint64_t state[25], turned[25], sums[5];
        memcpy(state, from[which], sizeof state);
        for (size_t round = 0; round < 24; round++) {
            for (size_t x = 0; x < 5; x++)
                sums[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
            for (size_t y = 0; y < 5; y++)
                for (size_t x = 0; x < 5; x++)
                    turned[y + 5 * ((2 * x + 3 * y) % 5)] =
                        turn(state[x + 5 * y] ^ sums[(x + 4) % 5] ^ turn(sums[(x + 1) % 5], 1), turns[x + 5 * y]);
            for (size_t y = 0; y < 5; y++)
                for (size_t x = 0; x < 5; x++)
                    state[x + 5 * y] =
                        turned[x + 5 * y] ^ (~turned[(x + 1) % 5 + 5 * y] & turned[(x + 2) % 5 + 5 * y]);
            state[0] ^= rounds[round];
        }
        memcpy(to[which], state, sizeof state);
    }
}
