; A choice between structs or arrays is a choice for each field, because the back end mistakes such types.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep OpPhi | wc -l
; FAIL=70@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=split_aggregates --emit=image=k.spv

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
  %x = load i32, ptr %in
  %a = insertvalue { i32, float } poison, i32 %x, 0
  %b = insertvalue { i32, float } %a, float 1.0, 1
  %c = icmp ult i32 %x, 100
  br i1 %c, label %then, label %join
then:
  %y = load float, ptr %out
  %d = insertvalue { i32, float } %b, float %y, 1
  br label %join
join:
  %p = phi { i32, float } [ %b, %entry ], [ %d, %then ]
  %e = icmp eq i32 %n, 7
  %s = select i1 %e, { i32, float } %p, { i32, float } zeroinitializer
  %i = extractvalue { i32, float } %s, 0
  %f = extractvalue { i32, float } %s, 1
  store volatile i32 %i, ptr %out
  store volatile float %f, ptr %out
  ret void
}
;;; stdout
; 1
;;; stderr[without]
; error: internal error: cannot make the image for spirv64: the SPIR-V of kernel `k` is not valid: OpPhi's result type <id> '7[%uint]' does not match incoming value <id> '25[%25]' type <id> '12[%_struct_12]'.
;   = note: it goes on:
;             %29 = OpPhi %uint %25 %entry %28 %then
