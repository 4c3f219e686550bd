; The procedure call standard of AArch64: a struct of up to 16 bytes is words, one to four floats of one type are an array,
; and a larger struct is a pointer to a copy, which rustc marks. `noundef` distinguishes an integer from a struct in a word.
; RUN: offloadc %s --offload-arch=cpu --kernel=* --emit=kernels=-
; CHECK[copy]: define void @copies(ptr{{.*}} byval([24 x i8]) align 8 {{.*}} %a, i32 %b, ptr{{.*}} byval([32 x i8]) align 16 {{.*}} %c)
; RUN[copy]: offloadc %s --offload-arch=cpu --kernel=copies --emit=split=-
; FAIL[size]: sed 's/ dereferenceable(24)//' %s > sizeless.ll; offloadc sizeless.ll --offload-arch=cpu --kernel=copies -o out.o
; FAIL[x86]: sed 's/aarch64/x86_64/; /^target datalayout/d' %s > x86.ll; offloadc x86.ll --offload-arch=cpu --kernel=copies -o out.o

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

define void @scalars(i1 zeroext %a, i8 %b, half %c, i16 %d, i128 %e, i64 noundef %f, double %g, i32 %h) { ret void }
; [u8; 3]; { f32, u32 }; { u32, u8 }; { u64, u8 }; [u32; 3]; &[T]
define void @words(i64 %0, i64 %1, i64 %2, [2 x i64] %3, [2 x i64] %4, [2 x i64] %5) { ret void }
define void @floats(float %a, [3 x float] %0, [4 x double] %1, [2 x half] %2, float %b) { ret void }
define void @vectors(<2 x float> %a, <4 x float> %b, [2 x <4 x float>] %c, i8 %d) { ret void }
define void @copies(ptr dead_on_return noalias noundef readonly align 8 captures(none) dereferenceable(24) %a, i32 %b,
                    ptr dead_on_return noalias noundef align 16 captures(address) dereferenceable(32) %c) { ret void }
define void @references(ptr noundef %a, ptr noalias noundef readonly align 8 captures(none) dereferenceable(24) %b) { ret void }
;;; stdout
; scalars (scalars): plain, found by `--kernel`
;   0: value at 0, 1 bytes, aligned to 1
;   1: value at 1, 1 bytes, aligned to 1
;   2: value at 2, 2 bytes, aligned to 2
;   3: value at 4, 2 bytes, aligned to 2
;   4: value at 16, 16 bytes, aligned to 16
;   5: value at 32, 8 bytes, aligned to 8
;   6: value at 40, 8 bytes, aligned to 8
;   7: value at 48, 4 bytes, aligned to 4
; words (words): plain, found by `--kernel`
;   0: words at 0, 8 bytes, aligned to 8
;   1: words at 8, 8 bytes, aligned to 8
;   2: words at 16, 8 bytes, aligned to 8
;   3: words at 24, 16 bytes, aligned to 8
;   4: words at 40, 16 bytes, aligned to 8
;   5: words at 56, 16 bytes, aligned to 8
; floats (floats): plain, found by `--kernel`
;   0: value at 0, 4 bytes, aligned to 4
;   1: value at 4, 12 bytes, aligned to 4
;   2: value at 16, 32 bytes, aligned to 8
;   3: value at 48, 4 bytes, aligned to 2
;   4: value at 52, 4 bytes, aligned to 4
; vectors (vectors): plain, found by `--kernel`
;   0: value at 0, 8 bytes, aligned to 8
;   1: value at 16, 16 bytes, aligned to 16
;   2: value at 32, 32 bytes, aligned to 16
;   3: value at 64, 1 bytes, aligned to 1
; copies (copies): plain, found by `--kernel`
;   0: value at 0, 24 bytes, aligned to 8
;   1: value at 24, 4 bytes, aligned to 4
;   2: value at 32, 32 bytes, aligned to 16
; references (references): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
;   1: pointer at 8, 8 bytes, aligned to 8; reads 24 bytes
;;; stderr[size]
; error[OFC0013]: kernel `copies` takes parameter 0, which is a large value in memory, whose size is not in the input
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
;;; stderr[x86]
; error[OFC0013]: kernel `copies` takes parameter 0, which is a large value passed by the address of the caller's copy (the Rust calling convention)
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
