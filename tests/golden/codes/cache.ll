; A cache that cannot be used is a warning, and the output is made without it. `--cache-why` says what an image lacks.
;
; RUN[unusable]: touch file; offloadc %s --cache-dir=file --offload-arch=cpu,gfx90a -o out.o 2>&1 | sed 's/[0-9a-f]\{64\}/KEY/; s,images/../,images/XX/,'
; RUN[why]: rm -rf c; for o in "" "" -O1 --device-stack=4096; do \
;   echo "options: $o"; offloadc %s $o --cache-dir=c --cache-why --offload-arch=cpu,gfx90a -o out.o 2>&1; done
; RUN[hushed]: touch file; offloadc %s --cache-dir=file --offload-arch=cpu -Wno-cache -o out.o
; RUN[commands]: rm -rf d; offloadc %s --cache-dir=d --offload-arch=cpu,sm_80 -o out.o; \
;   offloadc cache stats --cache-dir=d | grep entries; offloadc cache clear --cache-dir=d; \
;   offloadc cache stats --cache-dir=d | grep -v folder
; FAIL[no-folder]: env -u HOME -u XDG_CACHE_HOME -u OFFLOADC_CACHE_DIR OFFLOADC_NO_CACHE=0 offloadc cache stats

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
