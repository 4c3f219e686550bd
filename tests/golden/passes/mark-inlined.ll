; Short functions that kernels call are marked to be inlined, with those that they call: the vectoriser looks into no
; function. Functions that recurse, are cold, have large arrays, or are not to be inlined are left, as are math functions.
; RUN[short]: offloadc %s --run-pass=mark_inlined --offload-arch=cpu --kernel=kernel | \
;   grep "^; Function\|^define\|^attributes"
;
; The functions of a kernel are left alone if they would have too many instructions in all.
; RUN[many]: for count in 15 20; do awk -v count=$count 'BEGIN { \
;     for (f = 0; f < count; f++) { print "define internal float @f" f "(float %x) {"; \
;       for (i = 0; i < 110; i++) print "%n" i " = fadd float %x, 1.0"; print "ret float %x\n}" } \
;     print "define void @many(float %x) {"; \
;     for (f = 0; f < count; f++) print "%v" f " = call float @f" f "(float %x)"; print "ret void\n}" }' > many.ll && \
;   offloadc many.ll --run-pass=mark_inlined --offload-arch=cpu --kernel=many | grep -c '^define.*#' || true; done
;
; The largest that are marked have 200 instructions with those of the functions that they call, or 800 in all their
; copies; the markers of a variable's lifetime are none. `odd` functions have one more instruction.
; RUN[sizes]: awk 'function define(name, count, before, i) { \
;     print "define internal float @" name "(float %x) {\n" before; \
;     for (i = 1; i < count; i++) print "%n" i " = fadd float %x, 1.0"; print "ret float %x\n}" } \
;   function calls(name, count, i) { for (i = 0; i < count; i++) \
;     print "%" name i " = call float @" name "(float %x)" } \
;   BEGIN { print "declare void @llvm.lifetime.start.p0(ptr)"; print "declare void @llvm.lifetime.end.p0(ptr)"; \
;     define("long", 200); define("odd_long", 201); define("copied", 100); define("odd_copied", 89); \
;     define("short", 100); \
;     define("caller", 99, "%c = call float @short(float %x)"); \
;     define("odd_caller", 100, "%c = call float @short(float %x)"); \
;     alive = "call void @llvm.lifetime.start.p0(ptr %a)\ncall void @llvm.lifetime.end.p0(ptr %a)"; \
;     define("lives", 199, "%a = alloca float\n" alive); \
;     print "define void @small(float %x) {"; calls("copied", 8); print "ret void\n}"; \
;     print "define void @sized(float %x) {"; calls("long", 1); calls("odd_long", 1); calls("lives", 1); \
;     calls("caller", 1); calls("odd_caller", 1); print "ret void\n}"; \
;     print "define void @copies(float %x) {"; calls("odd_copied", 9); print "ret void\n}" }' > sizes.ll && \
;   offloadc sizes.ll --run-pass=mark_inlined --offload-arch=cpu --kernel=small --kernel=sized --kernel=copies | \
;   grep '^define' | sed 's/(.*)//'

define void @kernel(ptr %x) {
  %a = load float, ptr %x
  %b = call float @normal(float %a)
  %c = call float @normal(float %b)
  %d = call float @recursive(float %c)
  %e = call float @kept(float %d)
  %f = call float @rare(float %e)
  %g = call float @has_array(float %f)
  %h = call float @exported(float %g)
  %i = call float @__offload_math.erff(float %h)
  call void @whole(float %i)
  store float %i, ptr %x
  ret void
}

define internal float @normal(float %x) {
  %y = call float @half(float %x)
  %z = fmul float %y, %y
  ret float %z
}

define internal float @half(float %x) {
  %a = alloca [16 x float]
  %y = fmul float %x, 0.5
  ret float %y
}

define internal float @recursive(float %x) {
  %small = fcmp olt float %x, 1.0
  br i1 %small, label %end, label %again

again:
  %half = call float @half(float %x)
  %y = call float @recursive(float %half)
  ret float %y

end:
  ret float %x
}

define internal float @kept(float %x) noinline {
  ret float %x
}

define internal float @rare(float %x) cold {
  ret float %x
}

define internal void @whole(float %x) noinline optnone {
  ret void
}

define internal float @has_array(float %x) {
  %a = alloca [17 x float]
  store float %x, ptr %a
  ret float %x
}

define float @exported(float %x) {
  ret float %x
}

define internal float @unreached(float %x) {
  ret float %x
}

define internal float @__offload_math.erff(float %x) {
  ret float %x
}
;;; stdout[short]
; define void @kernel(ptr %x) {
; ; Function Attrs: alwaysinline
; define internal float @normal(float %x) #0 {
; ; Function Attrs: alwaysinline
; define internal float @half(float %x) #0 {
; define internal float @recursive(float %x) {
; ; Function Attrs: noinline
; define internal float @kept(float %x) #1 {
; ; Function Attrs: cold
; define internal float @rare(float %x) #2 {
; ; Function Attrs: noinline optnone
; define internal void @whole(float %x) #3 {
; define internal float @has_array(float %x) {
; define float @exported(float %x) {
; define internal float @unreached(float %x) {
; define internal float @__offload_math.erff(float %x) {
; attributes #0 = { alwaysinline }
; attributes #1 = { noinline }
; attributes #2 = { cold }
; attributes #3 = { noinline optnone }
;;; stdout[many]
; 15
; 0
;;; stdout[sizes]
; define internal float @long #1 {
; define internal float @odd_long {
; define internal float @copied #1 {
; define internal float @odd_copied {
; define internal float @short #1 {
; define internal float @caller #1 {
; define internal float @odd_caller {
; define internal float @lives #1 {
; define void @small {
; define void @sized {
; define void @copies {
