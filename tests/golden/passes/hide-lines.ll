; The line and the column of a location are addresses of symbols, whose initial values are the numbers. A constant of
; another form remains. A constant of a user's that looks like a location keeps its section, alignment and address.
; RUN: offloadc %s --run-pass=hide_lines --offload-arch=sm_80 | grep -v "^target"

@file = private unnamed_addr constant [7 x i8] c"main.rs"
@place = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\07\00\00\00\00\00\00\00\0C\00\00\00\05\00\00\00" }>, align 8
@longer = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\08\00\00\00\00\00\00\00\0C\00\00\00\05\00\00\00" }>, align 8
@own = private constant { ptr, [16 x i8] } { ptr @file, [16 x i8] c"\07\00\00\00\00\00\00\00\01\00\00\00\02\00\00\00" }, section ".offload.constant", align 64

define ptx_kernel void @k(ptr %out) {
  %line = load i32, ptr getelementptr (i8, ptr @place, i64 16)
  store i32 %line, ptr %out
  %other = load i32, ptr getelementptr (i8, ptr @longer, i64 16)
  store i32 %other, ptr %out
  store ptr @own, ptr %out
  ret void
}
;;; stdout
;
; @file = private unnamed_addr constant [7 x i8] c"main.rs"
; @longer = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\08\00\00\00\00\00\00\00\0C\00\00\00\05\00\00\00" }>, align 8
; @offload.number = internal unnamed_addr global i32 12, section ".offload.hidden_numbers", align 1
; @offload.number.1 = internal unnamed_addr global i32 5, section ".offload.hidden_numbers", align 1
; @place = internal unnamed_addr constant { ptr, [8 x i8], i32, i32 } { ptr @file, [8 x i8] c"\07\00\00\00\00\00\00\00", i32 ptrtoint (ptr @offload.number to i32), i32 ptrtoint (ptr @offload.number.1 to i32) }, align 8
; @offload.number.2 = internal unnamed_addr global i32 1, section ".offload.hidden_numbers", align 1
; @offload.number.3 = internal unnamed_addr global i32 2, section ".offload.hidden_numbers", align 1
; @own = internal constant { ptr, [8 x i8], i32, i32 } { ptr @file, [8 x i8] c"\07\00\00\00\00\00\00\00", i32 ptrtoint (ptr @offload.number.2 to i32), i32 ptrtoint (ptr @offload.number.3 to i32) }, section ".offload.constant", align 64
;
; define ptx_kernel void @k(ptr %out) {
;   %line = load i32, ptr getelementptr (i8, ptr @place, i64 16), align 4
;   store i32 %line, ptr %out, align 4
;   %other = load i32, ptr getelementptr (i8, ptr @longer, i64 16), align 4
;   store i32 %other, ptr %out, align 4
;   store ptr @own, ptr %out, align 8
;   ret void
; }
