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
;   %5 = call spir_func i64 @_Z17get_global_offsetj(i32 0)
;   %6 = trunc i64 %5 to i32
;   %7 = call spir_func i64 @_Z14get_local_sizej(i32 0)
;   %8 = trunc i64 %7 to i32
;   %9 = icmp eq i32 %6, 0
;   %10 = select i1 %9, i32 %8, i32 %6
;   %11 = zext i32 %10 to i64
;   %12 = trunc i64 %11 to i32
;   %13 = icmp eq i32 %4, 0
;   %14 = select i1 %13, i32 %12, i32 %4
;   %15 = udiv i32 %2, %14
;   %16 = call spir_func i64 @_Z17get_global_offsetj(i32 1)
;   %17 = trunc i64 %16 to i32
;   %18 = call spir_func i64 @_Z17get_global_offsetj(i32 1)
;   %19 = trunc i64 %18 to i32
;   %20 = call spir_func i64 @_Z14get_local_sizej(i32 1)
;   %21 = trunc i64 %20 to i32
;   %22 = icmp eq i32 %19, 0
;   %23 = select i1 %22, i32 %21, i32 %19
;   %24 = zext i32 %23 to i64
;   %25 = trunc i64 %24 to i32
;   %26 = icmp eq i32 %17, 0
;   %27 = select i1 %26, i32 %25, i32 %17
;   %28 = udiv i32 %15, %27
;   %29 = zext i32 %28 to i64
;   %30 = call spir_func i64 @_Z17get_global_offsetj(i32 1)
;   %31 = trunc i64 %30 to i32
;   %32 = call spir_func i64 @_Z14get_local_sizej(i32 1)
;   %33 = trunc i64 %32 to i32
;   %34 = icmp eq i32 %31, 0
;   %35 = select i1 %34, i32 %33, i32 %31
;   %36 = zext i32 %35 to i64
;   %sum = add i64 %29, %36
;   store i64 %sum, ptr %p, align 4
;   ret void
; }
;
; define i64 @column() {
;   %1 = call spir_func i64 @_Z19get_local_linear_idv()
;   %2 = trunc i64 %1 to i32
;   %3 = call spir_func i64 @_Z17get_global_offsetj(i32 0)
;   %4 = trunc i64 %3 to i32
;   %5 = call spir_func i64 @_Z17get_global_offsetj(i32 0)
;   %6 = trunc i64 %5 to i32
;   %7 = call spir_func i64 @_Z14get_local_sizej(i32 0)
;   %8 = trunc i64 %7 to i32
;   %9 = icmp eq i32 %6, 0
;   %10 = select i1 %9, i32 %8, i32 %6
;   %11 = zext i32 %10 to i64
;   %12 = trunc i64 %11 to i32
;   %13 = icmp eq i32 %4, 0
;   %14 = select i1 %13, i32 %12, i32 %4
;   %15 = urem i32 %2, %14
;   %16 = zext i32 %15 to i64
;   ret i64 %16
; }
;
; define void @plain(ptr %p) {
;   %x = call spir_func i64 @_Z12get_local_idj(i32 0)
;   store i64 %x, ptr %p, align 4
;   ret void
; }
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func i64 @_Z19get_local_linear_idv() #0
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func i64 @_Z17get_global_offsetj(i32) #0
;
; attributes #0 = { nounwind willreturn memory(none) }
