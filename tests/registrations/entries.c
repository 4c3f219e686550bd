/* The entries from which LLVM's wrapper makes its calls, for the handles of an object without a runtime. Compiled with
 * HASH, the kernels FIRST and SECOND, and KIND, LLVM's number of the language. */
#include <stdint.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define HANDLE(kernel) __asm__("__offload_handle." TEXT(HASH) "." TEXT(kernel)) __attribute__((visibility("hidden")))

extern const char first HANDLE(FIRST);
extern const char second HANDLE(SECOND);
extern char factors;

/* `llvm/Frontend/Offloading/Utility.h` of LLVM 22 */
static const struct {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  const void *address;
  const char *name;
  uint64_t size, data;
  const void *auxiliary;
} entries[] __attribute__((section("llvm_offload_entries"), used)) = {
    {0, 1, KIND, 0, &first, TEXT(FIRST), 0, 0, 0},
    {0, 1, KIND, 0, &second, TEXT(SECOND), 0, 0, 0},
    {0, 1, KIND, 0, &factors, "factors", 8, 0, 0},
};
