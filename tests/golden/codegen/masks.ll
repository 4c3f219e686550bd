; The signs of a vector are an integer and a mask: the second must be written before it is read.
; RUN: offloadc -w %s --offload-arch=cpu:x86-64-v4 --emit=codegen=- | grep -oE 'vpmovd2m|kmovb|vmovmskps'
; FAIL[without]: offloadc -w %s --offload-arch=cpu:x86-64-v4 --without-workaround=keep_masks --emit=codegen=- | \
;   grep -o 'kmovb'

target triple = "x86_64-unknown-linux-gnu"

define i32 @signs(<8 x i32> %a, <8 x i32> %x, <8 x i32> %y, ptr %p) noinline {
  %signs = icmp slt <8 x i32> %a, zeroinitializer
  %bits = bitcast <8 x i1> %signs to i8
  %number = zext i8 %bits to i32
  %equal = icmp eq <8 x i32> %x, %y
  %both = and <8 x i1> %signs, %equal
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %x, ptr %p, i32 4, <8 x i1> %both)
  ret i32 %number
}

define i32 @in_another_block(<8 x i32> %a, <8 x i32> %x, <8 x i32> %y, ptr %p) noinline {
  %signs = icmp slt <8 x i32> %a, zeroinitializer
  %bits = bitcast <8 x i1> %signs to i8
  %number = zext i8 %bits to i32
  %few = icmp ult i32 %number, 12
  br i1 %few, label %then, label %end
then:
  %equal = icmp eq <8 x i32> %x, %y
  %both = and <8 x i1> %signs, %equal
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %x, ptr %p, i32 4, <8 x i1> %both)
  br label %end
end:
  ret i32 %number
}

; Nothing else reads the mask.
define i32 @alone(<8 x i32> %a) noinline {
  %signs = icmp slt <8 x i32> %a, zeroinitializer
  %bits = bitcast <8 x i1> %signs to i8
  %number = zext i8 %bits to i32
  ret i32 %number
}

define ptx_kernel void @k(ptr %p, ptr %q) {
  %a = load <8 x i32>, ptr %p
  %x = load <8 x i32>, ptr %q
  %n = call i32 @signs(<8 x i32> %a, <8 x i32> %x, <8 x i32> %a, ptr %p)
  %m = call i32 @in_another_block(<8 x i32> %x, <8 x i32> %a, <8 x i32> %a, ptr %p)
  %o = call i32 @alone(<8 x i32> %x)
  %sum = add i32 %n, %m
  %all = add i32 %sum, %o
  store i32 %all, ptr %q
  ret void
}

declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, i32, <8 x i1>)
;;; stdout
; vpmovd2m
; kmovb
; vmovmskps
; vpmovd2m
; vmovmskps
