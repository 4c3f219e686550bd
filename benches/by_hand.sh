#!/bin/bash
# The work of offloadc on one bitcode file, done by hand with LLVM's own tools: the benchmark's other side.
#
#   by_hand.sh prepare FOLDER   the work of a user once per project, which an editor could do; not timed
#   by_hand.sh compile FOLDER   the work: from app.bc to host.o, two code objects and two PTX files
#
# FOLDER holds app.bc, which rustc wrote; kernels.txt and entries.txt, names one a line; and amdgpu.ll and nvptx.ll,
# the builtins and entry points of each target. LLVM is the folder of LLVM's programs. ARCHS, if it is set, lists the
# archs to compile, and `host`.
set -euo pipefail
cd "$2"
export PATH="$LLVM:$PATH"

# Takes the host's triple and processor out of the device's copy of the program; LLVM's tools have no option for it.
prepare() {
  llvm-dis app.bc -o - |
    sed -e '/^target triple/d' -e 's/"target-cpu"="[^"]*"//; s/"probe-stack"="[^"]*"//; s/uwtable\|nonlazybind/nounwind/g' |
    llvm-as -o device.bc
  for target in amdgpu nvptx; do
    opt -passes=verify -mtriple="$(sed -n 's/^target triple = "\(.*\)"/\1/p' $target.ll)" $target.ll -o $target.bc
  done
}

compile() {
  opt -passes=internalize,globaldce -internalize-public-api-file=kernels.txt device.bc -o sliced.bc
  opt -O2 sliced.bc -o shared.bc
  # The longest first, so that none is left alone at the end.
  printf '%s\n' ${ARCHS:-gfx90a gfx1100 host sm_90 sm_80} | xargs -P2 -I{} "$0" arch . {}
}

# One arch, from the shared code to its image. The prelude comes first: its data layout is the target's.
arch() {
  link() { llvm-link --suppress-warnings "$1.bc" shared.bc -o -; }
  internalize=(-passes="internalize,default<O3>" -internalize-public-api-file=entries.txt)
  case $1 in
    host) opt -O3 app.bc | llc -O3 -relocation-model=pic -filetype=obj -o host.o ;;
    gfx*)
      link amdgpu | opt "${internalize[@]}" -mcpu="$1" |
        llc -O3 -mcpu="$1" -relocation-model=pic -filetype=obj -o "$1.o"
      ld.lld -shared --no-undefined "$1.o" -o "$1.out"
      ;;
    sm_*) link nvptx | opt "${internalize[@]}" -mcpu="$1" | llc -O3 -mcpu="$1" -o "$1.ptx" ;;
  esac
}

"$1" "${@:3}"
