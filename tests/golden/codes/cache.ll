; A cache that cannot be used is a warning, and the output is made without it. `--cache-why` names the missing parts.
;
; RUN[unusable]: touch file; offloadc %s --cache-dir=file --offload-arch=cpu,gfx90a -o out.o 2>&1 | sed 's/[0-9a-f]\{64\}/KEY/; s,entries/..,entries/XX,'
; RUN[why]: rm -rf c; for o in "" "" -O1 --device-stack=4096; do \
;   echo "options: $o"; offloadc %s $o --cache-dir=c --cache-why --offload-arch=cpu,gfx90a -o out.o 2>&1; done
; RUN[server]: NO_PROXY=127.0.0.1 offloadc %s --cache-dir=d --cache-remote=http://127.0.0.1:1/x --offload-arch=cpu -o out.o
; RUN[hushed]: touch file; offloadc %s --cache-dir=file --offload-arch=cpu -Wno-cache -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stdout[unusable]
; warning[OFC0042]: the cache cannot be used, and code is compiled without it
;   = note: `%t/file` is no folder
;   = help: name another folder with `--cache-dir`, or use `--no-cache`
;;; stdout[why]
; options:
; note: the device code before the steps of each arch is not in the cache: it has no earlier entry
; note: the host object of `%s` is not in the cache: it has no earlier entry
; note: the image for `cpu` is not in the cache: it has no earlier entry
; note: the image for `gfx90a` is not in the cache: it has no earlier entry
; options:
; options: -O1
; note: the device code before the steps of each arch is not in the cache: its nearest entry differs in: options
; note: the host object of `%s` is not in the cache: its nearest entry differs in: options
; note: the image for `cpu` is not in the cache: its nearest entry differs in: options
; note: the image for `gfx90a` is not in the cache: its nearest entry differs in: options
; options: --device-stack=4096
; note: the device code before the steps of each arch is not in the cache: its nearest entry differs in: target options
; note: the image for `cpu` is not in the cache: its nearest entry differs in: target options
; note: the image for `gfx90a` is not in the cache: its nearest entry differs in: target options
;;; stderr[server]
; warning[OFC0043]: the cache on a server cannot be used, and code is compiled without it
;   = note: cannot get an entry: io: Connection refused (os error 111)
;   = help: name another server with `--cache-remote`, or use `--cache-remote=` to ask none
