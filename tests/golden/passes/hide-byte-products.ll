; LLVM 22 takes each operation with a product of bytes for a sum of them, and looks through shifts of factors. The module
; is compiled without the instructions of such sums, but for functions that name one: there, copies hide the products.
; RUN: offloadc %s --run-pass=hide_byte_products --offload-arch=gfx90a | grep -v "^target"

declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.amdgcn.udot4(i32, i32, i32, i1)

define i32 @masked(i8 %a, i8 %b, i32 %c) {
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %product = mul i32 %x, %y
  %mask = and i32 %product, 1023
  %one = add i32 %mask, %product
  ret i32 %one
}

define i32 @with_features(i32 %a) "target-features"="+wavefrontsize64" {
  ret i32 %a
}

define i32 @named(i8 %a, i8 %b, i32 %c) {
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %product = mul i32 %x, %y
  %mask = and i32 %product, 1023
  %square = mul i32 %x, %x
  %most = call i32 @llvm.umax.i32(i32 %c, i32 %square)
  %one = add i32 %mask, %product
  %all = add i32 %one, %most
  %sum = call i32 @llvm.amdgcn.udot4(i32 %all, i32 %c, i32 %c, i1 false)
  ret i32 %sum
}
;;; stdout
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.umax.i32(i32, i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.amdgcn.udot4(i32, i32, i32, i1 immarg) #0
;
; define i32 @masked(i8 %a, i8 %b, i32 %c) #1 {
;   %x = zext i8 %a to i32
;   %y = zext i8 %b to i32
;   %product = mul i32 %x, %y
;   %mask = and i32 %product, 1023
;   %one = add i32 %mask, %product
;   ret i32 %one
; }
;
; define i32 @with_features(i32 %a) #2 {
;   ret i32 %a
; }
;
; define i32 @named(i8 %a, i8 %b, i32 %c) {
;   %x = zext i8 %a to i32
;   %y = zext i8 %b to i32
;   %product = mul i32 %x, %y
;   %1 = call i32 asm sideeffect "", "=v,0"(i32 %product)
;   %mask = and i32 %1, 1023
;   %square = mul i32 %x, %x
;   %2 = call i32 asm sideeffect "", "=v,0"(i32 %square)
;   %most = call i32 @llvm.umax.i32(i32 %c, i32 %2)
;   %one = add i32 %mask, %product
;   %all = add i32 %one, %most
;   %sum = call i32 @llvm.amdgcn.udot4(i32 %all, i32 %c, i32 %c, i1 false)
;   ret i32 %sum
; }
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { "target-features"="-dot7-insts" }
; attributes #2 = { "target-features"="+wavefrontsize64,-dot7-insts" }
