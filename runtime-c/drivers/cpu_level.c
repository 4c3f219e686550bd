/* Picks the code for the machine's processor. All kernels of an object have code for the same levels, so all of them run
 * code of one level, and share its statics. */
#define _GNU_SOURCE /* secure_getenv */
#include "cpu_level.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../error.h"
#include "../trace/trace.h"

static const char *const names[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
enum { LEVELS = sizeof names / sizeof *names };

/* The level with this name; 0 if there is none. */
static unsigned level_of(const char *name) {
  for (unsigned level = 1; level <= LEVELS; level++)
    if (strcmp(name, names[level - 1]) == 0)
      return level;
  return 0;
}

#ifdef __x86_64__
/* The parts of the state that the system saves: bits of XCR0. */
static uint32_t saved_state(void) {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static int has_all(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

/* The features of each level are those of the x86-64 psABI. GCC's __builtin_cpu_supports() needs its libgcc, which not
 * every program is linked with. */
static unsigned machine_level(void) {
  enum { YMM = 6, ZMM = 0xe6 }; /* in XCR0: SSE and AVX; and the three parts of AVX-512 */
  uint32_t a, b1, c1, d, b7 = 0, c7, c_extended = 0;
  if (!__get_cpuid(1, &a, &b1, &c1, &d))
    return 1;
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d);
  __get_cpuid(0x80000001, &a, &b1, &c_extended, &d);
  if (!has_all(c1, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B) ||
      !has_all(c_extended, bit_LAHF_LM))
    return 1;
  uint32_t state = c1 & bit_OSXSAVE ? saved_state() : 0;
  if (!has_all(c1, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) || !has_all(b7, bit_AVX2 | bit_BMI | bit_BMI2) ||
      !has_all(c_extended, bit_LZCNT) || !has_all(state, YMM))
    return 2;
  if (!has_all(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) || !has_all(state, ZMM))
    return 3;
  return 4;
}
#else
static unsigned machine_level(void) { return 1; }
#endif

static const char *variable(void) {
  const char *text = secure_getenv("OFFLOADRT_CPU_LEVEL");
  return text && *text ? text : NULL;
}

/* Each launch asks for the level. It is kept, because the instructions that read it trap in a virtual machine, which
 * takes 70 microseconds on some machines. */
static unsigned known_level(void) {
  static atomic_uint known;
  unsigned level = atomic_load_explicit(&known, memory_order_relaxed);
  if (!level) {
    level = machine_level();
    atomic_store_explicit(&known, level, memory_order_relaxed);
  }
  return level;
}

unsigned offload_cpu_level(void) {
  const char *text = variable();
  unsigned own = known_level(), wanted = text ? level_of(text) : 0;
  return wanted && wanted < own ? wanted : own;
}

const char *offload_cpu_level_name(unsigned level) { return names[level - 1]; }

unsigned offload_cpu_level_of_arch(const char *arch) {
  const char *name = strchr(arch, ':');
  unsigned level = name ? level_of(name + 1) : 1;
  return level ? level : LEVELS + 1;
}

int offload_cpu_check_level_variable(void) {
  const char *text = variable();
  if (!text || level_of(text))
    return OFFLOADRT_SUCCESS;
  return offloadrt_fail(OFFLOADRT_INVALID,
                        "`OFFLOADRT_CPU_LEVEL` is `%s`, and must be `x86-64`, `x86-64-v2`, `x86-64-v3` or `x86-64-v4`", text);
}

int offload_cpu_has_entry(const struct offload_kernel *kernel) {
  if (kernel->cpu_entry || !(kernel->flags & OFFLOAD_KERNEL_HAS_LEVELS) || kernel->size < sizeof(struct offload_kernel_levels))
    return kernel->cpu_entry != NULL;
  const struct offload_kernel_levels *handle = (const struct offload_kernel_levels *)kernel;
  for (unsigned level = offload_cpu_level(); level > 1; level--)
    if (handle->entries[level - 2])
      return 1;
  return 0;
}

offload_cpu_entry offload_cpu_pick_entry(const struct offload_kernel *kernel) {
  if (!(kernel->flags & OFFLOAD_KERNEL_HAS_LEVELS) || kernel->size < sizeof(struct offload_kernel_levels))
    return kernel->cpu_entry;
  const struct offload_kernel_levels *handle = (const struct offload_kernel_levels *)kernel;
  unsigned level = offload_cpu_level();
  while (level > 1 && !handle->entries[level - 2])
    level--;
  offload_cpu_entry entry = level > 1 ? handle->entries[level - 2] : kernel->cpu_entry;
  if (entry)
    offloadrt_log("cpu: the code for %s runs", offload_cpu_level_name(level));
  return entry;
}
