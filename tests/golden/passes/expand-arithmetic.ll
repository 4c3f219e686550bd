; A sum that returns whether it overflowed becomes plain instructions, also where the pair is used as a whole. A product
; of more than 64 bits is divided again. Operations that the device has, and saturating vectors, stay.
; RUN: offloadc %s --run-pass=expand_arithmetic --offload-arch=spirv64 | grep -v "^target"

define i1 @f(i32 %a, i32 %b) {
  %both = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  %over = extractvalue { i32, i1 } %both, 1
  ret i1 %over
}

define { i32, i1 } @pair(i32 %a, i32 %b, ptr addrspace(1) %out) {
  %both = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %a, i32 %b)
  %difference = extractvalue { i32, i1 } %both, 0
  store i32 %difference, ptr addrspace(1) %out
  ret { i32, i1 } %both
}

define i1 @products(i128 %a, i128 %b) {
  %signed = call { i128, i1 } @llvm.smul.with.overflow.i128(i128 %a, i128 %b)
  %over = extractvalue { i128, i1 } %signed, 1
  %unsigned = call { i128, i1 } @llvm.umul.with.overflow.i128(i128 %a, i128 %b)
  %beyond = extractvalue { i128, i1 } %unsigned, 1
  %r = or i1 %over, %beyond
  ret i1 %r
}

define <2 x i32> @kept(float %x, <2 x i32> %v, ptr addrspace(1) %out) {
  %root = call float @llvm.sqrt.f32(float %x)
  store float %root, ptr addrspace(1) %out
  %sum = call <2 x i32> @llvm.sadd.sat.v2i32(<2 x i32> %v, <2 x i32> %v)
  ret <2 x i32> %sum
}
;;; stdout
;
; define i1 @f(i32 %a, i32 %b) {
;   %1 = add i32 %a, %b
;   %2 = xor i32 %a, %1
;   %3 = xor i32 %b, %1
;   %4 = and i32 %2, %3
;   %5 = icmp slt i32 %4, 0
;   ret i1 %5
; }
;
; define { i32, i1 } @pair(i32 %a, i32 %b, ptr addrspace(1) %out) {
;   %1 = sub i32 %a, %b
;   %2 = icmp ult i32 %a, %b
;   %3 = insertvalue { i32, i1 } poison, i32 %1, 0
;   %4 = insertvalue { i32, i1 } %3, i1 %2, 1
;   store i32 %1, ptr addrspace(1) %out, align 4
;   ret { i32, i1 } %4
; }
;
; define i1 @products(i128 %a, i128 %b) {
;   %1 = mul i128 %a, %b
;   %2 = icmp eq i128 %a, 0
;   %3 = icmp eq i128 %a, -1
;   %4 = or i1 %2, %3
;   %5 = select i1 %4, i128 1, i128 %a
;   %6 = sdiv i128 %1, %5
;   %7 = icmp ne i128 %6, %b
;   %8 = icmp eq i128 %b, -170141183460469231731687303715884105728
;   %9 = and i1 %3, %8
;   %10 = select i1 %4, i1 %9, i1 %7
;   %11 = mul i128 %a, %b
;   %12 = icmp eq i128 %a, 0
;   %13 = icmp eq i128 %a, -1
;   %14 = select i1 %12, i128 1, i128 %a
;   %15 = udiv i128 %11, %14
;   %16 = icmp ne i128 %15, %b
;   %17 = select i1 %12, i1 false, i1 %16
;   %r = or i1 %10, %17
;   ret i1 %r
; }
;
; define <2 x i32> @kept(float %x, <2 x i32> %v, ptr addrspace(1) %out) {
;   %root = call float @llvm.sqrt.f32(float %x)
;   store float %root, ptr addrspace(1) %out, align 4
;   %sum = call <2 x i32> @llvm.sadd.sat.v2i32(<2 x i32> %v, <2 x i32> %v)
;   ret <2 x i32> %sum
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare <2 x i32> @llvm.sadd.sat.v2i32(<2 x i32>, <2 x i32>) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i128, i1 } @llvm.smul.with.overflow.i128(i128, i128) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.sqrt.f32(float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i128, i1 } @llvm.umul.with.overflow.i128(i128, i128) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
