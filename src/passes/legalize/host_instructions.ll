; Instructions that every x86-64 processor has, for which LLVM has intrinsics: their definitions for devices. The name
; of each is that of its intrinsic with the prefix `offloadc.`. Only those that are called are linked into a module. The
; source of their meaning is Intel's manual, volume 2; the comment is the mnemonic. `rcpps` and `rsqrtps` may have a
; relative error of 1.5 * 2^-12 and differ between processors; these are as exact as a division.

; adc
define linkonce_odr { i8, i32 } @offloadc.llvm.x86.addcarry.32(i8 %carry, i32 %a, i32 %b) nounwind memory(none) {
  %in = icmp ne i8 %carry, 0
  %one = zext i1 %in to i32
  %first = add i32 %a, %b
  %sum = add i32 %first, %one
  %over = icmp ult i32 %first, %a
  %again = icmp ult i32 %sum, %first
  %any = or i1 %over, %again
  %out = zext i1 %any to i8
  %result = insertvalue { i8, i32 } poison, i8 %out, 0
  %both = insertvalue { i8, i32 } %result, i32 %sum, 1
  ret { i8, i32 } %both
}

; sbb
define linkonce_odr { i8, i32 } @offloadc.llvm.x86.subborrow.32(i8 %borrow, i32 %a, i32 %b) nounwind memory(none) {
  %in = icmp ne i8 %borrow, 0
  %one = zext i1 %in to i32
  %first = sub i32 %a, %b
  %rest = sub i32 %first, %one
  %under = icmp ult i32 %a, %b
  %again = icmp ult i32 %first, %one
  %any = or i1 %under, %again
  %out = zext i1 %any to i8
  %result = insertvalue { i8, i32 } poison, i8 %out, 0
  %both = insertvalue { i8, i32 } %result, i32 %rest, 1
  ret { i8, i32 } %both
}

; adc
define linkonce_odr { i8, i64 } @offloadc.llvm.x86.addcarry.64(i8 %carry, i64 %a, i64 %b) nounwind memory(none) {
  %in = icmp ne i8 %carry, 0
  %one = zext i1 %in to i64
  %first = add i64 %a, %b
  %sum = add i64 %first, %one
  %over = icmp ult i64 %first, %a
  %again = icmp ult i64 %sum, %first
  %any = or i1 %over, %again
  %out = zext i1 %any to i8
  %result = insertvalue { i8, i64 } poison, i8 %out, 0
  %both = insertvalue { i8, i64 } %result, i64 %sum, 1
  ret { i8, i64 } %both
}

; sbb
define linkonce_odr { i8, i64 } @offloadc.llvm.x86.subborrow.64(i8 %borrow, i64 %a, i64 %b) nounwind memory(none) {
  %in = icmp ne i8 %borrow, 0
  %one = zext i1 %in to i64
  %first = sub i64 %a, %b
  %rest = sub i64 %first, %one
  %under = icmp ult i64 %a, %b
  %again = icmp ult i64 %first, %one
  %any = or i1 %under, %again
  %out = zext i1 %any to i8
  %result = insertvalue { i8, i64 } poison, i8 %out, 0
  %both = insertvalue { i8, i64 } %result, i64 %rest, 1
  ret { i8, i64 } %both
}

; minps
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.min.ps(<4 x float> %a, <4 x float> %b) nounwind memory(none) {
  %c = fcmp olt <4 x float> %a, %b
  %r = select <4 x i1> %c, <4 x float> %a, <4 x float> %b
  ret <4 x float> %r
}

; minss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.min.ss(<4 x float> %a, <4 x float> %b) nounwind memory(none) {
  %x = extractelement <4 x float> %a, i32 0
  %y = extractelement <4 x float> %b, i32 0
  %c = fcmp olt float %x, %y
  %m = select i1 %c, float %x, float %y
  %r = insertelement <4 x float> %a, float %m, i32 0
  ret <4 x float> %r
}

; maxps
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.max.ps(<4 x float> %a, <4 x float> %b) nounwind memory(none) {
  %c = fcmp ogt <4 x float> %a, %b
  %r = select <4 x i1> %c, <4 x float> %a, <4 x float> %b
  ret <4 x float> %r
}

