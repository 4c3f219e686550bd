; LLVM 22 loses the carry of a lowest word that lanes share, if they do not share the number, and counts the carry of
; 32 bits twice. Empty assembly makes such a word, or the sum before the carry, one that lanes may not share.
; RUN: offloadc %s --run-pass=keep_carries --offload-arch=gfx90a | grep -v "^target"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i128 @llvm.abs.i128(i128, i1)
declare i128 @llvm.usub.sat.i128(i128, i128)
declare i128 @llvm.umin.i128(i128, i128)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32)

; A number with a lowest word of zeros, and a constant.
define i128 @sum(i64 %own) {
  %wide = zext i64 %own to i128
  %upper = shl i128 %wide, 64
  %sum = sub i128 81985529216486895, %upper
  ret i128 %sum
}

; Divisions and magnitudes need every operand.
define i128 @division(i64 %own) {
  %wide = zext i64 %own to i128
  %upper = shl i128 %wide, 64
  %divisor = or i128 %upper, 5
  %quotient = udiv i128 %upper, %divisor
  %magnitude = call i128 @llvm.abs.i128(i128 %upper, i1 false)
  %rest = call i128 @llvm.usub.sat.i128(i128 %quotient, i128 %magnitude)
  ret i128 %rest
}

; Left alone: a sum with another sum, one that lanes share, one of 64 bits, and an operation without carries. A phi may
; have a lowest word that lanes share.
define amdgpu_kernel void @left(ptr addrspace(1) %out, i64 %shared, i1 %question) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %own = zext i32 %id to i128
  %upper = shl i128 %own, 64
  %wide = zext i64 %shared to i128
  %same = add i128 %wide, -1
  %low = trunc i128 %upper to i64
  %narrow = add i64 %low, %shared
  br i1 %question, label %more, label %done
more:
  br label %done
done:
  %number = phi i128 [ %upper, %0 ], [ %own, %more ]
  %sum = add i128 %number, 5
  %next = add i128 %sum, %upper
  %least = call i128 @llvm.umin.i128(i128 %next, i128 %same)
  store i128 %least, ptr addrspace(1) %out
  store i64 %narrow, ptr addrspace(1) %out
  ret void
}

; The sum before the carry is copied if the carry of the whole is used, or if a comparison asks for it.
define i32 @words(i32 %a, i32 %b, i32 %c, i32 %d) {
  %first = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  %carry = extractvalue { i32, i1 } %first, 1
  %number = zext i1 %carry to i32
  %sum = add i32 %c, %d
  %second = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %sum, i32 %number)
  %again = extractvalue { i32, i1 } %second, 1
  %compared = sub i32 %c, %a
  %less = sub i32 %compared, %number
  %borrow = icmp ult i32 %compared, %number
  %not = sub i32 %d, %a
  %unused = sub i32 %not, %number
  %one = select i1 %again, i32 %less, i32 %unused
  %two = select i1 %borrow, i32 %one, i32 3
  ret i32 %two
}
;;; stdout
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #0
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i128 @llvm.abs.i128(i128, i1 immarg) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i128 @llvm.usub.sat.i128(i128, i128) #1
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i128 @llvm.umin.i128(i128, i128) #1
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32) #1
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32) #1
;
; define i128 @sum(i64 %own) {
;   %wide = zext i64 %own to i128
;   %upper = shl i128 %wide, 64
;   %1 = freeze i128 %upper
;   %2 = trunc i128 %1 to i64
;   %3 = call i64 asm sideeffect "", "=v,0"(i64 %2)
;   %4 = lshr i128 %1, 64
;   %5 = shl i128 %4, 64
;   %6 = zext i64 %3 to i128
;   %7 = or i128 %5, %6
;   %sum = sub i128 81985529216486895, %7
;   ret i128 %sum
; }
;
; define i128 @division(i64 %own) {
;   %wide = zext i64 %own to i128
;   %upper = shl i128 %wide, 64
;   %divisor = or i128 %upper, 5
;   %1 = freeze i128 %upper
;   %2 = trunc i128 %1 to i64
;   %3 = call i64 asm sideeffect "", "=v,0"(i64 %2)
;   %4 = lshr i128 %1, 64
;   %5 = shl i128 %4, 64
;   %6 = zext i64 %3 to i128
;   %7 = or i128 %5, %6
;   %8 = freeze i128 %divisor
;   %9 = trunc i128 %8 to i64
;   %10 = call i64 asm sideeffect "", "=v,0"(i64 %9)
;   %11 = lshr i128 %8, 64
;   %12 = shl i128 %11, 64
;   %13 = zext i64 %10 to i128
;   %14 = or i128 %12, %13
;   %quotient = udiv i128 %7, %14
;   %15 = freeze i128 %upper
;   %16 = trunc i128 %15 to i64
;   %17 = call i64 asm sideeffect "", "=v,0"(i64 %16)
;   %18 = lshr i128 %15, 64
;   %19 = shl i128 %18, 64
;   %20 = zext i64 %17 to i128
;   %21 = or i128 %19, %20
;   %magnitude = call i128 @llvm.abs.i128(i128 %21, i1 false)
;   %rest = call i128 @llvm.usub.sat.i128(i128 %quotient, i128 %magnitude)
;   ret i128 %rest
; }
;
; define amdgpu_kernel void @left(ptr addrspace(1) %out, i64 %shared, i1 %question) {
;   %id = call i32 @llvm.amdgcn.workitem.id.x()
;   %own = zext i32 %id to i128
;   %upper = shl i128 %own, 64
;   %wide = zext i64 %shared to i128
;   %same = add i128 %wide, -1
;   %low = trunc i128 %upper to i64
;   %narrow = add i64 %low, %shared
;   br i1 %question, label %more, label %done
;
; more:                                             ; preds = %0
;   br label %done
;
; done:                                             ; preds = %more, %0
;   %number = phi i128 [ %upper, %0 ], [ %own, %more ]
;   %1 = freeze i128 %number
;   %2 = trunc i128 %1 to i64
;   %3 = call i64 asm sideeffect "", "=v,0"(i64 %2)
;   %4 = lshr i128 %1, 64
;   %5 = shl i128 %4, 64
;   %6 = zext i64 %3 to i128
;   %7 = or i128 %5, %6
;   %sum = add i128 %7, 5
;   %next = add i128 %sum, %upper
;   %least = call i128 @llvm.umin.i128(i128 %next, i128 %same)
;   store i128 %least, ptr addrspace(1) %out, align 4
;   store i64 %narrow, ptr addrspace(1) %out, align 4
;   ret void
; }
;
; define i32 @words(i32 %a, i32 %b, i32 %c, i32 %d) {
;   %first = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
;   %carry = extractvalue { i32, i1 } %first, 1
;   %number = zext i1 %carry to i32
;   %sum = add i32 %c, %d
;   %1 = call i32 asm sideeffect "", "=v,0"(i32 %sum)
;   %second = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %1, i32 %number)
;   %again = extractvalue { i32, i1 } %second, 1
;   %compared = sub i32 %c, %a
;   %2 = call i32 asm sideeffect "", "=v,0"(i32 %compared)
;   %less = sub i32 %2, %number
;   %borrow = icmp ult i32 %compared, %number
;   %not = sub i32 %d, %a
;   %unused = sub i32 %not, %number
;   %one = select i1 %again, i32 %less, i32 %unused
;   %two = select i1 %borrow, i32 %one, i32 3
;   ret i32 %two
; }
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
