; Bitcode of a newer LLVM is named as such before LLVM reads it. The producer's name is an array of six-bit letters.
; FAIL: llvm-as %s -o old.bc; \
;   python3 -c "$(grep '^;; ' %s | cut -c4-)" old.bc new.bc; offloadc new.bc --rustc-llvm=none.so --offload-arch=cpu -o out.o \
;   2>said; status=$?; sed 's/99[.]1[.][0-9]*/99.1.N/' said >&2; exit $status
;; import string, sys
;; letters = string.ascii_lowercase + string.ascii_uppercase + string.digits + "._"
;; bits = lambda word: sum(letters.index(letter) << 6 * at for at, letter in enumerate(word))
;; old = open(sys.argv[1], "rb").read()
;; whole = int.from_bytes(old, "little")
;; at = next(at for at in range(4096) if whole >> at & (1 << 36) - 1 in (bits("LLVM22"), bits("LLVM23")))
;; whole += bits("LLVM99") - (whole >> at & (1 << 36) - 1) << at
;; open(sys.argv[2], "wb").write(whole.to_bytes(len(old), "little"))

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stderr
; error[OFC0021]: `new.bc` was written by LLVM 99.1.N, which is newer than offloadc's LLVM 22
;   = note: offloadc converts it with the libLLVM of its rustc, but `none.so` did not read it: none.so: cannot open shared object file: No such file or directory
;   = help: name that rustc's sysroot with `--sysroot`, or its libLLVM with `--rustc-llvm`
;   = help: or compile with a rustc whose `rustc -vV` says LLVM 22 or older
