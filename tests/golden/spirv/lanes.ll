; Intel's OpenCL for processors makes lanes of the threads that it vectorises over: a kernel that reads a lane's number
; or value, in any function, does not declare that it computes with vectors, as all others do. The image declares that
; it uses lanes, and has as many of them in each warp of a launch, though the last of a block may lack some.
; RUN[flavor]: offloadc %s --offload-arch=spirv64 --emit=flavor=- | grep -E '^define spir_kernel|call spir_func i32 @'
; CHECK[flavor]: @shuffles(
; CHECK[flavor]: @_Z22get_max_sub_group_sizev()
; CHECK[flavor]: @_Z18get_sub_group_sizev()
; CHECK[flavor]: @_Z17sub_group_shufflejj
; CHECK-NOT[flavor]: vec_type_hint
; CHECK[flavor]: @counts(
; CHECK[flavor]: @meets({{.*}}!vec_type_hint
; RUN[image]: offloadc %s --offload-arch=spirv64 --emit=bundle=b && llvm-strings b | grep -c -x uses-lanes
; RUN[names]: offloadc %s --offload-arch=spirv64 --emit=bundle=b && llvm-strings b | grep -x -A 2 kernels-with-lanes
; The position of a thread follows from its number in the block and from the extents that the launch gives.
; RUN[numbers]: offloadc %s --offload-arch=spirv64 --emit=flavor=- | sed -n '/^define spir_kernel.*\(shuffles\|meets\)/,/^}/p' | \
;   grep -o '@_Z[0-9]*get_[lg][a-z_]*'
; RUN[without]: sed 's/3 x ptr. .ptr @shuffles, ptr @counts,/1 x ptr] [/' %s | offloadc - --offload-arch=spirv64 --emit=bundle=b && \
;   ! (llvm-strings b | grep -x uses-lanes)
; RUN[codegen]: offloadc %s --offload-arch=spirv64 --emit=codegen=- | grep -c -w OpGroupNonUniformShuffle

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_count()
declare i32 @__offload_shuffle_xor(i32, i32)
declare void @__offload_sync_threads()

define i32 @neighbours(i32 %value) noinline {
  %other = call i32 @__offload_shuffle_xor(i32 %value, i32 1)
  ret i32 %other
}

define void @shuffles(ptr %p) {
  %i = call i32 @__offload_thread_id_x()
  %other = call i32 @neighbours(i32 %i)
  call void @__offload_sync_threads()
  store i32 %other, ptr %p
  ret void
}

define void @counts(ptr %p) {
  %n = call i32 @__offload_lane_count()
  store i32 %n, ptr %p
  ret void
}

define void @meets(ptr %p) {
  %i = call i32 @__offload_thread_id_x()
  call void @__offload_sync_threads()
  store i32 %i, ptr %p
  ret void
}

@.kernels = internal constant [3 x ptr] [ptr @shuffles, ptr @counts, ptr @meets], section ".offload.kernels"
;;; stdout[image]
; 1
;;; stdout[names]
; kernels-with-lanes
; shuffles
; counts
;;; stdout[numbers]
; @_Z19get_local_linear_idv
; @_Z17get_global_offsetj
; @_Z14get_local_sizej
; @_Z12get_local_idj
;;; stdout[codegen]
; 1
