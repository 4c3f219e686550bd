# Tests of the runtime libraries; included by ../Makefile.

TESTS = $(patsubst %,$(OUT)/tests/%_test,cpu cpu_alone cpu_threads cpu_shared registration arguments containers fit finish own secure checker checker_order trace)
TEST_CFLAGS = -std=c11 -O1 -g -pthread -Wall -Wextra -Werror -I. $(SANITIZER)

$(OUT)/tests/%_test: tests/%_test.c tests/check.h tests/instructions.h tests/mapping.h tests/streams.h tests/stress.h $(HEADERS) $(OUT)/liboffloadrt.a
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) -DIMAGES='"$(OUT)/tests"' $< $(OUT)/liboffloadrt.a $(WRAPPED) -o $@
# The calls to the C library that the tests intercept.
$(OUT)/tests/cpu_threads_test: WRAPPED = -Wl,--wrap=pthread_setaffinity_np,--wrap=sched_getcpu,--wrap=pthread_create,--wrap=posix_memalign
$(OUT)/tests/cpu_alone_test: WRAPPED = -Wl,--wrap=clock_gettime,--wrap=pthread_create
$(OUT)/tests/containers_test: $(OUT)/tests/omptarget_foreign.bin
$(OUT)/tests/checker_test $(OUT)/tests/checker_order_test: tests/checker.h

# The output of `offloadc finish` for the cpu device, for two levels of a processor. It names functions of libgcc.
$(OUT)/tests/finish_test: tests/container.h tests/finish_cases.h tests/variant_cases.h tests/closing_cases.h \
                          $(addprefix $(OUT)/tests/,finish_image.so finish_image2.so finish_plugin.so finish_closed.so finish_closing)
$(OUT)/tests/finish_image2.so: FINISH_LEVEL = -DLEVEL='"_v2"'
$(OUT)/tests/finish_image.so $(OUT)/tests/finish_image2.so: tests/finish_image.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -fPIC -Wall -Wextra -Werror $(FINISH_LEVEL) -shared -nostdlib $< -o $@

# The objects that the test closes, and the program without a runtime.
$(OUT)/tests/finish_plugin.so: tests/finish_plugin.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared $< $(LDFLAGS) -o $@
$(OUT)/tests/finish_closed.so: tests/finish_closed.c tests/container.h tests/finish_cases.h tests/check.h $(HEADERS) $(OUT)/liboffloadrt.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu11 -Wno-unused-function -I. -shared $< $(OUT)/liboffloadrt.a $(LDFLAGS) -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -o $@
$(OUT)/tests/finish_closing: tests/finish_closing.c
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) -DIMAGES='"$(OUT)/tests"' $< -o $@

# The same test through the shared library.
$(OUT)/tests/cpu_shared_test: tests/cpu_test.c tests/check.h tests/instructions.h tests/mapping.h tests/streams.h tests/stress.h $(HEADERS) $(OUT)/liboffloadrt.so
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $< -L$(OUT) -l:liboffloadrt.so "-Wl,-rpath,$(abspath $(OUT))" -o $@

# The images of objects for libomptarget: one with a separate scheduler, in a container; and for an object that fits no
# device here, containers of other devices' images (of whose bytes nothing is read).
CONTAINER = $(LLVM_PREFIX)/bin/llvm-offload-binary
$(OUT)/tests/omptarget_image.so: tests/omptarget_image.c drivers/cpu_scheduler.c drivers/cpu_chunks.c drivers/cpu_stack.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I. -shared $(LDFLAGS) tests/omptarget_image.c drivers/cpu_scheduler.c drivers/cpu_chunks.c drivers/cpu_stack.c -o $@

$(OUT)/tests/omptarget_image.bin: $(OUT)/tests/omptarget_image.so
	$(CONTAINER) -o $@ --image=file=$<,triple=x86_64-unknown-linux-gnu,arch=cpu,kind=openmp

$(OUT)/tests/omptarget_foreign.bin: tests/tests.mk
	@mkdir -p $(@D)
	$(CONTAINER) -o $@ --image=file=$<,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=openmp \
	  --image=file=$<,triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=openmp

