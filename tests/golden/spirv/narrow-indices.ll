; An index of 2 bits reaches the first four elements of a vector, and no other.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=optimize=- | grep -oE "define [^(]*|icmp eq i[0-9]+ .*"
; RUN@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=widen_indices --emit=optimize=- | grep -oE "define [^(]*|icmp eq i[0-9]+ .*"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @insert(ptr %p, i32 %n) {
  %i = trunc i32 %n to i2
  %v = load <7 x half>, ptr %p
  %w = insertelement <7 x half> %v, half 1.0, i2 %i
  store <7 x half> %w, ptr %p
  ret void
}

define ptx_kernel void @extract(ptr %p, i32 %n) {
  %i = trunc i32 %n to i2
  %v = load <7 x half>, ptr %p
  %e = extractelement <7 x half> %v, i2 %i
  store half %e, ptr %p
  ret void
}
;;; stdout
; define spir_kernel void @insert
; icmp eq i32 %3, 0
; icmp eq i32 %3, 1
; icmp eq i32 %3, 2
; icmp eq i32 %3, 3
; icmp eq i32 %3, 4
; icmp eq i32 %3, 5
; icmp eq i32 %3, 6
; define spir_kernel void @extract
; icmp eq i32 %3, 0
; icmp eq i32 %3, 1
; icmp eq i32 %3, 2
; icmp eq i32 %3, 3
; icmp eq i32 %3, 4
; icmp eq i32 %3, 5
; icmp eq i32 %3, 6
;;; stdout[without]
; define spir_kernel void @insert
; icmp eq i64 %2, 0
; icmp eq i64 %2, 1
; icmp eq i64 %2, 2
; icmp eq i64 %2, 3
; icmp eq i64 %2, 0
; icmp eq i64 %2, 1
; icmp eq i64 %2, 2
; define spir_kernel void @extract
; icmp eq i64 %2, 0
; icmp eq i64 %2, 1
; icmp eq i64 %2, 2
; icmp eq i64 %2, 3
; icmp eq i64 %2, 0
; icmp eq i64 %2, 1
; icmp eq i64 %2, 2