; maxss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.max.ss(<4 x float> %a, <4 x float> %b) nounwind memory(none) {
  %x = extractelement <4 x float> %a, i32 0
  %y = extractelement <4 x float> %b, i32 0
  %c = fcmp ogt float %x, %y
  %m = select i1 %c, float %x, float %y
  %r = insertelement <4 x float> %a, float %m, i32 0
  ret <4 x float> %r
}

; cmpps
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.cmp.ps(<4 x float> %a, <4 x float> %b, i8 %predicate) nounwind memory(none) {
  %c0 = fcmp oeq <4 x float> %a, %b
  %c1 = fcmp olt <4 x float> %a, %b
  %c2 = fcmp ole <4 x float> %a, %b
  %c3 = fcmp uno <4 x float> %a, %b
  %c4 = fcmp une <4 x float> %a, %b
  %c5 = fcmp uge <4 x float> %a, %b
  %c6 = fcmp ugt <4 x float> %a, %b
  %c7 = fcmp ord <4 x float> %a, %b
  %is1 = icmp eq i8 %predicate, 1
  %s1 = select i1 %is1, <4 x i1> %c1, <4 x i1> %c0
  %is2 = icmp eq i8 %predicate, 2
  %s2 = select i1 %is2, <4 x i1> %c2, <4 x i1> %s1
  %is3 = icmp eq i8 %predicate, 3
  %s3 = select i1 %is3, <4 x i1> %c3, <4 x i1> %s2
  %is4 = icmp eq i8 %predicate, 4
  %s4 = select i1 %is4, <4 x i1> %c4, <4 x i1> %s3
  %is5 = icmp eq i8 %predicate, 5
  %s5 = select i1 %is5, <4 x i1> %c5, <4 x i1> %s4
  %is6 = icmp eq i8 %predicate, 6
  %s6 = select i1 %is6, <4 x i1> %c6, <4 x i1> %s5
  %is7 = icmp eq i8 %predicate, 7
  %s7 = select i1 %is7, <4 x i1> %c7, <4 x i1> %s6
  %wide = sext <4 x i1> %s7 to <4 x i32>
  %r = bitcast <4 x i32> %wide to <4 x float>
  ret <4 x float> %r
}

; cmpss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.cmp.ss(<4 x float> %a, <4 x float> %b, i8 %predicate) nounwind memory(none) {
  %all = call <4 x float> @offloadc.llvm.x86.sse.cmp.ps(<4 x float> %a, <4 x float> %b, i8 %predicate)
  %x = extractelement <4 x float> %all, i32 0
  %r = insertelement <4 x float> %a, float %x, i32 0
  ret <4 x float> %r
}

; movmskps
define linkonce_odr i32 @offloadc.llvm.x86.sse.movmsk.ps(<4 x float> %a) nounwind memory(none) {
  %bits = bitcast <4 x float> %a to <4 x i32>
  %c = icmp slt <4 x i32> %bits, zeroinitializer
  %m = bitcast <4 x i1> %c to i4
  %r = zext i4 %m to i32
  ret i32 %r
}

; cvtss2si
define linkonce_odr i32 @offloadc.llvm.x86.sse.cvtss2si(<4 x float> %a) nounwind memory(none) {
  %given = extractelement <4 x float> %a, i32 0
  %x = call float @llvm.roundeven.f32(float %given)
  %above = fcmp oge float %x, 0xC1E0000000000000
  %below = fcmp olt float %x, 0x41E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, float %x, float 0.0
  %number = fptosi float %safe to i32
  %r = select i1 %fits, i32 %number, i32 -2147483648
  ret i32 %r
}

; cvttss2si
define linkonce_odr i32 @offloadc.llvm.x86.sse.cvttss2si(<4 x float> %a) nounwind memory(none) {
  %x = extractelement <4 x float> %a, i32 0
  %above = fcmp oge float %x, 0xC1E0000000000000
  %below = fcmp olt float %x, 0x41E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, float %x, float 0.0
  %number = fptosi float %safe to i32
  %r = select i1 %fits, i32 %number, i32 -2147483648
  ret i32 %r
}

