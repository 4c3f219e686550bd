; A kernel with lanes computes the position of a thread from its number in the block, and from the extents that the
; launch gives as the global offset, if it gives any. Functions that are not inlined do, too. Other kernels do not.
; RUN: offloadc %s --run-pass=number_threads --kernel=lanes --kernel=plain --offload-arch=spirv64 | grep -v "^target"

declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func i32 @_Z22get_sub_group_local_idv()

define void @lanes(ptr %p) {
  %lane = call spir_func i32 @_Z22get_sub_group_local_idv()
  %z = call spir_func i64 @_Z12get_local_idj(i32 2)
  %rows = call spir_func i64 @_Z14get_local_sizej(i32 1)
  %sum = add i64 %z, %rows
  store i64 %sum, ptr %p
  ret void
}

define i64 @column() {
  %x = call spir_func i64 @_Z12get_local_idj(i32 0)
  ret i64 %x
}

define void @plain(ptr %p) {
  %x = call spir_func i64 @_Z12get_local_idj(i32 0)
  store i64 %x, ptr %p
  ret void
}
;;; stdout
;
; declare spir_func i64 @_Z12get_local_idj(i32)
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func i64 @_Z14get_local_sizej(i32) #0
;
; declare spir_func i32 @_Z22get_sub_group_local_idv()
;
; define void @lanes(ptr %p) {
;   %lane = call spir_func i32 @_Z22get_sub_group_local_idv()
;   %1 = call spir_func i64 @_Z19get_local_linear_idv()
;   %2 = trunc i64 %1 to i32
;   %3 = call spir_func i64 @_Z17get_global_offsetj(i32 0)
;   %4 = trunc i64 %3 to i32
;   %5 = call spir_func i64 @_Z14get_local_sizej(i32 0)
;   %6 = trunc i64 %5 to i32
;   %7 = icmp eq i32 %4, 0
;   %8 = select i1 %7, i32 %6, i32 %4
;   %9 = udiv i32 %2, %8
;   %10 = call spir_func i64 @_Z17get_global_offsetj(i32 1)
;   %11 = trunc i64 %10 to i32
;   %12 = call spir_func i64 @_Z14get_local_sizej(i32 1)
;   %13 = trunc i64 %12 to i32
;   %14 = icmp eq i32 %11, 0
;   %15 = select i1 %14, i32 %13, i32 %11
;   %16 = udiv i32 %9, %15
;   %17 = zext i32 %16 to i64
;   %18 = call spir_func i64 @_Z17get_global_offsetj(i32 1)
;   %19 = trunc i64 %18 to i32
;   %20 = call spir_func i64 @_Z14get_local_sizej(i32 1)
;   %21 = trunc i64 %20 to i32
;   %22 = icmp eq i32 %19, 0
;   %23 = select i1 %22, i32 %21, i32 %19
;   %24 = zext i32 %23 to i64
;   %sum = add i64 %17, %24
;   store i64 %sum, ptr %p, align 4
;   ret void
; }
;
; define i64 @column() {
;   %1 = call spir_func i64 @_Z19get_local_linear_idv()
;   %2 = trunc i64 %1 to i32
;   %3 = call spir_func i64 @_Z17get_global_offsetj(i32 0)
;   %4 = trunc i64 %3 to i32
;   %5 = call spir_func i64 @_Z14get_local_sizej(i32 0)
;   %6 = trunc i64 %5 to i32
;   %7 = icmp eq i32 %4, 0
;   %8 = select i1 %7, i32 %6, i32 %4
;   %9 = urem i32 %2, %8
;   %10 = zext i32 %9 to i64
;   ret i64 %10
; }
;
; define void @plain(ptr %p) {
;   %x = call spir_func i64 @_Z12get_local_idj(i32 0)
;   store i64 %x, ptr %p, align 4
;   ret void
; }
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func i64 @_Z17get_global_offsetj(i32) #0
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func i64 @_Z19get_local_linear_idv() #0
;
; attributes #0 = { nounwind willreturn memory(none) }
