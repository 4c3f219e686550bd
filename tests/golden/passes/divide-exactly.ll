; A division that the back end for AMD GPUs would get wrong is made opaque, so that LLVM cannot prove small operands. A
; division of at most 22 bits stays, like one whose quotient overflows only where it is undefined, one by a constant
; that becomes a product, and one of more than 64 bits.
; RUN: offloadc %s --run-pass=divide_exactly --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(i32 %a, i32 %b, i64 %c, i64 %d, i8 %e, i8 %f, <2 x i16> %v, <2 x i16> %w, i128 %l, ptr %out) {
  %a24 = and i32 %a, 16777215
  %b24 = and i32 %b, 16777215
  %u24 = udiv i32 %a24, %b24
  store volatile i32 %u24, ptr %out
  %u32 = urem i32 %a, %b
  store volatile i32 %u32, ptr %out
  %s32 = sdiv i32 %a, %b
  store volatile i32 %s32, ptr %out
  %c24 = and i64 %c, 16777215
  %d23 = and i64 %d, 8388607
  %u24.64 = udiv i64 %c24, %d23
  store volatile i64 %u24.64, ptr %out
  %u24.1001 = udiv i64 %c24, 1001
  store volatile i64 %u24.1001, ptr %out
  %u64 = udiv i64 %c, %d
  store volatile i64 %u64, ptr %out
  %s64 = sdiv i64 %c, %d
  store volatile i64 %s64, ptr %out
  %s64.1001 = sdiv i64 %c, 1001
  store volatile i64 %s64.1001, ptr %out
  %e32 = sext i8 %e to i32
  %f32 = sext i8 %f to i32
  %s8 = sdiv i32 %e32, %f32
  store volatile i32 %s8, ptr %out
  %e64 = sext i8 %e to i64
  %f64 = sext i8 %f to i64
  %s8.64 = srem i64 %e64, %f64
  store volatile i64 %s8.64, ptr %out
  %a32 = sext i32 %a to i64
  %b32 = sext i32 %b to i64
  %s32.64 = sdiv i64 %a32, %b32
  store volatile i64 %s32.64, ptr %out
  %r32.64 = srem i64 %a32, %b32
  store volatile i64 %r32.64, ptr %out
  %a8 = shl i32 %a, 8
  %as24 = ashr i32 %a8, 8
  %b8 = shl i32 %b, 8
  %bs24 = ashr i32 %b8, 8
  %s24 = sdiv i32 %as24, %bs24
  store volatile i32 %s24, ptr %out
  %t24 = trunc i32 %a to i24
  %o24 = trunc i32 %b to i24
  %odd = udiv i24 %t24, %o24
  store volatile i24 %odd, ptr %out
  %signed.odd = sdiv i24 %t24, %o24
  store volatile i24 %signed.odd, ptr %out
  %a16 = trunc i32 %a to i16
  %b16 = trunc i32 %b to i16
  %a15 = ashr i16 %a16, 1
  %b15 = ashr i16 %b16, 1
  %s15 = sdiv i16 %a15, %b15
  store volatile i16 %s15, ptr %out
  %e64.7 = sdiv i64 %e64, 7
  store volatile i64 %e64.7, ptr %out
  %vectors = sdiv <2 x i16> %v, %w
  store volatile <2 x i16> %vectors, ptr %out
  %v32 = sext <2 x i16> %v to <2 x i32>
  %w32 = sext <2 x i16> %w to <2 x i32>
  %wide.vectors = sdiv <2 x i32> %v32, %w32
  store volatile <2 x i32> %wide.vectors, ptr %out
  ret void
}

define i32 @small(i32 %a, i32 %b) minsize optsize {
  %a8 = trunc i32 %a to i8
  %wide = sext i8 %a8 to i32
  %by.constant = udiv i32 %wide, 1001
  ret i32 %by.constant
}