; cvtss2si
define linkonce_odr i64 @offloadc.llvm.x86.sse.cvtss2si64(<4 x float> %a) nounwind memory(none) {
  %given = extractelement <4 x float> %a, i32 0
  %x = call float @llvm.roundeven.f32(float %given)
  %above = fcmp oge float %x, 0xC3E0000000000000
  %below = fcmp olt float %x, 0x43E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, float %x, float 0.0
  %number = fptosi float %safe to i64
  %r = select i1 %fits, i64 %number, i64 -9223372036854775808
  ret i64 %r
}

; cvttss2si
define linkonce_odr i64 @offloadc.llvm.x86.sse.cvttss2si64(<4 x float> %a) nounwind memory(none) {
  %x = extractelement <4 x float> %a, i32 0
  %above = fcmp oge float %x, 0xC3E0000000000000
  %below = fcmp olt float %x, 0x43E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, float %x, float 0.0
  %number = fptosi float %safe to i64
  %r = select i1 %fits, i64 %number, i64 -9223372036854775808
  ret i64 %r
}

; minpd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.min.pd(<2 x double> %a, <2 x double> %b) nounwind memory(none) {
  %c = fcmp olt <2 x double> %a, %b
  %r = select <2 x i1> %c, <2 x double> %a, <2 x double> %b
  ret <2 x double> %r
}

; minsd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.min.sd(<2 x double> %a, <2 x double> %b) nounwind memory(none) {
  %x = extractelement <2 x double> %a, i32 0
  %y = extractelement <2 x double> %b, i32 0
  %c = fcmp olt double %x, %y
  %m = select i1 %c, double %x, double %y
  %r = insertelement <2 x double> %a, double %m, i32 0
  ret <2 x double> %r
}

; maxpd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.max.pd(<2 x double> %a, <2 x double> %b) nounwind memory(none) {
  %c = fcmp ogt <2 x double> %a, %b
  %r = select <2 x i1> %c, <2 x double> %a, <2 x double> %b
  ret <2 x double> %r
}

; maxsd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.max.sd(<2 x double> %a, <2 x double> %b) nounwind memory(none) {
  %x = extractelement <2 x double> %a, i32 0
  %y = extractelement <2 x double> %b, i32 0
  %c = fcmp ogt double %x, %y
  %m = select i1 %c, double %x, double %y
  %r = insertelement <2 x double> %a, double %m, i32 0
  ret <2 x double> %r
}

; cmppd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.cmp.pd(<2 x double> %a, <2 x double> %b, i8 %predicate) nounwind memory(none) {
  %c0 = fcmp oeq <2 x double> %a, %b
  %c1 = fcmp olt <2 x double> %a, %b
  %c2 = fcmp ole <2 x double> %a, %b
  %c3 = fcmp uno <2 x double> %a, %b
  %c4 = fcmp une <2 x double> %a, %b
  %c5 = fcmp uge <2 x double> %a, %b
  %c6 = fcmp ugt <2 x double> %a, %b
  %c7 = fcmp ord <2 x double> %a, %b
  %is1 = icmp eq i8 %predicate, 1
  %s1 = select i1 %is1, <2 x i1> %c1, <2 x i1> %c0
  %is2 = icmp eq i8 %predicate, 2
  %s2 = select i1 %is2, <2 x i1> %c2, <2 x i1> %s1
  %is3 = icmp eq i8 %predicate, 3
  %s3 = select i1 %is3, <2 x i1> %c3, <2 x i1> %s2
  %is4 = icmp eq i8 %predicate, 4
  %s4 = select i1 %is4, <2 x i1> %c4, <2 x i1> %s3
  %is5 = icmp eq i8 %predicate, 5
  %s5 = select i1 %is5, <2 x i1> %c5, <2 x i1> %s4
  %is6 = icmp eq i8 %predicate, 6
  %s6 = select i1 %is6, <2 x i1> %c6, <2 x i1> %s5
  %is7 = icmp eq i8 %predicate, 7
  %s7 = select i1 %is7, <2 x i1> %c7, <2 x i1> %s6
  %wide = sext <2 x i1> %s7 to <2 x i64>
  %r = bitcast <2 x i64> %wide to <2 x double>
  ret <2 x double> %r
}

