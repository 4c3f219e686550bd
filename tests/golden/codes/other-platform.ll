; Every input's platform is looked at, and IR that names none is the host's.
; RUN[none]: grep -v '^target' %s > plain.ll; offloadc plain.ll --offload-arch=cpu,sm_80 -o out.o
; FAIL[other]: grep -v '^target' %s | sed 's/@k/@other/' > plain.ll; offloadc plain.ll %s --offload-arch=cpu,sm_80 -o out.o

target triple = "aarch64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stderr[other]
; error: cannot read the input: `%s` was compiled for `aarch64-unknown-linux-gnu`, and host objects can be made for x86-64 Linux only
