; The high half of a product of 128 bits, which LLVM makes a product of 256 bits, is split again.
; RUN: offloadc %s --offload-arch=spirv64 --emit=simplify=- | grep -c i256 || true

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out, i128 %a, i128 %b) {
  %x = zext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul nuw i256 %x, %y
  %shifted = lshr i256 %product, 128
  %high = trunc nuw i256 %shifted to i128
  %far = lshr i256 %product, 200
  %top = trunc i256 %far to i64
  %low = trunc i256 %product to i64
  store i128 %high, ptr %out
  store i64 %top, ptr %out
  store i64 %low, ptr %out
  ret void
}
;;; stdout
; 0
