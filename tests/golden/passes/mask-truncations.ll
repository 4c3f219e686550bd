; A number that is truncated below the width of the result, and then widened, is masked. A widening with the sign, one
; to the original width or to more, one of a number that was not truncated, and one to more than 64 bits stay.
; RUN: offloadc %s --run-pass=mask_truncations --offload-arch=spirv64 --kernel=k | grep -v "^target"

define void @k(i64 %a, i16 %b, ptr addrspace(1) %out) {
  %cut = trunc i64 %a to i8
  %wide = zext i8 %cut to i16
  store volatile i16 %wide, ptr addrspace(1) %out
  %bit = trunc i64 %a to i1
  store volatile i1 %bit, ptr addrspace(1) %out
  %number = zext i1 %bit to i32
  store volatile i32 %number, ptr addrspace(1) %out
  %kept = trunc i64 %a to i16
  %signed = sext i16 %kept to i32
  store volatile i32 %signed, ptr addrspace(1) %out
  %again = zext i16 %kept to i64
  store volatile i64 %again, ptr addrspace(1) %out
  %byte = trunc i16 %b to i8
  %more = zext i8 %byte to i32
  store volatile i32 %more, ptr addrspace(1) %out
  %other = zext i16 %b to i32
  store volatile i32 %other, ptr addrspace(1) %out
  %large = zext i64 %a to i256
  %huge = mul i256 %large, %large
  %cut.huge = trunc i256 %huge to i64
  %wide.huge = zext i64 %cut.huge to i128
  store volatile i128 %wide.huge, ptr addrspace(1) %out
  ret void
}
;;; stdout
;
; define void @k(i64 %a, i16 %b, ptr addrspace(1) %out) {
;   %1 = trunc i64 %a to i16
;   %2 = and i16 %1, 255
;   store volatile i16 %2, ptr addrspace(1) %out, align 2
;   %bit = trunc i64 %a to i1
;   store volatile i1 %bit, ptr addrspace(1) %out, align 1
;   %3 = trunc i64 %a to i32
;   %4 = and i32 %3, 1
;   store volatile i32 %4, ptr addrspace(1) %out, align 4
;   %kept = trunc i64 %a to i16
;   %signed = sext i16 %kept to i32
;   store volatile i32 %signed, ptr addrspace(1) %out, align 4
;   %again = zext i16 %kept to i64
;   store volatile i64 %again, ptr addrspace(1) %out, align 4
;   %byte = trunc i16 %b to i8
;   %more = zext i8 %byte to i32
;   store volatile i32 %more, ptr addrspace(1) %out, align 4
;   %other = zext i16 %b to i32
;   store volatile i32 %other, ptr addrspace(1) %out, align 4
;   %large = zext i64 %a to i256
;   %huge = mul i256 %large, %large
;   %cut.huge = trunc i256 %huge to i64
;   %wide.huge = zext i64 %cut.huge to i128
;   store volatile i128 %wide.huge, ptr addrspace(1) %out, align 4
;   ret void
; }
