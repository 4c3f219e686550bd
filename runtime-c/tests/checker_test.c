/* Tests of the checker's shadow memory, of its checks of addresses and values, and of its reports. */
#include "checker.h"

/* Shadow memory -------------------------------------------------------------------------------- */

static void every_byte_has_a_state(void) {
  unsigned char *memory = aligned_alloc(CHECK_PAGE, 2 * CHECK_PAGE);
  CHECK(memory);
  /* Of 13 bytes, 6 are in the first page and 7 in the second one. */
  uintptr_t from = (uintptr_t)memory + CHECK_PAGE - 6;
  check_add_region(from, 13, CHECK_DEVICE, NULL);
  CHECK(check_are_set(from, 13, CHECK_VALID) && !check_are_set(from, 1, CHECK_WRITTEN));
  CHECK(!check_are_set(from - 1, 1, CHECK_VALID) && !check_are_set(from + 13, 1, CHECK_VALID));
  CHECK(!check_are_set(from - 1, 14, CHECK_VALID) && !check_are_set(from, 14, CHECK_VALID));
  check_set(from + 5, 3, CHECK_WRITTEN);
  for (uintptr_t i = 0; i < 13; i++)
    CHECK(check_are_set(from + i, 1, CHECK_WRITTEN) == (i >= 5 && i < 8));
  check_clear(from + 6, 1, CHECK_VALID | CHECK_WRITTEN);
  CHECK(!check_are_set(from, 13, CHECK_VALID) && check_are_set(from, 6, CHECK_VALID));
  CHECK(check_are_set(from + 5, 1, CHECK_WRITTEN) && check_are_set(from + 7, 1, CHECK_WRITTEN));
  check_set_flag(from, 13, CHECK_WAS_FREED, 1);
  CHECK(check_has_flag(from + 12, CHECK_WAS_FREED) && !check_has_flag(from + 20, CHECK_WAS_FREED));
  check_remove_region(from);
  CHECK(!check_has_flag(from, CHECK_WAS_FREED));
  for (uintptr_t i = 0; i < 13; i++)
    CHECK(!check_are_set(from + i, 1, CHECK_VALID) && !check_are_set(from + i, 1, CHECK_WRITTEN));
  free(memory);
}

static void an_address_beyond_the_table_has_no_state(void) {
  uintptr_t beyond = (uintptr_t)1 << CHECK_ADDRESS_BITS;
  CHECK(!check_page_of(beyond) && !check_are_set(beyond, 4, CHECK_VALID));
  check_set(beyond, 4, CHECK_VALID);
  CHECK(!check_are_set(beyond, 4, CHECK_VALID));
}

static void what_two_ranges_share_stays_valid(void) {
  uintptr_t from = (uintptr_t)data;
  CHECK(!check_are_set(from + 4096, 1, CHECK_VALID));
  static unsigned char mapped[64];
  from = (uintptr_t)mapped;
  check_core.share(mapped, 40, 1);
  check_core.share(mapped + 16, 48, 1);
  check_core.unshare(mapped);
  CHECK(!check_are_set(from, 1, CHECK_VALID) && !check_are_set(from + 15, 1, CHECK_VALID));
  CHECK(check_are_set(from + 16, 48, CHECK_VALID | CHECK_WRITTEN));
  check_core.unshare(mapped + 16);
  CHECK(!check_are_set(from + 16, 1, CHECK_VALID));
}

static void the_closest_range_is_found(void) {
  static const char name[] = "TABLE";
  unsigned char *memory = aligned_alloc(CHECK_PAGE, CHECK_PAGE);
  CHECK(memory);
  uintptr_t from = (uintptr_t)memory;
  struct check_region found;
  check_add_region(from + 100, 10, CHECK_STATIC, name);
  check_add_region(from + 200, 10, CHECK_DEVICE, NULL);
  CHECK(check_are_set(from + 100, 10, CHECK_WRITTEN) && !check_are_set(from + 200, 10, CHECK_WRITTEN));
  CHECK(check_find_region(from + 150, &found) && found.begin == from + 100 && found.name == name);
  CHECK(check_find_region(from + 160, &found) && found.begin == from + 200 && found.memory == CHECK_DEVICE);
  CHECK(check_find_region(from + 109, &found) && found.begin == from + 100);
  CHECK(check_find_region(from + 209, &found) && found.begin == from + 200 && found.bytes == 10);
  check_remove_region(from + 100);
  check_remove_region(from + 200);
  free(memory);
}