; cmpsd
define linkonce_odr <2 x double> @offloadc.llvm.x86.sse2.cmp.sd(<2 x double> %a, <2 x double> %b, i8 %predicate) nounwind memory(none) {
  %all = call <2 x double> @offloadc.llvm.x86.sse2.cmp.pd(<2 x double> %a, <2 x double> %b, i8 %predicate)
  %x = extractelement <2 x double> %all, i32 0
  %r = insertelement <2 x double> %a, double %x, i32 0
  ret <2 x double> %r
}

; movmskpd
define linkonce_odr i32 @offloadc.llvm.x86.sse2.movmsk.pd(<2 x double> %a) nounwind memory(none) {
  %bits = bitcast <2 x double> %a to <2 x i64>
  %c = icmp slt <2 x i64> %bits, zeroinitializer
  %m = bitcast <2 x i1> %c to i2
  %r = zext i2 %m to i32
  ret i32 %r
}

; cvtsd2si
define linkonce_odr i32 @offloadc.llvm.x86.sse2.cvtsd2si(<2 x double> %a) nounwind memory(none) {
  %given = extractelement <2 x double> %a, i32 0
  %x = call double @llvm.roundeven.f64(double %given)
  %above = fcmp ogt double %x, -2147483649.0
  %below = fcmp olt double %x, 2147483648.0
  %fits = and i1 %above, %below
  %safe = select i1 %fits, double %x, double 0.0
  %number = fptosi double %safe to i32
  %r = select i1 %fits, i32 %number, i32 -2147483648
  ret i32 %r
}

; cvttsd2si
define linkonce_odr i32 @offloadc.llvm.x86.sse2.cvttsd2si(<2 x double> %a) nounwind memory(none) {
  %x = extractelement <2 x double> %a, i32 0
  %above = fcmp ogt double %x, -2147483649.0
  %below = fcmp olt double %x, 2147483648.0
  %fits = and i1 %above, %below
  %safe = select i1 %fits, double %x, double 0.0
  %number = fptosi double %safe to i32
  %r = select i1 %fits, i32 %number, i32 -2147483648
  ret i32 %r
}

; cvtsd2si
define linkonce_odr i64 @offloadc.llvm.x86.sse2.cvtsd2si64(<2 x double> %a) nounwind memory(none) {
  %given = extractelement <2 x double> %a, i32 0
  %x = call double @llvm.roundeven.f64(double %given)
  %above = fcmp oge double %x, 0xC3E0000000000000
  %below = fcmp olt double %x, 0x43E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, double %x, double 0.0
  %number = fptosi double %safe to i64
  %r = select i1 %fits, i64 %number, i64 -9223372036854775808
  ret i64 %r
}

; cvttsd2si
define linkonce_odr i64 @offloadc.llvm.x86.sse2.cvttsd2si64(<2 x double> %a) nounwind memory(none) {
  %x = extractelement <2 x double> %a, i32 0
  %above = fcmp oge double %x, 0xC3E0000000000000
  %below = fcmp olt double %x, 0x43E0000000000000
  %fits = and i1 %above, %below
  %safe = select i1 %fits, double %x, double 0.0
  %number = fptosi double %safe to i64
  %r = select i1 %fits, i64 %number, i64 -9223372036854775808
  ret i64 %r
}

; cvtps2dq
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.cvtps2dq(<4 x float> %a) nounwind memory(none) {
  %x = call <4 x float> @llvm.roundeven.v4f32(<4 x float> %a)
  %above = fcmp oge <4 x float> %x, splat (float 0xC1E0000000000000)
  %below = fcmp olt <4 x float> %x, splat (float 0x41E0000000000000)
  %fits = and <4 x i1> %above, %below
  %safe = select <4 x i1> %fits, <4 x float> %x, <4 x float> zeroinitializer
  %number = fptosi <4 x float> %safe to <4 x i32>
  %r = select <4 x i1> %fits, <4 x i32> %number, <4 x i32> splat (i32 -2147483648)
  ret <4 x i32> %r
}

