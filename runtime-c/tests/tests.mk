# Tests of the runtime libraries; included by ../Makefile.

TESTS = $(OUT)/tests/cpu_test $(OUT)/tests/registration_test $(OUT)/tests/arguments_test
TEST_CFLAGS = -std=c11 -O1 -g -pthread -Wall -Wextra -Werror -I.

$(OUT)/tests/%_test: tests/%_test.c tests/check.h $(HEADERS) $(OUT)/liboffloadrt.a
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $< $(OUT)/liboffloadrt.a -o $@

.PHONY: header
header: offloadrt.h
	$(CC) -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c offloadrt.h
	$(CXX) -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ offloadrt.h

test: header $(TESTS)
	@set -e; for test in $(TESTS); do $$test; done

valgrind: $(TESTS)
	@set -e; for test in $(TESTS); do \
	  echo "valgrind $$test"; OFFLOADRT_TEST_VALGRIND=1 valgrind -q --error-exitcode=1 --leak-check=full --show-leak-kinds=definite $$test; done