$(OUT)/tests/omptarget_test: tests/omptarget_test.c tests/check.h tests/mapping.h tests/streams.h tests/stress.h $(OUT)/liboffloadrt-omptarget.a \
                             $(OUT)/tests/omptarget_image.bin $(OUT)/tests/omptarget_foreign.bin
	$(CC) $(TEST_CFLAGS) -DIMAGES='"$(OUT)/tests"' $< $(OUT)/liboffloadrt-omptarget.a $(LIBOMPTARGET) -o $@

# Images for device_test and plugin.so, and an OpenCL that takes SPIR-V: Intel's, where `scripts/deps tests`
# puts it.
OPENCL = $(abspath ../target/tools/opencl)
# No other OpenCL of this machine's is looked for: OCL_ICD_VENDORS is where the loader would.
IN_OPENCL = LD_LIBRARY_PATH="$(OPENCL)" OCL_ICD_VENDORS="$(OPENCL)" OCL_ICD_FILENAMES="$(OPENCL)/libintelocl.so"
DEVICE_IMAGES = $(foreach name,kernels unresolved,$(OUT)/tests/$(name)_spirv.spv $(OUT)/tests/$(name)_nvptx.ptx)

$(OUT)/tests/%.spv: tests/%.ll
	@mkdir -p $(@D)
	$(LLVM_PREFIX)/bin/llc -mtriple=spirv64 -filetype=obj $< -o $@

$(OUT)/tests/%.ptx: tests/%.ll
	@mkdir -p $(@D)
	$(LLVM_PREFIX)/bin/llc -mcpu=sm_70 $< -o $@

$(OUT)/tests/device_test: tests/container.h $(DEVICE_IMAGES)
# Built for the device some hundred times, so it is as small as can be.
$(OUT)/tests/faults_spirv.ll: tests/kernels_spirv.ll
	@mkdir -p $(@D)
	$(LLVM_PREFIX)/bin/llvm-extract -S --func=saxpy --func=panics $< -o $@
$(OUT)/tests/faults_spirv.spv: $(OUT)/tests/faults_spirv.ll
	$(LLVM_PREFIX)/bin/llc -mtriple=spirv64 -filetype=obj $< -o $@
$(OUT)/tests/opencl_faults_test: tests/container.h tests/faults.h $(OUT)/tests/faults_spirv.spv

# A shared object with kernels, and a program that opens it.
PLUGIN = $(CC) $(TEST_CFLAGS) -fPIC -shared tests/plugin.c -L$(OUT) -l:liboffloadrt.so
RELOAD = $(CC) $(TEST_CFLAGS) tests/reload_test.c -L$(OUT) -l:liboffloadrt.so
$(OUT)/tests/plugin.so: tests/plugin.c tests/check.h tests/container.h $(HEADERS) $(OUT)/liboffloadrt.so $(DEVICE_IMAGES)
	$(PLUGIN) -DIMAGES='"$(abspath $(OUT)/tests)"' -o $@

$(OUT)/tests/plugin_again.so: $(OUT)/tests/plugin.so
	cp $< $@

$(OUT)/tests/reload_test: tests/reload_test.c tests/check.h $(HEADERS) $(OUT)/liboffloadrt.so $(OUT)/tests/plugin.so $(OUT)/tests/plugin_again.so
	$(RELOAD) -DIMAGES='"$(abspath $(OUT)/tests)"' "-Wl,-rpath,$(abspath $(OUT))" -o $@

.PHONY: opencl
opencl: $(OUT)/tests/device_test $(OUT)/tests/reload_test $(OUT)/tests/opencl_faults_test
	@if [ ! -d "$(OPENCL)" ]; then echo "skipped $^: there is no OpenCL in $(OPENCL)"; exit; fi; set -e; \
	export $(IN_OPENCL); for memory in '' svm; do \
	  export OFFLOADRT_OPENCL_MEMORY=$$memory; $< opencl; $(OUT)/tests/opencl_faults_test; done; $(OUT)/tests/reload_test opencl:intel 40

