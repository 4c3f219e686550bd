; A constant that the program has set has its value in the code, and the kernel that would write it does nothing. One
; that LLVM has split, or that has another size, is left as it is.
; RUN: offloadc %s --kernel=k --kernel=set --run-pass=fold_late_constants --offload-arch=sm_80 --late-constant=app::TILE=20000000 \
;   --late-constant=app::PAIR=0000000000000000 --late-constant=app::NONE=00 | grep -v "^target"
; RUN[folded]: offloadc %s -O2 --kernel=k --kernel=set --emit=slice=in.slice --offload-arch=sm_80 -o out.o && offloadc \
;   in.slice --from=slice --offload-arch=sm_80 --late-constant=app::TILE=20000000 --emit=optimize=- \
;   | sed -n '/^@.*TILE/p; /^define/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

@"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE" = internal global [4 x i8] c"\10\00\00\00", section ".offload.static", align 4
@"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0" = internal unnamed_addr global i1 false, section ".offload.static", align 4
@"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3eE.0" = internal global i32 1, section ".offload.static", align 4
@"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3eE.1" = internal global i32 1, section ".offload.static", align 4
@"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a7E" = internal global [4 x i8] zeroinitializer, section ".offload.static", align 4

define void @k(ptr %out) {
  %tile = load i32, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE"
  store i32 %tile, ptr %out
  ret void
}

define void @set(i32 %value) {
  %is = load i1, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0"
  br i1 %is, label %done, label %write

write:
  store i32 %value, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE"
  store i1 true, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0"
  br label %done

done:
  ret void
}
;;; stdout
;
; @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0" = internal unnamed_addr constant i1 true, section ".offload.static", align 4
; @"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3eE.0" = internal global i32 1, section ".offload.static", align 4
; @"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3eE.1" = internal global i32 1, section ".offload.static", align 4
; @"_ZN54_$LT$app..PAIR$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a7E" = internal global [4 x i8] zeroinitializer, section ".offload.static", align 4
; @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE" = internal constant [4 x i8] c" \00\00\00", align 4
;
; define void @k(ptr %out) {
;   %tile = load i32, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE", align 4
;   store i32 %tile, ptr %out, align 4
;   ret void
; }
;
; define void @set(i32 %value) {
;   %is = load i1, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0", align 1
;   br i1 %is, label %done, label %write
;
; write:                                            ; preds = %0
;   store i32 %value, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$5value14__OFFLOAD_LATE17h1fad3106e58edb3dE", align 4
;   store i1 true, ptr @"_ZN54_$LT$app..TILE$u20$as$u20$offload..late..LatePlace$GT$10is_written20__OFFLOAD_IS_WRITTEN17h1bc012c68436c2a6E.0", align 1
;   br label %done
;
; done:                                             ; preds = %write, %0
;   ret void
; }
;;; stdout[folded]
; define ptx_kernel void @k(ptr addrspace(1) writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #0 {
;   store i32 32, ptr addrspace(1) %out, align 4
;   ret void
; }
; define ptx_kernel void @set(i32 %value) local_unnamed_addr #1 {
; done:
;   ret void
; }
