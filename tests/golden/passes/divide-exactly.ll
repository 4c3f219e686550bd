; A division that the back end for AMD GPUs would get wrong is one of numbers of which it knows less. A division of at most
; 22 bits stays, and so does one whose quotient overflows only where it is undefined, one by a constant that becomes a
; product, and one of more than 64 bits.
; RUN: offloadc %s --run-pass=divide_exactly --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(i32 %a, i32 %b, i64 %c, i64 %d, i8 %e, i8 %f, <2 x i16> %v, <2 x i16> %w, i128 %l, ptr %out) {
  %a24 = and i32 %a, 16777215
  %b24 = and i32 %b, 16777215
  %u24 = udiv i32 %a24, %b24
  store volatile i32 %u24, ptr %out
  %u32 = urem i32 %a, %b
  store volatile i32 %u32, ptr %out
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
;   %c24 = and i64 %c, 16777215
;   %d23 = and i64 %d, 8388607
;   %5 = trunc i64 %c24 to i32
;   %6 = trunc i64 %d23 to i32
;   %7 = call i32 @llvm.expect.i32(i32 %6, i32 0)
;   %8 = udiv i32 %5, %7
;   %9 = zext i32 %8 to i64
;   store volatile i64 %9, ptr %out, align 4
;   %10 = trunc i64 %c24 to i32
;   %11 = udiv i32 %10, 1001
;   %12 = zext i32 %11 to i64
;   store volatile i64 %12, ptr %out, align 4
;   %13 = call i64 @llvm.expect.i64(i64 %d, i64 0)
;   %14 = udiv i64 %c, %13
;   store volatile i64 %14, ptr %out, align 4
;   %15 = freeze i64 %c
;   %16 = freeze i64 %d
;   %17 = ashr i64 %15, 63
;   %18 = ashr i64 %16, 63
;   %19 = add i64 %15, %17
;   %20 = xor i64 %19, %17
;   %21 = add i64 %16, %18
;   %22 = xor i64 %21, %18
;   %23 = call i64 @llvm.expect.i64(i64 %22, i64 0)
;   %24 = udiv i64 %20, %23
;   %25 = xor i64 %17, %18
;   %26 = xor i64 %24, %25
;   %27 = sub i64 %26, %25
;   store volatile i64 %27, ptr %out, align 4
;   %28 = call i64 @llvm.expect.i64(i64 1001, i64 0)
;   %29 = sdiv i64 %c, %28
;   store volatile i64 %29, ptr %out, align 4
;   %e32 = sext i8 %e to i32
;   %f32 = sext i8 %f to i32
;   %30 = call i32 @llvm.expect.i32(i32 %f32, i32 0)
;   %31 = shl i32 %30, 23
;   %32 = ashr i32 %31, 23
;   %33 = sdiv i32 %e32, %32
;   store volatile i32 %33, ptr %out, align 4
;   %e64 = sext i8 %e to i64
;   %f64 = sext i8 %f to i64
;   %34 = trunc i64 %e64 to i32
;   %35 = trunc i64 %f64 to i32
;   %36 = call i32 @llvm.expect.i32(i32 %35, i32 0)
;   %37 = shl i32 %36, 23
;   %38 = ashr i32 %37, 23
;   %39 = srem i32 %34, %38
;   %40 = sext i32 %39 to i64
;   store volatile i64 %40, ptr %out, align 4
;   %a32 = sext i32 %a to i64
;   %b32 = sext i32 %b to i64
;   %41 = trunc i64 %a32 to i32
;   %42 = freeze i32 %41
;   %43 = trunc i64 %b32 to i32
;   %44 = freeze i32 %43
;   %45 = ashr i32 %42, 31
;   %46 = ashr i32 %44, 31
;   %47 = add i32 %42, %45
;   %48 = xor i32 %47, %45
;   %49 = add i32 %44, %46
;   %50 = xor i32 %49, %46
;   %51 = call i32 @llvm.expect.i32(i32 %50, i32 0)
;   %52 = udiv i32 %48, %51
;   %53 = zext i32 %52 to i64
;   %54 = xor i32 %45, %46
;   %55 = sext i32 %54 to i64
;   %56 = xor i64 %53, %55
;   %57 = sub i64 %56, %55
;   store volatile i64 %57, ptr %out, align 4
;   %58 = trunc i64 %a32 to i32
;   %59 = freeze i32 %58
;   %60 = trunc i64 %b32 to i32
;   %61 = freeze i32 %60
;   %62 = ashr i32 %59, 31
;   %63 = ashr i32 %61, 31
;   %64 = add i32 %59, %62
;   %65 = xor i32 %64, %62
;   %66 = add i32 %61, %63
;   %67 = xor i32 %66, %63
;   %68 = call i32 @llvm.expect.i32(i32 %67, i32 0)
;   %69 = urem i32 %65, %68
;   %70 = xor i32 %69, %62
;   %71 = sub i32 %70, %62
;   %72 = sext i32 %71 to i64
;   store volatile i64 %72, ptr %out, align 4
;   %a8 = shl i32 %a, 8
;   %as24 = ashr i32 %a8, 8
;   %b8 = shl i32 %b, 8
;   %bs24 = ashr i32 %b8, 8
;   %73 = call i32 @llvm.expect.i32(i32 %bs24, i32 0)
;   %74 = sdiv i32 %as24, %73
;   store volatile i32 %74, ptr %out, align 4
;   %t24 = trunc i32 %a to i24
;   %o24 = trunc i32 %b to i24
;   %75 = zext i24 %t24 to i32
;   %76 = zext i24 %o24 to i32
;   %77 = call i32 @llvm.expect.i32(i32 %76, i32 0)
;   %78 = udiv i32 %75, %77
;   %79 = trunc i32 %78 to i24
;   store volatile i24 %79, ptr %out, align 4
;   %80 = extractelement <2 x i16> %v, i32 0
;   %81 = extractelement <2 x i16> %w, i32 0
;   %82 = sdiv i16 %80, %81
;   %83 = insertelement <2 x i16> poison, i16 %82, i32 0
;   %84 = extractelement <2 x i16> %v, i32 1
;   %85 = extractelement <2 x i16> %w, i32 1
;   %86 = sdiv i16 %84, %85
;   %87 = insertelement <2 x i16> %83, i16 %86, i32 1
;   store volatile <2 x i16> %87, ptr %out, align 4
;   %v32 = sext <2 x i16> %v to <2 x i32>
;   %w32 = sext <2 x i16> %w to <2 x i32>
;   %88 = extractelement <2 x i32> %v32, i32 0
;   %89 = extractelement <2 x i32> %w32, i32 0
;   %90 = call i32 @llvm.expect.i32(i32 %89, i32 0)
;   %91 = shl i32 %90, 15
;   %92 = ashr i32 %91, 15
;   %93 = sdiv i32 %88, %92
;   %94 = insertelement <2 x i32> poison, i32 %93, i32 0
;   %95 = extractelement <2 x i32> %v32, i32 1
;   %96 = extractelement <2 x i32> %w32, i32 1
;   %97 = call i32 @llvm.expect.i32(i32 %96, i32 0)
;   %98 = shl i32 %97, 15
;   %99 = ashr i32 %98, 15
;   %100 = sdiv i32 %95, %99
;   %101 = insertelement <2 x i32> %94, i32 %100, i32 1
;   store volatile <2 x i32> %101, ptr %out, align 8
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
; attributes #0 = { minsize optsize }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
