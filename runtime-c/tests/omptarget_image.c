/* An image for libomptarget's host device, written by hand in the form for libomptarget 22, without
 * OFFLOAD_KERNEL_TAKES_SLOT_ARRAY. Every entry receives libomptarget's pointer, the four slots of the launch's shape,
 * the slot of its state, and its parameters in slots of 8 bytes. It packs the parameters and passes its blocks to the
 * scheduler, which is part of the image. */
#include <stdlib.h>
#include <string.h>

#include "drivers/cpu_scheduler.h"

#define EXPORT __attribute__((visibility("default")))

static void run(offload_cpu_entry entry, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state,
                uint32_t static_shared_bytes, const void *arguments) {
  uint32_t grid[3] = {(uint32_t)slot0, (uint32_t)(slot0 >> 32), (uint32_t)slot1};
  uint32_t block[3] = {(uint32_t)(slot1 >> 32), (uint32_t)slot2, (uint32_t)(slot2 >> 32)};
  if (offload_cpu_run(entry, grid, block, static_shared_bytes, (uint32_t)slot3, arguments, (void *)(uintptr_t)state))
    abort();
}

/* saxpy(f32 a, ptr x, ptr y, u64 n) */
struct saxpy {
  float a;
  float *x, *y;
  uint64_t n;
};

static void saxpy_block(const struct offload_cpu_block *b, const unsigned char *arguments) {
  const struct saxpy *s = (const void *)arguments;
  for (uint32_t t = 0; t < b->block_dim[0]; t++) {
    uint64_t i = (uint64_t)b->block_id[0] * b->block_dim[0] + t;
    if (i < s->n)
      s->y[i] += s->a * s->x[i];
  }
}

EXPORT void saxpy(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state, uint64_t a, float *x,
                  float *y, uint64_t n) {
  (void)dyn;
  struct saxpy arguments = {.x = x, .y = y, .n = n};
  memcpy(&arguments.a, &a, sizeof arguments.a);
  run(saxpy_block, slot0, slot1, slot2, slot3, state, 0, &arguments);
}

/* shape(ptr slots, u8 small): writes the slots that it received, and all 8 bytes of `small`. */
EXPORT void shape_seen(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state, uint64_t *slots,
                       uint64_t small) {
  (void)state;
  uint64_t seen[] = {slot0, slot1, slot2, slot3, small, (uint64_t)(uintptr_t)dyn};
  memcpy(slots, seen, sizeof seen);
}

/* block(block of 48 bytes): copies its bytes to the address in the first 8 bytes. */
EXPORT void block_seen(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state,
                       const unsigned char *block) {
  (void)dyn, (void)slot0, (void)slot1, (void)slot2, (void)slot3, (void)state;
  unsigned char *out;
  memcpy(&out, block, sizeof out);
  memcpy(out, block, 48);
}

/* wide(ptr out, 16 bytes, 24 bytes) */
EXPORT void wide_seen(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state, unsigned char *out,
                      const unsigned char *sixteen, const unsigned char *more) {
  (void)dyn, (void)slot0, (void)slot1, (void)slot2, (void)slot3, (void)state;
  memcpy(out, sixteen, 16);
  memcpy(out + 16, more, 24);
}

/* reverse(ptr cells): reverses the part of each block through dynamic shared memory. */
static void reverse_block(const struct offload_cpu_block *b, const unsigned char *arguments) {
  uint32_t *part = *(uint32_t *const *)(const void *)arguments + (size_t)b->block_id[0] * b->block_dim[0];
  uint32_t *sized = (uint32_t *)(void *)b->dynamic_shared, count = b->block_dim[0];
  for (uint32_t t = 0; t < count; t++)
    sized[t] = part[t];
  for (uint32_t t = 0; t < count; t++)
    part[t] = sized[count - 1 - t];
}

EXPORT void reverse(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state, uint32_t *cells) {
  (void)dyn;
  run(reverse_block, slot0, slot1, slot2, slot3, state, 16, &cells);
}

/* panics(): thread 3 of every block panics. */
static void panics_block(const struct offload_cpu_block *b, const unsigned char *arguments) {
  (void)arguments;
  b->state->panic = (struct offload_panic){.claimed = 1, .message = 1, .place = 1, .operands = {42}, .thread = {3}};
  b->leave(b);
}

EXPORT void panics(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state) {
  (void)dyn;
  run(panics_block, slot0, slot1, slot2, slot3, state, 0, NULL);
}

/* nothing() and a kernel with more parameters than fit the registers and the runtime's stack room. */
EXPORT void nothing(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state) {
  (void)dyn, (void)slot0, (void)slot1, (void)slot2, (void)slot3, (void)state;
}

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define PARAMETER(n) , uint64_t p##n
#define SUM(n) +p##n
EXPORT void many(void *dyn, uint64_t slot0, uint64_t slot1, uint64_t slot2, uint64_t slot3, uint64_t state,
                 uint64_t *sum TEN(PARAMETER, 1) TEN(PARAMETER, 2) TEN(PARAMETER, 3) TEN(PARAMETER, 4)) {
  (void)dyn, (void)slot0, (void)slot1, (void)slot2, (void)slot3, (void)state;
  *sum = 0 TEN(SUM, 1) TEN(SUM, 2) TEN(SUM, 3) TEN(SUM, 4);
}