; cvttps2dq
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.cvttps2dq(<4 x float> %a) nounwind memory(none) {
  %above = fcmp oge <4 x float> %a, splat (float 0xC1E0000000000000)
  %below = fcmp olt <4 x float> %a, splat (float 0x41E0000000000000)
  %fits = and <4 x i1> %above, %below
  %safe = select <4 x i1> %fits, <4 x float> %a, <4 x float> zeroinitializer
  %number = fptosi <4 x float> %safe to <4 x i32>
  %r = select <4 x i1> %fits, <4 x i32> %number, <4 x i32> splat (i32 -2147483648)
  ret <4 x i32> %r
}

; cvtpd2dq
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.cvtpd2dq(<2 x double> %a) nounwind memory(none) {
  %x = call <2 x double> @llvm.roundeven.v2f64(<2 x double> %a)
  %above = fcmp ogt <2 x double> %x, splat (double -2147483649.0)
  %below = fcmp olt <2 x double> %x, splat (double 0x41E0000000000000)
  %fits = and <2 x i1> %above, %below
  %safe = select <2 x i1> %fits, <2 x double> %x, <2 x double> zeroinitializer
  %number = fptosi <2 x double> %safe to <2 x i32>
  %r = select <2 x i1> %fits, <2 x i32> %number, <2 x i32> splat (i32 -2147483648)
  %w = shufflevector <2 x i32> %r, <2 x i32> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i32> %w
}

; cvttpd2dq
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.cvttpd2dq(<2 x double> %a) nounwind memory(none) {
  %above = fcmp ogt <2 x double> %a, splat (double -2147483649.0)
  %below = fcmp olt <2 x double> %a, splat (double 0x41E0000000000000)
  %fits = and <2 x i1> %above, %below
  %safe = select <2 x i1> %fits, <2 x double> %a, <2 x double> zeroinitializer
  %number = fptosi <2 x double> %safe to <2 x i32>
  %r = select <2 x i1> %fits, <2 x i32> %number, <2 x i32> splat (i32 -2147483648)
  %w = shufflevector <2 x i32> %r, <2 x i32> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i32> %w
}

; cvtsd2ss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse2.cvtsd2ss(<4 x float> %a, <2 x double> %b) nounwind memory(none) {
  %x = extractelement <2 x double> %b, i32 0
  %y = fptrunc double %x to float
  %r = insertelement <4 x float> %a, float %y, i32 0
  ret <4 x float> %r
}

; rcpps
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.rcp.ps(<4 x float> %a) nounwind memory(none) {
  %d = fdiv <4 x float> splat (float 1.0), %a
  ret <4 x float> %d
}

; rcpss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.rcp.ss(<4 x float> %a) nounwind memory(none) {
  %all = call <4 x float> @offloadc.llvm.x86.sse.rcp.ps(<4 x float> %a)
  %x = extractelement <4 x float> %all, i32 0
  %r = insertelement <4 x float> %a, float %x, i32 0
  ret <4 x float> %r
}

; rsqrtps
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.rsqrt.ps(<4 x float> %a) nounwind memory(none) {
  %q = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %a)
  %d = fdiv <4 x float> splat (float 1.0), %q
  ret <4 x float> %d
}

; rsqrtss
define linkonce_odr <4 x float> @offloadc.llvm.x86.sse.rsqrt.ss(<4 x float> %a) nounwind memory(none) {
  %all = call <4 x float> @offloadc.llvm.x86.sse.rsqrt.ps(<4 x float> %a)
  %x = extractelement <4 x float> %all, i32 0
  %r = insertelement <4 x float> %a, float %x, i32 0
  ret <4 x float> %r
}

; pmovmskb
define linkonce_odr i32 @offloadc.llvm.x86.sse2.pmovmskb.128(<16 x i8> %a) nounwind memory(none) {
  %c = icmp slt <16 x i8> %a, zeroinitializer
  %m = bitcast <16 x i1> %c to i16
  %r = zext i16 %m to i32
  ret i32 %r
}

