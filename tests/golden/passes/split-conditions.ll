; Conditions that the vectoriser has packed into a number are single conditions again, if the number is compared with
; that of all of them or of none.
; RUN: offloadc %s --run-pass=split_conditions --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(<2 x i64> %i, <2 x i64> %n, ptr %out) {
  %below = icmp ult <2 x i64> %i, %n
  %packed = bitcast <2 x i1> %below to i2
  %all = icmp eq i2 %packed, -1
  %not.all = icmp ne i2 %packed, -1
  %one = icmp eq i2 %packed, 1
  store i1 %all, ptr %out
  store i1 %not.all, ptr %out
  store i1 %one, ptr %out
  %frozen = freeze <2 x i1> %below
  %frozen.packed = bitcast <2 x i1> %frozen to i2
  %frozen.all = icmp eq i2 %frozen.packed, -1
  store i1 %frozen.all, ptr %out
  %equal = icmp eq <2 x i64> %i, %n
  %other = bitcast <2 x i1> %equal to i2
  %any = icmp ne i2 %other, 0
  store i1 %any, ptr %out
  %both = and <2 x i1> %below, %equal
  %four = shufflevector <2 x i1> %both, <2 x i1> %equal, <4 x i32> <i32 1, i32 0, i32 3, i32 3>
  %four.packed = bitcast <4 x i1> %four to i4
  %four.all = icmp eq i4 %four.packed, -1
  store i1 %four.all, ptr %out
  ret void
}