static void bytes_of_a_word_are_accessed_apart(void) {
  unsigned char *bytes = (unsigned char *)data;
  begin(NULL);
  thread(0);
  offloadrt_check_write1(bytes, line(1));
  thread(1);
  offloadrt_check_write1(bytes + 1, line(2));
  offloadrt_check_write2(bytes + 2, line(3));
  CHECK_CLEAN();
  thread(2);
  offloadrt_check_read1(bytes + 1, line(4));
  CHECK_REPORTED("data-race");
  finish();
  /* The word was written before its bytes were accessed separately. */
  begin(NULL);
  thread(0);
  write_at(1, data + 1);
  thread(1);
  offloadrt_check_read1(bytes + 7, line(2));
  CHECK_REPORTED("data-race");
  thread(2);
  offloadrt_check_read8(bytes, line(3));
  CHECK_REPORTED("data-race");
  finish();
}

/* Addresses and values ------------------------------------------------------------------------- */

/* Ends the launch of a block that was left. */
static void end_left(void) {
  CHECK(end() == OFFLOADRT_FAILED);
  CHECK_TEXT("kernel `kernel` accessed memory outside of all allocations, which the checker has reported; the blocks "
             "that did so have ended there");
  check_core.wait(&device, NULL, 1);
}

static void addresses_outside_of_allocations_end_the_block(void) {
  static const struct {
    size_t at;
    const char *where;
  } wrong[] = {{100, "0 bytes behind the end of an allocation of 100 bytes"},
               {104, "4 bytes behind the end of an allocation of 100 bytes"},
               {(size_t)-8, "8 bytes before the start of an allocation of 100 bytes"}};
  unsigned char *memory = check_core.allocate(64, 100);
  CHECK(memory);
  for (size_t i = 0; i < 3; i++) {
    begin(NULL);
    offloadrt_check_write4(memory + 96, line(1));
    CHECK(LEAVES(offloadrt_check_write4(memory + wrong[i].at, line(2))));
    const char *text = reports();
    CHECK(count_of(text, "\n") == 1 && strstr(text, "out-of-bounds") && strstr(text, wrong[i].where));
    end_left();
  }
  /* The last two bytes are outside. */
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_read_range(memory + 92, 10, 1, line(1))));
  CHECK_REPORTED("out-of-bounds");
  end_left();
  CHECK(check_core.free(memory) && !check_core.free(memory));
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_read4(memory, line(1))));
  CHECK_REPORTED("out-of-bounds");
  end_left();
}

static void private_memory_is_no_concern(void) {
  uint32_t local[4] = {0};
  begin(NULL);
  offloadrt_check_write4(local, line(1));
  offloadrt_check_read4(launch->arguments, line(2));
  offloadrt_check_local(local + 3, local, sizeof local, 4, line(3));
  offloadrt_check_local(local + 4, local, sizeof local, 0, line(4));
  CHECK_CLEAN();
  CHECK(LEAVES(offloadrt_check_local(local + 4, local, sizeof local, 4, line(5))));
  CHECK_REPORTED("out-of-bounds");
  end_left();
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_local(local - 1, local, sizeof local, 4, line(5))));
  CHECK_REPORTED("out-of-bounds");
  end_left();
}

static void misaligned_and_freed_addresses_are_told_apart(void) {
  unsigned char *heap = check_core.allocate(64, 64);
  CHECK(heap);
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_read4(heap + 2, line(1))));
  const char *text = reports();
  CHECK(strstr(text, "misaligned") && strstr(text, "aligned to 2 bytes, and must be to 4"));
  end_left();
  check_core.empty_heap(heap, 64);
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_read4(heap + 16, line(1))));
  CHECK_REPORTED("out-of-bounds");
  end_left();
  begin(NULL);
  offloadrt_check_allocated(heap + 16, 8, 1);
  offloadrt_check_read8(heap + 16, line(1));
  offloadrt_check_freed(heap + 16, 8, line(2));
  CHECK_CLEAN();
  CHECK(LEAVES(offloadrt_check_read4(heap + 20, line(3))));
  CHECK_REPORTED("use-after-free");
  end_left();
  begin(NULL);
  CHECK(LEAVES(offloadrt_check_freed(heap + 16, 8, line(4))));
  CHECK_REPORTED("use-after-free");
  end_left();
  CHECK(check_core.free(heap));
}

static void bits_that_nobody_has_written_decide(void) {
  unsigned char *memory = check_core.allocate(64, 64);
  CHECK(memory);
  begin(NULL);
  CHECK(offloadrt_check_unwritten(memory, 4) == 0xffffffff);
  offloadrt_check_write1(memory + 1, line(1));
  offloadrt_check_write2(memory + 6, line(1));
  CHECK(offloadrt_check_unwritten(memory, 8) == 0x0000ffffffff00ff);
  CHECK(offloadrt_check_unwritten(memory + 3, 4) == 0x00ffffff);
  check_core.written(memory, 64);
  CHECK(offloadrt_check_unwritten(memory, 8) == 0 && offloadrt_check_unwritten(memory + 3, 8) == 0);
  offloadrt_check_decision(0, 0, line(2));
  CHECK_CLEAN();
  offloadrt_check_decision(1, 0, line(2));
  CHECK_REPORTED("uninitialized");
  finish();
  CHECK(check_core.free(memory));
}

