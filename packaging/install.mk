# `make install` and `make uninstall`; included by ../Makefile. A package is made below DESTDIR, and later lies in
# PREFIX. The default PREFIX is cargo's own folder, where cargo finds its subcommands.

DESTINATION = $(DESTDIR)$(PREFIX)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
# The version of the interface between objects and the runtime, after which the shared libraries are named.
INTERFACE = $(shell sed -n 's/^\#define OFFLOAD_DESCRIPTOR_VERSION \([0-9]*\)/\1/p' runtime-c/offloadrt.h)

EMULATORS = libcuda.so.1 libamdhip64.so
PROGRAMS = offloadc offloadc-ld offloadc-dis offloadc-rustc cargo-offloadc
RUNTIMES = liboffloadrt liboffloadrt-omptarget liboffloadrt-liboffload
HEADERS = offloadrt.h offloadrt.hpp
FOLDERS = bin include lib/pkgconfig lib/cmake/offloadc/runtimes lib/offloadc/emulators lib/offloadc/crates
LLVM_PREFIX = $(shell sed -n 's/^LLVM_SYS_221_PREFIX.*value = "\([^"]*\)".*/\1/p' .cargo/config.toml)
CMAKE_FILES = $(basename $(wildcard packaging/cmake/*.in))

# Manual pages and completions, which are made for each NAME.
PAGES = man/man1/NAME bash-completion/completions/NAME zsh/site-functions/_NAME fish/vendor_completions.d/NAME.

# The folder that the file of pkg-config names; relative to that file in an archive.
PC_PREFIX ?= $(PREFIX)

# The placeholders of the files that name the folder or the versions.
FILL_IN = sed -e 's|@PREFIX@|$(PC_PREFIX)|g' -e 's|@VERSION@|$(VERSION)|g' -e 's|@INTERFACE@|$(INTERFACE)|g' \
  -e 's|@LLVM_PREFIX@|$(LLVM_PREFIX)|g'

install: build ## copy programs, libraries, headers to PREFIX [cargo's own folder]; below DESTDIR for a package
	@$(MAKE) --no-print-directory install-files

# Installs the files that are built; tests call this alone, because a build with other settings of cargo would compile
# offloadc again.
install-files:
	install -d $(foreach folder,$(FOLDERS),"$(DESTINATION)/$(folder)")
	install $(addprefix target/$(FOLDER)/,$(PROGRAMS)) "$(DESTINATION)/bin"
	install -m 644 $(RUNTIMES:%=target/runtime/%.a) target/runtime/libmgpu-offloadrt.a "$(DESTINATION)/lib/offloadc"
	install -m 644 $(RUNTIMES:%=target/runtime/%.so.$(INTERFACE).$(VERSION)) "$(DESTINATION)/lib"
	for library in $(RUNTIMES); do for name in so.$(INTERFACE) so; do \
	  ln -sf $$library.so.$(INTERFACE).$(VERSION) "$(DESTINATION)/lib/$$library.$$name" || exit 1; done; done
	install target/runtime/offloadrt-info target/runtime/liboffloadc_plugin.so "$(DESTINATION)/lib/offloadc"
	test ! -f target/runtime/aarch64-linux-gnu/liboffloadrt.a || install -D -m 644 \
	  -t "$(DESTINATION)/lib/offloadc/aarch64-linux-gnu" target/runtime/aarch64-linux-gnu/liboffloadrt.a
	for library in $(EMULATORS); do test ! -f target/emulators/$$library || \
	  install -m 644 target/emulators/$$library "$(DESTINATION)/lib/offloadc/emulators" || exit 1; done
	install -D -m 644 -t "$(DESTINATION)/lib/offloadc/gdb" packaging/gdb/offload.py
	rm -rf "$(DESTINATION)/lib/offloadc/crates/"*
	cp -RL rust/offload rust/offload-macros "$(DESTINATION)/lib/offloadc/crates"
	install -m 644 $(HEADERS:%=runtime-c/%) "$(DESTINATION)/include"
	$(FILL_IN) runtime-c/offloadrt.pc.in > "$(DESTINATION)/lib/pkgconfig/offloadrt.pc"
	install -m 644 packaging/cmake/*.cmake "$(DESTINATION)/lib/cmake/offloadc"
	install -m 644 packaging/cmake/runtimes/*.cmake "$(DESTINATION)/lib/cmake/offloadc/runtimes"
	target/$(FOLDER)/offloadc-pages "$(DESTINATION)"
	for file in $(CMAKE_FILES); do \
	  $(FILL_IN) $$file.in > "$(DESTINATION)/lib/cmake/offloadc/$${file##*/}" || exit 1; done

# The libraries of an earlier version, too.
uninstall: ## remove what `make install` copied
	rm -f $(foreach file,$(PROGRAMS:%=bin/%) $(HEADERS:%=include/%) lib/pkgconfig/offloadrt.pc,"$(DESTINATION)/$(file)")
	rm -f $(foreach library,$(RUNTIMES),"$(DESTINATION)/lib/$(library).so"*)
	rm -f $(foreach name,offloadc cargo-offloadc,$(foreach place,$(subst NAME,$(name),$(PAGES)), \
	  "$(DESTINATION)/share/$(place)"*))
	rm -rf "$(DESTINATION)/lib/offloadc" "$(DESTINATION)/lib/cmake/offloadc"

CARGO_DEB = target/tools/cargo-deb/bin/cargo-deb

# Without optimisation, debug information is most of the programs, and would be compressed for minutes.
deb: $(CARGO_DEB) emulators ## build target/offloadc.deb, a package for Debian with the files of `make install`
	rm -rf target/deb
	@$(MAKE) --no-print-directory install PREFIX=/usr DESTDIR="$(CURDIR)/target/deb"
	$(if $(filter dev,$(PROFILE)),strip -g target/deb/usr/bin/*)
	$(CARGO_DEB) --no-build --no-strip --locked $(if $(filter dev,$(PROFILE)),--fast) --output target/offloadc.deb

$(CARGO_DEB):
	cargo install cargo-deb --version =3.8.0 --locked --root target/tools/cargo-deb