# The same for a machine with an NVIDIA GPU, as one folder that is run from within.
.PHONY: gpu
gpu: $(OUT)/tests/device_test $(OUT)/tests/reload_test
	@mkdir -p $(GPU)
	$(CC) $(TEST_CFLAGS) -DIMAGES='"."' tests/device_test.c $(OUT)/liboffloadrt.a -o $(GPU)/device_test
	$(PLUGIN) -DIMAGES='"."' -o $(GPU)/plugin.so
	cp $(GPU)/plugin.so $(GPU)/plugin_again.so
	$(RELOAD) -DIMAGES='"."' -Wl,-rpath,'$$ORIGIN' -o $(GPU)/reload_test
	$(CC) $(TEST_CFLAGS) tests/device_time.c $(OUT)/liboffloadrt.a -o $(GPU)/device_time
	cp tests/kernels.cu $(DEVICE_IMAGES) $(OUT)/liboffloadrt.so.$(INTERFACE) $(OUT)/offloadrt-info $(GPU)

# The cost of an empty launch; the two runtimes meet in one program.
$(OUT)/tests/empty_target.so: tests/empty_target.c $(OUT)/tests/omptarget_image.so
	$(CC) $(CFLAGS) -DIMAGES='"$(OUT)/tests"' -shared $< $(LDFLAGS) $(LIBOMPTARGET) -o $@

$(OUT)/tests/launch_time: tests/launch_time.c tests/check.h $(OUT)/liboffloadrt.a
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) $< $(OUT)/liboffloadrt.a -o $@

.PHONY: launch-time
launch-time: $(OUT)/tests/launch_time $(OUT)/tests/empty_target.so
	@folder=$$(mktemp -d); TMPDIR=$$folder $^; status=$$?; rm -rf $$folder; exit $$status

# Stand-ins for the libraries of GPUs, where there is no GPU; and libraries without functions.
LIBCUDA = libcuda.so.1
LIBHIP = libamdhip64.so
STAND_INS = $(patsubst %,$(OUT)/tests/%/$(LIBCUDA),stand_in empty) $(patsubst %,$(OUT)/tests/%/$(LIBHIP),stand_in empty)

$(OUT)/tests/%/$(LIBCUDA) $(OUT)/tests/%/$(LIBHIP): tests/stand_in.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(findstring empty,$*),-DEMPTY) -shared $< -o $(@D)/$(LIBCUDA)
	$(CC) $(CFLAGS) $(if $(findstring empty,$*),-DEMPTY) -DHIP -shared $< -o $(@D)/$(LIBHIP)

# The host's own memory is out on demand, too.
$(OUT)/tests/stand_in_test: WRAPPED = -Wl,--wrap=malloc,--wrap=calloc
$(OUT)/tests/stand_in_test: tests/container.h tests/faults.h $(STAND_INS)

.PHONY: stand-ins
stand-ins: $(OUT)/tests/stand_in_test
	@set -e; for driver in cuda hip; do \
	  LD_LIBRARY_PATH=$(OUT)/tests/stand_in $< $$driver; LD_LIBRARY_PATH=$(OUT)/tests/empty $< $$driver empty; $< $$driver none; done
	@OFFLOADRT_TRACE=$(OUT)/tests/trace.json LD_LIBRARY_PATH=$(OUT)/tests/stand_in $< hip >/dev/null && \
	  rm $(OUT)/tests/trace.json && echo "ok failures while a trace is written"

# The ranges that a profiler gets. NVIDIA's library of ranges is the real one, and loads the stand-in for a profiler;
# AMD's is a stand-in. Without a library, and without a profiler, there are no ranges.
NVTX = $(abspath ../target/tools/nvtx/nvidia/nvtx/lib)
$(OUT)/tests/ranges/libprofiler.so $(OUT)/tests/ranges/librocprofiler-sdk-roctx.so.1: tests/ranges.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(if $(findstring roctx,$@),-DROCTX) -shared $< $(LDFLAGS) -o $@