; Vectors that are no comparisons of integers stay: parameters, comparisons of floats, and vectors made with them. A
; part that a shuffle does not take may be anything. A comparison by order stays, and so does one of 64 conditions.
define void @kept(<2 x i64> %i, <2 x i1> %given, <2 x float> %x, <64 x i8> %bytes, ptr %out) {
  %below = icmp ult <2 x i64> %i, splat (i64 9)
  %taken = shufflevector <2 x i1> %below, <2 x i1> %given, <2 x i32> <i32 1, i32 poison>
  %taken.packed = bitcast <2 x i1> %taken to i2
  %taken.all = icmp eq i2 %taken.packed, -1
  store volatile i1 %taken.all, ptr %out
  %given.packed = bitcast <2 x i1> %given to i2
  %given.all = icmp eq i2 %given.packed, -1
  store volatile i1 %given.all, ptr %out
  %floats = fcmp olt <2 x float> %x, zeroinitializer
  %floats.packed = bitcast <2 x i1> %floats to i2
  %floats.all = icmp eq i2 %floats.packed, -1
  store volatile i1 %floats.all, ptr %out
  %frozen = freeze <2 x i1> %given
  %frozen.packed = bitcast <2 x i1> %frozen to i2
  %frozen.any = icmp ne i2 %frozen.packed, 0
  store volatile i1 %frozen.any, ptr %out
  %left = and <2 x i1> %floats, %below
  %left.packed = bitcast <2 x i1> %left to i2
  %left.all = icmp eq i2 %left.packed, -1
  store volatile i1 %left.all, ptr %out
  %right = or <2 x i1> %below, %given
  %right.packed = bitcast <2 x i1> %right to i2
  %right.all = icmp eq i2 %right.packed, -1
  store volatile i1 %right.all, ptr %out
  %first = shufflevector <2 x i1> %given, <2 x i1> %below, <2 x i32> <i32 0, i32 2>
  %first.packed = bitcast <2 x i1> %first to i2
  %first.all = icmp eq i2 %first.packed, -1
  store volatile i1 %first.all, ptr %out
  %second = shufflevector <2 x i1> %below, <2 x i1> %given, <2 x i32> <i32 0, i32 2>
  %second.packed = bitcast <2 x i1> %second to i2
  %second.all = icmp eq i2 %second.packed, -1
  store volatile i1 %second.all, ptr %out
  %packed = bitcast <2 x i1> %below to i2
  %order = icmp ult i2 %packed, -1
  store volatile i1 %order, ptr %out
  %many = icmp eq <64 x i8> %bytes, zeroinitializer
  %many.packed = bitcast <64 x i1> %many to i64
  %many.all = icmp eq i64 %many.packed, -1
  store volatile i1 %many.all, ptr %out
  ret void
}
;;; stdout
;
; define void @k(<2 x i64> %i, <2 x i64> %n, ptr %out) {
;   %below = icmp ult <2 x i64> %i, %n
;   %packed = bitcast <2 x i1> %below to i2
;   %1 = extractelement <2 x i64> %i, i32 0
;   %2 = extractelement <2 x i64> %n, i32 0
;   %3 = icmp ult i64 %1, %2
;   %4 = extractelement <2 x i64> %i, i32 1
;   %5 = extractelement <2 x i64> %n, i32 1
;   %6 = icmp ult i64 %4, %5
;   %7 = and i1 %3, %6
;   %8 = extractelement <2 x i64> %i, i32 0
;   %9 = extractelement <2 x i64> %n, i32 0
;   %10 = icmp ult i64 %8, %9
;   %11 = extractelement <2 x i64> %i, i32 1
;   %12 = extractelement <2 x i64> %n, i32 1
;   %13 = icmp ult i64 %11, %12
;   %14 = and i1 %10, %13
;   %15 = xor i1 %14, true
;   %one = icmp eq i2 %packed, 1
;   store i1 %7, ptr %out, align 1
;   store i1 %15, ptr %out, align 1
;   store i1 %one, ptr %out, align 1
;   %frozen = freeze <2 x i1> %below
;   %frozen.packed = bitcast <2 x i1> %frozen to i2
;   %16 = extractelement <2 x i64> %i, i32 0
;   %17 = extractelement <2 x i64> %n, i32 0
;   %18 = icmp ult i64 %16, %17
;   %19 = freeze i1 %18
;   %20 = extractelement <2 x i64> %i, i32 1
;   %21 = extractelement <2 x i64> %n, i32 1
;   %22 = icmp ult i64 %20, %21
;   %23 = freeze i1 %22
;   %24 = and i1 %19, %23
;   store i1 %24, ptr %out, align 1
;   %equal = icmp eq <2 x i64> %i, %n
;   %other = bitcast <2 x i1> %equal to i2
;   %25 = extractelement <2 x i64> %i, i32 0
;   %26 = extractelement <2 x i64> %n, i32 0
;   %27 = icmp eq i64 %25, %26
;   %28 = extractelement <2 x i64> %i, i32 1
;   %29 = extractelement <2 x i64> %n, i32 1
;   %30 = icmp eq i64 %28, %29
;   %31 = or i1 %27, %30
;   store i1 %31, ptr %out, align 1
;   %both = and <2 x i1> %below, %equal
;   %four = shufflevector <2 x i1> %both, <2 x i1> %equal, <4 x i32> <i32 1, i32 0, i32 3, i32 3>
;   %four.packed = bitcast <4 x i1> %four to i4
;   %32 = extractelement <2 x i64> %i, i32 1
;   %33 = extractelement <2 x i64> %n, i32 1
;   %34 = icmp ult i64 %32, %33
;   %35 = extractelement <2 x i64> %i, i32 1
;   %36 = extractelement <2 x i64> %n, i32 1
;   %37 = icmp eq i64 %35, %36
;   %38 = and i1 %34, %37
;   %39 = extractelement <2 x i64> %i, i32 0
;   %40 = extractelement <2 x i64> %n, i32 0
;   %41 = icmp ult i64 %39, %40
;   %42 = extractelement <2 x i64> %i, i32 0
;   %43 = extractelement <2 x i64> %n, i32 0
;   %44 = icmp eq i64 %42, %43
;   %45 = and i1 %41, %44
;   %46 = and i1 %38, %45
;   %47 = extractelement <2 x i64> %i, i32 1
;   %48 = extractelement <2 x i64> %n, i32 1
;   %49 = icmp eq i64 %47, %48
;   %50 = and i1 %46, %49
;   %51 = extractelement <2 x i64> %i, i32 1
;   %52 = extractelement <2 x i64> %n, i32 1
;   %53 = icmp eq i64 %51, %52
;   %54 = and i1 %50, %53
;   store i1 %54, ptr %out, align 1
;   ret void
; }
;
; define void @kept(<2 x i64> %i, <2 x i1> %given, <2 x float> %x, <64 x i8> %bytes, ptr %out) {
;   %below = icmp ult <2 x i64> %i, splat (i64 9)
;   %taken = shufflevector <2 x i1> %below, <2 x i1> %given, <2 x i32> <i32 1, i32 poison>
;   %taken.packed = bitcast <2 x i1> %taken to i2
;   %1 = extractelement <2 x i64> %i, i32 1
;   %2 = icmp ult i64 %1, 9
;   %3 = and i1 %2, poison
;   store volatile i1 %3, ptr %out, align 1
;   %given.packed = bitcast <2 x i1> %given to i2
;   %given.all = icmp eq i2 %given.packed, -1
;   store volatile i1 %given.all, ptr %out, align 1
;   %floats = fcmp olt <2 x float> %x, zeroinitializer
;   %floats.packed = bitcast <2 x i1> %floats to i2
;   %floats.all = icmp eq i2 %floats.packed, -1
;   store volatile i1 %floats.all, ptr %out, align 1
;   %frozen = freeze <2 x i1> %given
;   %frozen.packed = bitcast <2 x i1> %frozen to i2
;   %frozen.any = icmp ne i2 %frozen.packed, 0
;   store volatile i1 %frozen.any, ptr %out, align 1
;   %left = and <2 x i1> %floats, %below
;   %left.packed = bitcast <2 x i1> %left to i2
;   %left.all = icmp eq i2 %left.packed, -1
;   store volatile i1 %left.all, ptr %out, align 1
;   %right = or <2 x i1> %below, %given
;   %right.packed = bitcast <2 x i1> %right to i2
;   %right.all = icmp eq i2 %right.packed, -1
;   store volatile i1 %right.all, ptr %out, align 1
;   %first = shufflevector <2 x i1> %given, <2 x i1> %below, <2 x i32> <i32 0, i32 2>
;   %first.packed = bitcast <2 x i1> %first to i2
;   %first.all = icmp eq i2 %first.packed, -1
;   store volatile i1 %first.all, ptr %out, align 1
;   %second = shufflevector <2 x i1> %below, <2 x i1> %given, <2 x i32> <i32 0, i32 2>
;   %second.packed = bitcast <2 x i1> %second to i2
;   %second.all = icmp eq i2 %second.packed, -1
;   store volatile i1 %second.all, ptr %out, align 1
;   %packed = bitcast <2 x i1> %below to i2
;   %order = icmp ult i2 %packed, -1
;   store volatile i1 %order, ptr %out, align 1
;   %many = icmp eq <64 x i8> %bytes, zeroinitializer
;   %many.packed = bitcast <64 x i1> %many to i64
;   %many.all = icmp eq i64 %many.packed, -1
;   store volatile i1 %many.all, ptr %out, align 1
;   ret void
; }