; packsswb
define linkonce_odr <16 x i8> @offloadc.llvm.x86.sse2.packsswb.128(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %both = shufflevector <8 x i16> %a, <8 x i16> %b, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %low = call <16 x i16> @llvm.smax.v16i16(<16 x i16> %both, <16 x i16> splat (i16 -128))
  %in = call <16 x i16> @llvm.smin.v16i16(<16 x i16> %low, <16 x i16> splat (i16 127))
  %r = trunc <16 x i16> %in to <16 x i8>
  ret <16 x i8> %r
}

; packssdw
define linkonce_odr <8 x i16> @offloadc.llvm.x86.sse2.packssdw.128(<4 x i32> %a, <4 x i32> %b) nounwind memory(none) {
  %both = shufflevector <4 x i32> %a, <4 x i32> %b, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %low = call <8 x i32> @llvm.smax.v8i32(<8 x i32> %both, <8 x i32> splat (i32 -32768))
  %in = call <8 x i32> @llvm.smin.v8i32(<8 x i32> %low, <8 x i32> splat (i32 32767))
  %r = trunc <8 x i32> %in to <8 x i16>
  ret <8 x i16> %r
}

; packuswb
define linkonce_odr <16 x i8> @offloadc.llvm.x86.sse2.packuswb.128(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %both = shufflevector <8 x i16> %a, <8 x i16> %b, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %low = call <16 x i16> @llvm.smax.v16i16(<16 x i16> %both, <16 x i16> splat (i16 0))
  %in = call <16 x i16> @llvm.smin.v16i16(<16 x i16> %low, <16 x i16> splat (i16 255))
  %r = trunc <16 x i16> %in to <16 x i8>
  ret <16 x i8> %r
}

; pmaddwd
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.pmadd.wd(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %x = sext <8 x i16> %a to <8 x i32>
  %y = sext <8 x i16> %b to <8 x i32>
  %p = mul <8 x i32> %x, %y
  %even = shufflevector <8 x i32> %p, <8 x i32> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %odd = shufflevector <8 x i32> %p, <8 x i32> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
  %r = add <4 x i32> %even, %odd
  ret <4 x i32> %r
}

; psadbw
define linkonce_odr <2 x i64> @offloadc.llvm.x86.sse2.psad.bw(<16 x i8> %a, <16 x i8> %b) nounwind memory(none) {
  %x = zext <16 x i8> %a to <16 x i32>
  %y = zext <16 x i8> %b to <16 x i32>
  %d = sub <16 x i32> %x, %y
  %p = call <16 x i32> @llvm.abs.v16i32(<16 x i32> %d, i1 true)
  %first = shufflevector <16 x i32> %p, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %second = shufflevector <16 x i32> %p, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %s = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %first)
  %t = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %second)
  %u = zext i32 %s to i64
  %v = zext i32 %t to i64
  %w = insertelement <2 x i64> poison, i64 %u, i32 0
  %r = insertelement <2 x i64> %w, i64 %v, i32 1
  ret <2 x i64> %r
}

; psllw
define linkonce_odr <8 x i16> @offloadc.llvm.x86.sse2.psll.w(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %halves = bitcast <8 x i16> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 16
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = trunc i64 %safe to i16
  %one = insertelement <8 x i16> poison, i16 %narrow, i32 0
  %all = shufflevector <8 x i16> %one, <8 x i16> poison, <8 x i32> zeroinitializer
  %shifted = shl <8 x i16> %a, %all
  %r = select i1 %small, <8 x i16> %shifted, <8 x i16> zeroinitializer
  ret <8 x i16> %r
}

; pslld
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.psll.d(<4 x i32> %a, <4 x i32> %b) nounwind memory(none) {
  %halves = bitcast <4 x i32> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 32
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = trunc i64 %safe to i32
  %one = insertelement <4 x i32> poison, i32 %narrow, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %shifted = shl <4 x i32> %a, %all
  %r = select i1 %small, <4 x i32> %shifted, <4 x i32> zeroinitializer
  ret <4 x i32> %r
}

; psllq
define linkonce_odr <2 x i64> @offloadc.llvm.x86.sse2.psll.q(<2 x i64> %a, <2 x i64> %b) nounwind memory(none) {
  %halves = bitcast <2 x i64> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 64
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = or i64 %safe, 0
  %one = insertelement <2 x i64> poison, i64 %narrow, i32 0
  %all = shufflevector <2 x i64> %one, <2 x i64> poison, <2 x i32> zeroinitializer
  %shifted = shl <2 x i64> %a, %all
  %r = select i1 %small, <2 x i64> %shifted, <2 x i64> zeroinitializer
  ret <2 x i64> %r
}