define void @kept(i32 %a, i32 %b, i8 %e, i8 %f, i128 %l, i128 %m, ptr %out) {
  %a22 = and i32 %a, 4194303
  %b22 = and i32 %b, 4194303
  %u22 = udiv i32 %a22, %b22
  store volatile i32 %u22, ptr %out
  %s8 = sdiv i8 %e, %f
  store volatile i8 %s8, ptr %out
  %by.constant = udiv i32 %a, 1001
  store volatile i32 %by.constant, ptr %out
  %u128 = udiv i128 %l, %m
  store volatile i128 %u128, ptr %out
  %float = sitofp i32 %a to float
  store volatile float %float, ptr %out
  ret void
}
;;; stdout
;
; define void @k(i32 %a, i32 %b, i64 %c, i64 %d, i8 %e, i8 %f, <2 x i16> %v, <2 x i16> %w, i128 %l, ptr %out) {
;   %a24 = and i32 %a, 16777215
;   %b24 = and i32 %b, 16777215
;   %1 = call i32 @llvm.expect.i32(i32 %b24, i32 0)
;   %2 = udiv i32 %a24, %1
;   store volatile i32 %2, ptr %out, align 4
;   %3 = call i32 @llvm.expect.i32(i32 %b, i32 0)
;   %4 = urem i32 %a, %3
;   store volatile i32 %4, ptr %out, align 4
;   %5 = call i32 @llvm.expect.i32(i32 %b, i32 0)
;   %6 = sdiv i32 %a, %5
;   store volatile i32 %6, ptr %out, align 4
;   %c24 = and i64 %c, 16777215
;   %d23 = and i64 %d, 8388607
;   %7 = trunc i64 %c24 to i32
;   %8 = trunc i64 %d23 to i32
;   %9 = call i32 @llvm.expect.i32(i32 %8, i32 0)
;   %10 = udiv i32 %7, %9
;   %11 = zext i32 %10 to i64
;   store volatile i64 %11, ptr %out, align 4
;   %12 = trunc i64 %c24 to i32
;   %13 = udiv i32 %12, 1001
;   %14 = zext i32 %13 to i64
;   store volatile i64 %14, ptr %out, align 4
;   %15 = call i64 @llvm.expect.i64(i64 %d, i64 0)
;   %16 = udiv i64 %c, %15
;   store volatile i64 %16, ptr %out, align 4
;   %17 = freeze i64 %c
;   %18 = freeze i64 %d
;   %19 = ashr i64 %17, 63
;   %20 = ashr i64 %18, 63
;   %21 = add i64 %17, %19
;   %22 = xor i64 %21, %19
;   %23 = add i64 %18, %20
;   %24 = xor i64 %23, %20
;   %25 = call i64 @llvm.expect.i64(i64 %24, i64 0)
;   %26 = udiv i64 %22, %25
;   %27 = xor i64 %19, %20
;   %28 = xor i64 %26, %27
;   %29 = sub i64 %28, %27
;   store volatile i64 %29, ptr %out, align 4
;   %30 = call i64 @llvm.expect.i64(i64 1001, i64 0)
;   %31 = sdiv i64 %c, %30
;   store volatile i64 %31, ptr %out, align 4
;   %e32 = sext i8 %e to i32
;   %f32 = sext i8 %f to i32
;   %32 = call i32 @llvm.expect.i32(i32 %f32, i32 0)
;   %33 = shl i32 %32, 23
;   %34 = ashr i32 %33, 23
;   %35 = sdiv i32 %e32, %34
;   store volatile i32 %35, ptr %out, align 4
;   %e64 = sext i8 %e to i64
;   %f64 = sext i8 %f to i64
;   %36 = trunc i64 %e64 to i32
;   %37 = trunc i64 %f64 to i32
;   %38 = call i32 @llvm.expect.i32(i32 %37, i32 0)
;   %39 = shl i32 %38, 23
;   %40 = ashr i32 %39, 23
;   %41 = srem i32 %36, %40
;   %42 = sext i32 %41 to i64
;   store volatile i64 %42, ptr %out, align 4
;   %a32 = sext i32 %a to i64
;   %b32 = sext i32 %b to i64
;   %43 = trunc i64 %a32 to i32
;   %44 = freeze i32 %43
;   %45 = trunc i64 %b32 to i32
;   %46 = freeze i32 %45
;   %47 = ashr i32 %44, 31
;   %48 = ashr i32 %46, 31
;   %49 = add i32 %44, %47
;   %50 = xor i32 %49, %47
;   %51 = add i32 %46, %48
;   %52 = xor i32 %51, %48
;   %53 = call i32 @llvm.expect.i32(i32 %52, i32 0)
;   %54 = udiv i32 %50, %53
;   %55 = zext i32 %54 to i64
;   %56 = xor i32 %47, %48
;   %57 = sext i32 %56 to i64
;   %58 = xor i64 %55, %57
;   %59 = sub i64 %58, %57
;   store volatile i64 %59, ptr %out, align 4
;   %60 = trunc i64 %a32 to i32
;   %61 = freeze i32 %60
;   %62 = trunc i64 %b32 to i32
;   %63 = freeze i32 %62
;   %64 = ashr i32 %61, 31
;   %65 = ashr i32 %63, 31
;   %66 = add i32 %61, %64
;   %67 = xor i32 %66, %64
;   %68 = add i32 %63, %65
;   %69 = xor i32 %68, %65
;   %70 = call i32 @llvm.expect.i32(i32 %69, i32 0)
;   %71 = urem i32 %67, %70
;   %72 = xor i32 %71, %64
;   %73 = sub i32 %72, %64
;   %74 = sext i32 %73 to i64
;   store volatile i64 %74, ptr %out, align 4
;   %a8 = shl i32 %a, 8
;   %as24 = ashr i32 %a8, 8
;   %b8 = shl i32 %b, 8
;   %bs24 = ashr i32 %b8, 8
;   %75 = call i32 @llvm.expect.i32(i32 %bs24, i32 0)
;   %76 = sdiv i32 %as24, %75
;   store volatile i32 %76, ptr %out, align 4
;   %t24 = trunc i32 %a to i24
;   %o24 = trunc i32 %b to i24
;   %77 = zext i24 %t24 to i32
;   %78 = zext i24 %o24 to i32
;   %79 = call i32 @llvm.expect.i32(i32 %78, i32 0)
;   %80 = udiv i32 %77, %79
;   %81 = trunc i32 %80 to i24
;   store volatile i24 %81, ptr %out, align 4
;   %82 = sext i24 %t24 to i32
;   %83 = sext i24 %o24 to i32
;   %84 = call i32 @llvm.expect.i32(i32 %83, i32 0)
;   %85 = sdiv i32 %82, %84
;   %86 = trunc i32 %85 to i24
;   store volatile i24 %86, ptr %out, align 4
;   %a16 = trunc i32 %a to i16
;   %b16 = trunc i32 %b to i16
;   %a15 = ashr i16 %a16, 1
;   %b15 = ashr i16 %b16, 1
;   %87 = call i16 @llvm.expect.i16(i16 %b15, i16 0)
;   %88 = sdiv i16 %a15, %87
;   store volatile i16 %88, ptr %out, align 2
;   %89 = trunc i64 %e64 to i32
;   %90 = sdiv i32 %89, 7
;   %91 = sext i32 %90 to i64
;   store volatile i64 %91, ptr %out, align 4
;   %92 = extractelement <2 x i16> %v, i32 0
;   %93 = extractelement <2 x i16> %w, i32 0
;   %94 = sdiv i16 %92, %93
;   %95 = insertelement <2 x i16> poison, i16 %94, i32 0
;   %96 = extractelement <2 x i16> %v, i32 1
;   %97 = extractelement <2 x i16> %w, i32 1
;   %98 = sdiv i16 %96, %97
;   %99 = insertelement <2 x i16> %95, i16 %98, i32 1
;   store volatile <2 x i16> %99, ptr %out, align 4
;   %v32 = sext <2 x i16> %v to <2 x i32>
;   %w32 = sext <2 x i16> %w to <2 x i32>
;   %100 = extractelement <2 x i32> %v32, i32 0
;   %101 = extractelement <2 x i32> %w32, i32 0
;   %102 = call i32 @llvm.expect.i32(i32 %101, i32 0)
;   %103 = shl i32 %102, 15
;   %104 = ashr i32 %103, 15
;   %105 = sdiv i32 %100, %104
;   %106 = insertelement <2 x i32> poison, i32 %105, i32 0
;   %107 = extractelement <2 x i32> %v32, i32 1
;   %108 = extractelement <2 x i32> %w32, i32 1
;   %109 = call i32 @llvm.expect.i32(i32 %108, i32 0)
;   %110 = shl i32 %109, 15
;   %111 = ashr i32 %110, 15
;   %112 = sdiv i32 %107, %111
;   %113 = insertelement <2 x i32> %106, i32 %112, i32 1
;   store volatile <2 x i32> %113, ptr %out, align 8
;   ret void
; }
;
; ; Function Attrs: minsize optsize
; define i32 @small(i32 %a, i32 %b) #0 {
;   %a8 = trunc i32 %a to i8
;   %wide = sext i8 %a8 to i32
;   %1 = call i32 @llvm.expect.i32(i32 1001, i32 0)
;   %2 = udiv i32 %wide, %1
;   ret i32 %2
; }
;
; define void @kept(i32 %a, i32 %b, i8 %e, i8 %f, i128 %l, i128 %m, ptr %out) {
;   %a22 = and i32 %a, 4194303
;   %b22 = and i32 %b, 4194303
;   %u22 = udiv i32 %a22, %b22
;   store volatile i32 %u22, ptr %out, align 4
;   %s8 = sdiv i8 %e, %f
;   store volatile i8 %s8, ptr %out, align 1
;   %by.constant = udiv i32 %a, 1001
;   store volatile i32 %by.constant, ptr %out, align 4
;   %u128 = udiv i128 %l, %m
;   store volatile i128 %u128, ptr %out, align 4
;   %float = sitofp i32 %a to float
;   store volatile float %float, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i32 @llvm.expect.i32(i32, i32) #1
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i64 @llvm.expect.i64(i64, i64) #1
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i16 @llvm.expect.i16(i16, i16) #1
;
; attributes #0 = { minsize optsize }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