.PHONY: ranges
ranges: $(OUT)/tests/ranges_test $(OUT)/tests/ranges/libprofiler.so $(OUT)/tests/ranges/librocprofiler-sdk-roctx.so.1
	@set -e; ranges=$$(mktemp); trap "rm -f $$ranges" EXIT; export OFFLOAD_RANGES=$$ranges; \
	injected=NVTX_INJECTION64_PATH=$(abspath $(OUT)/tests/ranges/libprofiler.so); \
	env $$injected LD_LIBRARY_PATH=$(NVTX) $<; diff tests/ranges.txt $$ranges; rm $$ranges; \
	env ROCP_TOOL_LIBRARIES=a.so LD_LIBRARY_PATH=$(abspath $(OUT)/tests/ranges) $<; diff tests/ranges.txt $$ranges; rm $$ranges; \
	env LD_LIBRARY_PATH=$(NVTX):$(abspath $(OUT)/tests/ranges) $<; test ! -e $$ranges; \
	env $$injected OFFLOADRT_LOG=1 $< 2>&1 | grep -q 'a profiler has set `NVTX_INJECTION64_PATH`, and gets no ranges: '; \
	test ! -e $$ranges; echo "ok ranges for profilers"

# offloadrt-info on objects and archives with images for the stand-ins; LLVM's tool calls PTX `.s`.
$(OUT)/tests/images.o: OBJECT_IMAGES = sm_70,s,nvptx64-nvidia-cuda sm_80,s,nvptx64-nvidia-cuda \
  gfx9-generic,o,amdgcn-amd-amdhsa gfx906:xnack-,o,amdgcn-amd-amdhsa
$(OUT)/tests/later.o: OBJECT_IMAGES = sm_80,s,nvptx64-nvidia-cuda
# As other compilers have it, and as offloadc.
CONTAINERS = .llvm.offloading
CONTAINERS_TYPE = --set-section-type $(CONTAINERS)=0x6fff4c0b
$(OUT)/tests/later.o: CONTAINERS = .offload.images
$(OUT)/tests/later.o: CONTAINERS_TYPE =
# More sections than an ELF file's header can say.
$(OUT)/tests/large.o: OBJECT_IMAGES = sm_70,s,nvptx64-nvidia-cuda
$(OUT)/tests/large.o: SECTIONS = seq 65300 | sed 's/.*/.section .text.&/'
$(OUT)/tests/generic.o: OBJECT_IMAGES = sm_80,s,nvptx64-nvidia-cuda generic,o,offload-generic-image
$(OUT)/tests/images.o $(OUT)/tests/later.o $(OUT)/tests/large.o $(OUT)/tests/generic.o: tests/tests.mk
	@mkdir -p $(@D)
	@for kind in s o; do echo "hello image" >$@.image.$$kind; done
	@$(CONTAINER) -o $@.bin $(foreach image,$(OBJECT_IMAGES),$(call image_option,$@,$(subst $(comma), ,$(image))))
	@$(or $(SECTIONS),echo) | $(CC) -c -x assembler - -o $@
	@$(LLVM_PREFIX)/bin/llvm-objcopy --add-section $(CONTAINERS)=$@.bin $(CONTAINERS_TYPE) $@
comma = ,
image_option = --image=file=$(1).image.$(word 2,$(2)),triple=$(word 3,$(2)),arch=$(word 1,$(2))

$(OUT)/tests/later.a: $(OUT)/tests/later.o
	@rm -f $@
	$(AR) rcsD $@ /dev/null $^

.PHONY: info
info: $(OUT)/offloadrt-info $(addprefix $(OUT)/tests/,images.o later.a large.o generic.o) $(STAND_INS)
	@LD_LIBRARY_PATH=$(OUT)/tests/stand_in $(OUT)/offloadrt-info $(addprefix $(OUT)/tests/,images.o later.a large.o generic.o) | \
	  grep -E '(cuda|hip):0 +gets' | diff tests/info.expected - && echo "ok offloadrt-info"

# All allocated memory must be freed, even if it is still reachable.
.PHONY: reload
# No OpenCL of this machine is opened: it would report its own memory.
reload: $(OUT)/tests/reload_test $(OUT)/tests/stand_in_test
	@OCL_ICD_VENDORS="$(OUT)/tests" OFFLOADRT_TEST_VALGRIND=1 valgrind -q --error-exitcode=1 --leak-check=full \
	  --show-leak-kinds=all --errors-for-leak-kinds=all $< cpu 1000
	@LD_LIBRARY_PATH=$(OUT)/tests/stand_in valgrind -q --error-exitcode=1 --leak-check=full \
	  --show-leak-kinds=definite,possible $(OUT)/tests/stand_in_test cuda >/dev/null && echo "ok nothing leaked"

