; Whether a device has a feature has a constant answer. The answer for an unknown name is no.
; RUN: offloadc %s --run-pass=fold_features --offload-arch=sm_80 | grep -v "^target"
; RUN[other]: offloadc %s --run-pass=fold_features --offload-arch=gfx90a | grep -v "^target"

@newer = private constant <{ [5 x i8] }> <{ [5 x i8] c"sm_90" }>
@older = private constant [5 x i8] c"sm_70"
@lanes = private constant [15 x i8] c"wavefrontsize64"

declare i1 @__offload_has_feature(ptr, i64)

define void @f(ptr %out) {
  %newer = call i1 @__offload_has_feature(ptr @newer, i64 5)
  store i1 %newer, ptr %out
  %older = call i1 @__offload_has_feature(ptr @older, i64 5)
  store i1 %older, ptr %out
  %lanes = call i1 @__offload_has_feature(ptr @lanes, i64 15)
  store i1 %lanes, ptr %out
  ret void
}

define i1 @unknown(ptr %text) {
  %unknown = call i1 @__offload_has_feature(ptr %text, i64 5)
  ret i1 %unknown
}
;;; stdout
;
; @newer = private constant <{ [5 x i8] }> <{ [5 x i8] c"sm_90" }>
; @older = private constant [5 x i8] c"sm_70"
; @lanes = private constant [15 x i8] c"wavefrontsize64"
;
; define void @f(ptr %out) {
;   store i1 false, ptr %out, align 1
;   store i1 true, ptr %out, align 1
;   store i1 false, ptr %out, align 1
;   ret void
; }
;
; define i1 @unknown(ptr %text) {
;   ret i1 false
; }
;;; stdout[other]
;
; @newer = private constant <{ [5 x i8] }> <{ [5 x i8] c"sm_90" }>
; @older = private constant [5 x i8] c"sm_70"
; @lanes = private constant [15 x i8] c"wavefrontsize64"
;
; define void @f(ptr %out) {
;   store i1 false, ptr %out, align 1
;   store i1 false, ptr %out, align 1
;   store i1 true, ptr %out, align 1
;   ret void
; }
;
; define i1 @unknown(ptr %text) {
;   ret i1 false
; }
