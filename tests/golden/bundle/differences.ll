; `inspect --diff` names images and kernels that were added, removed or changed, with exit statuses as for `diff`.
; RUN[same]: offloadc %s --offload-arch=cpu,sm_80,spirv64 -o x.o && cp x.o y.o && offloadc inspect --diff x.o y.o
; FAIL[changed]: offloadc %s --offload-arch=cpu,sm_80,spirv64 -o x.o && \
;   sed 's/store i32 %n/store i32 9/; s/@other/@newer/' %s > new.ll && \
;   offloadc new.ll --offload-arch=cpu,sm_80,gfx90a -o y.o && offloadc inspect --diff x.o y.o | sed 's/[0-9][0-9][0-9]* /N /g'
; FAIL[json]: offloadc %s --offload-arch=cpu -o x.o && sed 's/@other/@newer/' %s > new.ll && \
;   offloadc new.ll --offload-arch=cpu -o y.o && offloadc inspect --json --diff x.o y.o
; FAIL=2[missing]: offloadc inspect --diff no.o no.o
; RUN[sizes]: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o x.o && \
;   offloadc inspect x.o | awk '/^code of/, /^$/ { if (/^  / && $1 != "kernel") $4 = ($4 > 9); print }'
; RUN[sizes-json]: offloadc %s --offload-arch=sm_80 -o x.o && offloadc inspect --json x.o | grep -A2 -c '"kernel": "k"'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}

define ptx_kernel void @other(ptr %p) {
  store i32 7, ptr %p
  ret void
}
;;; stdout[changed]
; image gfx90a object: added, N bytes
; image sm_N ptx: N -> N bytes (-54)
; image spirvN spirv: removed, N bytes
; kernel k on gfx90a object: added, N code bytes, 2 registers, N scalar
; kernel k on sm_N ptx: N -> N code bytes (-54)
; kernel k on spirvN spirv: removed, N code bytes
; kernel newer: added, 8 argument bytes, 1 parameters
; kernel newer on gfx90a object: added, N code bytes, 2 registers, N scalar
; kernel newer on sm_N ptx: added, N code bytes
; kernel other: removed, 8 argument bytes, 1 parameters
; kernel other on sm_N ptx: removed, N code bytes
; kernel other on spirvN spirv: removed, N code bytes
;;; stdout[json]
; {
;   "old": "x.o",
;   "new": "y.o",
;   "changes": [
;     {
;       "subject": "kernel newer",
;       "old": null,
;       "new": {
;         "argument bytes": 8,
;         "parameters": 1
;       }
;     },
;     {
;       "subject": "kernel other",
;       "old": {
;         "argument bytes": 8,
;         "parameters": 1
;       },
;       "new": null
;     }
;   ]
; }
;;; stderr[missing]
; error: cannot read `no.o`: no such file or directory
;;; stdout[sizes]
; code of each kernel
;   kernel  arch     kind    bytes
; k gfx90a object 1
; k sm_80 ptx 1
; k spirv64 spirv 1
; other gfx90a object 1
; other sm_80 ptx 1
; other spirv64 spirv 1
;
;;; stdout[sizes-json]
; 1
