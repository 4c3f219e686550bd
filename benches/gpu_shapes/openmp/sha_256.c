/* SHA-256 of messages of eight words. */

#include <stddef.h>
#include <stdint.h>

static const uint32_t start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int bits) {
    return x >> bits | x << (32 - bits);
}

void openmp_sha_256(size_t len, const uint32_t (*restrict messages)[8], uint32_t (*restrict hashes)[8]) {
#pragma omp parallel for
    for (size_t which = 0; which < len; which++) {
        uint32_t words[16] = {0}, s[8];
        for (size_t i = 0; i < 8; i++) {
            words[i] = messages[which][i];
            s[i] = start[i];
        }
        words[8] = 1u << 31;
        words[15] = 256;
        for (size_t round = 0; round < 64; round++) {
            if (round >= 16) {
                uint32_t w15 = words[(round + 1) % 16], w2 = words[(round + 14) % 16];
                words[round % 16] += words[(round + 9) % 16] + (turn(w15, 7) ^ turn(w15, 18) ^ w15 >> 3) +
                                     (turn(w2, 17) ^ turn(w2, 19) ^ w2 >> 10);
            }
            uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[round] + words[round % 16];
            uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                              ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6];
            s[6] = s[5];
            s[5] = s[4];
            s[4] = s[3] + first;
            s[3] = s[2];
            s[2] = s[1];
            s[1] = s[0];
            s[0] = first + second;
        }
        for (size_t i = 0; i < 8; i++)
            hashes[which][i] = start[i] + s[i];
    }
}
