/* Calls the code that LLVM makes of loads.ll with a record at each end of a page, between pages that cannot be read.
 * Ends with 0, with 1 if a result is wrong, or by a signal if a load is outside of the record. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct record {
  int64_t number;
  int32_t unused, first, second, last;
};

int32_t chosen(const struct record *record, int32_t *is_set);

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(0, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_READ | PROT_WRITE) != 0)
    return 2;
  struct record *records[] = {(void *)(pages + page), (void *)(pages + 2 * page - sizeof(struct record))};
  for (int i = 0; i < 2; i++)
    for (int number = -1; number < 2; number++) {
      int32_t is_set = 2;
      *records[i] = (struct record){number, 0, 10, 11, 0};
      int32_t result = chosen(records[i], &is_set);
      if (is_set != (number >= 0) || (number >= 0 && result != 10 + number))
        return 1;
    }
  return 0;
}
