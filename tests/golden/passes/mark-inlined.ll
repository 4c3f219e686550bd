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
; define internal float @has_array(float %x) {
; define float @exported(float %x) {
; define internal float @unreached(float %x) {
; define internal float @__offload_math.erff(float %x) {
; attributes #0 = { alwaysinline }
; attributes #1 = { noinline }
; attributes #2 = { cold }
;;; stdout[many]
; 15
; 0
