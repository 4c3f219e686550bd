/* The heap of a launch, and bytes that nobody has written. */
#include "check.h"

void offloadrt_check_allocated(void *address, uint64_t bytes, uint32_t is_written) {
  uintptr_t at = (uintptr_t)address;
  if (!check_now || !at || !bytes)
    return;
  check_forget(at, bytes);
  check_set_flag(at, bytes, CHECK_WAS_FREED | CHECK_SPLIT, 0);
  check_clear(at, bytes, CHECK_WRITTEN);
  check_set(at, bytes, is_written ? CHECK_VALID | CHECK_WRITTEN : CHECK_VALID);
}

void offloadrt_check_freed(void *address, uint64_t bytes, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  uintptr_t at = (uintptr_t)address;
  if (!run || !bytes)
    return;
  if (!check_are_set(at, bytes, CHECK_VALID)) {
    check_wrong_address(run, address, bytes, place, CHECK_FREES);
    return;
  }
  check_clear(at, bytes, CHECK_VALID | CHECK_WRITTEN);
  check_set_flag(at, bytes, CHECK_WAS_FREED, 1);
}

uint64_t offloadrt_check_unwritten(const void *address, uint64_t bytes) {
  uintptr_t at = (uintptr_t)address;
  uint64_t bits = 0;
  const struct check_page *page = check_page_of(at);
  /* Most memory is written. */
  if (!page || (bytes <= 4 && at % 4 + bytes <= 4 && (page->state[at % CHECK_PAGE / 4] & CHECK_WRITTEN) == CHECK_WRITTEN))
    return 0;
  if (!check_now || check_are_set(at, bytes, CHECK_WRITTEN) || !check_are_set(at, bytes, CHECK_VALID))
    return 0;
  for (uint64_t i = 0; i < bytes; i++)
    bits |= check_are_set(at + i, 1, CHECK_WRITTEN) ? 0 : (uint64_t)0xff << 8 * i;
  return bits;
}

void offloadrt_check_decision(uint32_t is_unwritten, uint32_t is_address, const struct offloadrt_place *place) {
  struct check_run *run = check_now;
  if (!is_unwritten || !run)
    return;
  struct check_reported decision = {is_address ? CHECK_ADDRESSES : CHECK_BRANCHES, check_access_now(run, place, 0), 0};
  check_report(CHECK_UNINIT, run, &decision, 1, "%s depends on a value that nobody has written",
               is_address ? "an address" : "a branch");
}