; psrlw
define linkonce_odr <8 x i16> @offloadc.llvm.x86.sse2.psrl.w(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %halves = bitcast <8 x i16> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 16
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = trunc i64 %safe to i16
  %one = insertelement <8 x i16> poison, i16 %narrow, i32 0
  %all = shufflevector <8 x i16> %one, <8 x i16> poison, <8 x i32> zeroinitializer
  %shifted = lshr <8 x i16> %a, %all
  %r = select i1 %small, <8 x i16> %shifted, <8 x i16> zeroinitializer
  ret <8 x i16> %r
}

; psrld
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.psrl.d(<4 x i32> %a, <4 x i32> %b) nounwind memory(none) {
  %halves = bitcast <4 x i32> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 32
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = trunc i64 %safe to i32
  %one = insertelement <4 x i32> poison, i32 %narrow, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %shifted = lshr <4 x i32> %a, %all
  %r = select i1 %small, <4 x i32> %shifted, <4 x i32> zeroinitializer
  ret <4 x i32> %r
}

; psrlq
define linkonce_odr <2 x i64> @offloadc.llvm.x86.sse2.psrl.q(<2 x i64> %a, <2 x i64> %b) nounwind memory(none) {
  %halves = bitcast <2 x i64> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 64
  %safe = select i1 %small, i64 %count, i64 0
  %narrow = or i64 %safe, 0
  %one = insertelement <2 x i64> poison, i64 %narrow, i32 0
  %all = shufflevector <2 x i64> %one, <2 x i64> poison, <2 x i32> zeroinitializer
  %shifted = lshr <2 x i64> %a, %all
  %r = select i1 %small, <2 x i64> %shifted, <2 x i64> zeroinitializer
  ret <2 x i64> %r
}

; psraw
define linkonce_odr <8 x i16> @offloadc.llvm.x86.sse2.psra.w(<8 x i16> %a, <8 x i16> %b) nounwind memory(none) {
  %halves = bitcast <8 x i16> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 16
  %safe = select i1 %small, i64 %count, i64 15
  %narrow = trunc i64 %safe to i16
  %one = insertelement <8 x i16> poison, i16 %narrow, i32 0
  %all = shufflevector <8 x i16> %one, <8 x i16> poison, <8 x i32> zeroinitializer
  %shifted = ashr <8 x i16> %a, %all
  %r = add <8 x i16> %shifted, zeroinitializer
  ret <8 x i16> %r
}

; psrad
define linkonce_odr <4 x i32> @offloadc.llvm.x86.sse2.psra.d(<4 x i32> %a, <4 x i32> %b) nounwind memory(none) {
  %halves = bitcast <4 x i32> %b to <2 x i64>
  %count = extractelement <2 x i64> %halves, i32 0
  %small = icmp ult i64 %count, 32
  %safe = select i1 %small, i64 %count, i64 31
  %narrow = trunc i64 %safe to i32
  %one = insertelement <4 x i32> poison, i32 %narrow, i32 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %shifted = ashr <4 x i32> %a, %all
  %r = add <4 x i32> %shifted, zeroinitializer
  ret <4 x i32> %r
}

declare <16 x i16> @llvm.smax.v16i16(<16 x i16>, <16 x i16>)
declare <16 x i16> @llvm.smin.v16i16(<16 x i16>, <16 x i16>)
declare <16 x i32> @llvm.abs.v16i32(<16 x i32>, i1)
declare <2 x double> @llvm.roundeven.v2f64(<2 x double>)
declare <4 x float> @llvm.roundeven.v4f32(<4 x float>)
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)
declare <8 x i32> @llvm.smax.v8i32(<8 x i32>, <8 x i32>)
declare <8 x i32> @llvm.smin.v8i32(<8 x i32>, <8 x i32>)
declare double @llvm.roundeven.f64(double)
declare float @llvm.roundeven.f32(float)
declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)