/* Reports -------------------------------------------------------------------------------------- */

static void a_pair_of_places_is_reported_once(void) {
  begin(NULL);
  for (int i = 0; i < 3; i++) {
    thread(0);
    write_at(1, data + i);
    thread(1);
    write_at(2, data + i);
  }
  /* In the reverse order. */
  thread(1);
  write_at(2, data + 4);
  thread(0);
  write_at(1, data + 4);
  /* Another pair. */
  thread(1);
  write_at(1, data + 5);
  thread(0);
  write_at(1, data + 5);
  CHECK(count_of(reports(), "\n") == 2);
  /* Another kind of error at the same place. */
  offloadrt_check_decision(1, 0, line(1));
  offloadrt_check_decision(1, 0, line(1));
  CHECK(LEAVES(offloadrt_check_read4(data + 1024, line(1))));
  CHECK(count_of(reports(), "\n") == 2);
  end_left();
}

static void detectors_are_switched_off(void) {
  CHECK(!setenv("OFFLOADRT_SANITIZE", "+bounds,-rac,-barriers,uninit", 1));
  check_read_switches();
  for (int kind = 0; kind < CHECK_KINDS; kind++)
    CHECK(check_is_on(kind));
  CHECK(!setenv("OFFLOADRT_SANITIZE", "-bounds", 1));
  check_read_switches();
  CHECK(!check_is_on(CHECK_BOUNDS) && !check_is_on(CHECK_FREED) && !check_is_on(CHECK_MISALIGNED));
  CHECK(check_is_on(CHECK_RACE) && check_is_on(CHECK_BARRIER) && check_is_on(CHECK_UNINIT));
  CHECK(!setenv("OFFLOADRT_SANITIZE", "-race,-uninit", 1));
  check_read_switches();
  begin(NULL);
  thread(0);
  write_at(1, data);
  thread(1);
  write_at(2, data);
  offloadrt_check_decision(1, 0, line(3));
  finish();
  CHECK_CLEAN();
  memset(check_is_off, 0, sizeof check_is_off);
}

static void names_are_escaped(void) {
  static const struct offloadrt_place inner = {"core\t.rs", "read", 9, 1, NULL};
  static const struct offloadrt_place place = {"a\"b\\c\n\x01\x1f\xc3\xa9.rs", "run<\"x\">", 7, 3, &inner};
  begin(NULL);
  run_block(1);
  thread(2);
  offloadrt_check_decision(1, 1, &place);
  char wanted[1024];
  snprintf(wanted, sizeof wanted,
           "{\"kind\": \"uninitialized\", \"kernel\": \"kernel\", \"message\": \"an address depends on a value that "
           "nobody has written\", \"accesses\": [{\"access\": \"address\", \"file\": "
           "\"a\\\"b\\\\c\\u000a\\u0001\\u001f\xc3\xa9.rs\", \"line\": 7, \"column\": 3, \"function\": \"run<\\\"x\\\">\", "
           "\"inner\": {\"file\": \"core\\u0009.rs\", \"line\": 9, \"column\": 1, \"function\": \"read\"}, \"block\": "
           "[1, 0, 0], \"thread\": [2, 0, 0], \"launch\": %u, \"bytes\": 0}]}\n",
           launch->number);
  const char *found = reports();
  if (strcmp(found, wanted) != 0)
    fprintf(stderr, "    is: %s wanted: %s", found, wanted);
  CHECK(strcmp(found, wanted) == 0);
  finish();
}

/* ---------------------------------------------------------------------------------------------- */

static void all(void) {
  RUN(every_byte_has_a_state);
  RUN(an_address_beyond_the_table_has_no_state);
  RUN(what_two_ranges_share_stays_valid);
  RUN(the_closest_range_is_found);
  RUN(bytes_of_a_word_are_accessed_apart);
  RUN(addresses_outside_of_allocations_end_the_block);
  RUN(private_memory_is_no_concern);
  RUN(misaligned_and_freed_addresses_are_told_apart);
  RUN(bits_that_nobody_has_written_decide);
  RUN(a_pair_of_places_is_reported_once);
  RUN(detectors_are_switched_off);
  RUN(names_are_escaped);
}

int main(void) {
  run_all(all);
  return 0;
}