# Copies of the runtime of several versions in one process. Only these files of a copy depend on its version.
VERSIONED = copies.c forward.c table.c drivers/list.c
COPIES_SOURCES = $(VERSIONED) tests/copies_plugin.h tests/check.h $(HEADERS) $(OUT)/liboffloadrt.a
COPIES = $(OUT)/tests/copies_test $(OUT)/tests/copies_older_test
$(OUT)/tests/copies_test: VERSION = -DOFFLOADRT_MINOR=0
$(OUT)/tests/copies1.so: VERSION = -DOFFLOADRT_MINOR=1
$(OUT)/tests/copies2.so: VERSION = -DOFFLOADRT_MINOR=2
$(OUT)/tests/copies3.so: VERSION = -DOFFLOADRT_MAJOR=9
$(OUT)/tests/copies_older_test: VERSION = -DOFFLOADRT_MINOR=0 -DOFFLOADRT_TABLE_BYTES='offsetof(struct offloadrt_table, find_kernel)'
$(OUT)/tests/copies_static_test: VERSION = -static -DOFFLOADRT_MINOR=0
# The symbols of a copy are its object's own.
$(OUT)/tests/copies%.so: tests/copies_plugin.c $(COPIES_SOURCES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I. $(VERSION) -DFACTOR=$* -shared $< $(VERSIONED) $(OUT)/liboffloadrt.a $(LDFLAGS) \
	  -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -o $@
$(OUT)/tests/copies_test $(OUT)/tests/copies_older_test $(OUT)/tests/copies_static_test: tests/copies_test.c $(COPIES_SOURCES) \
    $(OUT)/tests/copies1.so $(OUT)/tests/copies2.so $(OUT)/tests/copies3.so
	$(CC) $(TEST_CFLAGS) $(VERSION) -DIMAGES='"$(abspath $(OUT)/tests)"' $< $(VERSIONED) $(OUT)/liboffloadrt.a \
	  -Wl,--no-warnings -o $@

# The log names the copies once, and says which one serves.
COPIES_LOG = OFFLOADRT_LOG=1 $< $(1) 2>&1 | sed 's|$(abspath $(OUT)/tests)/||g; s|^offloadrt: [0-9]*\.[0-9]* ms: ||' | \
  grep -qxF 'runtimes in this process: $(2)'
.PHONY: copies copies-static
copies-static: $(OUT)/tests/copies_static_test
	@$< alone
copies: $(COPIES)
	@set -e; for case in program,12 program,21 newest,12 newest,21 closed major threads; do $< $$case; done; \
	  $(OUT)/tests/copies_older_test missing
	@$(if $(SANITIZE),,set -e; for case in program$(comma)21 newest$(comma)12 major; do \
	  valgrind -q --error-exitcode=1 --leak-check=full --show-leak-kinds=definite $< $$case; done)
	@$(call COPIES_LOG,newest$(comma)12,$(INTERFACE).0 in `the program`$(comma) $(INTERFACE).1 in `copies1.so`$(comma) $(INTERFACE).2 in `copies2.so` (serves))
	@$(call COPIES_LOG,program$(comma)12,$(INTERFACE).0 in `the program` (serves)$(comma) $(INTERFACE).1 in `copies1.so`$(comma) $(INTERFACE).2 in `copies2.so`)
	@$(call COPIES_LOG,major,$(INTERFACE).0 in `the program` (serves)$(comma) 9 in `copies3.so` (separate))

.PHONY: header
header: offloadrt.h
	$(CC) -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c offloadrt.h
	$(CXX) -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ offloadrt.h

# offloadrt.hpp under two compilers, without the runtime's own warnings' exceptions; and the lines that it must refuse.
CXX_FLAGS = -std=c++17 -O1 -g -pedantic -Wall -Wextra -Wshadow -Werror -pthread -I.
$(OUT)/tests/wrapper_test $(OUT)/tests/wrapper_clang_test: tests/wrapper_test.cpp offloadrt.h offloadrt.hpp $(OUT)/liboffloadrt.a
	@mkdir -p $(@D)
	$(if $(findstring clang,$@),$(LLVM_PREFIX)/bin/clang++,$(CXX) $(SANITIZER)) $(CXX_FLAGS) $< $(OUT)/liboffloadrt.a -o $@

.PHONY: wrapper
wrapper: $(OUT)/tests/wrapper_test $(if $(SANITIZE),,$(OUT)/tests/wrapper_clang_test)
	@set -e; export $(SANITIZED); for test in $^; do $$test; done
	@sed -n 's/^#.*if REFUSED == \([0-9]*\) ..\(.*\) .*/\1 \2/p' tests/wrapper_test.cpp | while read -r number words; do \
	  if $(CXX) $(CXX_FLAGS) -DREFUSED=$$number -fsyntax-only tests/wrapper_test.cpp 2>$(OUT)/tests/refused; then \
	    echo "wrapper_test.cpp: REFUSED=$$number compiles"; exit 1; fi; \
	  grep -q "$$words" $(OUT)/tests/refused || { cat $(OUT)/tests/refused; exit 1; }; echo "ok refused: $$words"; done

# libomptarget's host device leaves every image it loads in the folder for temporary files.
test: header wrapper opencl stand-ins ranges info reload copies copies-static sanitized-addresses launch-time $(TESTS) $(OUT)/tests/omptarget_test
	@set -e; for test in $(TESTS); do $$test; done
	@set -e; folder=$$(mktemp -d); trap "rm -rf $$folder" EXIT; TMPDIR=$$folder $(OUT)/tests/omptarget_test

# The tests that need no device, as programs for another processor in an emulator.
AARCH64 = $(OUT)/aarch64-linux-gnu
.PHONY: test-aarch64 tests-in-emulator
test-aarch64:
	@$(MAKE) --no-print-directory CC=aarch64-linux-gnu-gcc OUT=$(AARCH64) tests-in-emulator
tests-in-emulator: $(filter-out %/cpu_shared_test %/finish_test %/own_test %/secure_test,$(TESTS))
	@set -e; for test in $^; do OFFLOADRT_TEST_EMULATOR=1 qemu-aarch64 -L /usr/aarch64-linux-gnu $$test; done

# Under a sanitizer, as under valgrind, no limit on the address space works; and an allocation of too much memory
# returns null. Intel's OpenCL keeps memory to its end, and is not watched for races: it is not compiled for that. A
# program with another user's rights cannot be looked into for leaks.
SANITIZED = OFFLOADRT_TEST_VALGRIND=1 TSAN_OPTIONS=allocator_may_return_null=1 ASAN_OPTIONS=allocator_may_return_null=1
.PHONY: sanitized-addresses sanitized-races sanitized-tests
sanitized-addresses: ; @$(MAKE) --no-print-directory OUT=$(OUT)/address SANITIZE=address,undefined sanitized-tests sanitized-opencl copies
sanitized-races: ; @$(MAKE) --no-print-directory OUT=$(OUT)/thread SANITIZE=thread sanitized-tests
sanitize: sanitized-addresses sanitized-races
sanitized-tests: $(TESTS) $(OUT)/tests/stand_in_test
	@set -e; export $(SANITIZED); for test in $(filter-out %/secure_test,$(TESTS)); do $$test; done; \
	for driver in cuda hip; do LD_LIBRARY_PATH=$(OUT)/tests/stand_in $(OUT)/tests/stand_in_test $$driver; done
	@$(MAKE) --no-print-directory wrapper
sanitized-opencl: $(OUT)/tests/device_test $(OUT)/tests/opencl_faults_test
	@if [ ! -d "$(OPENCL)" ]; then echo "skipped $^: there is no OpenCL in $(OPENCL)"; exit; fi; \
	export $(IN_OPENCL) $(SANITIZED):detect_leaks=0; $< opencl && $(OUT)/tests/opencl_faults_test

valgrind: $(TESTS)
	@set -e; for test in $(TESTS); do \
	  echo "valgrind $$test"; OFFLOADRT_TEST_VALGRIND=1 valgrind -q --error-exitcode=1 --leak-check=full --show-leak-kinds=definite $$test; done
